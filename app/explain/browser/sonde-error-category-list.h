/* SPDX-License-Identifier: Apache-2.0
 * The error categories: how many misclassifications are in each, what it means and what to do. */
#pragma once

#include <adwaita.h>

#include "explain/session/sonde-explain-types.h"

G_BEGIN_DECLS

#define SONDE_TYPE_ERROR_CATEGORY_LIST (sonde_error_category_list_get_type ())
G_DECLARE_FINAL_TYPE (SondeErrorCategoryList, sonde_error_category_list, SONDE, ERROR_CATEGORY_LIST,
                      AdwBin)

/* Signals: "chosen" (guint category): SONDE_N_CATEGORIES: none any more. */
GtkWidget *sonde_error_category_list_new (void);

/* @counts: (array fixed-size=SONDE_N_CATEGORIES) (nullable): NULL: not categorised yet
 * @notes: (nullable) (element-type SondeMessage) */
void sonde_error_category_list_set_counts (SondeErrorCategoryList *categories, const guint *counts,
                                           GPtrArray *notes);
/* Instead of a list: why there is none, and the button that helps. @button, @action: (nullable) */
void sonde_error_category_list_set_empty (SondeErrorCategoryList *categories, const char *sentence,
                                          const char *button, const char *action);
void sonde_error_category_list_choose (SondeErrorCategoryList *categories,
                                       SondeErrorCategory category);

G_END_DECLS
