/* SPDX-License-Identifier: Apache-2.0
 * The application object: style, about, quit. Each call of `sonde` is a process of its own. */
#pragma once

#include <adwaita.h>

G_BEGIN_DECLS

#define SONDE_TYPE_APPLICATION (sonde_application_get_type ())
G_DECLARE_FINAL_TYPE (SondeApplication, sonde_application, SONDE, APPLICATION, AdwApplication)

/**
 * sonde_application_new:
 * @program, @paths: for the first window; see sonde_workspace_new()
 * @debug_arguments: (nullable): opens the Debugger page on them
 */
SondeApplication *sonde_application_new (const char *program, const char *const *paths,
                                         const char *const *debug_arguments);

/* Makes resources, icons and styles of the module known; for tests too. */
void sonde_application_register_resources (void);

G_END_DECLS
