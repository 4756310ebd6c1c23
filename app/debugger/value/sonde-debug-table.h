/* SPDX-License-Identifier: Apache-2.0
 * The elements of a value as a table: the last dimension goes across, all others number the rows.
 * Only what is in sight is fetched from the engine, in blocks. A double click on an element edits
 * it. */
#pragma once

#include <gtk/gtk.h>

#include "app/debugger/sonde-debug-session.h"

G_BEGIN_DECLS

#define SONDE_TYPE_DEBUG_TABLE (sonde_debug_table_get_type ())
G_DECLARE_FINAL_TYPE (SondeDebugTable, sonde_debug_table, SONDE, DEBUG_TABLE, GtkBox)

/* Signal "edit" (char *element, char *number): the user typed @number for @element: "x[0, 3]". */

GtkWidget *sonde_debug_table_new (void);

/* @name: (nullable): NULL empties it. @shape: of the value */
void sonde_debug_table_show (SondeDebugTable *table, SondeDebugSession *session, const char *name,
                             const SondeShape *shape);

G_END_DECLS
