/* SPDX-License-Identifier: Apache-2.0
 * The weights that a training left on its way: which files, of which steps. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* @path: of a file of weights; NULL: those that the training began with, which are in no file */
typedef struct
{
  guint64 step;
  char *path;
} SondeWeightStation;

/**
 * sonde_weight_path_find:
 * @folder: of checkpoints
 * @prefix: of their names
 *
 * The beginning, each checkpoint in the order of steps, and at last final.npz where there is one.
 * Returns: (element-type SondeWeightStation) (transfer full). Errors: NOT_FOUND when there is no
 * file of weights.
 */
GArray *sonde_weight_path_find (const char *folder, const char *prefix, GError **error);

/* Leaves @most of them, first and last included, evenly spread. @most: 2 or more */
void sonde_weight_path_thin (GArray *path, guint most);

G_END_DECLS
