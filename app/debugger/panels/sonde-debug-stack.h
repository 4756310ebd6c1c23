/* SPDX-License-Identifier: Apache-2.0
 * Where the run stands: the node, the scopes and loops around it, and the original nodes it stands
 * for. A click looks at that place. */
#pragma once

#include <gtk/gtk.h>

#include "engine/frontend/sonde-debug-session.h"

G_BEGIN_DECLS

#define SONDE_TYPE_DEBUG_STACK (sonde_debug_stack_get_type ())
G_DECLARE_FINAL_TYPE (SondeDebugStack, sonde_debug_stack, SONDE, DEBUG_STACK, GtkBox)

/* Follows it from now on. */
GtkWidget *sonde_debug_stack_new (SondeDebugSession *session);

G_END_DECLS
