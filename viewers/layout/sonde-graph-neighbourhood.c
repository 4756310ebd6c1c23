/* SPDX-License-Identifier: Apache-2.0 */
#include "viewers/layout/sonde-graph-neighbourhood.h"

#include <string.h>

typedef struct
{
  GArray *list;      /* SondeGraphNeighbour */
  GHashTable *known; /* nodes and values */
  guint *left_out;
} Listing;

static void
add (Listing *listing, SondeNode *node, SondeGraphValue *value, int column)
{
  gpointer key = node != NULL ? (gpointer) node : value;
  SondeGraphNeighbour neighbour = { node, value, column };
  guint n = 0;

  if (g_hash_table_contains (listing->known, key))
    return;
  for (guint i = 0; i < listing->list->len; i++)
    n += g_array_index (listing->list, SondeGraphNeighbour, i).column == column;
  if (n >= SONDE_NEIGHBOURHOOD_ROWS)
    {
      listing->left_out[column]++;
      return;
    }
  if (value == NULL)
    neighbour.value = sonde_node_get_output (node, 0);
  g_array_append_val (listing->list, neighbour);
  g_hash_table_add (listing->known, key);
}

static void
add_beside (Listing *listing, SondeNode *node, int column, gboolean forward)
{
  GPtrArray *values = forward ? node->outputs : node->inputs;

  for (guint i = 0; i < values->len; i++)
    {
      SondeGraphValue *value = g_ptr_array_index (values, i);

      for (guint k = 0; forward && value != NULL && k < value->users->len; k++)
        add (listing, g_ptr_array_index (value->users, k), NULL, column);
      if (!forward && value != NULL)
        add (listing, value->producer, value->producer != NULL ? NULL : value, column);
    }
}

static void
add_level (Listing *listing, int from, int to)
{
  guint n = listing->list->len;

  for (guint i = 0; i < n; i++)
    {
      SondeGraphNeighbour neighbour = g_array_index (listing->list, SondeGraphNeighbour, i);

      if (neighbour.column == from && neighbour.node != NULL)
        add_beside (listing, neighbour.node, to, to > from);
    }
}

GArray *
sonde_graph_list_neighbours (SondeNode *node, guint left_out[SONDE_NEIGHBOURHOOD_COLUMNS])
{
  g_autoptr (GHashTable) known = g_hash_table_new (NULL, NULL);
  Listing listing = { g_array_new (FALSE, FALSE, sizeof (SondeGraphNeighbour)), known, left_out };

  memset (left_out, 0, SONDE_NEIGHBOURHOOD_COLUMNS * sizeof *left_out);
  add (&listing, node, NULL, SONDE_NEIGHBOURHOOD_CENTRE);
  for (int level = 0; level < SONDE_NEIGHBOURHOOD_CENTRE; level++)
    {
      add_level (&listing, SONDE_NEIGHBOURHOOD_CENTRE - level,
                 SONDE_NEIGHBOURHOOD_CENTRE - level - 1);
      add_level (&listing, SONDE_NEIGHBOURHOOD_CENTRE + level,
                 SONDE_NEIGHBOURHOOD_CENTRE + level + 1);
    }
  return listing.list;
}
