/* SPDX-License-Identifier: Apache-2.0 */
#include "viewers/layout/trace/sonde-flame-tree.h"

#include "data/base/sonde-text.h"
#include "viewers/layout/trace/sonde-span-walk.h"

typedef struct
{
  const SondeTimelineIndex *index;
  GArray *nodes;     /* SondeFlameNode, parents before children */
  GHashTable *known; /* parent and key -> node; keys: labels, then threads behind them */
  gboolean by_thread;
} Growing;

static guint32
add_node (GArray *nodes, const char *name, guint32 parent)
{
  guint32 depth
      = parent == SONDE_TRACE_NONE ? 0 : g_array_index (nodes, SondeFlameNode, parent).depth + 1;
  SondeFlameNode node = { .name = name, .parent = parent, .depth = depth };

  g_array_append_val (nodes, node);
  return nodes->len - 1;
}

/* The child of @parent that @key stands for; @parent itself when there are too many. */
static guint32
find_child (Growing *growing, guint32 parent, guint32 key, const char *name)
{
  gpointer path = sonde_span_pair (parent, key);
  guint32 node = GPOINTER_TO_UINT (g_hash_table_lookup (growing->known, path));

  if (node != 0)
    return node;
  if (growing->nodes->len >= SONDE_FLAME_MAX_NODES)
    return parent;
  node = add_node (growing->nodes, name, parent);
  g_hash_table_insert (growing->known, path, GUINT_TO_POINTER (node));
  return node;
}

static guint32
on_thread (guint32 thread, gpointer data)
{
  Growing *growing = data;
  const SondeTrace *trace = growing->index->trace;
  const SondeTraceThread *one = sonde_trace_get_thread (trace, thread);

  if (!growing->by_thread)
    return 0;
  return find_child (growing, 0, trace->labels->len + thread,
                     *one->name != '\0' ? one->name : one->tid);
}

static guint32
on_enter (const SondeSpanVisit *visit, gpointer data)
{
  Growing *growing = data;
  const SondeTrace *trace = growing->index->trace;
  guint32 label = trace->spans[visit->span].label;
  guint32 node
      = find_child (growing, visit->slot, label, sonde_trace_get_label (trace, label)->name);
  SondeFlameNode *nodes = (SondeFlameNode *) (void *) growing->nodes->data;

  if (node == visit->slot)
    return node;
  nodes[node].n++;
  sonde_span_add_ns (&nodes[node].self, visit->ns);
  if (visit->parent != SONDE_TRACE_NONE)
    sonde_span_add_ns (&nodes[visit->slot].self, -visit->ns);
  return node;
}

/* ---- order --------------------------------------------------------------- */

static int
compare_siblings (gconstpointer a, gconstpointer b, gpointer data)
{
  const SondeFlameNode *nodes = data;
  guint32 x = *(const guint32 *) a, y = *(const guint32 *) b;

  if (nodes[x].depth != nodes[y].depth)
    return nodes[x].depth < nodes[y].depth ? -1 : 1;
  /* start is that of the parent while siblings are sorted */
  if (nodes[x].start != nodes[y].start)
    return nodes[x].start < nodes[y].start ? -1 : 1;
  /* Parents that begin at one place: only the last of them has a width. */
  if (nodes[nodes[x].parent].total != nodes[nodes[y].parent].total)
    return nodes[nodes[x].parent].total < nodes[nodes[y].parent].total ? -1 : 1;
  if (nodes[x].parent != nodes[y].parent)
    return nodes[x].parent < nodes[y].parent ? -1 : 1;
  if (nodes[x].total != nodes[y].total)
    return nodes[x].total > nodes[y].total ? -1 : 1;
  return (x > y) - (x < y);
}

/* Numbers of nodes, depth by depth. (transfer full) */
static guint32 *
list_by_depth (const SondeFlameTree *tree, const SondeFlameNode *nodes)
{
  guint32 n = tree->nodes->len;
  guint32 *order = g_new (guint32, n), *next;

  for (guint32 i = 0; i < n; i++)
    {
      if (nodes[i].depth + 2 > tree->depths->len)
        g_array_set_size (tree->depths, nodes[i].depth + 2);
      g_array_index (tree->depths, guint32, nodes[i].depth + 1)++;
    }
  for (guint d = 1; d < tree->depths->len; d++)
    g_array_index (tree->depths, guint32, d) += g_array_index (tree->depths, guint32, d - 1);
  next = g_memdup2 (tree->depths->data, tree->depths->len * sizeof *next);
  for (guint32 i = 0; i < n; i++)
    order[next[nodes[i].depth]++] = i;
  g_free (next);
  return order;
}

/* Places of the nodes of one depth, given those of the depth above. */
static void
place_depth (SondeFlameNode *nodes, guint32 *order, guint32 n)
{
  guint32 parent = SONDE_TRACE_NONE;
  gint64 at = 0;

  for (guint32 i = 0; i < n; i++)
    nodes[order[i]].start = nodes[nodes[order[i]].parent].start;
  g_qsort_with_data (order, (int) n, sizeof *order, compare_siblings, nodes);
  for (guint32 i = 0; i < n; i++)
    {
      SondeFlameNode *node = &nodes[order[i]];

      if (node->parent != parent)
        at = node->start;
      parent = node->parent;
      node->start = at;
      sonde_span_add_ns (&at, node->total);
    }
}

/* Sums up, sorts and places. Of @nodes only self is known. */
static void
settle (SondeFlameTree *tree)
{
  SondeFlameNode *nodes = (SondeFlameNode *) (void *) tree->nodes->data;
  guint32 n = tree->nodes->len;
  g_autofree guint32 *order = NULL, *places = g_new (guint32, n);
  SondeFlameNode *sorted = g_new (SondeFlameNode, n);

  for (guint32 i = n; i-- > 0;)
    {
      sonde_span_add_ns (&nodes[i].total, nodes[i].self);
      if (i > 0)
        sonde_span_add_ns (&nodes[nodes[i].parent].total, nodes[i].total);
    }
  order = list_by_depth (tree, nodes);
  for (guint d = 1; d + 1 < tree->depths->len; d++)
    {
      guint32 first = g_array_index (tree->depths, guint32, d);

      place_depth (nodes, order + first, g_array_index (tree->depths, guint32, d + 1) - first);
    }
  for (guint32 i = 0; i < n; i++)
    {
      places[order[i]] = i;
      sorted[i] = nodes[order[i]];
      if (i > 0)
        sorted[i].parent = places[sorted[i].parent];
    }
  g_array_set_size (tree->nodes, 0);
  g_array_append_vals (tree->nodes, sorted, n);
  g_free (sorted);
}

static SondeFlameTree *
new_tree (gboolean is_samples)
{
  SondeFlameTree *tree = g_new0 (SondeFlameTree, 1);

  tree->nodes = g_array_new (FALSE, FALSE, sizeof (SondeFlameNode));
  tree->depths = g_array_new (FALSE, TRUE, sizeof (guint32));
  tree->is_samples = is_samples;
  add_node (tree->nodes, NULL, SONDE_TRACE_NONE);
  return tree;
}

SondeFlameTree *
sonde_flame_tree_new (const SondeTimelineIndex *index, gint64 start_ns, gint64 end_ns,
                      gboolean by_thread, const int *cancelled)
{
  static const SondeSpanVisitor visitor = { on_thread, on_enter, NULL };
  g_autoptr (SondeFlameTree) tree = new_tree (FALSE);
  Growing growing = { .index = index,
                      .nodes = tree->nodes,
                      .known = g_hash_table_new (sonde_span_hash_pair, NULL),
                      .by_thread = by_thread };
  gboolean done = sonde_span_walk (index, start_ns, end_ns, &visitor, &growing, cancelled);

  g_hash_table_unref (growing.known);
  if (!done)
    return NULL;
  settle (tree);
  return g_steal_pointer (&tree);
}

SondeFlameTree *
sonde_flame_tree_new_from_samples (const SondeTrace *trace)
{
  SondeFlameTree *tree = new_tree (TRUE);

  for (guint i = 0; i < trace->stacks->len; i++)
    {
      const SondeTraceStack *stack = &g_array_index (trace->stacks, SondeTraceStack, i);
      const SondeTraceFrame *frame = &g_array_index (trace->frames, SondeTraceFrame, stack->frame);
      guint32 node = add_node (tree->nodes, frame->name,
                               stack->parent == SONDE_TRACE_NONE ? 0 : stack->parent + 1);

      g_array_index (tree->nodes, SondeFlameNode, node).self
          = (gint64) MIN (stack->weight, (guint64) G_MAXINT64 / SONDE_TRACE_STACKS_MAX);
    }
  settle (tree);
  return tree;
}

void
sonde_flame_tree_free (SondeFlameTree *tree)
{
  if (tree == NULL)
    return;
  g_array_unref (tree->nodes);
  g_array_unref (tree->depths);
  g_free (tree);
}

guint32
sonde_flame_tree_find (const SondeFlameTree *tree, guint depth, double at)
{
  guint32 low = g_array_index (tree->depths, guint32, depth);
  guint32 high = g_array_index (tree->depths, guint32, depth + 1);

  while (low < high)
    {
      guint32 middle = low + (high - low) / 2;
      const SondeFlameNode *node = sonde_flame_tree_get (tree, middle);

      if ((double) node->start + (double) node->total <= at)
        low = middle + 1;
      else
        high = middle;
    }
  return low;
}
