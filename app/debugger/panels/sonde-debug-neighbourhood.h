/* SPDX-License-Identifier: Apache-2.0
 * The node that is looked at with what it reads from and what reads it, two levels each: marks,
 * what their values hold, curves between them. A click goes there. */
#pragma once

#include <gtk/gtk.h>

#include "engine/frontend/sonde-debug-session.h"

G_BEGIN_DECLS

#define SONDE_TYPE_DEBUG_NEIGHBOURHOOD (sonde_debug_neighbourhood_get_type ())
G_DECLARE_FINAL_TYPE (SondeDebugNeighbourhood, sonde_debug_neighbourhood, SONDE,
                      DEBUG_NEIGHBOURHOOD, GtkWidget)

/* In a scrolled window. */
GtkWidget *sonde_debug_neighbourhood_new (SondeDebugSession *session);

G_END_DECLS
