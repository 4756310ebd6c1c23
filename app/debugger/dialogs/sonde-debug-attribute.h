/* SPDX-License-Identifier: Apache-2.0
 * The attributes of a node as a form: each that was edited is changed, in a branch of its own. */
#pragma once

#include <gtk/gtk.h>

#include "engine/frontend/sonde-debug-session.h"

G_BEGIN_DECLS

/* A popover, for the node that is looked at, else the one before which the run stands. */
GtkWidget *sonde_debug_attribute_new (SondeDebugSession *session);

G_END_DECLS
