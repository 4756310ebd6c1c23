/* SPDX-License-Identifier: Apache-2.0
 * Probabilities of classes as bars, one row a class. What does not live here: which classes are
 * shown. */
#pragma once

#include "viewers/paint/sonde-theme.h"

G_BEGIN_DECLS

#define SONDE_PROBABILITY_ROW 26 /* px of a row */

/**
 * SondeProbabilityRow: nothing is owned
 * @name: of the class; @tag: (nullable): small beside it: "true label"
 * @value: 0…1, NaN: not known (no bar, a dash)
 * @before: what it was, NaN: nothing to compare with
 * @strong: the class that wins; @marked: the class whose maps are shown
 */
typedef struct
{
  const char *name, *tag;
  double value, before;
  gboolean strong, marked;
} SondeProbabilityRow;

/* One row below the other; names take at most 0.45 of @width px. */
void sonde_paint_probabilities (cairo_t *cr, const SondeTheme *theme,
                                const SondeProbabilityRow *rows, guint n, double x, double y,
                                double width);

/* Px from the left where bars begin, and how wide a bar of 1 is. */
void sonde_probabilities_get_bars (const SondeProbabilityRow *rows, guint n, double width,
                                   double *begin, double *length);

/* "81.2 %", "< 0.1 %", "–" for NaN. (transfer full) */
char *sonde_probability_format (double value);

G_END_DECLS
