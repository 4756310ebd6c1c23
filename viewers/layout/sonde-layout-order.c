/* SPDX-License-Identifier: Apache-2.0
 * The order inside the layers: from a walk in depth, then sweeps that put each vertex at the mean
 * place of its neighbours, as long as crossings get fewer. */
#include "viewers/layout/sonde-layout-part-private.h"

#include <string.h>

#define PATIENCE 4        /* sweeps without a better order */
#define LARGE_PART 100000 /* vertices; fewer sweeps from here on */
#define SWEEPS_OF_LARGE_PARTS 4
#define SHORT_LIST 24

typedef struct
{
  double mean;
  guint vertex, place;
} OrderKey;

/* ---- the first order ----------------------------------------------------- */

static void
count_layers (LayoutPart *part)
{
  part->layer_first = g_new0 (guint, part->n_layers + 2);
  for (guint v = 0; v < part->n_vertices; v++)
    part->layer_first[part->layer[v] + 1]++;
  for (guint layer = 0; layer < part->n_layers; layer++)
    part->layer_first[layer + 1] += part->layer_first[layer];
}

static void
put (LayoutPart *part, guint vertex, guint place)
{
  part->place[vertex] = place;
  part->order[part->layer_first[part->layer[vertex]] + place] = vertex;
}

/* Segments by vertex: those whose @upper or @lower end it is. */
static void
group_segments (const LayoutPart *part, gboolean by_upper, guint *first, guint *list)
{
  memset (first, 0, (part->n_vertices + 1) * sizeof (guint));
  for (guint s = 0; s < part->n_segments; s++)
    first[(by_upper ? part->segments[s].upper : part->segments[s].lower) + 1]++;
  for (guint v = 0; v < part->n_vertices; v++)
    first[v + 1] += first[v];
  for (guint s = 0; s < part->n_segments; s++)
    list[first[by_upper ? part->segments[s].upper : part->segments[s].lower]++] = s;
  for (guint v = part->n_vertices; v > 0; v--)
    first[v] = first[v - 1];
  first[0] = 0;
}

/* Depth first from the sources, in the order of the boxes; long runs come to stand below each
 * other. */
static void
order_by_depth (LayoutPart *part)
{
  g_autofree guint *filled = g_new0 (guint, part->n_layers + 1);
  g_autofree guint *stack = g_new (guint, part->n_vertices + part->n_segments + 1);
  g_autofree gboolean *seen = g_new0 (gboolean, part->n_vertices + 1);
  guint depth = 0;

  for (guint v = part->n_boxes; v-- > 0;)
    if (part->up_first[v] == part->up_first[v + 1])
      stack[depth++] = v;
  while (depth > 0)
    {
      guint v = stack[--depth];

      if (seen[v])
        continue;
      seen[v] = TRUE;
      put (part, v, filled[part->layer[v]]++);
      for (guint i = part->down_first[v + 1]; i-- > part->down_first[v];)
        stack[depth++] = part->segments[part->down[i]].lower;
    }
}

/* ---- crossings ----------------------------------------------------------- */

/* Counts how many upper ends to the right of each one were met before, in a tree of partial
 * sums. */
static guint64
count_between (const LayoutPart *part, guint lower_layer, guint *tree)
{
  guint size = layout_layer_size (part, lower_layer - 1);
  guint64 n_crossings = 0;
  guint n_met = 0;

  memset (tree, 0, (size + 1) * sizeof (guint));
  for (guint i = part->layer_first[lower_layer]; i < part->layer_first[lower_layer + 1]; i++)
    {
      guint v = part->order[i];

      for (guint k = part->up_first[v]; k < part->up_first[v + 1]; k++)
        {
          guint n_left = 0;

          for (guint at = part->place[part->segments[part->up[k]].upper] + 1; at > 0; at &= at - 1)
            n_left += tree[at];
          n_crossings += n_met - n_left;
        }
      for (guint k = part->up_first[v]; k < part->up_first[v + 1]; k++, n_met++)
        for (guint at = part->place[part->segments[part->up[k]].upper] + 1; at <= size;
             at += at & -at)
          tree[at]++;
    }
  return n_crossings;
}

static guint64
count_crossings (const LayoutPart *part, guint *tree)
{
  guint64 n = 0;

  for (guint layer = 1; layer < part->n_layers; layer++)
    n += count_between (part, layer, tree);
  return n;
}

/* ---- sweeps -------------------------------------------------------------- */

static int
compare_keys (gconstpointer a, gconstpointer b, gpointer data)
{
  const OrderKey *left = a, *right = b;

  if (left->mean != right->mean)
    return left->mean < right->mean ? -1 : 1;
  return left->place < right->place ? -1 : 1;
}

static void
sort_keys (OrderKey *keys, guint n)
{
  if (n > SHORT_LIST)
    {
      g_qsort_with_data (keys, (int) n, sizeof *keys, compare_keys, NULL);
      return;
    }
  for (guint i = 1; i < n; i++)
    {
      OrderKey key = keys[i];
      guint at = i;

      for (; at > 0 && compare_keys (&key, &keys[at - 1], NULL) < 0; at--)
        keys[at] = keys[at - 1];
      keys[at] = key;
    }
}

static gboolean
mean_place (const LayoutPart *part, guint vertex, gboolean from_above, double *mean)
{
  const guint *first = from_above ? part->up_first : part->down_first;
  const guint *list = from_above ? part->up : part->down;
  double sum = 0;

  for (guint k = first[vertex]; k < first[vertex + 1]; k++)
    {
      const LayoutSegment *segment = &part->segments[list[k]];

      sum += part->place[from_above ? segment->upper : segment->lower];
    }
  *mean = sum / MAX (first[vertex + 1] - first[vertex], 1);
  return first[vertex + 1] > first[vertex];
}

/* Vertices without neighbours on that side keep their places; the others fill the rest by their
 * means.
 * @reverse: equal means change sides, which gets a sweep out of a dead end. */
static void
sort_layer (LayoutPart *part, guint layer, gboolean from_above, gboolean reverse, OrderKey *keys,
            gboolean *is_kept)
{
  guint size = layout_layer_size (part, layer), n = 0, next = 0;
  const guint *vertices = part->order + part->layer_first[layer];

  for (guint i = 0; i < size; i++)
    {
      double mean = 0;

      is_kept[i] = !mean_place (part, vertices[i], from_above, &mean);
      if (!is_kept[i])
        keys[n++] = (OrderKey){ mean, vertices[i], reverse ? size - i : i };
    }
  sort_keys (keys, n);
  for (guint i = 0; i < size; i++)
    if (!is_kept[i])
      put (part, keys[next++].vertex, i);
}

static void
sweep (LayoutPart *part, gboolean down, gboolean reverse, OrderKey *keys, gboolean *is_kept)
{
  for (guint i = 1; i < part->n_layers && !layout_is_cancelled (part); i++)
    sort_layer (part, down ? i : part->n_layers - 1 - i, down, reverse, keys, is_kept);
}

static void
restore (LayoutPart *part, const guint *order)
{
  for (guint layer = 0; layer < part->n_layers; layer++)
    for (guint i = part->layer_first[layer]; i < part->layer_first[layer + 1]; i++)
      put (part, order[i], i - part->layer_first[layer]);
}

static void
reduce_crossings (LayoutPart *part)
{
  guint n_sweeps = part->options.max_sweeps, idle = 0;
  g_autofree guint *tree = g_new (guint, part->n_vertices + 2);
  g_autofree guint *best = g_memdup2 (part->order, part->n_vertices * sizeof (guint));
  g_autofree OrderKey *keys = g_new (OrderKey, part->n_vertices);
  g_autofree gboolean *is_kept = g_new (gboolean, part->n_vertices);

  if (part->n_vertices > LARGE_PART)
    n_sweeps = MIN (n_sweeps, SWEEPS_OF_LARGE_PARTS);
  part->n_crossings = count_crossings (part, tree);
  for (guint i = 0; i < n_sweeps && idle < PATIENCE && part->n_crossings > 0; i++)
    {
      guint64 n = 0;

      sweep (part, i % 2 == 0, i % 4 >= 2, keys, is_kept);
      n = count_crossings (part, tree);
      idle = n < part->n_crossings ? 0 : idle + 1;
      if (n >= part->n_crossings)
        continue;
      part->n_crossings = n;
      memcpy (best, part->order, part->n_vertices * sizeof (guint));
    }
  restore (part, best);
}

/* Segments of all vertices into up and down, sorted by the places of their far ends. */
static void
sort_segments (LayoutPart *part)
{
  g_autofree guint *up_end = g_memdup2 (part->up_first, (part->n_vertices + 1) * sizeof (guint));
  g_autofree guint *down_end
      = g_memdup2 (part->down_first, (part->n_vertices + 1) * sizeof (guint));
  g_autofree guint *down = g_memdup2 (part->down, MAX (part->n_segments, 1) * sizeof (guint));

  /* Dealt out in the order of the other end, each list comes out sorted. */
  for (guint i = 0; i < part->n_vertices; i++)
    for (guint k = part->down_first[part->order[i]]; k < part->down_first[part->order[i] + 1]; k++)
      part->up[up_end[part->segments[down[k]].lower]++] = down[k];
  for (guint i = 0; i < part->n_vertices; i++)
    for (guint k = part->up_first[part->order[i]]; k < part->up_first[part->order[i] + 1]; k++)
      part->down[down_end[part->segments[part->up[k]].upper]++] = part->up[k];
}

void
sonde_layout_order_layers (LayoutPart *part)
{
  guint n_segments = MAX (part->n_segments, 1);

  count_layers (part);
  part->place = g_new0 (guint, part->n_vertices);
  part->order = g_new0 (guint, part->n_vertices);
  part->up_first = g_new (guint, part->n_vertices + 1);
  part->down_first = g_new (guint, part->n_vertices + 1);
  part->up = g_new (guint, n_segments);
  part->down = g_new (guint, n_segments);
  group_segments (part, FALSE, part->up_first, part->up);
  group_segments (part, TRUE, part->down_first, part->down);
  order_by_depth (part);
  reduce_crossings (part);
  sort_segments (part);
}
