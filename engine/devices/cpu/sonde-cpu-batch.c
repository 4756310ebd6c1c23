/* SPDX-License-Identifier: Apache-2.0
 * Batch normalisation on channels-last memory, in inference and training, and its gradient. x is seen as
 * [rows, channels], of float32 or bfloat16. Sums are made in double over blocks of
 * rows that do not depend on the number of threads. Formulas: engine/ops/sonde-normalisation-template.h. */
#include "engine/devices/cpu/sonde-cpu-kernel-private.h"
#include "engine/devices/cpu/sonde-cpu-math.h"

#include <math.h>
#include <string.h>

/* Elements of a block, whose sums are one partial result. */
#define BLOCK 32768

typedef struct
{
  SondeKernel base;
  SondeDtype dtype; /* of x, dy, y and dx; all else is float32 */
  gint64 rows, channels;
  gint64 block, blocks; /* rows of a block, number of blocks */
  double epsilon, momentum;
  gboolean training;
  gboolean has_output[5];
} BatchKernel;

typedef enum
{
  SUM_VALUES,   /* Σ x */
  SUM_SQUARES,  /* Σ (x − mean)² */
  SUM_PRODUCTS, /* Σ dy, then Σ dy·(x − mean) */
} SumKind;

/* One pass; @a, @b, @d: factors by channel. */
typedef struct
{
  const BatchKernel *kernel;
  SumKind kind;
  const void *x, *dy;
  const double *mean;
  double *partial; /* [blocks, 1 or 2, channels] */
  const float *a, *b, *d;
  void *y;
} BatchCall;

/* ---- loops -------------------------------------------------------------------------------------------- */

/* The loops on elements of @T, which @wide makes float32 of and @narrow rounds. */
#define LOOPS(suffix, T, wide, narrow)                                                                        \
  SONDE_CPU_CLONES static void sum_values_##suffix (gint64 rows, gint64 channels, const T *x,                 \
                                                    double *restrict sums)                                    \
  {                                                                                                           \
    for (gint64 r = 0; r < rows; r++)                                                                         \
      for (gint64 c = 0; c < channels; c++)                                                                   \
        sums[c] += wide (x[r * channels + c]);                                                                \
  }                                                                                                           \
                                                                                                              \
  SONDE_CPU_CLONES static void sum_squares_##suffix (gint64 rows, gint64 channels, const T *x,                \
                                                     const double *mean, double *restrict sums)               \
  {                                                                                                           \
    for (gint64 r = 0; r < rows; r++)                                                                         \
      for (gint64 c = 0; c < channels; c++)                                                                   \
        {                                                                                                     \
          const double distance = wide (x[r * channels + c]) - mean[c];                                       \
                                                                                                              \
          sums[c] += distance * distance;                                                                     \
        }                                                                                                     \
  }                                                                                                           \
                                                                                                              \
  SONDE_CPU_CLONES static void sum_products_##suffix (gint64 rows, gint64 channels, const T *dy, const T *x,  \
                                                      const double *mean, double *restrict sums,              \
                                                      double *restrict products)                              \
  {                                                                                                           \
    for (gint64 r = 0; r < rows; r++)                                                                         \
      for (gint64 c = 0; c < channels; c++)                                                                   \
        {                                                                                                     \
          const double g = wide (dy[r * channels + c]);                                                       \
                                                                                                              \
          sums[c] += g;                                                                                       \
          products[c] += g * (wide (x[r * channels + c]) - mean[c]);                                          \
        }                                                                                                     \
  }                                                                                                           \
                                                                                                              \
  SONDE_CPU_CLONES static void scale_rows_##suffix (gint64 rows, gint64 channels, const T *x, const float *a, \
                                                    const float *b, T *y)                                     \
  {                                                                                                           \
    for (gint64 r = 0; r < rows; r++)                                                                         \
      {                                                                                                       \
        _Pragma ("GCC ivdep") for (gint64 c = 0; c < channels; c++)                                           \
          y[r * channels + c] = narrow (wide (x[r * channels + c]) * a[c] + b[c]);                            \
      }                                                                                                       \
  }                                                                                                           \
                                                                                                              \
  /* dx = dy·a + x·b + d */                                                                                   \
  SONDE_CPU_CLONES static void combine_rows_##suffix (gint64 rows, gint64 channels, const T *dy, const T *x,  \
                                                      const float *a, const float *b, const float *d, T *dx)  \
  {                                                                                                           \
    for (gint64 r = 0; r < rows; r++)                                                                         \
      {                                                                                                       \
        _Pragma ("GCC ivdep") for (gint64 c = 0; c < channels; c++)                                           \
          dx[r * channels + c]                                                                                \
            = narrow (wide (dy[r * channels + c]) * a[c] + wide (x[r * channels + c]) * b[c] + d[c]);         \
      }                                                                                                       \
  }
LOOPS (f32, float, , )
LOOPS (bf16, guint16, sonde_cpu_widen_brain, sonde_cpu_narrow_brain)

void
sonde_cpu_scale_rows (gint64       rows,
                      gint64       channels,
                      const float *x,
                      const float *a,
                      const float *b,
                      float       *y)
{
  scale_rows_f32 (rows, channels, x, a, b, y);
}

/* ---- passes ------------------------------------------------------------------------------------------- */

#define BLOCKS(suffix, T)                                                                              \
  static void sum_block_##suffix (const BatchCall *call, gint64 first, gint64 rows, double *sums)         \
  {                                                                                                       \
    gint64 channels = call->kernel->channels;                                                             \
    const T *x = (const T *) call->x + first * channels, *dy = call->dy;                                  \
                                                                                                          \
    if (call->kind == SUM_VALUES)                                                                         \
      sum_values_##suffix (rows, channels, x, sums);                                                      \
    else if (call->kind == SUM_SQUARES)                                                                   \
      sum_squares_##suffix (rows, channels, x, call->mean, sums);                                         \
    else                                                                                                  \
      sum_products_##suffix (rows, channels, dy + first * channels, x, call->mean, sums, sums + channels); \
  }                                                                                                       \
                                                                                                          \
  static void scale_block_##suffix (const BatchCall *call, gint64 first, gint64 rows)                     \
  {                                                                                                       \
    gint64 channels = call->kernel->channels;                                                             \
    const T *x = (const T *) call->x + first * channels, *dy = call->dy;                                  \
    T *y = (T *) call->y + first * channels;                                                              \
                                                                                                          \
    if (dy == NULL)                                                                                       \
      scale_rows_##suffix (rows, channels, x, call->a, call->b, y);                                       \
    else                                                                                                  \
      combine_rows_##suffix (rows, channels, dy + first * channels, x, call->a, call->b, call->d, y);     \
  }
BLOCKS (f32, float)
BLOCKS (bf16, guint16)

static void
sum_range (gint64   begin,
           gint64   end,
           gpointer data)
{
  const BatchCall *call = data;
  const BatchKernel *k = call->kernel;
  gint64 width = k->channels * (call->kind == SUM_PRODUCTS ? 2 : 1);

  for (gint64 i = begin; i < end; i++)
    {
      gint64 first = i * k->block, rows = MIN (k->block, k->rows - first);
      double *sums = call->partial + i * width;

      memset (sums, 0, (gsize) width * sizeof (double));
      if (k->dtype == SONDE_DTYPE_BF16)
        sum_block_bf16 (call, first, rows, sums);
      else
        sum_block_f32 (call, first, rows, sums);
    }
}

/* Sums by channel; left in the first entries of call->partial. */
static void
sum_channels (SondeCpuDevice *device,
              BatchCall      *call)
{
  const BatchKernel *k = call->kernel;
  gint64 width = k->channels * (call->kind == SUM_PRODUCTS ? 2 : 1);

  sonde_cpu_for (device, k->blocks, k->block * k->channels, sum_range, call);
  for (gint64 i = 1; i < k->blocks; i++)
    for (gint64 c = 0; c < width; c++)
      call->partial[c] += call->partial[i * width + c];
}

static void
scale_range (gint64   begin,
             gint64   end,
             gpointer data)
{
  const BatchCall *call = data;

  if (call->kernel->dtype == SONDE_DTYPE_BF16)
    scale_block_bf16 (call, begin, end - begin);
  else
    scale_block_f32 (call, begin, end - begin);
}

SONDE_CPU_CLONES static void
find_affine (gint64          channels,
             const float    *scale,
             const float    *bias,
             const float    *mean,
             const float    *variance,
             double          epsilon,
             float *restrict factor,
             float *restrict offset)
{
  for (gint64 c = 0; c < channels; c++)
    {
      const double a = (double) scale[c] / sqrt ((double) variance[c] + epsilon);

      factor[c] = (float) a;
      offset[c] = (float) ((double) bias[c] - (double) mean[c] * a);
    }
}

void
sonde_cpu_batch_affine (gint64       channels,
                        const float *scale,
                        const float *bias,
                        const float *mean,
                        const float *variance,
                        double       epsilon,
                        float       *factor,
                        float       *offset)
{
  find_affine (channels, scale, bias, mean, variance, epsilon, factor, offset);
}

/* ---- BatchNormalization (x, scale, bias, mean, var) → y, mean', var', batch mean, batch var --------------- */

/* Workspace: factors [3, channels] float, the batch's mean and variance [2, channels] float, mean [channels]
 * double, partial sums. */
typedef struct
{
  float *factors, *statistics;
  double *mean, *partial;
} Workspace;

static Workspace
split_workspace (const BatchKernel *k,
                 void              *memory)
{
  gsize channels = (gsize) (k->channels + 15) / 16 * 16;
  Workspace workspace = { .factors = memory };

  workspace.statistics = workspace.factors + 3 * channels;
  workspace.mean = (double *) (void *) (workspace.statistics + 2 * channels);
  workspace.partial = workspace.mean + channels;
  return workspace;
}

static gsize
workspace_bytes (const BatchKernel *k,
                 int                sums)
{
  gsize channels = (gsize) (k->channels + 15) / 16 * 16;

  return channels * (5 * sizeof (float) + sizeof (double))
         + (gsize) (k->blocks * k->channels * sums) * sizeof (double);
}

static void
update_running (const BatchKernel *k,
                const float       *old,
                const float       *batch,
                float             *running)
{
  for (gint64 c = 0; c < k->channels; c++)
    running[c] = (float) (k->momentum * (double) old[c] + (1 - k->momentum) * (double) batch[c]);
}

static void
find_statistics (SondeCpuDevice          *device,
                 const BatchKernel       *k,
                 const SondeRunArguments *arguments,
                 const Workspace         *workspace)
{
  gsize bytes = (gsize) k->channels * sizeof (float);
  float *mean = workspace->statistics, *variance = mean + k->channels;
  BatchCall call = { .kernel = k, .x = arguments->inputs[0], .mean = workspace->mean,
                     .partial = workspace->partial };

  sum_channels (device, &call);
  for (gint64 c = 0; c < k->channels; c++)
    {
      workspace->mean[c] = call.partial[c] / (double) k->rows;
      mean[c] = (float) workspace->mean[c];
    }

  call.kind = SUM_SQUARES;
  sum_channels (device, &call);
  for (gint64 c = 0; c < k->channels; c++)
    variance[c] = (float) (call.partial[c] / (double) k->rows);

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
run_batch (SondeCpuDevice          *device,
           SondeKernel             *base,
           const SondeRunArguments *arguments,
           GError                 **error)
{
  const BatchKernel *k = (BatchKernel *) base;
  Workspace workspace = split_workspace (k, arguments->workspace);
  float *a = workspace.factors, *b = a + k->channels;
  const float *mean = arguments->inputs[3], *variance = arguments->inputs[4];
  BatchCall call = { .kernel = k, .x = arguments->inputs[0], .a = a, .b = b, .y = arguments->outputs[0] };

  if (k->training)
    {
      find_statistics (device, k, arguments, &workspace);
      mean = workspace.statistics;
      variance = mean + k->channels;
    }

  sonde_cpu_batch_affine (k->channels, arguments->inputs[1], arguments->inputs[2], mean, variance,
                          k->epsilon, a, b);
  if (k->has_output[0])
    sonde_cpu_for (device, k->rows, k->channels, scale_range, &call);
  return TRUE;
}

/* ---- BatchNormalizationGrad (dy, x, scale, mean, var) → dx, dscale, dbias --------------------------------- */

static gboolean
run_grad (SondeCpuDevice          *device,
          SondeKernel             *base,
          const SondeRunArguments *arguments,
          GError                 **error)
{
  const BatchKernel *k = (BatchKernel *) base;
  Workspace workspace = split_workspace (k, arguments->workspace);
  const float *scale = arguments->inputs[2], *mean = arguments->inputs[3], *variance = arguments->inputs[4];
  float *a = workspace.factors, *b = a + k->channels, *d = b + k->channels;
  float *dscales = arguments->outputs[1], *dbiases = arguments->outputs[2];
  const double m = (double) k->rows;
  BatchCall call = { .kernel = k, .kind = SUM_PRODUCTS, .x = arguments->inputs[1],
                     .dy = arguments->inputs[0], .mean = workspace.mean, .partial = workspace.partial,
                     .a = a, .b = b, .d = d, .y = arguments->outputs[0] };

  for (gint64 c = 0; c < k->channels; c++)
    workspace.mean[c] = (double) mean[c];

  sum_channels (device, &call);
  for (gint64 c = 0; c < k->channels; c++)
    {
      const double inverse = 1 / sqrt ((double) variance[c] + k->epsilon);
      const double factor = (double) scale[c] * inverse;
      const double dbias = call.partial[c], dscale = call.partial[k->channels + c] * inverse;

      if (k->has_output[1])
        dscales[c] = (float) dscale;
      if (k->has_output[2])
        dbiases[c] = (float) dbias;
      a[c] = (float) factor;
      b[c] = k->training ? (float) (-factor * inverse * dscale / m) : 0;
      d[c] = k->training ? (float) (factor * (inverse * (double) mean[c] * dscale - dbias) / m) : 0;
    }

  if (k->has_output[0])
    sonde_cpu_for (device, k->rows, 2 * k->channels, scale_range, &call);
  return TRUE;
}

/* ---- preparing ---------------------------------------------------------------------------------------- */

static gboolean
is_there (const SondeGraphValue *value,
          SondeDtype             dtype,
          SondeShape            *shape)
{
  return value->type.dtype == dtype && sonde_type_get_shape (&value->type, shape) && sonde_shape_n_elements (shape) > 0;
}

/* @x: number of the input that is normalised; @first: of the first one by channel */
static BatchKernel *
batch_kernel_new (const SondePrepareRequest *request,
                  guint                      x_input,
                  guint                      first)
{
  const SondeNode *node = request->nodes[0];
  SondeDtype dtype = sonde_cpu_has_input (request, x_input) ? request->inputs[x_input]->type.dtype : SONDE_DTYPE_INVALID;
  BatchKernel *kernel;
  SondeShape x, other;

  if (request->plain_layouts || (dtype != SONDE_DTYPE_F32 && dtype != SONDE_DTYPE_BF16)
      || !is_there (request->inputs[x_input], dtype, &x) || x.rank < 3 || x.rank > 5
      || (sonde_cpu_has_output (request, 0) && request->outputs[0]->type.dtype != dtype))
    return NULL;

  for (guint k = 0; k < 5; k++)
    if (!sonde_cpu_has_input (request, k) || !is_there (request->inputs[k], k < first ? dtype : SONDE_DTYPE_F32, &other)
        || (k >= first && sonde_shape_n_elements (&other) != x.dims[1]))
      return NULL;
  for (guint k = 1; k < 5; k++)
    if (sonde_cpu_has_output (request, k) && request->outputs[k]->type.dtype != SONDE_DTYPE_F32)
      return NULL;

  kernel = g_new0 (BatchKernel, 1);
  kernel->dtype = dtype;
  kernel->channels = x.dims[1];
  kernel->rows = sonde_shape_n_elements (&x) / x.dims[1];
  kernel->block = MAX (BLOCK / kernel->channels, 1);
  kernel->blocks = (kernel->rows + kernel->block - 1) / kernel->block;
  kernel->epsilon = sonde_node_get_float (node, "epsilon", 1e-5);
  kernel->momentum = sonde_node_get_float (node, "momentum", 0.9);
  kernel->training = sonde_node_get_int (node, "training_mode", 0) != 0;
  for (guint k = 0; k < 5; k++)
    kernel->has_output[k] = sonde_cpu_has_output (request, k);
  return kernel;
}

static SondeKernel *
answer (SondeCpuDevice      *device,
        SondePrepareRequest *request,
        BatchKernel         *kernel,
        guint                first,
        int                  sums)
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
prepare_batch (SondeCpuDevice      *device,
               SondePrepareRequest *request)
{
  BatchKernel *kernel = batch_kernel_new (request, 0, 1);

  if (kernel == NULL)
    return NULL;

  kernel->base.run = run_batch;
  return answer (device, request, kernel, 1, kernel->training ? 1 : 0);
}

static SondeKernel *
prepare_grad (SondeCpuDevice      *device,
              SondePrepareRequest *request)
{
  BatchKernel *kernel = batch_kernel_new (request, 1, 2);

  if (kernel == NULL)
    return NULL;

  kernel->base.run = run_grad;
  return answer (device, request, kernel, 2, 2);
}

const SondeCpuRow sonde_cpu_batch_rows[] = {
  { "", "BatchNormalization", prepare_batch },
  { SONDE_DOMAIN, "BatchNormalizationGrad", prepare_grad },
  { NULL, NULL, NULL },
};
