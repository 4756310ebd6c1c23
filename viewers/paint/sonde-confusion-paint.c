/* SPDX-License-Identifier: Apache-2.0
 * Only what can be seen is drawn. Cells smaller than a few pixels become one image in which each
 * pixel has the largest value of the cells below it, so that a single misclassification among a million cells
 * stays visible. */
#include "viewers/paint/sonde-confusion-paint.h"

#include <math.h>

#include "data/base/sonde-text.h"
#include "viewers/paint/sonde-color-map.h"
#include "viewers/paint/sonde-text-paint.h"

#define MIN_LABELLED 12 /* px between names */
#define MIN_SINGLE 4    /* px of a cell that is drawn by itself */
#define SOFT_END 0.06   /* of the map: its lightest colour is too near to paper */

double
sonde_confusion_measure_names (const SondeConfusionMatrix *confusion)
{
  double width = sonde_text_measure (SONDE_FONT_SMALL, _ ("predicted →"), NULL);

  /* Of very many classes the first hundreds say how long names are. */
  for (guint i = 0; i < MIN (confusion->n, 200); i++)
    width = fmax (width, sonde_text_measure (SONDE_FONT_SMALL, confusion->names[i], NULL));
  return ceil (fmin (width, SONDE_CONFUSION_MAX_NAME));
}

/* More is darker on paper and lighter on dark; the square root separates few from none. */
/* Of a cell beside the diagonal with that value. */
static SondeColor
cell_color (const SondeTheme *theme, const SondeConfusionMatrix *confusion, double value)
{
  double t = confusion->largest > 0 ? sqrt (fmin (value / confusion->largest, 1)) : 0;

  t = SOFT_END + (1 - SOFT_END) * t;
  return sonde_color_map_get (SONDE_COLOR_MAP_VIRIDIS, theme->dark ? t : 1 - t);
}

/* "1.1k", "12k", "3M": a cell has room for three or four characters. */
static char *
short_count (double value)
{
  gboolean millions = value >= 999500;
  double scaled = value / (millions ? 1e6 : 1e3);

  return g_strdup_printf (scaled < 9.95 ? "%.1f%c" : "%.0f%c", scaled, millions ? 'M' : 'k');
}

static char *
cell_text (const SondeConfusionMatrix *confusion, double value)
{
  if (!confusion->share)
    return value < 1000 ? g_strdup_printf ("%.0f", value) : short_count (value);
  return g_strdup_printf (value >= 0.0995 || value == 0 ? "%.0f" : "%.1f", 100 * value);
}

static void
paint_cell (cairo_t *cr, const SondeTheme *theme, const SondeConfusionMatrix *confusion,
            guint truth, guint predicted, double x, double y, double cell)
{
  const SondeColor black = { 0, 0, 0, 1 }, white = { 1, 1, 1, 1 };
  double value = sonde_confusion_get (confusion, truth, predicted), gap = cell >= 8 ? 1 : 0;
  SondeColor fill = cell_color (theme, confusion, value);
  g_autofree char *text = NULL;

  cairo_rectangle (cr, x, y, cell - gap, cell - gap);
  if (truth == predicted || value == 0)
    sonde_paint_set_color_alpha (cr, &theme->grid, truth == predicted ? 1 : 0.45);
  else
    sonde_paint_set_color (cr, &fill);
  cairo_fill (cr);
  if (value == 0 || cell < 14)
    return;
  text = cell_text (confusion, value);
  if (truth == predicted)
    sonde_paint_set_color (cr, &theme->dim);
  else
    sonde_paint_set_color (
        cr, sonde_color_contrast (&white, &fill) > sonde_color_contrast (&black, &fill) ? &white
                                                                                        : &black);
  if (sonde_text_measure (SONDE_FONT_SMALL, text, NULL) < cell - 1)
    sonde_paint_text (cr, SONDE_FONT_SMALL, SONDE_ALIGN_CENTER, x + (cell - 1) / 2,
                      y + (cell - 1) / 2, 0, text);
}

/* Places first and last (exclusive) that can be seen in one direction. */
static void
visible_range (const SondeConfusionMatrix *confusion, double start, double cell, double from,
               double length, guint *first, guint *last)
{
  *first = (guint) CLAMP (floor ((from - start) / cell), 0, confusion->n);
  *last = (guint) CLAMP (ceil ((from + length - start) / cell), 0, confusion->n);
}

static guint32
pixel (const SondeColor *color)
{
  return 0xff000000u | (guint32) (color->red * 255.0 + 0.5) << 16
         | (guint32) (color->green * 255.0 + 0.5) << 8 | (guint32) (color->blue * 255.0 + 0.5);
}

/* The cells below one pixel: the largest beside the diagonal, or −1 with only the diagonal
 * there. */
static double
largest_below (const SondeConfusionMatrix *confusion, const SondeConfusionPlace *place, double x,
               double y)
{
  guint r0 = (guint) ((y - place->y) / place->cell), c0 = (guint) ((x - place->x) / place->cell);
  guint r1 = MIN ((guint) ceil ((y + 1 - place->y) / place->cell), confusion->n);
  guint c1 = MIN ((guint) ceil ((x + 1 - place->x) / place->cell), confusion->n);
  double largest = -1;
  gboolean beside = FALSE;

  for (guint r = r0; r < MAX (r1, r0 + 1) && r < confusion->n; r++)
    for (guint c = c0; c < MAX (c1, c0 + 1) && c < confusion->n; c++)
      if (r != c)
        {
          double value = sonde_confusion_get (confusion, confusion->order[r], confusion->order[c]);

          largest = beside ? fmax (largest, value) : value;
          beside = TRUE;
        }
      else
        beside = beside || r1 - r0 > 1;
  return largest;
}

static void
paint_as_image (cairo_t *cr, const SondeTheme *theme, const SondeConfusionMatrix *confusion,
                const SondeConfusionPlace *place)
{
  double side = confusion->n * place->cell;
  int x0 = (int) floor (fmax (place->x, place->left)),
      y0 = (int) floor (fmax (place->y, place->top));
  int x1 = (int) ceil (fmin (place->x + side, place->left + place->width));
  int y1 = (int) ceil (fmin (place->y + side, place->top + place->height));
  SondeColor none = sonde_color_mix (&theme->card, &theme->grid, 0.45), diagonal = theme->grid;
  cairo_surface_t *surface;
  guint32 *row;
  int stride;

  if (x1 <= x0 || y1 <= y0)
    return;
  surface = cairo_image_surface_create (CAIRO_FORMAT_RGB24, x1 - x0, y1 - y0);
  stride = cairo_image_surface_get_stride (surface);
  cairo_surface_flush (surface);
  for (int y = y0; y < y1; y++)
    {
      row = (guint32 *) (void *) (cairo_image_surface_get_data (surface)
                                  + (gsize) (y - y0) * (gsize) stride);
      for (int x = x0; x < x1; x++)
        {
          double value = largest_below (confusion, place, fmax (x, place->x), fmax (y, place->y));
          SondeColor color = value < 0   ? diagonal
                             : value > 0 ? cell_color (theme, confusion, value)
                                         : none;

          row[x - x0] = pixel (&color);
        }
    }
  cairo_surface_mark_dirty (surface);
  cairo_set_source_surface (cr, surface, x0, y0);
  cairo_paint (cr);
  cairo_surface_destroy (surface);
}

static void
paint_cells (cairo_t *cr, const SondeTheme *theme, const SondeConfusionMatrix *confusion,
             const SondeConfusionPlace *place)
{
  guint r0, r1, c0, c1;

  visible_range (confusion, place->y, place->cell, place->top, place->height, &r0, &r1);
  visible_range (confusion, place->x, place->cell, place->left, place->width, &c0, &c1);
  for (guint r = r0; r < r1; r++)
    for (guint c = c0; c < c1; c++)
      paint_cell (cr, theme, confusion, confusion->order[r], confusion->order[c],
                  place->x + c * place->cell, place->y + r * place->cell, place->cell);
}

/* Share of right answers of the class, beside its row. */
static void
paint_right (cairo_t *cr, const SondeConfusionMatrix *confusion, guint class, double x, double y)
{
  guint right = confusion->cells->counts[(gsize) class * confusion->n + class];
  g_autofree char *text = NULL;
  double share;

  if (confusion->cells->row_totals[class] == 0)
    return;
  share = 100.0 * right / confusion->cells->row_totals[class];
  /* All of them is said of all of them only. */
  text = share > 99.5 && right < confusion->cells->row_totals[class]
             ? g_strdup_printf ("%.1f %%", fmin (share, 99.9))
             : g_strdup_printf ("%.0f %%", share);
  sonde_paint_text (cr, SONDE_FONT_SMALL, SONDE_ALIGN_END, x, y, 0, text);
}

static gboolean
has_right_answers (const SondeConfusionMatrix *confusion)
{
  for (guint i = 0; i < confusion->n; i++)
    if (confusion->cells->counts[(gsize) i * confusion->n + i] > 0)
      return TRUE;
  return FALSE;
}

static void
paint_names (cairo_t *cr, const SondeTheme *theme, const SondeConfusionMatrix *confusion,
             const SondeConfusionPlace *place)
{
  guint every = (guint) fmax (1, ceil (MIN_LABELLED / place->cell)), r0, r1, c0, c1;
  double beside = fmax (place->x, place->left) - SONDE_CONFUSION_GAP;
  double above = fmax (place->y, place->top) - SONDE_CONFUSION_GAP;
  double end = fmin (place->x + confusion->n * place->cell, place->left + place->width);
  gboolean right = has_right_answers (confusion);

  visible_range (confusion, place->y, place->cell, place->top, place->height, &r0, &r1);
  visible_range (confusion, place->x, place->cell, place->left, place->width, &c0, &c1);
  sonde_paint_set_color (cr, &theme->dim);
  for (guint r = (r0 + every - 1) / every * every; r < r1; r += every)
    {
      double y = place->y + (r + 0.5) * place->cell;
      guint class = confusion->order[r];

      if (y < place->top || y > place->top + place->height)
        continue;
      sonde_paint_text (cr, SONDE_FONT_SMALL, SONDE_ALIGN_END, beside, y, SONDE_CONFUSION_MAX_NAME,
                        confusion->names[class]);
      if (right)
        paint_right (cr, confusion, class, end + SONDE_CONFUSION_RIGHT - 4, y);
    }
  for (guint c = (c0 + every - 1) / every * every; c < c1; c += every)
    {
      const char *name = confusion->names[confusion->order[c]];
      double width
          = fmin (sonde_text_measure (SONDE_FONT_SMALL, name, NULL), SONDE_CONFUSION_MAX_NAME);
      double x = place->x + (c + 0.5) * place->cell;

      if (x >= place->left && x <= place->left + place->width)
        sonde_paint_text_upwards (cr, SONDE_FONT_SMALL, x, above - width / 2,
                                  SONDE_CONFUSION_MAX_NAME, name);
    }
  sonde_paint_text (cr, SONDE_FONT_SMALL, SONDE_ALIGN_END, beside, above - 20,
                    SONDE_CONFUSION_MAX_NAME, _ ("predicted →"));
  sonde_paint_text (cr, SONDE_FONT_SMALL, SONDE_ALIGN_END, beside, above - 6,
                    SONDE_CONFUSION_MAX_NAME, _ ("true ↓"));
  if (right)
    sonde_paint_text (cr, SONDE_FONT_SMALL, SONDE_ALIGN_END, end + SONDE_CONFUSION_RIGHT - 4,
                      above - 6, 0, C_ ("share of predictions", "right"));
}

static void
paint_legend (cairo_t *cr, const SondeTheme *theme, const SondeConfusionMatrix *confusion,
              const SondeConfusionPlace *place)
{
  double x = fmax (place->x, place->left), width = fmin (160, place->width);
  double y = fmin (place->y + confusion->n * place->cell, place->top + place->height) + 8;
  const int n = 40;
  g_autofree char *high = NULL;

  if (!(confusion->largest > 0))
    return;
  for (int i = 0; i < n; i++)
    {
      SondeColor color = cell_color (theme, confusion, confusion->largest * (i + 0.5) / n);

      cairo_rectangle (cr, x + width * i / n, y, width / n + 0.5, 8);
      sonde_paint_set_color (cr, &color);
      cairo_fill (cr);
    }
  high = confusion->share
             ? g_strdup_printf (_ ("%.1f %% of the class"), 100 * confusion->largest)
             : g_strdup_printf (P_ ("%.0f misclassification", "%.0f misclassifications",
                                    (guint) confusion->largest),
                                confusion->largest);
  sonde_paint_set_color (cr, &theme->dim);
  sonde_paint_text (cr, SONDE_FONT_SMALL, SONDE_ALIGN_START, x, y + 17, 0, "0");
  sonde_paint_text (cr, SONDE_FONT_SMALL, SONDE_ALIGN_END, x + width, y + 17, width - 12, high);
}

void
sonde_confusion_paint (cairo_t *cr, const SondeTheme *theme, const SondeConfusionMatrix *confusion,
                       const SondeConfusionPlace *place)
{
  if (confusion->n == 0 || !(place->cell > 0))
    return;
  paint_names (cr, theme, confusion, place);
  cairo_save (cr);
  cairo_rectangle (cr, place->left, place->top, place->width, place->height);
  cairo_clip (cr);
  if (place->cell < MIN_SINGLE)
    paint_as_image (cr, theme, confusion, place);
  else
    paint_cells (cr, theme, confusion, place);
  cairo_restore (cr);
  paint_legend (cr, theme, confusion, place);
}
