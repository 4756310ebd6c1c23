/* SPDX-License-Identifier: Apache-2.0
 * A table below the image of a chart: a head, titles of columns, a line for each curve. */
#pragma once

#include "viewers/paint/sonde-theme.h"

G_BEGIN_DECLS

/* @cells: one a column. */
typedef struct
{
  SondeStroke stroke;
  char *name;
  char **cells;
} SondeSheetRow;

/**
 * SondeValueSheet:
 * @head: what it is about, above the titles; owned
 * @titles: (array length=n_columns): not owned
 * @rows: of SondeSheetRow, owned
 * @n_left_out: rows that are not here, which the last line says
 */
typedef struct
{
  char *head;
  const char *const *titles;
  guint n_columns, n_left_out;
  GArray *rows;
} SondeValueSheet;

/* @titles: static. */
SondeValueSheet *sonde_value_sheet_new (const char *head, const char *const *titles,
                                        guint n_columns);
void sonde_value_sheet_free (SondeValueSheet *sheet);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SondeValueSheet, sonde_value_sheet_free)
/* @cells: (transfer full): n_columns and a NULL */
void sonde_value_sheet_take (SondeValueSheet *sheet, const SondeStroke *stroke, const char *name,
                             char **cells);

/* Px of a sheet of so many lines for curves, with the line that says how many are left out where @left_out. */
int sonde_value_sheet_measure (guint n_rows, gboolean left_out);

/* From the left upper corner on, @width px wide; columns that have no room are left out from the right. */
void sonde_paint_value_sheet (cairo_t *cr, const SondeTheme *theme, const SondeValueSheet *sheet,
                              double x, double y, double width);

G_END_DECLS
