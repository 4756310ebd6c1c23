/* SPDX-License-Identifier: Apache-2.0
 * The operators of two profiles side by side, in a table that can be sorted and filtered. */
#pragma once

#include <adwaita.h>

#include "data/profiles/sonde-comparison.h"

G_BEGIN_DECLS

#define SONDE_TYPE_COMPARE_TABLE (sonde_compare_table_get_type ())
G_DECLARE_FINAL_TYPE (SondeCompareTable, sonde_compare_table, SONDE, COMPARE_TABLE, AdwBin)

/* Signal: "operator-activated" (gpointer SondeComparedOperator): Enter or a double press on a row. */

GtkWidget *sonde_compare_table_new (void);

/* Those that differ come first, then by how much. @comparison: (nullable): outlives the rows */
void sonde_compare_table_set (SondeCompareTable *table, const SondeProfileComparison *comparison);

/* Only rows whose name or type contains @text, in any case; only those that differ significantly or that
 * one side lacks. */
void sonde_compare_table_set_filter (SondeCompareTable *table, const char *text,
                                     gboolean only_changed);
guint sonde_compare_table_get_n_rows (SondeCompareTable *table); /* that pass */

G_END_DECLS
