/* SPDX-License-Identifier: Apache-2.0
 * A folder that `sonde explain --output` wrote, as explained samples and as settings of the study
 * that it came from. */
#pragma once

#include "app/pages/sonde-explained-sample.h"

G_BEGIN_DECLS

/**
 * SondeExplainedFolder:
 * @settings: as far as settings.json can be read, paths absolute
 * @missing: (nullable): why there can be no study with them, as a sentence; NULL: there can
 * @samples: (element-type SondeExplainedSample): rows of predictions.tsv with their reasons, maps
 *   and boxes; with pictures where their files are still there
 * @faults: (element-type utf8): what could not be taken
 */
typedef struct
{
  SondeStudySettings *settings;
  char *missing;
  GPtrArray *samples, *faults;
} SondeExplainedFolder;

/* By how its predictions.tsv begins. */
gboolean sonde_explained_folder_is (const char *folder);

/* @program: see sonde_explained_files_new(). Any thread; neither maps nor pictures are read.
 * Errors: of predictions.tsv; LIMIT */
SondeExplainedFolder *sonde_explained_folder_read (const char *folder, const char *program,
                                                   GError **error);
void sonde_explained_folder_free (SondeExplainedFolder *folder);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SondeExplainedFolder, sonde_explained_folder_free)

G_END_DECLS
