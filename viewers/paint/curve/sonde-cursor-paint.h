/* SPDX-License-Identifier: Apache-2.0
 * The upright cursors of a chart: the step cursor alone, or A and B with the stretch between them. */
#pragma once

#include "viewers/paint/sonde-theme.h"

G_BEGIN_DECLS

/**
 * SondeCursors:
 * @a, @b: px; NaN: not known
 * @has_b: both have their letters, and what lies between them is tinted
 * @b_is_active: B is the one that keys move: its letter is filled
 */
typedef struct
{
  double a, b;
  gboolean has_b, b_is_active;
} SondeCursors;

/* What lies beside @area is not drawn. */
void sonde_paint_cursors (cairo_t *cr, const SondeTheme *theme, const cairo_rectangle_t *area,
                          const SondeCursors *cursors);

G_END_DECLS
