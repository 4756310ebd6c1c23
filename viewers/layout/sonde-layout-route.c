/* SPDX-License-Identifier: Apache-2.0
 * y of the layers and the curves of the edges: vertical where they pass a layer, bent only between
 * layers, where no box is. */
#include "viewers/layout/sonde-layout-part-private.h"

#include <math.h>

#define PORT_MARGIN 8 /* pixels from the corner of a box */
#define PORT_GAP 10   /* between two edges that enter the same box */
#define STRAIGHT 0.25 /* pixels to the side that cannot be seen */

static void
place_layers (LayoutPart *part)
{
  double y = 0;

  part->layer_top = g_new (double, part->n_layers + 1);
  part->layer_bottom = g_new (double, part->n_layers + 1);
  for (guint layer = 0; layer < part->n_layers; layer++)
    {
      double height = 0;

      for (guint i = part->layer_first[layer]; i < part->layer_first[layer + 1]; i++)
        height = MAX (height, part->height[part->order[i]]);
      part->layer_top[layer] = y;
      part->layer_bottom[layer] = y + height;
      part->total_height = y + height;
      y += height + part->options.layer_gap;
    }
}

/* ---- where edges enter --------------------------------------------------- */

typedef struct
{
  double wanted;
  guint route;
} Port;

static int
compare_ports (gconstpointer a, gconstpointer b, gpointer data)
{
  const Port *left = a, *right = b;

  if (left->wanted != right->wanted)
    return left->wanted < right->wanted ? -1 : 1;
  return left->route < right->route ? -1 : left->route > right->route;
}

/* x of the route's last vertex before it reaches its box. */
static double
x_before_end (const LayoutPart *part, const LayoutRoute *route)
{
  return part->x[route->n_dummies > 0 ? route->first_dummy + route->n_dummies - 1 : route->from];
}

/* Straight down where the box is wide enough; otherwise at least PORT_GAP apart while there is
 * room. */
static void
spread_ports (LayoutPart *part, guint box, Port *ports, guint n)
{
  double margin = MIN (PORT_MARGIN, part->width[box] / 4);
  double left = part->x[box] - part->width[box] / 2 + margin;
  double right = part->x[box] + part->width[box] / 2 - margin;
  double gap = n > 1 ? MIN (PORT_GAP, (right - left) / (n - 1)) : 0;

  g_qsort_with_data (ports, (int) n, sizeof *ports, compare_ports, NULL);
  for (guint i = 0; i < n; i++)
    {
      ports[i].wanted = CLAMP (ports[i].wanted, left, right);
      if (i > 0)
        ports[i].wanted = MAX (ports[i].wanted, ports[i - 1].wanted + gap);
    }
  for (guint i = n; i-- > 0;)
    {
      double limit = right - gap * (n - 1 - i);

      part->routes[ports[i].route].end_x = MIN (ports[i].wanted, limit);
    }
}

/* @at: px from the left side of the box; 0: @anywhere */
static double
place_on_rim (const LayoutPart *part, guint box, double at, double anywhere)
{
  return at > 0 ? part->x[box] - part->width[box] / 2 + MIN (at, part->width[box]) : anywhere;
}

static void
place_ports (LayoutPart *part)
{
  g_autofree guint *first = g_new0 (guint, part->n_boxes + 2);
  g_autofree Port *ports = g_new (Port, part->n_routes + 1);

  for (guint i = 0; i < part->n_routes; i++)
    {
      LayoutRoute *route = &part->routes[i];

      route->start_x = place_on_rim (part, route->from, route->start_at, part->x[route->from]);
      route->end_x = place_on_rim (part, route->to, route->end_at, part->x[route->to]);
      first[route->to + 2] += route->end_at == 0;
    }
  for (guint box = 0; box < part->n_boxes; box++)
    first[box + 2] += first[box + 1];
  for (guint i = 0; i < part->n_routes; i++)
    if (part->routes[i].end_at == 0)
      ports[first[part->routes[i].to + 1]++] = (Port){ x_before_end (part, &part->routes[i]), i };
  for (guint box = 0; box < part->n_boxes; box++)
    if (first[box + 1] > first[box])
      spread_ports (part, box, ports + first[box], first[box + 1] - first[box]);
}

/* ---- curves -------------------------------------------------------------- */

typedef struct
{
  LayoutPart *part;
  SondeLayoutPoint at;      /* end of what is written */
  SondeLayoutPoint pending; /* end of a straight piece that may go on */
} Pen;

static void
add_point (Pen *pen, double x, double y)
{
  SondeLayoutPoint point = { x, y };

  g_array_append_val (pen->part->points, point);
}

static void
flush_straight (Pen *pen)
{
  double third = (pen->pending.y - pen->at.y) / 3;

  if (third == 0)
    return;
  add_point (pen, pen->at.x, pen->at.y + third);
  add_point (pen, pen->pending.x, pen->pending.y - third);
  add_point (pen, pen->pending.x, pen->pending.y);
  pen->at = pen->pending;
}

/* Straight pieces below each other become one. */
static void
go_to (Pen *pen, double x, double y)
{
  double middle = 0;

  if (fabs (x - pen->at.x) < STRAIGHT)
    {
      pen->pending.y = y;
      return;
    }
  flush_straight (pen);
  middle = (pen->at.y + y) / 2;
  add_point (pen, pen->at.x, middle);
  add_point (pen, x, middle);
  add_point (pen, x, y);
  pen->at = pen->pending = (SondeLayoutPoint){ x, y };
}

static double
bottom_of (const LayoutPart *part, guint box)
{
  guint layer = part->layer[box];

  return (part->layer_top[layer] + part->layer_bottom[layer] + part->height[box]) / 2;
}

static double
top_of (const LayoutPart *part, guint box)
{
  return bottom_of (part, box) - part->height[box];
}

static void
draw_route (LayoutPart *part, LayoutRoute *route)
{
  SondeLayoutPoint start = { route->start_x, bottom_of (part, route->from) };
  Pen pen = { part, start, start };
  guint layer = part->layer[route->from];

  route->first_point = part->points->len;
  add_point (&pen, start.x, start.y);
  if (route->is_stub)
    {
      add_point (&pen, route->end_x, top_of (part, route->to));
      route->n_points = 2;
      return;
    }

  go_to (&pen, start.x, part->layer_bottom[layer]);
  for (guint i = 0; i < route->n_dummies; i++)
    {
      double x = part->x[route->first_dummy + i];

      layer++;
      go_to (&pen, x, part->layer_top[layer]);
      go_to (&pen, pen.at.x, part->layer_bottom[layer]);
    }
  go_to (&pen, route->end_x, part->layer_top[layer + 1]);
  go_to (&pen, pen.at.x, top_of (part, route->to));
  flush_straight (&pen);
  route->n_points = part->points->len - route->first_point;
}

void
sonde_layout_route_edges (LayoutPart *part)
{
  place_layers (part);
  place_ports (part);
  for (guint i = 0; i < part->n_routes; i++)
    draw_route (part, &part->routes[i]);
}
