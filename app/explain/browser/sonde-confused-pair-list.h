/* SPDX-License-Identifier: Apache-2.0
 * The most frequent misclassifications: true class → predicted class, count and share. */
#pragma once

#include <adwaita.h>

#include "explain/browsing/sonde-explain-table.h"

G_BEGIN_DECLS

#define SONDE_TYPE_CONFUSED_PAIR_LIST (sonde_confused_pair_list_get_type ())
/* Signals: "chosen" (gint64 cell): -1: none any more. */
G_DECLARE_FINAL_TYPE (SondeConfusedPairList, sonde_confused_pair_list, SONDE, CONFUSED_PAIR_LIST,
                      AdwBin)

void sonde_confused_pair_list_set_table (SondeConfusedPairList *pairs,
                                         const SondeExplainTable *table);
void sonde_confused_pair_list_choose (SondeConfusedPairList *pairs, gint64 cell);

G_END_DECLS
