/* SPDX-License-Identifier: Apache-2.0
 * A curve in a table of values: what it says at one step or at two, read when it is asked for the first time. */
#pragma once

#include "data/charts/sonde-difference-columns.h"

G_BEGIN_DECLS

#define SONDE_TYPE_VALUE_ROW (sonde_value_row_get_type ())
G_DECLARE_FINAL_TYPE (SondeValueRow, sonde_value_row, SONDE, VALUE_ROW, GObject)

/* Signal "changed" (): what it says is another. */

SondeValueRow *sonde_value_row_new (SondeSeries *series, const char *title, guint color_index);

SondeSeries *sonde_value_row_get_series (SondeValueRow *row); /* (transfer none) */
const char *sonde_value_row_get_title (SondeValueRow *row);
guint sonde_value_row_get_color_index (SondeValueRow *row);

/* Its points are read again. */
void sonde_value_row_set_steps (SondeValueRow *row, gint64 a, gint64 b);
/* (transfer none) (nullable): NULL: the curve has no point */
const SondeCurveDifference *sonde_value_row_get_difference (SondeValueRow *row);

G_END_DECLS
