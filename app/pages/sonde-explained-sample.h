/* SPDX-License-Identifier: Apache-2.0
 * One explained sample as the Explain page lists it, made from saliency records. */
#pragma once

#include <gdk/gdk.h>

#include "data/images/sonde-image-decoder.h"
#include "data/records/sonde-record.h"
#include "explain/study/sonde-study-types.h"

G_BEGIN_DECLS

#define SONDE_TYPE_EXPLAINED_SAMPLE (sonde_explained_sample_get_type ())
G_DECLARE_FINAL_TYPE (SondeExplainedSample, sonde_explained_sample, SONDE, EXPLAINED_SAMPLE, GObject)

/* One map of a sample. Owned by it. */
typedef struct
{
  char *method, *target_is, *target_name, *parameters;
  int target;
  double score;
  SondeTensor *map;
} SondeSampleMap;

/* Counterfactual boxes of a sample. Owned by it. */
typedef struct
{
  SondeStudyBoxes *boxes;
  char *target_name;
} SondeSampleBoxes;

/**
 * sonde_explained_samples_new:
 * @records: (element-type SondeRecord): saliency and counterfactual records in file order; boxes that cannot be are left out
 * @decoder: of their pictures; one that cannot be decoded leaves the sample without picture
 *
 * Any thread. Groups by sample name; of two maps of one method and target, or boxes of one goal and target, the later counts.
 * Returns: (transfer full) (element-type SondeExplainedSample)
 */
GPtrArray *sonde_explained_samples_new (GPtrArray         *records,
                                        SondeImageDecoder *decoder);

const char *sonde_explained_sample_get_name (SondeExplainedSample *sample);
const char *sonde_explained_sample_get_label (SondeExplainedSample *sample);     /* "unknown" without one */
const char *sonde_explained_sample_get_predicted (SondeExplainedSample *sample);
int sonde_explained_sample_get_label_class (SondeExplainedSample *sample);     /* number; < 0: unknown */
int sonde_explained_sample_get_predicted_class (SondeExplainedSample *sample); /* " */
double sonde_explained_sample_get_label_probability (SondeExplainedSample *sample);
double sonde_explained_sample_get_predicted_probability (SondeExplainedSample *sample);
/* "7 → 1": true class taken for another. (transfer none) */
const char *sonde_explained_sample_get_pair (SondeExplainedSample *sample);
const SondeImage *sonde_explained_sample_get_image (SondeExplainedSample *sample); /* (nullable) */
SondeTensor *sonde_explained_sample_get_mask (SondeExplainedSample *sample);       /* (nullable) (transfer none) */
/* (element-type SondeSampleMap) (transfer none) */
GPtrArray *sonde_explained_sample_get_maps (SondeExplainedSample *sample);
/* (element-type SondeSampleBoxes) (transfer none) */
GPtrArray *sonde_explained_sample_get_boxes (SondeExplainedSample *sample);
/* Largest magnitude over all its maps: the scale they share. */
double sonde_explained_sample_get_limit (SondeExplainedSample *sample);
/* Main thread. (transfer full) (nullable) */
GdkTexture *sonde_explained_sample_make_texture (SondeExplainedSample *sample);

G_END_DECLS
