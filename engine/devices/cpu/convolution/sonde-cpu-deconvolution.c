/* SPDX-License-Identifier: Apache-2.0
 * ConvTranspose: the gradient of a convolution whose input is the result, through oneDNN; then the
 * bias. */
#include "engine/devices/cpu/sonde-cpu-kernel.h"
#include "engine/ops/nn/sonde-window-geometry.h"

typedef struct
{
  SondeKernel base;
  SondeDnnlPrimitive *primitive;
  gboolean bias, plain;
  gint64 batch, channels, space;
} DeconvolutionKernel;

typedef struct
{
  const DeconvolutionKernel *kernel;
  const float *bias;
  float *y;
} BiasCall;

/* Rows of channels. */
SONDE_CPU_CLONES static void
add_rows (gint64 rows, gint64 channels, const float *bias, float *y)
{
  for (gint64 r = 0; r < rows; r++)
    {
#pragma GCC ivdep
      for (gint64 c = 0; c < channels; c++)
        y[r * channels + c] += bias[c];
    }
}

static void
rows_range (gint64 begin, gint64 end, gpointer data)
{
  const BiasCall *call = data;
  const gint64 channels = call->kernel->channels;

  add_rows (end - begin, channels, call->bias, call->y + begin * channels);
}

/* Planes of one channel each. */
static void
planes_range (gint64 begin, gint64 end, gpointer data)
{
  const BiasCall *call = data;
  const gint64 space = call->kernel->space;

  for (gint64 plane = begin; plane < end; plane++)
    for (gint64 i = 0; i < space; i++)
      call->y[plane * space + i] += call->bias[plane % call->kernel->channels];
}

static gboolean
run_deconvolution (SondeCpuDevice *device, SondeKernel *base, const SondeRunArguments *arguments,
                   GError **error)
{
  const DeconvolutionKernel *k = (DeconvolutionKernel *) base;
  BiasCall call = { k, NULL, arguments->outputs[0] };
  void *memory[SONDE_DNNL_N_ARGUMENTS] = {
    [SONDE_DNNL_SRC] = arguments->outputs[0],
    [SONDE_DNNL_WEIGHTS] = arguments->inputs[1],
    [SONDE_DNNL_DST] = arguments->inputs[0],
  };

  if (!sonde_dnnl_primitive_run (device->dnnl, k->primitive, memory, arguments->workspace, error))
    return FALSE;

  if (!k->bias)
    return TRUE;

  call.bias = arguments->inputs[2];
  if (k->plain)
    sonde_cpu_for (device, k->batch * k->channels, k->space, planes_range, &call);
  else
    sonde_cpu_for (device, k->batch * k->space, k->channels, rows_range, &call);
  return TRUE;
}

static void
free_deconvolution (SondeKernel *base)
{
  sonde_dnnl_primitive_free (((DeconvolutionKernel *) base)->primitive);
  g_free (base);
}

/* The geometry of the convolution from the result to the input. */
static gboolean
fill_window (const SondePrepareRequest *request, SondeDnnlWindow *result)
{
  SondeWindowGeometry window;
  int space;

  if (!sonde_cpu_output_f32 (request, 0, &result->input)
      || !sonde_cpu_input_f32 (request, 1, &result->weight)
      || !sonde_cpu_input_f32 (request, 0, &result->output))
    return FALSE;

  space = result->input.rank - 2;
  if (space < 1 || space > 3 || result->weight.rank != space + 2 || result->output.rank != space + 2
      || !sonde_window_read_transposed (request->nodes[0], space, result->output.dims + 2,
                                        result->weight.dims + 2, &window, NULL))
    return FALSE;

  result->groups = window.group;
  for (int i = 0; i < space; i++)
    {
      if (window.in[i] != result->input.dims[i + 2])
        return FALSE;
      result->strides[i] = window.stride[i];
      result->dilations[i] = window.dilation[i];
      result->begins[i] = window.before[i];
      result->ends[i] = window.after[i];
    }

  return TRUE;
}

static SondeKernel *
prepare_deconvolution (SondeCpuDevice *device, SondePrepareRequest *request)
{
  SondeDnnlWindow window = { .plain = request->plain_layouts };
  gboolean bias = sonde_cpu_has_input (request, 2);
  SondeDnnlPrimitive *primitive;
  DeconvolutionKernel *kernel;
  SondeLayout *weights;
  SondeShape shape;

  if (!fill_window (request, &window) || (bias && !sonde_cpu_input_f32 (request, 2, &shape)))
    return NULL;

  primitive = sonde_dnnl_convolution (device->dnnl, SONDE_DNNL_GRADIENT_INPUT, &window);
  if (primitive == NULL)
    return NULL;

  weights = sonde_dnnl_primitive_dup_layout (primitive, SONDE_DNNL_WEIGHTS);
  sonde_prepare_request_set_layout (&device->base, request, 1, weights);
  sonde_layout_unref (weights);
  sonde_cpu_want_channels_last (device, request, 0);
  if (bias)
    sonde_cpu_want_plain (device, request, 2);
  sonde_cpu_give_channels_last (request, 0);

  kernel = g_new0 (DeconvolutionKernel, 1);
  kernel->base.run = run_deconvolution;
  kernel->base.free = free_deconvolution;
  kernel->primitive = primitive;
  kernel->bias = bias;
  kernel->plain = request->plain_layouts;
  kernel->batch = window.input.dims[0];
  kernel->channels = window.input.dims[1];
  kernel->space = sonde_shape_n_elements (&window.input) / (kernel->batch * kernel->channels);
  request->in_place = FALSE;
  request->workspace_bytes = sonde_dnnl_primitive_get_workspace (primitive);
  request->implementation = sonde_dnnl_primitive_get_implementation (primitive);
  return &kernel->base;
}

const SondeCpuRow sonde_cpu_deconvolution_rows[] = {
  { "", "ConvTranspose", prepare_deconvolution },
  { NULL, NULL, NULL },
};
