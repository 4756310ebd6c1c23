/* SPDX-License-Identifier: Apache-2.0
 * The preferences: what holds for all windows and folders. What is changed holds at once. */
#pragma once

#include <adwaita.h>

#include "app/workspace/sonde-workspace.h"

G_BEGIN_DECLS

#define SONDE_TYPE_PREFERENCES (sonde_preferences_get_type ())
G_DECLARE_FINAL_TYPE (SondePreferences, sonde_preferences, SONDE, PREFERENCES, AdwPreferencesWindow)

/* @parent: over which it stands, and whose action "win.appearance" it uses */
GtkWidget *sonde_preferences_new (GtkWindow *parent, SondeWorkspace *workspace);

G_END_DECLS
