/* SPDX-License-Identifier: Apache-2.0
 * What this pause holds in memory, by role and by value, as far as sizes are known. */
#pragma once

#include <gtk/gtk.h>

#include "engine/frontend/sonde-debug-session.h"

G_BEGIN_DECLS

#define SONDE_TYPE_DEBUG_MEMORY (sonde_debug_memory_get_type ())
G_DECLARE_FINAL_TYPE (SondeDebugMemory, sonde_debug_memory, SONDE, DEBUG_MEMORY, GtkBox)

/* Follows it from now on. */
GtkWidget *sonde_debug_memory_new (SondeDebugSession *session);

G_END_DECLS
