/* SPDX-License-Identifier: Apache-2.0
 * SondeSampling at computed places: GridSample, AffineGrid. A grid is turned into taps (place and
 * weight) for a block of points at a time, which then serve all channels.
 * Formulas: ONNX operator GridSample; cubic convolution after Keys 1981 with a = -0.75. */
#include "engine/ops/image/sonde-grid-sample-private.h"
#include "engine/ops/sonde-op-dependency-rules.h"

#include <math.h>
#include <string.h>

#define BLOCK 64 /* points whose taps are made together */

/* Taps of the points of a block, point by point within each tap. */
typedef struct
{
  int n;
  gint32 place[64 * BLOCK];
  double weight_f64[64 * BLOCK];
  float weight_f32[64 * BLOCK];
} Taps;

/* ---- one coordinate ------------------------------------------------------ */

/* From [-1, 1] to elements, in the grid's own precision as other runtimes do. */
static double
to_elements (double normal, gint64 size, gboolean align, SondeDtype dtype)
{
  float x = (float) normal, n = (float) size;

  if (dtype == SONDE_DTYPE_F64)
    return align ? (normal + 1) / 2 * (double) (size - 1) : ((normal + 1) * (double) size - 1) / 2;
  return (double) (align ? (x + 1) / 2 * (n - 1) : ((x + 1) * n - 1) / 2);
}

/* Mirrored at both ends as often as it takes. */
static double
reflect (double x, double low, double high)
{
  double range = high - low;
  double distance = x < low ? low - x : x - high;
  double rest, times;

  if (!(distance > 0))
    return x;
  if (!(range > 0) || !isfinite (distance))
    return low;
  rest = fmod (distance, range);
  times = fmod (floor (distance / range), 2);
  return (x < low) == (times < 1) ? low + rest : high - rest;
}

/* Cubic filters reach over the border, where the border's elements stand: only their taps are moved
 * there. */
static double
pad_coordinate (double x, const SondeSampling *sampling, int d)
{
  double last = (double) sampling->in[d] - 1;
  double low = sampling->align ? 0 : -0.5, high = sampling->align ? last : last + 0.5;

  if (isnan (x))
    return sampling->padding == SONDE_PADDING_ZEROS ? -1e9 : 0;
  if (sampling->padding == SONDE_PADDING_BORDER)
    return sampling->taps == 4 ? CLAMP (x, -4, last + 4) : CLAMP (x, 0, last);
  return sampling->padding == SONDE_PADDING_REFLECTION ? reflect (x, low, high) : x;
}

/* An element of dimension @d; -1: zero. */
static gint64
pad_place (double place, const SondeSampling *sampling, int d)
{
  double last = (double) sampling->in[d] - 1;

  if (sampling->padding == SONDE_PADDING_ZEROS)
    return place >= 0 && place <= last ? (gint64) place : -1;
  if (sampling->padding == SONDE_PADDING_REFLECTION)
    place
        = trunc (reflect (place, sampling->align ? 0 : -0.5, sampling->align ? last : last + 0.5));
  return (gint64) CLAMP (place, 0, last);
}

static void
cubic_weights (double fraction, double *weights)
{
  const double a = -0.75;
  double x[] = { fraction + 1, fraction, 1 - fraction, 2 - fraction };

  weights[0] = ((a * x[0] - 5 * a) * x[0] + 8 * a) * x[0] - 4 * a;
  weights[1] = ((a + 2) * x[1] - (a + 3)) * x[1] * x[1] + 1;
  weights[2] = ((a + 2) * x[2] - (a + 3)) * x[2] * x[2] + 1;
  weights[3] = ((a * x[3] - 5 * a) * x[3] + 8 * a) * x[3] - 4 * a;
}

/* Of the weights with respect to the fraction. */
static void
cubic_slopes (double fraction, double *slopes)
{
  const double a = -0.75;
  double x[] = { fraction + 1, fraction, 1 - fraction, 2 - fraction };

  slopes[0] = (3 * a * x[0] - 10 * a) * x[0] + 8 * a;
  slopes[1] = (3 * (a + 2) * x[1] - 2 * (a + 3)) * x[1];
  slopes[2] = -(3 * (a + 2) * x[2] - 2 * (a + 3)) * x[2];
  slopes[3] = -((3 * a * x[3] - 10 * a) * x[3] + 8 * a);
}

/* How a padded coordinate moves with the grid. */
static double
coordinate_slope (const SondeSampling *sampling, int d, double x)
{
  double size = (double) sampling->in[d], scale = sampling->align ? (size - 1) / 2 : size / 2;
  double low = sampling->align ? 0 : -0.5, range = size - 1 - 2 * low;
  double distance = x < low ? low - x : x - (size - 1 - low);

  if (isnan (x) || sampling->taps == 1)
    return 0;
  if (sampling->padding == SONDE_PADDING_BORDER
      && (sampling->taps == 4 ? x < -4 || x > size + 3 : x < 0 || x > size - 1))
    return 0;
  if (sampling->padding != SONDE_PADDING_REFLECTION || !(distance > 0))
    return scale;
  if (!(range > 0) || !isfinite (distance))
    return 0;
  return fmod (floor (distance / range), 2) < 1 ? -scale : scale;
}

void
sonde_sampling_place (const SondeSampling *sampling, int d, double normal, gint64 *places,
                      double *weights, double *slopes)
{
  double x = to_elements (normal, sampling->in[d], sampling->align, sampling->grid_dtype);
  double moves = slopes != NULL ? coordinate_slope (sampling, d, x) : 0;
  double first;

  x = pad_coordinate (sampling->taps == 1 ? rint (x) : x, sampling, d);
  first = sampling->taps == 1 ? x : floor (x) - (sampling->taps == 4);
  if (sampling->taps == 1)
    weights[0] = 1;
  else if (sampling->taps == 4)
    cubic_weights (x - floor (x), weights);
  else
    {
      weights[0] = 1 - (x - first);
      weights[1] = x - first;
    }
  for (int t = 0; t < sampling->taps; t++)
    {
      places[t] = pad_place (first + t, sampling, d);
      weights[t] = places[t] < 0 ? 0 : weights[t];
    }
  if (slopes == NULL)
    return;
  slopes[0] = sampling->taps == 1 ? 0 : -1;
  slopes[1] = 1;
  if (sampling->taps == 4)
    cubic_slopes (x - floor (x), slopes);
  for (int t = 0; t < sampling->taps; t++)
    slopes[t] = places[t] < 0 ? 0 : slopes[t] * moves;
}

/* The taps of point @i of the block: all combinations of those of its dimensions. @normal:
 * innermost first. */
static void
point_taps (const SondeSampling *sampling, const double *normal, gint64 i, Taps *taps)
{
  gint64 places[SONDE_SAMPLE_DIMS][SONDE_SAMPLE_TAPS] = { { 0 } };
  double weights[SONDE_SAMPLE_DIMS][SONDE_SAMPLE_TAPS] = { { 0 } };

  for (int d = 0; d < sampling->n; d++)
    sonde_sampling_place (sampling, d, normal[sampling->n - 1 - d], places[d], weights[d], NULL);
  for (int t = 0; t < taps->n; t++)
    {
      gint64 place = 0;
      double weight = 1;
      int rest = t;

      for (int d = sampling->n - 1, stride = 1; d >= 0; d--, rest /= sampling->taps)
        {
          place += MAX (places[d][rest % sampling->taps], 0) * stride;
          weight *= weights[d][rest % sampling->taps];
          stride *= (int) sampling->in[d];
        }
      taps->place[t * BLOCK + i] = (gint32) place;
      taps->weight_f64[t * BLOCK + i] = weight;
      taps->weight_f32[t * BLOCK + i] = (float) weight;
    }
}

/* ---- GridSample ---------------------------------------------------------- */

/* Outside of the input a weight is 0 and nothing is read, be there NaN or not. */
#define SAMPLE_BLOCK(suffix, T)                                                                    \
  static inline void sample_taps_##suffix (const Taps *taps, int first, int n_taps, gint64 n,      \
                                           const T *x, T *restrict y)                              \
  {                                                                                                \
    for (gint64 i = 0; i < n; i++)                                                                 \
      {                                                                                            \
        T sum = first == 0 ? 0 : y[i];                                                             \
        for (int t = first; t < first + n_taps; t++)                                               \
          {                                                                                        \
            const T weight = taps->weight_##suffix[t * BLOCK + i];                                 \
            sum += weight != 0 ? weight * x[taps->place[t * BLOCK + i]] : 0;                       \
          }                                                                                        \
        y[i] = sum;                                                                                \
      }                                                                                            \
  }                                                                                                \
                                                                                                   \
  static void sample_block_##suffix (const SondeSampling *sampling, const Taps *taps, gint64 n,    \
                                     const void *from, void *to)                                   \
  {                                                                                                \
    const T *x = from;                                                                             \
    T *y = to;                                                                                     \
    for (gint64 c = 0; c < sampling->channels; c++, x += sampling->x_plane, y += sampling->points) \
      {                                                                                            \
        int t = 0;                                                                                 \
        for (; t + 4 <= taps->n; t += 4)                                                           \
          sample_taps_##suffix (taps, t, 4, n, x, y);                                              \
        for (; t < taps->n; t++)                                                                   \
          sample_taps_##suffix (taps, t, 1, n, x, y);                                              \
      }                                                                                            \
  }
SAMPLE_BLOCK (f32, float)
SAMPLE_BLOCK (f64, double)

static const char *const sample_modes[] = { "nearest", "linear", "cubic", NULL };
static const char *const paddings[] = { "zeros", "border", "reflection", NULL };

static int
index_of (const char *word, const char *const *words)
{
  for (int i = 0; words[i] != NULL; i++)
    if (strcmp (words[i], word) == 0)
      return i;
  return 0;
}

void
sonde_sampling_init (SondeSampling *sampling, const SondeNode *node, const SondeTensor *x,
                     const SondeTensor *grid)
{
  memset (sampling, 0, sizeof *sampling);
  sampling->n = x->shape.rank - 2;
  sampling->taps = 1 << index_of (sonde_node_get_string (node, "mode", "linear"), sample_modes);
  sampling->padding
      = (SondePadding) index_of (sonde_node_get_string (node, "padding_mode", "zeros"), paddings);
  sampling->align = sonde_node_get_int (node, "align_corners", 0) != 0;
  sampling->batch = x->shape.dims[0];
  sampling->channels = x->shape.dims[1];
  sampling->x_plane = sonde_shape_product (&x->shape, 2, x->shape.rank);
  sampling->points = sonde_shape_product (&grid->shape, 1, grid->shape.rank - 1);
  sampling->grid_dtype = grid->dtype;
  for (int d = 0; d < sampling->n; d++)
    sampling->in[d] = x->shape.dims[d + 2];
}

/* Blocks of points. */
static gint64
grid_sample_count (const SondeKernelContext *context, gint64 *cost)
{
  SondeSampling sampling;

  sonde_sampling_init (&sampling, context->node, context->inputs[0], context->inputs[1]);
  *cost = BLOCK * (gint64) pow (sampling.taps, sampling.n) * (sampling.channels + 4);
  return sampling.batch * ((sampling.points + BLOCK - 1) / BLOCK);
}

static void
sample_blocks (const SondeSampling *sampling, const guint8 *grid, SondeDtype dtype, const guint8 *x,
               guint8 *y, gint64 begin, gint64 end)
{
  gint64 blocks = (sampling->points + BLOCK - 1) / BLOCK;
  gsize size = sonde_dtype_size (dtype);
  double normal[SONDE_SAMPLE_DIMS * BLOCK];
  g_autofree Taps *taps = g_new (Taps, 1);

  taps->n = (int) pow (sampling->taps, sampling->n);
  for (gint64 item = begin; item < end; item++)
    {
      gint64 batch = item / blocks, first = item % blocks * BLOCK;
      gint64 n = MIN (BLOCK, sampling->points - first);
      gsize at = (gsize) ((batch * sampling->points + first) * sampling->n)
                 * sonde_dtype_size (sampling->grid_dtype);

      sonde_dtype_convert (sampling->grid_dtype, grid + at, SONDE_DTYPE_F64, normal,
                           (gsize) (n * sampling->n));
      for (gint64 i = 0; i < n; i++)
        point_taps (sampling, normal + i * sampling->n, i, taps);
      SONDE_FLOAT_CALL (dtype, sample_block, sampling, taps, n,
                        x + (gsize) (batch * sampling->channels * sampling->x_plane) * size,
                        y + (gsize) (batch * sampling->channels * sampling->points + first) * size);
    }
}

static void
grid_sample_part (const SondeKernelContext *context, gint64 begin, gint64 end)
{
  SondeSampling sampling;

  sonde_sampling_init (&sampling, context->node, context->inputs[0], context->inputs[1]);
  if (sampling.x_plane == 0)
    memset (context->outputs[0]->data, 0, sonde_tensor_n_bytes (context->outputs[0]));
  else
    sample_blocks (&sampling, context->inputs[1]->data, context->inputs[0]->dtype,
                   context->inputs[0]->data, context->outputs[0]->data, begin, end);
}

/* Integers are sampled as float64 and cut off. */
static void
compute_grid_sample (const SondeKernelContext *context)
{
  SondeTensor *x = context->inputs[0], *y = context->outputs[0];
  g_autoptr (SondeTensor) wide_x = NULL, wide_y = NULL;
  SondeTensor *inputs[] = { NULL, context->inputs[1] };
  SondeKernelContext wide = *context;
  gint64 cost = 0;
  gint64 n = grid_sample_count (context, &cost);

  if (sonde_dtype_is_float (x->dtype))
    {
      grid_sample_part (context, 0, n);
      return;
    }
  inputs[0] = wide_x = sonde_tensor_cast (x, SONDE_DTYPE_F64);
  wide_y = sonde_tensor_new (SONDE_DTYPE_F64, &y->shape);
  wide.inputs = inputs;
  wide.outputs = &wide_y;
  grid_sample_part (&wide, 0, n);
  sonde_dtype_convert (SONDE_DTYPE_F64, wide_y->data, y->dtype, y->data,
                       (gsize) sonde_tensor_n_elements (y));
}

/* What can be made in parts is of a float type. */
static gint64
count_grid_parts (const SondeKernelContext *context, gint64 *cost)
{
  gint64 n = grid_sample_count (context, cost);

  return sonde_dtype_is_float (context->inputs[0]->dtype) ? n : MIN (n, 1);
}

static void
compute_grid_part (const SondeKernelContext *context, gint64 begin, gint64 end)
{
  if (sonde_dtype_is_float (context->inputs[0]->dtype))
    grid_sample_part (context, begin, end);
  else if (begin < end)
    compute_grid_sample (context);
}

gboolean
sonde_sampling_infer (SondeInferContext *context, GError **error)
{
  const SondeType *x = &context->inputs[0], *grid = &context->inputs[1];
  gint64 plane = 1;

  if (x->dtype == SONDE_DTYPE_STRING)
    return sonde_infer_fail (error, "text cannot be sampled");
  if (!sonde_infer_need_float (context, 1, error))
    return FALSE;
  if (!sonde_infer_ready (context, 2))
    return TRUE;
  if (x->rank < 3 || x->rank > SONDE_SAMPLE_DIMS + 2 || grid->rank != x->rank)
    return sonde_infer_fail (
        error, "an input of %d dimensions with a grid of %d is not possible; both have 3 to %d",
        x->rank, grid->rank, SONDE_SAMPLE_DIMS + 2);
  if (grid->dims[grid->rank - 1].size >= 0 && grid->dims[grid->rank - 1].size != x->rank - 2)
    return sonde_infer_fail (error,
                             "the grid has %" PRIi64 " coordinates for each point, but needs %d",
                             grid->dims[grid->rank - 1].size, x->rank - 2);
  context->outputs[0] = sonde_infer_type (x->dtype, x->rank);
  context->outputs[0].dims[1] = x->dims[1];
  if (!sonde_dimension_unify (&x->dims[0], &grid->dims[0], &context->outputs[0].dims[0]))
    return sonde_infer_fail (error, "the input has %" PRIi64 " images, but the grid has %" PRIi64,
                             x->dims[0].size, grid->dims[0].size);
  for (int d = 2; d < x->rank; d++)
    {
      context->outputs[0].dims[d] = grid->dims[d - 1];
      plane = plane > G_MAXINT32 ? plane : plane * CLAMP (x->dims[d].size, 1, G_MAXINT32);
    }
  if (plane > G_MAXINT32)
    return sonde_infer_fail (error, "planes of more than %d elements are not implemented",
                             G_MAXINT32);
  return TRUE;
}

/* ---- AffineGrid ---------------------------------------------------------- */

gboolean
sonde_affine_grid_infer (SondeInferContext *context, GError **error)
{
  const SondeType *theta = &context->inputs[0];
  gsize n = 0;
  g_autofree gint64 *sizes = sonde_infer_known_ints (context, 1, &n);
  int spatial = 0;

  if (!sonde_infer_need_float (context, 0, error) || !sonde_infer_need_rank (context, 0, 3, error)
      || !sonde_infer_need_integer (context, 1, error))
    return FALSE;
  if (!sonde_infer_ready (context, 1))
    return TRUE;
  spatial = (int) CLAMP (theta->dims[1].size, -1, 9);
  if (spatial < 0 && sizes != NULL)
    spatial = (int) MIN (n, 9) - 2;
  if (spatial < 0)
    return TRUE;
  if ((spatial != 2 && spatial != 3)
      || (theta->dims[2].size >= 0 && theta->dims[2].size != spatial + 1)
      || (sizes != NULL && n != (gsize) spatial + 2))
    return sonde_infer_fail (error, "theta must be [N, 2, 3] with 4 sizes, or [N, 3, 4] with 5");
  context->outputs[0] = sonde_infer_type (theta->dtype, spatial + 2);
  context->outputs[0].dims[0] = theta->dims[0];
  context->outputs[0].dims[spatial + 1] = sonde_dimension (spatial);
  for (int d = 0; d < spatial && sizes != NULL; d++)
    {
      if (sizes[d + 2] < 0)
        return sonde_infer_fail (error, "size %" PRIi64 " is negative", sizes[d + 2]);
      context->outputs[0].dims[d + 1].size = sizes[d + 2];
    }
  return TRUE;
}

double
sonde_grid_position (gint64 i, gint64 size, gboolean align)
{
  if (align)
    return size > 1 ? -1 + 2 * (double) i / (double) (size - 1) : 0;
  return (2 * (double) i + 1) / (double) size - 1;
}

static void
compute_affine_grid (const SondeKernelContext *context)
{
  SondeTensor *theta = context->inputs[0], *y = context->outputs[0];
  gboolean align = sonde_node_get_int (context->node, "align_corners", 0) != 0;
  int n = y->shape.rank - 2;
  gint64 points = sonde_shape_product (&y->shape, 1, n + 1);
  double matrix[SONDE_SAMPLE_DIMS * (SONDE_SAMPLE_DIMS + 1)], position[SONDE_SAMPLE_DIMS],
      result[SONDE_SAMPLE_DIMS];
  gsize size = sonde_dtype_size (y->dtype);

  for (gint64 batch = 0; batch < y->shape.dims[0]; batch++)
    {
      sonde_dtype_convert (theta->dtype, theta->data + (gsize) (batch * n * (n + 1)) * size,
                           SONDE_DTYPE_F64, matrix, (gsize) (n * (n + 1)));
      for (gint64 i = 0; i < points; i++)
        {
          gint64 rest = i;

          for (int d = 0; d < n; d++) /* x first */
            {
              position[d]
                  = sonde_grid_position (rest % y->shape.dims[n - d], y->shape.dims[n - d], align);
              rest /= y->shape.dims[n - d];
            }
          for (int r = 0; r < n; r++)
            {
              result[r] = matrix[r * (n + 1) + n];
              for (int d = 0; d < n; d++)
                result[r] += matrix[r * (n + 1) + d] * position[d];
            }
          sonde_dtype_convert (SONDE_DTYPE_F64, result, y->dtype,
                               y->data + (gsize) ((batch * points + i) * n) * size, (gsize) n);
        }
    }
}

/* ---- rows ---------------------------------------------------------------- */

static gboolean
gradient_sampling (SondeGradientContext *context, GError **error)
{
  SondeGraphValue *inputs[]
      = { sonde_rule_dy (context), sonde_rule_x (context, 0), sonde_rule_x (context, 1) };
  SondeNode *node
      = sonde_graph_add_node (context->graph, NULL, SONDE_DOMAIN, "GridSampleGrad", inputs, 3, 2);

  sonde_rule_copy_attributes (node, context->node);
  (void) sonde_build_infer (context->graph, node, NULL);
  for (guint k = 0; k < 2; k++)
    if (context->wanted[k])
      context->input_gradients[k] = sonde_node_get_output (node, k);
  return TRUE;
}

static gboolean
gradient_affine_grid (SondeGradientContext *context, GError **error)
{
  context->input_gradients[0] = sonde_rule_own_copying (
      context, "AffineGridGrad", sonde_rule_dy (context), sonde_rule_x (context, 0), NULL);
  return TRUE;
}

const SondeAttributeRule sonde_grid_sample_rules[] = {
  { "align_corners", SONDE_ATTRIBUTE_INT },
  { "mode", SONDE_ATTRIBUTE_STRING, .choices = sample_modes },
  { "padding_mode", SONDE_ATTRIBUTE_STRING, .choices = paddings },
  { NULL },
};
const SondeAttributeRule sonde_affine_grid_rules[]
    = { { "align_corners", SONDE_ATTRIBUTE_INT }, { NULL } };

const SondeOpClass sonde_ops_grid_sample[] = {
  {
      .domain = "",
      .name = "AffineGrid",
      .since = 20,
      .min_inputs = 2,
      .max_inputs = 2,
      .min_outputs = 1,
      .max_outputs = 1,
      .family = SONDE_FAMILY_OTHER,
      .attributes = sonde_affine_grid_rules,
      .infer = sonde_affine_grid_infer,
      .compute = compute_affine_grid,
      .gradient = gradient_affine_grid,
      .reach = { sonde_reach_leading, 1 },
      .typing = SONDE_TYPING_OWN,
  },
  {
      .domain = "",
      .name = "GridSample",
      .since = 20,
      .min_inputs = 2,
      .max_inputs = 2,
      .min_outputs = 1,
      .max_outputs = 1,
      .family = SONDE_FAMILY_OTHER,
      .attributes = sonde_grid_sample_rules,
      .infer = sonde_sampling_infer,
      .compute = compute_grid_sample,
      .gradient = gradient_sampling,
      .count_parts = count_grid_parts,
      .compute_part = compute_grid_part,
      .reach = { sonde_reach_leading, 1 },
      .typing = SONDE_TYPING_LEADING (2),
  },
  { NULL },
};
