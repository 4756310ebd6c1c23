/* SPDX-License-Identifier: Apache-2.0
 * One explained sample as the Explain page lists it: of a run's records, of an explain log. Its
 * image, and maps that lie in files, come when they are asked for. */
#pragma once

#include "explain/recorded/sonde-explained-files.h"
#include "data/records/sonde-record.h"
#include "explain/session/sonde-explain-types.h"

G_BEGIN_DECLS

#define SONDE_TYPE_EXPLAINED_SAMPLE (sonde_explained_sample_get_type ())
G_DECLARE_FINAL_TYPE (SondeExplainedSample, sonde_explained_sample, SONDE, EXPLAINED_SAMPLE,
                      GObject)

/**
 * SondeRecordedMap: one map of a sample; owned by it
 * @target_name: told from @target where it is NULL
 * @map: NULL: it lies at @path, see sonde_explained_sample_load_map_async()
 */
typedef struct
{
  char *method, *target_is, *target_name, *parameters;
  int target;
  double score;
  SondeTensor *map;
  char *path;
} SondeRecordedMap;

/* Counterfactual boxes of a sample. Owned by it. */
typedef struct
{
  SondeCounterfactual *boxes;
  char *target_name;
} SondeRecordedCounterfactual;

/**
 * sonde_explained_samples_new:
 * @records: (element-type SondeRecord): saliency and counterfactual records in file order; boxes
 * that cannot be are left out
 * @files: of their images
 *
 * Any thread. Groups by sample name; of two maps of one method and target, or boxes of one goal and
 * target, the later counts. Nothing is decoded. Returns: (transfer full) (element-type
 * SondeExplainedSample)
 */
GPtrArray *sonde_explained_samples_new (GPtrArray *records, SondeExplainedFiles *files);

/* One by its parts. @note: copied */
SondeExplainedSample *sonde_explained_sample_new (const SondeSampleNote *note);
/* @path: below @files; @encoded: (nullable): its bytes, @path is its name then */
void sonde_explained_sample_set_image (SondeExplainedSample *sample, SondeExplainedFiles *files,
                                       const char *path, GBytes *encoded);
/* Below which the maps are that lie in files. */
void sonde_explained_sample_set_map_files (SondeExplainedSample *sample,
                                           SondeExplainedFiles *files);
/* (nullable): for tests. (transfer none) */
SondeExplainedFiles *sonde_explained_sample_get_map_files (SondeExplainedSample *sample);
/* @map: copied; of two with one method and target the later counts */
void sonde_explained_sample_add_map (SondeExplainedSample *sample, const SondeRecordedMap *map);
/* @boxes: (transfer full): of two with one goal and target the later count */
void sonde_explained_sample_take_boxes (SondeExplainedSample *sample, SondeCounterfactual *boxes);
/* @evidence: (nullable) */
void sonde_explained_sample_set_category (SondeExplainedSample *sample, SondeErrorCategory category,
                                          const char *evidence);

const char *sonde_explained_sample_get_name (SondeExplainedSample *sample);
const char *
sonde_explained_sample_get_label (SondeExplainedSample *sample); /* "unknown" without one */
const char *sonde_explained_sample_get_predicted (SondeExplainedSample *sample);
/* number; < 0: unknown */
int sonde_explained_sample_get_label_class (SondeExplainedSample *sample);
int sonde_explained_sample_get_predicted_class (SondeExplainedSample *sample); /* " */
double sonde_explained_sample_get_label_probability (SondeExplainedSample *sample);
double sonde_explained_sample_get_predicted_probability (SondeExplainedSample *sample);
/* "7 → 1": true class taken for another. (transfer none) */
/* SONDE_N_CATEGORIES: none */
SondeErrorCategory sonde_explained_sample_get_category (SondeExplainedSample *sample);
const char *sonde_explained_sample_get_evidence (SondeExplainedSample *sample); /* (nullable) */
/* (nullable) (transfer none) */
SondeTensor *sonde_explained_sample_get_mask (SondeExplainedSample *sample);
/* (element-type SondeRecordedMap) (transfer none) */
GPtrArray *sonde_explained_sample_get_maps (SondeExplainedSample *sample);
/* (element-type SondeRecordedCounterfactual) (transfer none) */
GPtrArray *sonde_explained_sample_get_boxes (SondeExplainedSample *sample);

/* Main thread, as all that follows. Is there one to ask for? */
gboolean sonde_explained_sample_has_image (SondeExplainedSample *sample);
void sonde_explained_sample_load_image_async (SondeExplainedSample *sample,
                                              GCancellable *cancellable,
                                              GAsyncReadyCallback callback, gpointer data);
/* Also measures boxes whose share of the image was not known. (transfer full) */
SondeImage *sonde_explained_sample_load_image_finish (SondeExplainedSample *sample,
                                                      GAsyncResult *result, GError **error);
/* @map: one of its own that lies in a file */
void sonde_explained_sample_load_map_async (SondeExplainedSample *sample,
                                            const SondeRecordedMap *map, GCancellable *cancellable,
                                            GAsyncReadyCallback callback, gpointer data);
/* float32 [H, W] (transfer full) */
SondeTensor *sonde_explained_sample_load_map_finish (SondeExplainedSample *sample,
                                                     GAsyncResult *result, GError **error);

G_END_DECLS
