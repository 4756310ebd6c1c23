/* SPDX-License-Identifier: Apache-2.0
 * Counterfactual boxes as records of a run, and back: those that Sonde wrote, and those of
 * MindSpore's explain logs. */
#pragma once

#include "data/records/sonde-explanation.h"
#include "explain/counterfactual/sonde-hierarchical-occlusion.h"
#include "explain/sonde-explain-run.h"
#include "explain/session/sonde-explain-types.h"

G_BEGIN_DECLS

#define SONDE_COUNTERFACTUAL_TAG "counterfactual"

/* @image: float32 [C, H, W]; sample, spec and target are the caller's to set. (transfer full) */
SondeCounterfactual *sonde_counterfactual_from_occlusion (const SondeOcclusionResult *result,
                                                          const SondeTensor *image,
                                                          const char *mask);

/* Writes boxes as a COUNTERFACTUAL record (tag "counterfactual") with the image. */
gboolean sonde_counterfactual_record (SondeSummaryWriter *writer, SondeDataset *dataset,
                                      const SondeSampleResult *prediction,
                                      const SondeCounterfactual *boxes, gint64 step,
                                      GError **error);

/* All of it but image, note, step and tag. @record: zeroed before */
void sonde_counterfactual_fill_record (const SondeCounterfactual *boxes, SondeRecord *record);
/* (transfer full): sample 0. Errors: INVALID for layers, boxes or steps that cannot be. */
SondeCounterfactual *sonde_counterfactual_from_record (const SondeRecord *record, GError **error);
/* The same of an explain log, where boxes show what suffices for @occlusion's class; no threshold,
 * no steps and no area were written.
 * @original: the class's probability, NaN unknown */
SondeCounterfactual *sonde_counterfactual_from_log (const SondeExplanationOcclusion *occlusion,
                                                    double original, GError **error);
/* Share of an image of @width × @height that the last boxes cover together; NaN without any. */
double sonde_counterfactual_measure_area (const SondeCounterfactual *boxes, int width, int height);

G_END_DECLS
