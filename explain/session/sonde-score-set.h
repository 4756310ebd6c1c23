/* SPDX-License-Identifier: Apache-2.0
 * What methods score by metrics, for one true class or all, with the weights of the composite.
 * Plain data: no widget. */
#pragma once

#include "explain/session/sonde-explain-types.h"

G_BEGIN_DECLS

#define SONDE_SCORE_RANDOM "random-map"
#define SONDE_SCORE_CENTRE "centre-map"

/**
 * SondeScoreSet:
 * @scores: (nullable) (element-type SondeMetricScore): NULL: none yet
 * @methods, @metrics: (element-type utf8): in the order in which they came; the two controls last
 * @label: the true class that is looked at; -1: all of them
 * @weights: metric → double
 */
typedef struct
{
  GPtrArray *scores, *methods, *metrics;
  gint64 label;
  GHashTable *weights;
} SondeScoreSet;

SondeScoreSet *sonde_score_set_new (void);
void sonde_score_set_free (SondeScoreSet *set);

/* @scores: (nullable): referenced. The label becomes -1; weights stay. */
void sonde_score_set_take (SondeScoreSet *set, GPtrArray *scores);
/* Of the label that is looked at; NULL: there is none. */
const SondeMetricScore *sonde_score_set_find (const SondeScoreSet *set, const char *method,
                                              const char *metric);
gboolean sonde_score_set_has_label (const SondeScoreSet *set, gint64 label);

/* 1 unless it was set. */
double sonde_score_set_get_weight (const SondeScoreSet *set, const char *metric);
void sonde_score_set_set_weight (SondeScoreSet *set, const char *metric, double weight);
/* Mean of the ratings by their weights; NaN where it cannot be told. */
double sonde_score_set_get_composite (const SondeScoreSet *set, const char *method);
/* Does the interval lie wholly on the better side of the random map's? */
gboolean sonde_score_set_beats_random (const SondeScoreSet *set, const SondeMetricScore *score);

/* A map that no method made. */
gboolean sonde_score_is_control (const char *method);
/* (transfer full) */
char *sonde_score_dup_method_title (const char *method);
/* @rises: (out): higher is better */
const char *sonde_score_set_get_metric_title (const SondeScoreSet *set, const char *metric,
                                              gboolean *rises);
/* Metrics that count, and that have a rating for some method. (transfer container) (element-type
 * utf8) */
GPtrArray *sonde_score_set_list_rated (const SondeScoreSet *set);

G_END_DECLS
