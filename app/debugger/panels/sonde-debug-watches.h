/* SPDX-License-Identifier: Apache-2.0
 * Expressions that are shown at every stop. */
#pragma once

#include <gtk/gtk.h>

#include "engine/frontend/sonde-debug-session.h"

G_BEGIN_DECLS

#define SONDE_TYPE_DEBUG_WATCHES (sonde_debug_watches_get_type ())
G_DECLARE_FINAL_TYPE (SondeDebugWatches, sonde_debug_watches, SONDE, DEBUG_WATCHES, GtkBox)

/* Follows it from now on. */
GtkWidget *sonde_debug_watches_new (SondeDebugSession *session);

G_END_DECLS
