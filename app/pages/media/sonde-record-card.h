/* SPDX-License-Identifier: Apache-2.0
 * The card of a tag of texts, sounds or meshes: the records of the selected run at the step of the
 * cursor, or the last one before it; texts also as what differs from another step or run. */
#pragma once

#include "app/pages/cards/sonde-tag-card.h"
#include "app/pages/media/sonde-compare-bar.h"
#include "data/sound/sonde-sound-decoder.h"
#include "data/sound/sonde-sound-player.h"

G_BEGIN_DECLS

#define SONDE_TYPE_RECORD_CARD (sonde_record_card_get_type ())
G_DECLARE_FINAL_TYPE (SondeRecordCard, sonde_record_card, SONDE, RECORD_CARD, SondeTagCard)

/* Signal "state-changed" (): loading began or ended. */

/* Of texts the modes of @compare are one under the other and side by side.
 * @kind: TEXT, AUDIO or MESH; @decoder, @player, @compare: shared by the cards of a page */
GtkWidget *sonde_record_card_new (SondeWorkspace *workspace, SondeRecordKind kind,
                                  SondeSoundDecoder *decoder, SondeSoundPlayer *player,
                                  SondeCompareBar *compare);
/* Of texts: marks where @pattern occurs, now and in those that come. (nullable) */
void sonde_record_card_mark (SondeRecordCard *card, GRegex *pattern);
/* Scrolls to where that pattern occurs for the time @nth (0: the first) in the text of @tag at @step, now or as soon as
 * that is shown. @tag: (nullable): nowhere */
void sonde_record_card_reveal (SondeRecordCard *card, const char *tag, gint64 step, guint nth);
guint sonde_record_card_get_n_records (SondeRecordCard *card);
gint64 sonde_record_card_get_step (SondeRecordCard *card); /* of the records */
/* (nullable): why they could not be read */
const char *sonde_record_card_get_problem (SondeRecordCard *card);
/* (nullable): what the records are, of a mesh: "2 meshes of 8 vertices" */
const char *sonde_record_card_get_facts (SondeRecordCard *card);

G_END_DECLS
