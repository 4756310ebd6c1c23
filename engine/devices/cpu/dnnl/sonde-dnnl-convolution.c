/* SPDX-License-Identifier: Apache-2.0
 * Convolutions of oneDNN: forward, both gradients, int8, Winograd. */
#include "engine/devices/cpu/dnnl/sonde-dnnl-private.h"

typedef struct
{
  dnnl_memory_desc_t source, weights, bias, target;
  dnnl_dims_t strides, dilations, begins, ends;
} ConvolutionDescs;

static void
describe_convolution (const SondeDnnlWindow *window, ConvolutionDescs *descs)
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

  descs->bias = sonde_dnnl_plain_desc_of (window->bias_dtype, 1, &outputs);
  if (window->plain)
    {
      descs->source
          = sonde_dnnl_plain_desc_of (window->source_dtype, window->input.rank, window->input.dims);
      descs->target = sonde_dnnl_plain_desc_of (window->target_dtype, window->output.rank,
                                                window->output.dims);
      descs->weights = sonde_dnnl_plain_desc_of (window->weight_dtype, rank, weights);
      return;
    }

  descs->source = sonde_dnnl_channels_last_desc (window->source_dtype, &window->input);
  descs->target = sonde_dnnl_channels_last_desc (window->target_dtype, &window->output);
  if (window->winograd)
    {
      dnnl_memory_desc_init_by_tag (&descs->source, window->input.rank, descs->source.dims,
                                    dnnl_f32, dnnl_format_tag_any);
      dnnl_memory_desc_init_by_tag (&descs->target, window->output.rank, descs->target.dims,
                                    dnnl_f32, dnnl_format_tag_any);
    }
  dnnl_memory_desc_init_by_tag (&descs->weights, rank, weights,
                                sonde_dnnl_data_type (window->weight_dtype), dnnl_format_tag_any);
  if (window->weight_layout != NULL)
    descs->weights = *(const dnnl_memory_desc_t *) window->weight_layout->desc;
}

static void
set_scales (dnnl_primitive_attr_t attributes, const SondeDnnlWindow *window)
{
  if (window->scales != NULL)
    dnnl_primitive_attr_set_output_scales (attributes, window->n_scales,
                                           window->n_scales > 1 ? 1 << 1 : 0, window->scales);
  if (window->source_zero != 0)
    dnnl_primitive_attr_set_zero_points (attributes, DNNL_ARG_SRC, 1, 0, &window->source_zero);
  if (window->target_zero != 0)
    dnnl_primitive_attr_set_zero_points (attributes, DNNL_ARG_DST, 1, 0, &window->target_zero);
}

/* One row: of windows, and of places. */
static gboolean
is_along_row (const SondeDnnlWindow *window)
{
  for (int i = 2; i < window->input.rank - 1; i++)
    if (window->weight.dims[i] != 1 || window->input.dims[i] != 1 || window->output.dims[i] != 1)
      return FALSE;

  return TRUE;
}

static const char *
get_name (const_dnnl_primitive_desc_t desc)
{
  const char *name = "";

  return dnnl_primitive_desc_query (desc, dnnl_query_impl_info_str, 0, &name) == dnnl_success ? name
                                                                                              : "";
}

/* Along a row oneDNN 2.6's first choice makes a kernel for each number of places that a window's
 * weights have: 2 to 70 ms instead of 0.2 to 2, and is never the faster one (16 to 512 channels,
 * 100 to 8,000 places, windows of 2 to 11, strides of 1 to 5, AVX-512). Takes and gives @desc
 * (nullable). */
static dnnl_primitive_desc_t
replace_along_row (SondeDnnl *dnnl, const void *operation, dnnl_primitive_attr_t attributes,
                   dnnl_primitive_desc_t desc)
{
  dnnl_primitive_desc_iterator_t iterator = NULL;
  dnnl_primitive_desc_t other = NULL;

  if (desc == NULL || !g_str_equal (get_name (desc), "brgconv:avx512_core")
      || dnnl_primitive_desc_iterator_create (&iterator, operation, attributes, dnnl->engine, NULL)
             != dnnl_success)
    return desc;

  if (dnnl_primitive_desc_iterator_next (iterator) == dnnl_success)
    other = dnnl_primitive_desc_iterator_fetch (iterator);
  dnnl_primitive_desc_iterator_destroy (iterator);
  if (other != NULL && g_str_equal (get_name (other), "jit:avx512_core"))
    {
      dnnl_primitive_desc_destroy (desc);
      return other;
    }

  if (other != NULL)
    dnnl_primitive_desc_destroy (other);
  return desc;
}

static dnnl_primitive_desc_t
create_forward (SondeDnnl *dnnl, const SondeDnnlWindow *window, const ConvolutionDescs *d,
                dnnl_prop_kind_t kind)
{
  dnnl_primitive_attr_t attributes = sonde_dnnl_attributes_new (1.0f);
  dnnl_convolution_desc_t operation;
  dnnl_primitive_desc_t desc = NULL;

  sonde_dnnl_set_posts (attributes, window->posts, window->n_posts, window->output.rank);
  set_scales (attributes, window);
  if (dnnl_dilated_convolution_forward_desc_init (
          &operation, kind, window->winograd ? dnnl_convolution_winograd : dnnl_convolution_direct,
          &d->source, &d->weights, window->bias ? &d->bias : NULL, &d->target, d->strides,
          d->dilations, d->begins, d->ends)
      == dnnl_success)
    desc = sonde_dnnl_create_desc (dnnl, &operation, attributes, NULL);
  if (is_along_row (window) && window->weight_layout == NULL)
    desc = replace_along_row (dnnl, &operation, attributes, desc);

  dnnl_primitive_attr_destroy (attributes);
  return desc;
}

static dnnl_primitive_desc_t
create_backward (SondeDnnl *dnnl, SondeDnnlPass pass, const SondeDnnlWindow *window,
                 const ConvolutionDescs *d)
{
  dnnl_primitive_desc_t hint = create_forward (dnnl, window, d, dnnl_forward_training);
  dnnl_primitive_attr_t attributes = sonde_dnnl_attributes_new (1.0f);
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
    desc = sonde_dnnl_create_desc (dnnl, &operation, attributes, hint);

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

/* One-dimensional data in two dimensions, [N, C, L, 1]: the same bytes are [N, C, 1, L], and
 * oneDNN's kernels work along the last dimension. */
static SondeDnnlWindow
lay_along_rows (const SondeDnnlWindow *window)
{
  SondeDnnlWindow turned = *window;

  if (window->input.rank != 4 || window->input.dims[3] != 1 || window->output.dims[3] != 1
      || window->weight.dims[3] != 1 || window->begins[1] != 0 || window->ends[1] != 0)
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
convolution_new (SondeDnnl *dnnl, SondeDnnlPass pass, const SondeDnnlWindow *given)
{
  static const SondeDnnlArgument arguments[]
      = { SONDE_DNNL_SRC, SONDE_DNNL_WEIGHTS, SONDE_DNNL_DST };
  const SondeDnnlWindow turned = lay_along_rows (given), *window = &turned;
  ConvolutionDescs descs;
  dnnl_primitive_desc_t desc;
  SondeDnnlPrimitive *primitive;

  describe_convolution (window, &descs);
  desc = pass == SONDE_DNNL_FORWARD ? create_forward (dnnl, window, &descs, dnnl_forward_inference)
                                    : create_backward (dnnl, pass, window, &descs);
  primitive = sonde_dnnl_primitive_new (desc);
  if (primitive == NULL)
    return NULL;

  for (int i = 0; i < 3; i++)
    sonde_dnnl_add_argument (primitive, arguments[i], pass_names[pass].ids[i],
                             dnnl_primitive_desc_query_md (desc, pass_names[pass].queries[i], 0));
  if (pass == SONDE_DNNL_FORWARD && window->bias)
    sonde_dnnl_add_argument (primitive, SONDE_DNNL_BIAS, DNNL_ARG_BIAS, &descs.bias);
  if (pass == SONDE_DNNL_FORWARD)
    sonde_dnnl_add_post_operands (primitive, window->posts, window->n_posts, window->output.rank);

  return sonde_dnnl_finish (dnnl, primitive);
}

static gsize
place (gsize *end, gsize bytes)
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
surround (SondeDnnl *dnnl, SondeDnnlPrimitive *primitive, const SondeDnnlWindow *window)
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
  primitive->before_offset
      = place (&end, inside_from != NULL ? inside_from->bytes : plain_bytes (&window->input));
  primitive->after_offset
      = place (&end, inside_to != NULL ? inside_to->bytes : plain_bytes (&window->output));
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
sonde_dnnl_convolution (SondeDnnl *dnnl, SondeDnnlPass pass, const SondeDnnlWindow *window)
{
  SondeDnnlPrimitive *primitive = convolution_new (dnnl, pass, window);

  return primitive != NULL && window->winograd ? surround (dnnl, primitive, window) : primitive;
}
