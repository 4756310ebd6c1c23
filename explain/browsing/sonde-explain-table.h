/* SPDX-License-Identifier: Apache-2.0
 * Which class was taken for which, counted over samples: what the matrix and the list of pairs
 * show. */
#pragma once

#include "explain/browsing/sonde-explain-item.h"
#include "data/values/sonde-confusion.h"

G_BEGIN_DECLS

/**
 * SondeExplainTable:
 * @names: (array length=n): classes by number, then by name; those that occur, or all where they
 * are few
 * @counts: of those classes
 * @n_samples, @n_labelled, @n_errors: of all samples, also those that no cell counts
 */
typedef struct
{
  guint n, n_samples, n_labelled, n_errors;
  char **names;
  SondeConfusion *counts;
  GHashTable *places; /* name → place + 1 */
} SondeExplainTable;

/**
 * sonde_explain_table_new:
 * @items: (element-type SondeExplainItem)
 * @classes: (array length=n_classes) (nullable): names of all there are
 * @max: more classes than these are not counted: those with the most misclassifications stay
 */
SondeExplainTable *sonde_explain_table_new (GPtrArray *items, char **classes, guint n_classes,
                                            guint max);
void sonde_explain_table_free (SondeExplainTable *table);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SondeExplainTable, sonde_explain_table_free)

/* Row × n + column; -1 for a sample that no cell counts. */
gint64 sonde_explain_table_find (const SondeExplainTable *table, SondeExplainItem *item);
G_END_DECLS
