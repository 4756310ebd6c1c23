/* SPDX-License-Identifier: Apache-2.0
 * Edits of an image with a way back. */
#include "viewers/paint/sonde-image-edit.h"

#include <math.h>
#include <string.h>

#include "data/base/sonde-random.h"

#define MAX_STEPS 64

struct _SondeImageEdit
{
  SondeImage *original, *now;
  GPtrArray *undo, *redo; /* SondeImage, the latest last */
};

static gsize
n_bytes (const SondeImage *image)
{
  return (gsize) image->width * (gsize) image->height * (gsize) image->channels;
}

SondeImageEdit *
sonde_image_edit_new (const SondeImage *image)
{
  SondeImageEdit *edit = g_new0 (SondeImageEdit, 1);

  edit->original = sonde_image_ref (image);
  edit->now = sonde_image_copy (image);
  edit->undo = g_ptr_array_new_with_free_func ((GDestroyNotify) sonde_image_unref);
  edit->redo = g_ptr_array_new_with_free_func ((GDestroyNotify) sonde_image_unref);
  return edit;
}

void
sonde_image_edit_free (SondeImageEdit *edit)
{
  if (edit == NULL)
    return;
  sonde_image_unref (edit->original);
  sonde_image_unref (edit->now);
  g_ptr_array_unref (edit->undo);
  g_ptr_array_unref (edit->redo);
  g_free (edit);
}

const SondeImage *
sonde_image_edit_get_image (SondeImageEdit *edit)
{
  return edit->now;
}

gboolean
sonde_image_edit_is_changed (SondeImageEdit *edit)
{
  return memcmp (edit->original->pixels, edit->now->pixels, n_bytes (edit->now)) != 0;
}

void
sonde_image_edit_begin (SondeImageEdit *edit)
{
  g_ptr_array_set_size (edit->redo, 0);
  if (edit->undo->len == MAX_STEPS)
    g_ptr_array_remove_index (edit->undo, 0);
  g_ptr_array_add (edit->undo, sonde_image_copy (edit->now));
}

/* The latest of @from becomes the image, which goes to @to. */
static gboolean
step (SondeImageEdit *edit, GPtrArray *from, GPtrArray *to)
{
  if (from->len == 0)
    return FALSE;
  g_ptr_array_add (to, edit->now);
  edit->now = g_ptr_array_steal_index (from, from->len - 1);
  return TRUE;
}

gboolean
sonde_image_edit_undo (SondeImageEdit *edit)
{
  return step (edit, edit->undo, edit->redo);
}

gboolean
sonde_image_edit_redo (SondeImageEdit *edit)
{
  return step (edit, edit->redo, edit->undo);
}

gboolean
sonde_image_edit_can_undo (SondeImageEdit *edit)
{
  return edit->undo->len > 0;
}

gboolean
sonde_image_edit_can_redo (SondeImageEdit *edit)
{
  return edit->redo->len > 0;
}

void
sonde_image_edit_reset (SondeImageEdit *edit)
{
  if (!sonde_image_edit_is_changed (edit))
    return;
  sonde_image_edit_begin (edit);
  memcpy (edit->now->pixels, edit->original->pixels, n_bytes (edit->now));
}

/* The part of @box inside the image; all of it for NULL. */
static SondeBox
inside (const SondeImage *image, const SondeBox *box)
{
  SondeBox whole = { 0, 0, image->width, image->height };
  int x0, y0, x1, y1;

  if (box == NULL)
    return whole;
  x0 = CLAMP (box->x, 0, image->width);
  y0 = CLAMP (box->y, 0, image->height);
  x1 = CLAMP (box->x + box->width, x0, image->width);
  y1 = CLAMP (box->y + box->height, y0, image->height);
  return (SondeBox){ x0, y0, x1 - x0, y1 - y0 };
}

static guint8 *
pixel (SondeImage *image, int x, int y)
{
  return image->pixels + ((gsize) y * (gsize) image->width + (gsize) x) * (gsize) image->channels;
}

/* Distance of (px, py) from the line. */
static double
distance (double px, double py, double x0, double y0, double x1, double y1)
{
  double dx = x1 - x0, dy = y1 - y0, length = dx * dx + dy * dy;
  double t = length > 0 ? CLAMP (((px - x0) * dx + (py - y0) * dy) / length, 0, 1) : 0;

  return hypot (px - x0 - t * dx, py - y0 - t * dy);
}

void
sonde_image_edit_brush (SondeImageEdit *edit, double x0, double y0, double x1, double y1,
                        double radius, const guint8 *color)
{
  SondeImage *image = edit->now;
  SondeBox reach
      = { (int) floor (fmin (x0, x1) - radius), (int) floor (fmin (y0, y1) - radius), 0, 0 };

  reach.width = (int) ceil (fmax (x0, x1) + radius) + 1 - reach.x;
  reach.height = (int) ceil (fmax (y0, y1) + radius) + 1 - reach.y;
  reach = inside (image, &reach);
  for (int y = reach.y; y < reach.y + reach.height; y++)
    for (int x = reach.x; x < reach.x + reach.width; x++)
      if (distance (x + 0.5, y + 0.5, x0, y0, x1, y1) <= radius)
        for (int c = 0; c < MIN (image->channels, 3); c++)
          pixel (image, x, y)[c] = color[c];
}

void
sonde_image_edit_paste (SondeImageEdit *edit, const SondeBox *from, int x, int y)
{
  g_autoptr (SondeImage) copy = sonde_image_copy (edit->now);
  SondeBox source = inside (copy, from);

  /* Where the region was cut at the edge, so is what is pasted. */
  x += source.x - from->x;
  y += source.y - from->y;
  for (int row = 0; row < source.height; row++)
    for (int column = 0; column < source.width; column++)
      if (x + column >= 0 && x + column < copy->width && y + row >= 0 && y + row < copy->height)
        memcpy (pixel (edit->now, x + column, y + row),
                pixel (copy, source.x + column, source.y + row), (gsize) copy->channels);
}

/* Blurs along one axis from @from into @to, inside the box. */
static void
blur_axis (SondeImage *from, SondeImage *to, const SondeBox *box, const double *kernel, int half,
           gboolean along_x)
{
  for (int y = box->y; y < box->y + box->height; y++)
    for (int x = box->x; x < box->x + box->width; x++)
      for (int c = 0; c < from->channels; c++)
        {
          double sum = 0;

          for (int k = -half; k <= half; k++)
            sum += kernel[k + half]
                   * pixel (from, along_x ? CLAMP (x + k, 0, from->width - 1) : x,
                            along_x ? y : CLAMP (y + k, 0, from->height - 1))[c];
          pixel (to, x, y)[c] = (guint8) CLAMP (lround (sum), 0, 255);
        }
}

void
sonde_image_edit_blur (SondeImageEdit *edit, const SondeBox *box, double sigma)
{
  SondeBox area = inside (edit->now, box), tall;
  int half = (int) floor (3 * sigma + 0.5);
  g_autofree double *kernel = NULL;
  g_autoptr (SondeImage) between = NULL;
  double sum = 0;

  g_return_if_fail (sigma > 0);
  half = CLAMP (half, 1, MAX (edit->now->width, edit->now->height));
  kernel = g_new (double, 2 * half + 1);
  for (int k = -half; k <= half; k++)
    sum += kernel[k + half] = exp (-0.5 * k * k / (sigma * sigma));
  for (int k = 0; k <= 2 * half; k++)
    kernel[k] /= sum;
  /* The second pass reads rows above and below the box. */
  tall = inside (edit->now,
                 &(SondeBox){ area.x, area.y - half, area.width, area.height + 2 * half });
  between = sonde_image_copy (edit->now);
  blur_axis (edit->now, between, &tall, kernel, half, TRUE);
  blur_axis (between, edit->now, &area, kernel, half, FALSE);
}

void
sonde_image_edit_noise (SondeImageEdit *edit, const SondeBox *box, double sigma, guint64 seed)
{
  SondeImage *image = edit->now;
  SondeBox area = inside (image, box);

  for (int y = area.y; y < area.y + area.height; y++)
    for (int x = area.x; x < area.x + area.width; x++)
      for (int c = 0; c < MIN (image->channels, 3); c++)
        {
          guint64 at = ((guint64) y * (guint64) image->width + (guint64) x) * 4 + (guint64) c;
          double value = pixel (image, x, y)[c] + sigma * sonde_random_normal (seed, 0, at);

          pixel (image, x, y)[c] = (guint8) CLAMP (lround (value), 0, 255);
        }
}
