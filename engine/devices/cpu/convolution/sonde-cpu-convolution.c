/* SPDX-License-Identifier: Apache-2.0
 * Convolutions through oneDNN. Activations lie channels-last: oneDNN's own choice on current
 * processors, as fast as its blocked forms elsewhere (within 5 % over ResNet-50), and without
 * padded channels, so that every other kernel here runs on it as on plain memory. Weights lie as
 * each primitive wants. */
#include "engine/devices/cpu/convolution/sonde-cpu-convolution.h"

#include "engine/devices/cpu/convolution/sonde-cpu-columns.h"
#include "engine/devices/cpu/convolution/sonde-cpu-depthwise.h"
#include "engine/devices/cpu/convolution/sonde-cpu-direct.h"

static gboolean
is_there (const SondeGraphValue *value, SondeDtype dtype)
{
  SondeShape shape;

  return value != NULL && value->type.dtype == dtype && sonde_type_get_shape (&value->type, &shape)
         && sonde_shape_n_elements (&shape) > 0;
}

/* The first inputs and the result are of one type, float32 or bfloat16, which becomes the
 * window's. */
static gboolean
find_dtype (const SondePrepareRequest *request, guint n_inputs, SondeDnnlWindow *window)
{
  SondeDtype dtype
      = sonde_cpu_has_input (request, 0) ? request->inputs[0]->type.dtype : SONDE_DTYPE_INVALID;

  if (dtype != SONDE_DTYPE_F32 && dtype != SONDE_DTYPE_BF16)
    return FALSE;

  for (guint k = 0; k < n_inputs; k++)
    if (k >= request->n_inputs || !is_there (request->inputs[k], dtype))
      return FALSE;

  window->source_dtype = window->weight_dtype = window->target_dtype = window->bias_dtype = dtype;
  return request->n_outputs > 0 && is_there (request->outputs[0], dtype);
}

static void
want_layout (SondeCpuDevice *device, SondePrepareRequest *request, guint k,
             SondeDnnlPrimitive *primitive, SondeDnnlArgument argument)
{
  SondeLayout *layout = sonde_dnnl_primitive_dup_layout (primitive, argument);

  sonde_prepare_request_set_layout (&device->base, request, k, layout);
  sonde_layout_unref (layout);
}

static SondeKernel *
prepare_convolution (SondeCpuDevice *device, SondePrepareRequest *request)
{
  SondeDnnlWindow window
      = { .plain = request->plain_layouts, .bias = sonde_cpu_has_input (request, 2) };
  SondeDnnlPrimitive *primitive;
  SondeCpuPrimitiveKernel *kernel;
  gboolean narrow = request->inputs[0]->type.dtype == SONDE_DTYPE_BF16;
  SondeKernel *other = narrow ? sonde_cpu_prepare_fused_convolution (device, request)
                              : sonde_cpu_prepare_direct (device, request);

  if (other == NULL && !narrow)
    other = sonde_cpu_prepare_depthwise (device, request);
  if (other != NULL)
    return other;

  if (!find_dtype (request, window.bias ? 3 : 2, &window)
      || !sonde_cpu_fill_window (request->nodes[0], request->inputs[0], request->inputs[1],
                                 request->outputs[0], &window))
    return NULL;

  if (!narrow && sonde_cpu_suits_winograd (request, &window))
    return sonde_cpu_prepare_fused_convolution (device, request);

  primitive = sonde_dnnl_convolution (device->dnnl, SONDE_DNNL_FORWARD, &window);
  if (primitive == NULL)
    return NULL;

  sonde_cpu_want_channels_last (device, request, 0);
  want_layout (device, request, 1, primitive, SONDE_DNNL_WEIGHTS);
  if (window.bias)
    sonde_cpu_want_plain (device, request, 2);
  sonde_cpu_give_channels_last (request, 0);
  request->in_place = FALSE;
  kernel = sonde_cpu_primitive_kernel_new (request, primitive);
  kernel->operand[SONDE_DNNL_WEIGHTS] = 1;
  if (window.bias)
    kernel->operand[SONDE_DNNL_BIAS] = 2;
  return &kernel->base;
}

/* ConvGradInput (dy, w, like x) → dx */
static SondeKernel *
prepare_grad_input (SondeCpuDevice *device, SondePrepareRequest *request)
{
  SondeDnnlWindow window = { .plain = request->plain_layouts };
  SondeDnnlPrimitive *primitive;
  SondeCpuPrimitiveKernel *kernel;
  SondeKernel *columns;

  if (!find_dtype (request, 2, &window)
      || !sonde_cpu_fill_window (request->nodes[0], request->outputs[0], request->inputs[1],
                                 request->inputs[0], &window))
    return NULL;

  columns = sonde_cpu_prepare_columns (device, request, &window);
  if (columns != NULL)
    return columns;

  primitive = sonde_dnnl_convolution (device->dnnl, SONDE_DNNL_GRADIENT_INPUT, &window);
  if (primitive == NULL)
    return NULL;

  sonde_cpu_want_channels_last (device, request, 0);
  want_layout (device, request, 1, primitive, SONDE_DNNL_WEIGHTS);
  sonde_cpu_give_channels_last (request, 0);
  request->in_place = FALSE;
  kernel = sonde_cpu_primitive_kernel_new (request, primitive);
  kernel->operand[SONDE_DNNL_SRC] = -1;
  kernel->operand[SONDE_DNNL_WEIGHTS] = 1;
  kernel->operand[SONDE_DNNL_DST] = 0;
  return &kernel->base;
}

/* ConvGradWeight (dy, x, like w) → dw */
static SondeKernel *
prepare_grad_weight (SondeCpuDevice *device, SondePrepareRequest *request)
{
  SondeDnnlWindow window = { .plain = request->plain_layouts };
  SondeDnnlPrimitive *primitive;
  SondeCpuPrimitiveKernel *kernel;

  if (!find_dtype (request, 2, &window)
      || !sonde_cpu_fill_window (request->nodes[0], request->inputs[1], request->outputs[0],
                                 request->inputs[0], &window))
    return NULL;

  primitive = sonde_dnnl_convolution (device->dnnl, SONDE_DNNL_GRADIENT_WEIGHT, &window);
  if (primitive == NULL)
    return NULL;

  sonde_cpu_want_channels_last (device, request, 0);
  sonde_cpu_want_channels_last (device, request, 1);
  request->output_layouts[0] = sonde_dnnl_primitive_dup_layout (primitive, SONDE_DNNL_WEIGHTS);
  request->in_place = FALSE;
  kernel = sonde_cpu_primitive_kernel_new (request, primitive);
  kernel->operand[SONDE_DNNL_SRC] = 1;
  kernel->operand[SONDE_DNNL_WEIGHTS] = -1;
  kernel->operand[SONDE_DNNL_DST] = 0;
  return &kernel->base;
}

const SondeCpuRow sonde_cpu_convolution_rows[] = {
  { "", "Conv", prepare_convolution },
  { SONDE_DOMAIN, "ConvGradInput", prepare_grad_input },
  { SONDE_DOMAIN, "ConvGradWeight", prepare_grad_weight },
  { NULL, NULL, NULL },
};
