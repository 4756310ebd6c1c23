/* SPDX-License-Identifier: Apache-2.0 */
#include "viewers/layout/trace/sonde-flame-tree.h"

#include "data/base/sonde-text.h"
#include "viewers/layout/trace/sonde-span-walk.h"

/* Paths found so far, by parent and key; keys: labels, then threads behind them. A million of them are usual, so that
 * a slot is only the node.
 * @slots: a power of two of them, at most three of four used; 0: free, since nothing calls the root
 * @keys: guint32, by node */
typedef struct
{
  guint32 *slots;
  guint32 mask;
  GArray *keys;
} Paths;

#define FIRST_SLOTS 256

/* Beside the node that keeps the time of a call for which there is no room: what is inside it stays there, too. */
#define WITHOUT_ROOM (1u << 31)
/* Beside the node around what is left out: so is what is inside it. */
#define ASIDE (1u << 30)

typedef struct
{
  const SondeTimelineIndex *index;
  GArray *nodes; /* SondeFlameNode, parents before children */
  Paths paths;
  gboolean by_thread;
  const guint8 *kinds; /* (nullable): SondeFlameKind, by label */
} Growing;

/* ---- paths --------------------------------------------------------------- */

/* Where the path is, or its free slot. */
static guint32 *
find_slot (const Growing *growing, guint32 parent, guint32 key)
{
  const Paths *paths = &growing->paths;
  guint32 at = sonde_span_hash_pair (sonde_span_pair (parent, key)) & paths->mask;

  for (;; at = (at + 1) & paths->mask)
    {
      guint32 node = paths->slots[at];

      if (node == 0
          || (g_array_index (growing->nodes, SondeFlameNode, node).parent == parent
              && g_array_index (paths->keys, guint32, node) == key))
        return &paths->slots[at];
    }
}

static void
make_slots (Growing *growing, guint32 n)
{
  Paths *paths = &growing->paths;

  g_free (paths->slots);
  paths->slots = g_new0 (guint32, n);
  paths->mask = n - 1;
  for (guint32 node = 1; node < paths->keys->len; node++)
    *find_slot (growing, g_array_index (growing->nodes, SondeFlameNode, node).parent,
                g_array_index (paths->keys, guint32, node))
        = node;
}

/* Of the root alone. */
static void
paths_init (Growing *growing)
{
  growing->paths.keys = g_array_new (FALSE, TRUE, sizeof (guint32));
  g_array_set_size (growing->paths.keys, 1);
  make_slots (growing, FIRST_SLOTS);
}

static void
paths_clear (Growing *growing)
{
  g_free (growing->paths.slots);
  g_array_unref (growing->paths.keys);
}

/* ---- nodes --------------------------------------------------------------- */

static guint32
add_node (GArray *nodes, const char *name, guint32 parent)
{
  guint32 depth
      = parent == SONDE_TRACE_NONE ? 0 : g_array_index (nodes, SondeFlameNode, parent).depth + 1;
  SondeFlameNode node = { .name = name, .parent = parent, .depth = depth };

  g_array_append_val (nodes, node);
  return nodes->len - 1;
}

/* The child of @parent that @key stands for; @parent WITHOUT_ROOM when there are too many. */
static guint32
find_child (Growing *growing, guint32 parent, guint32 key, const char *name)
{
  guint32 *slot = find_slot (growing, parent, key), node = *slot;

  if (node != 0)
    return node;
  if (growing->nodes->len >= SONDE_FLAME_MAX_NODES)
    return parent | WITHOUT_ROOM;
  node = *slot = add_node (growing->nodes, name, parent);
  g_array_append_val (growing->paths.keys, key);
  if (node > growing->paths.mask / 4 * 3)
    make_slots (growing, 2 * (growing->paths.mask + 1));
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

/* What nobody called takes its time to where it stays. */
static guint32
stay (Growing *growing, const SondeSpanVisit *visit, guint32 node)
{
  SondeFlameNode *at
      = &g_array_index (growing->nodes, SondeFlameNode, node & ~(guint32) WITHOUT_ROOM);

  if (visit->parent == SONDE_TRACE_NONE)
    sonde_span_add_ns (&at->self, visit->ns);
  return node;
}

/* Steps are one frame, whatever their number. */
static guint32
find_frame (Growing *growing, guint32 parent, guint32 label)
{
  const SondeTrace *trace = growing->index->trace;

  if (growing->kinds != NULL && growing->kinds[label] == SONDE_FLAME_STEP)
    return find_child (growing, parent, trace->labels->len + trace->threads->len, _ ("step"));
  return find_child (growing, parent, label, sonde_trace_get_label (trace, label)->name);
}

static guint32
on_enter (const SondeSpanVisit *visit, gpointer data)
{
  Growing *growing = data;
  guint32 label = growing->index->trace->spans[visit->span].label, node = visit->slot;
  SondeFlameNode *nodes;

  if (node & ASIDE || (growing->kinds != NULL && growing->kinds[label] == SONDE_FLAME_LEFT_OUT))
    return node | ASIDE;
  if (!(node & WITHOUT_ROOM))
    node = find_frame (growing, node, label);
  if (node & WITHOUT_ROOM)
    return stay (growing, visit, node);
  nodes = (SondeFlameNode *) (void *) growing->nodes->data;
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

/* Node order[i] goes to place i, by the cycles of @order, which is used up. */
static void
permute (SondeFlameNode *nodes, guint32 *order, guint32 n)
{
  g_autofree guint32 *places = g_new (guint32, n);

  for (guint32 i = 0; i < n; i++)
    places[order[i]] = i;
  for (guint32 i = 1; i < n; i++)
    nodes[i].parent = places[nodes[i].parent];
  for (guint32 i = 0; i < n; i++)
    {
      SondeFlameNode first = nodes[i];
      guint32 at = i;

      while (order[at] != i)
        {
          guint32 from = order[at];

          nodes[at] = nodes[from];
          order[at] = at;
          at = from;
        }
      nodes[at] = first;
      order[at] = at;
    }
}

/* Sums up, sorts and places. Of @nodes only self is known. */
static void
settle (SondeFlameTree *tree)
{
  SondeFlameNode *nodes = (SondeFlameNode *) (void *) tree->nodes->data;
  guint32 n = tree->nodes->len;
  g_autofree guint32 *order = NULL;

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
  permute (nodes, order, n);
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
  return sonde_flame_tree_new_of_kinds (index, start_ns, end_ns, by_thread, NULL, cancelled);
}

SondeFlameTree *
sonde_flame_tree_new_of_kinds (const SondeTimelineIndex *index, gint64 start_ns, gint64 end_ns,
                               gboolean by_thread, const guint8 *kinds, const int *cancelled)
{
  static const SondeSpanVisitor visitor = { on_thread, on_enter, NULL };
  g_autoptr (SondeFlameTree) tree = new_tree (FALSE);
  Growing growing
      = { .index = index, .nodes = tree->nodes, .by_thread = by_thread, .kinds = kinds };
  gboolean done;

  paths_init (&growing);
  done = sonde_span_walk (index, start_ns, end_ns, &visitor, &growing, cancelled);
  paths_clear (&growing);
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

SondeFlameTree *
sonde_flame_tree_new_from_nodes (GArray *nodes)
{
  SondeFlameTree *tree = g_new0 (SondeFlameTree, 1);

  tree->nodes = nodes;
  tree->depths = g_array_new (FALSE, TRUE, sizeof (guint32));
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
