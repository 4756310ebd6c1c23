/* SPDX-License-Identifier: Apache-2.0
 * Scores as a table, a row a metric with its weight, a column a method with its composite; below it
 * a radar. */
#pragma once

#include <adwaita.h>

#include "explain/session/sonde-score-set.h"

G_BEGIN_DECLS

#define SONDE_TYPE_SCORES_TABLE (sonde_scores_table_get_type ())
G_DECLARE_FINAL_TYPE (SondeScoresTable, sonde_scores_table, SONDE, SCORES_TABLE, AdwBin)

/* @set: lent for the widget's life; its weights change by hand here. */
void sonde_scores_table_set_scores (SondeScoresTable *table, SondeScoreSet *set);
/* The set has other scores, or another class is looked at. */
void sonde_scores_table_fill (SondeScoresTable *table);
/* Its weights are others. */
void sonde_scores_table_weigh (SondeScoresTable *table);

G_END_DECLS
