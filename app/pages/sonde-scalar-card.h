/* SPDX-License-Identifier: Apache-2.0
 * A card of the Scalars and Overview pages: the name of a tag, its chart, and buttons that appear
 * with the pointer. */
#pragma once

#include "app/pages/sonde-page.h"
#include "viewers/sonde-scalar-view.h"

G_BEGIN_DECLS

#define SONDE_TYPE_SCALAR_CARD (sonde_scalar_card_get_type ())
G_DECLARE_FINAL_TYPE (SondeScalarCard, sonde_scalar_card, SONDE, SCALAR_CARD, GtkBox)

/* Signal "expand" (const char *tag): its button was pressed. */
GtkWidget *sonde_scalar_card_new (SondeWorkspace *workspace);

/* @tag: (nullable): NULL shows nothing and watches nothing */
void sonde_scalar_card_set_tag (SondeScalarCard *card,
                                const char      *tag);
const char *sonde_scalar_card_get_tag (SondeScalarCard *card);
SondeScalarView *sonde_scalar_card_get_view (SondeScalarCard *card); /* (transfer none) */
void sonde_scalar_card_set_expanded (SondeScalarCard *card,
                                     gboolean         expanded); /* what the button says */
void sonde_scalar_card_set_can_expand (SondeScalarCard *card,
                                       gboolean         can_expand);

G_END_DECLS
