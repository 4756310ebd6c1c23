/* SPDX-License-Identifier: Apache-2.0
 * Reductions over any dimensions that, as memory lies (plain or channels-last), are at most two
 * groups. Results are made in double, over blocks whose size does not depend on the number of
 * threads, so that neither do the bits. */
#include "engine/devices/cpu/sonde-cpu-kernel.h"

#include <math.h>
#include <string.h>

/* Elements whose result is one partial result. */
#define BLOCK 8192
#define LANES 16

/* Columns whose partial results are joined at a time. */
#define COLUMNS 64

/* Few columns: several rows are one, so that a vector is full. */
#define FEW 16
#define TOGETHER 8

/* ---- loops --------------------------------------------------------------- */

/**
 * ReduceLoops:
 * @start: of each result
 * @block: of one row; @columns: of each column of some rows, into @results; @join: partial results
 * into others
 */
typedef struct
{
  double start;
  double (*block) (gint64 n, const float *x);
  void (*columns) (gint64 rows, gint64 columns, const float *x, double *results);
  void (*join) (gint64 n, const double *from, double *results);
} ReduceLoops;

#define LOOPS(name, initial, step, merge)                                                          \
  SONDE_CPU_CLONES static double name##_block (gint64 n, const float *from)                        \
  {                                                                                                \
    double lanes[LANES], a, b;                                                                     \
    gint64 i = 0;                                                                                  \
    for (int k = 0; k < LANES; k++)                                                                \
      lanes[k] = (initial);                                                                        \
    for (; i + LANES <= n; i += LANES)                                                             \
      {                                                                                            \
        _Pragma ("omp simd") for (int k = 0; k < LANES; k++)                                       \
        {                                                                                          \
          const double x = from[i + k], lane = lanes[k];                                           \
          lanes[k] = (step);                                                                       \
        }                                                                                          \
      }                                                                                            \
    for (int k = 0; i < n; i++, k++)                                                               \
      {                                                                                            \
        const double x = from[i], lane = lanes[k];                                                 \
        lanes[k] = (step);                                                                         \
      }                                                                                            \
    a = lanes[0];                                                                                  \
    for (int k = 1; k < LANES; k++)                                                                \
      {                                                                                            \
        b = lanes[k];                                                                              \
        a = (merge);                                                                               \
      }                                                                                            \
    return a;                                                                                      \
  }                                                                                                \
  SONDE_CPU_CLONES static void name##_join (gint64 n, const double *from,                          \
                                            double *restrict results)                              \
  {                                                                                                \
    for (gint64 i = 0; i < n; i++)                                                                 \
      {                                                                                            \
        const double a = results[i], b = from[i];                                                  \
        results[i] = (merge);                                                                      \
      }                                                                                            \
  }                                                                                                \
  SONDE_CPU_CLONES static void name##_rows (gint64 rows, gint64 columns, const float *from,        \
                                            double *restrict results)                              \
  {                                                                                                \
    for (gint64 r = 0; r < rows; r++)                                                              \
      for (gint64 c = 0; c < columns; c++)                                                         \
        {                                                                                          \
          const double x = from[r * columns + c], lane = results[c];                               \
          results[c] = (step);                                                                     \
        }                                                                                          \
  }                                                                                                \
  static void name##_columns (gint64 rows, gint64 columns, const float *x, double *results)        \
  {                                                                                                \
    double wide[FEW * TOGETHER];                                                                   \
    const gint64 width = columns * TOGETHER;                                                       \
    const gint64 whole = columns <= FEW ? rows / TOGETHER : 0;                                     \
    for (gint64 c = 0; c < width && whole > 0; c++)                                                \
      wide[c] = (initial);                                                                         \
    if (whole > 0)                                                                                 \
      name##_rows (whole, width, x, wide);                                                         \
    for (gint64 c = 0; c < width && whole > 0; c += columns)                                       \
      name##_join (columns, wide + c, results);                                                    \
    name##_rows (rows - whole * TOGETHER, columns, x + whole * width, results);                    \
  }                                                                                                \
  static const ReduceLoops name = { (initial), name##_block, name##_columns, name##_join };

LOOPS (sum, 0, lane + x, a + b)
LOOPS (sum_absolute, 0, lane + fabs (x), a + b)
LOOPS (sum_square, 0, lane + x * x, a + b)
LOOPS (product, 1, lane *x, a *b)
/* NaN wins. */
LOOPS (maximum, -INFINITY, x > lane || x != x ? x : lane, b > a || b != b ? b : a)
LOOPS (minimum, INFINITY, x < lane || x != x ? x : lane, b < a || b != b ? b : a)

/* ---- kernel -------------------------------------------------------------- */

typedef enum
{
  FINISH_SCALE,
  FINISH_ROOT,
  FINISH_LOGARITHM,
} Finish;

/**
 * ReduceKernel: x seen as [again, outer, rows, columns] becomes [outer, columns]
 * @block: rows of one partial result; @blocks: of them in rows
 */
typedef struct
{
  SondeKernel base;
  const ReduceLoops *loops;
  Finish finish;
  gint64 again, outer, rows, columns;
  gint64 block, blocks;
  double scale;
} ReduceKernel;

typedef struct
{
  const ReduceKernel *kernel;
  const float *x;
  double *partial; /* [outer, again, blocks, columns] */
  float *y;
} ReduceCall;

static void
reduce_range (gint64 begin, gint64 end, gpointer data)
{
  const ReduceCall *call = data;
  const ReduceKernel *k = call->kernel;

  for (gint64 i = begin; i < end; i++)
    {
      gint64 outer = i / (k->again * k->blocks), again = i / k->blocks % k->again;
      gint64 first = i % k->blocks * k->block, rows = MIN (k->block, k->rows - first);
      const float *x = call->x + ((again * k->outer + outer) * k->rows + first) * k->columns;
      double *results = call->partial + i * k->columns;

      if (k->columns == 1)
        {
          *results = k->loops->block (rows, x);
          continue;
        }

      for (gint64 c = 0; c < k->columns; c++)
        results[c] = k->loops->start;
      k->loops->columns (rows, k->columns, x, results);
    }
}

static float
finish_result (const ReduceKernel *k, double value)
{
  return (float) (k->finish == FINISH_ROOT        ? sqrt (value)
                  : k->finish == FINISH_LOGARITHM ? log (value)
                                                  : value * k->scale);
}

/* Some columns of one result. */
static void
finish_columns (const ReduceCall *call, gint64 outer, gint64 first, gint64 n)
{
  const ReduceKernel *k = call->kernel;
  const gint64 parts = k->again * k->blocks;
  const double *partial = call->partial + outer * parts * k->columns + first;
  double values[COLUMNS];

  memcpy (values, partial, (gsize) n * sizeof (double));
  for (gint64 i = 1; i < parts; i++)
    k->loops->join (n, partial + i * k->columns, values);
  for (gint64 c = 0; c < n; c++)
    call->y[outer * k->columns + first + c] = finish_result (k, values[c]);
}

static void
finish_range (gint64 begin, gint64 end, gpointer data)
{
  const ReduceCall *call = data;
  const ReduceKernel *k = call->kernel;
  const gint64 pieces = (k->columns + COLUMNS - 1) / COLUMNS;

  for (gint64 i = begin; i < end; i++)
    {
      const gint64 first = i % pieces * COLUMNS;

      finish_columns (call, i / pieces, first, MIN (COLUMNS, k->columns - first));
    }
}

static gboolean
run_reduce (SondeCpuDevice *device, SondeKernel *base, const SondeRunArguments *arguments,
            GError **error)
{
  const ReduceKernel *k = (ReduceKernel *) base;
  ReduceCall call = { k, arguments->inputs[0], arguments->workspace, arguments->outputs[0] };

  sonde_cpu_for (device, k->outer * k->again * k->blocks, k->block * k->columns, reduce_range,
                 &call);
  sonde_cpu_for (device, k->outer * ((k->columns + COLUMNS - 1) / COLUMNS),
                 k->again * k->blocks * MIN (k->columns, COLUMNS), finish_range, &call);
  return TRUE;
}

/* ---- preparing ----------------------------------------------------------- */

/* Which dimensions are reduced; FALSE when that is not known before the run. */
static gboolean
read_axes (const SondePrepareRequest *request, int rank, gboolean *reduced)
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
  if (n == 0 && none)
    return FALSE;

  for (int i = 0; i < rank; i++)
    reduced[i] = n == 0;

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

/* The dimension that stands at place @i of memory. */
static int
dimension_at (int i, int rank, gboolean channels_last)
{
  return !channels_last || i == 0 ? i : i == rank - 1 ? 1 : i + 1;
}

/* Sizes of groups of dimensions, in turn kept (even) and reduced (odd). Returns how many, or -1 */
static int
group_dimensions (const SondeShape *shape, const gboolean *reduced, gboolean channels_last,
                  gint64 sizes[6])
{
  int n = 0;

  for (int i = 0; i < 6; i++)
    sizes[i] = 1;

  for (int i = 0; i < shape->rank; i++)
    {
      int d = dimension_at (i, shape->rank, channels_last);

      if (shape->dims[d] == 1)
        continue;
      if (reduced[d] != (n % 2 == 1))
        n++;
      if (n > 5)
        return -1;
      sizes[n] *= shape->dims[d];
    }

  return n;
}

/* Kept, reduced, kept, or reduced, kept, reduced, kept. */
static gboolean
see_as_matrices (const SondeShape *shape, const gboolean *reduced, gboolean channels_last,
                 ReduceKernel *kernel)
{
  gint64 sizes[6];
  int n = group_dimensions (shape, reduced, channels_last, sizes);

  if (n < 0 || n > 4 || (n > 2 && sizes[0] != 1))
    return FALSE;

  kernel->again = n > 2 ? sizes[1] : 1;
  kernel->outer = n > 2 ? sizes[2] : sizes[0];
  kernel->rows = n > 2 ? sizes[3] : sizes[1];
  kernel->columns = n > 2 ? sizes[4] : sizes[2];
  return TRUE;
}

/* What is kept of channels-last memory: in the order of the plain result where no channels are
 * kept, or nothing but them; else the result is channels-last too. @layout: (out): -1: neither, 0:
 * plain, 1: channels-last */
static int
result_layout (const SondeShape *x, const SondeShape *y, const gboolean *reduced)
{
  gboolean space = FALSE;

  for (int d = 2; d < x->rank; d++)
    space = space || (!reduced[d] && x->dims[d] > 1);
  if (!space || reduced[1] || x->dims[1] == 1)
    return 0;

  return y->rank >= 3 && (y->rank == x->rank || !reduced[0]) ? 1 : -1;
}

static SondeKernel *
finish_kernel (SondePrepareRequest *request, ReduceKernel *kernel)
{
  kernel->base.run = run_reduce;
  kernel->block = MAX (BLOCK / kernel->columns, 1);
  kernel->blocks = (kernel->rows + kernel->block - 1) / kernel->block;
  request->in_place = FALSE;
  request->workspace_bytes
      = (gsize) (kernel->outer * kernel->again * kernel->blocks * kernel->columns)
        * sizeof (double);
  request->implementation = "blocks";
  return &kernel->base;
}

/* Of an operator; @global: over all dimensions behind the second. */
typedef struct
{
  const ReduceLoops *loops;
  Finish finish;
  gboolean mean, global;
} ReduceFunction;

static SondeKernel *
prepare_reduce (SondeCpuDevice *device, SondePrepareRequest *request)
{
  const ReduceFunction *function = sonde_cpu_find_row (request->nodes[0])->data;
  g_autofree ReduceKernel *kernel = g_new0 (ReduceKernel, 1);
  gboolean reduced[SONDE_MAX_RANK] = { FALSE };
  SondeShape x, y;
  int layout;

  if (!sonde_cpu_input_f32 (request, 0, &x) || !sonde_cpu_output_f32 (request, 0, &y)
      || (!function->global && !read_axes (request, x.rank, reduced)))
    return NULL;

  for (int d = 2; d < x.rank && function->global; d++)
    reduced[d] = TRUE;

  kernel->loops = function->loops;
  kernel->finish = function->finish;
  kernel->scale = function->mean
                      ? (double) sonde_shape_n_elements (&y) / (double) sonde_shape_n_elements (&x)
                      : 1;
  layout = request->input_layouts[0] != NULL && request->input_layouts[0]->channels_last
               ? result_layout (&x, &y, reduced)
               : -1;
  if (layout >= 0 && see_as_matrices (&x, reduced, TRUE, kernel))
    {
      if (layout == 1)
        sonde_cpu_give_channels_last (request, 0);
    }
  else if (see_as_matrices (&x, reduced, FALSE, kernel))
    sonde_cpu_want_plain (device, request, 0);
  else
    return NULL;

  if (sonde_cpu_has_input (request, 1))
    sonde_cpu_want_plain (device, request, 1);
  return finish_kernel (request, g_steal_pointer (&kernel));
}

#define ROW(op, ...)                                                                               \
  {                                                                                                \
    "", op, prepare_reduce, &(const ReduceFunction) { __VA_ARGS__ }                                \
  }

const SondeCpuRow sonde_cpu_reduce_rows[] = {
  ROW ("GlobalAveragePool", &sum, FINISH_SCALE, TRUE, TRUE),
  ROW ("GlobalMaxPool", &maximum, FINISH_SCALE, FALSE, TRUE),
  ROW ("ReduceL1", &sum_absolute, FINISH_SCALE),
  ROW ("ReduceL2", &sum_square, FINISH_ROOT),
  ROW ("ReduceLogSum", &sum, FINISH_LOGARITHM),
  ROW ("ReduceMax", &maximum, FINISH_SCALE),
  ROW ("ReduceMean", &sum, FINISH_SCALE, TRUE),
  ROW ("ReduceMin", &minimum, FINISH_SCALE),
  ROW ("ReduceProd", &product, FINISH_SCALE),
  ROW ("ReduceSum", &sum, FINISH_SCALE),
  ROW ("ReduceSumSquare", &sum_square, FINISH_SCALE),
  { NULL, NULL, NULL, NULL },
};
