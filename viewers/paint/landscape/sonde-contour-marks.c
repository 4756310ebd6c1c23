/* SPDX-License-Identifier: Apache-2.0 */
#include "viewers/paint/landscape/sonde-contour-marks.h"

#include <math.h>

#include "data/base/sonde-text.h"
#include "viewers/paint/sonde-text-paint.h"

#define MOST_TAGS 24
#define TAG_PAD 4
#define TAG_AWAY 10  /* px from its point */
#define TAG_APART 84 /* px from one labelled step to the next */
#define CARD_ALPHA 0.88

/* What is painted where: words have a card of their own, and no two lie on each other. */
typedef struct
{
  cairo_t *cr;
  const SondeTheme *theme;
  const SondeContour *contour;
  const cairo_rectangle_t *area;
  SondeAxis x, y;
  cairo_rectangle_t tags[MOST_TAGS];
  guint n_tags;
} Marks;

static void
place (const Marks *marks, double x, double y, double *px, double *py)
{
  *px = sonde_axis_x (&marks->x, marks->area, x);
  *py = sonde_axis_y (&marks->y, marks->area, y);
}

static void
stroke_with_border (cairo_t *cr, double width)
{
  cairo_set_source_rgb (cr, 0, 0, 0);
  cairo_set_line_width (cr, width + 2);
  cairo_stroke_preserve (cr);
  cairo_set_source_rgb (cr, 1, 1, 1);
  cairo_set_line_width (cr, width);
  cairo_stroke (cr);
}

/* ---- words --------------------------------------------------------------- */

static gboolean
is_inside (const cairo_rectangle_t *box, const cairo_rectangle_t *area)
{
  return box->x >= area->x + 2 && box->y >= area->y + 2
         && box->x + box->width <= area->x + area->width - 2
         && box->y + box->height <= area->y + area->height - 2;
}

static gboolean
is_free (const Marks *marks, const cairo_rectangle_t *box)
{
  for (guint i = 0; i < marks->n_tags; i++)
    {
      const cairo_rectangle_t *tag = &marks->tags[i];

      if (box->x < tag->x + tag->width + 2 && tag->x < box->x + box->width + 2
          && box->y < tag->y + tag->height + 2 && tag->y < box->y + box->height + 2)
        return FALSE;
    }
  return is_inside (box, marks->area);
}

/* Beside the point, at the first of four corners that has room; nothing where none has. */
static void
add_tag (Marks *marks, double x, double y, const char *text)
{
  double width = sonde_text_measure (SONDE_FONT_SMALL, text, NULL) + 2 * TAG_PAD;
  double height = sonde_font_height (SONDE_FONT_SMALL) + 2;

  for (int corner = 0; corner < 4 && marks->n_tags < MOST_TAGS; corner++)
    {
      cairo_rectangle_t box
          = { corner % 2 == 0 ? x + TAG_AWAY : x - TAG_AWAY - width,
              corner < 2 ? y + TAG_AWAY / 2.0 : y - TAG_AWAY / 2.0 - height, width, height };

      if (!is_free (marks, &box))
        continue;
      marks->tags[marks->n_tags++] = box;
      sonde_paint_round_rectangle (marks->cr, box.x, box.y, width, height, 4);
      sonde_paint_set_color_alpha (marks->cr, &marks->theme->card, CARD_ALPHA);
      cairo_fill (marks->cr);
      sonde_paint_set_color (marks->cr, &marks->theme->foreground);
      sonde_paint_text (marks->cr, SONDE_FONT_SMALL, SONDE_ALIGN_START, box.x + TAG_PAD,
                        box.y + height / 2, 0, text);
      return;
    }
}

/* ---- the path ------------------------------------------------------------ */

static void
paint_path (const Marks *marks)
{
  const SondeContour *contour = marks->contour;
  cairo_t *cr = marks->cr;
  double x, y;

  cairo_set_line_join (cr, CAIRO_LINE_JOIN_ROUND);
  cairo_new_path (cr);
  for (gsize i = 0; i < contour->n_path; i++)
    {
      place (marks, contour->path_x[i], contour->path_y[i], &x, &y);
      cairo_line_to (cr, x, y);
    }
  stroke_with_border (cr, 1.5);
  for (gsize i = 0; i < contour->n_path; i++)
    {
      place (marks, contour->path_x[i], contour->path_y[i], &x, &y);
      cairo_new_sub_path (cr);
      cairo_arc (cr, x, y, (gssize) i == contour->chosen ? 6 : i == 0 ? 4 : 2.5, 0, 2 * G_PI);
      stroke_with_border (cr, i == 0 || (gssize) i == contour->chosen ? 2 : 1.5);
    }
}

/* The first and the last one, then those between that stand apart. */
static void
label_path (Marks *marks)
{
  const SondeContour *contour = marks->contour;
  double x, y, last_x, last_y, end_x, end_y;

  if (contour->n_path == 0 || contour->path_labels == NULL)
    return;
  place (marks, contour->path_x[0], contour->path_y[0], &last_x, &last_y);
  add_tag (marks, last_x, last_y, contour->path_labels[0]);
  place (marks, contour->path_x[contour->n_path - 1], contour->path_y[contour->n_path - 1], &end_x,
         &end_y);
  for (gsize i = 1; i + 1 < contour->n_path; i++)
    {
      place (marks, contour->path_x[i], contour->path_y[i], &x, &y);
      if (hypot (x - last_x, y - last_y) < TAG_APART || hypot (x - end_x, y - end_y) < TAG_APART)
        continue;
      add_tag (marks, x, y, contour->path_labels[i]);
      last_x = x;
      last_y = y;
    }
}

static void
paint_end (Marks *marks)
{
  const SondeContour *contour = marks->contour;
  double x, y;

  if (!isfinite (contour->end_x) || !isfinite (contour->end_y))
    return;
  place (marks, contour->end_x, contour->end_y, &x, &y);
  cairo_move_to (marks->cr, x - 5, y - 5);
  cairo_line_to (marks->cr, x + 5, y + 5);
  cairo_move_to (marks->cr, x + 5, y - 5);
  cairo_line_to (marks->cr, x - 5, y + 5);
  stroke_with_border (marks->cr, 2);
  if (contour->end_label != NULL)
    add_tag (marks, x, y, contour->end_label);
}

/* A triangle that stands on its tip. */
static void
paint_lowest (Marks *marks, const SondeContourLevels *levels)
{
  g_autofree char *value = sonde_contour_format (levels, levels->least);
  g_autofree char *text = g_strdup_printf (_ ("lowest %s"), value);
  double x, y;

  place (marks, levels->lowest_x, levels->lowest_y, &x, &y);
  cairo_move_to (marks->cr, x, y + 5);
  cairo_line_to (marks->cr, x - 5, y - 4);
  cairo_line_to (marks->cr, x + 5, y - 4);
  cairo_close_path (marks->cr);
  stroke_with_border (marks->cr, 1.5);
  add_tag (marks, x, y, text);
}

void
sonde_paint_contour_marks (cairo_t *cr, const SondeTheme *theme, const SondeContour *contour,
                           const SondeContourLevels *levels, const cairo_rectangle_t *area)
{
  Marks marks = { .cr = cr, .theme = theme, .contour = contour, .area = area };

  marks.x = (SondeAxis){ SONDE_AXIS_LINEAR, contour->x_low, contour->x_high, NULL };
  marks.y = (SondeAxis){ SONDE_AXIS_LINEAR, contour->y_low, contour->y_high, NULL };
  paint_path (&marks);
  if (levels->largest > levels->least)
    paint_lowest (&marks, levels);
  paint_end (&marks);
  label_path (&marks);
}
