/* SPDX-License-Identifier: Apache-2.0
 * The values of all curves of one chart at its cursor, or at two with what lies between: a table that can be sorted,
 * scrolled and copied, below the charts. */
#pragma once

#include <adwaita.h>

#include "viewers/sonde-scalar-view.h"

G_BEGIN_DECLS

#define SONDE_TYPE_VALUE_TABLE (sonde_value_table_get_type ())
G_DECLARE_FINAL_TYPE (SondeValueTable, sonde_value_table, SONDE, VALUE_TABLE, AdwBin)

/* Signals: "close" (): its button was pressed; "copied" (). */

GtkWidget *sonde_value_table_new (void);

/* Takes the curves that @view has now; what it shows later is not followed. @title: of the chart */
void sonde_value_table_take_curves (SondeValueTable *table, const char *title,
                                    SondeScalarView *view);
/* @a: SONDE_SCALAR_NO_STEP: the last step of all curves; @b: SONDE_SCALAR_NO_STEP: there is one cursor. Also when
 * points came: they are read again, at most once a frame. */
void sonde_value_table_set_steps (SondeValueTable *table, gint64 a, gint64 b);

/* As it is copied: all rows in the order on the screen, all digits, tabs between. (transfer full) */
char *sonde_value_table_dup_text (SondeValueTable *table);

G_END_DECLS
