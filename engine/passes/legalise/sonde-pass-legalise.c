/* SPDX-License-Identifier: Apache-2.0
 * Old opset forms -> the current one. The rules themselves are in sonde-legalise-rules.c. Types are
 * inferred on the way as far as possible, because some old forms mean different things for
 * different ranks. */
#include "engine/passes/sonde-legalise.h"
#include "engine/passes/sonde-subgraphs.h"

#include "data/base/sonde-budget.h"

#include <string.h>

static const SondeLegalisation *const tables[] = {
  sonde_legalisations_attention,
  sonde_legalisations_normalisation, /* before the rules for all BatchNormalization */
  sonde_legalisations_common,
  sonde_legalisations_image,
  sonde_legalisations_index,
  sonde_legalisations_machine_learning,
  sonde_legalisations_quantise,
  sonde_legalisations_recurrent,
  sonde_legalisations_sequence,
  sonde_legalisations_training,
  sonde_legalisations_contrib, /* last: its versions are not those of what they become */
};

static gboolean
is_for (const SondeLegalisation *row, const char *domain, const char *op)
{
  return strcmp (row->op, op) == 0 && strcmp (row->domain ? row->domain : "", domain) == 0;
}

gboolean
sonde_legalise_knows (const char *domain, const char *op)
{
  for (gsize t = 0; t < G_N_ELEMENTS (tables); t++)
    for (const SondeLegalisation *row = tables[t]; row->op != NULL; row++)
      if (is_for (row, domain, op))
        return TRUE;
  return FALSE;
}

gboolean
sonde_pass_knows_operator (const char *domain, const char *op)
{
  return sonde_op_table_find (domain, op) != NULL || sonde_legalise_knows (domain, op);
}

/* ---- operators that nobody implements ------------------------------------ */

static gint
compare_names (gconstpointer a, gconstpointer b)
{
  return strcmp (*(const char *const *) a, *(const char *const *) b);
}

/* @key: as of count_missing() */
static void
append_missing (SondeMessage *message, const char *key, guint n, gboolean is_first)
{
  const char *version = strrchr (key, ' ') + 1;
  g_autofree char *name = g_strndup (key, (gsize) (version - key) - 1);

  if (!is_first)
    sonde_message_append_text (message, "; ");
  if (n == 1)
    sonde_message_append_format (message, "%s (version %s), %u node", name, version, n);
  else
    sonde_message_append_format (message, "%s (version %s), %u nodes", name, version, n);
}

static gboolean
report_missing (GHashTable *counts, GError **error)
{
  g_autoptr (GPtrArray) names = g_ptr_array_new ();
  g_autoptr (SondeMessage) message = NULL;
  GHashTableIter iter;
  gpointer key;

  if (g_hash_table_size (counts) == 0)
    return TRUE;
  g_hash_table_iter_init (&iter, counts);
  while (g_hash_table_iter_next (&iter, &key, NULL))
    g_ptr_array_add (names, (char *) key);
  g_ptr_array_sort (names, compare_names);
  message = sonde_message_new ("operators that are not implemented: ");
  for (guint i = 0; i < names->len; i++)
    append_missing (message, names->pdata[i],
                    GPOINTER_TO_UINT (g_hash_table_lookup (counts, names->pdata[i])), i == 0);
  sonde_set_error_message (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_UNSUPPORTED,
                           g_steal_pointer (&message));
  return FALSE;
}

/* @counts: "DOMAIN.OPERATOR VERSION" -> how many nodes */
static gboolean
count_missing (const SondeGraph *graph, guint depth, GHashTable *counts, GError **error)
{
  for (guint i = 0; i < graph->nodes->len; i++)
    {
      const SondeNode *node = graph->nodes->pdata[i];
      g_autoptr (GPtrArray) bodies = node ? sonde_bodies_of (node) : NULL;
      char *key = NULL;
      guint count;

      if (bodies != NULL && depth >= SONDE_BUDGET_SUBGRAPHS)
        {
          sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_INVALID,
                           "node “%s” (%s): subgraphs are nested more than %d deep", node->name,
                           node->op, SONDE_BUDGET_SUBGRAPHS);
          return FALSE;
        }
      for (guint b = 0; bodies != NULL && b < bodies->len; b++)
        if (!count_missing (bodies->pdata[b], depth + 1, counts, error))
          return FALSE;
      if (node == NULL || sonde_pass_knows_operator (node->domain, node->op))
        continue;
      key = g_strdup_printf ("%s%s%s %d", node->domain, *node->domain != '\0' ? "." : "", node->op,
                             node->version);
      count = GPOINTER_TO_UINT (g_hash_table_lookup (counts, key));
      g_hash_table_insert (counts, key, GUINT_TO_POINTER (count + 1));
    }
  return TRUE;
}

static gboolean
check_operators (const SondeGraph *graph, GError **error)
{
  g_autoptr (GHashTable) counts = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);

  return count_missing (graph, 0, counts, error) && report_missing (counts, error);
}

/* ---- rewriting ----------------------------------------------------------- */

/* A rule may replace the node by several new ones; all of them name it as their origin. */
static void
mark_origin (SondeGraph *graph, const SondeNode *old, guint first)
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
infer_around (SondeGraph *graph, SondeNode *old, guint first)
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
legalise_node (SondeGraph *graph, SondeNode *node, GError **error)
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
            sonde_prefix_error (error, "node “%s” (%s, version %d): ", node->name, node->op,
                                version);
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

/* ---- bodies -------------------------------------------------------------- */

/* Rules ask for ranks and element types: what comes from outside is known here. */
static void
type_body (const SondeNode *node, SondeGraph *body)
{
  gboolean loop = sonde_node_is (node, SONDE_OP_ID_LOOP);

  for (guint i = 0; i < body->values->len; i++)
    {
      SondeGraphValue *value = body->values->pdata[i];

      if (value != NULL && value->outer != NULL && value->type.kind == SONDE_VALUE_NONE)
        value->type = value->outer->type;
    }
  for (guint k = 2; loop && k < body->inputs->len && k < node->inputs->len; k++)
    {
      SondeGraphValue *formal = body->inputs->pdata[k];
      const SondeGraphValue *initial = node->inputs->pdata[k];

      if (formal->type.kind != SONDE_VALUE_NONE || initial == NULL)
        continue;
      formal->type = initial->type;
      for (int d = 0; d < formal->type.rank; d++)
        formal->type.dims[d].size = -1;
    }
}

static gboolean
legalise_graph (SondeGraph *graph, GError **error)
{
  g_autoptr (GPtrArray) order = sonde_order_of (graph, error);

  for (guint i = 0; order != NULL && i < order->len; i++)
    {
      SondeNode *node = order->pdata[i];
      g_autoptr (GPtrArray) bodies = sonde_bodies_of (node);

      for (guint b = 0; bodies != NULL && b < bodies->len; b++)
        {
          type_body (node, bodies->pdata[b]);
          if (!legalise_graph (bodies->pdata[b], error))
            {
              sonde_prefix_error (error, "in a body of “%s”: ", node->name);
              return FALSE;
            }
        }
      if (!legalise_node (graph, node, error))
        return FALSE;
    }
  return order != NULL;
}

gboolean
sonde_pass_legalise (SondeGraph *graph, GError **error)
{
  int opset = sonde_graph_get_opset (graph, "");

  if (!sonde_check_versions (graph, error) || !check_operators (graph, error))
    return FALSE;
  /* From here on new nodes are made in the current form. */
  sonde_graph_set_opset (graph, "", MAX (opset, SONDE_CURRENT_OPSET));
  return legalise_graph (graph, error);
}
