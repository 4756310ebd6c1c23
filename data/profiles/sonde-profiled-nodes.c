/* SPDX-License-Identifier: Apache-2.0 */
#include "data/profiles/sonde-profiled-nodes.h"

struct _SondeProfiledNodes
{
  const SondeProfile *profile;
  GHashTable *operators; /* name of a node -> SondeProfileOperator; both of the profile */
  /* Name of what makes values, and the operator it is part of -> gint64, owned. */
  GHashTable *bytes, *operator_bytes;
};

/* Operators come with the longest first, so that the first one of a name stays. */
static void
add_operator (SondeProfiledNodes *nodes, const char *name, const SondeProfileOperator *op)
{
  if (name != NULL && !g_hash_table_contains (nodes->operators, name))
    g_hash_table_insert (nodes->operators, (gpointer) name, (gpointer) op);
}

static void
add_exact (SondeProfiledNodes *nodes)
{
  for (guint i = 0; i < nodes->profile->operators->len; i++)
    {
      const SondeProfileOperator *op = sonde_profile_get_operator (nodes->profile, i);

      add_operator (nodes, op->node, op);
    }
}

/* What operators of the forward pass, or the others, stand for. */
static void
add_originals (SondeProfiledNodes *nodes, gboolean forward)
{
  for (guint i = 0; i < nodes->profile->operators->len; i++)
    {
      const SondeProfileOperator *op = sonde_profile_get_operator (nodes->profile, i);
      const SondeOperatorFacts *facts = op->facts;

      if (facts == NULL || facts->nodes == NULL
          || (facts->part == SONDE_STEP_PART_FORWARD) != forward)
        continue;
      for (gsize k = 0; facts->nodes[k] != NULL; k++)
        add_operator (nodes, facts->nodes[k], op);
    }
}

static void
add_to (GHashTable *sums, gconstpointer key, guint64 bytes)
{
  gint64 *sum = g_hash_table_lookup (sums, key);

  if (sum == NULL)
    {
      sum = g_new0 (gint64, 1);
      g_hash_table_insert (sums, (gpointer) key, sum);
    }
  if (bytes < (guint64) (G_MAXINT64 - *sum))
    *sum += (gint64) bytes;
}

static void
add_lifetime (SondeProfiledNodes *nodes, const SondeLifetime *lifetime)
{
  const SondeProfileOperator *op = NULL;

  if (lifetime->node == NULL)
    return;
  op = sonde_profiled_nodes_find (nodes, lifetime->node);
  add_to (nodes->bytes, lifetime->node, lifetime->bytes);
  if (op != NULL)
    add_to (nodes->operator_bytes, op, lifetime->bytes);
}

/* What outlives its body is listed before and after it, too: each value counts once. */
static void
add_lifetimes (SondeProfiledNodes *nodes, const GArray *lifetimes)
{
  g_autoptr (GHashTable) seen = g_hash_table_new (g_str_hash, g_str_equal);

  for (guint i = 0; i < lifetimes->len; i++)
    {
      const SondeLifetime *lifetime = &g_array_index (lifetimes, SondeLifetime, i);

      if (!lifetime->is_measured || g_hash_table_add (seen, (gpointer) lifetime->value))
        add_lifetime (nodes, lifetime);
    }
}

SondeProfiledNodes *
sonde_profiled_nodes_new (const SondeProfile *profile)
{
  SondeProfiledNodes *nodes = g_new0 (SondeProfiledNodes, 1);

  nodes->profile = profile;
  nodes->operators = g_hash_table_new (g_str_hash, g_str_equal);
  nodes->bytes = g_hash_table_new_full (g_str_hash, g_str_equal, NULL, g_free);
  nodes->operator_bytes = g_hash_table_new_full (NULL, NULL, NULL, g_free);
  add_exact (nodes);
  add_originals (nodes, TRUE);
  add_originals (nodes, FALSE);
  if (sonde_profiled_nodes_have_memory (nodes))
    add_lifetimes (nodes, profile->facts->memory.lifetimes);
  return nodes;
}

void
sonde_profiled_nodes_free (SondeProfiledNodes *nodes)
{
  if (nodes == NULL)
    return;
  g_hash_table_unref (nodes->operators);
  g_hash_table_unref (nodes->bytes);
  g_hash_table_unref (nodes->operator_bytes);
  g_free (nodes);
}

const SondeProfile *
sonde_profiled_nodes_get_profile (const SondeProfiledNodes *nodes)
{
  return nodes->profile;
}

const SondeProfileOperator *
sonde_profiled_nodes_find (const SondeProfiledNodes *nodes, const char *name)
{
  return g_hash_table_lookup (nodes->operators, name);
}

gboolean
sonde_profiled_nodes_have_memory (const SondeProfiledNodes *nodes)
{
  return nodes->profile->facts != NULL && nodes->profile->facts->memory.lifetimes != NULL;
}

gint64
sonde_profiled_nodes_get_bytes (const SondeProfiledNodes *nodes, const char *name,
                                gboolean *is_shared)
{
  const gint64 *bytes = g_hash_table_lookup (nodes->bytes, name);
  const SondeProfileOperator *op = sonde_profiled_nodes_find (nodes, name);

  *is_shared = bytes == NULL;
  if (bytes == NULL && op != NULL)
    bytes = g_hash_table_lookup (nodes->operator_bytes, op);
  return bytes != NULL ? *bytes : -1;
}
