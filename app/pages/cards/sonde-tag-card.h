/* SPDX-License-Identifier: Apache-2.0
 * A card: the name of a tag, a value, one chart or list, and buttons that appear with the pointer.
 * What it shows of the tag is up to the subclass. */
#pragma once

#include "app/workspace/sonde-workspace.h"
#include "viewers/sonde-view.h"

#include <adwaita.h>

G_BEGIN_DECLS

#define SONDE_TYPE_TAG_CARD (sonde_tag_card_get_type ())
G_DECLARE_DERIVABLE_TYPE (SondeTagCard, sonde_tag_card, SONDE, TAG_CARD, GtkBox)

/* @tag_changed: required: show the new tag; NULL: nothing, and watch nothing
 * @is_settled: optional; default TRUE
 * @room_changed: optional: px that the content has, to choose the size of what is in it */
struct _SondeTagCardClass
{
  GtkBoxClass parent_class;

  void (*tag_changed) (SondeTagCard *card);
  gboolean (*is_settled) (SondeTagCard *card);
  void (*room_changed) (SondeTagCard *card, int width, int height);

  gpointer padding[4];
};

/* Signals: "expand" (const char *tag), "pin" (), "settings" (): their buttons were pressed; "tag-changed" (): it shows another tag,
 * or none. */

/* Once, in the child's init: a SondeView, which can be fitted and exported, or another widget. */
void sonde_tag_card_set_content (SondeTagCard *card, GtkWidget *content);
SondeView *sonde_tag_card_get_view (SondeTagCard *card); /* (transfer none) (nullable) */
/* The content asks for that height, px: in a grid. */
void sonde_tag_card_set_height (SondeTagCard *card, int height);
/* The content has that room, px; it asks for none. */
void sonde_tag_card_set_room (SondeTagCard *card, int width, int height);

void sonde_tag_card_set_tag (SondeTagCard *card, const char *tag); /* (nullable) */
/* In place of the tag, until there is another tag. */
void sonde_tag_card_set_title (SondeTagCard *card, const char *title);
const char *sonde_tag_card_get_tag (SondeTagCard *card);

/* What @run says about the tag: its display name becomes the title, the description the tool-tip.
 * @run: (nullable). FALSE: it says nothing. */
gboolean sonde_tag_card_take_note (SondeTagCard *card, SondeRun *run);

/* Right of the title: a short text and what the tool-tip says. (nullable) both */
void sonde_tag_card_set_value (SondeTagCard *card, const char *text, const char *tooltip);
void sonde_tag_card_set_value_visible (SondeTagCard *card, gboolean visible);
gboolean sonde_tag_card_is_settled (SondeTagCard *card);

/* Shows the buttons that pin the card and open its settings, and whether it is pinned. Default: there are none. */
void sonde_tag_card_set_pinned (SondeTagCard *card, gboolean pinned);
/* A sentence below the title, of the user. (nullable) */
void sonde_tag_card_set_note (SondeTagCard *card, const char *note);
/* Its title can be dragged, and that of another one dropped here: signal "dropped" (const char *tag). */
void sonde_tag_card_enable_drag (SondeTagCard *card);
/* What the expand button says; no button at all when it cannot. */
void sonde_tag_card_set_expanded (SondeTagCard *card, gboolean expanded);
/* A button with words in place of the one to expand: "Scalars". It emits "expand" too. */
void sonde_tag_card_set_link (SondeTagCard *card, const char *label);

G_END_DECLS
