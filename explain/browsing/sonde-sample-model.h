/* SPDX-License-Identifier: Apache-2.0
 * The sample that is shown, of a session or of a run's records, and what is asked about it. Answers
 * come as signals, and only while their sample is the current one. What does not live here: widgets. */
#pragma once

#include "explain/browsing/sonde-explain-client.h"
#include "explain/recorded/sonde-explained-sample.h"

G_BEGIN_DECLS

#define SONDE_TYPE_SAMPLE_MODEL (sonde_sample_model_get_type ())
G_DECLARE_FINAL_TYPE (SondeSampleModel, sonde_sample_model, SONDE, SAMPLE_MODEL, GObject)

/**
 * sonde_sample_model_new:
 * @client: (nullable): without one only recorded samples can be asked about; referenced
 *
 * Property "busy" (boolean, notified): something was asked for and has not come.
 *
 * Signals; what they carry is lent, texts are for people:
 * - "image" (SondeImage *image, const SondeBox *box): box NULL or of width 0: there is none
 * - "image-failed" (const char *text)
 * - "probabilities" (SondeSampleResult *prediction, gboolean first): first: none were known
 * - "map" (SondeAttributionMap *map); "map-failed" (const char *spec, gint64 target, const char *text)
 * - "rating" (const char *spec, gint64 target, SondeMapRating *rating);
 *   "rating-failed" (const char *spec, gint64 target, const char *text)
 * - "counterfactual" (SondeCounterfactual *counterfactual); "counterfactual-failed" (const char *text)
 * - "neighbours" (GPtrArray *neighbours); "neighbours-failed" (const char *text)
 * - "edited" (SondeSampleResult *prediction, const char *text): one of them is NULL
 * - "edited-map", "edited-map-failed": as "map" and "map-failed"
 */
SondeSampleModel *sonde_sample_model_new (SondeExplainClient *client);
void sonde_sample_model_set_client (SondeSampleModel *model, SondeExplainClient *client);

/* @row: (nullable): none; copied. FALSE: the same sample with more known about it; what was asked
 * goes on. TRUE: another one; what was asked is cancelled. */
gboolean sonde_sample_model_set_row (SondeSampleModel *model, const SondeSampleResult *row);
/* @sample: (nullable): none; referenced. What was asked is cancelled. */
void sonde_sample_model_set_recorded (SondeSampleModel *model, SondeExplainedSample *sample);

/* (nullable): of a session; with probabilities once they came */
const SondeSampleResult *sonde_sample_model_get_row (SondeSampleModel *model);
SondeExplainedSample *sonde_sample_model_get_recorded (SondeSampleModel *model); /* (nullable) */
SondeImage *sonde_sample_model_get_image (SondeSampleModel *model); /* (nullable): not there yet */
const SondeExplainInfo *sonde_sample_model_get_info (SondeSampleModel *model); /* (nullable) */
/* (nullable) */
const SondeExplanationSettings *sonde_sample_model_get_settings (SondeSampleModel *model);
/* Name, or “unknown”. */
const char *sonde_sample_model_get_class (SondeSampleModel *model, gint64 class);
gboolean sonde_sample_model_is_busy (SondeSampleModel *model);

/* Nothing is asked where nothing can answer: a recorded sample, a session that was closed. */
void sonde_sample_model_request_image (SondeSampleModel *model);
void sonde_sample_model_request_probabilities (SondeSampleModel *model);
void sonde_sample_model_request_map (SondeSampleModel *model, const char *spec, gint64 target);
void sonde_sample_model_request_rating (SondeSampleModel *model, const char *spec, gint64 target);
void sonde_sample_model_request_counterfactual (SondeSampleModel *model, const char *spec,
                                                gint64 target);
/* Once a sample; FALSE: it was done before. */
gboolean sonde_sample_model_request_neighbours (SondeSampleModel *model);
/* @image: lent for the call */
void sonde_sample_model_request_edited (SondeSampleModel *model, const SondeImage *image);
void sonde_sample_model_request_edited_map (SondeSampleModel *model, const SondeImage *image,
                                            const char *spec, gint64 target);

G_END_DECLS
