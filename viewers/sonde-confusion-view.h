/* SPDX-License-Identifier: Apache-2.0
 * A matrix of counts: true classes down, predicted ones across, up to SONDE_CONFUSION_MAX_CLASSES
 * of them. A click on a cell selects it, another click lets it go: property "selection" of
 * SondeView, row × classes + column. Arrows go to the next cell that counts something, Page Up and
 * Page Down through the misclassifications by their number, the largest first. */
#pragma once

#include "data/values/sonde-confusion.h"
#include "viewers/sonde-view.h"

G_BEGIN_DECLS

#define SONDE_CONFUSION_MAX_CLASSES 1000

#define SONDE_TYPE_CONFUSION_VIEW (sonde_confusion_view_get_type ())
G_DECLARE_FINAL_TYPE (SondeConfusionView, sonde_confusion_view, SONDE, CONFUSION_VIEW, SondeView)

/**
 * sonde_confusion_view_set_counts:
 * @names: of the classes; copied
 * @counts: of at most SONDE_CONFUSION_MAX_CLASSES classes; copied
 *
 * The selection stays where it has its cell still, else it goes. No class: nothing.
 */
void sonde_confusion_view_set_counts (SondeConfusionView *view, const char *const *names,
                                      const SondeConfusion *counts);

/* Cells say which share of the true class they are, instead of how many. */
void sonde_confusion_view_set_share (SondeConfusionView *view, gboolean share);
/* Classes with the most misclassifications come first; else in their own order. */
void sonde_confusion_view_set_by_errors (SondeConfusionView *view, gboolean by_errors);

/* How wide it is going to be: cells grow with it, and the height that is asked for with them; 0: that of
 * small cells. */
void sonde_confusion_view_set_width (SondeConfusionView *view, int width);

/* "“7” taken for “1”: 12 of 98, 12.2 % (95 % interval 7.2 … 20.0 %)". (transfer full) (nullable):
 * NULL for no cell */
char *sonde_confusion_view_dup_sentence (SondeConfusionView *view, gint64 cell);

G_END_DECLS
