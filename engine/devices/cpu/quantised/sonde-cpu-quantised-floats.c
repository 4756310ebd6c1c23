/* SPDX-License-Identifier: Apache-2.0
 * DequantizeLinear of data, DequantizeLinear of constant weights, Conv: sums of integers through
 * oneDNN, stored as floats. What the convolution of the dequantised floats would give, but for
 * their roundings. */
#include "engine/devices/cpu/convolution/sonde-cpu-convolution.h"
#include "engine/devices/cpu/quantised/sonde-cpu-quantity.h"

/**
 * FloatsKernel:
 * @inputs: of the request: where each argument comes from, -1: nowhere
 * @scales: of the sums, by channel; @bias_offset: in the workspace: the bias in units of the sums
 */
typedef struct
{
  SondeKernel base;
  SondeDnnlPrimitive *primitive;
  int inputs[SONDE_DNNL_N_ARGUMENTS];
  gint64 channels;
  float *scales;
  gsize bias_offset;
} FloatsKernel;

/* @data, @weights: the integers; @scale: of the weights */
typedef struct
{
  const SondeNode *conv;
  SondeGraphValue *data, *weights, *bias;
  SondeCpuQuantity quantity;
  SondeTensor *scale;
} Parts;

/* ---- what it is ---------------------------------------------------------- */

static gboolean
is_zero (const SondeGraphValue *value)
{
  SondeTensor *tensor = sonde_cpu_constant_of (value);

  for (gint64 i = 0; tensor != NULL && i < sonde_tensor_n_elements (tensor); i++)
    if (sonde_tensor_get_int (tensor, i) != 0)
      return FALSE;

  return value == NULL || tensor != NULL;
}

static gboolean
read_weights (const SondeNode *node, Parts *parts)
{
  SondeGraphValue *result = sonde_node_get_output (node, 0),
                  *scale = sonde_node_get_input (node, 1);
  gint64 channels = result != NULL && result->type.rank > 0 ? result->type.dims[0].size : 0, n;

  if (!sonde_node_is (node, SONDE_OP_ID_DEQUANTIZE_LINEAR)
      || sonde_cpu_dtype_of (result) != SONDE_DTYPE_F32)
    return FALSE;

  parts->weights = sonde_node_get_input (node, 0);
  parts->scale = sonde_cpu_constant_of (scale);
  n = parts->scale != NULL && parts->scale->dtype == SONDE_DTYPE_F32
          ? sonde_tensor_n_elements (parts->scale)
          : 0;
  return sonde_cpu_dtype_of (parts->weights) == SONDE_DTYPE_I8
         && is_zero (sonde_node_get_input (node, 2))
         && sonde_node_get_int (node, "block_size", 0) == 0
         && (n == 1
             || (n == channels && n > 0 && parts->scale->shape.rank == 1
                 && sonde_node_get_int (node, "axis", 1) == 0));
}

static gboolean
read_parts (SondeNode *const *nodes, guint n_nodes, Parts *parts)
{
  const SondeNode *conv = n_nodes == 3 ? nodes[2] : NULL, *data, *weights;

  if (!sonde_node_is (conv, SONDE_OP_ID_CONV) || sonde_node_get_input (conv, 0) == NULL
      || sonde_node_get_input (conv, 1) == NULL)
    return FALSE;

  data = sonde_node_get_input (conv, 0)->producer;
  weights = sonde_node_get_input (conv, 1)->producer;
  if (data == NULL || weights == NULL || data == weights || (data != nodes[0] && data != nodes[1])
      || (weights != nodes[0] && weights != nodes[1]))
    return FALSE;

  parts->conv = conv;
  parts->bias = sonde_node_get_input (conv, 2);
  parts->data = sonde_cpu_read_dequantise (data, &parts->quantity);
  return parts->data != NULL && read_weights (weights, parts) && parts->data != parts->weights
         && sonde_cpu_dtype_of (sonde_node_get_output (conv, 0)) == SONDE_DTYPE_F32
         && (parts->bias == NULL || sonde_cpu_dtype_of (parts->bias) == SONDE_DTYPE_F32);
}

static gboolean
match_quantised_floats (SondeNode *const *nodes, guint n_nodes)
{
  Parts parts;

  return read_parts (nodes, n_nodes, &parts);
}

/* ---- running ------------------------------------------------------------- */

static gboolean
run_floats (SondeCpuDevice *device, SondeKernel *base, const SondeRunArguments *arguments,
            GError **error)
{
  const FloatsKernel *k = (FloatsKernel *) base;
  void *memory[SONDE_DNNL_N_ARGUMENTS] = { NULL };

  memory[SONDE_DNNL_SRC] = arguments->inputs[k->inputs[SONDE_DNNL_SRC]];
  memory[SONDE_DNNL_WEIGHTS] = arguments->inputs[k->inputs[SONDE_DNNL_WEIGHTS]];
  memory[SONDE_DNNL_DST] = arguments->outputs[0];
  if (k->inputs[SONDE_DNNL_BIAS] >= 0)
    {
      const float *bias = arguments->inputs[k->inputs[SONDE_DNNL_BIAS]];
      float *sums = (float *) (void *) ((guint8 *) arguments->workspace + k->bias_offset);

      for (gint64 c = 0; c < k->channels; c++)
        sums[c] = bias[c] / k->scales[c];
      memory[SONDE_DNNL_BIAS] = sums;
    }

  return sonde_dnnl_primitive_run (device->dnnl, k->primitive, memory, arguments->workspace, error);
}

static void
free_floats (SondeKernel *base)
{
  FloatsKernel *k = (FloatsKernel *) base;

  sonde_dnnl_primitive_free (k->primitive);
  g_free (k->scales);
  g_free (k);
}

/* ---- preparing ----------------------------------------------------------- */

/* FALSE: a bias could not be told in units of the sums. */
static gboolean
find_scales (const Parts *parts, FloatsKernel *kernel)
{
  gint64 n = sonde_tensor_n_elements (parts->scale);

  kernel->scales = g_new (float, kernel->channels);
  for (gint64 c = 0; c < kernel->channels; c++)
    {
      kernel->scales[c] = (float) ((double) parts->quantity.scale
                                   * sonde_tensor_get_double (parts->scale, n > 1 ? c : 0));
      if (!(kernel->scales[c] > G_MINFLOAT))
        return FALSE;
    }
  return TRUE;
}

static void
answer (SondeCpuDevice *device, SondePrepareRequest *request, FloatsKernel *kernel)
{
  SondeLayout *layout = sonde_dnnl_primitive_dup_layout (kernel->primitive, SONDE_DNNL_WEIGHTS);

  for (guint i = 0; i < request->n_inputs; i++)
    sonde_cpu_want_plain (device, request, i);
  sonde_cpu_want_channels_last (device, request, (guint) kernel->inputs[SONDE_DNNL_SRC]);
  sonde_prepare_request_set_layout (&device->base, request,
                                    (guint) kernel->inputs[SONDE_DNNL_WEIGHTS], layout);
  sonde_layout_unref (layout);
  sonde_cpu_give_channels_last (request, 0);
  kernel->bias_offset = (sonde_dnnl_primitive_get_workspace (kernel->primitive) + 63) / 64 * 64;
  request->workspace_bytes = kernel->bias_offset + (gsize) kernel->channels * sizeof (float);
  request->in_place = FALSE;
  request->implementation = sonde_dnnl_primitive_get_implementation (kernel->primitive);
}

static SondeKernel *
prepare_fused_quantised_floats (SondeCpuDevice *device, SondePrepareRequest *request)
{
  SondeDnnlWindow window = { .plain = FALSE };
  FloatsKernel *kernel;
  Parts parts;

  if (request->plain_layouts || request->n_outputs != 1 || !sonde_dnnl_adds_bytes_exactly ()
      || !read_parts (request->nodes, request->n_nodes, &parts)
      || !sonde_cpu_fill_window (parts.conv, parts.data, parts.weights,
                                 sonde_node_get_output (parts.conv, 0), &window)
      || sonde_shape_n_elements (&window.output) <= 0
      || sonde_shape_n_elements (&window.input) <= 0)
    return NULL;

  kernel = g_new0 (FloatsKernel, 1);
  kernel->base.run = run_floats;
  kernel->base.free = free_floats;
  kernel->channels = window.output.dims[1];
  kernel->inputs[SONDE_DNNL_SRC] = sonde_cpu_find_value (request, parts.data);
  kernel->inputs[SONDE_DNNL_WEIGHTS] = sonde_cpu_find_value (request, parts.weights);
  kernel->inputs[SONDE_DNNL_BIAS] = sonde_cpu_find_value (request, parts.bias);
  window.bias = parts.bias != NULL;
  window.source_zero = parts.quantity.zero;
  window.source_dtype = parts.quantity.dtype;
  window.weight_dtype = SONDE_DTYPE_I8;
  if (find_scales (&parts, kernel) && request->constant_inputs[kernel->inputs[SONDE_DNNL_WEIGHTS]]
      && (!window.bias || sonde_cpu_count_elements (parts.bias) == kernel->channels))
    {
      window.scales = kernel->scales;
      window.n_scales = (guint) kernel->channels;
      kernel->primitive = sonde_dnnl_convolution (device->dnnl, SONDE_DNNL_FORWARD, &window);
    }

  if (kernel->primitive != NULL)
    {
      answer (device, request, kernel);
      return &kernel->base;
    }
  free_floats (&kernel->base);
  return NULL;
}

const SondeCpuFusion sonde_cpu_quantised_floats_fusion = {
  .match = match_quantised_floats,
  .prepare = prepare_fused_quantised_floats,
};
