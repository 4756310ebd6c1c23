/* SPDX-License-Identifier: Apache-2.0
 * The most frequent misclassifications as a list: true class → predicted class, how many, which share. */
#pragma once

#include <adwaita.h>

#include "app/explain/browser/sonde-explain-table.h"

G_BEGIN_DECLS

#define SONDE_TYPE_CONFUSED_PAIRS (sonde_confused_pairs_get_type ())
G_DECLARE_FINAL_TYPE (SondeConfusedPairs, sonde_confused_pairs, SONDE, CONFUSED_PAIRS, AdwBin)

/* Signals: "chosen" (gint64 cell): -1: none any more. */
GtkWidget *sonde_confused_pairs_new (void);

void sonde_confused_pairs_set_table (SondeConfusedPairs *pairs, const SondeExplainTable *table);
void sonde_confused_pairs_choose (SondeConfusedPairs *pairs, gint64 cell);

G_END_DECLS
