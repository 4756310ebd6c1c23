/* SPDX-License-Identifier: Apache-2.0
 * Gradients of RoiAlign and MaxRoiPool for the image. Boxes get none: which elements a bin reads
 * is chosen, as PyTorch's torchvision has it. */
#include "engine/ops/image/sonde-roi-align-private.h"
#include "engine/ops/sonde-op-dependency-rules.h"

#include <math.h>
#include <string.h>

/* (dy, x, boxes, …) → dx */
static gboolean
infer_align_grad (SondeInferContext *context, GError **error)
{
  context->outputs[0] = context->inputs[1];
  return sonde_infer_need_same (context, 0, 1, error)
         && sonde_infer_backwards (context, sonde_roi_align_infer, error);
}

static gboolean
infer_max_grad (SondeInferContext *context, GError **error)
{
  context->outputs[0] = context->inputs[1];
  return sonde_infer_need_same (context, 0, 1, error)
         && sonde_infer_backwards (context, sonde_max_roi_pool_infer, error);
}

/* ---- RoiAlignGrad -------------------------------------------------------- */

/* One bin of one channel; the maximum is that of the weighted elements, the first of several. */
static void
return_bin (const SondeAlignElement *elements, gint64 n, gboolean maximum, double dy,
            const double *x, double *dx)
{
  double best = -INFINITY;
  gint64 which = -1;

  for (gint64 i = 0; i < n; i++)
    {
      const double part = elements[i].weight == 0 ? 0 : elements[i].weight * x[elements[i].at];

      if (!maximum)
        dx[elements[i].at] += elements[i].weight * dy * 4 / (double) n;
      else if (part > best || which < 0)
        {
          best = part;
          which = i;
        }
    }
  if (maximum && which >= 0)
    dx[elements[which].at] += elements[which].weight * dy;
}

/* @x, @dx: of the image; @dy: of the box */
static void
return_box (const SondeAlign *align, const double *corners, const double *dy, const double *x,
            double *dx)
{
  g_autofree SondeAlignSample *rows = NULL, *columns = NULL;
  g_autofree SondeAlignElement *elements = NULL;
  const gint64 bins = align->rows * align->columns;
  SondeAlignBox box;
  gint64 n;

  sonde_align_box_init (&box, align, corners);
  n = 4 * box.down * box.across;
  rows = g_new (SondeAlignSample, box.down + 1);
  columns = g_new (SondeAlignSample, box.across + 1);
  elements = g_new (SondeAlignElement, n + 1);
  for (gint64 bin = 0; bin < bins; bin++)
    {
      gint64 row = bin / align->columns, column = bin % align->columns;

      sonde_align_sample_line (rows, box.down, box.top + (double) row * box.bin_height,
                               box.bin_height, align->height);
      sonde_align_sample_line (columns, box.across, box.left + (double) column * box.bin_width,
                               box.bin_width, align->width);
      sonde_align_fill_bin (align, rows, box.down, columns, box.across, elements);
      for (gint64 c = 0; c < align->channels; c++)
        return_bin (elements, n, align->maximum, dy[c * bins + bin], x + c * align->plane,
                    dx + c * align->plane);
    }
}

static void
compute_align_grad (const SondeKernelContext *context)
{
  const SondeTensor *boxes = context->inputs[2], *images = context->inputs[3];
  g_autofree double *dy = sonde_kernel_doubles (context->inputs[0]),
                    *x = sonde_kernel_doubles (context->inputs[1]);
  gint64 n_x = sonde_tensor_n_elements (context->inputs[1]);
  g_autofree double *dx = g_new0 (double, n_x + 1);
  SondeAlign align;

  sonde_align_init (&align, context->node, &context->inputs[1]->shape, &context->inputs[0]->shape);
  for (gint64 i = 0; i < boxes->shape.dims[0]; i++)
    {
      gint64 image = sonde_tensor_get_int (images, i), first = image * align.channels * align.plane;
      double corners[4];

      if (image < 0 || image >= align.batch || align.plane == 0)
        continue;
      sonde_kernel_load (boxes, 4 * i, 4, corners);
      return_box (&align, corners, dy + i * align.channels * align.rows * align.columns, x + first,
                  dx + first);
    }
  sonde_kernel_store (dx, n_x, context->outputs[0], 0);
}

/* A mean is linear in the image, so that its gradient's gradient is the mean again. Of a maximum
 * there is none. */
static gboolean
gradient_align_grad (SondeGradientContext *context, GError **error)
{
  SondeGraphValue *inputs[]
      = { sonde_rule_dy (context), sonde_rule_x (context, 2), sonde_rule_x (context, 3) };
  SondeGraphValue *y = NULL;

  if (!context->wanted[0])
    return TRUE;
  if (strcmp (sonde_node_get_string (context->node, "mode", "avg"), "max") == 0)
    {
      sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_UNSUPPORTED,
                       "node “%s” (RoiAlignGrad): mode max has no second derivative",
                       context->node->name);
      return FALSE;
    }
  y = sonde_build_op (context->graph, NULL, "", "RoiAlign", G_N_ELEMENTS (inputs), inputs);
  sonde_rule_copy_attributes (y->producer, context->node);
  context->input_gradients[0] = sonde_rule_infer (context, y);
  return TRUE;
}

/* ---- MaxRoiPoolGrad ------------------------------------------------------ */

/* To the first maximum of one bin; an empty bin made a zero of its own. */
static void
return_maximum (const double *x, gint64 width, const gint64 *rows, const gint64 *columns, double dy,
                double *dx)
{
  gint64 which = -1;

  for (gint64 i = rows[0]; i < rows[1]; i++)
    for (gint64 j = columns[0]; j < columns[1]; j++)
      if (which < 0 || x[i * width + j] > x[which])
        which = i * width + j;
  if (which >= 0)
    dx[which] += dy;
}

static void
compute_max_grad (const SondeKernelContext *context)
{
  const SondeTensor *boxes = context->inputs[2];
  const SondeShape *out = &context->inputs[0]->shape, *in = &context->inputs[1]->shape;
  g_autofree double *dy = sonde_kernel_doubles (context->inputs[0]),
                    *x = sonde_kernel_doubles (context->inputs[1]);
  gint64 n_x = sonde_tensor_n_elements (context->inputs[1]), plane = in->dims[2] * in->dims[3];
  g_autofree double *dx = g_new0 (double, n_x + 1);
  double scale = sonde_node_get_float (context->node, "spatial_scale", 1);

  for (gint64 i = 0; i < sonde_shape_n_elements (out); i++)
    {
      gint64 column = i % out->dims[3], row = i / out->dims[3] % out->dims[2],
             c = i / (out->dims[2] * out->dims[3]) % out->dims[1];
      gint64 number = i / (out->dims[1] * out->dims[2] * out->dims[3]),
             image = sonde_roi_image (boxes, number);
      gint64 first = (image * in->dims[1] + c) * plane, rows[2], columns[2];
      double box[5];

      if (image < 0 || image >= in->dims[0])
        continue;
      sonde_kernel_load (boxes, 5 * number, 5, box);
      sonde_roi_bin_range (box[2] * scale, box[4] * scale, out->dims[2], row, in->dims[2], &rows[0],
                           &rows[1]);
      sonde_roi_bin_range (box[1] * scale, box[3] * scale, out->dims[3], column, in->dims[3],
                           &columns[0], &columns[1]);
      return_maximum (x + first, in->dims[3], rows, columns, dy[i], dx + first);
    }
  sonde_kernel_store (dx, n_x, context->outputs[0], 0);
}

/* ---- rows ---------------------------------------------------------------- */

const SondeOpClass sonde_ops_roi_align_gradient_kernels[] = {
  {
      .domain = SONDE_DOMAIN,
      .name = "MaxRoiPoolGrad",
      .since = 1,
      .min_inputs = 3,
      .max_inputs = 3,
      .min_outputs = 1,
      .max_outputs = 1,
      .family = SONDE_FAMILY_GRADIENT,
      .attributes = sonde_max_roi_pool_rules,
      .infer = infer_max_grad,
      .compute = compute_max_grad,
      .reach = { sonde_reach_everything, 0 },
      .typing = SONDE_TYPING_OWN,
  },
  {
      .domain = SONDE_DOMAIN,
      .name = "RoiAlignGrad",
      .since = 1,
      .min_inputs = 4,
      .max_inputs = 4,
      .min_outputs = 1,
      .max_outputs = 1,
      .family = SONDE_FAMILY_GRADIENT,
      .attributes = sonde_roi_align_rules,
      .infer = infer_align_grad,
      .compute = compute_align_grad,
      .gradient = gradient_align_grad,
      .reach = { sonde_reach_everything, 0 },
      .typing = SONDE_TYPING_OWN,
  },
  { .name = NULL },
};
