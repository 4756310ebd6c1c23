/* SPDX-License-Identifier: Apache-2.0
 * The table of a report: APIs, what costs most first, and below each the places that open. */
#pragma once

#include <gtk/gtk.h>

#include "app/pages/migration/sonde-port-item.h"

G_BEGIN_DECLS

#define SONDE_TYPE_PORT_TABLE (sonde_port_table_get_type ())
G_DECLARE_FINAL_TYPE (SondePortTable, sonde_port_table, SONDE, PORT_TABLE, GtkBox)

/* Signal "chosen" (SondePortItem): a row was selected. */
GtkWidget *sonde_port_table_new (void);

/* @scan: (nullable): nothing is shown */
void sonde_port_table_set_scan (SondePortTable *table, SondePortScan *scan);
/* Only APIs whose name, verdict or counterpart contains @text, in any case; NULL: all. */
void sonde_port_table_set_filter (SondePortTable *table, const char *text);
/* FALSE: there is no such API in the table. */
gboolean sonde_port_table_select (SondePortTable *table, const char *api);

G_END_DECLS
