/* SPDX-License-Identifier: Apache-2.0
 * Links from a value to the node that makes it and to those that read it: "from conv1 · used by
 * relu1". */
#pragma once

#include <gtk/gtk.h>

#include "engine/frontend/sonde-debug-session.h"

G_BEGIN_DECLS

/* Puts them into @box in place of what is there; hides it when the graph has no such value. @name:
 * (nullable). A click looks at the node. */
void sonde_debug_value_links_fill (GtkBox *box, SondeDebugSession *session, const char *name);

G_END_DECLS
