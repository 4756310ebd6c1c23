/* SPDX-License-Identifier: Apache-2.0
 * Which class was taken for which, as a matrix of colours: up to a thousand classes. */
#pragma once

#include "viewers/paint/sonde-confusion-matrix.h"
#include "viewers/paint/sonde-theme.h"

G_BEGIN_DECLS

/**
 * SondeConfusionPlace: where the matrix is, px
 * @x, @y: of the first cell's corner, may be outside of the area; @cell: side of a cell
 * @left, @top, @width, @height: what may be drawn on; names stand left of it and above
 */
typedef struct
{
  double x, y, cell;
  double left, top, width, height;
} SondeConfusionPlace;

#define SONDE_CONFUSION_GAP 5     /* px between names and cells */
#define SONDE_CONFUSION_LEGEND 34 /* px below the matrix */
#define SONDE_CONFUSION_RIGHT 40  /* px beside it, for the share of right answers */
#define SONDE_CONFUSION_MAX_NAME 92

/* px that the longest name takes, at most SONDE_CONFUSION_MAX_NAME. */
double sonde_confusion_measure_names (const SondeConfusionMatrix *confusion);

void sonde_confusion_paint (cairo_t *cr, const SondeTheme *theme,
                            const SondeConfusionMatrix *confusion,
                            const SondeConfusionPlace *place);

G_END_DECLS
