/* SPDX-License-Identifier: Apache-2.0 */
#include "viewers/paint/graph/sonde-graph-folding.h"

#include <math.h>

#include "viewers/paint/graph/sonde-graph-paint-private.h"

#define MANY_BOXES 60 /* that are shown when nobody has opened or closed anything */

/* What is shown more when the scope is opened: nodes and scopes directly in it. */
static guint *
count_items (const SondeScopeTree *tree)
{
  guint *n_items = g_new0 (guint, tree->scopes->len);

  for (guint i = 0; i < tree->n_nodes; i++)
    if (tree->scope_of_node[i] != SONDE_SCOPE_NONE)
      n_items[tree->scope_of_node[i]]++;
  for (guint s = 1; s < tree->scopes->len; s++)
    n_items[sonde_scope_tree_get (tree, s)->parent]++;
  /* Of a fold its first scope is shown. */
  for (guint s = 1; s < tree->scopes->len; s++)
    if (sonde_scope_tree_get (tree, s)->n_repeats > 0)
      n_items[s] = n_items[s + 1];
  return n_items;
}

/* The scopes whose boxes are shown once @scope is open. */
static void
queue_inner (GQueue *queue, const SondeScopeTree *tree, guint scope)
{
  const guint outer = sonde_scope_tree_get (tree, scope)->n_repeats > 0 ? scope + 1 : scope;

  for (guint s = outer + 1; s < sonde_scope_tree_get (tree, outer)->end;
       s = sonde_scope_tree_get (tree, s)->end)
    g_queue_push_tail (queue, GUINT_TO_POINTER (s));
}

static void
open_outer (SondeGraphFolding *folding)
{
  g_autofree guint *n_items = count_items (folding->tree);
  g_auto (GQueue) queue = G_QUEUE_INIT;
  guint n_boxes = n_items[SONDE_SCOPE_ROOT];

  queue_inner (&queue, folding->tree, SONDE_SCOPE_ROOT);
  while (!g_queue_is_empty (&queue))
    {
      guint scope = GPOINTER_TO_UINT (g_queue_pop_head (&queue));

      if (n_boxes + n_items[scope] > MANY_BOXES)
        continue;
      n_boxes += n_items[scope];
      folding->states[scope] = SONDE_SCOPE_OPEN;
      if (sonde_scope_tree_get (folding->tree, scope)->n_repeats > 0)
        folding->states[scope + 1] = SONDE_SCOPE_OPEN;
      queue_inner (&queue, folding->tree, scope);
    }
}

SondeGraphFolding *
sonde_graph_folding_new (const SondeGraph *graph, guint phases)
{
  SondeGraphFolding *folding = g_new0 (SondeGraphFolding, 1);
  g_autofree guint8 *counts = g_new0 (guint8, graph->nodes->len + 1);

  for (guint i = 0; i < graph->nodes->len; i++)
    counts[i] = sonde_graph_has_box (g_ptr_array_index (graph->nodes, i), phases);
  folding->tree = sonde_scope_tree_new (graph, counts);
  folding->states = g_new0 (guint8, folding->tree->scopes->len);
  open_outer (folding);
  return folding;
}

SondeGraphFolding *
sonde_graph_folding_copy (const SondeGraphFolding *folding)
{
  SondeGraphFolding *copy = g_new0 (SondeGraphFolding, 1);

  copy->tree = sonde_scope_tree_ref (folding->tree);
  copy->states = g_memdup2 (folding->states, folding->tree->scopes->len);
  if (folding->flops != NULL)
    copy->flops = g_memdup2 (folding->flops, folding->tree->scopes->len * sizeof (double));
  return copy;
}

void
sonde_graph_folding_free (SondeGraphFolding *folding)
{
  if (folding == NULL)
    return;
  sonde_scope_tree_unref (folding->tree);
  g_free (folding->states);
  g_free (folding->flops);
  g_free (folding);
}

gboolean
sonde_graph_folding_is_trivial (const SondeGraphFolding *folding)
{
  return folding->tree->scopes->len == 1;
}

void
sonde_graph_folding_set (SondeGraphFolding *folding, guint scope, SondeScopeState state)
{
  g_return_if_fail (scope < folding->tree->scopes->len);
  folding->states[scope] = (guint8) state;
}

void
sonde_graph_folding_set_all (SondeGraphFolding *folding, gboolean open)
{
  for (guint s = 0; s < folding->tree->scopes->len; s++)
    folding->states[s] = open ? SONDE_SCOPE_OPEN : SONDE_SCOPE_CLOSED;
}

void
sonde_graph_folding_set_flops (SondeGraphFolding *folding, const double *flops)
{
  const SondeScopeTree *tree = folding->tree;

  g_free (folding->flops);
  folding->flops = g_new0 (double, tree->scopes->len);
  for (guint i = 0; i < tree->n_nodes; i++)
    for (guint s = tree->scope_of_node[i]; s != SONDE_SCOPE_NONE && !isnan (flops[i]);
         s = sonde_scope_tree_get (tree, s)->parent)
      folding->flops[s] += flops[i];
}

gboolean
sonde_graph_folding_reveal (SondeGraphFolding *folding, const SondeNode *node)
{
  const SondeScopeTree *tree = folding->tree;
  gboolean changed = FALSE;
  guint inner = SONDE_SCOPE_NONE;

  for (guint s = tree->scope_of_node[node->id]; s != SONDE_SCOPE_NONE && s != SONDE_SCOPE_ROOT;
       inner = s, s = sonde_scope_tree_get (tree, s)->parent)
    {
      gboolean is_fold = sonde_scope_tree_get (tree, s)->n_repeats > 0;
      guint8 wanted = is_fold && inner != s + 1 ? SONDE_SCOPE_SPREAD : SONDE_SCOPE_OPEN;

      if (folding->states[s] == wanted || (is_fold && folding->states[s] == SONDE_SCOPE_SPREAD))
        continue;
      folding->states[s] = wanted;
      changed = TRUE;
    }
  return changed;
}
