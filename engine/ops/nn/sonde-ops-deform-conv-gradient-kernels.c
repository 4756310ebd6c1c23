/* SPDX-License-Identifier: Apache-2.0
 * Gradients of DeformConv for image, weight, offsets and mask, in float64: what a tap reads is
 * interpolated, so it moves with the offset by the differences of the corners. */
#include "engine/ops/nn/sonde-deform-conv-private.h"
#include "engine/ops/sonde-op-dependency-rules.h"

#include <math.h>
#include <string.h>

#define MOST_CORNERS 8

static gboolean
infer_grad (SondeInferContext *context, GError **error)
{
  static const guint operands[]
      = { SONDE_DEFORM_X, SONDE_DEFORM_W, SONDE_DEFORM_OFFSET, SONDE_DEFORM_MASK };

  SondeInferContext forward = *context;
  SondeType y = { .kind = SONDE_VALUE_NONE };

  forward.n_inputs = MIN (context->n_inputs, SONDE_DEFORM_DY);
  forward.n_outputs = 1;
  forward.outputs = &y;
  if (sonde_infer_input (context, SONDE_DEFORM_DY) == NULL)
    return sonde_infer_fail (error, "input %d is missing", SONDE_DEFORM_DY);
  if (!sonde_infer_need_same (context, 0, SONDE_DEFORM_DY, error)
      || !sonde_deform_infer (&forward, error)
      || (y.kind != SONDE_VALUE_NONE
          && !sonde_infer_need_shape (&context->inputs[SONDE_DEFORM_DY], &y, N_ ("the gradient"),
                                      error)))
    return FALSE;
  for (guint k = 0; k < context->n_outputs && k < G_N_ELEMENTS (operands); k++)
    {
      const SondeType *operand = sonde_infer_input (context, operands[k]);

      if (operand == NULL && context->node->outputs->pdata[k] != NULL)
        return sonde_infer_fail (error, "has output %u, but not the operand that it is for", k);
      if (operand != NULL)
        context->outputs[k] = *operand;
    }
  return TRUE;
}

/* Sizes, and one sample's operands (doubles) and sums. */
typedef struct
{
  SondeWindowGeometry window;
  gint64 batch, channels, filters, offset_groups, taps, points, plane;
  const double *dy, *x, *w, *offset, *mask;
  double *dx, *dw, *doffset, *dmask;
} Back;

/* The elements around a place, how much each counts, and how that moves with each coordinate. */
typedef struct
{
  int n;
  gint64 at[MOST_CORNERS];
  double weight[MOST_CORNERS], slopes[MOST_CORNERS][SONDE_WINDOW_DIMS];
} Corners;

static void
find_corners (const Back *back, const double *place, Corners *corners)
{
  const int n = back->window.n;

  corners->n = 0;
  for (int k = 0; k < 1 << n; k++)
    {
      gint64 at = 0;
      gboolean inside = TRUE;
      double weight = 1, slopes[SONDE_WINDOW_DIMS] = { 1, 1, 1 };

      for (int d = 0; d < n; d++)
        {
          const int side = k >> d & 1;
          const double low = floor (place[d]), index = low + side;
          const double factor = side ? place[d] - low : 1 - (place[d] - low);

          inside &= index >= 0 && index < (double) back->window.in[d];
          at = at * back->window.in[d] + (inside ? (gint64) index : 0);
          weight *= factor;
          for (int other = 0; other < n; other++)
            slopes[other] *= other != d ? factor : side ? 1 : -1;
        }
      if (!inside)
        continue;
      corners->at[corners->n] = at;
      corners->weight[corners->n] = weight;
      memcpy (corners->slopes[corners->n++], slopes, sizeof slopes);
    }
}

/* Where tap @tap of output @point reads; @offset: of the group, [taps·n, points] */
static void
find_place (const Back *back, const double *offset, gint64 tap, gint64 point, double *place)
{
  const SondeWindowGeometry *window = &back->window;
  gint64 rest = point, k = tap;

  for (int d = window->n - 1; d >= 0; d--)
    {
      place[d] = (double) (rest % window->out[d] * window->stride[d] - window->before[d]
                           + k % window->kernel[d] * window->dilation[d])
                 + offset[(tap * window->n + d) * back->points + point];
      rest /= window->out[d];
      k /= window->kernel[d];
    }
}

/* Σ over the filters of w·dy for what channel @c reads; @value is what it read: for dw */
static double
through_filters (const Back *back, gint64 c, gint64 tap, gint64 point, double value)
{
  const gint64 each = back->channels / back->window.group,
               filters = back->filters / back->window.group;
  const gint64 first = c / each * filters;
  double sum = 0;

  for (gint64 f = first; f < first + filters; f++)
    {
      const gint64 at = (f * each + c % each) * back->taps + tap;
      const double dy = back->dy[f * back->points + point];

      sum += back->w[at] * dy;
      back->dw[at] += value * dy;
    }
  return sum;
}

/* One tap of one output, for the channels of group @group. */
static void
back_tap (Back *back, gint64 group, gint64 tap, gint64 point)
{
  const int n = back->window.n;
  const gint64 part = back->channels / back->offset_groups,
               mark = (group * back->taps + tap) * back->points + point;
  const double mask = back->mask != NULL ? back->mask[mark] : 1;
  double place[SONDE_WINDOW_DIMS] = { 0 }, moved[SONDE_WINDOW_DIMS] = { 0 };
  Corners corners;

  find_place (back, back->offset + group * back->taps * n * back->points, tap, point, place);
  find_corners (back, place, &corners);
  for (gint64 c = group * part; c < (group + 1) * part; c++)
    {
      const double *x = back->x + c * back->plane;
      double value = 0, dvalue;

      for (int k = 0; k < corners.n; k++)
        value += corners.weight[k] * x[corners.at[k]];
      dvalue = through_filters (back, c, tap, point, value * mask);
      if (back->mask != NULL)
        back->dmask[mark] += dvalue * value;
      for (int k = 0; k < corners.n; k++)
        {
          back->dx[c * back->plane + corners.at[k]] += dvalue * mask * corners.weight[k];
          for (int d = 0; d < n; d++)
            moved[d] += dvalue * mask * corners.slopes[k][d] * x[corners.at[k]];
        }
    }
  for (int d = 0; d < n; d++)
    back->doffset[((group * back->taps + tap) * n + d) * back->points + point] += moved[d];
}

static void
back_init (Back *back, const SondeKernelContext *context)
{
  const SondeShape *dy = &context->inputs[SONDE_DEFORM_DY]->shape,
                   *x = &context->inputs[SONDE_DEFORM_X]->shape;
  const SondeShape *w = &context->inputs[SONDE_DEFORM_W]->shape;

  *back = (Back){ .batch = x->dims[0], .channels = x->dims[1], .filters = w->dims[0] };
  (void) sonde_window_read (context->node, x->rank - 2, x->dims + 2, w->dims + 2, &back->window,
                            NULL);
  back->offset_groups = sonde_node_get_int (context->node, "offset_group", 1);
  back->taps = sonde_shape_product (w, 2, w->rank);
  back->points = sonde_shape_product (dy, 2, dy->rank);
  back->plane = sonde_shape_product (x, 2, x->rank);
}

static void
compute_grad (const SondeKernelContext *context)
{
  SondeTensor *mask_tensor = sonde_kernel_input (context, SONDE_DEFORM_MASK);
  g_autofree double *dy = sonde_kernel_doubles (context->inputs[SONDE_DEFORM_DY]),
                    *x = sonde_kernel_doubles (context->inputs[SONDE_DEFORM_X]);
  g_autofree double *w = sonde_kernel_doubles (context->inputs[SONDE_DEFORM_W]);
  g_autofree double *offset = sonde_kernel_doubles (context->inputs[SONDE_DEFORM_OFFSET]);
  g_autofree double *mask = mask_tensor ? sonde_kernel_doubles (mask_tensor) : NULL, *dmask = NULL;
  gint64 n_x = sonde_tensor_n_elements (context->inputs[SONDE_DEFORM_X]),
         n_w = sonde_tensor_n_elements (context->inputs[SONDE_DEFORM_W]);
  gint64 n_offset = sonde_tensor_n_elements (context->inputs[SONDE_DEFORM_OFFSET]), marks;
  g_autofree double *dx = g_new0 (double, n_x + 1), *dw = g_new0 (double, n_w + 1),
                    *doffset = g_new0 (double, n_offset + 1);
  Back back;

  back_init (&back, context);
  marks = back.offset_groups * back.taps * back.points;
  dmask = g_new0 (double, back.batch *marks + 1);
  for (gint64 n = 0; n < back.batch && back.plane > 0; n++)
    {
      back.dy = dy + n * back.filters * back.points;
      back.x = x + n * back.channels * back.plane;
      back.w = w;
      back.offset = offset + n * marks * back.window.n;
      back.mask = mask ? mask + n * marks : NULL;
      back.dx = dx + n * back.channels * back.plane;
      back.dw = dw;
      back.doffset = doffset + n * marks * back.window.n;
      back.dmask = dmask + n * marks;
      for (gint64 i = 0; i < marks; i++)
        back_tap (&back, i / (back.taps * back.points), i / back.points % back.taps,
                  i % back.points);
    }
  sonde_kernel_store (dx, n_x, sonde_kernel_output (context, 0), 0);
  sonde_kernel_store (dw, n_w, sonde_kernel_output (context, 1), 0);
  sonde_kernel_store (doffset, n_offset, sonde_kernel_output (context, 2), 0);
  if (mask != NULL)
    sonde_kernel_store (dmask, back.batch * marks, sonde_kernel_output (context, 3), 0);
}

/* ---- rule ---------------------------------------------------------------- */

/* ---- rows ---------------------------------------------------------------- */

const SondeOpClass sonde_ops_deform_conv_gradient_kernels[] = {
  {
      .domain = SONDE_DOMAIN,
      .name = "DeformConvGrad",
      .since = 1,
      .min_inputs = 3,
      .max_inputs = SONDE_DEFORM_N_INPUTS,
      .min_outputs = 1,
      .max_outputs = 4,
      .family = SONDE_FAMILY_GRADIENT,
      .attributes = sonde_deform_rules,
      .infer = infer_grad,
      .compute = compute_grad,
      .reach = { sonde_reach_everything, 0 },
      .typing = SONDE_TYPING_OWN,
  },
  { .name = NULL },
};
