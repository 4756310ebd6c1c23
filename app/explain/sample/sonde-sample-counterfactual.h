/* SPDX-License-Identifier: Apache-2.0
 * Counterfactual regions: which parts of the image keep, remove or flip the prediction, step by
 * step, and the nearest sample that is classified correctly. What does not live here: the search. */
#pragma once

#include <adwaita.h>

#include "explain/recorded/sonde-explained-sample.h"
#include "explain/session/sonde-explain-types.h"

G_BEGIN_DECLS

#define SONDE_TYPE_SAMPLE_COUNTERFACTUAL (sonde_sample_counterfactual_get_type ())
G_DECLARE_FINAL_TYPE (SondeSampleCounterfactual, sonde_sample_counterfactual, SONDE,
                      SAMPLE_COUNTERFACTUAL, AdwBin)

/* Emits "wanted" (const char *spec, gint64 target) when the question is another. */
GtkWidget *sonde_sample_counterfactual_new (void);

/**
 * sonde_sample_counterfactual_set_sample:
 * @image: (nullable): referenced. NULL: nothing to ask about
 * @settings: (nullable): lent for the call; what numbers of a mask mean
 * @predicted, @label: classes; @label < 0: unknown, nothing can be flipped to it
 *
 * Another sample: forgets the answer. Asks nothing until sonde_sample_counterfactual_ask().
 */
void sonde_sample_counterfactual_set_sample (SondeSampleCounterfactual *self,
                                             const SondeImage *image,
                                             const SondeExplanationSettings *settings,
                                             gint64 predicted, gint64 label,
                                             const char *predicted_name, const char *label_name);
/**
 * sonde_sample_counterfactual_set_recorded:
 * @image: (nullable): referenced
 * @sample: with counterfactuals; referenced: the menu lists them, and nothing is asked
 */
void sonde_sample_counterfactual_set_recorded (SondeSampleCounterfactual *self,
                                               const SondeImage *image,
                                               SondeExplainedSample *sample);
/* Asks unless it did since the question changed. */
void sonde_sample_counterfactual_ask (SondeSampleCounterfactual *self);
void sonde_sample_counterfactual_set_result (SondeSampleCounterfactual *self,
                                             const SondeCounterfactual *result);
void sonde_sample_counterfactual_set_failed (SondeSampleCounterfactual *self, const char *why);
/* (nullable): there is none (@why, nullable, says why) */
void sonde_sample_counterfactual_set_counterexample (SondeSampleCounterfactual *self,
                                                     const SondeNeighbourSample *neighbour,
                                                     const char *label_name, const char *why);

/* Of the player. */
void sonde_sample_counterfactual_play (SondeSampleCounterfactual *self, gboolean play);

G_END_DECLS
