/* SPDX-License-Identifier: Apache-2.0
 * sonde.CropAndResize (com.microsoft has it, after TensorFlow): x [N, C, H, W], boxes [R, 4] of (y1, x1, y2, x2) in
 * units of the picture's side, the picture of each box [R], size of the crops [2] → [R, C, h, w]. The first and the
 * last sample of a crop lie on the box's edges; a crop of one sample takes the middle. */
#include "engine/ops/sonde-op-private.h"

#include <math.h>
#include <string.h>

enum
{
  INPUT_X,
  INPUT_BOXES,
  INPUT_WHICH,
  INPUT_SIZE,
};

static gboolean
infer_crop (SondeInferContext *context,
            GError           **error)
{
  const SondeType *x = &context->inputs[INPUT_X], *boxes = &context->inputs[INPUT_BOXES];
  const gint64 four[] = { -1, 4 }, two[] = { 2 };
  gsize n = 0;
  g_autofree gint64 *size = sonde_infer_known_ints (context, INPUT_SIZE, &n);

  if (!sonde_infer_need_float (context, INPUT_X, error) || !sonde_infer_need_same (context, INPUT_X, INPUT_BOXES, error)
      || !sonde_infer_need_integer (context, INPUT_WHICH, error) || !sonde_infer_need_integer (context, INPUT_SIZE, error)
      || !sonde_infer_need_rank (context, INPUT_X, 4, error) || !sonde_infer_need_sizes (context, INPUT_BOXES, 2, four, error)
      || !sonde_infer_need_sizes (context, INPUT_SIZE, 1, two, error))
    return FALSE;
  if (!sonde_infer_ready (context, 2))
    return TRUE;
  if (!sonde_infer_need_sizes (context, INPUT_WHICH, 1, &boxes->dims[0].size, error))
    return FALSE;
  if (size != NULL && (n != 2 || size[0] < 1 || size[1] < 1))
    return sonde_infer_fail (error, "crops must have two sizes of at least 1");
  if (x->dims[2].size == 0 || x->dims[3].size == 0)
    return sonde_infer_fail (error, "the pictures are empty");
  context->outputs[0] = *x;
  context->outputs[0].dims[0] = boxes->dims[0];
  context->outputs[0].dims[2] = sonde_dimension (size != NULL ? size[0] : -1);
  context->outputs[0].dims[3] = sonde_dimension (size != NULL ? size[1] : -1);
  return TRUE;
}

static gboolean
check_pictures (const SondeKernelContext *context,
                GError                  **error)
{
  gint64 most = context->inputs[INPUT_X]->shape.dims[0];
  gsize n = 0;
  g_autofree gint64 *which = sonde_kernel_ints (context, INPUT_WHICH, &n);

  for (gsize i = 0; i < n; i++)
    if (which[i] < 0 || which[i] >= most)
      {
        g_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_INVALID,
                     "box %" G_GSIZE_FORMAT " is of picture %" G_GINT64_FORMAT ", but there are %" G_GINT64_FORMAT, i,
                     which[i], most);
        return FALSE;
      }
  return TRUE;
}

/* Where sample @i of @n lies on a side of @size elements. */
static double
place (double first,
       double last,
       gint64 i,
       gint64 n,
       gint64 size)
{
  double side = (double) (size - 1);

  return n > 1 ? first * side + (double) i * (last - first) * side / (double) (n - 1) : 0.5 * (first + last) * side;
}

/* @y, @x: inside of the picture */
static double
sample (const SondeTensor *tensor,
        gint64             plane,
        gint64             height,
        gint64             width,
        double             y,
        double             x,
        gboolean           nearest)
{
  gint64 first = plane * height * width, top = (gint64) floor (y), left = (gint64) floor (x);
  gint64 bottom = MIN (top + 1, height - 1), right = MIN (left + 1, width - 1);
  double fy = y - (double) top, fx = x - (double) left, above, below;

  if (nearest)
    return sonde_tensor_get_double (tensor, first + (gint64) round (y) * width + (gint64) round (x));
  above = (1 - fx) * sonde_tensor_get_double (tensor, first + top * width + left)
          + fx * sonde_tensor_get_double (tensor, first + top * width + right);
  below = (1 - fx) * sonde_tensor_get_double (tensor, first + bottom * width + left)
          + fx * sonde_tensor_get_double (tensor, first + bottom * width + right);
  return (1 - fy) * above + fy * below;
}

/* One box, all channels. */
static void
crop (const SondeKernelContext *context,
      gint64                    box)
{
  SondeTensor *x = context->inputs[INPUT_X], *boxes = context->inputs[INPUT_BOXES], *y = context->outputs[0];
  gint64 channels = x->shape.dims[1], height = x->shape.dims[2], width = x->shape.dims[3];
  gint64 out_height = y->shape.dims[2], out_width = y->shape.dims[3];
  gint64 picture = sonde_tensor_get_int (context->inputs[INPUT_WHICH], box);
  gboolean nearest = strcmp (sonde_node_get_string (context->node, "mode", "bilinear"), "nearest") == 0;
  double outside = sonde_node_get_float (context->node, "extrapolation_value", 0), edges[4];

  for (int k = 0; k < 4; k++)
    edges[k] = sonde_tensor_get_double (boxes, box * 4 + k);
  for (gint64 i = 0; i < channels * out_height * out_width; i++)
    {
      gint64 channel = i / (out_height * out_width), row = i / out_width % out_height, column = i % out_width;
      double at_y = place (edges[0], edges[2], row, out_height, height);
      double at_x = place (edges[1], edges[3], column, out_width, width);
      gboolean inside = at_y >= 0 && at_y <= (double) (height - 1) && at_x >= 0 && at_x <= (double) (width - 1);

      sonde_tensor_set_double (y, box * channels * out_height * out_width + i,
                               inside ? sample (x, picture * channels + channel, height, width, at_y, at_x, nearest) : outside);
    }
}

static void
compute_crop (const SondeKernelContext *context)
{
  for (gint64 box = 0; box < context->outputs[0]->shape.dims[0]; box++)
    crop (context, box);
}

static const char *const modes[] = { "bilinear", "nearest", NULL };
static const SondeAttributeRule rules[] = {
  { "extrapolation_value", SONDE_ATTRIBUTE_FLOAT },
  { "mode", SONDE_ATTRIBUTE_STRING, .choices = modes },
  { NULL },
};

const SondeOpClass sonde_ops_crop[] = {
  {
    .domain = SONDE_DOMAIN, .name = "CropAndResize", .since = 1, .min_inputs = 4, .max_inputs = 4, .min_outputs = 1,
    .max_outputs = 1, .family = SONDE_FAMILY_OTHER, .attributes = rules, .infer = infer_crop, .compute = compute_crop,
    .check = check_pictures,
  },
  { .name = NULL },
};
