/* SPDX-License-Identifier: Apache-2.0
 * A small matrix of counts: true classes down, predicted ones across. A click on a cell selects it, another
 * click lets it go: property "selection" of SondeView, row × classes + column. */
#pragma once

#include "viewers/sonde-view.h"

G_BEGIN_DECLS

#define SONDE_TYPE_CONFUSION_VIEW (sonde_confusion_view_get_type ())
G_DECLARE_FINAL_TYPE (SondeConfusionView, sonde_confusion_view, SONDE, CONFUSION_VIEW, SondeView)

GtkWidget *sonde_confusion_view_new (void);

/**
 * sonde_confusion_view_set_counts:
 * @names: (array length=n): of the classes; copied
 * @counts: (array): n × n, row by row; copied
 *
 * Takes the selection away. The view asks for the height that its classes need; n = 0: nothing.
 */
void sonde_confusion_view_set_counts (SondeConfusionView *view,
                                      const char *const  *names,
                                      guint               n,
                                      const guint        *counts);

G_END_DECLS
