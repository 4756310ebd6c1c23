/* SPDX-License-Identifier: Apache-2.0
 * One value of the session: as an image (heat map, tiles of feature maps), table, histogram,
 * statistics, and its node's input beside its output; links to who made it and who reads it. Only
 * what is shown is fetched. */
#pragma once

#include <gtk/gtk.h>

#include "engine/frontend/sonde-debug-session.h"

G_BEGIN_DECLS

#define SONDE_TYPE_DEBUG_VIEWER (sonde_debug_viewer_get_type ())
G_DECLARE_FINAL_TYPE (SondeDebugViewer, sonde_debug_viewer, SONDE, DEBUG_VIEWER, GtkBox)

void sonde_debug_viewer_set_session (SondeDebugViewer *viewer, SondeDebugSession *session);

/**
 * sonde_debug_viewer_show:
 * @name: (nullable): NULL: nothing
 * @facts: (nullable): dtype, shape and statistics of all of it, if they are known already
 *
 * The slice of a value that is shown again stays.
 */
void sonde_debug_viewer_show (SondeDebugViewer *viewer, const char *name,
                              const SondeSessionReply *facts);

G_END_DECLS
