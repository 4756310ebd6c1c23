/* SPDX-License-Identifier: Apache-2.0
 * Values of the node that is looked at: what it read, made, and what belongs to them (gradients,
 * updates, optimiser state), with statistics; the selected one below in a viewer. */
#pragma once

#include <gtk/gtk.h>

#include "engine/frontend/sonde-debug-session.h"

G_BEGIN_DECLS

#define SONDE_TYPE_DEBUG_VALUES (sonde_debug_values_get_type ())
G_DECLARE_FINAL_TYPE (SondeDebugValues, sonde_debug_values, SONDE, DEBUG_VALUES, GtkBox)

/* Follows the session's position, focus and value from now on. */
void sonde_debug_values_set_session (SondeDebugValues *values, SondeDebugSession *session);
/* Name of the value that is shown below. (nullable) */
const char *sonde_debug_values_get_selected (SondeDebugValues *values);

G_END_DECLS
