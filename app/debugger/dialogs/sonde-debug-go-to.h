/* SPDX-License-Identifier: Apache-2.0
 * Ctrl+G: type a part of a node's or value's name, or an operator; Return goes there. */
#pragma once

#include <gtk/gtk.h>

#include "engine/frontend/sonde-debug-session.h"

G_BEGIN_DECLS

/* A popover. */
GtkWidget *sonde_debug_go_to_new (SondeDebugSession *session);

G_END_DECLS
