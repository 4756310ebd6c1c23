/* SPDX-License-Identifier: Apache-2.0
 * Glyphs: digits and shapes on clutter, drawn when asked for. Sample i of a seed is always the same
 * picture: all its random numbers are hashes of (seed, i, which number). Mask and box of the object are
 * known, so that explanations can be scored, and a spurious cue can be planted. */
#include "data/datasets/sonde-dataset-private.h"

#include "data/base/sonde-error.h"
#include "data/base/sonde-random.h"
#include "data/datasets/sonde-glyph-shapes-private.h"

#include <cairo.h>
#include <math.h>
#include <string.h>

#define DEFAULT_COUNT 10000
#define DEFAULT_SIZE 28
#define MIN_SIZE 12
#define MAX_SIZE 1024
#define N_CUES 4

/* What makes it hard enough that a small network errs now and then. */
#define NOISE 0.045      /* standard deviation, of the whole range */
#define OCCLUDED 0.12    /* share of objects with a bar across */
#define OFF_CENTRE 0.8   /* share of objects that are kept away from the middle */
#define MOST_TURN 0.15   /* radians, either way */

static const double diameters[] = { 0.36, 0.43, 0.50 }; /* of the picture's side */

typedef struct
{
  SondeDataset base;
  guint64 seed;
  guint64 stream;
  SondePixelTable table;
  int n_cues;
  int cue_classes[N_CUES];
  double cue_probability;
  int cue_side; /* pixels */
} Glyphs;

static const SondeDatasetClass glyphs_class;

/* Random numbers of one sample, in the order they are asked for. */
typedef struct
{
  guint64 seed, stream, next;
} Dice;

typedef enum
{
  PURPOSE_CLASS,
  PURPOSE_CUE,
  PURPOSE_SCENE,
  PURPOSE_NOISE,
  N_PURPOSES
} Purpose;

static Dice
dice_of (const Glyphs *glyphs,
         guint         sample,
         Purpose       purpose)
{
  Dice dice = { glyphs->seed, glyphs->stream + (guint64) sample * N_PURPOSES + purpose, 0 };

  return dice;
}

static double
between (Dice  *dice,
         double low,
         double high)
{
  return low + (high - low) * sonde_random_uniform (dice->seed, dice->stream, dice->next++);
}

static int
one_of (Dice *dice,
        int   n)
{
  return (int) between (dice, 0, n);
}

static int
class_of (const Glyphs *glyphs,
          guint         sample)
{
  Dice dice = dice_of (glyphs, sample, PURPOSE_CLASS);

  return one_of (&dice, SONDE_GLYPH_N_CLASSES);
}

/* The scene */

typedef struct
{
  int shape;
  double x, y;       /* of the middle; all in units of the picture's side */
  double width, height;
  double turn;
  gboolean occluded;
  double bar_x, bar_y, bar_turn;
} Object;

static double
place_off_centre (Dice  *dice,
                  double diameter)
{
  double side = between (dice, 0, 1) < 0.5 ? -1 : 1;

  return 0.5 + side * between (dice, diameter / 2, 0.5 - diameter / 2);
}

static Object
place_object (const Glyphs *glyphs,
              guint         sample,
              Dice         *dice)
{
  double diameter = diameters[one_of (dice, G_N_ELEMENTS (diameters))];
  gboolean off_centre = between (dice, 0, 1) < OFF_CENTRE;
  gboolean along_x = between (dice, 0, 1) < 0.5;
  Object object = { .shape = class_of (glyphs, sample) };

  object.x = between (dice, diameter / 2, 1 - diameter / 2);
  object.y = between (dice, diameter / 2, 1 - diameter / 2);
  if (off_centre)
    *(along_x ? &object.x : &object.y) = place_off_centre (dice, diameter);
  object.width = diameter * between (dice, 0.85, 1);
  object.height = diameter * between (dice, 0.85, 1);
  object.turn = between (dice, -MOST_TURN, MOST_TURN);
  object.occluded = between (dice, 0, 1) < OCCLUDED;
  object.bar_x = between (dice, -0.35, 0.35);
  object.bar_y = between (dice, -0.35, 0.35);
  object.bar_turn = between (dice, 0, G_PI);
  return object;
}

/* A grey level, tinted in colour pictures; the tint tells nothing about the class. */
static void
set_colour (const Glyphs *glyphs,
            Dice         *dice,
            cairo_t      *cairo,
            double        low,
            double        high)
{
  double level = between (dice, low, high);
  double tint = glyphs->base.channels == 3 ? 0.25 : 0;
  double colour[3];

  for (int c = 0; c < 3; c++)
    colour[c] = CLAMP (level + between (dice, -tint, tint), 0, 1);
  cairo_set_source_rgb (cairo, colour[0], colour[1], colour[2]);
}

static void
draw_background (const Glyphs *glyphs,
                 Dice         *dice,
                 cairo_t      *cairo)
{
  double angle = between (dice, 0, 2 * G_PI);
  cairo_pattern_t *gradient = cairo_pattern_create_linear (0.5 - 0.5 * cos (angle), 0.5 - 0.5 * sin (angle),
                                                           0.5 + 0.5 * cos (angle), 0.5 + 0.5 * sin (angle));

  set_colour (glyphs, dice, cairo, 0.05, 0.3);
  cairo_paint (cairo);
  cairo_pattern_add_color_stop_rgba (gradient, 0, 0, 0, 0, 0);
  cairo_pattern_add_color_stop_rgba (gradient, 1, 1, 1, 1, between (dice, 0.05, 0.25));
  cairo_set_source (cairo, gradient);
  cairo_paint (cairo);
  cairo_pattern_destroy (gradient);
}

static void
draw_clutter (const Glyphs *glyphs,
              Dice         *dice,
              cairo_t      *cairo)
{
  int n = 3 + one_of (dice, 4);

  for (int i = 0; i < n; i++)
    {
      double x = between (dice, 0, 1), y = between (dice, 0, 1);
      double angle = between (dice, 0, 2 * G_PI), length = between (dice, 0.1, 0.3);
      double bend = between (dice, -0.15, 0.15);
      double dx = length * cos (angle), dy = length * sin (angle);

      set_colour (glyphs, dice, cairo, 0.3, 0.65);
      cairo_set_line_width (cairo, between (dice, 0.025, 0.055));
      cairo_move_to (cairo, x, y);
      cairo_curve_to (cairo, x + dx / 3 + bend * sin (angle), y + dy / 3 - bend * cos (angle),
                      x + 2 * dx / 3 + bend * sin (angle), y + 2 * dy / 3 - bend * cos (angle), x + dx, y + dy);
      cairo_stroke (cairo);
    }
}

/* In the current colour; also for the mask. */
static void
draw_object (const Object *object,
             cairo_t      *cairo)
{
  cairo_save (cairo);
  cairo_translate (cairo, object->x, object->y);
  cairo_rotate (cairo, object->turn);
  cairo_scale (cairo, object->width, object->height);
  sonde_glyph_draw (cairo, object->shape);
  cairo_restore (cairo);
}

static void
draw_bar (const Object *object,
          cairo_t      *cairo)
{
  cairo_save (cairo);
  cairo_translate (cairo, object->x, object->y);
  cairo_scale (cairo, object->width, object->height);
  cairo_translate (cairo, object->bar_x, object->bar_y);
  cairo_rotate (cairo, object->bar_turn);
  cairo_rectangle (cairo, -0.7, -0.11, 1.4, 0.22);
  cairo_fill (cairo);
  cairo_restore (cairo);
}

static cairo_t *
new_canvas (const Glyphs  *glyphs,
            cairo_format_t format)
{
  cairo_surface_t *surface = cairo_image_surface_create (format, glyphs->base.width, glyphs->base.height);
  cairo_t *cairo = cairo_create (surface);

  cairo_surface_destroy (surface);
  cairo_scale (cairo, glyphs->base.width, glyphs->base.height);
  return cairo;
}

/* Four uniform numbers out of one hash make a nearly normal one, by whole numbers alone. */
static double
noise (Dice *dice)
{
  guint64 bits = sonde_random_bits (dice->seed, dice->stream, dice->next++);
  int sum = (int) (bits & 0xffff) + (int) (bits >> 16 & 0xffff) + (int) (bits >> 32 & 0xffff) + (int) (bits >> 48);

  return (sum - 2 * 65535) / (65536 * 0.5773502691896258);
}

/* Which of the cues the sample carries: its place and colour, or -1. */
static int
cue_of (const Glyphs *glyphs,
        guint         sample)
{
  Dice dice = dice_of (glyphs, sample, PURPOSE_CUE);
  int shape = class_of (glyphs, sample);

  for (int i = 0; i < glyphs->n_cues; i++)
    {
      if (glyphs->cue_classes[i] == shape)
        return between (&dice, 0, 1) < glyphs->cue_probability ? i : -1;
    }
  return -1;
}

static SondeBox
cue_box (const Glyphs *glyphs,
         int           cue)
{
  static const gboolean right[N_CUES] = { FALSE, TRUE, TRUE, FALSE };
  static const gboolean low[N_CUES] = { FALSE, TRUE, FALSE, TRUE };
  int far = glyphs->base.width - 1 - glyphs->cue_side;

  return (SondeBox) { right[cue] ? far : 1, low[cue] ? far : 1, glyphs->cue_side, glyphs->cue_side };
}

static void
plant_cue (const Glyphs *glyphs,
           guint         sample,
           SondeImage   *image)
{
  static const guint8 colours[N_CUES][3] = { { 230, 30, 30 }, { 30, 60, 230 }, { 30, 200, 60 }, { 230, 210, 30 } };
  static const guint8 levels[N_CUES] = { 255, 0, 255, 0 };
  int cue = cue_of (glyphs, sample);
  SondeBox box;

  if (cue < 0)
    return;
  box = cue_box (glyphs, cue);
  for (int y = box.y; y < box.y + box.height; y++)
    for (int x = box.x; x < box.x + box.width; x++)
      for (int c = 0; c < image->channels; c++)
        image->pixels[(y * image->width + x) * image->channels + c] =
          image->channels == 1 ? levels[cue] : colours[cue][c];
}

/* Cairo's pixels are 0xXXRRGGBB numbers; grey has three equal ones. */
static SondeImage *
image_of_canvas (const Glyphs *glyphs,
                 guint         sample,
                 cairo_t      *cairo)
{
  cairo_surface_t *surface = cairo_get_target (cairo);
  SondeImage *image = sonde_image_new (glyphs->base.width, glyphs->base.height, glyphs->base.channels);
  Dice dice = dice_of (glyphs, sample, PURPOSE_NOISE);
  guint8 *to = image->pixels;

  cairo_surface_flush (surface);
  for (int y = 0; y < image->height; y++)
    {
      const guint8 *row = cairo_image_surface_get_data (surface) + y * cairo_image_surface_get_stride (surface);

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
glyphs_dup_image (SondeDataset *dataset,
                  guint         sample,
                  GError      **error)
{
  const Glyphs *glyphs = (const Glyphs *) dataset;
  Dice dice = dice_of (glyphs, sample, PURPOSE_SCENE);
  Object object = place_object (glyphs, sample, &dice);
  cairo_t *cairo = new_canvas (glyphs, CAIRO_FORMAT_RGB24);
  SondeImage *image;

  draw_background (glyphs, &dice, cairo);
  draw_clutter (glyphs, &dice, cairo);
  set_colour (glyphs, &dice, cairo, 0.75, 1);
  draw_object (&object, cairo);
  if (object.occluded)
    {
      set_colour (glyphs, &dice, cairo, 0.1, 0.4);
      draw_bar (&object, cairo);
    }
  image = image_of_canvas (glyphs, sample, cairo);
  cairo_destroy (cairo);
  plant_cue (glyphs, sample, image);
  return image;
}

static gboolean
glyphs_fill (SondeDataset *dataset,
             guint         sample,
             float        *into,
             GError      **error)
{
  g_autoptr (SondeImage) image = glyphs_dup_image (dataset, sample, error);

  sonde_pixel_table_apply (&((Glyphs *) dataset)->table, image->pixels,
                           (gsize) image->width * (gsize) image->height, image->channels, into);
  return TRUE;
}

/* Ground truth */

static void
grow_box (SondeBox *box,
          int       x,
          int       y)
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
glyphs_get_truth (SondeDataset *dataset,
                  guint         sample,
                  SondeBox     *box,
                  guint8       *mask)
{
  const Glyphs *glyphs = (const Glyphs *) dataset;
  Dice dice = dice_of (glyphs, sample, PURPOSE_SCENE);
  Object object = place_object (glyphs, sample, &dice);
  cairo_t *cairo = new_canvas (glyphs, CAIRO_FORMAT_A8);
  cairo_surface_t *surface = cairo_get_target (cairo);

  draw_object (&object, cairo);
  cairo_set_operator (cairo, CAIRO_OPERATOR_CLEAR);
  if (object.occluded)
    draw_bar (&object, cairo);
  cairo_surface_flush (surface);

  *box = (SondeBox) { 0 };
  for (int y = 0; y < dataset->height; y++)
    for (int x = 0; x < dataset->width; x++)
      {
        gboolean inside = cairo_image_surface_get_data (surface)[y * cairo_image_surface_get_stride (surface) + x] >= 128;

        if (inside)
          grow_box (box, x, y);
        if (mask != NULL)
          mask[y * dataset->width + x] = (guint8) inside;
      }
  cairo_destroy (cairo);
  return box->width > 0;
}

static gboolean
glyphs_get_cue (SondeDataset *dataset,
                guint         sample,
                SondeBox     *box)
{
  const Glyphs *glyphs = (const Glyphs *) dataset;
  int cue = cue_of (glyphs, sample);

  if (cue < 0)
    return FALSE;
  *box = cue_box (glyphs, cue);
  return TRUE;
}

static gint64
glyphs_get_label (SondeDataset *dataset,
                  guint         sample)
{
  return class_of ((const Glyphs *) dataset, sample);
}

static char *
glyphs_dup_name (SondeDataset *dataset,
                 guint         sample)
{
  return g_strdup_printf ("glyphs/%06u", sample);
}

static void
glyphs_free (SondeDataset *dataset)
{
  g_free (dataset);
}

/* Settings */

typedef struct
{
  guint64 count, size, channels;
  char *cue; /* owned */
} Settings;

static gboolean
refuse_setting (const char *text,
                GError    **error)
{
  g_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_INVALID,
               "glyphs: “%s” is not understood; there are count=1…100000000, size=%d…%d, channels=1 or 3, "
               "cue=CLASS[,CLASS…]:PROBABILITY[:SIDE], separated by “;”",
               text, MIN_SIZE, MAX_SIZE);
  return FALSE;
}

static gboolean
parse_setting (Settings   *settings,
               const char *text,
               GError    **error)
{
  const struct
  {
    const char *name;
    guint64 *number;
    guint64 min, max;
  } numbers[] = {
    { "count=", &settings->count, 1, 100000000 },
    { "size=", &settings->size, MIN_SIZE, MAX_SIZE },
    { "channels=", &settings->channels, 1, 3 },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (numbers); i++)
    {
      if (g_str_has_prefix (text, numbers[i].name)
          && g_ascii_string_to_unsigned (text + strlen (numbers[i].name), 10, numbers[i].min, numbers[i].max,
                                         numbers[i].number, NULL)
          && settings->channels != 2)
        return TRUE;
    }
  if (!g_str_has_prefix (text, "cue="))
    return refuse_setting (text, error);
  g_free (settings->cue);
  settings->cue = g_strdup (text + strlen ("cue="));
  return TRUE;
}

static gboolean
parse_settings (const SondeDatasetRequest *request,
                Settings                  *settings,
                GError                   **error)
{
  const SondeDatasetOptions *options = request->options;
  g_auto (GStrv) parts = g_strsplit (request->argument, ";", -1);

  settings->count = options->count != 0 ? options->count : DEFAULT_COUNT;
  settings->size = (guint64) (request->size != 0 ? request->size : DEFAULT_SIZE);
  settings->channels = (guint64) (request->channels != 0 ? request->channels : 1);
  settings->cue = g_strdup (options->cue);
  for (gsize i = 0; parts[i] != NULL; i++)
    {
      if (g_strstrip (parts[i])[0] != '\0' && !parse_setting (settings, parts[i], error))
        return FALSE;
    }
  if (settings->size >= MIN_SIZE && settings->size <= MAX_SIZE)
    return TRUE;
  g_autofree char *size = g_strdup_printf ("size=%" G_GUINT64_FORMAT, settings->size);

  return refuse_setting (size, error);
}

static int
class_by_name (const char *text)
{
  guint64 number;

  for (int i = 0; i < SONDE_GLYPH_N_CLASSES; i++)
    {
      if (g_str_equal (sonde_glyph_get_name (i), text))
        return i;
    }
  return g_ascii_string_to_unsigned (text, 10, 0, SONDE_GLYPH_N_CLASSES - 1, &number, NULL) ? (int) number : -1;
}

static gboolean
parse_cue_parts (Glyphs *glyphs,
                 GStrv   parts)
{
  g_auto (GStrv) classes = g_strsplit (parts[0], ",", -1);
  guint64 side = MAX ((guint64) glyphs->base.width * 5 / 32, 2);
  char *end;

  for (; classes[glyphs->n_cues] != NULL; glyphs->n_cues++)
    {
      if (glyphs->n_cues == N_CUES)
        return FALSE;
      glyphs->cue_classes[glyphs->n_cues] = class_by_name (g_strstrip (classes[glyphs->n_cues]));
      if (glyphs->cue_classes[glyphs->n_cues] < 0)
        return FALSE;
    }
  glyphs->cue_probability = g_ascii_strtod (parts[1], &end);
  if (end == parts[1] || *end != '\0' || !(glyphs->cue_probability >= 0 && glyphs->cue_probability <= 1))
    return FALSE;
  if (parts[2] != NULL
      && !g_ascii_string_to_unsigned (parts[2], 10, 1, (guint64) glyphs->base.width / 2, &side, NULL))
    return FALSE;
  glyphs->cue_side = (int) side;
  return glyphs->n_cues > 0;
}

static gboolean
parse_cue (Glyphs     *glyphs,
           const char *text,
           GError    **error)
{
  g_auto (GStrv) parts = NULL;

  if (text == NULL || text[0] == '\0')
    return TRUE;
  parts = g_strsplit (text, ":", -1);
  if ((g_strv_length (parts) == 2 || g_strv_length (parts) == 3) && parse_cue_parts (glyphs, parts))
    return TRUE;
  g_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_INVALID,
               "glyphs: the cue “%s” is not understood; write up to %d classes (0 to %d, or two, square …), a "
               "probability from 0 to 1 and if need be a side in pixels, as 3,5:0.9:4",
               text, N_CUES, SONDE_GLYPH_N_CLASSES - 1);
  return FALSE;
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
sonde_dataset_glyphs_open (SondeDatasetRequest *request,
                           GError             **error)
{
  const float mean[] = { 0.25f, 0.25f, 0.25f }, deviation[] = { 0.2f, 0.2f, 0.2f }; /* as measured, rounded */
  g_autoptr (SondeDataset) dataset = NULL;
  Glyphs *glyphs = g_new0 (Glyphs, 1);
  Settings settings = { 0 };
  gboolean understood;

  dataset = &glyphs->base;
  dataset->klass = &glyphs_class;
  understood = parse_settings (request, &settings, error);
  dataset->n = (guint) settings.count;
  dataset->channels = (int) settings.channels;
  dataset->width = dataset->height = (int) settings.size;
  dataset->test_begin = -1;
  glyphs->seed = request->options->seed;
  glyphs->stream = sonde_random_stream ("glyphs");
  understood = understood && parse_cue (glyphs, settings.cue, error)
               && sonde_pixel_table_init (&glyphs->table, dataset, request, mean, deviation, error);
  g_free (settings.cue);
  if (!understood)
    return NULL;
  name_classes (dataset);
  return g_steal_pointer (&dataset);
}

static const SondeDatasetClass glyphs_class = {
  .name = "glyphs",
  .free = glyphs_free,
  .fill = glyphs_fill,
  .get_label = glyphs_get_label,
  .dup_name = glyphs_dup_name,
  .dup_image = glyphs_dup_image,
  .get_truth = glyphs_get_truth,
  .get_cue = glyphs_get_cue,
};
