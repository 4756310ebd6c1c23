/* SPDX-License-Identifier: Apache-2.0
 * A sample with all that was recorded of it: of a run's records, of an explain log, of a folder. Files
 * are named, not read. */
#pragma once

#include "data/explanations/sonde-attribution-map.h"
#include "data/explanations/sonde-counterfactual.h"
#include "data/explanations/sonde-sample-result.h"

G_BEGIN_DECLS

/**
 * SondeExplanationSample: owned
 * @result: with names of its classes for people
 * @image: (nullable): path of its image, as written; @encoded: (nullable): its bytes, where a record
 *   holds them: @image is for messages then
 * @mask: (nullable): u8 [H, W]: the object
 * @maps: (element-type SondeAttributionMap); @counterfactuals: (element-type SondeCounterfactual)
 */
typedef struct
{
  SondeSampleResult *result;
  char *image;
  GBytes *encoded;
  SondeTensor *mask;
  GPtrArray *maps, *counterfactuals;
} SondeExplanationSample;

/* @result: (transfer full): gets names of classes, and from the probabilities a margin, where it has
 * none. (transfer full): without image, maps and counterfactuals */
SondeExplanationSample *sonde_explanation_sample_new (SondeSampleResult *result);
void sonde_explanation_sample_free (SondeExplanationSample *sample);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SondeExplanationSample, sonde_explanation_sample_free)

/* @map: (transfer full): of two by one method for one reason the later counts; where the reason is
 * "class", or none is known, of two for one class */
void sonde_explanation_sample_take_map (SondeExplanationSample *sample, SondeAttributionMap *map);
/* @counterfactual: (transfer full): of two with one goal and target the later counts */
void sonde_explanation_sample_take_counterfactual (SondeExplanationSample *sample,
                                                   SondeCounterfactual *counterfactual);

/* A class for people. (transfer full) */
char *sonde_explanation_sample_dup_class (const SondeExplanationSample *sample, gint64 class);
/* The class that one of its maps explains. (transfer full) */
char *sonde_explanation_sample_dup_target (const SondeExplanationSample *sample,
                                           const SondeAttributionMap *map);

G_END_DECLS
