/* SPDX-License-Identifier: Apache-2.0
 * Files of weights that a training left in a folder: NAME-NNNNNNNN.npz or .safetensors of a step, and
 * those without a number, as final.npz. */
#pragma once

#include "data/arrays/sonde-npz.h"

G_BEGIN_DECLS

#define SONDE_WEIGHT_FILES_MOST 10000 /* in a folder; more are not looked at */

/* @path: of the file; @name: of it; @step: -1: its name has none. Owned. */
typedef struct
{
  char *path, *name;
  gint64 step;
} SondeWeightFile;

/* Regular files alone, and not the NAME.state.npz that only resuming needs. Returns: (transfer full)
 * (element-type SondeWeightFile): by step, those without one last, then by name; empty when there is
 * no such folder */
GPtrArray *sonde_weight_files_list (const char *folder);

/* Errors: as sonde_npz_read() and sonde_safetensors_read(). Any thread. */
SondeNamedTensors *sonde_weight_file_read (const SondeIo *io, const char *path, GError **error);

G_END_DECLS
