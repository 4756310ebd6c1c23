/* SPDX-License-Identifier: Apache-2.0
 * Buttons that turn a value into its difference from the step before or from another branch; at most one
 * of them is down. */
#pragma once

#include <gtk/gtk.h>

#include "engine/frontend/sonde-debug-session.h"

G_BEGIN_DECLS

#define SONDE_TYPE_DEBUG_DELTAS (sonde_debug_deltas_get_type ())
G_DECLARE_FINAL_TYPE (SondeDebugDeltas, sonde_debug_deltas, SONDE, DEBUG_DELTAS, GtkBox)

/* Signal "changed" (): another difference is wanted, or none. */

/* The session has other branches; an inference has no steps. */
void sonde_debug_deltas_update (SondeDebugDeltas *deltas, SondeDebugSession *session);
/* The expression of the wanted difference of @name with @slice, "" for all of it. (transfer full)
 * (nullable): NULL: none is wanted */
char *sonde_debug_deltas_dup_difference (SondeDebugDeltas *deltas, const char *name,
                                         const char *slice);

G_END_DECLS
