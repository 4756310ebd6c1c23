/* SPDX-License-Identifier: Apache-2.0
 * The most frequent misclassifications as a list: true class → predicted class, how many, which share. */
#pragma once

#include <adwaita.h>

#include "app/explain/browser/sonde-explain-table.h"

G_BEGIN_DECLS

#define SONDE_TYPE_EXPLAIN_PAIRS (sonde_explain_pairs_get_type ())
G_DECLARE_FINAL_TYPE (SondeExplainPairs, sonde_explain_pairs, SONDE, EXPLAIN_PAIRS, AdwBin)

/* Signals: "chosen" (gint64 cell): -1: none any more. */
GtkWidget *sonde_explain_pairs_new (void);

void sonde_explain_pairs_set_table (SondeExplainPairs *pairs, const SondeExplainTable *table);
void sonde_explain_pairs_choose (SondeExplainPairs *pairs, gint64 cell);

G_END_DECLS
