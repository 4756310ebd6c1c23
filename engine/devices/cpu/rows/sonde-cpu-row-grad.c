/* SPDX-License-Identifier: Apache-2.0
 * LayerNormalizationGrad, SoftmaxGrad, LogSoftmaxGrad of rows. Sums of a row are made in pieces of
 * floats and joined in double; sums over rows in blocks whose size does not depend on the number of
 * threads. */
#include "engine/devices/cpu/sonde-cpu-math.h"
#include "engine/devices/cpu/sonde-cpu-vectors.h"

#include <string.h>

#define LANES 16
/* Elements of a row that are summed in floats. */
#define PIECE 256
/* Rows whose share of dscale and dbias is one partial sum. */
#define BLOCK 32

/* Adds the lanes of some vectors of WIDTH in turn. */
#define ADD_PIECE(WIDTH, vectors, total)                                                           \
  G_STMT_START                                                                                     \
  {                                                                                                \
    double piece = 0;                                                                              \
    for (int k = 0; k < LANES; k++)                                                                \
      piece += (double) (vectors)[k / WIDTH][k % WIDTH];                                           \
    (total) += piece;                                                                              \
  }                                                                                                \
  G_STMT_END

/* Σ a·b; b NULL: Σ a. WIDTH: floats in a register */
#define SUM_PRODUCTS(name, WIDTH)                                                                  \
  SONDE_CPU_CLONES static double name (gint64 n, const float *a, const float *b)                   \
  {                                                                                                \
    double sum = 0;                                                                                \
    for (gint64 first = 0; first < n; first += PIECE)                                              \
      {                                                                                            \
        const gint64 end = MIN (first + PIECE, n);                                                 \
        SondeCpuFloats##WIDTH lanes[LANES / WIDTH] = { 0 };                                        \
        gint64 i = first;                                                                          \
        for (; b != NULL && i + LANES <= end; i += LANES)                                          \
          for (int v = 0; v < LANES / WIDTH; v++)                                                  \
            lanes[v] += SONDE_CPU_LOAD (WIDTH, a + i + v * WIDTH)                                  \
                        * SONDE_CPU_LOAD (WIDTH, b + i + v * WIDTH);                               \
        for (; i + LANES <= end; i += LANES)                                                       \
          for (int v = 0; v < LANES / WIDTH; v++)                                                  \
            lanes[v] += SONDE_CPU_LOAD (WIDTH, a + i + v * WIDTH);                                 \
        ADD_PIECE (WIDTH, lanes, sum);                                                             \
        for (; i < end; i++)                                                                       \
          sum += b != NULL ? (double) (a[i] * b[i]) : (double) a[i];                               \
      }                                                                                            \
    return sum;                                                                                    \
  }
SUM_PRODUCTS (sum_wide_products, 16)
SUM_PRODUCTS (sum_narrow_products, 8)

static double
sum_products (gint64 n, const float *a, const float *b)
{
  return sonde_cpu_has_wide_vectors () ? sum_wide_products (n, a, b)
                                       : sum_narrow_products (n, a, b);
}

/* ---- softmax ------------------------------------------------------------- */

/* x [outer, n]; @logarithm: of LogSoftmax */
typedef struct
{
  SondeKernel base;
  gint64 outer, n;
  gboolean logarithm;
} SoftmaxKernel;

typedef struct
{
  const SoftmaxKernel *kernel;
  const float *dy, *y;
  float *dx;
} SoftmaxCall;

SONDE_CPU_CLONES static void
softmax_grad_row (gint64 n, const float *dy, const float *y, float sum, gboolean logarithm,
                  float *dx)
{
  if (logarithm)
    {
#pragma GCC ivdep
      for (gint64 i = 0; i < n; i++)
        dx[i] = dy[i] - sonde_cpu_exp (y[i]) * sum;
    }
  else
    {
#pragma GCC ivdep
      for (gint64 i = 0; i < n; i++)
        dx[i] = y[i] * (dy[i] - sum);
    }
}

static void
softmax_range (gint64 begin, gint64 end, gpointer data)
{
  const SoftmaxCall *call = data;
  const SoftmaxKernel *k = call->kernel;

  for (gint64 at = begin * k->n; at < end * k->n; at += k->n)
    {
      const double sum = sum_products (k->n, call->dy + at, k->logarithm ? NULL : call->y + at);

      softmax_grad_row (k->n, call->dy + at, call->y + at, (float) sum, k->logarithm,
                        call->dx + at);
    }
}

static gboolean
run_softmax_grad (SondeCpuDevice *device, SondeKernel *base, const SondeRunArguments *arguments,
                  GError **error)
{
  const SoftmaxKernel *k = (SoftmaxKernel *) base;
  SoftmaxCall call = { k, arguments->inputs[0], arguments->inputs[1], arguments->outputs[0] };

  sonde_cpu_for (device, k->outer, (k->logarithm ? 6 : 2) * k->n, softmax_range, &call);
  return TRUE;
}

/* Along the last dimension; else the reference. */
static SondeKernel *
prepare_softmax_grad (SondeCpuDevice *device, SondePrepareRequest *request)
{
  const SondeNode *node = request->nodes[0];
  gint64 axis = sonde_node_get_int (node, "axis", -1);
  SoftmaxKernel *kernel;
  SondeShape dy, y;

  if (!sonde_cpu_input_f32 (request, 0, &dy) || !sonde_cpu_input_f32 (request, 1, &y)
      || dy.rank == 0 || (axis != -1 && axis != dy.rank - 1))
    return NULL;

  sonde_cpu_want_plain (device, request, 0);
  sonde_cpu_want_plain (device, request, 1);
  kernel = g_new0 (SoftmaxKernel, 1);
  kernel->base.run = run_softmax_grad;
  kernel->logarithm = sonde_node_is (node, SONDE_OP_ID_LOG_SOFTMAX_GRAD);
  kernel->n = dy.dims[dy.rank - 1];
  kernel->outer = sonde_shape_n_elements (&dy) / kernel->n;

  /* A row's sum is known before its first place is written. */
  request->in_place = TRUE;
  request->workspace_bytes = 0;
  request->implementation = "rows";
  return &kernel->base;
}

/* ---- LayerNormalizationGrad (dy, x, scale, mean, 1/σ) → dx, dscale, dbias ---- */

/* x [outer, n] */
typedef struct
{
  SondeKernel base;
  gint64 outer, n;
  gboolean has_output[3];
} LayerKernel;

/* @partial: [blocks, 2, n]: shares of dscale and dbias */
typedef struct
{
  const LayerKernel *kernel;
  const float *dy, *x, *scale, *means, *inverses;
  float *dx, *partial, *dscale, *dbias;
} LayerCall;

/* Σ dy·scale and Σ dy·scale·(x − mean); the row's share of dscale and dbias. */
#define LAYER_SUMS(name, WIDTH)                                                                    \
  SONDE_CPU_CLONES static void name (                                                              \
      gint64 n, const float *dy, const float *x, const float *scale, float mean, float inverse,    \
      float *restrict dscale, float *restrict dbias, double *plain, double *centred)               \
  {                                                                                                \
    *plain = *centred = 0;                                                                         \
    for (gint64 first = 0; first < n; first += PIECE)                                              \
      {                                                                                            \
        const gint64 end = MIN (first + PIECE, n);                                                 \
        SondeCpuFloats##WIDTH sum[LANES / WIDTH] = { 0 }, product[LANES / WIDTH] = { 0 };          \
        gint64 i = first;                                                                          \
        for (; i + LANES <= end; i += LANES)                                                       \
          for (int v = 0; v < LANES / WIDTH; v++)                                                  \
            {                                                                                      \
              const gint64 at = i + v * WIDTH;                                                     \
              const SondeCpuFloats##WIDTH d = SONDE_CPU_LOAD (WIDTH, dy + at),                     \
                                          g = d * SONDE_CPU_LOAD (WIDTH, scale + at),              \
                                          c = SONDE_CPU_LOAD (WIDTH, x + at) - mean;               \
              sum[v] += g;                                                                         \
              product[v] += g * c;                                                                 \
              SONDE_CPU_LOAD (WIDTH, dscale + at) += d * (c * inverse);                            \
              SONDE_CPU_LOAD (WIDTH, dbias + at) += d;                                             \
            }                                                                                      \
        ADD_PIECE (WIDTH, sum, *plain);                                                            \
        ADD_PIECE (WIDTH, product, *centred);                                                      \
        for (; i < end; i++)                                                                       \
          {                                                                                        \
            const float g = dy[i] * scale[i], c = x[i] - mean;                                     \
            *plain += (double) g;                                                                  \
            *centred += (double) (g * c);                                                          \
            dscale[i] += dy[i] * (c * inverse);                                                    \
            dbias[i] += dy[i];                                                                     \
          }                                                                                        \
      }                                                                                            \
  }
LAYER_SUMS (layer_wide_sums, 16)
LAYER_SUMS (layer_narrow_sums, 8)

static void
layer_sums (gint64 n, const float *dy, const float *x, const float *scale, float mean,
            float inverse, float *restrict dscale, float *restrict dbias, double *plain,
            double *centred)
{
  (sonde_cpu_has_wide_vectors () ? layer_wide_sums : layer_narrow_sums) (
      n, dy, x, scale, mean, inverse, dscale, dbias, plain, centred);
}

/* dx = (dy·scale − a − (x − mean)·b)/σ */
SONDE_CPU_CLONES static void
layer_row (gint64 n, const float *dy, const float *x, const float *scale, float mean, float inverse,
           float a, float b, float *dx)
{
#pragma GCC ivdep
  for (gint64 i = 0; i < n; i++)
    dx[i] = inverse * (dy[i] * scale[i] - a - (x[i] - mean) * b);
}

static void
layer_range (gint64 begin, gint64 end, gpointer data)
{
  const LayerCall *call = data;
  const LayerKernel *k = call->kernel;
  const double n = (double) k->n;

  for (gint64 block = begin; block < end; block++)
    {
      float *dscale = call->partial + 2 * block * k->n;

      memset (dscale, 0, (gsize) (2 * k->n) * sizeof (float));
      for (gint64 row = block * BLOCK; row < MIN ((block + 1) * BLOCK, k->outer); row++)
        {
          const float *dy = call->dy + row * k->n, *x = call->x + row * k->n;
          const float mean = call->means[row], inverse = call->inverses[row];
          double plain, centred;

          layer_sums (k->n, dy, x, call->scale, mean, inverse, dscale, dscale + k->n, &plain,
                      &centred);
          if (call->dx != NULL)
            layer_row (k->n, dy, x, call->scale, mean, inverse, (float) (plain / n),
                       (float) (centred / n * (double) inverse * (double) inverse),
                       call->dx + row * k->n);
        }
    }
}

static void
join_range (gint64 begin, gint64 end, gpointer data)
{
  const LayerCall *call = data;
  const LayerKernel *k = call->kernel;
  const gint64 blocks = (k->outer + BLOCK - 1) / BLOCK;

  for (gint64 i = begin; i < end; i++)
    {
      double dscale = 0, dbias = 0;

      for (gint64 block = 0; block < blocks; block++)
        {
          dscale += (double) call->partial[2 * block * k->n + i];
          dbias += (double) call->partial[(2 * block + 1) * k->n + i];
        }
      if (call->dscale != NULL)
        call->dscale[i] = (float) dscale;
      if (call->dbias != NULL)
        call->dbias[i] = (float) dbias;
    }
}

static gboolean
run_layer_grad (SondeCpuDevice *device, SondeKernel *base, const SondeRunArguments *arguments,
                GError **error)
{
  const LayerKernel *k = (LayerKernel *) base;
  const gint64 blocks = (k->outer + BLOCK - 1) / BLOCK;
  LayerCall call = {
    .kernel = k,
    .dy = arguments->inputs[0],
    .x = arguments->inputs[1],
    .scale = arguments->inputs[2],
    .means = arguments->inputs[3],
    .inverses = arguments->inputs[4],
    .dx = k->has_output[0] ? arguments->outputs[0] : NULL,
    .partial = arguments->workspace,
    .dscale = k->has_output[1] ? arguments->outputs[1] : NULL,
    .dbias = k->has_output[2] ? arguments->outputs[2] : NULL,
  };

  sonde_cpu_for (device, blocks, 4 * BLOCK * k->n, layer_range, &call);
  if (call.dscale != NULL || call.dbias != NULL)
    sonde_cpu_for (device, k->n, 2 * blocks, join_range, &call);
  return TRUE;
}

static SondeKernel *
prepare_layer_grad (SondeCpuDevice *device, SondePrepareRequest *request)
{
  gint64 axis = sonde_node_get_int (request->nodes[0], "axis", -1), n = 1;
  LayerKernel *kernel;
  SondeShape shapes[5];

  if (request->n_inputs != G_N_ELEMENTS (shapes))
    return NULL;
  for (guint k = 0; k < request->n_inputs; k++)
    if (!sonde_cpu_input_f32 (request, k, &shapes[k]))
      return NULL;

  axis += axis < 0 ? shapes[1].rank : 0;
  if (axis < 0 || axis >= shapes[1].rank)
    return NULL;

  for (gint64 d = axis; d < shapes[1].rank; d++)
    n *= shapes[1].dims[d];
  if (sonde_shape_n_elements (&shapes[2]) != n)
    return NULL;

  for (guint k = 0; k < request->n_inputs; k++)
    sonde_cpu_want_plain (device, request, k);

  kernel = g_new0 (LayerKernel, 1);
  kernel->base.run = run_layer_grad;
  kernel->n = n;
  kernel->outer = sonde_shape_n_elements (&shapes[1]) / n;
  for (guint k = 0; k < G_N_ELEMENTS (kernel->has_output); k++)
    kernel->has_output[k] = sonde_cpu_has_output (request, k);

  /* A row's sums are known before its first place is written. */
  request->in_place = TRUE;
  request->workspace_bytes = (gsize) ((kernel->outer + BLOCK - 1) / BLOCK * 2 * n) * sizeof (float);
  request->implementation = "rows";
  return &kernel->base;
}

const SondeCpuRow sonde_cpu_row_grad_rows[] = {
  { SONDE_DOMAIN, "LayerNormalizationGrad", prepare_layer_grad },
  { SONDE_DOMAIN, "LogSoftmaxGrad", prepare_softmax_grad },
  { SONDE_DOMAIN, "SoftmaxGrad", prepare_softmax_grad },
  { NULL, NULL, NULL },
};
