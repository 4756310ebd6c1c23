/* SPDX-License-Identifier: Apache-2.0 */
#include "viewers/paint/trace/sonde-flame-paint.h"

#include <math.h>
#include <string.h>

#include "data/base/sonde-text.h"

#define BAR (SONDE_FLAME_ROW - 1)
#define PALE 0.25
#define SURE_LEAST 0.35 /* shares of the colour of a difference */
#define SURE_MOST 0.6
#define UNSURE 0.15

double
sonde_flame_get_height (const SondeFlameTree *tree)
{
  return (double) sonde_flame_tree_count_depths (tree) * SONDE_FLAME_ROW;
}

const char *
sonde_flame_get_name (const SondeFlameTree *tree, guint32 node)
{
  const char *name = sonde_flame_tree_get (tree, node)->name;

  return name != NULL ? name : _ ("all");
}

void
sonde_flame_get_box (const SondeFlamePicture *picture, guint32 n, int width, cairo_rectangle_t *box)
{
  const SondeFlameNode *node = sonde_flame_tree_get (picture->tree, n);
  double scale = width / (picture->right - picture->left);
  double x0 = CLAMP (((double) node->start - picture->left) * scale, -1e5, width + 1e5);
  double x1 = CLAMP (((double) node->start + (double) node->total - picture->left) * scale, -1e5,
                     width + 1e5);

  *box = (cairo_rectangle_t){ x0, node->depth * (double) SONDE_FLAME_ROW - picture->scroll, x1 - x0,
                              BAR };
}

static gboolean
is_pale (const SondeFlamePicture *picture, const char *name)
{
  g_autofree char *folded = NULL;

  if (picture->found == NULL || *picture->found == '\0')
    return FALSE;
  folded = g_utf8_casefold (name, -1);
  return strstr (folded, picture->found) == NULL;
}

/* Colours of a difference: the first of the series is blue, the second red-orange. */
#define FASTER 0
#define SLOWER 1

static SondeColor
get_fill (const SondeTheme *theme, const SondeFlamePicture *picture, guint32 n, const char *name)
{
  const SondeFlameDifference *difference = picture->difference;
  double change, share;

  if (difference == NULL)
    return *sonde_trace_get_color (theme, sonde_trace_hue_of (name));
  change = sonde_flame_difference_get_change (difference, n);
  share = difference->is_sure[sonde_flame_tree_get (difference->tree, n)->n]
              ? SURE_LEAST + (SURE_MOST - SURE_LEAST) * fabs (change)
              : UNSURE * MIN (2 * fabs (change), 1);
  return sonde_color_mix (&theme->grid, &theme->series[change > 0 ? SLOWER : FASTER], share);
}

static void
paint_node (cairo_t *cr, const SondeTheme *theme, const SondeFlamePicture *picture, guint32 n,
            const cairo_rectangle_t *box, int width)
{
  const char *name = sonde_flame_get_name (picture->tree, n);
  gboolean pale = is_pale (picture, name);
  SondeColor ink = picture->difference != NULL ? theme->foreground : sonde_trace_get_ink (theme);
  SondeColor fill = get_fill (theme, picture, n, name);
  double x0 = MAX (box->x, 0), x1 = MIN (box->x + box->width, width);

  if (n == 0)
    sonde_paint_set_color_alpha (cr, &theme->axis, 0.5);
  else
    sonde_paint_set_color_alpha (cr, &fill, pale ? PALE : 1);
  cairo_rectangle (cr, round (x0), box->y, MAX (round (x1) - round (x0) - (x1 - x0 > 3), 1), BAR);
  cairo_fill (cr);
  if (x1 - x0 < SONDE_TRACE_LABEL_MIN)
    return;
  sonde_paint_set_color_alpha (cr, &ink, pale ? 0.5 : 1);
  sonde_trace_paint_label (cr, picture->labels, x0 + 4, box->y + BAR / 2.0, x1 - x0 - 9, name);
}

/* Narrow neighbours are one grey stroke: so many rectangles at most as there are pixels. */
static void
paint_depth (cairo_t *cr, const SondeTheme *theme, const SondeFlamePicture *picture, guint depth,
             int width)
{
  const SondeFlameTree *tree = picture->tree;
  guint32 end = g_array_index (tree->depths, guint32, depth + 1);
  guint32 n = sonde_flame_tree_find (tree, depth, picture->left);
  double pixel = (picture->right - picture->left) / width;

  while (n < end)
    {
      const SondeFlameNode *node = sonde_flame_tree_get (tree, n);
      cairo_rectangle_t box;
      double next;

      if ((double) node->start >= picture->right)
        return;
      sonde_flame_get_box (picture, n, width, &box);
      if ((double) node->total >= pixel)
        {
          paint_node (cr, theme, picture, n++, &box, width);
          continue;
        }
      next = MAX ((double) node->start, picture->left) + pixel;
      sonde_paint_set_color (cr, &theme->axis);
      cairo_rectangle (cr, floor (MAX (box.x, 0)), box.y, 1, BAR);
      cairo_fill (cr);
      n = MAX (sonde_flame_tree_find (tree, depth, next), n + 1);
    }
}

void
sonde_paint_flame (cairo_t *cr, const SondeTheme *theme, const SondeFlamePicture *picture,
                   int width, int height)
{
  guint n = sonde_flame_tree_count_depths (picture->tree);
  guint first = (guint) CLAMP (picture->scroll / SONDE_FLAME_ROW, 0, n);

  for (guint depth = first; depth < n; depth++)
    {
      if (depth * (double) SONDE_FLAME_ROW - picture->scroll > height)
        break;
      paint_depth (cr, theme, picture, depth, width);
    }
}

static void
outline (cairo_t *cr, const SondeFlamePicture *picture, guint32 node, const SondeColor *color,
         double line, int width)
{
  cairo_rectangle_t box;
  double x0, x1;

  sonde_flame_get_box (picture, node, width, &box);
  x0 = MAX (box.x, -2);
  x1 = MIN (box.x + box.width, width + 2);
  cairo_rectangle (cr, x0 + line / 2, box.y + line / 2, MAX (x1 - x0 - line, 1), BAR - line);
  sonde_paint_set_color (cr, color);
  cairo_set_line_width (cr, line);
  cairo_stroke (cr);
}

void
sonde_paint_flame_marks (cairo_t *cr, const SondeTheme *theme, const SondeFlamePicture *picture,
                         guint32 selected, guint32 hovered, int width, int height)
{
  if (hovered != SONDE_TRACE_NONE && hovered != selected)
    outline (cr, picture, hovered, &theme->foreground, 1, width);
  if (selected != SONDE_TRACE_NONE)
    outline (cr, picture, selected, &theme->selection, 2, width);
}

guint32
sonde_flame_hit (const SondeFlamePicture *picture, int width, int height, double x, double y)
{
  const SondeFlameTree *tree = picture->tree;
  double row = floor ((y + picture->scroll) / SONDE_FLAME_ROW);
  double at = picture->left + x / width * (picture->right - picture->left);
  guint32 n;

  if (row < 0 || row >= sonde_flame_tree_count_depths (tree))
    return SONDE_TRACE_NONE;
  n = sonde_flame_tree_find (tree, (guint) row, at);
  if (n >= g_array_index (tree->depths, guint32, (guint) row + 1)
      || (double) sonde_flame_tree_get (tree, n)->start > at)
    return SONDE_TRACE_NONE;
  return n;
}
