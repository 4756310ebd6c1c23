/* SPDX-License-Identifier: Apache-2.0
 * ReduceSum and ReduceMean where the reduced dimensions are rows or columns of a matrix, and the norm of
 * all gradients. Sums are made in double, over blocks whose size does not depend on the number of threads,
 * so that neither do the bits. */
#include "engine/devices/cpu/sonde-cpu-kernel-private.h"

#include <math.h>
#include <string.h>

/* Elements whose sum is one partial result. */
#define BLOCK 8192
#define LANES 16

SONDE_CPU_CLONES static double
sum_block (gint64       n,
           const float *x)
{
  double lanes[LANES] = { 0 };
  double sum = 0;
  gint64 i = 0;

  for (; i + LANES <= n; i += LANES)
    for (int k = 0; k < LANES; k++)
      lanes[k] += x[i + k];
  for (; i < n; i++)
    sum += x[i];
  for (int k = 0; k < LANES; k++)
    sum += lanes[k];
  return sum;
}

SONDE_CPU_CLONES static double
sum_squares (gint64       n,
             const float *x)
{
  double lanes[LANES] = { 0 };
  double sum = 0;
  gint64 i = 0;

  for (; i + LANES <= n; i += LANES)
    for (int k = 0; k < LANES; k++)
      lanes[k] += (double) x[i + k] * x[i + k];
  for (; i < n; i++)
    sum += (double) x[i] * x[i];
  for (int k = 0; k < LANES; k++)
    sum += lanes[k];
  return sum;
}

/* Few columns: several rows are one, so that a vector is full. */
#define FEW 16
#define TOGETHER 8

SONDE_CPU_CLONES static void
sum_few_columns (gint64           rows,
                 gint64           columns,
                 const float     *x,
                 double *restrict sums)
{
  double wide[FEW * TOGETHER] = { 0 };
  const gint64 width = columns * TOGETHER;
  gint64 r = 0;

  for (; r + TOGETHER <= rows; r += TOGETHER)
    for (gint64 c = 0; c < width; c++)
      wide[c] += x[r * columns + c];
  for (; r < rows; r++)
    for (gint64 c = 0; c < columns; c++)
      wide[c] += x[r * columns + c];
  for (gint64 c = 0; c < width; c++)
    sums[c % columns] += wide[c];
}

SONDE_CPU_CLONES static void
sum_columns (gint64           rows,
             gint64           columns,
             const float     *x,
             double *restrict sums)
{
  for (gint64 r = 0; r < rows; r++)
    for (gint64 c = 0; c < columns; c++)
      sums[c] += x[r * columns + c];
}

/**
 * ReduceKernel: x seen as [outer, rows, columns] is summed to [outer, columns]
 * @block: rows of one partial sum; @blocks: of them in rows
 */
typedef struct
{
  SondeKernel base;
  gint64 outer, rows, columns;
  gint64 block, blocks;
  double scale;
} ReduceKernel;

typedef struct
{
  const ReduceKernel *kernel;
  const float *x;
  double *partial; /* [outer, blocks, columns] */
} ReduceCall;

static void
reduce_range (gint64   begin,
              gint64   end,
              gpointer data)
{
  const ReduceCall *call = data;
  const ReduceKernel *k = call->kernel;

  for (gint64 i = begin; i < end; i++)
    {
      gint64 outer = i / k->blocks, first = i % k->blocks * k->block;
      gint64 rows = MIN (k->block, k->rows - first);
      const float *x = call->x + (outer * k->rows + first) * k->columns;
      double *sums = call->partial + i * k->columns;

      if (k->columns == 1)
        {
          *sums = sum_block (rows, x);
          continue;
        }

      memset (sums, 0, (gsize) k->columns * sizeof (double));
      if (k->columns <= FEW)
        sum_few_columns (rows, k->columns, x, sums);
      else
        sum_columns (rows, k->columns, x, sums);
    }
}

static gboolean
run_reduce (SondeCpuDevice          *device,
            SondeKernel             *base,
            const SondeRunArguments *arguments,
            GError                 **error)
{
  const ReduceKernel *k = (ReduceKernel *) base;
  ReduceCall call = { k, arguments->inputs[0], arguments->workspace };
  float *y = arguments->outputs[0];

  sonde_cpu_for (device, k->outer * k->blocks, k->block * k->columns, reduce_range, &call);
  for (gint64 outer = 0; outer < k->outer; outer++)
    for (gint64 c = 0; c < k->columns; c++)
      {
        double sum = 0;

        for (gint64 i = 0; i < k->blocks; i++)
          sum += call.partial[(outer * k->blocks + i) * k->columns + c];
        y[outer * k->columns + c] = (float) (sum * k->scale);
      }

  return TRUE;
}

/* Which dimensions are reduced; FALSE when that is not known before the run. */
static gboolean
read_axes (const SondePrepareRequest *request,
           int                        rank,
           gboolean                  *reduced)
{
  const SondeGraphValue *axes = sonde_cpu_has_input (request, 1) ? request->inputs[1] : NULL;
  gboolean none = sonde_node_get_int (request->nodes[0], "noop_with_empty_axes", 0) != 0;
  SondeTensor *tensor;
  gint64 n = 0;

  if (axes != NULL && (axes->constant == NULL || axes->role != SONDE_ROLE_CONSTANT))
    return FALSE;

  tensor = axes != NULL ? sonde_value_get_tensor (axes->constant) : NULL;
  if (tensor != NULL)
    n = sonde_tensor_n_elements (tensor);
  for (int i = 0; i < rank; i++)
    reduced[i] = n == 0 && !none;

  for (gint64 i = 0; i < n; i++)
    {
      gint64 axis = sonde_tensor_get_int (tensor, i);

      axis += axis < 0 ? rank : 0;
      if (axis < 0 || axis >= rank)
        return FALSE;
      reduced[axis] = TRUE;
    }

  return TRUE;
}

/* One run of reduced dimensions: [outer, rows, columns]. */
static gboolean
see_as_matrix (const SondeShape *shape,
               const gboolean   *reduced,
               ReduceKernel     *kernel)
{
  int i = 0;

  kernel->outer = kernel->rows = kernel->columns = 1;
  for (; i < shape->rank && !reduced[i]; i++)
    kernel->outer *= shape->dims[i];
  for (; i < shape->rank && reduced[i]; i++)
    kernel->rows *= shape->dims[i];
  for (; i < shape->rank && !reduced[i]; i++)
    kernel->columns *= shape->dims[i];

  return i == shape->rank;
}

static gboolean
all_but_channels (const SondeShape *shape,
                  const gboolean   *reduced)
{
  if (shape->rank < 3)
    return FALSE;

  for (int i = 0; i < shape->rank; i++)
    if (reduced[i] == (i == 1))
      return FALSE;

  return TRUE;
}

static SondeKernel *
finish_reduce (SondePrepareRequest *request,
               ReduceKernel        *kernel,
               double               scale)
{
  kernel->base.run = run_reduce;
  kernel->scale = scale;
  kernel->block = MAX (BLOCK / kernel->columns, 1);
  kernel->blocks = (kernel->rows + kernel->block - 1) / kernel->block;
  request->in_place = FALSE;
  request->workspace_bytes = (gsize) (kernel->outer * kernel->blocks * kernel->columns) * sizeof (double);
  request->implementation = "blocks";
  return &kernel->base;
}

/* The mean of each plane: planes are columns when they lie channels-last. */
static SondeKernel *
prepare_global (SondeCpuDevice      *device,
                SondePrepareRequest *request)
{
  ReduceKernel *kernel;
  SondeShape x, y;
  gint64 space;

  if (!sonde_cpu_input_f32 (request, 0, &x) || !sonde_cpu_output_f32 (request, 0, &y) || x.rank < 3
      || x.rank > 5)
    return NULL;

  kernel = g_new0 (ReduceKernel, 1);
  space = sonde_shape_n_elements (&x) / (x.dims[0] * x.dims[1]);
  kernel->rows = space;
  if (sonde_cpu_lies_channels_last (request, 0))
    {
      kernel->outer = x.dims[0];
      kernel->columns = x.dims[1];
    }
  else
    {
      sonde_cpu_want_plain (device, request, 0);
      kernel->outer = x.dims[0] * x.dims[1];
      kernel->columns = 1;
    }

  return finish_reduce (request, kernel, 1.0 / (double) space);
}

static SondeKernel *
prepare_reduce (SondeCpuDevice      *device,
                SondePrepareRequest *request)
{
  g_autofree ReduceKernel *kernel = NULL;
  gboolean reduced[SONDE_MAX_RANK];
  SondeShape x, y;

  if (!sonde_cpu_input_f32 (request, 0, &x) || !sonde_cpu_output_f32 (request, 0, &y)
      || !read_axes (request, x.rank, reduced))
    return NULL;

  kernel = g_new0 (ReduceKernel, 1);
  if (all_but_channels (&x, reduced) && sonde_cpu_lies_channels_last (request, 0))
    {
      kernel->outer = 1;
      kernel->columns = x.dims[1];
      kernel->rows = sonde_shape_n_elements (&x) / x.dims[1];
    }
  else if (see_as_matrix (&x, reduced, kernel))
    sonde_cpu_want_plain (device, request, 0);
  else
    return NULL;

  return finish_reduce (request, g_steal_pointer (&kernel),
                        g_str_equal (request->nodes[0]->op, "ReduceMean")
                          ? (double) sonde_shape_n_elements (&y) / (double) sonde_shape_n_elements (&x)
                          : 1);
}

/* ---- the norm of many tensors ------------------------------------------------------------------------ */

typedef struct
{
  SondeKernel base;
  guint n_inputs;
  gint64 blocks;  /* of all inputs */
  gint64 sizes[]; /* by input: elements, padding (zeros) included */
} NormKernel;

typedef struct
{
  const NormKernel *kernel;
  const SondeRunArguments *arguments;
  double *partial;
} NormCall;

static void
norm_range (gint64   begin,
            gint64   end,
            gpointer data)
{
  const NormCall *call = data;
  gint64 block = 0;

  for (guint k = 0; k < call->kernel->n_inputs; k++)
    for (gint64 first = 0; first < call->kernel->sizes[k]; first += BLOCK, block++)
      if (block >= begin && block < end)
        call->partial[block] = sum_squares (MIN (BLOCK, call->kernel->sizes[k] - first),
                                            (const float *) call->arguments->inputs[k] + first);
}

static gboolean
run_norm (SondeCpuDevice          *device,
          SondeKernel             *base,
          const SondeRunArguments *arguments,
          GError                 **error)
{
  const NormKernel *kernel = (NormKernel *) base;
  NormCall call = { kernel, arguments, arguments->workspace };
  double sum = 0;

  sonde_cpu_for (device, kernel->blocks, BLOCK, norm_range, &call);
  for (gint64 i = 0; i < kernel->blocks; i++)
    sum += call.partial[i];

  *(float *) arguments->outputs[0] = (float) sqrt (sum);
  return TRUE;
}

static SondeKernel *
prepare_norm (SondeCpuDevice      *device,
              SondePrepareRequest *request)
{
  g_autofree NormKernel *kernel = g_malloc0 (sizeof (NormKernel) + request->n_inputs * sizeof (gint64));
  SondeShape shape;

  if (!sonde_cpu_output_f32 (request, 0, &shape))
    return NULL;

  for (guint i = 0; i < request->n_inputs; i++)
    {
      if (!sonde_cpu_input_f32 (request, i, &shape))
        return NULL;

      kernel->sizes[i] = request->input_layouts[i] != NULL
                           ? (gint64) (request->input_layouts[i]->bytes / sizeof (float))
                           : sonde_shape_n_elements (&shape);
      kernel->blocks += (kernel->sizes[i] + BLOCK - 1) / BLOCK;
    }

  kernel->base.run = run_norm;
  kernel->n_inputs = request->n_inputs;
  request->in_place = FALSE;
  request->workspace_bytes = (gsize) kernel->blocks * sizeof (double);
  request->implementation = "blocks";
  return (SondeKernel *) g_steal_pointer (&kernel);
}

const SondeCpuRow sonde_cpu_reduce_rows[] = {
  { "", "GlobalAveragePool", prepare_global },
  { "", "ReduceMean", prepare_reduce },
  { "", "ReduceSum", prepare_reduce },
  { SONDE_DOMAIN, "GlobalNorm", prepare_norm },
  { NULL, NULL, NULL },
};
