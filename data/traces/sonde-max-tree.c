/* SPDX-License-Identifier: Apache-2.0 */
#include "data/traces/sonde-max-tree.h"

#include <string.h>

void
sonde_max_tree_init (SondeMaxTree *tree, gsize n)
{
  tree->n_leaves = 1;
  while (tree->n_leaves < n)
    tree->n_leaves *= 2;
  tree->values = g_new (gint64, 2 * tree->n_leaves);
  for (gsize i = 0; i < 2 * tree->n_leaves; i++)
    tree->values[i] = G_MININT64;
}

void
sonde_max_tree_clear (SondeMaxTree *tree)
{
  g_clear_pointer (&tree->values, g_free);
  tree->n_leaves = 0;
}

void
sonde_max_tree_set (SondeMaxTree *tree, gsize index, gint64 value)
{
  gsize i = tree->n_leaves + index;

  tree->values[i] = value;
  for (i /= 2; i > 0; i /= 2)
    tree->values[i] = MAX (tree->values[2 * i], tree->values[2 * i + 1]);
}

void
sonde_max_tree_build (SondeMaxTree *tree)
{
  for (gsize i = tree->n_leaves - 1; i > 0; i--)
    tree->values[i] = MAX (tree->values[2 * i], tree->values[2 * i + 1]);
}

void
sonde_max_tree_grow (SondeMaxTree *tree, gsize n)
{
  SondeMaxTree larger;

  if (n <= tree->n_leaves)
    return;
  sonde_max_tree_init (&larger, n);
  memcpy (larger.values + larger.n_leaves, tree->values + tree->n_leaves,
          tree->n_leaves * sizeof *tree->values);
  sonde_max_tree_build (&larger);
  sonde_max_tree_clear (tree);
  *tree = larger;
}

gboolean
sonde_max_tree_find_first (const SondeMaxTree *tree, gint64 value, gsize *index)
{
  gsize i = 1;

  if (tree->values[1] < value)
    return FALSE;
  while (i < tree->n_leaves)
    i = tree->values[2 * i] >= value ? 2 * i : 2 * i + 1;
  *index = i - tree->n_leaves;
  return TRUE;
}

gboolean
sonde_max_tree_find_last (const SondeMaxTree *tree, gsize end, gint64 value, gsize *index)
{
  gsize i = 0;

  if (end >= tree->n_leaves)
    i = tree->values[1] > value ? 1 : 0;
  else
    for (gsize right = tree->n_leaves + end; right > 1 && i == 0; right /= 2)
      if (right % 2 == 1 && tree->values[right - 1] > value)
        i = right - 1;
  if (i == 0)
    return FALSE;
  while (i < tree->n_leaves)
    i = tree->values[2 * i + 1] > value ? 2 * i + 1 : 2 * i;
  *index = i - tree->n_leaves;
  return TRUE;
}
