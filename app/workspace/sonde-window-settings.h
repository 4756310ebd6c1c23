/* SPDX-License-Identifier: Apache-2.0
 * What the window remembers: one GKeyFile below XDG_CONFIG_HOME/sonde/window.ini. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef struct _SondeWindowSettings SondeWindowSettings;

/* Read from the file; a broken one is as good as none: it only holds habits. */
SondeWindowSettings *sonde_window_settings_new (void);
void sonde_window_settings_free (SondeWindowSettings *settings);

/* (nullable): until the settings are freed */
const char *sonde_window_settings_get (SondeWindowSettings *settings, const char *group,
                                       const char *key);
/* @value: (nullable): NULL forgets */
void sonde_window_settings_set (SondeWindowSettings *settings, const char *group, const char *key,
                                const char *value);
/* Writes them if changed. Errors: SONDE_DATA_ERROR_*. */
gboolean sonde_window_settings_save (SondeWindowSettings *settings, GError **error);

/* A copy of @string that lives as long as the settings. */
const char *sonde_window_settings_keep (SondeWindowSettings *settings, const char *string);

G_END_DECLS
