/* SPDX-License-Identifier: Apache-2.0
 * Boxes, curves and marks. */
#include <math.h>

#include "data/base/sonde-text.h"
#include "viewers/paint/graph/sonde-graph-paint-private.h"
#include "viewers/paint/graph/sonde-graph-tint.h"
#include "viewers/paint/sonde-text-paint.h"

#define RADIUS 6
#define ARROW 6
#define STUB 12
#define FRAME_SHADE 0.035   /* of a frame's ground, towards the ink */
#define TEXT_MIN_SCALE 0.45 /* below it words are too small to read and are left out */

/* What every part of the painter needs. */
/* Drawn in the colour of the selection. */
#define MARKS_CHOSEN (SONDE_GRAPH_MARK_SELECTED | SONDE_GRAPH_MARK_FOUND | SONDE_GRAPH_MARK_PARTNER)

typedef struct
{
  cairo_t *cr;
  const SondeTheme *theme;
  const SondeGraphScene *scene;
  const guint8 *marks;
  const SondeGraphShades *shades; /* (nullable) */
  double x0, y0, x1, y1;          /* clip */
  double scale;
} Pass;

static guint8
marks_of (const Pass *pass, guint box)
{
  return pass->marks != NULL ? pass->marks[box] : 0;
}

/* The layout's chain of curves; a stub is a short line at each end. */
static void
trace_edge (cairo_t *cr, const SondeLayoutEdge *edge)
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
is_edge_visible (const Pass *pass, const SondeLayoutEdge *edge)
{
  double x0 = INFINITY, y0 = INFINITY, x1 = -INFINITY, y1 = -INFINITY;

  for (guint i = 0; i < edge->n_points; i++)
    {
      x0 = fmin (x0, edge->points[i].x);
      x1 = fmax (x1, edge->points[i].x);
      y0 = fmin (y0, edge->points[i].y);
      y1 = fmax (y1, edge->points[i].y);
    }
  return edge->n_points >= 2 && x1 >= pass->x0 && x0 <= pass->x1 && y1 >= pass->y0
         && y0 <= pass->y1;
}

static void
paint_arrow (const Pass *pass, const SondeLayoutEdge *edge)
{
  const SondeLayoutPoint *end = &edge->points[edge->n_points - 1];

  cairo_move_to (pass->cr, end->x, end->y);
  cairo_rel_line_to (pass->cr, -ARROW * 0.6, -ARROW);
  cairo_rel_line_to (pass->cr, 2 * ARROW * 0.6, 0);
  cairo_close_path (pass->cr);
  cairo_fill (pass->cr);
}

static void
paint_edge (const Pass *pass, guint index)
{
  const SondeLayoutEdge *edge = &pass->scene->edges[index];
  gboolean selected, dimmed;

  if (!is_edge_visible (pass, edge))
    return;
  dimmed
      = ((marks_of (pass, edge->from) | marks_of (pass, edge->to)) & SONDE_GRAPH_MARK_DIMMED) != 0;
  selected = ((marks_of (pass, edge->from) | marks_of (pass, edge->to)) & SONDE_GRAPH_MARK_SELECTED)
             != 0;
  sonde_paint_set_color_alpha (pass->cr, selected ? &pass->theme->selection : &pass->theme->axis,
                               dimmed ? 0.35 : 1);
  cairo_set_line_width (pass->cr, selected ? 2 : 1.2);
  if (pass->scene->controls[index])
    cairo_set_dash (pass->cr, (const double[]){ 3, 3 }, 2, 0);
  trace_edge (pass->cr, edge);
  cairo_stroke (pass->cr);
  cairo_set_dash (pass->cr, NULL, 0, 0);
  if (!pass->scene->boxes[edge->to].is_open) /* it goes on inside */
    paint_arrow (pass, edge);
}

/* The shape beside the end of the edge: before the box that reads it, where edges of one value have
 * parted. At a stub, where it comes from. */
static void
paint_edge_label (const Pass *pass, guint index)
{
  const SondeLayoutEdge *edge = &pass->scene->edges[index];
  const char *label = pass->scene->labels[index];
  const SondeLayoutPoint *p = edge->points;
  double x, y, width;

  if (label == NULL || edge->n_points < 2 || !is_edge_visible (pass, edge))
    return;
  width = sonde_text_measure (SONDE_FONT_SMALL, label, NULL);
  if (edge->is_stub)
    {
      x = p[1].x + 6;
      y = p[1].y - STUB;
    }
  else
    {
      p += edge->n_points - 4;
      x = (p[0].x + 3 * p[1].x + 3 * p[2].x + p[3].x) / 8 + 6;
      y = (p[0].y + 3 * p[1].y + 3 * p[2].y + p[3].y) / 8;
    }
  sonde_paint_set_color_alpha (pass->cr, &pass->theme->card, 0.85);
  sonde_paint_round_rectangle (pass->cr, x - 2, y - 7, width + 4, 14, 3);
  cairo_fill (pass->cr);
  sonde_paint_set_color (pass->cr, &pass->theme->dim);
  sonde_paint_text (pass->cr, SONDE_FONT_SMALL, SONDE_ALIGN_START, x, y, 0, label);
}

static void
paint_texts (const Pass *pass, const SondeGraphBox *box, const SondeGraphText *text,
             const SondeColor *ink)
{
  double arrow = box->scope != SONDE_SCOPE_NONE ? SONDE_GRAPH_ARROW_ROOM : 0;
  double x = box->x + SONDE_GRAPH_BOX_PADDING + arrow;
  double width = box->width - 2 * SONDE_GRAPH_BOX_PADDING + SONDE_GRAPH_SLACK - arrow;
  double y = box->y + SONDE_GRAPH_TITLE_HEIGHT / 2.0;
  double name_x = text->title_width + SONDE_GRAPH_TITLE_GAP;

  sonde_paint_set_color (pass->cr, ink);
  sonde_paint_text (pass->cr, SONDE_FONT_STRONG, SONDE_ALIGN_START, x, y, width, text->title);
  /* On strong colours nothing is left to be dimmed. */
  sonde_paint_set_color_alpha (pass->cr, ink, pass->shades != NULL ? 1 : 0.75);
  if (*text->name != '\0' && width - name_x > 12)
    sonde_paint_text (pass->cr, SONDE_FONT_SMALL, SONDE_ALIGN_START, x + name_x, y, width - name_x,
                      text->name);
  y += SONDE_GRAPH_TITLE_HEIGHT / 2.0 + SONDE_GRAPH_LINE_HEIGHT / 2.0 - 2;
  for (guint i = 0; i < text->n_details; i++, y += SONDE_GRAPH_LINE_HEIGHT)
    sonde_paint_text (pass->cr, SONDE_FONT_SMALL, SONDE_ALIGN_START, x, y, width, text->details[i]);
}

/* Breakpoint: a red disc on the left border. Current: an amber arrow before the box. */
static void
paint_marks (const Pass *pass, const SondeGraphBox *box, guint8 marks)
{
  if (marks & SONDE_GRAPH_MARK_BREAKPOINT)
    {
      sonde_paint_set_color (pass->cr, &pass->theme->state[SONDE_STATE_ERROR]);
      cairo_arc (pass->cr, box->x, box->y + box->height / 2, 6, 0, 2 * G_PI);
      cairo_fill (pass->cr);
    }
  if (marks & SONDE_GRAPH_MARK_DONE)
    sonde_paint_state (pass->cr, pass->theme, SONDE_STATE_OK, box->x + box->width + 8,
                       box->y + box->height / 2, 9);
  if (marks & SONDE_GRAPH_MARK_CURRENT)
    {
      double y = box->y + box->height / 2;

      sonde_paint_set_color (pass->cr, &pass->theme->state[SONDE_STATE_PAUSED]);
      cairo_move_to (pass->cr, box->x - 8, y);
      cairo_rel_line_to (pass->cr, -12, -8);
      cairo_rel_line_to (pass->cr, 0, 16);
      cairo_close_path (pass->cr);
      cairo_fill (pass->cr);
    }
}

static SondeColor
fill_of (const Pass *pass, guint index, SondeColor *ink)
{
  *ink = pass->theme->foreground;
  return pass->shades != NULL ? sonde_graph_shades_get_fill (pass->shades, pass->theme, index, ink)
                              : pass->theme->family[pass->scene->texts[index].family];
}

/* ---- scopes -------------------------------------------------------------- */

/* Points down where it is open. */
static void
paint_triangle (const Pass *pass, const SondeGraphBox *box, const SondeColor *ink)
{
  double x = box->x + SONDE_GRAPH_BOX_PADDING, y = box->y + SONDE_GRAPH_TITLE_HEIGHT / 2.0;

  cairo_new_path (pass->cr);
  if (box->is_open)
    {
      cairo_move_to (pass->cr, x, y - 2.5);
      cairo_rel_line_to (pass->cr, 9, 0);
      cairo_rel_line_to (pass->cr, -4.5, 6);
    }
  else
    {
      cairo_move_to (pass->cr, x + 1.5, y - 4.5);
      cairo_rel_line_to (pass->cr, 6, 4.5);
      cairo_rel_line_to (pass->cr, -6, 4.5);
    }
  cairo_close_path (pass->cr);
  sonde_paint_set_color (pass->cr, ink);
  cairo_fill (pass->cr);
}

static gboolean
is_box_visible (const Pass *pass, const SondeGraphBox *box)
{
  return box->x <= pass->x1 + 20 && box->x + box->width >= pass->x0 - 20 && box->y <= pass->y1 + 20
         && box->y + box->height >= pass->y0 - 20;
}

static void
paint_frame (const Pass *pass, guint index)
{
  const SondeGraphBox *box = &pass->scene->boxes[index];
  gboolean marked = (marks_of (pass, index) & MARKS_CHOSEN) != 0;

  if (!box->is_open || !is_box_visible (pass, box))
    return;
  sonde_paint_round_rectangle (pass->cr, box->x, box->y, box->width, box->height, RADIUS);
  sonde_paint_set_color_alpha (pass->cr, &pass->theme->foreground, FRAME_SHADE);
  cairo_fill_preserve (pass->cr);
  sonde_paint_set_color (pass->cr, marked ? &pass->theme->selection : &pass->theme->axis);
  cairo_set_line_width (pass->cr, marked ? 2 : 1);
  cairo_stroke (pass->cr);
}

/* What all frames around a box and its own make of the card. */
static SondeColor
get_frame_color (const Pass *pass, guint index)
{
  SondeColor color = pass->theme->card;

  for (int b = (int) index; b >= 0; b = pass->scene->boxes[b].frame)
    color = sonde_color_mix (&color, &pass->theme->foreground, FRAME_SHADE);
  return color;
}

/* Over the lines that pass it. */
static void
paint_frame_head (const Pass *pass, guint index)
{
  const SondeGraphBox *box = &pass->scene->boxes[index];
  const SondeGraphText *text = &pass->scene->texts[index];
  SondeColor back = get_frame_color (pass, index);

  if (!box->is_open || pass->scale < TEXT_MIN_SCALE || !is_box_visible (pass, box))
    return;
  sonde_paint_set_color (pass->cr, &back);
  cairo_rectangle (
      pass->cr, box->x + 4, box->y + 4,
      fmin (text->width + SONDE_GRAPH_ARROW_ROOM + SONDE_GRAPH_BOX_PADDING, box->width - 8),
      SONDE_GRAPH_FRAME_HEAD - 6);
  cairo_fill (pass->cr);
  paint_triangle (pass, box, &pass->theme->foreground);
  paint_texts (pass, box, text, &pass->theme->foreground);
}

/* Sheets below the box of a fold. */
static void
paint_sheets (const Pass *pass, const SondeGraphBox *box, const SondeColor *fill)
{
  for (int i = 2; i > 0; i--)
    {
      sonde_paint_round_rectangle (pass->cr, box->x + 3 * i, box->y + 3 * i, box->width,
                                   box->height, RADIUS);
      sonde_paint_set_color (pass->cr, fill);
      cairo_fill_preserve (pass->cr);
      sonde_paint_set_color (pass->cr, &pass->theme->axis);
      cairo_set_line_width (pass->cr, 1);
      cairo_stroke (pass->cr);
    }
}

static gboolean
is_fold (const Pass *pass, const SondeGraphBox *box)
{
  return box->scope != SONDE_SCOPE_NONE
         && sonde_scope_tree_get (pass->scene->folding->tree, box->scope)->n_repeats > 0;
}

/* ---- boxes --------------------------------------------------------------- */

static void
paint_box (const Pass *pass, guint index)
{
  const SondeGraphBox *box = &pass->scene->boxes[index];
  const SondeGraphText *text = &pass->scene->texts[index];
  guint8 marks = marks_of (pass, index);
  const SondeColor *line
      = pass->shades != NULL ? &pass->theme->axis : &pass->theme->family_line[text->family];
  SondeColor ink, fill = fill_of (pass, index, &ink);
  gboolean dimmed = (marks & SONDE_GRAPH_MARK_DIMMED) != 0;

  if (box->is_open || !is_box_visible (pass, box))
    return;
  if (dimmed)
    cairo_push_group (pass->cr);
  if (is_fold (pass, box))
    paint_sheets (pass, box, &fill);
  sonde_paint_round_rectangle (pass->cr, box->x, box->y, box->width, box->height,
                               box->value == NULL ? RADIUS : box->height / 2);
  sonde_paint_set_color (pass->cr, &fill);
  cairo_fill_preserve (pass->cr);
  if (marks & SONDE_GRAPH_MARK_CURRENT)
    line = &pass->theme->state[SONDE_STATE_PAUSED];
  else if (marks & MARKS_CHOSEN)
    line = &pass->theme->selection;
  sonde_paint_set_color (pass->cr, line);
  cairo_set_line_width (pass->cr, marks & (SONDE_GRAPH_MARK_SELECTED | SONDE_GRAPH_MARK_CURRENT)
                                      ? 2.5
                                  : marks & MARKS_CHOSEN ? 2
                                                         : 1);
  cairo_stroke (pass->cr);
  if (pass->scale >= TEXT_MIN_SCALE)
    paint_texts (pass, box, text, &ink);
  if (box->scope != SONDE_SCOPE_NONE)
    paint_triangle (pass, box, &ink);
  if (dimmed)
    {
      cairo_pop_group_to_source (pass->cr);
      cairo_paint_with_alpha (pass->cr, 0.35);
    }
  paint_marks (pass, box, marks);
}

void
sonde_paint_graph (cairo_t *cr, const SondeTheme *theme, const SondeGraphScene *scene,
                   const guint8 *marks, const SondeGraphShades *shades)
{
  Pass pass = { .cr = cr, .theme = theme, .scene = scene, .marks = marks, .shades = shades };
  cairo_matrix_t matrix;

  cairo_get_matrix (cr, &matrix);
  pass.scale = hypot (matrix.xx, matrix.yx);
  cairo_clip_extents (cr, &pass.x0, &pass.y0, &pass.x1, &pass.y1);
  for (guint b = 0; scene->folding != NULL && b < scene->n_boxes; b++)
    paint_frame (&pass, b);
  for (guint e = 0; e < scene->n_edges; e++)
    paint_edge (&pass, e);
  for (guint b = 0; scene->folding != NULL && b < scene->n_boxes; b++)
    paint_frame_head (&pass, b);
  for (guint b = 0; b < scene->n_boxes; b++)
    paint_box (&pass, b);
  for (guint e = 0; pass.scale >= TEXT_MIN_SCALE && e < scene->n_edges; e++)
    paint_edge_label (&pass, e);
}

/* ---- what stands beside the graph ---------------------------------------- */

#define LEGEND_LINE 17
#define SWATCH 11

/* Families that some box has. Returns: how many. */
static guint
find_families (const SondeGraphScene *scene, gboolean present[SONDE_N_FAMILIES])
{
  guint n = 0;

  for (guint b = 0; b < scene->n_boxes; b++)
    {
      SondeFamily family = scene->texts[b].family;

      if (scene->boxes[b].scope != SONDE_SCOPE_NONE)
        continue;
      n += !present[family];
      present[family] = TRUE;
    }
  return n;
}

void
sonde_graph_legend_get_size (const SondeGraphScene *scene, double *width, double *height)
{
  gboolean present[SONDE_N_FAMILIES] = { FALSE };

  *height = find_families (scene, present) * LEGEND_LINE;
  *width = 0;
  for (int f = 0; f < SONDE_N_FAMILIES; f++)
    if (present[f])
      *width = fmax (*width, sonde_text_measure (SONDE_FONT_SMALL,
                                                 _ (sonde_family_name ((SondeFamily) f)), NULL));
  *width += SWATCH + 6;
}

void
sonde_paint_graph_legend (cairo_t *cr, const SondeTheme *theme, const SondeGraphScene *scene,
                          double x, double y)
{
  gboolean present[SONDE_N_FAMILIES] = { FALSE };

  find_families (scene, present);
  y += LEGEND_LINE / 2.0;
  for (int f = 0; f < SONDE_N_FAMILIES; f++)
    {
      if (!present[f])
        continue;
      sonde_paint_round_rectangle (cr, x + 0.5, y - SWATCH / 2.0, SWATCH, SWATCH, 3);
      sonde_paint_set_color (cr, &theme->family[f]);
      cairo_fill_preserve (cr);
      sonde_paint_set_color (cr, &theme->family_line[f]);
      cairo_set_line_width (cr, 1);
      cairo_stroke (cr);
      sonde_paint_set_color (cr, &theme->dim);
      sonde_paint_text (cr, SONDE_FONT_SMALL, SONDE_ALIGN_START, x + SWATCH + 6, y, 0,
                        _ (sonde_family_name ((SondeFamily) f)));
      y += LEGEND_LINE;
    }
}

void
sonde_paint_graph_overview (cairo_t *cr, const SondeTheme *theme, const SondeGraphScene *scene,
                            const guint8 *marks, const SondeGraphShades *shades, double scale)
{
  double least = 1.5 / scale; /* so that a box is never less than a dot */

  for (guint b = 0; b < scene->n_boxes; b++)
    {
      const SondeGraphBox *box = &scene->boxes[b];
      guint8 mark = marks != NULL ? marks[b] : 0;
      SondeColor ink, color = theme->family_line[scene->texts[b].family];

      if (box->is_open)
        continue;
      if (mark & SONDE_GRAPH_MARK_CURRENT)
        color = theme->state[SONDE_STATE_PAUSED];
      else if (mark & MARKS_CHOSEN)
        color = theme->selection;
      else if (shades != NULL)
        color = sonde_graph_shades_get_fill (shades, theme, b, &ink);
      cairo_rectangle (cr, box->x, box->y, fmax (box->width, least), fmax (box->height, least));
      sonde_paint_set_color (cr, &color);
      cairo_fill (cr);
    }
}
