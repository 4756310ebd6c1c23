/* SPDX-License-Identifier: Apache-2.0
 * Operators of a profile, node by node or by type, in a table that can be sorted, filtered and copied. */
#pragma once

#include <adwaita.h>

#include "app/profiler/tables/sonde-operator-list.h"

G_BEGIN_DECLS

#define SONDE_TYPE_OPERATOR_TABLE (sonde_operator_table_get_type ())
G_DECLARE_FINAL_TYPE (SondeOperatorTable, sonde_operator_table, SONDE, OPERATOR_TABLE, AdwBin)

/* Signals: "selected" (): another row, or none; "activated" (): Enter or a double press on the selected
 * row; "menu" (GtkWidget *cell, double x, double y): a secondary press on the row that is now selected;
 * "arranged" (): the rows are in the order and through the filter that were asked for last. */

/* As sonde_operator_list_new(). */
GtkWidget *sonde_operator_table_new (SondeTraceDocument *document, const GArray *types);

/* Rows whose node, type or original nodes contain @text, in any case; "" is all. */
void sonde_operator_table_set_filter (SondeOperatorTable *table, const char *text);

/* (nullable): NULL when no row is selected */
const SondeProfileOperator *sonde_operator_table_get_selected (SondeOperatorTable *table);
/* Selects @op and scrolls there; FALSE when the filter leaves it out, or does so no more in a moment. */
gboolean sonde_operator_table_select (SondeOperatorTable *table, const SondeProfileOperator *op);

guint sonde_operator_table_get_n_rows (SondeOperatorTable *table); /* that the filter leaves */

/* The rows in their order with full precision, times in ns; a head first. (transfer full) */
char *sonde_operator_table_dup_text (SondeOperatorTable *table, char separator);

GtkWidget *sonde_operator_table_get_view (SondeOperatorTable *table); /* (transfer none) */

G_END_DECLS
