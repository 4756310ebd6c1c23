/* SPDX-License-Identifier: Apache-2.0
 * Confusion counts: how often samples of each class were predicted as each class. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/**
 * SondeConfusion:
 * @n: samples counted
 * @counts: (array): classes × classes, true class down, predicted class across
 * @row_totals, @column_totals: (array length=classes): samples of each true and predicted class
 */
typedef struct
{
  guint classes, n;
  guint *counts, *row_totals, *column_totals;
} SondeConfusion;

/* @labels, @predicted: (array length=n): samples with a class outside 0 … @classes − 1 are not
 * counted. */
SondeConfusion *sonde_confusion_new (const gint64 *labels, const gint64 *predicted, guint n,
                                     guint classes);
/* @counts: (array): classes × classes; copied */
SondeConfusion *sonde_confusion_new_from_counts (const guint *counts, guint classes);
SondeConfusion *sonde_confusion_copy (const SondeConfusion *confusion);
void sonde_confusion_free (SondeConfusion *confusion);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SondeConfusion, sonde_confusion_free)

/* Row × classes + column of cells off the diagonal that are not empty, the largest first, equal ones
 * by place. (transfer full) (element-type gint64) */
GArray *sonde_confusion_list_cells (const SondeConfusion *confusion);

/**
 * sonde_confusion_find_next:
 * @order: (array length=classes): which class stands at each place, the same down and across
 * @cell: row × classes + column where the search begins; outside: before the first place, or
 *   behind the last
 * @direction: 1 or −1
 * @down: along the columns; FALSE: along the rows
 *
 * From line to line at the ends. Returns: the next cell that counts something; −1: there is none
 */
gint64 sonde_confusion_find_next (const SondeConfusion *confusion, const guint *order, gint64 cell,
                                  int direction, gboolean down);

/**
 * SondeConfusedPair: a cell off the diagonal that is not empty
 * @lift: count over the count expected were label and prediction independent
 * @low, @high: Wilson's interval of count in all samples of the true class
 */
typedef struct
{
  guint label, predicted, count;
  double low, high, lift;
} SondeConfusedPair;

/* The most frequent first, of equals the larger lift. (transfer full) (element-type
 * SondeConfusedPair) */
GArray *sonde_confusion_list_pairs (const SondeConfusion *confusion);

G_END_DECLS
