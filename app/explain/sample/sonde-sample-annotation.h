/* SPDX-License-Identifier: Apache-2.0
 * Why the answer is wrong, with its evidence, and what the user says to that. */
#pragma once

#include <adwaita.h>

#include "data/explanations/sonde-sample-result.h"
#include "data/explanations/sonde-annotations.h"

G_BEGIN_DECLS

#define SONDE_TYPE_SAMPLE_ANNOTATION (sonde_sample_annotation_get_type ())
G_DECLARE_FINAL_TYPE (SondeSampleAnnotation, sonde_sample_annotation, SONDE, SAMPLE_ANNOTATION,
                      AdwBin)

/* @annotations: (nullable): lent, until the next call: NULL before it is freed */
void sonde_sample_annotation_set_annotations (SondeSampleAnnotation *annotation,
                                              SondeAnnotations *annotations);
/* (nullable) */
void sonde_sample_annotation_set_row (SondeSampleAnnotation *annotation,
                                      const SondeSampleResult *row);

G_END_DECLS
