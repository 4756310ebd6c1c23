/* SPDX-License-Identifier: Apache-2.0
 * A confusion matrix as it is shown: names, an order of the classes, counts or shares. */
#pragma once

#include "data/values/sonde-confusion.h"

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

/* As a text of rows with the names of the true classes first and those of the predicted ones above, in
 * the order shown. @separator: '\t' or ',' (RFC 4180). (transfer full) */
char *sonde_confusion_dup_table (const SondeConfusionMatrix *confusion, char separator);

G_END_DECLS
