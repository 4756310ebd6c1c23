/* SPDX-License-Identifier: Apache-2.0
 * The cursors of the charts of a page: B, which is that of one chart or of all, and the table of values below the
 * charts, which is that of the chart where a cursor was moved last. */
#pragma once

#include "app/pages/cards/sonde-card-grid.h"
#include "app/pages/scalars/sonde-value-table.h"

G_BEGIN_DECLS

#define SONDE_TYPE_SCALAR_CURSORS (sonde_scalar_cursors_get_type ())
G_DECLARE_FINAL_TYPE (SondeScalarCursors, sonde_scalar_cursors, SONDE, SCALAR_CURSORS, GObject)

/* @grid: its cards are SondeScalarCards; @table: hidden until it is asked for; @button: shows and hides it. All three
 * outlive the cursors, which belong to their page. */
SondeScalarCursors *sonde_scalar_cursors_new (SondeWorkspace *workspace, SondeCardGrid *grid,
                                              SondeValueTable *table, GtkToggleButton *button);

/* Once a card. */
void sonde_scalar_cursors_add_card (SondeScalarCursors *cursors, SondeTagCard *card);
/* B is one for all charts. Default: no */
void sonde_scalar_cursors_set_linked (SondeScalarCursors *cursors, gboolean linked);

/* "20..80". FALSE: it is not read so. @text: (nullable) */
gboolean sonde_scalar_cursors_parse (const char *text, gint64 *a, gint64 *b);
/* A and B of the chart of the table, or of the first one. */
void sonde_scalar_cursors_compare (SondeScalarCursors *cursors, gint64 a, gint64 b);

G_END_DECLS
