/* SPDX-License-Identifier: Apache-2.0
 * Values around the current position: what the last node made and what the next one reads, with statistics; the
 * selected one as a heat map of a slice. */
#pragma once

#include <gtk/gtk.h>

#include "app/debugger/sonde-debug-controller.h"

G_BEGIN_DECLS

#define SONDE_TYPE_DEBUG_VALUES (sonde_debug_values_get_type ())
G_DECLARE_FINAL_TYPE (SondeDebugValues, sonde_debug_values, SONDE, DEBUG_VALUES, GtkBox)

void sonde_debug_values_set_controller (SondeDebugValues     *values,
                                        SondeDebugController *controller);
/* The position changed: ask for the values there. Signal "settled" () when all are there. */
void sonde_debug_values_update (SondeDebugValues *values);
gboolean sonde_debug_values_is_settled (SondeDebugValues *values);

G_END_DECLS
