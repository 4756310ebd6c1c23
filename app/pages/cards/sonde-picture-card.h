/* SPDX-License-Identifier: Apache-2.0
 * A card: the name of a tag, a value, one picture, and buttons that appear with the pointer. What
 * the picture shows of the tag is the child's matter. */
#pragma once

#include "app/workspace/sonde-workspace.h"
#include "viewers/sonde-view.h"

#include <adwaita.h>

G_BEGIN_DECLS

#define SONDE_TYPE_PICTURE_CARD (sonde_picture_card_get_type ())
G_DECLARE_DERIVABLE_TYPE (SondePictureCard, sonde_picture_card, SONDE, PICTURE_CARD, GtkBox)

/* @tag_changed: required: show the new tag; NULL: nothing, and watch nothing
 * @is_settled: optional; default TRUE */
struct _SondePictureCardClass
{
  GtkBoxClass parent_class;

  void (*tag_changed) (SondePictureCard *card);
  gboolean (*is_settled) (SondePictureCard *card);

  gpointer padding[4];
};

/* Signal "expand" (const char *tag): its button was pressed. */

/* Once, in the child's init. */
void sonde_picture_card_set_view (SondePictureCard *card, SondeView *view);
SondeView *sonde_picture_card_get_view (SondePictureCard *card); /* (transfer none) */

void sonde_picture_card_set_tag (SondePictureCard *card, const char *tag); /* (nullable) */
const char *sonde_picture_card_get_tag (SondePictureCard *card);

/* What @run says about the tag: its display name becomes the title, the description the tool-tip.
 * @run: (nullable) */
void sonde_picture_card_take_note (SondePictureCard *card, SondeRun *run);

/* Right of the title: a short text and what the tool-tip says. (nullable) both */
void sonde_picture_card_set_value (SondePictureCard *card, const char *text, const char *tooltip);
void sonde_picture_card_set_value_visible (SondePictureCard *card, gboolean visible);
gboolean sonde_picture_card_is_settled (SondePictureCard *card);

/* What the expand button says; no button at all when it cannot. */
void sonde_picture_card_set_expanded (SondePictureCard *card, gboolean expanded);
/* A button with words in place of the one to expand: "Scalars". It emits "expand" too. */
void sonde_picture_card_set_door (SondePictureCard *card, const char *label);
void sonde_picture_card_set_can_expand (SondePictureCard *card, gboolean can_expand);

G_END_DECLS
