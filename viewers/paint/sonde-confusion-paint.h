/* SPDX-License-Identifier: Apache-2.0
 * Which class was taken for which, as a matrix of colours: up to a thousand classes. */
#pragma once

#include "data/values/sonde-confusion.h"
#include "viewers/paint/sonde-theme.h"

G_BEGIN_DECLS

/**
 * SondeConfusionMatrix:
 * @names: (array length=n): of the classes
 * @cells: of n classes; owned
 * @order: (array length=n): which class stands at each place, the same down and across
 * @share: cells show their share of the true class instead of the count
 * @largest: value of the largest cell beside the diagonal, count or share
 */
typedef struct
{
  guint n;
  char **names;
  SondeConfusion *cells;
  guint *order;
  gboolean share;
  double largest;
} SondeConfusionMatrix;

/* Count of a cell, or its share of the true class; 0 where there is none of that class. */
double sonde_confusion_get (const SondeConfusionMatrix *confusion, guint truth, guint predicted);
/* Recomputes @largest and @order: by number of the class, or those with the most
 * errors (taken for others, and others taken for them) first. */
void sonde_confusion_update (SondeConfusionMatrix *confusion, gboolean by_errors);
void sonde_confusion_clear (SondeConfusionMatrix *confusion);

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
