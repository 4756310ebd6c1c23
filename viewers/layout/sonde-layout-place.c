/* SPDX-License-Identifier: Apache-2.0
 * x of all vertices: four extreme placements (aligned with neighbours above or below, pushed left
 * or right), of which each vertex takes the mean of its two middle ones. Every placement keeps the
 * distances inside the layers, and so does the mean. */
#include "viewers/layout/sonde-layout-part-private.h"

#include <math.h>

/* Vertices that are to stand exactly below each other form a block: a ring over @align, known by
 * its topmost (or lowest) vertex @root. */
typedef struct
{
  const LayoutPart *part;
  gboolean from_above;
  gboolean to_left; /* else everything is mirrored */
  guint *root, *align;
  double *x; /* of blocks by root, then of vertices */
} Placement;

/* ---- conflicts ----------------------------------------------------------- */

/* The segment above @vertex when both its ends are dummies: the inside of a long edge. */
static const LayoutSegment *
inner_segment (const LayoutPart *part, guint vertex)
{
  const LayoutSegment *segment = NULL;

  if (!layout_is_dummy (part, vertex) || part->up_first[vertex] == part->up_first[vertex + 1])
    return NULL;
  segment = &part->segments[part->up[part->up_first[vertex]]];
  return layout_is_dummy (part, segment->upper) ? segment : NULL;
}

/* Long edges stay straight; what crosses their inside gives way. */
static void
mark_conflicts_above (LayoutPart *part, guint layer)
{
  guint size = layout_layer_size (part, layer);
  const guint *vertices = part->order + part->layer_first[layer];
  guint left = 0, next = 0;

  for (guint i = 0; i < size; i++)
    {
      const LayoutSegment *inner = inner_segment (part, vertices[i]);
      guint right = layout_layer_size (part, layer - 1);

      if (inner == NULL && i + 1 < size)
        continue;
      if (inner != NULL)
        right = part->place[inner->upper];
      for (; next <= i; next++)
        for (guint k = part->up_first[vertices[next]]; k < part->up_first[vertices[next] + 1]; k++)
          {
            LayoutSegment *segment = &part->segments[part->up[k]];
            guint place = part->place[segment->upper];

            segment->conflict = place < left || place > right;
          }
      left = right;
    }
}

/* ---- blocks -------------------------------------------------------------- */

static guint
far_end (const Placement *placement, const LayoutSegment *segment)
{
  return placement->from_above ? segment->upper : segment->lower;
}

/* Joins @vertex to the block of one of its middle neighbours, unless that would cross the block
 * joined before (@limit: the place it had, in the direction of the walk). */
static void
align_vertex (Placement *placement, guint vertex, gint64 *limit)
{
  const LayoutPart *part = placement->part;
  const guint *first = placement->from_above ? part->up_first : part->down_first;
  const guint *list = (placement->from_above ? part->up : part->down) + first[vertex];
  guint n = first[vertex + 1] - first[vertex];
  guint middle[2] = { (n - 1) / 2, n / 2 };

  for (int i = 0; n > 0 && i < 2 && placement->align[vertex] == vertex; i++)
    {
      const LayoutSegment *segment = &part->segments[list[middle[placement->to_left ? i : 1 - i]]];
      guint neighbour = far_end (placement, segment);
      gint64 place
          = placement->to_left ? (gint64) part->place[neighbour] : -(gint64) part->place[neighbour];

      if (segment->conflict || place <= *limit)
        continue;
      placement->align[neighbour] = vertex;
      placement->root[vertex] = placement->root[neighbour];
      placement->align[vertex] = placement->root[vertex];
      *limit = place;
    }
}

static void
align_all (Placement *placement)
{
  const LayoutPart *part = placement->part;

  for (guint v = 0; v < part->n_vertices; v++)
    placement->root[v] = placement->align[v] = v;
  for (guint i = 1; i < part->n_layers; i++)
    {
      guint layer = placement->from_above ? i : part->n_layers - 1 - i;
      guint size = layout_layer_size (part, layer);
      const guint *vertices = part->order + part->layer_first[layer];
      gint64 limit = G_MININT64;

      for (guint k = 0; k < size; k++)
        align_vertex (placement, vertices[placement->to_left ? k : size - 1 - k], &limit);
    }
}

/* ---- distances ----------------------------------------------------------- */

/* The vertex next to @vertex in the direction in which x grows; G_MAXUINT at the end. */
static guint
next_vertex (const Placement *placement, guint vertex, gboolean forward)
{
  const LayoutPart *part = placement->part;
  guint place = part->place[vertex], layer = part->layer[vertex];

  if (forward == placement->to_left)
    return place + 1 < layout_layer_size (part, layer)
               ? part->order[part->layer_first[layer] + place + 1]
               : G_MAXUINT;
  return place > 0 ? part->order[part->layer_first[layer] + place - 1] : G_MAXUINT;
}

static double
distance (const LayoutPart *part, guint a, guint b)
{
  double gap_a = layout_is_dummy (part, a) ? part->options.edge_gap : part->options.box_gap;
  double gap_b = layout_is_dummy (part, b) ? part->options.edge_gap : part->options.box_gap;

  return (part->width[a] + gap_a + part->width[b] + gap_b) / 2;
}

/* Each block as far left as the blocks before it let it. @sequence: (out): roots in that order */
static guint
push_left (Placement *placement, guint *sequence, guint *n_before)
{
  const LayoutPart *part = placement->part;
  guint n = 0;

  for (guint v = 0; v < part->n_vertices; v++)
    {
      placement->x[v] = 0;
      n_before[v] = 0;
    }
  for (guint v = 0; v < part->n_vertices; v++)
    n_before[placement->root[v]] += next_vertex (placement, v, FALSE) != G_MAXUINT;
  for (guint v = 0; v < part->n_vertices; v++)
    if (placement->root[v] == v && n_before[v] == 0)
      sequence[n++] = v;

  for (guint i = 0; i < n; i++)
    {
      guint root = sequence[i], v = root;

      do
        {
          guint next = next_vertex (placement, v, TRUE);

          if (next != G_MAXUINT)
            {
              guint to = placement->root[next];

              placement->x[to]
                  = MAX (placement->x[to], placement->x[root] + distance (part, v, next));
              if (--n_before[to] == 0)
                sequence[n++] = to;
            }
          v = placement->align[v];
        }
      while (v != root);
    }
  return n;
}

/* Then each block up to the nearest one after it, so that no gap is larger than it has to be. */
static void
pull_right (Placement *placement, const guint *sequence, guint n)
{
  for (guint i = n; i-- > 0;)
    {
      guint root = sequence[i], v = root;
      double room = INFINITY;

      do
        {
          guint next = next_vertex (placement, v, TRUE);

          if (next != G_MAXUINT)
            room = MIN (room,
                        placement->x[placement->root[next]] - distance (placement->part, v, next));
          v = placement->align[v];
        }
      while (v != root);
      if (room < INFINITY)
        placement->x[root] = MAX (placement->x[root], room);
    }
}

static void
compute_placement (Placement *placement)
{
  const LayoutPart *part = placement->part;
  g_autofree guint *sequence = g_new (guint, part->n_vertices);
  g_autofree guint *n_before = g_new (guint, part->n_vertices);
  guint n = 0;

  align_all (placement);
  n = push_left (placement, sequence, n_before);
  pull_right (placement, sequence, n);
  for (guint v = 0; v < part->n_vertices; v++)
    if (placement->root[v] != v)
      placement->x[v] = placement->x[placement->root[v]];
  for (guint v = 0; !placement->to_left && v < part->n_vertices; v++)
    placement->x[v] = -placement->x[v];
}

/* ---- the mean of four ---------------------------------------------------- */

static void
limits_of (const LayoutPart *part, const double *x, double *low, double *high)
{
  *low = INFINITY;
  *high = -INFINITY;
  for (guint v = 0; v < part->n_vertices; v++)
    {
      *low = MIN (*low, x[v] - part->width[v] / 2);
      *high = MAX (*high, x[v] + part->width[v] / 2);
    }
}

/* All four to the limits of the narrowest: those pushed left at its left side, the others right. */
static void
line_up (const LayoutPart *part, double *const x[4])
{
  double low[4], high[4];
  guint narrowest = 0;

  for (guint i = 0; i < 4; i++)
    {
      limits_of (part, x[i], &low[i], &high[i]);
      if (high[i] - low[i] < high[narrowest] - low[narrowest])
        narrowest = i;
    }
  for (guint i = 0; i < 4; i++)
    {
      double shift = i % 2 == 0 ? low[narrowest] - low[i] : high[narrowest] - high[i];

      for (guint v = 0; v < part->n_vertices; v++)
        x[i][v] += shift;
    }
}

static double
middle_of_four (double a, double b, double c, double d)
{
  double low = MIN (MIN (a, b), MIN (c, d)), high = MAX (MAX (a, b), MAX (c, d));

  return (a + b + c + d - low - high) / 2;
}

static void
set_limits (LayoutPart *part)
{
  double low = 0, high = 0;

  limits_of (part, part->x, &low, &high);
  for (guint v = 0; v < part->n_vertices; v++)
    part->x[v] -= low;
  part->total_width = high - low;
}

void
sonde_layout_place_x (LayoutPart *part)
{
  g_autofree double *all = g_new (double, 4 * (gsize) part->n_vertices);
  g_autofree guint *root = g_new (guint, part->n_vertices);
  g_autofree guint *align = g_new (guint, part->n_vertices);
  double *x[4];

  for (guint layer = 1; layer < part->n_layers; layer++)
    mark_conflicts_above (part, layer);
  for (guint i = 0; i < 4 && !layout_is_cancelled (part); i++)
    {
      Placement placement
          = { part, i < 2, i % 2 == 0, root, align, all + i * (gsize) part->n_vertices };

      compute_placement (&placement);
      x[i] = placement.x;
    }
  part->x = g_new0 (double, part->n_vertices);
  if (layout_is_cancelled (part))
    return;

  line_up (part, x);
  for (guint v = 0; v < part->n_vertices; v++)
    part->x[v] = middle_of_four (x[0][v], x[1][v], x[2][v], x[3][v]);
  set_limits (part);
}
