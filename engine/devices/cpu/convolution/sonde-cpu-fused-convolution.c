/* SPDX-License-Identifier: Apache-2.0
 * A convolution with what follows it: Conv, then BatchNormalization, additions, products and
 * activations, each or none. oneDNN does it all to each result before it is stored; what multiplies
 * and shifts channels by constants is made part of the weights and the bias instead, once. */
#include "engine/devices/cpu/convolution/sonde-cpu-convolution.h"

#include "engine/devices/sonde-host-kernel.h"

#include <omp.h>
#include <string.h>

#define MOST_FOLDED 4
#define MOST_INPUTS 24

/* A product or sum by channel that is part of the weights; @input: of the request */
typedef struct
{
  gboolean product;
  int input;
} Folded;

/**
 * FusedKernel:
 * @inputs: of the request: where each argument comes from, -1: nowhere
 * @scale: of the request: scale, bias, mean and variance of the normalisation
 * @affine: there is a normalisation; @affine_offset: of its factor and offset in the workspace, in
 * bytes
 * @derives: weights and bias are derived, from normalisation and @folded: the packed weights, then
 * the bias at
 *   @bias_offset
 * @weight_layout: (nullable): of the derived weights; @weight_type: of the plain ones
 * @derive_inputs: of the request: those that are derived from
 * @tail: of the request: what is added by a loop of ours, then Relu where @tail_relu; -1: nothing
 */
typedef struct
{
  SondeKernel base;
  SondeCpuGuarded guarded;
  SondeDnnlWindow window;
  guint n_exact;
  int inputs[SONDE_DNNL_N_ARGUMENTS];
  int scale[4];
  gint64 channels;
  double epsilon;
  gboolean affine;
  gsize affine_offset;
  gboolean derives;
  Folded folded[MOST_FOLDED];
  guint n_folded;
  gsize bias_offset;
  SondeLayout *weight_layout;
  SondeType weight_type;
  guint derive_inputs[MOST_INPUTS], n_derive;
  int tail;
  gboolean tail_relu;
} FusedKernel;

/* ---- what can be fused --------------------------------------------------- */

static gboolean
read_parts (SondeNode *const *nodes, guint n_nodes, gboolean *affine, SondeCpuEpilogue *epilogue)
{
  SondeGraphValue *value = sonde_node_get_output (nodes[0], 0);
  guint first = 1;

  *affine = FALSE;
  if (!sonde_node_is (nodes[0], SONDE_OP_ID_CONV) || value == NULL
      || (value->type.dtype != SONDE_DTYPE_F32 && value->type.dtype != SONDE_DTYPE_BF16)
      || value->type.rank < 3 || value->type.rank > 5)
    return FALSE;

  if (n_nodes > 1 && sonde_cpu_is_plain_normalisation (nodes[1]))
    {
      gint64 channels = value->type.dims[1].size;

      if (sonde_node_get_input (nodes[1], 0) != value || channels <= 0)
        return FALSE;

      sonde_dnnl_add_by_channel (epilogue->posts, &epilogue->n_posts, SONDE_DNNL_POST_MULTIPLY,
                                 value->type.rank, channels);
      sonde_dnnl_add_by_channel (epilogue->posts, &epilogue->n_posts, SONDE_DNNL_POST_ADD,
                                 value->type.rank, channels);
      epilogue->n_exact = epilogue->n_posts;
      value = sonde_node_get_output (nodes[1], 0);
      *affine = TRUE;
      first = 2;
    }

  return sonde_cpu_read_epilogue (nodes, n_nodes, first, value, TRUE, epilogue);
}

gboolean
sonde_cpu_match_convolution (SondeNode *const *nodes, guint n_nodes)
{
  SondeCpuEpilogue epilogue = { .n_posts = 0 };
  gboolean affine;

  return read_parts (nodes, n_nodes, &affine, &epilogue);
}

/* ---- deriving ------------------------------------------------------------ */

/* result · factor + offset is what the convolution's sums become. */
static void
find_affine (const FusedKernel *k, const void *const *inputs, float *factor, float *offset)
{
  g_autofree float *bias = NULL;

  if (k->inputs[SONDE_DNNL_BIAS] >= 0)
    {
      bias = g_new (float, k->channels);
      sonde_dtype_convert (k->weight_type.dtype, inputs[k->inputs[SONDE_DNNL_BIAS]],
                           SONDE_DTYPE_F32, bias, k->channels);
    }

  for (gint64 c = 0; c < k->channels; c++)
    {
      factor[c] = 1;
      offset[c] = 0;
    }

  if (k->affine)
    sonde_cpu_batch_affine (k->channels, inputs[k->scale[0]], inputs[k->scale[1]],
                            inputs[k->scale[2]], inputs[k->scale[3]], k->epsilon, factor, offset);
  for (gint64 c = 0; c < k->channels && bias != NULL; c++)
    offset[c] += bias[c] * factor[c];

  for (guint i = 0; i < k->n_folded; i++)
    {
      const float *operand = inputs[k->folded[i].input];

      for (gint64 c = 0; c < k->channels; c++)
        if (k->folded[i].product)
          {
            factor[c] *= operand[c];
            offset[c] *= operand[c];
          }
        else
          offset[c] += operand[c];
    }
}

static gsize
find_bias_offset (SondeCpuDevice *device, const FusedKernel *k)
{
  gsize bytes = device->base.klass->layout_bytes (&device->base, &k->weight_type, k->weight_layout);

  return (bytes + 63) / 64 * 64;
}

static gboolean
derive_weights (SondeCpuDevice *device, SondeKernel *base, const void *const *inputs, void *derived,
                GError **error)
{
  const FusedKernel *k = (FusedKernel *) base;
  const SondeDeviceClass *klass = device->base.klass;
  const void *weight = inputs[k->inputs[SONDE_DNNL_WEIGHTS]];
  SondeDtype dtype = k->weight_type.dtype;
  gint64 n = sonde_shape_n_elements (&k->window.weight), row = n / k->channels;
  g_autofree float *factor = g_new (float, k->channels);
  g_autofree float *scaled = g_try_new (float, n);
  g_autofree void *halves = NULL;

  if (scaled == NULL)
    {
      sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_MEMORY,
                       "Not enough memory for the %" PRIi64 " weights of a convolution", n);
      return FALSE;
    }

  find_affine (k, inputs, factor, (float *) (void *) ((guint8 *) derived + k->bias_offset));
  sonde_dtype_convert (dtype, weight, SONDE_DTYPE_F32, scaled, n);
  for (gint64 c = 0; c < k->channels; c++)
    for (gint64 i = c * row; i < (c + 1) * row; i++)
      scaled[i] *= factor[c];
  if (dtype != SONDE_DTYPE_F32)
    {
      halves = g_malloc ((gsize) n * sonde_dtype_size (dtype));
      sonde_dtype_convert (SONDE_DTYPE_F32, scaled, dtype, halves, n);
      return klass->write_plain (&device->base, &k->weight_type, k->weight_layout, halves, derived,
                                 error);
    }

  return klass->write_plain (&device->base, &k->weight_type, k->weight_layout, scaled, derived,
                             error);
}

/* ---- running ------------------------------------------------------------- */

static SondeDnnlPrimitive *
make_exact (SondeCpuDevice *device, gpointer data)
{
  const FusedKernel *k = data;
  SondeDnnlWindow window = k->window;
  SondeDnnlPrimitive *primitive;

  window.n_posts = k->n_exact;
  window.weight_layout = sonde_dnnl_primitive_dup_layout (k->guarded.primitive, SONDE_DNNL_WEIGHTS);
  primitive = sonde_dnnl_convolution (device->dnnl, SONDE_DNNL_FORWARD, &window);
  sonde_layout_unref (window.weight_layout);
  return primitive;
}

/* Winograd's algorithm mixes neighbours: an infinite or undefined one would show where it has no
 * influence. */
static gboolean
run_direct (SondeCpuDevice *device, const FusedKernel *k, const SondeRunArguments *arguments,
            void *memory[SONDE_DNNL_N_ARGUMENTS], GError **error)
{
  FusedKernel direct = *k;
  g_autoptr (GPtrArray) tensors
      = g_ptr_array_new_with_free_func ((GDestroyNotify) sonde_tensor_unref);
  const void *inputs[MOST_INPUTS] = { NULL };
  void *derived = NULL, *workspace = NULL;
  int threads = omp_get_max_threads ();
  gsize scratch;
  gboolean ok;

  direct.window.winograd = FALSE;
  direct.guarded.exact = NULL;
  direct.guarded.primitive
      = sonde_dnnl_convolution (device->dnnl, SONDE_DNNL_FORWARD, &direct.window);
  if (direct.guarded.primitive == NULL)
    {
      sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_DEVICE,
                       "oneDNN has no direct algorithm for this convolution");
      return FALSE;
    }

  for (guint i = 0; i < k->n_derive; i++)
    {
      SondeTensor *tensor = arguments->fetch (arguments, k->derive_inputs[i], error);

      if (tensor == NULL)
        {
          sonde_dnnl_primitive_free (direct.guarded.primitive);
          return FALSE;
        }
      g_ptr_array_add (tensors, tensor);
      inputs[k->derive_inputs[i]] = tensor->data;
    }

  direct.weight_layout
      = sonde_dnnl_primitive_dup_layout (direct.guarded.primitive, SONDE_DNNL_WEIGHTS);
  direct.bias_offset = find_bias_offset (device, &direct);
  scratch = sonde_dnnl_primitive_get_workspace (direct.guarded.primitive);
  derived = sonde_host_allocate (&device->base,
                                 direct.bias_offset + (gsize) k->channels * sizeof (float), error);
  workspace
      = derived != NULL ? sonde_host_allocate (&device->base, MAX (scratch, 64), error) : NULL;
  ok = workspace != NULL && derive_weights (device, &direct.base, inputs, derived, error);
  omp_set_num_threads (threads); /* reorders have their own number */
  if (ok)
    {
      memory[SONDE_DNNL_WEIGHTS] = derived;
      memory[SONDE_DNNL_BIAS] = (guint8 *) derived + direct.bias_offset;
      ok = sonde_cpu_guarded_run (device, &direct.guarded, memory, workspace, make_exact, &direct,
                                  error);
    }

  sonde_host_release (&device->base, derived);
  sonde_host_release (&device->base, workspace);
  sonde_cpu_guarded_clear (&direct.guarded);
  sonde_layout_unref (direct.weight_layout);
  return ok;
}

static gboolean
run_winograd (SondeCpuDevice *device, FusedKernel *k, const SondeRunArguments *arguments,
              void *memory[SONDE_DNNL_N_ARGUMENTS], GError **error)
{
  if (!sonde_dnnl_primitive_run (device->dnnl, k->guarded.primitive, memory, arguments->workspace,
                                 error))
    return FALSE;

  if (sonde_cpu_is_clean (&k->guarded, memory[SONDE_DNNL_DST]))
    return TRUE;

  return run_direct (device, k, arguments, memory, error);
}

static gboolean
run_fused (SondeCpuDevice *device, SondeKernel *base, const SondeRunArguments *arguments,
           GError **error)
{
  FusedKernel *k = (FusedKernel *) base;
  void *memory[SONDE_DNNL_N_ARGUMENTS] = { NULL };

  for (int i = 0; i < SONDE_DNNL_N_ARGUMENTS; i++)
    memory[i] = k->inputs[i] >= 0 ? arguments->inputs[k->inputs[i]] : NULL;
  memory[SONDE_DNNL_DST] = arguments->outputs[0];
  if (k->derives)
    {
      memory[SONDE_DNNL_WEIGHTS] = (void *) arguments->derived;
      memory[SONDE_DNNL_BIAS] = (guint8 *) arguments->derived + k->bias_offset;
    }
  else if (k->affine)
    {
      float *factor = (float *) (void *) ((guint8 *) arguments->workspace + k->affine_offset);

      memory[SONDE_DNNL_POST] = factor;
      memory[SONDE_DNNL_POST + 1] = factor + k->channels;
      sonde_cpu_batch_affine (k->channels, arguments->inputs[k->scale[0]],
                              arguments->inputs[k->scale[1]], arguments->inputs[k->scale[2]],
                              arguments->inputs[k->scale[3]], k->epsilon, factor,
                              factor + k->channels);
    }

  if (k->window.winograd ? !run_winograd (device, k, arguments, memory, error)
                         : !sonde_cpu_guarded_run (device, &k->guarded, memory,
                                                   arguments->workspace, make_exact, k, error))
    return FALSE;

  if (k->tail >= 0)
    sonde_cpu_add (device, (gint64) (k->guarded.bytes / sizeof (float)), arguments->inputs[k->tail],
                   k->tail_relu, arguments->outputs[0]);
  return TRUE;
}

static void
free_fused (SondeKernel *base)
{
  FusedKernel *k = (FusedKernel *) base;

  sonde_cpu_guarded_clear (&k->guarded);
  sonde_layout_unref (k->weight_layout);
  g_free (k);
}

/* ---- preparing ----------------------------------------------------------- */

/* The first post is a product or sum by channel with a constant. */
static gboolean
can_fold_post (const SondePrepareRequest *request, const SondeCpuEpilogue *epilogue,
               const FusedKernel *kernel)
{
  const SondeDnnlPost *post = &epilogue->posts[0];
  int input = epilogue->n_posts > 0 ? sonde_cpu_find_value (request, epilogue->operands[0]) : -1;

  return input >= 0 && request->constant_inputs[input] && post->dtype == SONDE_DTYPE_F32
         && kernel->n_folded < MOST_FOLDED
         && sonde_cpu_is_by_channel (
             post, sonde_node_get_output (request->nodes[0], 0)->type.dims[1].size)
         && input != kernel->inputs[SONDE_DNNL_SRC] && input != kernel->inputs[SONDE_DNNL_WEIGHTS];
}

static void
drop_posts (SondeCpuEpilogue *epilogue, guint n)
{
  epilogue->n_posts -= n;
  epilogue->n_exact -= n;
  memmove (epilogue->posts, epilogue->posts + n, epilogue->n_posts * sizeof epilogue->posts[0]);
  memmove (epilogue->operands, epilogue->operands + n,
           epilogue->n_posts * sizeof epilogue->operands[0]);
}

static gboolean
are_weights_constant (const SondePrepareRequest *request, const FusedKernel *kernel)
{
  int weight = kernel->inputs[SONDE_DNNL_WEIGHTS], bias = kernel->inputs[SONDE_DNNL_BIAS];

  for (guint i = 0; i < 4 && kernel->affine; i++)
    if (!request->constant_inputs[kernel->scale[i]])
      return FALSE;

  return request->derive_inputs != NULL && weight >= 0 && request->constant_inputs[weight]
         && (bias < 0 || request->constant_inputs[bias]);
}

/* Takes the leading posts that can be part of the weights. */
static void
fold_posts (SondePrepareRequest *request, SondeCpuEpilogue *epilogue, FusedKernel *kernel)
{
  if (!are_weights_constant (request, kernel))
    return;

  kernel->derives = kernel->affine;
  if (kernel->affine)
    drop_posts (epilogue, 2);

  while (can_fold_post (request, epilogue, kernel))
    {
      Folded *folded = &kernel->folded[kernel->n_folded++];

      folded->product = epilogue->posts[0].kind == SONDE_DNNL_POST_MULTIPLY;
      folded->input = sonde_cpu_find_value (request, epilogue->operands[0]);
      kernel->derives = TRUE;
      drop_posts (epilogue, 1);
    }
}

static void
find_operands (const SondePrepareRequest *request, const SondeCpuEpilogue *epilogue,
               FusedKernel *kernel)
{
  for (int i = 0; i < SONDE_DNNL_N_ARGUMENTS; i++)
    kernel->inputs[i] = -1;

  kernel->inputs[SONDE_DNNL_SRC] = sonde_cpu_find_input (request, 0, 0);
  kernel->inputs[SONDE_DNNL_WEIGHTS] = sonde_cpu_find_input (request, 0, 1);
  kernel->inputs[SONDE_DNNL_BIAS] = sonde_cpu_find_input (request, 0, 2);
  for (guint i = 0; i < 4 && kernel->affine; i++)
    kernel->scale[i] = sonde_cpu_find_input (request, 1, i + 1);
  for (guint i = 0; i < epilogue->n_posts; i++)
    if (epilogue->operands[i] != NULL)
      kernel->inputs[SONDE_DNNL_POST + i] = sonde_cpu_find_value (request, epilogue->operands[i]);
}

/* With an addition of a whole value oneDNN takes a much slower convolution of groups, and none by
 * Winograd's algorithm; a loop is better there. */
static void
split_tail (SondePrepareRequest *request, SondeCpuEpilogue *epilogue, FusedKernel *kernel)
{
  guint n = epilogue->n_posts;
  gboolean relu = n > 1 && epilogue->posts[n - 1].kind == SONDE_DNNL_POST_FUNCTION
                  && g_str_equal (epilogue->posts[n - 1].function, "relu")
                  && epilogue->posts[n - 1].alpha == 0;
  guint last = n - 1 - relu;
  gboolean slow
      = kernel->window.groups > 1 && kernel->window.groups != kernel->window.output.dims[1];

  kernel->tail = -1;
  if (n == 0 || !(slow || kernel->window.winograd) || kernel->window.source_dtype != SONDE_DTYPE_F32
      || epilogue->posts[last].kind != SONDE_DNNL_POST_ADD
      || sonde_cpu_is_by_channel (&epilogue->posts[last], kernel->window.output.dims[1])
      || epilogue->posts[last].dims[2] != kernel->window.output.dims[2])
    return;

  kernel->tail = sonde_cpu_find_value (request, epilogue->operands[last]);
  kernel->tail_relu = relu;
  epilogue->n_posts = last;
  epilogue->n_exact = MIN (epilogue->n_exact, last);
}

/* oneDNN 2.6's product of rows and columns reads an operand of the result's shape, or one with a
 * number for each sample and channel, at wrong places: with groups, in batches, and where it pads a
 * 1×1 convolution. */
static gboolean
misreads_operands (const FusedKernel *kernel)
{
  const SondeDnnlWindow *window = &kernel->window;
  const char *implementation = sonde_dnnl_primitive_get_implementation (kernel->guarded.primitive);

  for (guint i = 0; i < window->n_posts; i++)
    if (window->posts[i].kind != SONDE_DNNL_POST_FUNCTION && strstr (implementation, "gemm") != NULL
        && !sonde_cpu_is_by_channel (&window->posts[i], window->output.dims[1]))
      return TRUE;
  return FALSE;
}

/* Winograd's where that is better and oneDNN has it with these posts. */
static void
choose_primitive (SondeCpuDevice *device, SondePrepareRequest *request, SondeCpuEpilogue *epilogue,
                  FusedKernel *kernel)
{
  SondeDnnlWindow *window = &kernel->window;
  const SondeCpuEpilogue whole = *epilogue;
  gboolean derives = kernel->derives;

  window->winograd = window->source_dtype == SONDE_DTYPE_F32
                     && are_weights_constant (request, kernel)
                     && sonde_cpu_suits_winograd (request, window);
  for (int attempt = 0; attempt < 2 && kernel->guarded.primitive == NULL; attempt++)
    {
      *epilogue = whole;
      split_tail (request, epilogue, kernel);
      kernel->derives = derives || window->winograd || window->source_dtype != SONDE_DTYPE_F32;
      window->bias = kernel->derives || kernel->inputs[SONDE_DNNL_BIAS] >= 0;
      window->n_posts = epilogue->n_posts;
      memcpy (window->posts, epilogue->posts, sizeof window->posts);
      kernel->guarded.primitive = sonde_dnnl_convolution (device->dnnl, SONDE_DNNL_FORWARD, window);
      if (kernel->guarded.primitive == NULL && !window->winograd)
        return;
      if (kernel->guarded.primitive == NULL)
        window->winograd = FALSE;
    }
  if (kernel->guarded.primitive != NULL && misreads_operands (kernel))
    g_clear_pointer (&kernel->guarded.primitive, sonde_dnnl_primitive_free);
}

static void
answer_derived (SondeCpuDevice *device, SondePrepareRequest *request, FusedKernel *kernel)
{
  kernel->bias_offset = find_bias_offset (device, kernel);
  request->derived_bytes = kernel->bias_offset + (gsize) kernel->channels * sizeof (float);
  request->derive_inputs[kernel->inputs[SONDE_DNNL_WEIGHTS]] = TRUE;
  if (kernel->inputs[SONDE_DNNL_BIAS] >= 0)
    request->derive_inputs[kernel->inputs[SONDE_DNNL_BIAS]] = TRUE;
  for (guint i = 0; i < 4 && kernel->affine; i++)
    request->derive_inputs[kernel->scale[i]] = TRUE;
  for (guint i = 0; i < kernel->n_folded; i++)
    request->derive_inputs[kernel->folded[i].input] = TRUE;
  for (guint i = 0; i < request->n_inputs; i++)
    if (request->derive_inputs[i])
      kernel->derive_inputs[kernel->n_derive++] = i;
}

static void
answer (SondeCpuDevice *device, SondePrepareRequest *request, FusedKernel *kernel)
{
  SondeDnnlPrimitive *primitive = kernel->guarded.primitive;
  SondeShape shape;

  for (guint i = 0; i < request->n_inputs; i++)
    sonde_cpu_want_plain (device, request, i);

  sonde_cpu_want_channels_last (device, request, (guint) kernel->inputs[SONDE_DNNL_SRC]);
  if (kernel->tail >= 0)
    sonde_cpu_want_channels_last (device, request, (guint) kernel->tail);
  for (int i = SONDE_DNNL_POST; i < SONDE_DNNL_N_ARGUMENTS; i++)
    if (kernel->inputs[i] >= 0
        && sonde_type_get_shape (&request->inputs[kernel->inputs[i]]->type, &shape)
        && sonde_shape_equal (&shape, &kernel->window.output))
      sonde_cpu_want_channels_last (device, request, (guint) kernel->inputs[i]);
  kernel->weight_layout = sonde_dnnl_primitive_dup_layout (primitive, SONDE_DNNL_WEIGHTS);
  if (kernel->derives)
    answer_derived (device, request, kernel);
  else
    sonde_prepare_request_set_layout (
        &device->base, request, (guint) kernel->inputs[SONDE_DNNL_WEIGHTS], kernel->weight_layout);
  sonde_cpu_give_channels_last (request, 0);
  kernel->affine_offset = (sonde_dnnl_primitive_get_workspace (primitive) + 63) / 64 * 64;
  request->workspace_bytes
      = kernel->affine_offset
        + (kernel->affine && !kernel->derives ? 2 * (gsize) kernel->channels * sizeof (float) : 0);
  request->in_place = FALSE;
  request->implementation = sonde_dnnl_primitive_get_implementation (primitive);
}

/* An operand that plays another part too could be wanted in two layouts, or not be there when it is
 * only derived from. */
static gboolean
has_clean_operands (const FusedKernel *kernel)
{
  int weight = kernel->inputs[SONDE_DNNL_WEIGHTS];

  for (int i = SONDE_DNNL_POST; i < SONDE_DNNL_N_ARGUMENTS; i++)
    {
      gboolean twice
          = kernel->inputs[i] == weight || kernel->inputs[i] == kernel->inputs[SONDE_DNNL_BIAS];

      for (guint k = 0; k < 4 && kernel->affine; k++)
        twice = twice || kernel->inputs[i] == kernel->scale[k];
      for (guint k = 0; k < kernel->n_folded; k++)
        twice = twice || kernel->inputs[i] == kernel->folded[k].input;
      if (kernel->inputs[i] >= 0 && twice)
        return FALSE;
    }

  return kernel->inputs[SONDE_DNNL_SRC] >= 0 && weight >= 0
         && kernel->inputs[SONDE_DNNL_SRC] != weight;
}

SondeKernel *
sonde_cpu_prepare_fused_convolution (SondeCpuDevice *device, SondePrepareRequest *request)
{
  const SondeNode *node = request->nodes[0];
  g_autofree FusedKernel *kernel = g_new0 (FusedKernel, 1);
  SondeDnnlWindow *window = &kernel->window;
  SondeCpuEpilogue epilogue = { .n_posts = 0 };

  if (request->plain_layouts || request->n_outputs != 1 || request->n_inputs > MOST_INPUTS
      || !read_parts (request->nodes, request->n_nodes, &kernel->affine, &epilogue))
    return NULL;

  find_operands (request, &epilogue, kernel);
  fold_posts (request, &epilogue, kernel);
  find_operands (request, &epilogue, kernel);
  if (!has_clean_operands (kernel)
      || !sonde_cpu_fill_window (node, request->inputs[kernel->inputs[SONDE_DNNL_SRC]],
                                 request->inputs[kernel->inputs[SONDE_DNNL_WEIGHTS]],
                                 sonde_node_get_output (node, 0), window))
    return NULL;

  kernel->weight_type = request->inputs[kernel->inputs[SONDE_DNNL_WEIGHTS]]->type;
  window->source_dtype = request->inputs[kernel->inputs[SONDE_DNNL_SRC]]->type.dtype;
  window->weight_dtype = kernel->weight_type.dtype;
  window->target_dtype = request->outputs[0]->type.dtype;
  if (window->source_dtype != window->weight_dtype || window->source_dtype != window->target_dtype
      || (window->source_dtype != SONDE_DTYPE_F32 && !are_weights_constant (request, kernel)))
    return NULL;

  choose_primitive (device, request, &epilogue, kernel);
  find_operands (request, &epilogue, kernel);
  if (kernel->guarded.primitive == NULL)
    return NULL;

  kernel->base.run = run_fused;
  kernel->base.free = free_fused;
  kernel->base.derive = derive_weights;
  kernel->n_exact = epilogue.n_exact;
  kernel->guarded.guarded = epilogue.n_exact < epilogue.n_posts;
  kernel->guarded.zero_at_minus_infinity
      = epilogue.zero_at_minus_infinity && kernel->guarded.guarded;
  kernel->guarded.dtype = window->target_dtype;
  kernel->guarded.bytes
      = (gsize) sonde_shape_n_elements (&window->output) * sonde_dtype_size (window->target_dtype);
  kernel->channels = window->output.dims[1];
  if (kernel->affine)
    kernel->epsilon = sonde_node_get_float (request->nodes[1], "epsilon", 1e-5);
  answer (device, request, kernel);
  return (SondeKernel *) g_steal_pointer (&kernel);
}

const SondeCpuFusion sonde_cpu_fused_convolution_fusion = {
  .match = sonde_cpu_match_convolution,
  .prepare = sonde_cpu_prepare_fused_convolution,
};
