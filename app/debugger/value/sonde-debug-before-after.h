/* SPDX-License-Identifier: Apache-2.0
 * Before and after a node: its first input that is data beside its first output, as images. */
#pragma once

#include <gtk/gtk.h>

#include "engine/frontend/sonde-debug-session.h"

G_BEGIN_DECLS

#define SONDE_TYPE_DEBUG_BEFORE_AFTER (sonde_debug_before_after_get_type ())
G_DECLARE_FINAL_TYPE (SondeDebugBeforeAfter, sonde_debug_before_after, SONDE, DEBUG_BEFORE_AFTER,
                      GtkBox)

/* @step: SONDE_DEBUG_NO_STEP: nothing */
void sonde_debug_before_after_show (SondeDebugBeforeAfter *before_after, SondeDebugSession *session,
                                    guint step);

G_END_DECLS
