/* SPDX-License-Identifier: Apache-2.0
 * oneDNN 2.x. */
#include "engine/devices/cpu/sonde-dnnl.h"

#include <oneapi/dnnl/dnnl.h>
#include <stdatomic.h>
#include <string.h>

#if DNNL_VERSION_MAJOR != 2
#error "sonde-dnnl.c speaks the interface of oneDNN 2"
#endif

struct _SondeDnnl
{
  dnnl_engine_t engine;
  dnnl_stream_t stream;
};

/* One argument: where it goes and how it lies. */
typedef struct
{
  SondeDnnlArgument argument;
  int id; /* DNNL_ARG_… */
  const dnnl_memory_desc_t *desc;
} Argument;

#define MAX_ARGUMENTS (4 + SONDE_DNNL_MAX_POSTS + 1) /* with the scratchpad */

/* oneDNN's memory objects of one call. */
typedef struct
{
  dnnl_memory_t memory[MAX_ARGUMENTS];
} Bindings;

struct _SondeDnnlPrimitive
{
  dnnl_primitive_desc_t desc;
  dnnl_primitive_t primitive;
  Argument arguments[MAX_ARGUMENTS];
  guint n_arguments; /* without the scratchpad */
  dnnl_memory_desc_t own[MAX_ARGUMENTS];
  dnnl_memory_desc_t plain_weights; /* no dimensions: row-major */
  gsize scratch, workspace; /* oneDNN's part of the workspace, at its beginning; all of it */
  const char *implementation;
  SondeDnnlPrimitive *before, *after; /* (nullable): reorders of the source and the result around it */
  gsize before_offset, after_offset;  /* of what they reorder in the workspace */
  Bindings bindings;     /* made once, used by whoever gets @busy first */
  atomic_flag busy;
};

/* ---- engine -------------------------------------------------------------------------------------- */

SondeDnnl *
sonde_dnnl_new (GError **error)
{
  SondeDnnl *dnnl = g_new0 (SondeDnnl, 1);

  if (dnnl_engine_create (&dnnl->engine, dnnl_cpu, 0) == dnnl_success
      && dnnl_stream_create (&dnnl->stream, dnnl->engine, dnnl_stream_default_flags) == dnnl_success)
    return dnnl;

  sonde_dnnl_free (dnnl);
  g_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_DEVICE,
               "oneDNN could not start on this processor");
  return NULL;
}

void
sonde_dnnl_free (SondeDnnl *dnnl)
{
  if (dnnl == NULL)
    return;

  if (dnnl->stream != NULL)
    dnnl_stream_destroy (dnnl->stream);
  if (dnnl->engine != NULL)
    dnnl_engine_destroy (dnnl->engine);
  g_free (dnnl);
}

typedef struct
{
  int isa;
  const char *name;
} IsaName;

static const IsaName isa_names[] = {
  { dnnl_cpu_isa_sse41, "sse41" },
  { dnnl_cpu_isa_avx, "avx" },
  { dnnl_cpu_isa_avx2, "avx2" },
  { dnnl_cpu_isa_avx2_vnni, "avx2_vnni" },
  { dnnl_cpu_isa_avx512_core, "avx512_core" },
  { dnnl_cpu_isa_avx512_core_vnni, "avx512_core_vnni" },
  { dnnl_cpu_isa_avx512_core_bf16, "avx512_core_bf16" },
  { dnnl_cpu_isa_avx512_core_amx, "avx512_core_amx" },
};

char *
sonde_dnnl_describe (SondeDnnl *dnnl)
{
  const dnnl_version_t *version = dnnl_version ();
  int isa = dnnl_get_effective_cpu_isa ();
  const char *name = "generic";

  for (gsize i = 0; i < G_N_ELEMENTS (isa_names); i++)
    if (isa == isa_names[i].isa)
      name = isa_names[i].name;

  return g_strdup_printf ("oneDNN %d.%d.%d, %s", version->major, version->minor, version->patch, name);
}

/* ---- layouts -------------------------------------------------------------------------------------- */

/* What oneDNN computes in; anything else of a size it can move is moved as one of these. */
static const dnnl_data_type_t data_types[] = {
  [SONDE_DTYPE_INVALID] = dnnl_f32, [SONDE_DTYPE_F32] = dnnl_f32, [SONDE_DTYPE_BF16] = dnnl_bf16,
  [SONDE_DTYPE_I8] = dnnl_s8,       [SONDE_DTYPE_U8] = dnnl_u8,   [SONDE_DTYPE_I32] = dnnl_s32,
};

static dnnl_data_type_t
data_type (SondeDtype dtype)
{
  dnnl_data_type_t type = (gsize) dtype < G_N_ELEMENTS (data_types) ? data_types[dtype]
                                                                    : dnnl_data_type_undef;

  if (type == dnnl_data_type_undef && sonde_dtype_size (dtype) == 4)
    return dnnl_s32;
  if (type == dnnl_data_type_undef && sonde_dtype_size (dtype) == 2)
    return dnnl_bf16;
  return type == dnnl_data_type_undef && sonde_dtype_size (dtype) == 1 ? dnnl_u8 : type;
}

static SondeLayout *
layout_new (const dnnl_memory_desc_t *desc,
            gboolean                  channels_last)
{
  SondeLayout *layout = g_new0 (SondeLayout, 1);

  layout->ref_count = 1;
  layout->channels_last = channels_last;
  layout->bytes = dnnl_memory_desc_get_size (desc);
  layout->desc = g_memdup2 (desc, sizeof (dnnl_memory_desc_t));
  return layout;
}

SondeLayout *
sonde_layout_ref (SondeLayout *layout)
{
  layout->ref_count++;
  return layout;
}

void
sonde_layout_unref (SondeLayout *layout)
{
  if (layout == NULL || --layout->ref_count > 0)
    return;

  g_free (layout->desc);
  g_free (layout->plain);
  g_free (layout);
}

gboolean
sonde_layout_equal (const SondeLayout *a,
                    const SondeLayout *b)
{
  return a == b || (a != NULL && b != NULL && dnnl_memory_desc_equal (a->desc, b->desc));
}

static dnnl_memory_desc_t
plain_desc_of (SondeDtype    dtype,
               int           rank,
               const gint64 *dims)
{
  dnnl_memory_desc_t desc;
  dnnl_dims_t sizes = { 0 }, strides = { 0 };
  gint64 stride = 1;

  for (int i = rank - 1; i >= 0; i--)
    {
      sizes[i] = dims[i];
      strides[i] = stride;
      stride *= MAX (dims[i], 1);
    }

  dnnl_memory_desc_init_by_strides (&desc, rank, sizes, data_type (dtype), strides);
  return desc;
}

static dnnl_memory_desc_t
plain_desc (int           rank,
            const gint64 *dims)
{
  return plain_desc_of (SONDE_DTYPE_F32, rank, dims);
}

static dnnl_memory_desc_t
channels_last_desc (SondeDtype        dtype,
                    const SondeShape *shape)
{
  dnnl_memory_desc_t desc;
  dnnl_dims_t sizes = { 0 }, strides = { 0 };
  gint64 stride = shape->dims[1];

  for (int i = shape->rank - 1; i >= 2; i--)
    {
      strides[i] = stride;
      stride *= shape->dims[i];
    }

  strides[1] = 1;
  strides[0] = stride;
  for (int i = 0; i < shape->rank; i++)
    sizes[i] = shape->dims[i];

  dnnl_memory_desc_init_by_strides (&desc, shape->rank, sizes, data_type (dtype), strides);
  return desc;
}

SondeLayout *
sonde_dnnl_channels_last (SondeDtype        dtype,
                          const SondeShape *shape)
{
  gint64 space = 1;
  dnnl_memory_desc_t desc;

  if (shape->rank < 3 || shape->rank > 5 || data_type (dtype) == dnnl_data_type_undef)
    return NULL;

  for (int i = 2; i < shape->rank; i++)
    space *= shape->dims[i];
  if (shape->dims[1] == 1 || space == 1 || space * shape->dims[0] * shape->dims[1] == 0)
    return NULL;

  desc = channels_last_desc (dtype, shape);
  return layout_new (&desc, TRUE);
}

SondeLayout *
sonde_dnnl_strided (SondeDtype        dtype,
                    const SondeShape *shape,
                    const gint64     *strides)
{
  dnnl_dims_t sizes = { 0 }, steps = { 0 };
  dnnl_memory_desc_t desc, plain;

  for (int i = 0; i < shape->rank; i++)
    {
      sizes[i] = shape->dims[i];
      steps[i] = strides[i];
    }

  plain = plain_desc_of (dtype, shape->rank, shape->dims);
  dnnl_memory_desc_init_by_strides (&desc, shape->rank, sizes, data_type (dtype), steps);
  return dnnl_memory_desc_equal (&desc, &plain) ? NULL : layout_new (&desc, FALSE);
}

char *
sonde_layout_describe (const SondeLayout *layout)
{
  static const char *const channels_last[] = { "nwc", "nhwc", "ndhwc" };
  const dnnl_memory_desc_t *desc;
  const dnnl_blocking_desc_t *blocking;
  g_autoptr (GString) text = NULL;

  if (layout == NULL)
    return g_strdup ("plain");

  desc = layout->desc;
  if (layout->channels_last)
    return g_strdup (channels_last[desc->ndims - 3]);

  /* Outer dimensions by falling stride, upper case where they are blocked; then the blocks. */
  text = g_string_new (NULL);
  blocking = &desc->format_desc.blocking;
  for (int k = 0; k < desc->ndims; k++)
    {
      int next = 0;
      gboolean blocked = FALSE;

      for (int i = 0; i < desc->ndims; i++)
        {
          int larger = 0;

          for (int j = 0; j < desc->ndims; j++)
            larger += blocking->strides[j] > blocking->strides[i]
                      || (blocking->strides[j] == blocking->strides[i] && j < i);
          next = larger == k ? i : next;
        }

      for (int i = 0; i < blocking->inner_nblks; i++)
        blocked = blocked || blocking->inner_idxs[i] == next;
      g_string_append_c (text, (blocked ? 'A' : 'a') + next);
    }

  for (int i = 0; i < blocking->inner_nblks; i++)
    g_string_append_printf (text, "%d%c", (int) blocking->inner_blks[i],
                            'a' + (int) blocking->inner_idxs[i]);

  return g_string_free (g_steal_pointer (&text), FALSE);
}

/* ---- primitives ------------------------------------------------------------------------------------- */

void
sonde_dnnl_primitive_free (SondeDnnlPrimitive *primitive)
{
  if (primitive == NULL)
    return;

  sonde_dnnl_primitive_free (primitive->before);
  sonde_dnnl_primitive_free (primitive->after);
  for (guint i = 0; i < MAX_ARGUMENTS; i++)
    if (primitive->bindings.memory[i] != NULL)
      dnnl_memory_destroy (primitive->bindings.memory[i]);
  if (primitive->primitive != NULL)
    dnnl_primitive_destroy (primitive->primitive);
  if (primitive->desc != NULL)
    dnnl_primitive_desc_destroy (primitive->desc);
  g_free (primitive);
}

G_DEFINE_AUTOPTR_CLEANUP_FUNC (SondeDnnlPrimitive, sonde_dnnl_primitive_free)

static gboolean
bind_new (SondeDnnl                *dnnl,
          const SondeDnnlPrimitive *primitive,
          Bindings                 *bindings)
{
  for (guint i = 0; i <= primitive->n_arguments; i++)
    {
      const dnnl_memory_desc_t *desc = i < primitive->n_arguments
                                         ? primitive->arguments[i].desc
                                         : dnnl_primitive_desc_query_md (primitive->desc,
                                                                         dnnl_query_scratchpad_md, 0);

      if (dnnl_memory_create (&bindings->memory[i], desc, dnnl->engine, DNNL_MEMORY_NONE)
          != dnnl_success)
        return FALSE;
    }

  return TRUE;
}

static void
unbind (Bindings *bindings)
{
  for (guint i = 0; i < MAX_ARGUMENTS; i++)
    if (bindings->memory[i] != NULL)
      dnnl_memory_destroy (bindings->memory[i]);
}

static void
add_argument (SondeDnnlPrimitive       *primitive,
              SondeDnnlArgument         argument,
              int                       id,
              const dnnl_memory_desc_t *desc)
{
  Argument *entry = &primitive->arguments[primitive->n_arguments];

  primitive->own[primitive->n_arguments] = *desc;
  entry->argument = argument;
  entry->id = id;
  entry->desc = &primitive->own[primitive->n_arguments];
  primitive->n_arguments++;
}

/* Takes @desc, creates the primitive. NULL when it is oneDNN's unoptimised reference. */
static SondeDnnlPrimitive *
primitive_new (dnnl_primitive_desc_t desc)
{
  g_autoptr (SondeDnnlPrimitive) primitive = g_new0 (SondeDnnlPrimitive, 1);
  const dnnl_memory_desc_t *scratchpad;

  primitive->desc = desc;
  atomic_flag_clear (&primitive->busy);
  if (dnnl_primitive_desc_query (desc, dnnl_query_impl_info_str, 0, &primitive->implementation)
        != dnnl_success
      || g_str_has_prefix (primitive->implementation, "ref")
      || dnnl_primitive_create (&primitive->primitive, desc) != dnnl_success)
    return NULL;

  scratchpad = dnnl_primitive_desc_query_md (desc, dnnl_query_scratchpad_md, 0);
  primitive->scratch = primitive->workspace = dnnl_memory_desc_get_size (scratchpad);
  return g_steal_pointer (&primitive);
}

static SondeDnnlPrimitive *
finish (SondeDnnl          *dnnl,
        SondeDnnlPrimitive *primitive)
{
  if (bind_new (dnnl, primitive, &primitive->bindings))
    return primitive;

  sonde_dnnl_primitive_free (primitive);
  return NULL;
}

/* Attributes of every primitive: the caller gives the scratchpad. */
static dnnl_primitive_attr_t
attributes_new (float scale)
{
  dnnl_primitive_attr_t attributes = NULL;

  if (dnnl_primitive_attr_create (&attributes) != dnnl_success)
    return NULL;

  dnnl_primitive_attr_set_scratchpad_mode (attributes, dnnl_scratchpad_mode_user);
  if (scale != 1.0f)
    dnnl_primitive_attr_set_output_scales (attributes, 1, 0, &scale);
  return attributes;
}

static dnnl_primitive_desc_t
create_desc (SondeDnnl            *dnnl,
             const void           *operation,
             dnnl_primitive_attr_t attributes,
             dnnl_primitive_desc_t hint)
{
  dnnl_primitive_desc_t desc = NULL;

  return dnnl_primitive_desc_create (&desc, operation, attributes, dnnl->engine, hint) == dnnl_success
           ? desc
           : NULL;
}

/* ---- posts ------------------------------------------------------------------------------------------ */

static dnnl_memory_desc_t
strided_desc (SondeDtype    dtype,
              int           rank,
              const gint64 *dims,
              const gint64 *strides)
{
  dnnl_memory_desc_t desc;
  dnnl_dims_t sizes = { 0 }, steps = { 0 };

  for (int i = 0; i < rank; i++)
    {
      sizes[i] = dims[i];
      steps[i] = strides[i];
    }

  dnnl_memory_desc_init_by_strides (&desc, rank, sizes, data_type (dtype), steps);
  return desc;
}

typedef struct
{
  const char *name;
  dnnl_alg_kind_t kind;
} EltwiseName;

static const EltwiseName eltwise_names[] = {
  { "tanh", dnnl_eltwise_tanh },         { "elu", dnnl_eltwise_elu },
  { "sqrt", dnnl_eltwise_sqrt },         { "logistic", dnnl_eltwise_logistic },
  { "exp", dnnl_eltwise_exp },           { "log", dnnl_eltwise_log },
  { "gelu_erf", dnnl_eltwise_gelu_erf }, { "gelu_tanh", dnnl_eltwise_gelu_tanh },
  { "mish", dnnl_eltwise_mish },         { "hardswish", dnnl_eltwise_hardswish },
  { "relu", dnnl_eltwise_relu },         { "clip", dnnl_eltwise_clip },
  { "swish", dnnl_eltwise_swish },       { "linear", dnnl_eltwise_linear },
};

static dnnl_alg_kind_t
find_function (const char *name)
{
  for (gsize i = 0; i < G_N_ELEMENTS (eltwise_names); i++)
    if (g_str_equal (name, eltwise_names[i].name))
      return eltwise_names[i].kind;

  return dnnl_alg_kind_undef;
}

static SondeDnnlPost *
add_post (SondeDnnlPost    *posts,
          guint            *n_posts,
          SondeDnnlPostKind kind)
{
  SondeDnnlPost *post = &posts[*n_posts];

  g_return_val_if_fail (*n_posts < SONDE_DNNL_MAX_POSTS, posts);

  *post = (SondeDnnlPost) { .kind = kind };
  (*n_posts)++;
  return post;
}

SondeDnnlPost *
sonde_dnnl_add_function (SondeDnnlPost *posts,
                         guint         *n_posts,
                         const char    *function,
                         float          alpha,
                         float          beta)
{
  SondeDnnlPost *post = add_post (posts, n_posts, SONDE_DNNL_POST_FUNCTION);

  post->function = function;
  post->alpha = alpha;
  post->beta = beta;
  return post;
}

SondeDnnlPost *
sonde_dnnl_add_by_channel (SondeDnnlPost    *posts,
                           guint            *n_posts,
                           SondeDnnlPostKind kind,
                           int               rank,
                           gint64            channels)
{
  SondeDnnlPost *post = add_post (posts, n_posts, kind);

  for (int i = 0; i < rank; i++)
    {
      post->dims[i] = i == 1 ? channels : 1;
      post->strides[i] = i == 0 ? channels : 1;
    }

  return post;
}

static void
set_posts (dnnl_primitive_attr_t attributes,
           const SondeDnnlPost  *posts,
           guint                 n_posts,
           int                   rank)
{
  dnnl_post_ops_t operations = NULL;

  if (n_posts == 0 || dnnl_post_ops_create (&operations) != dnnl_success)
    return;

  for (guint i = 0; i < n_posts; i++)
    {
      const SondeDnnlPost *post = &posts[i];

      if (post->kind == SONDE_DNNL_POST_FUNCTION)
        dnnl_post_ops_append_eltwise (operations, 1.0f, find_function (post->function), post->alpha,
                                      post->beta);
      else
        {
          dnnl_memory_desc_t desc = strided_desc (post->dtype, rank, post->dims, post->strides);

          dnnl_post_ops_append_binary (operations,
                                       post->kind == SONDE_DNNL_POST_ADD ? dnnl_binary_add
                                                                         : dnnl_binary_mul,
                                       &desc);
        }
    }

  dnnl_primitive_attr_set_post_ops (attributes, operations);
  dnnl_post_ops_destroy (operations);
}

static void
add_post_operands (SondeDnnlPrimitive  *primitive,
                   const SondeDnnlPost *posts,
                   guint                n_posts,
                   int                  rank)
{
  for (guint i = 0; i < n_posts; i++)
    if (posts[i].kind != SONDE_DNNL_POST_FUNCTION)
      {
        dnnl_memory_desc_t desc = strided_desc (posts[i].dtype, rank, posts[i].dims, posts[i].strides);

        add_argument (primitive, (SondeDnnlArgument) (SONDE_DNNL_POST + i),
                      DNNL_ARG_ATTR_MULTIPLE_POST_OP ((int) i) | DNNL_ARG_SRC_1, &desc);
      }
}

/* ---- convolution ------------------------------------------------------------------------------------ */

typedef struct
{
  dnnl_memory_desc_t source, weights, bias, target;
  dnnl_dims_t strides, dilations, begins, ends;
} ConvolutionDescs;

static void
describe_convolution (const SondeDnnlWindow *window,
                      ConvolutionDescs      *descs)
{
  int space = window->input.rank - 2;
  gint64 outputs = window->output.dims[1];
  dnnl_dims_t weights;
  int rank = 0;

  if (window->groups > 1)
    weights[rank++] = window->groups;
  weights[rank++] = outputs / window->groups;
  weights[rank++] = window->input.dims[1] / window->groups;
  for (int i = 0; i < space; i++)
    {
      weights[rank++] = window->weight.dims[2 + i];
      descs->strides[i] = window->strides[i];
      descs->dilations[i] = window->dilations[i] - 1;
      descs->begins[i] = window->begins[i];
      descs->ends[i] = window->ends[i];
    }

  descs->bias = plain_desc_of (window->bias_dtype, 1, &outputs);
  if (window->plain)
    {
      descs->source = plain_desc_of (window->source_dtype, window->input.rank, window->input.dims);
      descs->target = plain_desc_of (window->target_dtype, window->output.rank, window->output.dims);
      descs->weights = plain_desc_of (window->weight_dtype, rank, weights);
      return;
    }

  descs->source = channels_last_desc (window->source_dtype, &window->input);
  descs->target = channels_last_desc (window->target_dtype, &window->output);
  if (window->winograd)
    {
      dnnl_memory_desc_init_by_tag (&descs->source, window->input.rank, descs->source.dims, dnnl_f32,
                                    dnnl_format_tag_any);
      dnnl_memory_desc_init_by_tag (&descs->target, window->output.rank, descs->target.dims, dnnl_f32,
                                    dnnl_format_tag_any);
    }
  dnnl_memory_desc_init_by_tag (&descs->weights, rank, weights, data_type (window->weight_dtype),
                                dnnl_format_tag_any);
  if (window->weight_layout != NULL)
    descs->weights = *(const dnnl_memory_desc_t *) window->weight_layout->desc;
}

static void
set_scales (dnnl_primitive_attr_t  attributes,
            const SondeDnnlWindow *window)
{
  if (window->scales != NULL)
    dnnl_primitive_attr_set_output_scales (attributes, window->n_scales, window->n_scales > 1 ? 1 << 1 : 0,
                                           window->scales);
  if (window->source_zero != 0)
    dnnl_primitive_attr_set_zero_points (attributes, DNNL_ARG_SRC, 1, 0, &window->source_zero);
  if (window->target_zero != 0)
    dnnl_primitive_attr_set_zero_points (attributes, DNNL_ARG_DST, 1, 0, &window->target_zero);
}

static dnnl_primitive_desc_t
create_forward (SondeDnnl              *dnnl,
                const SondeDnnlWindow  *window,
                const ConvolutionDescs *d,
                dnnl_prop_kind_t        kind)
{
  dnnl_primitive_attr_t attributes = attributes_new (1.0f);
  dnnl_convolution_desc_t operation;
  dnnl_primitive_desc_t desc = NULL;

  set_posts (attributes, window->posts, window->n_posts, window->output.rank);
  set_scales (attributes, window);
  if (dnnl_dilated_convolution_forward_desc_init (&operation, kind,
                                                  window->winograd ? dnnl_convolution_winograd
                                                                   : dnnl_convolution_direct,
                                                  &d->source, &d->weights, window->bias ? &d->bias : NULL,
                                                  &d->target, d->strides, d->dilations, d->begins,
                                                  d->ends)
      == dnnl_success)
    desc = create_desc (dnnl, &operation, attributes, NULL);

  dnnl_primitive_attr_destroy (attributes);
  return desc;
}

static dnnl_primitive_desc_t
create_backward (SondeDnnl              *dnnl,
                 SondeDnnlPass           pass,
                 const SondeDnnlWindow  *window,
                 const ConvolutionDescs *d)
{
  dnnl_primitive_desc_t hint = create_forward (dnnl, window, d, dnnl_forward_training);
  dnnl_primitive_attr_t attributes = attributes_new (1.0f);
  dnnl_convolution_desc_t operation;
  dnnl_primitive_desc_t desc = NULL;
  dnnl_status_t status;

  if (pass == SONDE_DNNL_GRADIENT_INPUT)
    status = dnnl_dilated_convolution_backward_data_desc_init (
      &operation, dnnl_convolution_direct, &d->source, &d->weights, &d->target, d->strides,
      d->dilations, d->begins, d->ends);
  else
    status = dnnl_dilated_convolution_backward_weights_desc_init (
      &operation, dnnl_convolution_direct, &d->source, &d->weights, NULL, &d->target, d->strides,
      d->dilations, d->begins, d->ends);

  if (hint != NULL && status == dnnl_success)
    desc = create_desc (dnnl, &operation, attributes, hint);

  if (hint != NULL)
    dnnl_primitive_desc_destroy (hint);
  dnnl_primitive_attr_destroy (attributes);
  return desc;
}

/* oneDNN's name of SRC, WEIGHTS, DST by pass, and which of them it describes under which query. */
typedef struct
{
  int ids[3];
  dnnl_query_t queries[3];
} PassNames;

static const PassNames pass_names[] = {
  [SONDE_DNNL_FORWARD] = { { DNNL_ARG_SRC, DNNL_ARG_WEIGHTS, DNNL_ARG_DST },
                           { dnnl_query_src_md, dnnl_query_weights_md, dnnl_query_dst_md } },
  [SONDE_DNNL_GRADIENT_INPUT]
  = { { DNNL_ARG_DIFF_SRC, DNNL_ARG_WEIGHTS, DNNL_ARG_DIFF_DST },
      { dnnl_query_diff_src_md, dnnl_query_weights_md, dnnl_query_diff_dst_md } },
  [SONDE_DNNL_GRADIENT_WEIGHT]
  = { { DNNL_ARG_SRC, DNNL_ARG_DIFF_WEIGHTS, DNNL_ARG_DIFF_DST },
      { dnnl_query_src_md, dnnl_query_diff_weights_md, dnnl_query_diff_dst_md } },
};

static void
swap (gint64 *pair)
{
  gint64 first = pair[0];

  pair[0] = pair[1];
  pair[1] = first;
}

/* One-dimensional data in two dimensions, [N, C, L, 1]: the same bytes are [N, C, 1, L], and oneDNN's kernels work along
 * the last dimension. */
static SondeDnnlWindow
lay_along_rows (const SondeDnnlWindow *window)
{
  SondeDnnlWindow turned = *window;

  if (window->input.rank != 4 || window->input.dims[3] != 1 || window->output.dims[3] != 1 || window->weight.dims[3] != 1
      || window->begins[1] != 0 || window->ends[1] != 0)
    return turned;

  swap (&turned.input.dims[2]);
  swap (&turned.output.dims[2]);
  swap (&turned.weight.dims[2]);
  swap (turned.strides);
  swap (turned.dilations);
  swap (turned.begins);
  swap (turned.ends);
  for (guint i = 0; i < turned.n_posts; i++)
    {
      SondeDnnlPost *post = &turned.posts[i];

      swap (&post->dims[2]);
      swap (&post->strides[2]);
      /* oneDNN reads the order of dimensions from this stride too. */
      if (post->dims[3] > 1)
        post->strides[2] = post->dims[3] * post->strides[3];
    }
  return turned;
}

static SondeDnnlPrimitive *
convolution_new (SondeDnnl             *dnnl,
                 SondeDnnlPass          pass,
                 const SondeDnnlWindow *given)
{
  static const SondeDnnlArgument arguments[] = { SONDE_DNNL_SRC, SONDE_DNNL_WEIGHTS, SONDE_DNNL_DST };
  const SondeDnnlWindow turned = lay_along_rows (given), *window = &turned;
  ConvolutionDescs descs;
  dnnl_primitive_desc_t desc;
  SondeDnnlPrimitive *primitive;

  describe_convolution (window, &descs);
  desc = pass == SONDE_DNNL_FORWARD ? create_forward (dnnl, window, &descs, dnnl_forward_inference)
                                    : create_backward (dnnl, pass, window, &descs);
  primitive = desc != NULL ? primitive_new (desc) : NULL;
  if (primitive == NULL)
    return NULL;

  for (int i = 0; i < 3; i++)
    add_argument (primitive, arguments[i], pass_names[pass].ids[i],
                  dnnl_primitive_desc_query_md (desc, pass_names[pass].queries[i], 0));
  if (pass == SONDE_DNNL_FORWARD && window->bias)
    add_argument (primitive, SONDE_DNNL_BIAS, DNNL_ARG_BIAS, &descs.bias);
  if (pass == SONDE_DNNL_FORWARD)
    add_post_operands (primitive, window->posts, window->n_posts, window->output.rank);

  return finish (dnnl, primitive);
}

/* ---- the others ------------------------------------------------------------------------------------- */

SondeDnnlPrimitive *
sonde_dnnl_matmul (SondeDnnl             *dnnl,
                   const SondeDnnlMatmul *matmul)
{
  int rank = matmul->rank;
  dnnl_memory_desc_t source = strided_desc (matmul->source_dtype, rank, matmul->source,
                                            matmul->source_strides);
  dnnl_memory_desc_t given = strided_desc (matmul->weight_dtype, rank, matmul->weights,
                                           matmul->weights_strides);
  dnnl_memory_desc_t target = matmul->target_strides[rank - 1] > 0
                                ? strided_desc (matmul->target_dtype, rank, matmul->target,
                                                matmul->target_strides)
                                : plain_desc_of (matmul->target_dtype, rank, matmul->target);
  dnnl_memory_desc_t weights = given, bias = { 0 };
  dnnl_primitive_attr_t attributes = attributes_new (matmul->scale);
  dnnl_matmul_desc_t operation;
  dnnl_primitive_desc_t desc = NULL;
  SondeDnnlPrimitive *primitive;

  if (matmul->pack)
    dnnl_memory_desc_init_by_tag (&weights, rank, given.dims, given.data_type, dnnl_format_tag_any);
  if (matmul->weight_layout != NULL)
    weights = *(const dnnl_memory_desc_t *) matmul->weight_layout->desc;
  if (matmul->has_bias)
    bias = strided_desc (SONDE_DTYPE_F32, rank, matmul->bias, matmul->bias_strides);
  set_posts (attributes, matmul->posts, matmul->n_posts, rank);
  if (dnnl_matmul_desc_init (&operation, &source, &weights, matmul->has_bias ? &bias : NULL, &target)
      == dnnl_success)
    desc = create_desc (dnnl, &operation, attributes, NULL);

  dnnl_primitive_attr_destroy (attributes);
  primitive = desc != NULL ? primitive_new (desc) : NULL;
  if (primitive == NULL)
    return NULL;

  primitive->plain_weights = given;
  add_argument (primitive, SONDE_DNNL_SRC, DNNL_ARG_SRC, &source);
  add_argument (primitive, SONDE_DNNL_WEIGHTS, DNNL_ARG_WEIGHTS,
                dnnl_primitive_desc_query_md (desc, dnnl_query_weights_md, 0));
  add_argument (primitive, SONDE_DNNL_DST, DNNL_ARG_DST, &target);
  if (matmul->has_bias)
    add_argument (primitive, SONDE_DNNL_BIAS, DNNL_ARG_BIAS, &bias);
  add_post_operands (primitive, matmul->posts, matmul->n_posts, rank);

  return finish (dnnl, primitive);
}

SondeDnnlPrimitive *
sonde_dnnl_eltwise (SondeDnnl  *dnnl,
                    const char *function,
                    gint64      n,
                    float       alpha,
                    float       beta)
{
  dnnl_memory_desc_t data = plain_desc (1, &n);
  dnnl_primitive_attr_t attributes = attributes_new (1.0f);
  dnnl_eltwise_desc_t operation;
  dnnl_primitive_desc_t desc = NULL;
  SondeDnnlPrimitive *primitive;

  if (dnnl_eltwise_forward_desc_init (&operation, dnnl_forward_inference, find_function (function), &data,
                                      alpha, beta)
      == dnnl_success)
    desc = create_desc (dnnl, &operation, attributes, NULL);

  dnnl_primitive_attr_destroy (attributes);
  primitive = desc != NULL ? primitive_new (desc) : NULL;
  if (primitive == NULL)
    return NULL;

  add_argument (primitive, SONDE_DNNL_SRC, DNNL_ARG_SRC, &data);
  add_argument (primitive, SONDE_DNNL_DST, DNNL_ARG_DST, &data);
  return finish (dnnl, primitive);
}

SondeDnnlPrimitive *
sonde_dnnl_softmax (SondeDnnl *dnnl,
                    gint64     outer,
                    gint64     axis,
                    gint64     inner,
                    gboolean   log)
{
  gint64 dims[] = { outer, axis, inner };
  dnnl_memory_desc_t data = plain_desc (inner == 1 ? 2 : 3, dims);
  dnnl_primitive_attr_t attributes = attributes_new (1.0f);
  dnnl_softmax_v2_desc_t operation;
  dnnl_primitive_desc_t desc = NULL;
  SondeDnnlPrimitive *primitive;

  if (dnnl_softmax_v2_forward_desc_init (&operation, dnnl_forward_inference,
                                         log ? dnnl_softmax_log : dnnl_softmax_accurate, &data, &data, 1)
      == dnnl_success)
    desc = create_desc (dnnl, &operation, attributes, NULL);

  dnnl_primitive_attr_destroy (attributes);
  primitive = desc != NULL ? primitive_new (desc) : NULL;
  if (primitive == NULL)
    return NULL;

  add_argument (primitive, SONDE_DNNL_SRC, DNNL_ARG_SRC, &data);
  add_argument (primitive, SONDE_DNNL_DST, DNNL_ARG_DST, &data);
  return finish (dnnl, primitive);
}

/* A plain description with the dimensions that @layout uses (grouped weights have one more). */
static dnnl_memory_desc_t
plain_like (const SondeType   *type,
            const SondeLayout *layout)
{
  const dnnl_memory_desc_t *desc = layout != NULL ? layout->desc : NULL;
  SondeShape shape;

  if (desc != NULL && layout->plain != NULL)
    return *(const dnnl_memory_desc_t *) layout->plain;
  if (desc != NULL)
    return plain_desc_of (type->dtype, desc->ndims, desc->dims);

  sonde_type_get_shape (type, &shape);
  return plain_desc_of (type->dtype, shape.rank, shape.dims);
}

SondeDnnlPrimitive *
sonde_dnnl_reorder (SondeDnnl       *dnnl,
                    const SondeType *type,
                    SondeLayout     *from,
                    SondeLayout     *to)
{
  dnnl_memory_desc_t source = from != NULL ? *(dnnl_memory_desc_t *) from->desc : plain_like (type, to);
  dnnl_memory_desc_t target = to != NULL ? *(dnnl_memory_desc_t *) to->desc : plain_like (type, from);
  dnnl_primitive_attr_t attributes = attributes_new (1.0f);
  dnnl_primitive_desc_t desc = NULL;
  g_autoptr (SondeDnnlPrimitive) primitive = NULL;

  if (dnnl_reorder_primitive_desc_create (&desc, &source, dnnl->engine, &target, dnnl->engine, attributes)
      != dnnl_success)
    desc = NULL;

  dnnl_primitive_attr_destroy (attributes);
  if (desc == NULL)
    return NULL;

  /* The reference is all there is for some pairs of layouts, and still right. */
  primitive = g_new0 (SondeDnnlPrimitive, 1);
  primitive->desc = desc;
  atomic_flag_clear (&primitive->busy);
  primitive->implementation = "reorder";
  primitive->scratch = primitive->workspace = dnnl_memory_desc_get_size (
    dnnl_primitive_desc_query_md (desc, dnnl_query_scratchpad_md, 0));
  if (dnnl_primitive_create (&primitive->primitive, desc) != dnnl_success)
    return NULL;

  add_argument (primitive, SONDE_DNNL_SRC, DNNL_ARG_FROM, &source);
  add_argument (primitive, SONDE_DNNL_DST, DNNL_ARG_TO, &target);
  return finish (dnnl, g_steal_pointer (&primitive));
}

SondeLayout *
sonde_dnnl_primitive_dup_layout (SondeDnnlPrimitive *primitive,
                                 SondeDnnlArgument   argument)
{
  for (guint i = 0; i < primitive->n_arguments; i++)
    if (primitive->arguments[i].argument == argument)
      {
        const dnnl_memory_desc_t *desc = primitive->arguments[i].desc;
        gboolean given = argument == SONDE_DNNL_WEIGHTS && primitive->plain_weights.ndims > 0;
        dnnl_memory_desc_t plain = given ? primitive->plain_weights : plain_desc (desc->ndims, desc->dims);
        SondeLayout *layout;

        plain.data_type = desc->data_type;
        if (dnnl_memory_desc_equal (desc, &plain))
          return NULL;

        layout = layout_new (desc, FALSE);
        if (given)
          layout->plain = g_memdup2 (&plain, sizeof plain);
        return layout;
      }

  return NULL;
}

gsize
sonde_dnnl_primitive_get_workspace (const SondeDnnlPrimitive *primitive)
{
  return primitive->workspace;
}

const char *
sonde_dnnl_primitive_get_implementation (const SondeDnnlPrimitive *primitive)
{
  return primitive->implementation;
}

static gboolean
execute (SondeDnnl                *dnnl,
         const SondeDnnlPrimitive *primitive,
         Bindings                 *bindings,
         void *const               memory[SONDE_DNNL_N_ARGUMENTS],
         void                     *workspace)
{
  dnnl_exec_arg_t arguments[MAX_ARGUMENTS];
  guint n = primitive->n_arguments;

  for (guint i = 0; i < n; i++)
    {
      arguments[i] = (dnnl_exec_arg_t) { primitive->arguments[i].id, bindings->memory[i] };
      if (dnnl_memory_set_data_handle_v2 (bindings->memory[i],
                                          memory[primitive->arguments[i].argument], dnnl->stream)
          != dnnl_success)
        return FALSE;
    }

  if (primitive->scratch > 0)
    {
      arguments[n] = (dnnl_exec_arg_t) { DNNL_ARG_SCRATCHPAD, bindings->memory[n] };
      dnnl_memory_set_data_handle_v2 (bindings->memory[n], workspace, dnnl->stream);
      n++;
    }

  return dnnl_primitive_execute (primitive->primitive, dnnl->stream, (int) n, arguments)
           == dnnl_success
         && dnnl_stream_wait (dnnl->stream) == dnnl_success;
}

static gboolean
run_one (SondeDnnl          *dnnl,
         SondeDnnlPrimitive *primitive,
         void *const         memory[SONDE_DNNL_N_ARGUMENTS],
         void               *workspace,
         GError            **error)
{
  gboolean ok;

  /* A second execution of the same plan at the same time makes bindings of its own. */
  if (!atomic_flag_test_and_set (&primitive->busy))
    {
      ok = execute (dnnl, primitive, &primitive->bindings, memory, workspace);
      atomic_flag_clear (&primitive->busy);
    }
  else
    {
      Bindings bindings = { 0 };

      ok = bind_new (dnnl, primitive, &bindings)
           && execute (dnnl, primitive, &bindings, memory, workspace);
      unbind (&bindings);
    }

  if (!ok)
    g_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_DEVICE,
                 "oneDNN failed to run “%s”", primitive->implementation);
  return ok;
}

static gboolean
run_surrounded (SondeDnnl          *dnnl,
                SondeDnnlPrimitive *primitive,
                void *const         memory[SONDE_DNNL_N_ARGUMENTS],
                void               *workspace,
                GError            **error)
{
  void *inside[SONDE_DNNL_N_ARGUMENTS];
  void *reorder[SONDE_DNNL_N_ARGUMENTS] = { NULL };

  for (int i = 0; i < SONDE_DNNL_N_ARGUMENTS; i++)
    inside[i] = memory[i];
  inside[SONDE_DNNL_SRC] = (guint8 *) workspace + primitive->before_offset;
  inside[SONDE_DNNL_DST] = (guint8 *) workspace + primitive->after_offset;

  reorder[SONDE_DNNL_SRC] = memory[SONDE_DNNL_SRC];
  reorder[SONDE_DNNL_DST] = inside[SONDE_DNNL_SRC];
  if (!run_one (dnnl, primitive->before, reorder, workspace, error)
      || !run_one (dnnl, primitive, inside, workspace, error))
    return FALSE;

  reorder[SONDE_DNNL_SRC] = inside[SONDE_DNNL_DST];
  reorder[SONDE_DNNL_DST] = memory[SONDE_DNNL_DST];
  return run_one (dnnl, primitive->after, reorder, workspace, error);
}

gboolean
sonde_dnnl_primitive_run (SondeDnnl          *dnnl,
                          SondeDnnlPrimitive *primitive,
                          void *const         memory[SONDE_DNNL_N_ARGUMENTS],
                          void               *workspace,
                          GError            **error)
{
  return primitive->before != NULL ? run_surrounded (dnnl, primitive, memory, workspace, error)
                                   : run_one (dnnl, primitive, memory, workspace, error);
}

/* ---- Winograd ---------------------------------------------------------------------------------------- */

static gsize
place (gsize *end,
       gsize  bytes)
{
  gsize offset = (*end + 63) / 64 * 64;

  *end = offset + bytes;
  return offset;
}

static gsize
plain_bytes (const SondeShape *shape)
{
  return (gsize) sonde_shape_n_elements (shape) * sizeof (float);
}

/* oneDNN's Winograd knows blocked layouts only. */
static SondeDnnlPrimitive *
surround (SondeDnnl             *dnnl,
          SondeDnnlPrimitive    *primitive,
          const SondeDnnlWindow *window)
{
  SondeType source = sonde_type_tensor (SONDE_DTYPE_F32, &window->input);
  SondeType target = sonde_type_tensor (SONDE_DTYPE_F32, &window->output);
  SondeLayout *from = sonde_dnnl_channels_last (SONDE_DTYPE_F32, &window->input);
  SondeLayout *to = sonde_dnnl_channels_last (SONDE_DTYPE_F32, &window->output);
  SondeLayout *inside_from = sonde_dnnl_primitive_dup_layout (primitive, SONDE_DNNL_SRC);
  SondeLayout *inside_to = sonde_dnnl_primitive_dup_layout (primitive, SONDE_DNNL_DST);
  gsize end = primitive->workspace, inner = 0;

  primitive->before = sonde_dnnl_reorder (dnnl, &source, from, inside_from);
  primitive->after = sonde_dnnl_reorder (dnnl, &target, inside_to, to);
  if (primitive->before != NULL && primitive->after != NULL)
    inner = MAX (primitive->before->workspace, primitive->after->workspace);
  end = MAX (end, inner);
  primitive->before_offset = place (&end, inside_from != NULL ? inside_from->bytes : plain_bytes (&window->input));
  primitive->after_offset = place (&end, inside_to != NULL ? inside_to->bytes : plain_bytes (&window->output));
  sonde_layout_unref (from);
  sonde_layout_unref (to);
  sonde_layout_unref (inside_from);
  sonde_layout_unref (inside_to);
  if (primitive->before == NULL || primitive->after == NULL)
    {
      sonde_dnnl_primitive_free (primitive);
      return NULL;
    }

  primitive->workspace = end;
  return primitive;
}

SondeDnnlPrimitive *
sonde_dnnl_convolution (SondeDnnl             *dnnl,
                        SondeDnnlPass          pass,
                        const SondeDnnlWindow *window)
{
  SondeDnnlPrimitive *primitive = convolution_new (dnnl, pass, window);

  return primitive != NULL && window->winograd ? surround (dnnl, primitive, window) : primitive;
}
