/* SPDX-License-Identifier: Apache-2.0
 * Recorded explanations read in a thread: the records of a run, or a folder that `sonde explain
 * --output` wrote. */
#pragma once

#include "explain/recorded/sonde-explained-folder.h"

G_BEGIN_DECLS

/**
 * SondeExplainedReading: what was found; owned
 * @samples: (element-type SondeExplainedSample)
 * @faults: (element-type utf8): a sentence for each that cannot be shown; lives as @folder does where
 *   there is one
 * @folder: (nullable): what else stands there; NULL: records were read
 */
typedef struct
{
  GPtrArray *samples, *faults;
  SondeExplanationFolder *folder;
} SondeExplainedReading;

void sonde_explained_reading_free (SondeExplainedReading *reading);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SondeExplainedReading, sonde_explained_reading_free)

/**
 * sonde_explained_read_records_async:
 * @owner: source of the result, kept alive meanwhile
 * @records: (element-type SondeRecord): of saliency and counterfactuals, or of MindSpore's explain
 *   logs, in file order; referenced
 * @folder: of the run; @program: whose image helper decodes
 */
void sonde_explained_read_records_async (GObject *owner, GPtrArray *records, const char *folder,
                                         const char *program, GCancellable *cancellable,
                                         GAsyncReadyCallback callback);
void sonde_explained_read_folder_async (GObject *owner, const char *folder, const char *program,
                                        GCancellable *cancellable, GAsyncReadyCallback callback);
/* Errors: of sonde_explanation_folder_read(); CANCELLED. (transfer full) */
SondeExplainedReading *sonde_explained_read_finish (GAsyncResult *result, GError **error);

G_END_DECLS
