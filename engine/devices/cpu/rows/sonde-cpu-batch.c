/* SPDX-License-Identifier: Apache-2.0
 * Batch normalisation on channels-last memory, in inference and training, and its gradient. x is
 * seen as [rows, channels], of float32 or bfloat16. Sums are made in double over blocks of rows
 * that do not depend on the number of threads. Formulas:
 * engine/ops/nn/sonde-batch-layer-normalisation-template.h. */
#include "engine/devices/cpu/rows/sonde-cpu-batch-rows.h"
#include "engine/devices/cpu/elementwise/sonde-cpu-half.h"

#include <math.h>
#include <string.h>

/* Elements of a block, whose sums are one partial result. */
#define BLOCK 32768
/* Rows of few channels are joined to rows of at most so many elements. */
#define WIDE SONDE_CPU_BATCH_WIDE

typedef struct
{
  SondeKernel base;
  SondeDtype dtype; /* of x, dy, y and dx; all else is float32 */
  gint64 rows, channels;
  gint64 tile, width;   /* rows that are one wide row, and its elements */
  gint64 block, blocks; /* wide rows of a block, number of blocks */
  double epsilon, momentum;
  gboolean training;
  gboolean has_output[5];
} BatchKernel;

/* One pass; @a, @b, @d, @from: by channel, spread over a wide row. */
typedef struct
{
  const BatchKernel *kernel;
  const void *x, *dy;
  const float *from; /* what x is seen from: near its mean */
  double *partial;   /* [blocks, 2, width] */
  const float *a, *b, *d;
  void *y;
} BatchCall;

/* ---- passes -------------------------------------------------------------- */

/* The wide row number @row of what begins at @memory (nullable). */
static void *
at (const BatchKernel *k, const void *memory, gint64 row)
{
  return memory != NULL ? (guint8 *) memory + (gsize) (row * k->width) * sonde_dtype_size (k->dtype)
                        : NULL;
}

static void
sum_range (gint64 begin, gint64 end, gpointer data)
{
  const BatchCall *call = data;
  const BatchKernel *k = call->kernel;

  for (gint64 i = begin; i < end; i++)
    {
      gint64 first = i * k->block, rows = MIN (k->block, k->rows / k->tile - first);
      double *sums = call->partial + i * 2 * k->width;

      memset (sums, 0, (gsize) (2 * k->width) * sizeof (double));
      sonde_cpu_batch_sum (k->dtype, rows, k->width, at (k, call->dy, first),
                           at (k, call->x, first), call->from, sums);
    }
}

/* Both sums by channel; left in the first entries of call->partial, and from its width on. */
static void
sum_channels (SondeCpuDevice *device, BatchCall *call)
{
  const BatchKernel *k = call->kernel;

  sonde_cpu_for (device, k->blocks, k->block * k->width, sum_range, call);
  for (gint64 i = 1; i < k->blocks; i++)
    for (gint64 c = 0; c < 2 * k->width; c++)
      call->partial[c] += call->partial[i * 2 * k->width + c];
  for (gint64 c = k->channels; c < k->width; c++)
    {
      call->partial[c % k->channels] += call->partial[c];
      call->partial[k->width + c % k->channels] += call->partial[k->width + c];
    }
}

static void
combine_range (gint64 begin, gint64 end, gpointer data)
{
  const BatchCall *call = data;
  const BatchKernel *k = call->kernel;

  sonde_cpu_batch_combine (k->dtype, end - begin, k->width, at (k, call->dy, begin),
                           at (k, call->x, begin), call->a, call->b, call->d,
                           at (k, call->y, begin));
}

static void
spread (const BatchKernel *k, const float *given, float *row)
{
  sonde_cpu_batch_spread (k->dtype, k->channels, k->width, given, row);
}

SONDE_CPU_CLONES static void
find_affine (gint64 channels, const float *scale, const float *bias, const float *mean,
             const float *variance, double epsilon, float *restrict factor, float *restrict offset)
{
  for (gint64 c = 0; c < channels; c++)
    {
      const double a = (double) scale[c] / sqrt ((double) variance[c] + epsilon);

      factor[c] = (float) a;
      offset[c] = (float) ((double) bias[c] - (double) mean[c] * a);
    }
}

void
sonde_cpu_batch_affine (gint64 channels, const float *scale, const float *bias, const float *mean,
                        const float *variance, double epsilon, float *factor, float *offset)
{
  find_affine (channels, scale, bias, mean, variance, epsilon, factor, offset);
}

/* ---- BatchNormalization (x, scale, bias, mean, var) → y, mean', var', batch mean, batch var
 * ---- */

/* Workspace: factors and what x is seen from, wide rows [4, width]; by channel the same and the
 * batch's mean and variance [6, channels]; partial sums. */
typedef struct
{
  float *wide, *given, *statistics;
  double *partial;
} Workspace;

static gsize
workspace_floats (const BatchKernel *k)
{
  return (gsize) (4 * k->width + 6 * k->channels + 15) / 16 * 16;
}

static Workspace
split_workspace (const BatchKernel *k, void *memory)
{
  Workspace workspace = { .wide = memory };

  workspace.given = workspace.wide + 4 * k->width;
  workspace.statistics = workspace.given + 4 * k->channels;
  workspace.partial = (double *) (void *) (workspace.wide + workspace_floats (k));
  return workspace;
}

static gsize
workspace_bytes (const BatchKernel *k, gboolean sums)
{
  return workspace_floats (k) * sizeof (float)
         + (sums ? (gsize) (k->blocks * 2 * k->width) * sizeof (double) : 0);
}

static void
update_running (const BatchKernel *k, const float *old, const float *batch, float *running)
{
  for (gint64 c = 0; c < k->channels; c++)
    running[c] = (float) (k->momentum * (double) old[c] + (1 - k->momentum) * (double) batch[c]);
}

static void
find_statistics (SondeCpuDevice *device, const BatchKernel *k, const SondeRunArguments *arguments,
                 const Workspace *workspace)
{
  gsize bytes = (gsize) k->channels * sizeof (float);
  float *mean = workspace->statistics, *variance = mean + k->channels;
  BatchCall call = {
    .kernel = k, .x = arguments->inputs[0], .from = workspace->wide, .partial = workspace->partial
  };

  sonde_cpu_convert (k->dtype, call.x, SONDE_DTYPE_F32, workspace->given, (gsize) k->channels);
  spread (k, workspace->given, workspace->wide);
  sum_channels (device, &call);
  for (gint64 c = 0; c < k->channels; c++)
    {
      const double distance = call.partial[c] / (double) k->rows;

      mean[c] = (float) ((double) workspace->given[c] + distance);
      variance[c]
          = (float) MAX (call.partial[k->width + c] / (double) k->rows - distance * distance, 0);
    }

  if (k->has_output[1])
    update_running (k, arguments->inputs[3], mean, arguments->outputs[1]);
  if (k->has_output[2])
    update_running (k, arguments->inputs[4], variance, arguments->outputs[2]);
  if (k->has_output[3])
    memcpy (arguments->outputs[3], mean, bytes);
  if (k->has_output[4])
    memcpy (arguments->outputs[4], variance, bytes);
}

static gboolean
run_batch (SondeCpuDevice *device, SondeKernel *base, const SondeRunArguments *arguments,
           GError **error)
{
  const BatchKernel *k = (BatchKernel *) base;
  Workspace workspace = split_workspace (k, arguments->workspace);
  float *a = workspace.given, *b = a + k->channels;
  const float *mean = arguments->inputs[3], *variance = arguments->inputs[4];
  BatchCall call = { .kernel = k,
                     .x = arguments->inputs[0],
                     .a = workspace.wide,
                     .b = workspace.wide + k->width,
                     .y = arguments->outputs[0] };

  if (k->training)
    {
      find_statistics (device, k, arguments, &workspace);
      mean = workspace.statistics;
      variance = mean + k->channels;
    }

  sonde_cpu_batch_affine (k->channels, arguments->inputs[1], arguments->inputs[2], mean, variance,
                          k->epsilon, a, b);
  spread (k, a, workspace.wide);
  spread (k, b, workspace.wide + k->width);
  if (k->has_output[0])
    sonde_cpu_for (device, k->rows / k->tile, k->width, combine_range, &call);
  return TRUE;
}

/* ---- BatchNormalizationGrad (dy, x, scale, mean, var) → dx, dscale, dbias ---- */

static gboolean
run_grad (SondeCpuDevice *device, SondeKernel *base, const SondeRunArguments *arguments,
          GError **error)
{
  const BatchKernel *k = (BatchKernel *) base;
  Workspace workspace = split_workspace (k, arguments->workspace);
  const float *scale = arguments->inputs[2], *mean = arguments->inputs[3],
              *variance = arguments->inputs[4];
  float *a = workspace.given, *b = a + k->channels, *d = b + k->channels, *wide = workspace.wide;
  float *dscales = arguments->outputs[1], *dbiases = arguments->outputs[2];
  const double m = (double) k->rows;
  BatchCall call = { .kernel = k,
                     .x = arguments->inputs[1],
                     .dy = arguments->inputs[0],
                     .from = wide + 3 * k->width,
                     .partial = workspace.partial,
                     .a = wide,
                     .b = wide + k->width,
                     .d = wide + 2 * k->width,
                     .y = arguments->outputs[0] };

  spread (k, mean, wide + 3 * k->width);
  sum_channels (device, &call);
  for (gint64 c = 0; c < k->channels; c++)
    {
      const double inverse = 1 / sqrt ((double) variance[c] + k->epsilon);
      const double factor = (double) scale[c] * inverse;
      const double dbias = call.partial[c], dscale = call.partial[k->width + c] * inverse;

      if (k->has_output[1])
        dscales[c] = (float) dscale;
      if (k->has_output[2])
        dbiases[c] = (float) dbias;
      a[c] = (float) factor;
      b[c] = k->training ? (float) (-factor * inverse * dscale / m) : 0;
      d[c] = k->training ? (float) (factor * (inverse * (double) mean[c] * dscale - dbias) / m) : 0;
    }

  for (guint i = 0; i < 3; i++)
    spread (k, a + i * k->channels, wide + i * k->width);
  if (k->has_output[0])
    sonde_cpu_for (device, k->rows / k->tile, 2 * k->width, combine_range, &call);
  return TRUE;
}

/* ---- preparing ----------------------------------------------------------- */

static gboolean
is_there (const SondeGraphValue *value, SondeDtype dtype, SondeShape *shape)
{
  return value->type.dtype == dtype && sonde_type_get_shape (&value->type, shape)
         && sonde_shape_n_elements (shape) > 0;
}

/* @x: number of the input that is normalised; @first: of the first one by channel */
static BatchKernel *
batch_kernel_new (const SondePrepareRequest *request, guint x_input, guint first)
{
  const SondeNode *node = request->nodes[0];
  SondeDtype dtype = sonde_cpu_has_input (request, x_input) ? request->inputs[x_input]->type.dtype
                                                            : SONDE_DTYPE_INVALID;
  g_autofree BatchKernel *kernel = NULL;
  SondeShape x, other;

  if (request->plain_layouts || (dtype != SONDE_DTYPE_F32 && dtype != SONDE_DTYPE_BF16)
      || !is_there (request->inputs[x_input], dtype, &x) || x.rank < 3 || x.rank > 5
      || (sonde_cpu_has_output (request, 0) && request->outputs[0]->type.dtype != dtype))
    return NULL;

  for (guint k = 0; k < 5; k++)
    if (!sonde_cpu_has_input (request, k)
        || !is_there (request->inputs[k], k < first ? dtype : SONDE_DTYPE_F32, &other)
        || (k >= first && sonde_shape_n_elements (&other) != x.dims[1]))
      return NULL;
  for (guint k = 1; k < 5; k++)
    if (sonde_cpu_has_output (request, k) && request->outputs[k]->type.dtype != SONDE_DTYPE_F32)
      return NULL;

  kernel = g_new0 (BatchKernel, 1);
  kernel->dtype = dtype;
  kernel->channels = x.dims[1];
  kernel->rows = sonde_shape_n_elements (&x) / x.dims[1];
  for (kernel->tile = 1;
       2 * kernel->tile * kernel->channels <= WIDE && kernel->rows % (2 * kernel->tile) == 0;)
    kernel->tile *= 2;
  kernel->width = kernel->tile * kernel->channels;
  if (dtype == SONDE_DTYPE_BF16 && kernel->width % 2 != 0)
    return NULL;
  kernel->block = MAX (BLOCK / kernel->width, 1);
  kernel->blocks = (kernel->rows / kernel->tile + kernel->block - 1) / kernel->block;
  kernel->epsilon = sonde_node_get_float (node, "epsilon", 1e-5);
  kernel->momentum = sonde_node_get_float (node, "momentum", 0.9);
  kernel->training = sonde_node_get_int (node, "training_mode", 0) != 0;
  for (guint k = 0; k < 5; k++)
    kernel->has_output[k] = sonde_cpu_has_output (request, k);
  return g_steal_pointer (&kernel);
}

static SondeKernel *
answer (SondeCpuDevice *device, SondePrepareRequest *request, BatchKernel *kernel, guint first,
        gboolean sums)
{
  for (guint k = 0; k < 5; k++)
    if (k < first)
      sonde_cpu_want_channels_last (device, request, k);
    else
      sonde_cpu_want_plain (device, request, k);

  if (kernel->has_output[0])
    sonde_cpu_give_channels_last (request, 0);

  /* Each element is read before its place is written, and the statistics before any. */
  request->in_place = TRUE;
  request->workspace_bytes = workspace_bytes (kernel, sums);
  request->implementation = "channels-last";
  return &kernel->base;
}

static SondeKernel *
prepare_batch (SondeCpuDevice *device, SondePrepareRequest *request)
{
  BatchKernel *kernel = batch_kernel_new (request, 0, 1);

  if (kernel == NULL)
    return NULL;

  kernel->base.run = run_batch;
  return answer (device, request, kernel, 1, kernel->training);
}

static SondeKernel *
prepare_grad (SondeCpuDevice *device, SondePrepareRequest *request)
{
  BatchKernel *kernel = batch_kernel_new (request, 1, 2);

  if (kernel == NULL)
    return NULL;

  kernel->base.run = run_grad;
  return answer (device, request, kernel, 2, TRUE);
}

const SondeCpuRow sonde_cpu_batch_rows[] = {
  { "", "BatchNormalization", prepare_batch },
  { SONDE_DOMAIN, "BatchNormalizationGrad", prepare_grad },
  { NULL, NULL, NULL },
};
