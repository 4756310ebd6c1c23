/* SPDX-License-Identifier: Apache-2.0
 * The card of a tag of images: those of the selected run at the step of the cursor, or the last one
 * before it, as tiles, alone or beside those that they are compared with. */
#pragma once

#include "app/pages/media/sonde-sample-grid.h"
#include "app/pages/cards/sonde-tag-card.h"
#include "app/pages/media/sonde-compare-bar.h"
#include "app/pages/media/sonde-levels-bar.h"
#include "data/browsing/sonde-sample-loader.h"

G_BEGIN_DECLS

#define SONDE_TYPE_IMAGES_CARD (sonde_images_card_get_type ())
G_DECLARE_FINAL_TYPE (SondeImagesCard, sonde_images_card, SONDE, IMAGES_CARD, SondeTagCard)

/* Signal "state-changed" (): loading began or ended, or the images are looked at otherwise. */

/* @decoder: shared by the cards of a page; @bar: says how the images are looked at; @compare: with what they are
 * compared; @menu: what stands first in the menus of images */
GtkWidget *sonde_images_card_new (SondeWorkspace *workspace, SondeSampleDecoder *decoder,
                                  SondeLevelsBar *bar, SondeCompareBar *compare, GMenuModel *menu);
SondeSampleGrid *sonde_images_card_get_grid (SondeImagesCard *card); /* (transfer none) */
/* As of sonde_image_levels_describe(). */
char *sonde_images_card_describe_levels (SondeImagesCard *card);

G_END_DECLS
