/* SPDX-License-Identifier: Apache-2.0
 * The node that is looked at with what it reads from and what reads it, two levels each: marks,
 * what their values hold, curves between them. A click goes there. */
#pragma once

#include <gtk/gtk.h>

#include "app/debugger/sonde-debug-session.h"

G_BEGIN_DECLS

#define SONDE_TYPE_DEBUG_AROUND (sonde_debug_around_get_type ())
G_DECLARE_FINAL_TYPE (SondeDebugAround, sonde_debug_around, SONDE, DEBUG_AROUND, GtkWidget)

/* In a scrolled window. */
GtkWidget *sonde_debug_around_new (SondeDebugSession *session);

G_END_DECLS
