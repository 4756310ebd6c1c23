/* SPDX-License-Identifier: Apache-2.0
 * What is shown while nothing is debugged: a sentence, and buttons for what could be. */
#pragma once

#include <adwaita.h>

G_BEGIN_DECLS

#define SONDE_TYPE_DEBUG_WELCOME (sonde_debug_welcome_get_type ())
G_DECLARE_FINAL_TYPE (SondeDebugWelcome, sonde_debug_welcome, SONDE, DEBUG_WELCOME, AdwBin)

/* Signal "chosen" (char *subject, int pid): an target; @subject NULL: attach to @pid. */

void sonde_debug_welcome_say (SondeDebugWelcome *welcome, const char *icon, const char *title,
                              const char *sentence);
/* @targets: (element-type SondeDebugLaunchTarget) (nullable): NULL: none, and no buttons to attach and to open a file */
void sonde_debug_welcome_set_targets (SondeDebugWelcome *welcome, GPtrArray *targets);

G_END_DECLS
