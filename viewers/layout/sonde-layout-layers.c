/* SPDX-License-Identifier: Apache-2.0
 * Which layer a box stands in, and the dummies of the edges that pass several. */
#include "viewers/layout/sonde-layout-part-private.h"

/* Dummies that a part may have beside its boxes and edges; beyond, the longest edges become
 * stubs. */
#define DUMMIES_PER_ITEM 8
#define DUMMIES_ALWAYS 20000

/* As early as possible: one layer after the last predecessor. */
static void
assign_earliest (LayoutPart *part)
{
  for (guint i = 0; i < part->n_routes; i++)
    {
      const LayoutRoute *route = &part->routes[i];

      part->layer[route->to] = MAX (part->layer[route->to], part->layer[route->from] + 1);
    }
}

/* The layer just above the first reader; a box without a reader stays. */
static guint
latest_layer (const LayoutPart *part, const guint *layer, guint box)
{
  guint latest = G_MAXUINT;

  for (guint i = part->route_first[box]; i < part->route_first[box + 1]; i++)
    latest = MIN (latest, layer[part->routes[i].to] - 1);
  return latest < G_MAXUINT ? latest : layer[box];
}

/* Boxes that could move down with everything above them: what prepares a constant. */
static gboolean *
find_light_boxes (const LayoutPart *part)
{
  gboolean *light = g_new (gboolean, part->n_boxes + 1);
  g_autofree guint *latest = g_memdup2 (part->layer, part->n_boxes * sizeof (guint));

  for (guint box = part->n_boxes; box-- > 0;)
    {
      latest[box] = latest_layer (part, latest, box);
      light[box] = latest[box] > part->layer[box];
    }
  for (guint i = 0; i < part->n_routes; i++)
    if (!light[part->routes[i].from])
      light[part->routes[i].to] = FALSE;
  return light;
}

/* A box that has no more edges above than below, or takes along what is above, moves down to its
 * readers: constants stand where they are used. */
static void
pull_down (LayoutPart *part)
{
  g_autofree guint *n_in = g_new0 (guint, part->n_boxes + 1);
  g_autofree gboolean *light = find_light_boxes (part);

  for (guint i = 0; i < part->n_routes; i++)
    n_in[part->routes[i].to]++;
  for (guint box = part->n_boxes; box-- > 0;)
    if (part->pin[box] != SONDE_LAYOUT_FIRST
        && (light[box] || part->route_first[box + 1] - part->route_first[box] >= n_in[box]))
      part->layer[box] = latest_layer (part, part->layer, box);
}

/* Numbers without gaps: pulling down may have emptied the first layers. */
static void
close_ranks (LayoutPart *part)
{
  guint last = 0, n = 0;
  g_autofree guint *number = NULL;

  for (guint box = 0; box < part->n_boxes; box++)
    last = MAX (last, part->layer[box]);
  number = g_new0 (guint, last + 1);
  for (guint box = 0; box < part->n_boxes; box++)
    number[part->layer[box]] = 1;
  for (guint layer = 0; layer <= last; layer++)
    {
      guint used = number[layer];

      number[layer] = n;
      n += used;
    }
  for (guint box = 0; box < part->n_boxes; box++)
    part->layer[box] = number[part->layer[box]];
  part->n_layers = n;
}

/* Those that stand last go where the last one stands, but for one that something below reads. */
static void
push_last (LayoutPart *part)
{
  for (guint box = 0; box < part->n_boxes; box++)
    if (part->pin[box] == SONDE_LAYOUT_LAST && part->route_first[box] == part->route_first[box + 1])
      part->layer[box] = part->n_layers - 1;
}

static guint
span_of (const LayoutPart *part, const LayoutRoute *route)
{
  return part->layer[route->to] - part->layer[route->from];
}

/* The largest span at which all dummies together stay within the limit. */
static guint
affordable_span (const LayoutPart *part)
{
  guint64 limit
      = DUMMIES_ALWAYS + (guint64) DUMMIES_PER_ITEM * ((guint64) part->n_boxes + part->n_routes);
  g_autofree guint *n_of_span = g_new0 (guint, part->n_layers + 1);
  guint64 total = 0;

  for (guint i = 0; i < part->n_routes; i++)
    n_of_span[span_of (part, &part->routes[i])] += !part->routes[i].is_stub;
  for (guint span = 2; span < part->n_layers; span++)
    {
      total += (guint64) n_of_span[span] * (span - 1);
      if (total > limit)
        return span - 1;
    }
  return MAX (part->n_layers, 1);
}

/* What many distant boxes read is not drawn to each of them. */
static void
mark_far (LayoutPart *part)
{
  g_autofree guint *n_far = g_new0 (guint, part->n_boxes + 1);

  if (part->options.n_far == 0)
    return;
  for (guint i = 0; i < part->n_routes; i++)
    n_far[part->routes[i].from] += span_of (part, &part->routes[i]) > part->options.far_span;
  for (guint i = 0; i < part->n_routes; i++)
    part->routes[i].is_stub = n_far[part->routes[i].from] >= part->options.n_far
                              && span_of (part, &part->routes[i]) > part->options.far_span;
}

static void
count_dummies (LayoutPart *part)
{
  guint max_span = 0;

  mark_far (part);
  max_span = affordable_span (part);

  if (part->options.max_span > 0)
    max_span = MIN (max_span, part->options.max_span);
  part->n_vertices = part->n_boxes;
  for (guint i = 0; i < part->n_routes; i++)
    {
      LayoutRoute *route = &part->routes[i];
      guint span = span_of (part, route);

      route->is_stub |= span > max_span;
      if (route->is_stub)
        continue;
      route->first_dummy = part->n_vertices;
      route->n_dummies = span - 1;
      part->n_vertices += span - 1;
      part->n_segments += span;
    }
}

static guint
vertex_of_route (const LayoutRoute *route, guint i) /* 0 is the box at its start */
{
  if (i == 0)
    return route->from;
  return i <= route->n_dummies ? route->first_dummy + i - 1 : route->to;
}

static void
make_segments (LayoutPart *part)
{
  guint n = 0;

  part->layer = g_renew (guint, part->layer, part->n_vertices);
  part->width = g_renew (double, part->width, part->n_vertices);
  part->height = g_renew (double, part->height, part->n_vertices);
  part->segments = g_new0 (LayoutSegment, MAX (part->n_segments, 1));
  for (guint i = 0; i < part->n_routes; i++)
    {
      const LayoutRoute *route = &part->routes[i];

      for (guint k = 0; !route->is_stub && k <= route->n_dummies; k++)
        {
          part->segments[n++] = (LayoutSegment){ .upper = vertex_of_route (route, k),
                                                 .lower = vertex_of_route (route, k + 1) };
          if (k == 0)
            continue;
          part->layer[route->first_dummy + k - 1] = part->layer[route->from] + k;
          part->width[route->first_dummy + k - 1] = 0;
          part->height[route->first_dummy + k - 1] = 0;
        }
    }
}

void
sonde_layout_assign_layers (LayoutPart *part)
{
  assign_earliest (part);
  pull_down (part);
  close_ranks (part);
  push_last (part);
  count_dummies (part);
  make_segments (part);
}
