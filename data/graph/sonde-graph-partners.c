/* SPDX-License-Identifier: Apache-2.0 */
#include "data/graph/sonde-graph-partners.h"

typedef struct
{
  const SondeGraph *first, *second;
  SondeGraphPartners *partners;
} Matching;

static void
pair (const Matching *matching, SondeNode *a, SondeNode *b)
{
  if (matching->partners->of_first[a->id] == NULL)
    matching->partners->of_first[a->id] = b;
  if (matching->partners->of_second[b->id] == NULL)
    matching->partners->of_second[b->id] = a;
}

/* ---- names and origins --------------------------------------------------- */

static void
match_names (const Matching *matching)
{
  for (guint i = 0; i < matching->first->nodes->len; i++)
    {
      SondeNode *a = g_ptr_array_index (matching->first->nodes, i);
      SondeNode *b = a != NULL ? sonde_graph_find_node (matching->second, a->name) : NULL;

      if (b != NULL)
        pair (matching, a, b);
    }
}

/* @swapped: nodes of the first graph came from those of the second */
static void
match_origins (const Matching *matching, gboolean swapped)
{
  const SondeGraph *later = swapped ? matching->first : matching->second;
  const SondeGraph *earlier = swapped ? matching->second : matching->first;

  for (guint i = 0; i < later->nodes->len; i++)
    {
      SondeNode *node = g_ptr_array_index (later->nodes, i);

      for (guint k = 0; node != NULL && k < node->origins->len; k++)
        {
          SondeNode *origin = sonde_graph_find_node (earlier, g_ptr_array_index (node->origins, k));

          if (origin != NULL)
            pair (matching, swapped ? node : origin, swapped ? origin : node);
        }
    }
}

/* ---- structure ----------------------------------------------------------- */

/* What in the second graph stands where @value stands in the first; NULL: not known. */
static SondeGraphValue *
find_counterpart (const Matching *matching, const SondeGraphValue *value)
{
  guint place = 0;

  if (value->producer != NULL)
    {
      SondeNode *partner = matching->partners->of_first[value->producer->id];

      return partner != NULL ? sonde_node_get_output (partner, value->producer_output) : NULL;
    }
  if (!g_ptr_array_find (matching->first->inputs, value, &place)
      || place >= matching->second->inputs->len)
    return NULL;
  return g_ptr_array_index (matching->second->inputs, place);
}

static gboolean
is_constant (const SondeGraphValue *value)
{
  return value == NULL || value->constant != NULL || value->role > SONDE_ROLE_INPUT;
}

/* Whether all inputs of @b come from where those of @a come from. */
static gboolean
reads_alike (const Matching *matching, const SondeNode *a, const SondeNode *b)
{
  if (a->op != b->op || a->domain != b->domain || a->inputs->len != b->inputs->len)
    return FALSE;
  for (guint i = 0; i < a->inputs->len; i++)
    {
      const SondeGraphValue *x = sonde_node_get_input (a, i), *y = sonde_node_get_input (b, i);

      if (is_constant (x) != is_constant (y)
          || (!is_constant (x) && find_counterpart (matching, x) != y))
        return FALSE;
    }
  return TRUE;
}

static SondeNode *
find_alike (const Matching *matching, const SondeNode *a)
{
  for (guint i = 0; i < a->inputs->len; i++)
    {
      const SondeGraphValue *x = sonde_node_get_input (a, i);
      const SondeGraphValue *y = is_constant (x) ? NULL : find_counterpart (matching, x);

      for (guint k = 0; y != NULL && k < y->users->len; k++)
        {
          SondeNode *b = g_ptr_array_index (y->users, k);

          if (matching->partners->of_second[b->id] == NULL && reads_alike (matching, a, b))
            return b;
        }
    }
  return NULL;
}

static void
match_structure (const Matching *matching)
{
  g_autoptr (GPtrArray) order = sonde_graph_sort (matching->first, NULL);

  for (guint i = 0; order != NULL && i < order->len; i++)
    {
      SondeNode *a = g_ptr_array_index (order, i);
      SondeNode *b = matching->partners->of_first[a->id] == NULL ? find_alike (matching, a) : NULL;

      if (b != NULL)
        pair (matching, a, b);
    }
}

/* ---- both ---------------------------------------------------------------- */

SondeGraphPartners *
sonde_graph_partners_new (const SondeGraph *first, const SondeGraph *second)
{
  SondeGraphPartners *partners = g_new0 (SondeGraphPartners, 1);
  const Matching matching = { first, second, partners };

  partners->of_first = g_new0 (SondeNode *, first->nodes->len + 1);
  partners->of_second = g_new0 (SondeNode *, second->nodes->len + 1);
  match_names (&matching);
  match_origins (&matching, FALSE);
  match_origins (&matching, TRUE);
  match_structure (&matching);
  return partners;
}

void
sonde_graph_partners_free (SondeGraphPartners *partners)
{
  if (partners == NULL)
    return;
  g_free (partners->of_first);
  g_free (partners->of_second);
  g_free (partners);
}

gboolean
sonde_graph_partners_are_equal (const SondeNode *a, const SondeNode *b)
{
  if (a->op != b->op || a->domain != b->domain || a->attributes->len != b->attributes->len)
    return FALSE;
  for (guint i = 0; i < a->attributes->len; i++)
    {
      const SondeAttribute *x = g_ptr_array_index (a->attributes, i);
      const SondeAttribute *y = sonde_node_find_attribute (b, x->name);
      g_autofree char *left = sonde_attribute_to_text (x);
      g_autofree char *right = y != NULL ? sonde_attribute_to_text (y) : NULL;

      if (g_strcmp0 (left, right) != 0)
        return FALSE;
    }
  return TRUE;
}
