/* SPDX-License-Identifier: Apache-2.0
 * Old opset forms -> the current one. The rules themselves are in sonde-legalise-rules.c. Types are inferred
 * on the way as far as possible, because some old forms mean different things for different ranks. */
#include "engine/passes/sonde-passes-private.h"

#include <string.h>

static const SondeLegalisation *const tables[] = {
  sonde_legalisations_common,
  sonde_legalisations_contrib,
  sonde_legalisations_image,
  sonde_legalisations_index,
  sonde_legalisations_quantise,
  sonde_legalisations_recurrent,
  sonde_legalisations_sequence,
};

static gboolean
is_for (const SondeLegalisation *row,
        const char              *domain,
        const char              *op)
{
  return strcmp (row->op, op) == 0 && strcmp (row->domain ? row->domain : "", domain) == 0;
}

gboolean
sonde_legalise_knows (const char *domain,
                      const char *op)
{
  for (gsize t = 0; t < G_N_ELEMENTS (tables); t++)
    for (const SondeLegalisation *row = tables[t]; row->op != NULL; row++)
      if (is_for (row, domain, op))
        return TRUE;
  return FALSE;
}

gboolean
sonde_pass_knows_operator (const char *domain,
                           const char *op)
{
  return sonde_op_table_find (domain, op) != NULL || sonde_legalise_knows (domain, op);
}

/* ---- operators that nobody implements --------------------------------------------------------- */

static gint
compare_lines (gconstpointer a,
               gconstpointer b)
{
  return strcmp (*(const char *const *) a, *(const char *const *) b);
}

static gboolean
report_missing (GHashTable *counts,
                GError    **error)
{
  g_autoptr (GPtrArray) lines = g_ptr_array_new_with_free_func (g_free);
  GHashTableIter iter;
  gpointer key, count;
  g_autofree char *text = NULL;

  if (g_hash_table_size (counts) == 0)
    return TRUE;
  g_hash_table_iter_init (&iter, counts);
  while (g_hash_table_iter_next (&iter, &key, &count))
    g_ptr_array_add (lines, g_strdup_printf ("%s, %u %s", (const char *) key, GPOINTER_TO_UINT (count),
                                             GPOINTER_TO_UINT (count) == 1 ? "node" : "nodes"));
  g_ptr_array_sort (lines, compare_lines);
  g_ptr_array_add (lines, NULL);
  text = g_strjoinv ("; ", (char **) lines->pdata);
  g_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_UNSUPPORTED, "operators that are not implemented: %s", text);
  return FALSE;
}

static gboolean
check_operators (const SondeGraph *graph,
                 GError          **error)
{
  g_autoptr (GHashTable) counts = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);

  for (guint i = 0; i < graph->nodes->len; i++)
    {
      const SondeNode *node = graph->nodes->pdata[i];
      char *key = NULL;
      guint count;

      if (node == NULL || sonde_pass_knows_operator (node->domain, node->op))
        continue;
      key = g_strdup_printf ("%s%s%s (version %d)", node->domain, *node->domain != '\0' ? "." : "", node->op,
                             node->version);
      count = GPOINTER_TO_UINT (g_hash_table_lookup (counts, key));
      g_hash_table_insert (counts, key, GUINT_TO_POINTER (count + 1));
    }
  return report_missing (counts, error);
}

/* ---- rewriting -------------------------------------------------------------------------------- */

/* A rule may replace the node by several new ones; all of them name it as their origin. */
static void
mark_origin (SondeGraph      *graph,
             const SondeNode *old,
             guint            first)
{
  for (guint id = first; id < graph->nodes->len; id++)
    {
      SondeNode *node = graph->nodes->pdata[id];

      if (node == NULL)
        continue;
      node->scope = old->scope;
      node->phase = old->phase;
      sonde_node_add_origin (node, old, SONDE_ORIGIN_LEGALISED);
    }
}

/* New nodes stand before and after the old one; the second round reaches those after it. */
static void
infer_around (SondeGraph *graph,
              SondeNode  *old,
              guint       first)
{
  for (int round = 0; round < 2; round++)
    {
      for (guint id = first; id < graph->nodes->len; id++)
        if (graph->nodes->pdata[id] != NULL)
          (void) sonde_build_infer (graph, graph->nodes->pdata[id], NULL);
      (void) sonde_build_infer (graph, old, NULL);
      if (first == graph->nodes->len)
        return;
    }
}

/* New nodes make all its values now. */
static gboolean
is_left_over (const SondeNode *node)
{
  for (guint k = 0; k < node->outputs->len; k++)
    if (node->outputs->pdata[k] != NULL)
      return FALSE;
  return TRUE;
}

static gboolean
legalise_node (SondeGraph *graph,
               SondeNode  *node,
               GError    **error)
{
  int version = node->version > 0 ? node->version : SONDE_CURRENT_OPSET;
  guint first = graph->nodes->len;
  guint attributes = node->attributes->len;
  guint inputs = node->inputs->len;

  for (gsize t = 0; t < G_N_ELEMENTS (tables); t++)
    for (const SondeLegalisation *row = tables[t]; row->op != NULL; row++)
      {
        if (!is_for (row, node->domain, node->op) || (row->before > 0 && version >= row->before))
          continue;
        if (!row->rule (graph, node, version, error))
          {
            g_prefix_error (error, "node “%s” (%s, version %d): ", node->name, node->op, version);
            return FALSE;
          }
      }
  mark_origin (graph, node, first);
  if (node->attributes->len != attributes || node->inputs->len != inputs)
    node->origin_kind = SONDE_ORIGIN_LEGALISED;
  if (*node->domain == '\0')
    node->version = MAX (version, SONDE_CURRENT_OPSET);
  infer_around (graph, node, first);
  if (is_left_over (node))
    sonde_graph_remove_node (graph, node);
  return TRUE;
}

gboolean
sonde_pass_legalise (SondeGraph *graph,
                     GError    **error)
{
  g_autoptr (GPtrArray) order = NULL;
  int opset = sonde_graph_get_opset (graph, "");

  if (!check_operators (graph, error))
    return FALSE;
  order = sonde_graph_sort (graph, error);
  if (order == NULL)
    return FALSE;
  /* From here on new nodes are made in the current form. */
  sonde_graph_set_opset (graph, "", MAX (opset, SONDE_CURRENT_OPSET));
  for (guint i = 0; i < order->len; i++)
    {
      SondeNode *node = order->pdata[i];

      if (!legalise_node (graph, node, error))
        return FALSE;
    }
  return TRUE;
}
