/* SPDX-License-Identifier: Apache-2.0
 * Convolutions of integers through oneDNN: QLinearConv. Loops of our own take what it cannot do or
 * not exactly. */
#include "engine/devices/cpu/convolution/sonde-cpu-convolution.h"
#include "engine/devices/cpu/quantised/sonde-cpu-quantity.h"

static gboolean
is_zero (const SondeGraphValue *value)
{
  SondeTensor *tensor = sonde_cpu_constant_of (value);

  for (gint64 i = 0; tensor != NULL && i < sonde_tensor_n_elements (tensor); i++)
    if (sonde_tensor_get_int (tensor, i) != 0)
      return FALSE;

  return tensor != NULL;
}

/* What each sum of products is multiplied by. */
static float *
find_scales (const SondePrepareRequest *request, const SondeCpuQuantity *x,
             const SondeCpuQuantity *y, gint64 channels, guint *n_scales)
{
  SondeTensor *weights = sonde_cpu_constant_of (request->inputs[4]);
  gint64 n = weights != NULL && weights->dtype == SONDE_DTYPE_F32
                 ? sonde_tensor_n_elements (weights)
                 : 0;
  float *scales;

  if (n != 1 && n != channels)
    return NULL;

  scales = g_new (float, n);
  for (gint64 c = 0; c < n; c++)
    scales[c]
        = (float) ((double) x->scale * sonde_tensor_get_double (weights, c) / (double) y->scale);
  *n_scales = (guint) n;
  return scales;
}

static SondeKernel *
prepare_primitive (SondeCpuDevice *device, SondePrepareRequest *request)
{
  gboolean bias = sonde_cpu_has_input (request, 8);
  SondeDnnlWindow window = { .plain = FALSE, .bias = bias, .bias_dtype = SONDE_DTYPE_I32 };
  g_autofree float *scales = NULL;
  SondeLayout *layout;
  SondeCpuPrimitiveKernel *kernel;
  SondeDnnlPrimitive *primitive;
  SondeCpuQuantity x, y;

  if (request->plain_layouts || request->n_outputs != 1 || request->n_inputs < 8
      || !sonde_dnnl_adds_bytes_exactly () || request->inputs[0] == NULL
      || !sonde_cpu_read_quantity (request->inputs[1], request->inputs[2],
                                   sonde_cpu_dtype_of (request->inputs[0]), &x)
      || !sonde_cpu_read_quantity (request->inputs[6], request->inputs[7],
                                   sonde_cpu_dtype_of (request->outputs[0]), &y)
      || sonde_cpu_dtype_of (request->inputs[3]) != SONDE_DTYPE_I8 || !request->constant_inputs[3]
      || !is_zero (request->inputs[5])
      || !sonde_cpu_fill_window (request->nodes[0], request->inputs[0], request->inputs[3],
                                 request->outputs[0], &window)
      || sonde_shape_n_elements (&window.output) <= 0
      || sonde_shape_n_elements (&window.input) <= 0)
    return NULL;

  scales = find_scales (request, &x, &y, window.output.dims[1], &window.n_scales);
  window.scales = scales;
  window.source_zero = x.zero;
  window.target_zero = y.zero;
  window.source_dtype = x.dtype;
  window.weight_dtype = SONDE_DTYPE_I8;
  window.target_dtype = y.dtype;
  primitive
      = scales != NULL ? sonde_dnnl_convolution (device->dnnl, SONDE_DNNL_FORWARD, &window) : NULL;
  if (primitive == NULL)
    return NULL;

  for (guint i = 1; i < request->n_inputs; i++)
    if (request->inputs[i] != NULL)
      sonde_cpu_want_plain (device, request, i);
  sonde_cpu_want_channels_last (device, request, 0);
  layout = sonde_dnnl_primitive_dup_layout (primitive, SONDE_DNNL_WEIGHTS);
  sonde_prepare_request_set_layout (&device->base, request, 3, layout);
  sonde_layout_unref (layout);
  sonde_cpu_give_channels_last (request, 0);
  request->in_place = FALSE;
  kernel = sonde_cpu_primitive_kernel_new (request, primitive);
  kernel->operand[SONDE_DNNL_WEIGHTS] = 3;
  if (bias)
    kernel->operand[SONDE_DNNL_BIAS] = 8;
  return &kernel->base;
}

static SondeKernel *
prepare_quantised_convolution (SondeCpuDevice *device, SondePrepareRequest *request)
{
  SondeKernel *kernel = prepare_primitive (device, request);

  return kernel != NULL ? kernel : sonde_cpu_prepare_scaled_convolution (device, request);
}

const SondeCpuRow sonde_cpu_quantised_convolution_rows[] = {
  { "", "QLinearConv", prepare_quantised_convolution },
  { NULL, NULL, NULL },
};
