/* SPDX-License-Identifier: Apache-2.0
 * Layers that move elements: reshapes, borders, sizes of images. */
#include <string.h>

#include "data/models/keras/sonde-keras-lower.h"

/* ---- reshapes ------------------------------------------------------------ */

/* The product of sizes @from on; -1: not known */
static gint64
count_from (const SondeShape *shape, int from)
{
  gint64 count = 1;

  for (int i = from; i < shape->rank; i++)
    if (shape->dims[i] < 0 || count > G_MAXINT32)
      return -1;
    else
      count *= shape->dims[i];
  return count;
}

/* The batch is copied (0), one size may follow from the others (-1). */
static SondeGraphValue *
reshape (SondeKerasLowering *self, SondeGraphValue *x, const SondeShape *sizes,
         const SondeShape *made)
{
  SondeGraphValue *y = sonde_lowering_op (
      self->out, "Reshape",
      SONDE_VALUES (x, sonde_lowering_ints (self->out, sizes->dims, (gsize) sizes->rank)));

  return sonde_keras_shaped (y, x, made);
}

static void
lower_flatten (SondeKerasLowering *self, const char *op)
{
  SondeGraphValue *x = sonde_keras_in (self, 0);
  SondeShape from = sonde_keras_shape_of (x), made = { 2, { -1, -1 } };
  SondeShape sizes = { 2, { 0, -1 } };

  if (!sonde_keras_check_rank (self, 0, 1, SONDE_MAX_RANK))
    return;
  made.dims[0] = from.dims[0];
  made.dims[1] = count_from (&from, 1);
  if (!sonde_keras_is_last (self) && from.rank > 2)
    x = sonde_lowering_channels_last (self->out, x);
  sonde_keras_set_out (self, 0, reshape (self, x, &sizes, &made));
}

/* What -1 stands for. */
static void
solve_rest (SondeShape *made, gint64 total)
{
  gint64 known = 1;
  int rest = -1;

  for (int i = 1; i < made->rank; i++)
    if (made->dims[i] < 0)
      rest = i;
    else if (known <= G_MAXINT32)
      known *= made->dims[i];
  if (rest > 0 && total >= 0 && known > 0)
    made->dims[rest] = total / known;
}

static void
lower_reshape (SondeKerasLowering *self, const char *op)
{
  SondeGraphValue *x = sonde_keras_in (self, 0);
  JsonArray *target = sonde_json_member_array (self->config, "target_shape");
  SondeShape from = sonde_keras_shape_of (x), sizes = { 1, { 0 } }, made = { .rank = 1 };

  if (!sonde_keras_check_rank (self, 0, 1, SONDE_MAX_RANK))
    return;
  if (target == NULL || sonde_json_member_count (target) >= SONDE_MAX_RANK)
    {
      sonde_lowering_fail (self->out, SONDE_DATA_ERROR_DAMAGED,
                           "it has no target_shape of %d sizes", SONDE_MAX_RANK - 1);
      return;
    }
  made.dims[0] = from.dims[0];
  for (guint i = 0; i < sonde_json_member_count (target); i++)
    {
      JsonNode *node = json_array_get_element (target, i);
      gint64 size = JSON_NODE_HOLDS_VALUE (node) ? json_node_get_int (node) : -1;

      sizes.dims[sizes.rank++] = MAX (size, -1);
      made.dims[made.rank++] = MAX (size, -1);
    }
  solve_rest (&made, count_from (&from, 1));
  sonde_keras_set_out (self, 0, reshape (self, x, &sizes, &made));
}

/* dims counts from 1, behind the batch. */
static void
lower_permute (SondeKerasLowering *self, const char *op)
{
  SondeGraphValue *x = sonde_keras_in (self, 0);
  JsonArray *dims = sonde_json_member_array (self->config, "dims");
  gint64 permutation[SONDE_MAX_RANK] = { 0 };
  guint seen = 1;

  if (!sonde_keras_check_rank (self, 0, 1, SONDE_MAX_RANK))
    return;
  for (guint i = 0; i < sonde_json_member_count (dims) && i + 1 < SONDE_MAX_RANK; i++)
    {
      permutation[i + 1] = CLAMP (json_array_get_int_element (dims, i), 0, SONDE_MAX_RANK - 1);
      seen |= 1u << permutation[i + 1];
    }
  if ((int) sonde_json_member_count (dims) + 1 != x->type.rank || seen != (1u << x->type.rank) - 1)
    {
      sonde_lowering_fail (self->out, SONDE_DATA_ERROR_DAMAGED,
                           "its dims are no order of %d dimensions", x->type.rank - 1);
      return;
    }
  sonde_keras_set_out (self, 0, sonde_lowering_transpose (self->out, x, permutation, x->type.rank));
}

static void
lower_repeat (SondeKerasLowering *self, const char *op)
{
  SondeGraphValue *x = sonde_keras_in (self, 0), *y = NULL;
  SondeShape from = sonde_keras_shape_of (x);
  gint64 n = sonde_keras_int (self, "n", 1);
  SondeShape made = { 3, { from.dims[0], n, from.dims[1] } };
  const gint64 sizes[] = { 1, n, 1 };

  if (!sonde_keras_check_rank (self, 0, 2, 2))
    return;
  y = sonde_lowering_op (self->out, "Expand",
                         SONDE_VALUES (sonde_lowering_unsqueeze (self->out, x, 1),
                                       sonde_lowering_ints (self->out, sizes, 3)));
  sonde_keras_set_out (self, 0, sonde_keras_shaped (y, x, &made));
}

/* ---- borders ------------------------------------------------------------- */

/* Sizes in front of and behind each spatial dimension: a number for all, one a dimension, or a pair a
 * dimension. FALSE, with a failure: none of these */
static gboolean
read_borders (SondeKerasLowering *self, const char *name, int n, gint64 *before, gint64 *after)
{
  JsonNode *node = json_object_get_member (self->config, name);
  JsonArray *list
      = node != NULL && JSON_NODE_HOLDS_ARRAY (node) ? json_node_get_array (node) : NULL;
  gboolean pairs = list != NULL && (int) json_array_get_length (list) == n && n > 0
                   && JSON_NODE_HOLDS_ARRAY (json_array_get_element (list, 0));

  if (n == 1 && sonde_json_member_count (list) == 2
      && !pairs) /* [before, after] of one dimension */
    {
      before[0] = json_array_get_int_element (list, 0);
      after[0] = json_array_get_int_element (list, 1);
    }
  else if (!pairs)
    {
      sonde_keras_ints (self, name, n, 1, before);
      memcpy (after, before, sizeof *before * (gsize) n);
    }
  for (int i = 0; pairs && i < n; i++)
    {
      JsonNode *pair = json_array_get_element (list, (guint) i);
      JsonArray *ends = JSON_NODE_HOLDS_ARRAY (pair) ? json_node_get_array (pair) : NULL;

      before[i] = sonde_json_member_count (ends) == 2 ? json_array_get_int_element (ends, 0) : -1;
      after[i] = sonde_json_member_count (ends) == 2 ? json_array_get_int_element (ends, 1) : -1;
    }
  for (int i = 0; i < n; i++)
    if (before[i] < 0 || after[i] < 0 || before[i] > G_MAXINT32 || after[i] > G_MAXINT32)
      {
        sonde_lowering_fail (self->out, SONDE_DATA_ERROR_DAMAGED,
                             "its “%s” is not %d pairs of sizes", name, n);
        return FALSE;
      }
  return TRUE;
}

/**
 * Images: what a layer of images works on
 * @x: in the layout that is there; @at: its first spatial dimension; @n: how many there are
 */
typedef struct
{
  SondeGraphValue *x, *first;
  int at, n;
} Images;

static gboolean
read_images (SondeKerasLowering *self, Images *images)
{
  SondeGraphValue *x = sonde_keras_in (self, 0);
  gboolean last = sonde_keras_is_last (self);

  if (!sonde_keras_check_rank (self, 0, 3, 5))
    return FALSE;
  images->n = x->type.rank - 2;
  images->first = last ? sonde_lowering_find_channels_first (self->out, x) : NULL;
  images->x = images->first != NULL ? images->first : x;
  images->at = images->first == NULL && last ? 1 : 2;
  return TRUE;
}

static void
set_images (SondeKerasLowering *self, const Images *images, SondeGraphValue *y)
{
  sonde_keras_set_out (self, 0,
                       images->first != NULL ? sonde_lowering_channels_last (self->out, y) : y);
}

static void
lower_padding (SondeKerasLowering *self, const char *op)
{
  gint64 before[3] = { 0 }, after[3] = { 0 }, pads[2 * SONDE_MAX_RANK] = { 0 };
  Images images;
  SondeShape shape;
  SondeGraphValue *y = NULL;

  if (!read_images (self, &images) || !read_borders (self, "padding", images.n, before, after))
    return;
  shape = sonde_keras_shape_of (images.x);
  for (int i = 0; i < images.n; i++)
    {
      pads[images.at + i] = before[i];
      pads[shape.rank + images.at + i] = after[i];
      if (shape.dims[images.at + i] >= 0)
        shape.dims[images.at + i] += before[i] + after[i];
    }
  y = sonde_lowering_op (
      self->out, "Pad",
      SONDE_VALUES (images.x, sonde_lowering_ints (self->out, pads, 2 * (gsize) shape.rank)));
  set_images (self, &images, sonde_keras_shaped (y, images.x, &shape));
}

static void
lower_cropping (SondeKerasLowering *self, const char *op)
{
  gint64 before[3] = { 0 }, after[3] = { 0 }, ends[3], axes[3];
  Images images;
  SondeShape shape;
  SondeGraphValue *y = NULL;

  if (!read_images (self, &images) || !read_borders (self, "cropping", images.n, before, after))
    return;
  shape = sonde_keras_shape_of (images.x);
  for (int i = 0; i < images.n; i++)
    {
      axes[i] = images.at + i;
      ends[i] = after[i] > 0 ? -after[i] : G_MAXINT64;
      if (shape.dims[axes[i]] >= 0)
        shape.dims[axes[i]] = MAX (shape.dims[axes[i]] - before[i] - after[i], 0);
    }
  y = sonde_lowering_op (self->out, "Slice",
                         SONDE_VALUES (images.x,
                                       sonde_lowering_ints (self->out, before, (gsize) images.n),
                                       sonde_lowering_ints (self->out, ends, (gsize) images.n),
                                       sonde_lowering_ints (self->out, axes, (gsize) images.n)));
  set_images (self, &images, sonde_keras_shaped (y, images.x, &shape));
}

/* ---- sizes of images ----------------------------------------------------- */

static SondeGraphValue *
make_floats (SondeKerasLowering *self, const char *what, const double *numbers, int n)
{
  const SondeShape shape = { 1, { n } };
  g_autoptr (SondeTensor) tensor = sonde_tensor_new (SONDE_DTYPE_F32, &shape);
  g_autofree char *name = g_strdup_printf ("%s.%s", self->place.name, what);

  for (int i = 0; i < n; i++)
    sonde_tensor_set_double (tensor, i, numbers[i]);
  return sonde_lowering_constant (self->out, name, tensor);
}

/* Keras computes bicubic ones with a = -0.5. FALSE: another way than ONNX has, which was said */
static gboolean
set_interpolation (SondeKerasLowering *self, SondeNode *node, const char *how)
{
  if (g_str_equal (how, "nearest"))
    {
      sonde_node_set_string (node, "mode", "nearest");
      sonde_node_set_string (node, "nearest_mode", "floor");
    }
  else if (g_str_equal (how, "bicubic"))
    {
      sonde_node_set_string (node, "mode", "cubic");
      sonde_node_set_float (node, "cubic_coeff_a", -0.5);
      sonde_node_set_int (node, "exclude_outside", 1);
    }
  else if (g_str_equal (how, "bilinear"))
    sonde_node_set_string (node, "mode", "linear");
  else
    return FALSE;
  sonde_node_set_string (node, "coordinate_transformation_mode",
                         g_str_equal (how, "nearest") ? "asymmetric" : "half_pixel");
  return TRUE;
}

static void
refuse_interpolation (SondeKerasLowering *self, const char *how)
{
  sonde_keras_refuse (self, sonde_message_new ("the interpolation “%s” is not read", how),
                      sonde_message_new ("nearest, bilinear and bicubic are"));
}

static gboolean
knows_interpolation (const char *how)
{
  return g_str_equal (how, "nearest") || g_str_equal (how, "bilinear")
         || g_str_equal (how, "bicubic");
}

/* Each pixel comes again, or more of them lie between. */
static void
lower_up_sampling (SondeKerasLowering *self, const char *op)
{
  const char *how = sonde_keras_text (self, "interpolation", "nearest");
  gint64 times[3] = { 1, 1, 1 };
  double scales[SONDE_MAX_RANK];
  Images images;
  SondeShape shape;
  SondeGraphValue *x = NULL, *y = NULL;

  if (!read_images (self, &images))
    return;
  if (!knows_interpolation (how))
    {
      refuse_interpolation (self, how);
      return;
    }
  x = sonde_keras_to_first (self, sonde_keras_in (self, 0));
  shape = sonde_keras_shape_of (x);
  sonde_keras_ints (self, "size", images.n, 2, times);
  for (int i = 0; i < shape.rank; i++)
    {
      scales[i] = i < 2 ? 1 : (double) times[i - 2];
      if (i >= 2 && shape.dims[i] >= 0)
        shape.dims[i] *= times[i - 2];
    }
  y = sonde_lowering_op (
      self->out, "Resize",
      (SondeGraphValue *const[]){ x, NULL, make_floats (self, "scales", scales, shape.rank) }, 3);
  set_interpolation (self, y->producer, how);
  sonde_keras_set_out (self, 0, sonde_keras_from_first (self, sonde_keras_shaped (y, x, &shape)));
}

static void
lower_resizing (SondeKerasLowering *self, const char *op)
{
  const char *how = sonde_keras_text (self, "interpolation", "bilinear");
  SondeGraphValue *x = NULL, *y = NULL, *sizes = NULL, *batch = NULL;
  gint64 spatial[2];
  SondeShape shape;

  if (!sonde_keras_check_rank (self, 0, 4, 4))
    return;
  if (!knows_interpolation (how) || sonde_keras_bool (self, "crop_to_aspect_ratio", FALSE)
      || sonde_keras_bool (self, "pad_to_aspect_ratio", FALSE)
      || sonde_keras_bool (self, "antialias", FALSE))
    {
      refuse_interpolation (self, how);
      return;
    }
  x = sonde_keras_to_first (self, sonde_keras_in (self, 0));
  shape = sonde_keras_shape_of (x);
  spatial[0] = shape.dims[2] = sonde_keras_int (self, "height", 1);
  spatial[1] = shape.dims[3] = sonde_keras_int (self, "width", 1);
  batch = sonde_lowering_op (self->out, "Shape", SONDE_VALUES (x));
  sonde_node_set_int (batch->producer, "end", 2);
  sizes = sonde_lowering_concat (
      self->out, (SondeGraphValue *const[]){ batch, sonde_lowering_ints (self->out, spatial, 2) },
      2, 0);
  y = sonde_lowering_op (self->out, "Resize", (SondeGraphValue *const[]){ x, NULL, NULL, sizes },
                         4);
  set_interpolation (self, y->producer, how);
  if (g_str_equal (how, "nearest")) /* half a pixel is asked for here */
    sonde_node_set_string (y->producer, "coordinate_transformation_mode", "half_pixel");
  sonde_keras_set_out (self, 0, sonde_keras_from_first (self, sonde_keras_shaped (y, x, &shape)));
}

const SondeKerasRow sonde_keras_shape_rows[] = {
  { "Cropping1D", 1, SONDE_KERAS_PLAIN, lower_cropping, NULL },
  { "Cropping2D", 1, SONDE_KERAS_PLAIN, lower_cropping, NULL },
  { "Cropping3D", 1, SONDE_KERAS_PLAIN, lower_cropping, NULL },
  { "Flatten", 1, SONDE_KERAS_PLAIN, lower_flatten, NULL },
  { "Permute", 1, SONDE_KERAS_PLAIN, lower_permute, NULL },
  { "RepeatVector", 1, SONDE_KERAS_PLAIN, lower_repeat, NULL },
  { "Reshape", 1, SONDE_KERAS_PLAIN, lower_reshape, NULL },
  { "Resizing", 1, SONDE_KERAS_PLAIN, lower_resizing, NULL },
  { "UpSampling1D", 1, SONDE_KERAS_PLAIN, lower_up_sampling, NULL },
  { "UpSampling2D", 1, SONDE_KERAS_PLAIN, lower_up_sampling, NULL },
  { "UpSampling3D", 1, SONDE_KERAS_PLAIN, lower_up_sampling, NULL },
  { "ZeroPadding1D", 1, SONDE_KERAS_PLAIN, lower_padding, NULL },
  { "ZeroPadding2D", 1, SONDE_KERAS_PLAIN, lower_padding, NULL },
  { "ZeroPadding3D", 1, SONDE_KERAS_PLAIN, lower_padding, NULL },
  { NULL },
};
