/* SPDX-License-Identifier: Apache-2.0
 * The text debugger in the page: the commands of `sonde debug --repl` with history and
 * completion. */
#pragma once

#include <gtk/gtk.h>

#include "engine/frontend/sonde-debug-session.h"

G_BEGIN_DECLS

#define SONDE_TYPE_DEBUG_CONSOLE (sonde_debug_console_get_type ())
G_DECLARE_FINAL_TYPE (SondeDebugConsole, sonde_debug_console, SONDE, DEBUG_CONSOLE, GtkBox)

/* Follows it from now on. */
GtkWidget *sonde_debug_console_new (SondeDebugSession *session);

G_END_DECLS
