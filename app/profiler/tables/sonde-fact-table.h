/* SPDX-License-Identifier: Apache-2.0
 * A table of facts: rows of texts and numbers, sorted by any column, one row selected. Ctrl+C copies all rows
 * as they are sorted, numbers with all their digits. */
#pragma once

#include <adwaita.h>

G_BEGIN_DECLS

#define SONDE_TYPE_FACT_TABLE (sonde_fact_table_get_type ())
G_DECLARE_FINAL_TYPE (SondeFactTable, sonde_fact_table, SONDE, FACT_TABLE, AdwBin)

/* No row. */
#define SONDE_FACT_NONE (-1)

/* @title: translated when it is shown; @width: px, 0: what is left over; @is_number: at the right, and
 * sorted by number */
typedef struct
{
  const char *title;
  int width;
  gboolean is_number;
} SondeFactColumn;

/* Signals: "fact-selected" (gint64 id), SONDE_FACT_NONE for none, by the user only;
 * "fact-activated" (gint64 id): Enter or a double press. */

/* @label: for assistive tools; @columns: (array length=n) (static). (transfer floating) */
GtkWidget *sonde_fact_table_new (const char *label, const SondeFactColumn *columns, guint n);

/* Rows are put down one after the other between these two; @id: what the signals say. */
void sonde_fact_table_begin (SondeFactTable *table);
void sonde_fact_table_add_row (SondeFactTable *table, gint64 id);
/* A cell of the row added last. @text: (nullable): NULL is a dash */
void sonde_fact_table_set_text (SondeFactTable *table, guint column, const char *text);
/* @text: (transfer full): as shown; the number itself is the tool-tip, with @unit (nullable). NaN is a dash,
 * sorted below all numbers. */
void sonde_fact_table_take_number (SondeFactTable *table, guint column, double number, char *text,
                                   const char *unit);
void sonde_fact_table_end (SondeFactTable *table);

/* A column that this content cannot fill is hidden; all are shown first. */
void sonde_fact_table_show_column (SondeFactTable *table, guint column, gboolean shown);
void sonde_fact_table_sort (SondeFactTable *table, guint column, GtkSortType order);
/* SONDE_FACT_NONE: none. Scrolls there; gives no signal. */
void sonde_fact_table_select (SondeFactTable *table, gint64 id);
gint64 sonde_fact_table_get_selected (SondeFactTable *table);
/* All rows as they are sorted, with their heads; cells are separated by tabs. (transfer full) */
char *sonde_fact_table_dup_text (SondeFactTable *table);

G_END_DECLS
