/* SPDX-License-Identifier: Apache-2.0
 * A card: the name of a tag, a value, one chart, and buttons that appear with the pointer. What
 * the chart shows of the tag is up to the subclass. */
#pragma once

#include "app/workspace/sonde-workspace.h"
#include "viewers/sonde-view.h"

#include <adwaita.h>

G_BEGIN_DECLS

#define SONDE_TYPE_VIEW_CARD (sonde_view_card_get_type ())
G_DECLARE_DERIVABLE_TYPE (SondeViewCard, sonde_view_card, SONDE, VIEW_CARD, GtkBox)

/* @tag_changed: required: show the new tag; NULL: nothing, and watch nothing
 * @is_settled: optional; default TRUE */
struct _SondeViewCardClass
{
  GtkBoxClass parent_class;

  void (*tag_changed) (SondeViewCard *card);
  gboolean (*is_settled) (SondeViewCard *card);

  gpointer padding[4];
};

/* Signal "expand" (const char *tag): its button was pressed. */

/* Once, in the child's init. */
void sonde_view_card_set_view (SondeViewCard *card, SondeView *view);
SondeView *sonde_view_card_get_view (SondeViewCard *card); /* (transfer none) */

void sonde_view_card_set_tag (SondeViewCard *card, const char *tag); /* (nullable) */
const char *sonde_view_card_get_tag (SondeViewCard *card);

/* What @run says about the tag: its display name becomes the title, the description the tool-tip.
 * @run: (nullable) */
void sonde_view_card_take_note (SondeViewCard *card, SondeRun *run);

/* Right of the title: a short text and what the tool-tip says. (nullable) both */
void sonde_view_card_set_value (SondeViewCard *card, const char *text, const char *tooltip);
void sonde_view_card_set_value_visible (SondeViewCard *card, gboolean visible);
gboolean sonde_view_card_is_settled (SondeViewCard *card);

/* What the expand button says; no button at all when it cannot. */
void sonde_view_card_set_expanded (SondeViewCard *card, gboolean expanded);
/* A button with words in place of the one to expand: "Scalars". It emits "expand" too. */
void sonde_view_card_set_link (SondeViewCard *card, const char *label);

G_END_DECLS
