/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/passes/sonde-rewrites.h"

static void
rewrite_free (gpointer data)
{
  SondeRewrite *rewrite = data;

  g_free (rewrite->executed);
  g_free (rewrite);
}

/* Name of an original node -> its executed nodes, (element-type SondeNode). */
static GHashTable *
map_origins (const SondeGraph *executed)
{
  GHashTable *map
      = g_hash_table_new_full (g_str_hash, g_str_equal, NULL, (GDestroyNotify) g_ptr_array_unref);

  for (guint i = 0; i < executed->nodes->len; i++)
    {
      SondeNode *node = g_ptr_array_index (executed->nodes, i);

      for (guint k = 0; node != NULL && k < node->origins->len; k++)
        {
          char *name = g_ptr_array_index (node->origins, k);
          GPtrArray *nodes = g_hash_table_lookup (map, name);

          if (nodes == NULL)
            g_hash_table_insert (map, name, nodes = g_ptr_array_new ());
          g_ptr_array_add (nodes, node);
        }
    }
  return map;
}

/* Of a node without executed ones. */
static SondeRewriteKind
kind_of_missing (const SondeGraph *executed, const SondeNode *original)
{
  for (guint k = 0; k < original->outputs->len; k++)
    {
      const SondeGraphValue *output = sonde_node_get_output (original, k);
      const SondeGraphValue *value
          = output != NULL ? sonde_graph_find_value (executed, output->name) : NULL;

      if (value != NULL && value->constant != NULL)
        return SONDE_REWRITE_FOLDED;
    }
  return SONDE_REWRITE_REMOVED;
}

static SondeRewriteKind
kind_of_executed (const SondeNode *node)
{
  switch (node->origin_kind)
    {
    case SONDE_ORIGIN_DECOMPOSED:
      return SONDE_REWRITE_INLINED;
    case SONDE_ORIGIN_FUSED:
      return SONDE_REWRITE_FUSED;
    case SONDE_ORIGIN_FOLDED:
      return SONDE_REWRITE_FOLDED;
    case SONDE_ORIGIN_SOURCE:
    case SONDE_ORIGIN_LEGALISED:
    case SONDE_ORIGIN_INSERTED:
    case SONDE_ORIGIN_GRADIENT:
    case SONDE_ORIGIN_OPTIMISER:
    case SONDE_ORIGIN_LOSS:
    default:
      return SONDE_REWRITE_LEGALISED;
    }
}

/* @nodes: (nullable): executed nodes. (transfer full) (nullable): NULL: executed as it is */
static SondeRewrite *
compare (const SondeGraph *executed, const SondeNode *original, const GPtrArray *nodes)
{
  const SondeNode *first = nodes != NULL ? g_ptr_array_index (nodes, 0) : NULL;
  GString *ops;
  SondeRewrite *rewrite;

  if (first != NULL && nodes->len == 1 && first->op == original->op
      && first->origin_kind == SONDE_ORIGIN_SOURCE)
    return NULL;
  ops = g_string_new (NULL);
  for (guint i = 0; nodes != NULL && i < nodes->len; i++)
    g_string_append_printf (ops, "%s%s", i > 0 ? ", " : "",
                            ((const SondeNode *) g_ptr_array_index (nodes, i))->op);
  rewrite = g_new0 (SondeRewrite, 1);
  rewrite->original = original;
  rewrite->kind = first != NULL ? kind_of_executed (first) : kind_of_missing (executed, original);
  rewrite->executed = g_string_free (ops, FALSE);
  rewrite->n_fused
      = first != NULL && first->origin_kind == SONDE_ORIGIN_FUSED ? first->origins->len : 1;
  rewrite->repeated = rewrite->n_fused > 1
                      && !g_str_equal (g_ptr_array_index (first->origins, 0), original->name);
  return rewrite;
}

GPtrArray *
sonde_list_rewrites (const SondeGraph *original, const SondeGraph *executed)
{
  g_autoptr (GHashTable) map = map_origins (executed);
  GPtrArray *rewrites = g_ptr_array_new_with_free_func (rewrite_free);

  for (guint i = 0; i < original->nodes->len; i++)
    {
      const SondeNode *node = g_ptr_array_index (original->nodes, i);
      SondeRewrite *rewrite
          = node != NULL ? compare (executed, node, g_hash_table_lookup (map, node->name)) : NULL;

      if (rewrite != NULL)
        g_ptr_array_add (rewrites, rewrite);
    }
  return rewrites;
}
