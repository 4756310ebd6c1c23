/* SPDX-License-Identifier: Apache-2.0 */
#include "viewers/paint/landscape/sonde-contour-labels.h"

#include <math.h>

#include "viewers/paint/sonde-text-paint.h"

#define AIR 3          /* px beside a text where its line stops */
#define APART 34       /* px between the ends of two labels */
#define EVERY 320      /* px of a line for another label */
#define SAME_APART 220 /* px between labels of one level */
#define AVOID 22       /* px around a mark, which has words, too */
#define LEAST_LINE 2   /* times the text */
#define STRAIGHT 0.94  /* a chord, of the line above it */
#define TRIES 16       /* places on a line */

static void
label_clear (gpointer data)
{
  g_free (((SondeContourLabel *) data)->text);
}

GArray *
sonde_contour_labels_new (void)
{
  GArray *labels = g_array_new (FALSE, FALSE, sizeof (SondeContourLabel));

  g_array_set_clear_func (labels, label_clear);
  return labels;
}

/* ---- places -------------------------------------------------------------- */

/* A line with how far each of its points is along it. */
typedef struct
{
  const SondeContourPoint *points;
  double *along;
  guint n;
} Measured;

static void
measure_line (Measured *line, const SondeContourPoint *points, guint n)
{
  line->points = points;
  line->n = n;
  line->along = g_new0 (double, MAX (n, 1));
  for (guint i = 1; i < n; i++)
    line->along[i]
        = line->along[i - 1] + hypot (points[i].x - points[i - 1].x, points[i].y - points[i - 1].y);
}

static SondeContourPoint
point_along (const Measured *line, double along)
{
  guint i = 1;
  double share;

  while (i + 1 < line->n && line->along[i] < along)
    i++;
  share = line->along[i] > line->along[i - 1]
              ? (along - line->along[i - 1]) / (line->along[i] - line->along[i - 1])
              : 0;
  return (SondeContourPoint){
    line->points[i - 1].x + (line->points[i].x - line->points[i - 1].x) * share,
    line->points[i - 1].y + (line->points[i].y - line->points[i - 1].y) * share
  };
}

/* A text of @width around that place of the line; FALSE where the line bends. */
static gboolean
place_at (const Measured *line, double along, double width, SondeContourLabel *label)
{
  SondeContourPoint a = point_along (line, along - width / 2),
                    b = point_along (line, along + width / 2), middle = point_along (line, along);
  double chord = hypot (b.x - a.x, b.y - a.y);

  if (chord < STRAIGHT * width)
    return FALSE;
  label->x = (a.x + b.x + 2 * middle.x) / 4;
  label->y = (a.y + b.y + 2 * middle.y) / 4;
  label->angle = b.x >= a.x ? atan2 (b.y - a.y, b.x - a.x) : atan2 (a.y - b.y, a.x - b.x);
  return TRUE;
}

static gboolean
is_free (const GArray *labels, const SondeContourLabel *label, const cairo_rectangle_t *area,
         const SondeContourPoint *avoided, gsize n_avoided)
{
  double reach = label->width / 2 + AIR;

  if (label->x < area->x + reach || label->x > area->x + area->width - reach
      || label->y < area->y + reach || label->y > area->y + area->height - reach)
    return FALSE;
  for (guint i = 0; i < labels->len; i++)
    {
      const SondeContourLabel *other = &g_array_index (labels, SondeContourLabel, i);

      if (hypot (other->x - label->x, other->y - label->y)
          < (other->level == label->level ? SAME_APART : reach + other->width / 2 + APART / 2.0))
        return FALSE;
    }
  for (gsize i = 0; i < n_avoided; i++)
    if (hypot (avoided[i].x - label->x, avoided[i].y - label->y) < reach + AVOID)
      return FALSE;
  return TRUE;
}

static void
label_line (GArray *labels, const Measured *line, const char *text, int level,
            const cairo_rectangle_t *area, const SondeContourPoint *avoided, gsize n_avoided)
{
  double width = sonde_text_measure (SONDE_FONT_SMALL, text, NULL), length;
  int n_wanted, n_placed = 0;

  length = line->along[line->n - 1];
  if (length < LEAST_LINE * width)
    return;
  n_wanted = 1 + (int) (length / EVERY);
  /* From the middle outwards, left and right in turns. */
  for (int i = 0; i < TRIES * n_wanted && n_placed < n_wanted; i++)
    {
      double step = length / (TRIES * n_wanted + 1);
      double along = length / 2 + (i % 2 == 0 ? 1 : -1) * ((i + 1) / 2) * step;
      SondeContourLabel label = { .width = width, .level = level };

      if (along < width || along > length - width || !place_at (line, along, width, &label)
          || !is_free (labels, &label, area, avoided, n_avoided))
        continue;
      label.text = g_strdup (text);
      g_array_append_val (labels, label);
      n_placed++;
    }
}

void
sonde_contour_labels_add (GArray *labels, const SondeContourLines *lines, const char *text,
                          int level, const cairo_rectangle_t *area,
                          const SondeContourPoint *avoided, gsize n_avoided)
{
  const SondeContourPoint *points = (const SondeContourPoint *) (void *) lines->points->data;

  for (guint i = 0; i < lines->lines->len; i++)
    {
      const SondeContourLine *line = &g_array_index (lines->lines, SondeContourLine, i);
      Measured measured;

      if (line->n < 2)
        continue;
      measure_line (&measured, points + line->first, line->n);
      label_line (labels, &measured, text, level, area, avoided, n_avoided);
      g_free (measured.along);
    }
}

/* ---- ink ----------------------------------------------------------------- */

void
sonde_contour_labels_path (const GArray *labels, cairo_t *cr)
{
  double height = sonde_font_height (SONDE_FONT_SMALL) - 4;

  for (guint i = 0; i < labels->len; i++)
    {
      const SondeContourLabel *label = &g_array_index (labels, SondeContourLabel, i);
      cairo_matrix_t before;

      cairo_get_matrix (cr, &before);
      cairo_translate (cr, label->x, label->y);
      cairo_rotate (cr, label->angle);
      cairo_rectangle (cr, -label->width / 2 - AIR, -height / 2, label->width + 2 * AIR, height);
      cairo_set_matrix (cr, &before);
    }
}

void
sonde_contour_label_paint (const SondeContourLabel *label, cairo_t *cr)
{
  cairo_save (cr);
  cairo_translate (cr, label->x, label->y);
  cairo_rotate (cr, label->angle);
  sonde_paint_text (cr, SONDE_FONT_SMALL, SONDE_ALIGN_CENTER, 0, 0, 0, label->text);
  cairo_restore (cr);
}
