/* SPDX-License-Identifier: Apache-2.0
 * Changing a value while the run stands: an element, a slice, a fill, a scale, a file. */
#pragma once

#include <gtk/gtk.h>

#include "engine/frontend/sonde-debug-session.h"

G_BEGIN_DECLS

/* `set TARGET = WHAT`, then all values are looked at again. Failures are reported. */
void sonde_debug_change_set (SondeDebugSession *session, const char *target, const char *what);

/* Makes @button target the changes of the value @name (nullable), or says why there are none. */
void sonde_debug_change_update (GtkMenuButton *button, SondeDebugSession *session,
                                const char *name);

G_END_DECLS
