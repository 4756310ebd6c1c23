/* SPDX-License-Identifier: Apache-2.0
 * What the paths are that a window was opened on. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/**
 * SondeOpenedPaths: owned
 * @runs: folders and record files for the run store; a path that is not there yet is one of them
 * @documents: models, recipes, captures, folders of explanations, and the models that stand in a
 *   folder itself
 * @traces: of profilers, known by their bytes, and folders of such; absolute. A folder is one of @runs, too:
 *   there may be records in it
 * @explained: (nullable): the first folder of explanations, absolute
 * @dump: (nullable): the first folder that msprobe dumped into, absolute; neither a run nor a document
 */
typedef struct
{
  char **runs, **documents, **traces;
  char *explained, *dump;
} SondeOpenedPaths;

/* @paths: (array zero-terminated=1). Its members are freed one by one. */
void sonde_opened_paths_init (SondeOpenedPaths *opened, const char *const *paths);

G_END_DECLS
