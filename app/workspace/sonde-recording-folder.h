/* SPDX-License-Identifier: Apache-2.0
 * Where the window keeps profiles of what has no run of its own: run folders below sonde/profiles in the user's cache. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* The newest that are kept; older ones are removed when another one is made. */
#define SONDE_RECORDING_FOLDERS 20

/* A path that is free, for what is called @title, with the present time; nothing is made there yet. (transfer full) */
char *sonde_recording_folder_choose (const char *title);
/* With all that is in it, links not followed; nothing happens outside of the cache. */
void sonde_recording_folder_remove (const char *path);

G_END_DECLS
