/* SPDX-License-Identifier: Apache-2.0
 * The greatest of a range of numbers that change, in a logarithm of their count: which lane is the
 * first that is free at a time, which span before an instant is still open there. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/**
 * SondeMaxTree:
 * @values: of n_leaves numbers, and above each pair the greater; [1] is the greatest of all
 */
typedef struct
{
  gsize n_leaves; /* a power of two */
  gint64 *values;
} SondeMaxTree;

/* @n numbers of G_MININT64. */
void sonde_max_tree_init (SondeMaxTree *tree, gsize n);
void sonde_max_tree_clear (SondeMaxTree *tree);
void sonde_max_tree_set (SondeMaxTree *tree, gsize index, gint64 value);

/* Numbers that are set at once: fill, then build. */
#define sonde_max_tree_fill(tree, index, value)                                                    \
  ((tree)->values[(tree)->n_leaves + (index)] = (value))
void sonde_max_tree_build (SondeMaxTree *tree);

/* Makes it hold at least @n; the numbers stay. */
void sonde_max_tree_grow (SondeMaxTree *tree, gsize n);

/* The first index whose number is at least @value. Returns FALSE when there is none. */
gboolean sonde_max_tree_find_first (const SondeMaxTree *tree, gint64 value, gsize *index);

/* The last index < @end whose number is greater than @value. Returns FALSE when there is none. */
gboolean sonde_max_tree_find_last (const SondeMaxTree *tree, gsize end, gint64 value, gsize *index);

G_END_DECLS
