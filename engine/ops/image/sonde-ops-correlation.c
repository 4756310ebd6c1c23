/* SPDX-License-Identifier: Apache-2.0
 * sonde.Correlation (a, b) → y: the cost volume of optical flow networks. a, b [N, C, H, W]; y
 * [N, D², H, W] with D = 2·(max_displacement / displacement_stride) + 1. Channel k of y is what the
 * window of kernel_size around (h, w) of a has in common with that of b moved by δ, the k-th
 * displacement in row-major order:
 *
 *   y[k, p] = 1/(C·kernel_size²) · Σ_c Σ_o a[c, p + o]·b[c, p + o + δ_k],  0 outside of a and b
 *
 * sonde.CorrelationGrad (dy, a, b) → da, db. Sums are made in double.
 * Source: Dosovitskiy et al. 2015 (FlowNet), eq. 1, and Sun et al. 2018 (PWC-Net), eq. 3. */
#include "engine/ops/sonde-op-dependency-rules.h"
#include "engine/ops/sonde-op-implement.h"

#include <string.h>

#define MOST_WINDOW 1023
#define MOST_DISPLACEMENT 1024

/**
 * Correlation: sizes of one node
 * @radius: of the window, 0 for a single element; @reach: the largest displacement that occurs
 * @side: displacements in each of two directions
 */
typedef struct
{
  gint64 samples, channels, height, width;
  gint64 radius, stride, reach, side;
  double scale;
} Correlation;

static Correlation
read_correlation (const SondeNode *node, const SondeShape *a)
{
  const gint64 window = sonde_node_get_int (node, "kernel_size", 1);
  const gint64 stride = sonde_node_get_int (node, "displacement_stride", 1);
  const gint64 steps = sonde_node_get_int (node, "max_displacement", 0) / stride;

  return (Correlation){ .samples = a->dims[0],
                        .channels = a->dims[1],
                        .height = a->dims[2],
                        .width = a->dims[3],
                        .radius = window / 2,
                        .stride = stride,
                        .reach = steps * stride,
                        .side = 2 * steps + 1,
                        .scale = 1.0 / (double) (MAX (a->dims[1], 1) * window * window) };
}

/* Displacement of channel @k of the result. */
static void
displacement (const Correlation *c, gint64 k, gint64 *down, gint64 *across)
{
  *down = k / c->side * c->stride - c->reach;
  *across = k % c->side * c->stride - c->reach;
}

/* The ranges hold for nodes that nobody checked, too: rules are asked about any. */
static gboolean
check_sizes (const SondeNode *node, GError **error)
{
  const gint64 window = sonde_node_get_int (node, "kernel_size", 1);
  const gint64 stride = sonde_node_get_int (node, "displacement_stride", 1);
  const gint64 most = sonde_node_get_int (node, "max_displacement", 0);

  if (window < 1 || window > MOST_WINDOW || window % 2 == 0)
    return sonde_infer_fail (error, "kernel_size must be odd and at most %d", MOST_WINDOW);
  if (stride < 1 || stride > MOST_DISPLACEMENT || most < 0 || most > MOST_DISPLACEMENT)
    return sonde_infer_fail (error, "displacements must be at most %d, their stride at least 1",
                             MOST_DISPLACEMENT);
  return TRUE;
}

static gboolean
infer_correlation (SondeInferContext *context, GError **error)
{
  const SondeType *a = &context->inputs[0], *b = &context->inputs[1];
  const SondeShape none = { .rank = 4 };
  gint64 side;

  if (!sonde_infer_need_float (context, 0, error) || !sonde_infer_need_same (context, 0, 1, error)
      || !sonde_infer_need_rank (context, 0, 4, error)
      || !sonde_infer_need_rank (context, 1, 4, error))
    return FALSE;
  if (!check_sizes (context->node, error))
    return FALSE;
  if (!sonde_infer_ready (context, 2))
    return TRUE;
  if (!sonde_infer_need_shape (b, a, N_ ("the second operand"), error))
    return FALSE;

  side = read_correlation (context->node, &none).side;
  context->outputs[0] = *a;
  context->outputs[0].dims[1] = sonde_dimension (side * side);
  return TRUE;
}

/* ---- kernels ------------------------------------------------------------- */

/* @to: sums of @from [height, width] over the window around each element. */
static void
sum_windows (const Correlation *c, const double *from, double *to)
{
  for (gint64 h = 0; h < c->height; h++)
    for (gint64 w = 0; w < c->width; w++)
      {
        double sum = 0;

        for (gint64 y = MAX (h - c->radius, 0); y <= MIN (h + c->radius, c->height - 1); y++)
          for (gint64 x = MAX (w - c->radius, 0); x <= MIN (w + c->radius, c->width - 1); x++)
            sum += from[y * c->width + x];
        to[h * c->width + w] = sum;
      }
}

/**
 * multiply_displaced:
 * @z: (array): [height, width]; @a, @b: [channels, height, width] of one sample
 * @da, @db: (nullable): NULL: forwards, @z is set to the sum of the products; else their gradients,
 *   to which what @z says is added
 */
static void
multiply_displaced (const Correlation *c, gint64 k, double *z, const double *a, const double *b,
                    double *da, double *db)
{
  const gint64 plane = c->height * c->width;
  gint64 down, across;

  displacement (c, k, &down, &across);
  for (gint64 channel = 0; channel < c->channels; channel++)
    for (gint64 h = MAX (0, -down); h < MIN (c->height, c->height - down); h++)
      for (gint64 w = MAX (0, -across); w < MIN (c->width, c->width - across); w++)
        {
          const gint64 at = h * c->width + w, here = channel * plane + at;
          const gint64 there = here + down * c->width + across;

          if (da == NULL)
            z[at] += c->scale * a[here] * b[there];
          else
            {
              da[here] += c->scale * z[at] * b[there];
              db[there] += c->scale * z[at] * a[here];
            }
        }
}

static void
compute_correlation (const SondeKernelContext *context)
{
  const Correlation c = read_correlation (context->node, &context->inputs[0]->shape);
  const gint64 plane = c.height * c.width, n = c.side * c.side;
  g_autofree double *a = sonde_kernel_doubles (context->inputs[0]),
                    *b = sonde_kernel_doubles (context->inputs[1]);
  g_autofree double *z = g_new (double, plane + 1), *y = g_new (double, plane + 1);

  for (gint64 sample = 0; sample < c.samples; sample++)
    for (gint64 k = 0; k < n; k++)
      {
        const gint64 first = sample * c.channels * plane;

        memset (z, 0, (gsize) plane * sizeof *z);
        multiply_displaced (&c, k, z, a + first, b + first, NULL, NULL);
        sum_windows (&c, z, y);
        sonde_kernel_store (y, plane, context->outputs[0], (sample * n + k) * plane);
      }
}

static void
compute_correlation_grad (const SondeKernelContext *context)
{
  const Correlation c = read_correlation (context->node, &context->inputs[1]->shape);
  const gint64 plane = c.height * c.width, n = c.side * c.side;
  const gint64 n_elements = sonde_tensor_n_elements (context->inputs[1]);
  g_autofree double *dy = sonde_kernel_doubles (context->inputs[0]),
                    *a = sonde_kernel_doubles (context->inputs[1]),
                    *b = sonde_kernel_doubles (context->inputs[2]);
  g_autofree double *da = g_new0 (double, n_elements + 1), *db = g_new0 (double, n_elements + 1),
                    *z = g_new (double, plane + 1);

  for (gint64 sample = 0; sample < c.samples; sample++)
    for (gint64 k = 0; k < n; k++)
      {
        const gint64 first = sample * c.channels * plane;

        sum_windows (&c, dy + (sample * n + k) * plane, z);
        multiply_displaced (&c, k, z, a + first, b + first, da + first, db + first);
      }
  sonde_kernel_store (da, n_elements, sonde_kernel_output (context, 0), 0);
  sonde_kernel_store (db, n_elements, sonde_kernel_output (context, 1), 0);
}

static void
cost_correlation (const SondeInferContext *context, SondeCost *cost)
{
  const SondeType *y = &context->outputs[0];
  const gint64 n = y->rank == 4 ? sonde_type_product (y, 0, 4) : -1;

  cost->flops = n > 0 ? 2.0 * (double) n * (double) MAX (context->inputs[0].dims[1].size, 0) : 0;
}

/* ---- gradient ------------------------------------------------------------ */

static gboolean
infer_correlation_grad (SondeInferContext *context, GError **error)
{
  if (!sonde_infer_backwards (context, infer_correlation, error))
    return FALSE;
  for (guint k = 0; k < context->n_outputs; k++)
    context->outputs[k] = context->inputs[k + 1];
  return TRUE;
}

static gboolean
gradient_correlation (SondeGradientContext *context, GError **error)
{
  SondeGraphValue *inputs[]
      = { sonde_rule_dy (context), sonde_rule_x (context, 0), sonde_rule_x (context, 1) };
  SondeNode *node = sonde_graph_add_node (context->graph, NULL, SONDE_DOMAIN, "CorrelationGrad",
                                          inputs, G_N_ELEMENTS (inputs), 2);

  sonde_rule_copy_attributes (node, context->node);
  (void) sonde_build_infer (context->graph, node, NULL);
  for (guint k = 0; k < 2; k++)
    if (context->wanted[k])
      context->input_gradients[k] = sonde_node_get_output (node, k);
  return TRUE;
}

/* ---- dependency ---------------------------------------------------------- */

/* The window of a, and that of b where the displacement puts it; of both only what has a partner
 * inside of the other. */
static gboolean
reach_correlation (SondeReachContext *context)
{
  for (guint k = 0; k < 2; k++)
    {
      const SondeTensor *tensor = sonde_reach_input (context, k);
      SondeReach reach;
      Correlation c;
      gint64 moves[2];

      if (tensor == NULL)
        continue;
      c = read_correlation (context->node, &tensor->shape);
      displacement (&c, context->index[1], &moves[0], &moves[1]);
      reach = sonde_reach_whole (tensor, k);
      sonde_reach_at (&reach, 0, context->index[0]);
      for (int d = 0; d < 2; d++)
        {
          const gint64 size = tensor->shape.dims[d + 2], own = k == 0 ? 0 : moves[d];
          const gint64 begin = MAX (context->index[d + 2] - c.radius, MAX (0, -moves[d]));
          const gint64 end
              = MIN (context->index[d + 2] + c.radius + 1, MIN (size, size - moves[d]));

          sonde_reach_range (&reach, d + 2, begin + own, MAX (begin, end) + own);
        }
      sonde_reach_add (context, &reach);
    }
  return TRUE;
}

/* da is made of dy under the window and of b around it, db of dy that much further away and of
 * a. */
static gboolean
reach_correlation_grad (SondeReachContext *context)
{
  const gboolean second = context->output == 1;
  const guint from[] = { 0, second ? 1 : 2 };

  for (gsize i = 0; i < G_N_ELEMENTS (from); i++)
    {
      const SondeTensor *tensor = sonde_reach_input (context, from[i]);
      const Correlation c = read_correlation (context->node, context->shape);
      const gint64 margin = (i == 0 ? c.radius : c.reach) + (i == 0 && second ? c.reach : 0);
      SondeReach reach;

      if (tensor == NULL)
        continue;
      reach = sonde_reach_whole (tensor, from[i]);
      sonde_reach_at (&reach, 0, context->index[0]);
      if (i == 1)
        sonde_reach_at (&reach, 1, context->index[1]);
      for (int d = 2; d < 4; d++)
        sonde_reach_range (&reach, d, context->index[d] - margin, context->index[d] + margin + 1);
      sonde_reach_add (context, &reach);
    }
  return TRUE;
}

/* ---- rows ---------------------------------------------------------------- */

static const SondeAttributeRule rules[] = {
  { "displacement_stride", SONDE_ATTRIBUTE_INT, .minimum = 1, .maximum = MOST_DISPLACEMENT },
  { "kernel_size", SONDE_ATTRIBUTE_INT, .minimum = 1, .maximum = MOST_WINDOW },
  { "max_displacement", SONDE_ATTRIBUTE_INT, .required = TRUE, .minimum = 0,
    .maximum = MOST_DISPLACEMENT },
  { NULL },
};

const SondeOpClass sonde_ops_correlation[] = {
  {
      .domain = SONDE_DOMAIN,
      .name = "Correlation",
      .since = 1,
      .min_inputs = 2,
      .max_inputs = 2,
      .min_outputs = 1,
      .max_outputs = 1,
      .family = SONDE_FAMILY_CONVOLUTION,
      .attributes = rules,
      .infer = infer_correlation,
      .compute = compute_correlation,
      .gradient = gradient_correlation,
      .cost = cost_correlation,
      .reach = { reach_correlation, 0 },
      .typing = SONDE_TYPING_LEADING (2),
      .traits = SONDE_TRAIT_STRICT,
  },
  {
      .domain = SONDE_DOMAIN,
      .name = "CorrelationGrad",
      .since = 1,
      .min_inputs = 3,
      .max_inputs = 3,
      .min_outputs = 1,
      .max_outputs = 2,
      .family = SONDE_FAMILY_GRADIENT,
      .attributes = rules,
      .infer = infer_correlation_grad,
      .compute = compute_correlation_grad,
      .reach = { reach_correlation_grad, 0 },
      .typing = SONDE_TYPING_LEADING (3),
  },
  { .name = NULL },
};
