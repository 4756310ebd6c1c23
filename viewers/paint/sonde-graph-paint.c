/* SPDX-License-Identifier: Apache-2.0
 * Boxes, curves and marks. */
#include <math.h>

#include "viewers/paint/sonde-graph-private.h"
#include "viewers/paint/sonde-text.h"

#define RADIUS 6
#define ARROW 6
#define STUB 12
#define TEXT_MIN_SCALE 0.45 /* below it words are too small to read and are left out */

/* What every part of the painter needs. */
typedef struct
{
  cairo_t *cr;
  const SondeTheme *theme;
  const SondeGraphScene *scene;
  const guint8 *marks;
  double x0, y0, x1, y1; /* clip */
  double scale;
} Ink;

static guint8
marks_of (const Ink *ink,
          guint      box)
{
  return ink->marks != NULL ? ink->marks[box] : 0;
}

/* The layout's chain of curves; a stub is a short line at each end. */
static void
trace_edge (cairo_t               *cr,
            const SondeLayoutEdge *edge)
{
  const SondeLayoutPoint *p = edge->points;

  cairo_move_to (cr, p[0].x, p[0].y);
  if (edge->is_stub)
    {
      cairo_rel_line_to (cr, 0, STUB);
      cairo_move_to (cr, p[1].x, p[1].y - STUB);
      cairo_line_to (cr, p[1].x, p[1].y);
      return;
    }
  for (guint i = 1; i + 2 < edge->n_points; i += 3)
    cairo_curve_to (cr, p[i].x, p[i].y, p[i + 1].x, p[i + 1].y, p[i + 2].x, p[i + 2].y);
}

static gboolean
is_edge_visible (const Ink             *ink,
                 const SondeLayoutEdge *edge)
{
  double x0 = INFINITY, y0 = INFINITY, x1 = -INFINITY, y1 = -INFINITY;

  for (guint i = 0; i < edge->n_points; i++)
    {
      x0 = fmin (x0, edge->points[i].x);
      x1 = fmax (x1, edge->points[i].x);
      y0 = fmin (y0, edge->points[i].y);
      y1 = fmax (y1, edge->points[i].y);
    }
  return edge->n_points >= 2 && x1 >= ink->x0 && x0 <= ink->x1 && y1 >= ink->y0 && y0 <= ink->y1;
}

static void
paint_arrow (const Ink             *ink,
             const SondeLayoutEdge *edge)
{
  const SondeLayoutPoint *end = &edge->points[edge->n_points - 1];

  cairo_move_to (ink->cr, end->x, end->y);
  cairo_rel_line_to (ink->cr, -ARROW * 0.6, -ARROW);
  cairo_rel_line_to (ink->cr, 2 * ARROW * 0.6, 0);
  cairo_close_path (ink->cr);
  cairo_fill (ink->cr);
}

static void
paint_edge (const Ink *ink,
            guint      index)
{
  const SondeLayoutEdge *edge = &ink->scene->edges[index];
  gboolean selected;

  if (!is_edge_visible (ink, edge))
    return;
  selected = ((marks_of (ink, edge->from) | marks_of (ink, edge->to)) & SONDE_GRAPH_MARK_SELECTED) != 0;
  sonde_paint_set_color (ink->cr, selected ? &ink->theme->selection : &ink->theme->axis);
  cairo_set_line_width (ink->cr, selected ? 2 : 1.2);
  trace_edge (ink->cr, edge);
  cairo_stroke (ink->cr);
  paint_arrow (ink, edge);
}

/* The shape beside the middle of the edge, on a patch of background. */
static void
paint_edge_label (const Ink *ink,
                  guint      index)
{
  const SondeLayoutEdge *edge = &ink->scene->edges[index];
  const char *label = ink->scene->labels[index];
  const SondeLayoutPoint *p = edge->points;
  double x, y, width;

  if (label == NULL || edge->is_stub || edge->n_points < 4 || !is_edge_visible (ink, edge))
    return;
  /* The middle of the last curve: before the box that reads it, where edges of one value have parted. */
  p += edge->n_points - 4;
  x = (p[0].x + 3 * p[1].x + 3 * p[2].x + p[3].x) / 8;
  y = (p[0].y + 3 * p[1].y + 3 * p[2].y + p[3].y) / 8;
  width = sonde_text_measure (SONDE_FONT_SMALL, label, NULL);
  sonde_paint_set_color (ink->cr, &ink->theme->card);
  sonde_paint_round_rectangle (ink->cr, x - width / 2 - 3, y - 8, width + 6, 16, 3);
  cairo_fill (ink->cr);
  sonde_paint_set_color (ink->cr, &ink->theme->dim);
  sonde_paint_text (ink->cr, SONDE_FONT_SMALL, SONDE_ALIGN_CENTER, x, y, 0, label);
}

static void
paint_texts (const Ink            *ink,
             const SondeGraphBox  *box,
             const SondeGraphText *text)
{
  double x = box->x + SONDE_GRAPH_BOX_PADDING, width = box->width - 2 * SONDE_GRAPH_BOX_PADDING;
  double y = box->y + 4 + SONDE_GRAPH_TITLE_HEIGHT / 2.0;

  sonde_paint_set_color (ink->cr, &ink->theme->foreground);
  sonde_paint_text (ink->cr, SONDE_FONT_STRONG, SONDE_ALIGN_START, x, y, width, text->title);
  y += SONDE_GRAPH_TITLE_HEIGHT / 2.0 + SONDE_GRAPH_LINE_HEIGHT / 2.0;
  sonde_paint_set_color_alpha (ink->cr, &ink->theme->foreground, 0.75);
  sonde_paint_text (ink->cr, SONDE_FONT_SMALL, SONDE_ALIGN_START, x, y, width, text->name);
  for (guint i = 0; i < text->n_details; i++)
    {
      y += SONDE_GRAPH_LINE_HEIGHT;
      sonde_paint_text (ink->cr, SONDE_FONT_SMALL, SONDE_ALIGN_START, x, y, width, text->details[i]);
    }
}

/* Breakpoint: a red disc on the left border. Current: an amber arrow before the box. */
static void
paint_marks (const Ink           *ink,
             const SondeGraphBox *box,
             guint8               marks)
{
  if (marks & SONDE_GRAPH_MARK_BREAKPOINT)
    {
      sonde_paint_set_color (ink->cr, &ink->theme->state[SONDE_STATE_ERROR]);
      cairo_arc (ink->cr, box->x, box->y + box->height / 2, 6, 0, 2 * G_PI);
      cairo_fill (ink->cr);
    }
  if (marks & SONDE_GRAPH_MARK_DONE)
    sonde_paint_state (ink->cr, ink->theme, SONDE_STATE_OK, box->x + box->width - 10, box->y + 12, 10);
  if (marks & SONDE_GRAPH_MARK_CURRENT)
    {
      double y = box->y + box->height / 2;

      sonde_paint_set_color (ink->cr, &ink->theme->state[SONDE_STATE_PAUSED]);
      cairo_move_to (ink->cr, box->x - 8, y);
      cairo_rel_line_to (ink->cr, -12, -8);
      cairo_rel_line_to (ink->cr, 0, 16);
      cairo_close_path (ink->cr);
      cairo_fill (ink->cr);
    }
}

static void
paint_box (const Ink *ink,
           guint      index)
{
  const SondeGraphBox *box = &ink->scene->boxes[index];
  const SondeGraphText *text = &ink->scene->texts[index];
  guint8 marks = marks_of (ink, index);
  const SondeColor *line = &ink->theme->family_line[text->family];
  gboolean dimmed = (marks & SONDE_GRAPH_MARK_DIMMED) != 0;

  if (box->x > ink->x1 + 20 || box->x + box->width < ink->x0 - 20 || box->y > ink->y1 + 20
      || box->y + box->height < ink->y0 - 20)
    return;
  if (dimmed)
    cairo_push_group (ink->cr);
  sonde_paint_round_rectangle (ink->cr, box->x, box->y, box->width, box->height, box->node != NULL ? RADIUS : box->height / 2);
  sonde_paint_set_color (ink->cr, &ink->theme->family[text->family]);
  cairo_fill_preserve (ink->cr);
  if (marks & SONDE_GRAPH_MARK_CURRENT)
    line = &ink->theme->state[SONDE_STATE_PAUSED];
  else if (marks & (SONDE_GRAPH_MARK_SELECTED | SONDE_GRAPH_MARK_FOUND))
    line = &ink->theme->selection;
  sonde_paint_set_color (ink->cr, line);
  cairo_set_line_width (ink->cr, marks & (SONDE_GRAPH_MARK_SELECTED | SONDE_GRAPH_MARK_CURRENT) ? 2.5
                                 : marks & SONDE_GRAPH_MARK_FOUND                               ? 2
                                                                                                : 1);
  cairo_stroke (ink->cr);
  if (ink->scale >= TEXT_MIN_SCALE)
    paint_texts (ink, box, text);
  if (dimmed)
    {
      cairo_pop_group_to_source (ink->cr);
      cairo_paint_with_alpha (ink->cr, 0.35);
    }
  paint_marks (ink, box, marks);
}

void
sonde_paint_graph (cairo_t               *cr,
                   const SondeTheme      *theme,
                   const SondeGraphScene *scene,
                   const guint8          *marks)
{
  Ink ink = { .cr = cr, .theme = theme, .scene = scene, .marks = marks };
  cairo_matrix_t matrix;

  cairo_get_matrix (cr, &matrix);
  ink.scale = hypot (matrix.xx, matrix.yx);
  cairo_clip_extents (cr, &ink.x0, &ink.y0, &ink.x1, &ink.y1);
  for (guint e = 0; e < scene->n_edges; e++)
    paint_edge (&ink, e);
  for (guint b = 0; b < scene->n_boxes; b++)
    paint_box (&ink, b);
  for (guint e = 0; ink.scale >= TEXT_MIN_SCALE && e < scene->n_edges; e++)
    paint_edge_label (&ink, e);
}
