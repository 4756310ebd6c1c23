/* SPDX-License-Identifier: Apache-2.0
 * The attributes of a node as a form: what is typed differently becomes lines of the text
 * debugger. */
#pragma once

#include <gtk/gtk.h>

#include "app/debugger/sonde-debug-session.h"

G_BEGIN_DECLS

/* A popover, for the node that is looked at, else the one before which the run stands. */
GtkWidget *sonde_debug_attribute_new (SondeDebugSession *session);

G_END_DECLS
