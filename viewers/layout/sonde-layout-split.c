/* SPDX-License-Identifier: Apache-2.0
 * Takes cycles apart and finds the connected parts of a graph. */
#include "viewers/layout/sonde-layout-split-private.h"

/* ---- order of the boxes -------------------------------------------------- */

/* A heap of ready boxes, the smallest number first. */
typedef struct
{
  guint *items;
  guint n;
} Ready;

static void
ready_push (Ready *ready, guint item)
{
  guint at = ready->n++;

  for (; at > 0 && ready->items[(at - 1) / 2] > item; at = (at - 1) / 2)
    ready->items[at] = ready->items[(at - 1) / 2];
  ready->items[at] = item;
}

static guint
ready_pop (Ready *ready)
{
  guint top = ready->items[0], last = ready->items[--ready->n], at = 0;

  for (guint child = 1; child < ready->n; child = 2 * at + 1)
    {
      if (child + 1 < ready->n && ready->items[child + 1] < ready->items[child])
        child++;
      if (ready->items[child] >= last)
        break;
      ready->items[at] = ready->items[child];
      at = child;
    }
  ready->items[at] = last;
  return top;
}

/* Edges by their start; loops do not count. */
static void
group_edges (const Layout *layout, guint *first, guint *list, guint *n_missing)
{
  for (guint i = 0; i < layout->n_edges; i++)
    {
      if (layout->edges[i].from == layout->edges[i].to)
        continue;
      first[layout->edges[i].from + 1]++;
      n_missing[layout->edges[i].to]++;
    }
  for (guint i = 0; i < layout->n_boxes; i++)
    first[i + 1] += first[i];
  for (guint i = 0; i < layout->n_edges; i++)
    if (layout->edges[i].from != layout->edges[i].to)
      list[first[layout->edges[i].from]++] = layout->edges[i].to;
  for (guint i = layout->n_boxes; i > 0; i--)
    first[i] = first[i - 1];
  first[0] = 0;
}

void
sonde_layout_order_boxes (Layout *layout)
{
  guint n = layout->n_boxes, n_placed = 0, next = 0;
  g_autofree guint *first = g_new0 (guint, n + 2);
  g_autofree guint *list = g_new (guint, layout->n_edges + 1);
  g_autofree guint *n_missing = g_new0 (guint, n + 1);
  g_autofree guint *heap = g_new (guint, n + 1);
  Ready ready = { heap, 0 };

  group_edges (layout, first, list, n_missing);
  for (guint i = 0; i < n; i++)
    {
      layout->place[i] = G_MAXUINT;
      if (n_missing[i] == 0)
        ready_push (&ready, i);
    }
  while (n_placed < n)
    {
      guint box = 0;

      while (ready.n == 0 && layout->place[next] != G_MAXUINT)
        next++;
      box = ready.n > 0 ? ready_pop (&ready) : next;
      layout->place[box] = n_placed;
      layout->sequence[n_placed++] = box;
      for (guint k = first[box]; k < first[box + 1]; k++)
        if (layout->place[list[k]] == G_MAXUINT && --n_missing[list[k]] == 0)
          ready_push (&ready, list[k]);
    }
}

/* ---- parts --------------------------------------------------------------- */

static guint
find_leader (guint *leader, guint box)
{
  while (leader[box] != box)
    box = leader[box] = leader[leader[box]];
  return box;
}

void
sonde_layout_find_parts (Layout *layout)
{
  guint n = layout->n_boxes;
  g_autofree guint *leader = g_new (guint, n + 1);
  g_autofree guint *old = g_memdup2 (layout->sequence, n * sizeof (guint));
  g_autofree guint *part_of_leader = g_new (guint, n + 1);
  g_autofree guint *filled = NULL;

  for (guint i = 0; i < n; i++)
    {
      leader[i] = i;
      part_of_leader[i] = G_MAXUINT;
    }
  for (guint i = 0; i < layout->n_edges; i++)
    leader[find_leader (leader, layout->edges[i].from)] = find_leader (leader, layout->edges[i].to);
  for (guint i = 0; i < n; i++)
    {
      guint *part = &part_of_leader[find_leader (leader, old[i])];

      if (*part == G_MAXUINT)
        *part = layout->n_parts++;
      layout->part_of[old[i]] = *part;
    }

  layout->part_first = g_new0 (guint, layout->n_parts + 2);
  for (guint i = 0; i < n; i++)
    layout->part_first[layout->part_of[i] + 1]++;
  for (guint part = 0; part < layout->n_parts; part++)
    layout->part_first[part + 1] += layout->part_first[part];
  filled = g_new0 (guint, layout->n_parts + 1);
  for (guint i = 0; i < n; i++)
    {
      guint part = layout->part_of[old[i]];

      layout->number[old[i]] = filled[part];
      layout->sequence[layout->part_first[part] + filled[part]++] = old[i];
    }
}

static int
compare_places (double a, double b)
{
  return a < b ? -1 : a > b;
}

static int
compare_edge_keys (gconstpointer a, gconstpointer b, gpointer data)
{
  const LayoutEdgeKey *left = a, *right = b;
  const SondeLayoutEdge *edges = ((const Layout *) data)->edges, *x = &edges[left->edge],
                        *y = &edges[right->edge];

  if (left->part != right->part)
    return left->part < right->part ? -1 : 1;
  if (left->low != right->low)
    return left->low < right->low ? -1 : 1;
  if (left->high != right->high)
    return left->high < right->high ? -1 : 1;
  if (x->from_at != y->from_at)
    return compare_places (x->from_at, y->from_at);
  if (x->to_at != y->to_at)
    return compare_places (x->to_at, y->to_at);
  return left->edge < right->edge ? -1 : left->edge > right->edge;
}

void
sonde_layout_sort_edges (Layout *layout)
{
  for (guint i = 0; i < layout->n_edges; i++)
    {
      const SondeLayoutEdge *edge = &layout->edges[i];
      guint from = layout->place[edge->from], to = layout->place[edge->to];

      if (from != to)
        layout->keys[layout->n_keys++] = (LayoutEdgeKey){ .part = layout->part_of[edge->from],
                                                          .low = MIN (from, to),
                                                          .high = MAX (from, to),
                                                          .edge = i,
                                                          .reversed = from > to };
    }
  g_qsort_with_data (layout->keys, (int) layout->n_keys, sizeof (LayoutEdgeKey), compare_edge_keys,
                     layout);
}
