/* SPDX-License-Identifier: Apache-2.0
 * The columns of the table of runs behind the name: what the store knows of each run, and, chosen by a
 * person, its hyper-parameters and its scalars' last and best values. What runs say of themselves is read
 * only when somebody wants it. */
#pragma once

#include "app/widgets/sonde-column-choices.h"

#include <gtk/gtk.h>

G_BEGIN_DECLS

#define SONDE_TYPE_RUN_TABLE_COLUMNS (sonde_run_table_columns_get_type ())
G_DECLARE_FINAL_TYPE (SondeRunTableColumns, sonde_run_table_columns, SONDE, RUN_TABLE_COLUMNS,
                      GObject)

/* Of the table of all runs of @workspace, whose rows are SondeRuns. Signal "busy-changed" (): is_busy() may
 * answer otherwise. */
SondeRunTableColumns *sonde_run_table_columns_new (SondeWorkspace *workspace, GtkColumnView *view);

SondeColumnChoices *
sonde_run_table_columns_get_choices (SondeRunTableColumns *columns); /* (transfer none) */
/* The list of choices shall be whole: reads all runs. */
void sonde_run_table_columns_read (SondeRunTableColumns *columns);
gboolean sonde_run_table_columns_is_busy (SondeRunTableColumns *columns);
/* The workspace has changed. */
void sonde_run_table_columns_update (SondeRunTableColumns *columns);
/* The column of when runs began. (nullable): it is not shown */
GtkColumnViewColumn *sonde_run_table_columns_get_start (SondeRunTableColumns *columns);

/* For copying: the title of the column whose cell was pressed last, and what it says of @run in full; NULL:
 * none was pressed. (transfer full) (nullable) */
char *sonde_run_table_columns_dup_pressed_title (SondeRunTableColumns *columns);
char *sonde_run_table_columns_dup_pressed (SondeRunTableColumns *columns, SondeRun *run);
/* All that are shown, in their order: @head: their titles, else of @run; a tab before each. */
void sonde_run_table_columns_append_titles (SondeRunTableColumns *columns, GString *text);
void sonde_run_table_columns_append_values (SondeRunTableColumns *columns, SondeRun *run,
                                            GString *text);

G_END_DECLS
