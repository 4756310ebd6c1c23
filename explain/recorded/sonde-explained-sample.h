/* SPDX-License-Identifier: Apache-2.0
 * One explained sample as the Explain page lists it: what was recorded, with its image, and maps that lie
 * in files, which come when they are asked for. */
#pragma once

#include "data/explanations/sonde-explanation-sample.h"
#include "explain/recorded/sonde-explained-files.h"

G_BEGIN_DECLS

#define SONDE_TYPE_EXPLAINED_SAMPLE (sonde_explained_sample_get_type ())
G_DECLARE_FINAL_TYPE (SondeExplainedSample, sonde_explained_sample, SONDE, EXPLAINED_SAMPLE,
                      GObject)

/* @recorded: (transfer full); @images: (nullable): below which its image is; NULL: it has none; @maps:
 * (nullable): below which its maps are that lie in files. Any thread. */
SondeExplainedSample *sonde_explained_sample_new (SondeExplanationSample *recorded,
                                                  SondeExplainedFiles *images,
                                                  SondeExplainedFiles *maps);

/* What was recorded; lives as long as the sample. */
const SondeExplanationSample *sonde_explained_sample_get_recorded (SondeExplainedSample *sample);
/* (nullable): for tests. (transfer none) */
SondeExplainedFiles *sonde_explained_sample_get_map_files (SondeExplainedSample *sample);

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
                                            const SondeAttributionMap *map,
                                            GCancellable *cancellable, GAsyncReadyCallback callback,
                                            gpointer data);
/* float32 [H, W] (transfer full) */
SondeTensor *sonde_explained_sample_load_map_finish (SondeExplainedSample *sample,
                                                     GAsyncResult *result, GError **error);

G_END_DECLS
