/* SPDX-License-Identifier: Apache-2.0
 * A card with a line for each kind of record that a run holds, each a link to the page that shows
 * it. */
#pragma once

#include "app/widgets/sonde-page.h"

G_BEGIN_DECLS

#define SONDE_TYPE_CONTENTS_CARD (sonde_contents_card_get_type ())
G_DECLARE_FINAL_TYPE (SondeContentsCard, sonde_contents_card, SONDE, CONTENTS_CARD, GtkBox)

/* Signal "open" (const char *page, const char *tag): a line was activated; the kind's first tag. */

/* Shows @run as it is now; says so where it holds nothing yet. */
void sonde_contents_card_set_run (SondeContentsCard *card, SondeRun *run);

G_END_DECLS
