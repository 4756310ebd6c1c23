/* SPDX-License-Identifier: Apache-2.0
 * Topological order. Kahn's method over a flat successor table, with a heap of ready nodes so that
 * the order is the file's wherever dependencies allow. */
#include "data/graph/sonde-graph-private.h"

#include "data/base/sonde-error.h"

#define NAMES_IN_MESSAGE 8

/* The edges producer -> reader, one for each read. */
typedef struct
{
  const SondeGraph *graph;
  guint n;
  guint *first; /* [n + 1]: successors of node i are next[first[i]] … next[first[i + 1] - 1] */
  guint *next;
  guint *n_missing; /* [n]: reads whose producer has not been placed */
  guint *heap;      /* [n] */
  guint n_ready;
} Sorter;

typedef void (*EdgeVisit) (Sorter *sorter, guint from, guint to);

typedef struct
{
  Sorter *sorter;
  EdgeVisit visit;
  guint to;
} CaptureVisit;

static void
visit_captures (SondeGraph *subgraph, gpointer data)
{
  CaptureVisit *capture = data;

  for (guint i = 0; i < subgraph->values->len; i++)
    {
      SondeGraphValue *value = subgraph->values->pdata[i];

      if (value != NULL && value->outer != NULL && value->outer->producer != NULL)
        capture->visit (capture->sorter, value->outer->producer->id, capture->to);
    }
}

static void
visit_node_edges (Sorter *sorter, const SondeNode *node, EdgeVisit visit)
{
  CaptureVisit capture = { sorter, visit, node->id };

  for (guint i = 0; i < node->inputs->len; i++)
    {
      SondeGraphValue *value = node->inputs->pdata[i];

      if (value != NULL && value->producer != NULL)
        visit (sorter, value->producer->id, node->id);
    }
  sonde_node_foreach_subgraph (node, visit_captures, &capture);
}

static void
visit_edges (Sorter *sorter, EdgeVisit visit)
{
  for (guint i = 0; i < sorter->n; i++)
    if (sorter->graph->nodes->pdata[i] != NULL)
      visit_node_edges (sorter, sorter->graph->nodes->pdata[i], visit);
}

static void
count_edge (Sorter *sorter, guint from, guint to)
{
  sorter->first[from + 1]++;
  sorter->n_missing[to]++;
}

/* first[from] runs through the node's range and ends at the next one's start. */
static void
store_edge (Sorter *sorter, guint from, guint to)
{
  sorter->next[sorter->first[from]++] = to;
}

static void
sorter_init (Sorter *sorter, const SondeGraph *graph)
{
  guint n = graph->nodes->len;

  *sorter = (Sorter){ .graph = graph, .n = n };
  sorter->first = g_new0 (guint, n + 1);
  sorter->n_missing = g_new0 (guint, n + 1);
  sorter->heap = g_new (guint, n + 1);
  visit_edges (sorter, count_edge);
  for (guint i = 0; i < n; i++)
    sorter->first[i + 1] += sorter->first[i];
  sorter->next = g_new (guint, sorter->first[n] + 1);
  visit_edges (sorter, store_edge);
  for (guint i = n; i > 0; i--)
    sorter->first[i] = sorter->first[i - 1];
  sorter->first[0] = 0;
}

static void
sorter_clear (Sorter *sorter)
{
  g_free (sorter->first);
  g_free (sorter->next);
  g_free (sorter->n_missing);
  g_free (sorter->heap);
}

static void
push_ready (Sorter *sorter, guint id)
{
  guint at = sorter->n_ready++;

  for (; at > 0 && sorter->heap[(at - 1) / 2] > id; at = (at - 1) / 2)
    sorter->heap[at] = sorter->heap[(at - 1) / 2];
  sorter->heap[at] = id;
}

static guint
pop_ready (Sorter *sorter)
{
  guint top = sorter->heap[0];
  guint last = sorter->heap[--sorter->n_ready];
  guint at = 0;

  for (guint child = 1; child < sorter->n_ready; child = 2 * at + 1)
    {
      if (child + 1 < sorter->n_ready && sorter->heap[child + 1] < sorter->heap[child])
        child++;
      if (sorter->heap[child] >= last)
        break;
      sorter->heap[at] = sorter->heap[child];
      at = child;
    }
  sorter->heap[at] = last;
  return top;
}

static void
place_all (Sorter *sorter, GPtrArray *order)
{
  for (guint i = 0; i < sorter->n; i++)
    if (sorter->graph->nodes->pdata[i] != NULL && sorter->n_missing[i] == 0)
      push_ready (sorter, i);

  while (sorter->n_ready > 0)
    {
      guint id = pop_ready (sorter);

      g_ptr_array_add (order, sorter->graph->nodes->pdata[id]);
      for (guint k = sorter->first[id]; k < sorter->first[id + 1]; k++)
        if (--sorter->n_missing[sorter->next[k]] == 0)
          push_ready (sorter, sorter->next[k]);
    }
}

/* ---- the message for a cycle --------------------------------------------- */

static void
note_predecessor (Sorter *sorter, guint from, guint to)
{
  if (sorter->n_missing[from] > 0 && sorter->n_missing[to] > 0)
    sorter->heap[to] = from;
}

/* Every node left over has a predecessor that is left over too: walking back n steps from any of
 * them ends on a cycle. Returns a node of it; heap[i] is then the predecessor of i. */
static guint
find_cycle (Sorter *sorter)
{
  guint id = 0;

  visit_edges (sorter, note_predecessor);
  while (sorter->n_missing[id] == 0)
    id++;
  for (guint i = 0; i < sorter->n; i++)
    id = sorter->heap[id];
  return id;
}

static void
set_cycle_error (Sorter *sorter, GError **error)
{
  g_autoptr (GPtrArray) names = g_ptr_array_new ();
  g_autoptr (GString) text = g_string_new (NULL);
  guint start = find_cycle (sorter);
  guint id = start;

  do
    {
      g_ptr_array_add (names, ((SondeNode *) sorter->graph->nodes->pdata[id])->name);
      id = sorter->heap[id];
    }
  while (id != start);

  /* Collected against the flow. */
  for (guint i = 0; i < MIN (names->len, NAMES_IN_MESSAGE); i++)
    g_string_append_printf (text, "“%s” → ", (char *) names->pdata[names->len - 1 - i]);
  if (names->len > NAMES_IN_MESSAGE)
    g_string_append_printf (text, "%u more → ", names->len - NAMES_IN_MESSAGE);
  g_string_append_printf (text, "“%s”", (char *) names->pdata[names->len - 1]);
  sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_DAMAGED,
                   "the graph “%s” has a cycle: %s; its nodes cannot be ordered",
                   sorter->graph->name ? sorter->graph->name : "", text->str);
}

GPtrArray *
sonde_graph_sort (const SondeGraph *graph, GError **error)
{
  g_autoptr (GPtrArray) order = g_ptr_array_sized_new (sonde_graph_count_nodes (graph));
  Sorter sorter;

  sorter_init (&sorter, graph);
  place_all (&sorter, order);
  if (order->len < sonde_graph_count_nodes (graph))
    {
      set_cycle_error (&sorter, error);
      g_clear_pointer (&order, g_ptr_array_unref);
    }
  sorter_clear (&sorter);
  return g_steal_pointer (&order);
}
