/* SPDX-License-Identifier: Apache-2.0
 * Batch normalisation with known statistics on channels-last memory, and softmax through oneDNN. */
#include "engine/devices/cpu/sonde-cpu-kernel-private.h"

#include <math.h>

/* ---- BatchNormalization (x, scale, bias, mean, var) → y ------------------------------------------------ */

typedef struct
{
  SondeKernel base;
  gint64 rows, channels;
  float epsilon;
} BatchKernel;

/* y = x · factor + offset, by channel */
typedef struct
{
  const BatchKernel *kernel;
  const float *x;
  const float *factor, *offset;
  float *y;
} BatchCall;

SONDE_CPU_CLONES static void
scale_rows (gint64       rows,
            gint64       channels,
            const float *x,
            const float *factor,
            const float *offset,
            float       *y)
{
  for (gint64 r = 0; r < rows; r++)
    {
#pragma GCC ivdep
      for (gint64 c = 0; c < channels; c++)
        y[r * channels + c] = x[r * channels + c] * factor[c] + offset[c];
    }
}

SONDE_CPU_CLONES static void
affine (gint64          channels,
        const float    *scale,
        const float    *bias,
        const float    *mean,
        const float    *variance,
        float           epsilon,
        float *restrict factor,
        float *restrict offset)
{
  for (gint64 c = 0; c < channels; c++)
    {
      factor[c] = scale[c] / sqrtf (variance[c] + epsilon);
      offset[c] = bias[c] - mean[c] * factor[c];
    }
}

void
sonde_cpu_batch_affine (gint64       channels,
                        const float *scale,
                        const float *bias,
                        const float *mean,
                        const float *variance,
                        float        epsilon,
                        float       *factor,
                        float       *offset)
{
  affine (channels, scale, bias, mean, variance, epsilon, factor, offset);
}

static void
batch_range (gint64   begin,
             gint64   end,
             gpointer data)
{
  const BatchCall *call = data;
  gint64 channels = call->kernel->channels;

  scale_rows (end - begin, channels, call->x + begin * channels, call->factor, call->offset,
              call->y + begin * channels);
}

static gboolean
run_batch (SondeCpuDevice          *device,
           SondeKernel             *base,
           const SondeRunArguments *arguments,
           GError                 **error)
{
  const BatchKernel *kernel = (BatchKernel *) base;
  float *factor = arguments->workspace, *offset = factor + kernel->channels;
  BatchCall call = { kernel, arguments->inputs[0], factor, offset, arguments->outputs[0] };

  sonde_cpu_batch_affine (kernel->channels, arguments->inputs[1], arguments->inputs[2], arguments->inputs[3],
                          arguments->inputs[4], kernel->epsilon, factor, offset);
  sonde_cpu_for (device, kernel->rows, kernel->channels, batch_range, &call);
  return TRUE;
}

static SondeKernel *
prepare_batch (SondeCpuDevice      *device,
               SondePrepareRequest *request)
{
  const SondeNode *node = request->nodes[0];
  BatchKernel *kernel;
  SondeShape x, y, parameter;

  if (!sonde_cpu_input_f32 (request, 0, &x) || !sonde_cpu_output_f32 (request, 0, &y)
      || x.rank < 3 || x.rank > 5 || request->plain_layouts
      || sonde_node_get_int (node, "training_mode", 0) != 0)
    return NULL;

  for (guint k = 1; k < request->n_outputs; k++)
    if (sonde_cpu_has_output (request, k))
      return NULL;

  for (guint k = 1; k < 5; k++)
    if (!sonde_cpu_input_f32 (request, k, &parameter))
      return NULL;

  sonde_cpu_want_channels_last (device, request, 0);
  for (guint k = 1; k < 5; k++)
    sonde_cpu_want_plain (device, request, k);
  sonde_cpu_give_channels_last (request, 0);

  kernel = g_new0 (BatchKernel, 1);
  kernel->base.run = run_batch;
  kernel->channels = x.dims[1];
  kernel->rows = sonde_shape_n_elements (&x) / x.dims[1];
  kernel->epsilon = (float) sonde_node_get_float (node, "epsilon", 1e-5);
  request->in_place = TRUE;
  request->workspace_bytes = 2 * (gsize) kernel->channels * sizeof (float);
  request->implementation = "channels-last";
  return &kernel->base;
}

/* ---- Softmax, LogSoftmax -------------------------------------------------------------------------------- */

static SondeKernel *
prepare_softmax (SondeCpuDevice      *device,
                 SondePrepareRequest *request)
{
  const SondeNode *node = request->nodes[0];
  gint64 axis = sonde_node_get_int (node, "axis", -1);
  gint64 outer = 1, inner = 1;
  SondeDnnlPrimitive *primitive;
  SondeShape x, y;

  if (!sonde_cpu_input_f32 (request, 0, &x) || !sonde_cpu_output_f32 (request, 0, &y) || x.rank == 0)
    return NULL;

  axis += axis < 0 ? x.rank : 0;
  if (axis < 0 || axis >= x.rank)
    return NULL;

  for (int i = 0; i < x.rank; i++)
    if (i < axis)
      outer *= x.dims[i];
    else if (i > axis)
      inner *= x.dims[i];

  primitive = sonde_dnnl_softmax (device->dnnl, outer, x.dims[axis], inner,
                                  g_str_equal (node->op, "LogSoftmax"));
  if (primitive == NULL)
    return NULL;

  sonde_cpu_want_plain (device, request, 0);
  request->in_place = FALSE;
  return &sonde_cpu_primitive_kernel_new (request, primitive)->base;
}

const SondeCpuRow sonde_cpu_normalise_rows[] = {
  { "", "BatchNormalization", prepare_batch },
  { "", "LogSoftmax", prepare_softmax },
  { "", "Softmax", prepare_softmax },
  { NULL, NULL, NULL },
};
