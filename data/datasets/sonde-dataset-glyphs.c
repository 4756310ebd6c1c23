/* SPDX-License-Identifier: Apache-2.0
 * Glyphs: digits and shapes on clutter, drawn when asked for. Sample i of a seed is always the same
 * image: all its random numbers are hashes of (seed, i, which number). Mask and box of the object
 * are known, so that explanations can be scored, and a spurious cue can be planted. */
#include "data/datasets/sonde-dataset-sources.h"

#include <string.h>

#include "data/datasets/sonde-dataset-request.h"
#include "data/datasets/sonde-glyph-scene-private.h"
#include "data/datasets/sonde-glyph-settings-private.h"
#include "data/datasets/sonde-glyph-shapes-private.h"
#include "data/datasets/sonde-pixels.h"

#define NOISE 0.045 /* standard deviation, of the whole range */

typedef struct
{
  SondeDataset base;
  guint64 seed;
  guint64 stream;
  SondePixelTable table;
  SondeGlyphSettings settings;
} Glyphs;

static const SondeDatasetClass glyphs_class;

/* What random numbers are for; each purpose has its own, so that one never shifts another's. */
typedef enum
{
  PURPOSE_CLASS,
  PURPOSE_CUE,
  PURPOSE_SCENE,
  PURPOSE_NOISE,
  N_PURPOSES
} Purpose;

static SondeDice
dice_of (const Glyphs *glyphs, guint sample, Purpose purpose)
{
  SondeDice dice = { glyphs->seed, glyphs->stream + (guint64) sample * N_PURPOSES + purpose, 0 };

  return dice;
}

static int
class_of (const Glyphs *glyphs, guint sample)
{
  SondeDice dice = dice_of (glyphs, sample, PURPOSE_CLASS);

  return sonde_dice_one_of (&dice, SONDE_GLYPH_N_CLASSES);
}

static cairo_t *
new_canvas (const Glyphs *glyphs, cairo_format_t format)
{
  cairo_surface_t *surface
      = cairo_image_surface_create (format, glyphs->base.width, glyphs->base.height);
  cairo_t *cairo = cairo_create (surface);

  cairo_surface_destroy (surface);
  cairo_scale (cairo, glyphs->base.width, glyphs->base.height);
  return cairo;
}

/* Four uniform numbers out of one hash make a nearly normal one, by whole numbers alone. */
static double
noise (SondeDice *dice)
{
  guint64 bits = sonde_random_bits (dice->seed, dice->stream, dice->next++);
  int sum = (int) (bits & 0xffff) + (int) (bits >> 16 & 0xffff) + (int) (bits >> 32 & 0xffff)
            + (int) (bits >> 48);

  return (sum - 2 * 65535) / (65536 * 0.5773502691896258);
}

/* Which of the cues the sample carries: its place and colour, or -1. */
static int
cue_of (const Glyphs *glyphs, guint sample)
{
  SondeDice dice = dice_of (glyphs, sample, PURPOSE_CUE);
  int shape = class_of (glyphs, sample);

  for (int i = 0; i < glyphs->settings.n_cues; i++)
    {
      if (glyphs->settings.cue_classes[i] == shape)
        return sonde_dice_between (&dice, 0, 1) < glyphs->settings.cue_probability ? i : -1;
    }
  return -1;
}

static SondeBox
cue_box (const Glyphs *glyphs, int cue)
{
  static const gboolean right[SONDE_GLYPH_N_CUES] = { FALSE, TRUE, TRUE, FALSE };
  static const gboolean low[SONDE_GLYPH_N_CUES] = { FALSE, TRUE, FALSE, TRUE };
  int far = glyphs->base.width - 1 - glyphs->settings.cue_side;

  return (SondeBox){ right[cue] ? far : 1, low[cue] ? far : 1, glyphs->settings.cue_side,
                     glyphs->settings.cue_side };
}

static void
plant_cue (const Glyphs *glyphs, guint sample, SondeImage *image)
{
  static const guint8 colours[SONDE_GLYPH_N_CUES][3]
      = { { 230, 30, 30 }, { 30, 60, 230 }, { 30, 200, 60 }, { 230, 210, 30 } };
  static const guint8 levels[SONDE_GLYPH_N_CUES] = { 255, 0, 255, 0 };
  int cue = cue_of (glyphs, sample);
  SondeBox box;

  if (cue < 0)
    return;
  box = cue_box (glyphs, cue);
  for (int y = box.y; y < box.y + box.height; y++)
    for (int x = box.x; x < box.x + box.width; x++)
      for (int c = 0; c < image->channels; c++)
        image->pixels[(y * image->width + x) * image->channels + c]
            = image->channels == 1 ? levels[cue] : colours[cue][c];
}

/* Cairo's pixels are 0xXXRRGGBB numbers; grey has three equal ones. */
static SondeImage *
image_of_canvas (const Glyphs *glyphs, guint sample, cairo_t *cairo)
{
  cairo_surface_t *surface = cairo_get_target (cairo);
  SondeImage *image
      = sonde_image_new (glyphs->base.width, glyphs->base.height, glyphs->base.channels);
  SondeDice dice = dice_of (glyphs, sample, PURPOSE_NOISE);
  guint8 *to = image->pixels;

  cairo_surface_flush (surface);
  for (int y = 0; y < image->height; y++)
    {
      const guint8 *row
          = cairo_image_surface_get_data (surface) + y * cairo_image_surface_get_stride (surface);

      for (int x = 0; x < image->width; x++)
        {
          guint32 pixel;

          memcpy (&pixel, row + 4 * x, sizeof pixel);
          for (int c = 0; c < image->channels; c++)
            {
              double level = (double) (pixel >> (16 - 8 * c) & 0xff) + 255 * NOISE * noise (&dice);

              *to++ = (guint8) CLAMP (level + 0.5, 0, 255);
            }
        }
    }
  return image;
}

static SondeImage *
glyphs_dup_image (SondeDataset *dataset, guint sample, GError **error)
{
  const Glyphs *glyphs = (const Glyphs *) dataset;
  SondeDice dice = dice_of (glyphs, sample, PURPOSE_SCENE);
  cairo_t *cairo = new_canvas (glyphs, CAIRO_FORMAT_RGB24);
  SondeImage *image;

  sonde_glyph_scene_draw (dice, class_of (glyphs, sample), dataset->channels == 3, cairo);
  image = image_of_canvas (glyphs, sample, cairo);
  cairo_destroy (cairo);
  plant_cue (glyphs, sample, image);
  return image;
}

static gboolean
glyphs_fill (SondeDataset *dataset, guint sample, void *into, GError **error)
{
  g_autoptr (SondeImage) image = glyphs_dup_image (dataset, sample, error);

  sonde_pixel_table_apply (&((Glyphs *) dataset)->table, image->pixels,
                           (gsize) image->width * (gsize) image->height, image->channels, into);
  return TRUE;
}

/* Ground truth */

static void
grow_box (SondeBox *box, int x, int y)
{
  int right = box->width > 0 ? MAX (box->x + box->width, x + 1) : x + 1;
  int bottom = box->width > 0 ? MAX (box->y + box->height, y + 1) : y + 1;

  box->x = box->width > 0 ? MIN (box->x, x) : x;
  box->y = box->width > 0 ? MIN (box->y, y) : y;
  box->width = right - box->x;
  box->height = bottom - box->y;
}

/* Pixels at least half covered by what is seen of the object; at least one. */
static gboolean
glyphs_get_truth (SondeDataset *dataset, guint sample, SondeBox *box, guint8 *mask)
{
  const Glyphs *glyphs = (const Glyphs *) dataset;
  SondeDice dice = dice_of (glyphs, sample, PURPOSE_SCENE);
  cairo_t *cairo = new_canvas (glyphs, CAIRO_FORMAT_A8);
  cairo_surface_t *surface = cairo_get_target (cairo);

  sonde_glyph_scene_draw_mask (dice, class_of (glyphs, sample), cairo);
  cairo_surface_flush (surface);

  *box = (SondeBox){ 0 };
  for (int y = 0; y < dataset->height; y++)
    for (int x = 0; x < dataset->width; x++)
      {
        gboolean inside = cairo_image_surface_get_data (
                              surface)[y * cairo_image_surface_get_stride (surface) + x]
                          >= 128;

        if (inside)
          grow_box (box, x, y);
        if (mask != NULL)
          mask[y * dataset->width + x] = (guint8) inside;
      }
  cairo_destroy (cairo);
  return box->width > 0;
}

static gboolean
glyphs_get_cue (SondeDataset *dataset, guint sample, SondeBox *box)
{
  const Glyphs *glyphs = (const Glyphs *) dataset;
  int cue = cue_of (glyphs, sample);

  if (cue < 0)
    return FALSE;
  *box = cue_box (glyphs, cue);
  return TRUE;
}

static gint64
glyphs_get_label (SondeDataset *dataset, guint sample)
{
  const Glyphs *glyphs = (const Glyphs *) dataset;

  return glyphs->settings.pixels ? -1 : class_of (glyphs, sample);
}

/* Of pixels [H, W]: 1 where the glyph is. */
static void
glyphs_fill_label (SondeDataset *dataset, guint sample, void *into)
{
  gint64 *labels = into;
  gsize n = (gsize) dataset->width * (gsize) dataset->height;
  g_autofree guint8 *mask = NULL;
  SondeBox box;

  if (!((const Glyphs *) dataset)->settings.pixels)
    {
      *labels = glyphs_get_label (dataset, sample);
      return;
    }
  mask = g_malloc0 (n);
  glyphs_get_truth (dataset, sample, &box, mask);
  for (gsize i = 0; i < n; i++)
    labels[i] = mask[i];
}

static char *
glyphs_dup_name (SondeDataset *dataset, guint sample)
{
  return g_strdup_printf ("glyphs/%06u", sample);
}

static void
glyphs_free (SondeDataset *dataset)
{
  g_free (dataset);
}

static void
label_pixels (SondeDataset *dataset)
{
  static const char *const names[] = { "background", "glyph", NULL };

  dataset->label_dtype = SONDE_DTYPE_I64;
  dataset->label_shape = sonde_shape_make (2, dataset->height, dataset->width);
  dataset->n_classes = 2;
  dataset->classes = g_strdupv ((char **) names);
}

static void
name_classes (SondeDataset *dataset)
{
  dataset->n_classes = SONDE_GLYPH_N_CLASSES;
  dataset->classes = g_new0 (char *, SONDE_GLYPH_N_CLASSES + 1);
  for (int i = 0; i < SONDE_GLYPH_N_CLASSES; i++)
    dataset->classes[i] = g_strdup (sonde_glyph_get_name (i));
}

SondeDataset *
sonde_dataset_glyphs_open (SondeDatasetRequest *request, GError **error)
{
  /* as measured, rounded */
  const float mean[] = { 0.25f, 0.25f, 0.25f }, std[] = { 0.2f, 0.2f, 0.2f };
  g_autoptr (SondeDataset) dataset = NULL;
  Glyphs *glyphs = g_new0 (Glyphs, 1);

  dataset = &glyphs->base;
  dataset->klass = &glyphs_class;
  if (!sonde_glyph_settings_parse (&glyphs->settings, request, error))
    return NULL;
  request->takes = SONDE_TAKES_ALL;
  dataset->n = glyphs->settings.count;
  dataset->channels = glyphs->settings.channels;
  dataset->width = dataset->height = glyphs->settings.side;
  dataset->test_begin = -1;
  glyphs->seed = request->options->seed;
  glyphs->stream = sonde_random_stream ("glyphs");
  if (!sonde_pixel_table_init (&glyphs->table, dataset, request, mean, std, error))
    return NULL;
  if (glyphs->settings.pixels)
    label_pixels (dataset);
  else
    name_classes (dataset);
  return g_steal_pointer (&dataset);
}

static const SondeDatasetClass glyphs_class = {
  .name = "glyphs",
  .free = glyphs_free,
  .fill = glyphs_fill,
  .get_label = glyphs_get_label,
  .fill_label = glyphs_fill_label,
  .dup_name = glyphs_dup_name,
  .dup_image = glyphs_dup_image,
  .get_truth = glyphs_get_truth,
  .get_cue = glyphs_get_cue,
};
