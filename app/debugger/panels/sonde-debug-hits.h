/* SPDX-License-Identifier: Apache-2.0
 * Hits of watchpoints: where, which condition, threshold and actual value; previous and next. A
 * click goes there. */
#pragma once

#include <gtk/gtk.h>

#include "engine/frontend/sonde-debug-session.h"

G_BEGIN_DECLS

#define SONDE_TYPE_DEBUG_HITS (sonde_debug_hits_get_type ())
G_DECLARE_FINAL_TYPE (SondeDebugHits, sonde_debug_hits, SONDE, DEBUG_HITS, GtkBox)

/* Follows it from now on. */
GtkWidget *sonde_debug_hits_new (SondeDebugSession *session);

G_END_DECLS
