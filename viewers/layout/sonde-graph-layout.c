/* SPDX-License-Identifier: Apache-2.0
 * The layout from outside: each connected part of the graph is laid out alone, then they are packed
 * side by side. */
#include "viewers/layout/sonde-layout-part-private.h"
#include "viewers/layout/sonde-layout-split-private.h"

#include <math.h>

#include "data/base/sonde-error.h"

#define SHAPE 1.6 /* width to height that packing of many parts aims at */

/* ---- what comes in ------------------------------------------------------- */

static gboolean
check_input (const SondeLayoutBox *boxes, guint n_boxes, const SondeLayoutEdge *edges,
             guint n_edges, GError **error)
{
  for (guint i = 0; i < n_boxes; i++)
    if (!(boxes[i].width >= 0 && boxes[i].height >= 0 && boxes[i].width < 1e9
          && boxes[i].height < 1e9))
      {
        sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_INVALID,
                         "box %u of the layout has an invalid size %g × %g", i, boxes[i].width,
                         boxes[i].height);
        return FALSE;
      }
  for (guint i = 0; i < n_edges; i++)
    if (edges[i].from >= n_boxes || edges[i].to >= n_boxes)
      {
        sonde_set_error (
            error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_INVALID,
            "edge %u of the layout leads from box %u to box %u, but there are only %u boxes", i,
            edges[i].from, edges[i].to, n_boxes);
        return FALSE;
      }
  return TRUE;
}

static SondeLayoutOptions
with_defaults (const SondeLayoutOptions *options)
{
  SondeLayoutOptions result = options ? *options : (SondeLayoutOptions){ 0 };

  result.layer_gap = result.layer_gap > 0 ? result.layer_gap : 40;
  result.box_gap = result.box_gap > 0 ? result.box_gap : 24;
  result.edge_gap = result.edge_gap > 0 ? result.edge_gap : 12;
  result.max_sweeps = result.max_sweeps > 0 ? result.max_sweeps : 12;
  return result;
}

/* ---- one part ------------------------------------------------------------ */

static void
part_clear (LayoutPart *part)
{
  g_free (part->routes);
  g_free (part->route_first);
  g_free (part->width);
  g_free (part->height);
  g_free (part->pin);
  g_free (part->layer);
  g_free (part->place);
  g_free (part->order);
  g_free (part->layer_first);
  g_free (part->segments);
  g_free (part->up);
  g_free (part->up_first);
  g_free (part->down);
  g_free (part->down_first);
  g_free (part->x);
  g_free (part->layer_top);
  g_free (part->layer_bottom);
  g_array_unref (part->points);
}

/* Whether the edge has the route of the one before it. */
static gboolean
shares_route (const Layout *layout, const LayoutEdgeKey *keys, guint i)
{
  const SondeLayoutEdge *edge = &layout->edges[keys[i].edge], *before;

  if (i == 0 || keys[i].low != keys[i - 1].low || keys[i].high != keys[i - 1].high)
    return FALSE;
  before = &layout->edges[keys[i - 1].edge];
  return edge->from_at == before->from_at && edge->to_at == before->to_at;
}

/* @keys: of this part. Edges with the same ends become one route. */
static void
part_init (LayoutPart *part, const Layout *layout, guint number, const LayoutEdgeKey *keys,
           guint n_keys)
{
  const guint *boxes = layout->sequence + layout->part_first[number];
  guint n = layout->part_first[number + 1] - layout->part_first[number];

  *part = (LayoutPart){ .options = layout->options, .cancelled = layout->cancelled, .n_boxes = n };
  part->width = g_new (double, n);
  part->height = g_new (double, n);
  part->pin = g_new (SondeLayoutPin, n);
  part->layer = g_new0 (guint, n);
  part->route_first = g_new0 (guint, n + 2);
  part->routes = g_new0 (LayoutRoute, n_keys + 1);
  part->points = g_array_new (FALSE, FALSE, sizeof (SondeLayoutPoint));
  for (guint i = 0; i < n; i++)
    {
      const SondeLayoutBox *box = &layout->boxes[boxes[i]];

      part->width[i] = layout->options.sideways ? box->height : box->width;
      part->height[i] = layout->options.sideways ? box->width : box->height;
      part->pin[i] = box->pin;
    }
  for (guint i = 0; i < n_keys; i++)
    {
      /* @keys speaks in places of the whole order; the edge knows its boxes. */
      const SondeLayoutEdge *edge = &layout->edges[keys[i].edge];
      guint from = layout->number[keys[i].reversed ? edge->to : edge->from];
      guint to = layout->number[keys[i].reversed ? edge->from : edge->to];

      if (shares_route (layout, keys, i))
        continue;
      part->routes[part->n_routes++]
          = (LayoutRoute){ .from = from,
                           .to = to,
                           .start_at = keys[i].reversed ? edge->to_at : edge->from_at,
                           .end_at = keys[i].reversed ? edge->from_at : edge->to_at };
      part->route_first[from + 1]++;
    }
  for (guint i = 0; i < n; i++)
    part->route_first[i + 1] += part->route_first[i];
}

/* Boxes and curves of the part, its own left upper corner at 0, 0. */
static void
take_results (Layout *layout, guint number, LayoutPart *part, const LayoutEdgeKey *keys,
              guint n_keys)
{
  const guint *boxes = layout->sequence + layout->part_first[number];
  guint route = 0;

  for (guint i = 0; i < part->n_boxes; i++)
    {
      SondeLayoutBox *box = &layout->boxes[boxes[i]];
      guint layer = part->layer[i];

      box->layer = layer;
      box->x = part->x[i] - part->width[i] / 2;
      box->y = (part->layer_top[layer] + part->layer_bottom[layer] - part->height[i]) / 2;
    }
  for (guint i = 0; i < n_keys; i++)
    {
      const SondeLayoutPoint *points = NULL;
      SondeLayoutEdge *edge = &layout->edges[keys[i].edge];
      guint n = 0;
      gboolean shared = shares_route (layout, keys, i);

      route += i > 0 && !shared;
      n = part->routes[route].n_points;
      points = &g_array_index (part->points, SondeLayoutPoint, part->routes[route].first_point);
      edge->is_stub = part->routes[route].is_stub;
      edge->n_points = n;
      layout->edge_first[keys[i].edge] = layout->points->len;
      if (shared && keys[i].reversed == keys[i - 1].reversed)
        layout->edge_first[keys[i].edge] = layout->edge_first[keys[i - 1].edge];
      else if (!keys[i].reversed)
        g_array_append_vals (layout->points, points, n);
      else
        for (guint k = n; k-- > 0;)
          g_array_append_vals (layout->points, &points[k], 1);
    }
  layout->part_width[number] = part->total_width;
  layout->part_height[number] = part->total_height;
  layout->n_crossings += part->n_crossings;
  layout->n_layers = MAX (layout->n_layers, part->n_layers);
}

static void
lay_out_part (Layout *layout, guint number, const LayoutEdgeKey *keys, guint n_keys)
{
  static void (*const phases[]) (LayoutPart * part) = {
    sonde_layout_assign_layers,
    sonde_layout_order_layers,
    sonde_layout_place_x,
    sonde_layout_route_edges,
  };
  LayoutPart part;

  part_init (&part, layout, number, keys, n_keys);
  for (guint i = 0; i < G_N_ELEMENTS (phases) && !layout_is_cancelled (&part); i++)
    phases[i](&part);
  if (!layout_is_cancelled (&part))
    take_results (layout, number, &part, keys, n_keys);
  part_clear (&part);
}

/* ---- all parts ----------------------------------------------------------- */

static void
move_part (Layout *layout, guint number, guint first_point, guint end_point, double x, double y)
{
  for (guint i = layout->part_first[number]; i < layout->part_first[number + 1]; i++)
    {
      layout->boxes[layout->sequence[i]].x += x;
      layout->boxes[layout->sequence[i]].y += y;
    }
  for (guint i = first_point; i < end_point; i++)
    {
      SondeLayoutPoint *point = &g_array_index (layout->points, SondeLayoutPoint, i);

      point->x += x;
      point->y += y;
    }
}

/* In columns: networks are tall, and small parts pile up beside them. */
static void
pack_parts (Layout *layout, const guint *point_first, SondeGraphLayout *result)
{
  double gap = 2 * layout->options.box_gap, area = 0, tallest = 0, limit = 0;
  double x = 0, y = 0, column = 0;

  for (guint i = 0; i < layout->n_parts; i++)
    {
      tallest = MAX (tallest, layout->part_height[i]);
      area += (layout->part_width[i] + gap) * (layout->part_height[i] + gap);
    }
  limit = layout->options.in_row ? 0 : MAX (tallest, sqrt (area / SHAPE));
  for (guint i = 0; i < layout->n_parts; i++)
    {
      if (y > 0 && y + layout->part_height[i] > limit)
        {
          x += column + gap;
          y = column = 0;
        }
      move_part (layout, i, point_first[i], point_first[i + 1], x, y);
      column = MAX (column, layout->part_width[i]);
      result->width = MAX (result->width, x + column);
      result->height = MAX (result->height, y + layout->part_height[i]);
      y += layout->part_height[i] + gap;
    }
}

static gboolean
lay_out_parts (Layout *layout, SondeGraphLayout *result)
{
  g_autofree guint *point_first = g_new0 (guint, layout->n_parts + 1);
  guint key = 0;

  for (guint i = 0; i < layout->n_parts; i++)
    {
      guint end = key;

      while (end < layout->n_keys && layout->keys[end].part == i)
        end++;
      lay_out_part (layout, i, layout->keys + key, end - key);
      if (layout->cancelled != NULL && *layout->cancelled)
        return FALSE;
      key = end;
      point_first[i + 1] = layout->points->len;
    }
  pack_parts (layout, point_first, result);
  return TRUE;
}

/* From a box to itself: out below, in above. */
static void
add_loops (Layout *layout)
{
  for (guint i = 0; i < layout->n_edges; i++)
    {
      SondeLayoutEdge *edge = &layout->edges[i];
      const SondeLayoutBox *box = &layout->boxes[edge->from];
      double middle = box->x + (layout->options.sideways ? box->height : box->width) / 2;
      double height = layout->options.sideways ? box->width : box->height;
      SondeLayoutPoint points[] = { { middle, box->y + height }, { middle, box->y } };

      if (edge->from != edge->to)
        continue;
      edge->is_stub = TRUE;
      edge->n_points = 2;
      layout->edge_first[i] = layout->points->len;
      g_array_append_vals (layout->points, points, 2);
    }
}

static void
turn_sideways (Layout *layout, SondeGraphLayout *result)
{
  double width = result->width;

  result->width = result->height;
  result->height = width;
  for (guint i = 0; i < layout->n_boxes; i++)
    {
      double x = layout->boxes[i].x;

      layout->boxes[i].x = layout->boxes[i].y;
      layout->boxes[i].y = x;
    }
  for (guint i = 0; i < layout->points->len; i++)
    {
      SondeLayoutPoint *point = &g_array_index (layout->points, SondeLayoutPoint, i);

      *point = (SondeLayoutPoint){ point->y, point->x };
    }
}

static void
hand_out_points (Layout *layout, SondeGraphLayout *result)
{
  result->n_crossings = layout->n_crossings;
  result->n_layers = layout->n_layers;
  result->points = (SondeLayoutPoint *) (void *) g_array_free (layout->points, FALSE);
  layout->points = NULL;
  for (guint i = 0; i < layout->n_edges; i++)
    layout->edges[i].points = result->points + layout->edge_first[i];
}

static void
layout_init (Layout *layout)
{
  guint n = layout->n_boxes;

  layout->sequence = g_new (guint, n + 1);
  layout->place = g_new (guint, n + 1);
  layout->part_of = g_new (guint, n + 1);
  layout->number = g_new (guint, n + 1);
  layout->keys = g_new (LayoutEdgeKey, layout->n_edges + 1);
  layout->edge_first = g_new0 (guint, layout->n_edges + 1);
  layout->points = g_array_new (FALSE, FALSE, sizeof (SondeLayoutPoint));
  sonde_layout_order_boxes (layout);
  sonde_layout_find_parts (layout);
  sonde_layout_sort_edges (layout);
  layout->part_width = g_new0 (double, layout->n_parts + 1);
  layout->part_height = g_new0 (double, layout->n_parts + 1);
}

static void
layout_clear (Layout *layout)
{
  g_free (layout->sequence);
  g_free (layout->place);
  g_free (layout->part_of);
  g_free (layout->part_first);
  g_free (layout->number);
  g_free (layout->keys);
  g_free (layout->edge_first);
  g_free (layout->part_width);
  g_free (layout->part_height);
  g_clear_pointer (&layout->points, g_array_unref);
}

SondeGraphLayout *
sonde_graph_layout_compute (SondeLayoutBox *boxes, guint n_boxes, SondeLayoutEdge *edges,
                            guint n_edges, const SondeLayoutOptions *options,
                            const _Atomic gboolean *cancelled, GError **error)
{
  g_autoptr (SondeGraphLayout) result = g_new0 (SondeGraphLayout, 1);
  Layout layout = { .boxes = boxes,
                    .n_boxes = n_boxes,
                    .edges = edges,
                    .n_edges = n_edges,
                    .options = with_defaults (options),
                    .cancelled = cancelled };
  gboolean done = FALSE;

  if (!check_input (boxes, n_boxes, edges, n_edges, error))
    return NULL;
  layout_init (&layout);
  done = lay_out_parts (&layout, result);
  if (done)
    {
      add_loops (&layout);
      if (layout.options.sideways)
        turn_sideways (&layout, result);
      hand_out_points (&layout, result);
    }
  layout_clear (&layout);
  if (done)
    return g_steal_pointer (&result);
  sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_CANCELLED,
                   "the graph layout was cancelled");
  return NULL;
}

void
sonde_graph_layout_free (SondeGraphLayout *layout)
{
  if (layout == NULL)
    return;
  g_free (layout->points);
  g_free (layout);
}
