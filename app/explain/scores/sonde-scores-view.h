/* SPDX-License-Identifier: Apache-2.0
 * Methods by metrics: a table with intervals, a composite by weights that can be changed, a radar,
 * and the two controls (a random map, one that always points at the centre). */
#pragma once

#include <adwaita.h>

#include "explain/browsing/sonde-explain-client.h"

G_BEGIN_DECLS

#define SONDE_TYPE_SCORES_VIEW (sonde_scores_view_get_type ())
G_DECLARE_FINAL_TYPE (SondeScoresView, sonde_scores_view, SONDE, SCORES_VIEW, AdwBin)

/* @client: (nullable): whom it asks; referenced. */
GtkWidget *sonde_scores_view_new (SondeExplainClient *client);
/* Once. */
void sonde_scores_view_set_client (SondeScoresView *view, SondeExplainClient *client);

/* The session is another: forgets the scores. */
void sonde_scores_view_reset (SondeScoresView *view);
/* As the button does; again while it runs: nothing. */
void sonde_scores_view_run (SondeScoresView *view);
gboolean sonde_scores_view_is_running (SondeScoresView *view);

/* @scores: (element-type SondeMetricScore): referenced; @classes: (array length=n): names of the
 * classes they may be of */
void sonde_scores_view_set_scores (SondeScoresView *view, GPtrArray *scores,
                                   const char *const *classes, guint n);
/* Weight of a metric in the composite, ≥ 0. */
void sonde_scores_view_set_weight (SondeScoresView *view, const char *metric, double weight);
/* Of a method by the weights as they are; NaN where it cannot be told. */
double sonde_scores_view_get_composite (SondeScoresView *view, const char *method);

G_END_DECLS
