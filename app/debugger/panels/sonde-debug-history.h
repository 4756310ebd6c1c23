/* SPDX-License-Identifier: Apache-2.0
 * The stops of this session, newest first; a click goes back there where that is possible. */
#pragma once

#include <gtk/gtk.h>

#include "engine/frontend/sonde-debug-session.h"

G_BEGIN_DECLS

#define SONDE_TYPE_DEBUG_HISTORY (sonde_debug_history_get_type ())
G_DECLARE_FINAL_TYPE (SondeDebugHistory, sonde_debug_history, SONDE, DEBUG_HISTORY, GtkBox)

/* Follows it from now on. */
GtkWidget *sonde_debug_history_new (SondeDebugSession *session);

G_END_DECLS
