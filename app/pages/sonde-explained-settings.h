/* SPDX-License-Identifier: Apache-2.0
 * The settings.json that `sonde explain --output` writes, as settings of a study. */
#pragma once

#include "explain/study/sonde-study-types.h"

G_BEGIN_DECLS

/**
 * sonde_explained_settings_read:
 * @folder: in which settings.json lies
 * @target: (out) (transfer full) (nullable): the one class for which maps were asked by name
 * @missing: (out) (transfer full) (nullable): a sentence on what a study with these settings has
 * not any more; NULL: nothing
 *
 * Relative paths are resolved from where the command ran. Any thread. Never fails: what cannot be
 * read is in @missing, and the settings are empty. Returns: (transfer full)
 */
SondeStudySettings *sonde_explained_settings_read (const char *folder, char **target,
                                                   char **missing);

/* The folder that names of samples are relative to. (transfer full) (nullable): the data are no
 * folder and no list of files, or are not there */
char *sonde_explained_settings_find_pictures (const SondeStudySettings *settings);

G_END_DECLS
