/* SPDX-License-Identifier: Apache-2.0
 * sonde.CropAndResize (com.microsoft has it, after TensorFlow): x [N, C, H, W], boxes [R, 4] of
 * (y1, x1, y2, x2) in units of the image's side, the image of each box [R], size of the crops
 * [2] → [R, C, h, w]. The first and the last sample of a crop lie on the box's edges; a crop of one
 * sample takes the middle. */
#include "engine/ops/sonde-op-implement.h"
#include "engine/ops/sonde-op-dependency-rules.h"

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
infer_crop (SondeInferContext *context, GError **error)
{
  const SondeType *x = &context->inputs[INPUT_X], *boxes = &context->inputs[INPUT_BOXES];
  const gint64 four[] = { -1, 4 }, two[] = { 2 };
  gsize n = 0;
  g_autofree gint64 *size = sonde_infer_known_ints (context, INPUT_SIZE, &n);

  if (!sonde_infer_need_float (context, INPUT_X, error)
      || !sonde_infer_need_same (context, INPUT_X, INPUT_BOXES, error)
      || !sonde_infer_need_integer (context, INPUT_WHICH, error)
      || !sonde_infer_need_integer (context, INPUT_SIZE, error)
      || !sonde_infer_need_rank (context, INPUT_X, 4, error)
      || !sonde_infer_need_sizes (context, INPUT_BOXES, 2, four, error)
      || !sonde_infer_need_sizes (context, INPUT_SIZE, 1, two, error))
    return FALSE;
  if (!sonde_infer_ready (context, 2))
    return TRUE;
  if (!sonde_infer_need_sizes (context, INPUT_WHICH, 1, &boxes->dims[0].size, error))
    return FALSE;
  if (size != NULL && (n != 2 || size[0] < 1 || size[1] < 1))
    return sonde_infer_fail (error, "crops must have two sizes of at least 1");
  if (x->dims[2].size == 0 || x->dims[3].size == 0)
    return sonde_infer_fail (error, "the images are empty");
  context->outputs[0] = *x;
  context->outputs[0].dims[0] = boxes->dims[0];
  context->outputs[0].dims[2] = sonde_dimension (size != NULL ? size[0] : -1);
  context->outputs[0].dims[3] = sonde_dimension (size != NULL ? size[1] : -1);
  return TRUE;
}

static gboolean
check_images (const SondeKernelContext *context, GError **error)
{
  gint64 most = context->inputs[INPUT_X]->shape.dims[0];
  gsize n = 0;
  g_autofree gint64 *which = sonde_kernel_ints (context, INPUT_WHICH, &n);

  for (gsize i = 0; i < n; i++)
    if (which[i] < 0 || which[i] >= most)
      {
        sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_INVALID,
                         "box %zu is of image %" PRIi64 ", but there are %" PRIi64, i, which[i],
                         most);
        return FALSE;
      }
  return TRUE;
}

/* Where sample @i of @n lies on a side of @size elements. */
static double
place (double first, double last, gint64 i, gint64 n, gint64 size)
{
  double side = (double) (size - 1);

  return n > 1 ? first * side + (double) i * (last - first) * side / (double) (n - 1)
               : 0.5 * (first + last) * side;
}

/* @y, @x: inside of the image */
static double
sample (const SondeTensor *tensor, gint64 plane, gint64 height, gint64 width, double y, double x,
        gboolean nearest)
{
  gint64 first = plane * height * width, top = (gint64) floor (y), left = (gint64) floor (x);
  gint64 bottom = MIN (top + 1, height - 1), right = MIN (left + 1, width - 1);
  double fy = y - (double) top, fx = x - (double) left, above, below;

  if (nearest)
    return sonde_tensor_get_double (tensor,
                                    first + (gint64) round (y) * width + (gint64) round (x));
  above = (1 - fx) * sonde_tensor_get_double (tensor, first + top * width + left)
          + fx * sonde_tensor_get_double (tensor, first + top * width + right);
  below = (1 - fx) * sonde_tensor_get_double (tensor, first + bottom * width + left)
          + fx * sonde_tensor_get_double (tensor, first + bottom * width + right);
  return (1 - fy) * above + fy * below;
}

/* One box, all channels. */
static void
crop (const SondeKernelContext *context, gint64 box)
{
  SondeTensor *x = context->inputs[INPUT_X], *boxes = context->inputs[INPUT_BOXES],
              *y = context->outputs[0];
  gint64 channels = x->shape.dims[1], height = x->shape.dims[2], width = x->shape.dims[3];
  gint64 out_height = y->shape.dims[2], out_width = y->shape.dims[3];
  gint64 image = sonde_tensor_get_int (context->inputs[INPUT_WHICH], box);
  gboolean nearest
      = strcmp (sonde_node_get_string (context->node, "mode", "bilinear"), "nearest") == 0;
  double outside = sonde_node_get_float (context->node, "extrapolation_value", 0), edges[4];

  for (int k = 0; k < 4; k++)
    edges[k] = sonde_tensor_get_double (boxes, box * 4 + k);
  for (gint64 i = 0; i < channels * out_height * out_width; i++)
    {
      gint64 channel = i / (out_height * out_width), row = i / out_width % out_height,
             column = i % out_width;
      double at_y = place (edges[0], edges[2], row, out_height, height);
      double at_x = place (edges[1], edges[3], column, out_width, width);
      gboolean inside
          = at_y >= 0 && at_y <= (double) (height - 1) && at_x >= 0 && at_x <= (double) (width - 1);

      sonde_tensor_set_double (
          y, box * channels * out_height * out_width + i,
          inside ? sample (x, image * channels + channel, height, width, at_y, at_x, nearest)
                 : outside);
    }
}

static void
compute_crop (const SondeKernelContext *context)
{
  for (gint64 box = 0; box < context->outputs[0]->shape.dims[0]; box++)
    crop (context, box);
}

/* ---- gradient ------------------------------------------------------------ */

/* (dy, x, boxes, which) → dx, dboxes */
static gboolean
infer_crop_grad (SondeInferContext *context, GError **error)
{
  const SondeType *dy = &context->inputs[0], *x = &context->inputs[1], *boxes = &context->inputs[2];
  const gint64 four[] = { -1, 4 };
  gint64 like[] = { -1, -1, -1, -1 };

  if (!sonde_infer_need_float (context, 0, error) || !sonde_infer_need_same (context, 0, 2, error)
      || !sonde_infer_need_integer (context, 3, error)
      || !sonde_infer_need_rank (context, 1, 4, error)
      || !sonde_infer_need_sizes (context, 2, 2, four, error))
    return FALSE;
  if (!sonde_infer_ready (context, 3))
    return TRUE;
  like[0] = boxes->dims[0].size;
  like[1] = x->dims[1].size;
  if (!sonde_infer_need_sizes (context, 0, 4, like, error)
      || !sonde_infer_need_sizes (context, 3, 1, like, error))
    return FALSE;
  if (x->dims[2].size == 0 || x->dims[3].size == 0 || dy->dims[2].size == 0
      || dy->dims[3].size == 0)
    return sonde_infer_fail (error, "the images are empty");
  for (guint k = 0; k < context->n_outputs; k++)
    context->outputs[k] = context->inputs[k + 1];
  return TRUE;
}

/* One place of one crop: the four elements around it; @x, @dx: of the image */
typedef struct
{
  gint64 channels, height, width, step;
  double y, x;
  gboolean nearest;
} Place;

/* Returns what goes to x, and in @moves what to the place's coordinates. */
static void
return_place (const Place *at, const double *dy, const double *x, double *dx, double moves[2])
{
  gint64 top = (gint64) floor (at->y), left = (gint64) floor (at->x);
  gint64 rows[] = { top, MIN (top + 1, at->height - 1) },
         columns[] = { left, MIN (left + 1, at->width - 1) };
  double fy = at->y - (double) top, fx = at->x - (double) left;

  moves[0] = moves[1] = 0;
  for (gint64 c = 0; c < at->channels; c++)
    {
      gint64 first = c * at->height * at->width;
      double d = dy[c * at->step];

      if (at->nearest)
        {
          dx[first + (gint64) round (at->y) * at->width + (gint64) round (at->x)] += d;
          continue;
        }
      for (int k = 0; k < 4; k++)
        {
          gint64 place = first + rows[k / 2] * at->width + columns[k % 2];
          double wy = k / 2 ? fy : 1 - fy, wx = k % 2 ? fx : 1 - fx;

          dx[place] += d * wy * wx;
          moves[0] += d * (k / 2 ? 1 : -1) * wx * x[place];
          moves[1] += d * (k % 2 ? 1 : -1) * wy * x[place];
        }
    }
}

/* How far a sample lies from the first edge to the last. */
static double
part_of (gint64 i, gint64 n)
{
  return n > 1 ? (double) i / (double) (n - 1) : 0.5;
}

static void
return_crop (const SondeKernelContext *context, gint64 box, const double *dy, const double *x,
             double *dx, double *dbox)
{
  const SondeShape *out = &context->inputs[0]->shape, *in = &context->inputs[1]->shape;
  gboolean nearest
      = strcmp (sonde_node_get_string (context->node, "mode", "bilinear"), "nearest") == 0;
  Place at = { in->dims[1], in->dims[2], in->dims[3], out->dims[2] * out->dims[3], 0, 0, nearest };
  double edges[4], moves[2], down = (double) (at.height - 1), across = (double) (at.width - 1);

  sonde_kernel_load (context->inputs[2], box * 4, 4, edges);
  for (gint64 i = 0; i < at.step; i++)
    {
      gint64 row = i / out->dims[3], column = i % out->dims[3];
      double v = part_of (row, out->dims[2]), h = part_of (column, out->dims[3]);

      at.y = place (edges[0], edges[2], row, out->dims[2], at.height);
      at.x = place (edges[1], edges[3], column, out->dims[3], at.width);
      if (!(at.y >= 0 && at.y <= down && at.x >= 0 && at.x <= across))
        continue;
      return_place (&at, dy + i, x, dx, moves);
      dbox[0] += moves[0] * (1 - v) * down;
      dbox[1] += moves[1] * (1 - h) * across;
      dbox[2] += moves[0] * v * down;
      dbox[3] += moves[1] * h * across;
    }
}

static void
compute_crop_grad (const SondeKernelContext *context)
{
  const SondeShape *in = &context->inputs[1]->shape;
  gint64 n_x = sonde_tensor_n_elements (context->inputs[1]),
         boxes = context->inputs[2]->shape.dims[0];
  gint64 image = sonde_shape_product (in, 1, 4),
         crop_size = sonde_shape_product (&context->inputs[0]->shape, 1, 4);
  g_autofree double *dy = sonde_kernel_doubles (context->inputs[0]),
                    *x = sonde_kernel_doubles (context->inputs[1]);
  g_autofree double *dx = g_new0 (double, n_x + 1), *dboxes = g_new0 (double, 4 * boxes + 1);

  for (gint64 i = 0; i < boxes; i++)
    {
      gint64 which = sonde_tensor_get_int (context->inputs[3], i);

      if (which >= 0 && which < in->dims[0])
        return_crop (context, i, dy + i * crop_size, x + which * image, dx + which * image,
                     dboxes + 4 * i);
    }
  sonde_kernel_store (dx, n_x, sonde_kernel_output (context, 0), 0);
  sonde_kernel_store (dboxes, 4 * boxes, sonde_kernel_output (context, 1), 0);
}

static gboolean
gradient_crop (SondeGradientContext *context, GError **error)
{
  SondeGraphValue *inputs[]
      = { sonde_rule_dy (context), sonde_rule_x (context, INPUT_X),
          sonde_rule_x (context, INPUT_BOXES), sonde_rule_x (context, INPUT_WHICH) };
  SondeNode *node = sonde_graph_add_node (context->graph, NULL, SONDE_DOMAIN, "CropAndResizeGrad",
                                          inputs, G_N_ELEMENTS (inputs), 2);

  sonde_rule_copy_attributes (node, context->node);
  (void) sonde_build_infer (context->graph, node, NULL);
  for (guint k = 0; k < 2; k++)
    if (context->wanted[k])
      context->input_gradients[k] = sonde_node_get_output (node, k);
  return TRUE;
}

static const char *const modes[] = { "bilinear", "nearest", NULL };
static const SondeAttributeRule rules[] = {
  { "extrapolation_value", SONDE_ATTRIBUTE_FLOAT },
  { "mode", SONDE_ATTRIBUTE_STRING, .choices = modes },
  { NULL },
};

const SondeOpClass sonde_ops_crop_and_resize[] = {
  {
      .domain = SONDE_DOMAIN,
      .name = "CropAndResize",
      .since = 1,
      .min_inputs = 4,
      .max_inputs = 4,
      .min_outputs = 1,
      .max_outputs = 1,
      .family = SONDE_FAMILY_OTHER,
      .attributes = rules,
      .infer = infer_crop,
      .compute = compute_crop,
      .check = check_images,
      .gradient = gradient_crop,
      .reach = { sonde_reach_everything, 0 },
      .typing = SONDE_TYPING_OWN,
  },
  {
      .domain = SONDE_DOMAIN,
      .name = "CropAndResizeGrad",
      .since = 1,
      .min_inputs = 4,
      .max_inputs = 4,
      .min_outputs = 1,
      .max_outputs = 2,
      .family = SONDE_FAMILY_GRADIENT,
      .attributes = rules,
      .infer = infer_crop_grad,
      .compute = compute_crop_grad,
      .reach = { sonde_reach_everything, 0 },
      .typing = SONDE_TYPING_OWN,
  },
  { .name = NULL },
};
