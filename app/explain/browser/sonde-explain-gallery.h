/* SPDX-License-Identifier: Apache-2.0
 * Samples as thumbnails, or as a list with the evidence: filtered by text and category, sorted, opened
 * with a click or Enter. Images come when they are in sight. */
#pragma once

#include <adwaita.h>

#include "app/explain/browser/sonde-thumbnail-loader.h"
#include "explain/browsing/sonde-sample-order.h"

G_BEGIN_DECLS

#define SONDE_TYPE_EXPLAIN_GALLERY (sonde_explain_gallery_get_type ())
G_DECLARE_FINAL_TYPE (SondeExplainGallery, sonde_explain_gallery, SONDE, EXPLAIN_GALLERY, AdwBin)

/* Signals: "opened" (SondeExplainItem *item); "shown-changed" (): more or fewer are shown. */
GtkWidget *sonde_explain_gallery_new (void);

/* (nullable) */
void sonde_explain_gallery_set_thumbnails (SondeExplainGallery *gallery,
                                           SondeThumbnailLoader *thumbnails);

/* @items: (element-type SondeExplainItem): referenced one by one. The text stays, the category
 * goes. */
void sonde_explain_gallery_set_items (SondeExplainGallery *gallery, GPtrArray *items);
/* Reasons or a second model's answers are new: sort, filter, chips again. */
void sonde_explain_gallery_refresh (SondeExplainGallery *gallery);

/* One category only; SONDE_N_CATEGORIES: all. */
void sonde_explain_gallery_set_category (SondeExplainGallery *gallery, SondeErrorCategory category);
void sonde_explain_gallery_set_order (SondeExplainGallery *gallery, SondeExplainOrder order);
void sonde_explain_gallery_set_text (SondeExplainGallery *gallery, const char *text);
/* Rows with evidence instead of thumbnails. */
void sonde_explain_gallery_set_list (SondeExplainGallery *gallery, gboolean list);
/* What stands there when there is nothing at all, and the button that helps. @button, @action:
 * (nullable) */
void sonde_explain_gallery_set_empty (SondeExplainGallery *gallery, const char *sentence,
                                      const char *button, const char *action);

guint sonde_explain_gallery_get_n_items (SondeExplainGallery *gallery);
guint sonde_explain_gallery_get_n_shown (SondeExplainGallery *gallery);
/* In the order shown. (transfer full) (nullable) */
SondeExplainItem *sonde_explain_gallery_get_shown (SondeExplainGallery *gallery, guint index);
/* The one @by places after @item in the order shown, which is selected then; NULL at the ends.
 * @place: (out) (optional): from 0, of the one returned. (transfer full) (nullable) */
SondeExplainItem *sonde_explain_gallery_step (SondeExplainGallery *gallery, SondeExplainItem *item,
                                              int by, guint *place);

G_END_DECLS
