/* SPDX-License-Identifier: Apache-2.0
 * Names of nodes and values for an entry, as they are typed. */
#pragma once

#include <gtk/gtk.h>

#include "engine/frontend/sonde-debug-session.h"

G_BEGIN_DECLS

/* Those that the session knows now. */
void sonde_debug_complete_names (GtkWidget *entry, SondeDebugSession *session);

G_END_DECLS
