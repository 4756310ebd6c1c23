/* SPDX-License-Identifier: Apache-2.0
 * What was opened lately: our part of the desktop's list, which file dialogs have too. */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

/* @paths: (array zero-terminated=1); those that are not there are left out */
void sonde_recent_paths_add (const char *const *paths);
/* An entry a path, latest first; @action takes an array of byte strings. */
void sonde_recent_paths_fill_menu (GMenu *menu, const char *action);

G_END_DECLS
