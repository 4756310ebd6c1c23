/* SPDX-License-Identifier: Apache-2.0
 * Transforms that copy a window of an image: crops and flips. Rows are copied whole; no number is
 * computed. */
#include "data/datasets/sonde-transform-private.h"

#include "data/base/sonde-error.h"
#include "data/base/sonde-random.h"

#include <string.h>

static gboolean
parse_size (const char *text, int *size)
{
  guint64 number;

  if (!g_ascii_string_to_unsigned (text, 10, 1, SONDE_TRANSFORM_MAX_SIZE, &number, NULL))
    return FALSE;
  *size = (int) number;
  return TRUE;
}

static gboolean
fits (const SondeTransformsPlace *place, int left, int top, int size, GError **error)
{
  if (left + size <= place->width && top + size <= place->height)
    return TRUE;
  sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_INVALID,
                   "a window of %d×%d pixels at %d, %d does not fit into %d×%d", size, size, left,
                   top, place->width, place->height);
  return FALSE;
}

/* crop and centre-crop */

static gboolean
crop_parse (SondeTransform *transform, const char *argument)
{
  g_auto (GStrv) parts = g_strsplit (argument, ":", -1);
  guint n = g_strv_length (parts);
  g_auto (GStrv) corner = g_strsplit (n == 2 ? parts[1] : "0,0", ",", -1);
  guint64 left, top;

  if (n < 1 || n > 2 || !parse_size (parts[0], &transform->size) || g_strv_length (corner) != 2
      || !g_ascii_string_to_unsigned (g_strstrip (corner[0]), 10, 0, SONDE_TRANSFORM_MAX_SIZE,
                                      &left, NULL)
      || !g_ascii_string_to_unsigned (g_strstrip (corner[1]), 10, 0, SONDE_TRANSFORM_MAX_SIZE, &top,
                                      NULL))
    return FALSE;
  transform->left = (int) left;
  transform->top = (int) top;
  return TRUE;
}

static gboolean
crop_plan (SondeTransform *transform, SondeTransformsPlace *place, GError **error)
{
  if (!fits (place, transform->left, transform->top, transform->size, error))
    return FALSE;
  place->width = place->height = transform->size;
  return TRUE;
}

static gboolean
centre_crop_parse (SondeTransform *transform, const char *argument)
{
  return parse_size (argument, &transform->size);
}

static gboolean
centre_crop_plan (SondeTransform *transform, SondeTransformsPlace *place, GError **error)
{
  transform->left = MAX (place->width - transform->size, 0) / 2;
  transform->top = MAX (place->height - transform->size, 0) / 2;
  return crop_plan (transform, place, error);
}

static void
copy_window (const SondeTransform *transform, int left, int top, const float *from, float *into)
{
  gsize width = (gsize) transform->before.width, size = (gsize) transform->after.width;

  for (int c = 0; c < transform->before.channels; c++)
    {
      const float *plane = from + (gsize) c * width * (gsize) transform->before.height;

      for (int y = 0; y < transform->after.height; y++, into += size)
        memcpy (into, plane + (gsize) (top + y) * width + left, size * sizeof *into);
    }
}

static void
crop_apply (const SondeTransform *transform, const SondeDraw *draw, const float *from, float *into)
{
  copy_window (transform, transform->left, transform->top, from, into);
}

const SondeTransformClass sonde_transform_crop = {
  "crop", "crop:SIZE[:LEFT,TOP]", FALSE, crop_parse, crop_plan, crop_apply,
};

const SondeTransformClass sonde_transform_centre_crop = {
  "centre-crop", "centre-crop:SIZE", FALSE, centre_crop_parse, centre_crop_plan, crop_apply,
};

/* random-crop */

static gboolean
random_crop_parse (SondeTransform *transform, const char *argument)
{
  g_auto (GStrv) parts = g_strsplit (argument, ":", -1);
  guint n = g_strv_length (parts);
  guint64 pad;

  if (n > 1 && g_str_equal (parts[n - 1], "reflect"))
    {
      transform->reflect = TRUE;
      n--;
    }
  if (n < 1 || n > 2
      || !g_ascii_string_to_unsigned (parts[0], 10, 0, SONDE_TRANSFORM_MAX_SIZE, &pad, NULL))
    return FALSE;
  transform->pad = (int) pad;
  return n == 1 || parse_size (parts[1], &transform->size);
}

static gboolean
random_crop_plan (SondeTransform *transform, SondeTransformsPlace *place, GError **error)
{
  SondeTransformsPlace padded = *place;

  padded.width += 2 * transform->pad;
  padded.height += 2 * transform->pad;
  if (transform->reflect && transform->pad >= MIN (place->width, place->height))
    {
      sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_INVALID,
                       "%d pixels cannot be mirrored out of %d×%d", transform->pad, place->width,
                       place->height);
      return FALSE;
    }
  if (transform->size != 0 && !fits (&padded, 0, 0, transform->size, error))
    return FALSE;
  if (transform->size != 0)
    place->width = place->height = transform->size;
  return TRUE;
}

/* Bits to a number in [0, n). */
static int
draw_below (guint32 bits, int n)
{
  return (int) (((guint64) bits * (guint64) n) >> 32);
}

/* @i mirrored at both ends of [0, n), the ends themselves once. */
static int
mirrored (int i, int n)
{
  i = ABS (i);
  return i < n ? i : 2 * (n - 1) - i;
}

/* Part of a row that lies in the image is copied, what hangs over is black or mirrored. */
static void
copy_row (const SondeTransform *transform, const float *row, /* (nullable): all black */
          int left, float black, float *into)
{
  int width = transform->before.width, n = transform->after.width;
  int begin = row != NULL ? CLAMP (-left, 0, n) : n;
  int end = row != NULL ? CLAMP (width - left, begin, n) : n;

  for (int x = 0; x < begin; x++)
    into[x] = transform->reflect ? row[mirrored (left + x, width)] : black;
  if (end > begin)
    memcpy (into + begin, row + left + begin, (gsize) (end - begin) * sizeof *into);
  for (int x = end; x < n; x++)
    into[x] = transform->reflect ? row[mirrored (left + x, width)] : black;
}

static void
random_crop_apply (const SondeTransform *transform, const SondeDraw *draw, const float *from,
                   float *into)
{
  const SondeTransformsPlace *before = &transform->before, *after = &transform->after;
  int across = before->width + 2 * transform->pad - after->width;
  int down = before->height + 2 * transform->pad - after->height;
  int left = across / 2 - transform->pad, top = down / 2 - transform->pad;

  if (draw != NULL)
    {
      guint64 bits = sonde_random_bits (draw->seed ^ transform->stream, draw->epoch, draw->sample);

      left = draw_below ((guint32) bits, across + 1) - transform->pad;
      top = draw_below ((guint32) (bits >> 32), down + 1) - transform->pad;
    }
  for (int c = 0; c < before->channels; c++)
    {
      const float *plane = from + (gsize) c * (gsize) before->width * (gsize) before->height;

      for (int y = top; y < top + after->height; y++, into += after->width)
        {
          int line = transform->reflect ? mirrored (y, before->height) : y;
          gboolean inside = line >= 0 && line < before->height;

          copy_row (transform, inside ? plane + (gsize) line * (gsize) before->width : NULL, left,
                    before->black[c], into);
        }
    }
}

const SondeTransformClass sonde_transform_random_crop = {
  "random-crop",     "random-crop:PAD[:SIZE][:reflect]", TRUE, random_crop_parse, random_crop_plan,
  random_crop_apply,
};

/* random-flip */

static gboolean
random_flip_parse (SondeTransform *transform, const char *argument)
{
  char *end;

  transform->probability = 0.5;
  if (argument[0] == '\0')
    return TRUE;
  transform->probability = g_ascii_strtod (argument, &end);
  return end != argument && *end == '\0' && transform->probability >= 0
         && transform->probability <= 1;
}

static gboolean
random_flip_plan (SondeTransform *transform, SondeTransformsPlace *place, GError **error)
{
  return TRUE;
}

static void
random_flip_apply (const SondeTransform *transform, const SondeDraw *draw, const float *from,
                   float *into)
{
  const SondeTransformsPlace *place = &transform->before;
  gsize width = (gsize) place->width, rows = (gsize) place->channels * (gsize) place->height;

  if (draw == NULL
      || sonde_random_uniform (draw->seed ^ transform->stream, draw->epoch, draw->sample)
             >= transform->probability)
    {
      memcpy (into, from, rows * width * sizeof *into);
      return;
    }
  for (gsize y = 0; y < rows; y++, from += width, into += width)
    for (gsize x = 0; x < width; x++)
      into[x] = from[width - 1 - x];
}

const SondeTransformClass sonde_transform_random_flip = {
  "random-flip",    "random-flip[:PROBABILITY]", TRUE, random_flip_parse,
  random_flip_plan, random_flip_apply,
};
