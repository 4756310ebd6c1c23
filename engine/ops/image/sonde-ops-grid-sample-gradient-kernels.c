/* SPDX-License-Identifier: Apache-2.0
 * Gradients of GridSample (for the image and for the grid) and AffineGrid, in float64. */
#include "engine/ops/image/sonde-grid-sample-private.h"
#include "engine/ops/sonde-op-dependency-rules.h"

#include <math.h>
#include <string.h>

/* ---- GridSampleGrad ------------------------------------------------------ */

/* (dy, x, grid) → dx, dgrid */
static gboolean
infer_sample_grad (SondeInferContext *context, GError **error)
{
  if (!sonde_infer_need_same (context, 0, 1, error)
      || !sonde_infer_backwards (context, sonde_sampling_infer, error))
    return FALSE;
  for (guint k = 0; k < context->n_outputs; k++)
    context->outputs[k] = context->inputs[k + 1];
  return TRUE;
}

/* One sample of the batch: @dx [channels, plane], @dgrid [points, n] */
typedef struct
{
  const SondeSampling *sampling;
  const double *dy, *x, *grid;
  double *dx, *dgrid;
} Back;

/* A combination of taps: where it is, its weight, and how that moves with each coordinate
 * (outermost first). */
typedef struct
{
  gint64 place;
  double weight, slopes[SONDE_SAMPLE_DIMS];
} Corner;

static void
join_corner (const SondeSampling *sampling, gint64 places[][SONDE_SAMPLE_TAPS],
             double weights[][SONDE_SAMPLE_TAPS], double slopes[][SONDE_SAMPLE_TAPS], int number,
             Corner *corner)
{
  gint64 stride = 1;

  *corner = (Corner){ 0, 1, { 1, 1, 1 } };
  for (int d = sampling->n - 1; d >= 0; d--, number /= sampling->taps)
    {
      int t = number % sampling->taps;

      corner->place += MAX (places[d][t], 0) * stride;
      corner->weight *= weights[d][t];
      for (int other = 0; other < sampling->n; other++)
        corner->slopes[other] *= other == d ? slopes[d][t] : weights[d][t];
      stride *= sampling->in[d];
    }
}

/* An element outside has no weight in any factor, and is not read. */
static void
add_corner (Back *back, const Corner *corner, gint64 point)
{
  const SondeSampling *sampling = back->sampling;
  double sum = 0;

  for (gint64 c = 0; c < sampling->channels; c++)
    {
      const double dy = back->dy[c * sampling->points + point];

      back->dx[c * sampling->x_plane + corner->place] += corner->weight * dy;
      sum += dy * back->x[c * sampling->x_plane + corner->place];
    }
  for (int d = 0; d < sampling->n; d++)
    back->dgrid[point * sampling->n + sampling->n - 1 - d]
        += corner->slopes[d] != 0 ? corner->slopes[d] * sum : 0;
}

static void
back_point (Back *back, int n_corners, gint64 point)
{
  const SondeSampling *sampling = back->sampling;
  gint64 places[SONDE_SAMPLE_DIMS][SONDE_SAMPLE_TAPS] = { { 0 } };
  double weights[SONDE_SAMPLE_DIMS][SONDE_SAMPLE_TAPS] = { { 0 } },
         slopes[SONDE_SAMPLE_DIMS][SONDE_SAMPLE_TAPS] = { { 0 } };

  for (int d = 0; d < sampling->n; d++)
    sonde_sampling_place (sampling, d, back->grid[point * sampling->n + sampling->n - 1 - d],
                          places[d], weights[d], slopes[d]);
  for (int i = 0; i < n_corners; i++)
    {
      Corner corner;
      gboolean moves = FALSE;

      join_corner (sampling, places, weights, slopes, i, &corner);
      for (int d = 0; d < sampling->n; d++)
        moves |= corner.slopes[d] != 0;
      if (corner.weight != 0 || moves)
        add_corner (back, &corner, point);
    }
}

static void
load_sample (const SondeTensor *tensor, gint64 batch, gint64 n, double *to)
{
  sonde_kernel_load (tensor, batch * n, n, to);
}

/* An item is one sample. */
static void
sample_grad_part (const SondeKernelContext *context, gint64 begin, gint64 end)
{
  SondeSampling s;
  g_autofree double *dy = NULL, *x = NULL, *grid = NULL, *dx = NULL, *dgrid = NULL;
  gint64 n_x, n_y, n_grid;

  sonde_sampling_init (&s, context->node, context->inputs[1], context->inputs[2]);
  n_x = s.channels * s.x_plane;
  n_y = s.channels * s.points;
  n_grid = s.points * s.n;
  dy = g_new (double, n_y + 1);
  x = g_new (double, n_x + 1);
  grid = g_new (double, n_grid + 1);
  dx = g_new (double, n_x + 1);
  dgrid = g_new (double, n_grid + 1);
  for (gint64 batch = begin; batch < end; batch++)
    {
      Back back = { &s, dy, x, grid, dx, dgrid };

      load_sample (context->inputs[0], batch, n_y, dy);
      load_sample (context->inputs[1], batch, n_x, x);
      load_sample (context->inputs[2], batch, n_grid, grid);
      memset (dx, 0, sizeof (double) * (gsize) n_x);
      memset (dgrid, 0, sizeof (double) * (gsize) n_grid);
      for (gint64 point = 0; point < s.points && s.x_plane > 0; point++)
        back_point (&back, (int) pow (s.taps, s.n), point);
      sonde_kernel_store (dx, n_x, sonde_kernel_output (context, 0), batch * n_x);
      sonde_kernel_store (dgrid, n_grid, sonde_kernel_output (context, 1), batch * n_grid);
    }
}

static gint64
sample_grad_count (const SondeKernelContext *context, gint64 *cost)
{
  SondeSampling s;

  sonde_sampling_init (&s, context->node, context->inputs[1], context->inputs[2]);
  *cost = s.points * (s.channels + 4) * (gint64) pow (s.taps, s.n);
  return s.batch;
}
SONDE_COMPUTE_PARTS (sample_grad)

/* ---- AffineGridGrad ------------------------------------------------------ */

/* (dgrid, like theta) → dtheta */
static gboolean
infer_affine_grad (SondeInferContext *context, GError **error)
{
  const SondeType *dgrid = &context->inputs[0], *theta = &context->inputs[1];
  gint64 n;

  if (!sonde_infer_need_float (context, 0, error) || !sonde_infer_need_same (context, 0, 1, error)
      || !sonde_infer_need_rank (context, 1, 3, error))
    return FALSE;
  if (!sonde_infer_ready (context, 2))
    return TRUE;
  n = dgrid->rank - 2;
  if (n < 2 || n > SONDE_SAMPLE_DIMS
      || (dgrid->dims[n + 1].size >= 0 && dgrid->dims[n + 1].size != n)
      || (theta->dims[1].size >= 0 && theta->dims[1].size != n)
      || (theta->dims[2].size >= 0 && theta->dims[2].size != n + 1)
      || (theta->dims[0].size >= 0 && dgrid->dims[0].size >= 0
          && theta->dims[0].size != dgrid->dims[0].size))
    return sonde_infer_fail (error, "the gradient does not look like a grid of that matrix");
  context->outputs[0] = *theta;
  return TRUE;
}

/* dtheta = Σ dgrid·(position, 1)ᵀ; an item is one sample */
static void
affine_grad_part (const SondeKernelContext *context, gint64 begin, gint64 end)
{
  const SondeTensor *dgrid = context->inputs[0];
  const SondeShape *shape = &dgrid->shape;
  gboolean align = sonde_node_get_int (context->node, "align_corners", 0) != 0;
  int n = shape->rank - 2;
  gint64 points = sonde_shape_product (shape, 1, n + 1);

  for (gint64 batch = begin; batch < end; batch++)
    {
      double matrix[SONDE_SAMPLE_DIMS * (SONDE_SAMPLE_DIMS + 1)] = { 0 };

      for (gint64 i = 0; i < points; i++)
        {
          double position[SONDE_SAMPLE_DIMS + 1], d[SONDE_SAMPLE_DIMS];
          gint64 rest = i;

          for (int k = 0; k < n; k++) /* x first */
            {
              position[k]
                  = sonde_grid_position (rest % shape->dims[n - k], shape->dims[n - k], align);
              rest /= shape->dims[n - k];
            }
          position[n] = 1;
          sonde_kernel_load (dgrid, (batch * points + i) * n, n, d);
          for (int k = 0; k < n * (n + 1); k++)
            matrix[k] += d[k / (n + 1)] * position[k % (n + 1)];
        }
      sonde_kernel_store (matrix, n * (n + 1), context->outputs[0], batch * n * (n + 1));
    }
}

static gint64
affine_grad_count (const SondeKernelContext *context, gint64 *cost)
{
  const SondeShape *shape = &context->inputs[0]->shape;

  *cost = 8 * sonde_shape_product (shape, 1, shape->rank);
  return shape->dims[0];
}
SONDE_COMPUTE_PARTS (affine_grad)

/* Linear: the grid of d, whose sizes are those of the grid that came back, [N, …, n] for [N, C,
 * …]. */
static gboolean
gradient_affine_grad (SondeGradientContext *context, GError **error)
{
  const gint64 one = 1;
  SondeGraphValue *spatial = sonde_rule_unary (context, "Shape", sonde_rule_x (context, 0));
  SondeGraphValue *batch = sonde_rule_unary (context, "Shape", sonde_rule_x (context, 0)),
                  *parts[3], *y = NULL;

  sonde_node_set_int (batch->producer, "end", 1);
  sonde_node_set_int (spatial->producer, "start", 1);
  sonde_node_set_int (spatial->producer, "end", -1);
  parts[0] = sonde_rule_infer (context, batch);
  parts[1] = sonde_build_ints (context->graph, &one, 1);
  parts[2] = sonde_rule_infer (context, spatial);
  y = sonde_build_op (context->graph, NULL, "", "Concat", G_N_ELEMENTS (parts), parts);
  sonde_node_set_int (y->producer, "axis", 0);
  y = sonde_rule_binary (context, "AffineGrid", sonde_rule_dy (context),
                         sonde_rule_infer (context, y));
  sonde_rule_copy_attributes (y->producer, context->node);
  context->input_gradients[0] = sonde_rule_infer (context, y);
  return TRUE;
}

/* ---- rows ---------------------------------------------------------------- */

const SondeOpClass sonde_ops_grid_sample_gradient_kernels[] = {
  {
      .domain = SONDE_DOMAIN,
      .name = "AffineGridGrad",
      .since = 1,
      .min_inputs = 2,
      .max_inputs = 2,
      .min_outputs = 1,
      .max_outputs = 1,
      .family = SONDE_FAMILY_GRADIENT,
      .attributes = sonde_affine_grid_rules,
      .infer = infer_affine_grad,
      .compute = compute_affine_grad,
      .gradient = gradient_affine_grad,
      .count_parts = affine_grad_count,
      .compute_part = affine_grad_part,
      .shape_only = 1 << 1,
      .reach = { sonde_reach_everything, 0 },
      .typing = SONDE_TYPING_OWN,
  },
  {
      .domain = SONDE_DOMAIN,
      .name = "GridSampleGrad",
      .since = 1,
      .min_inputs = 3,
      .max_inputs = 3,
      .min_outputs = 1,
      .max_outputs = 2,
      .family = SONDE_FAMILY_GRADIENT,
      .attributes = sonde_grid_sample_rules,
      .infer = infer_sample_grad,
      .compute = compute_sample_grad,
      .count_parts = sample_grad_count,
      .compute_part = sample_grad_part,
      .reach = { sonde_reach_everything, 0 },
      .typing = SONDE_TYPING_OWN,
  },
  { .name = NULL },
};
