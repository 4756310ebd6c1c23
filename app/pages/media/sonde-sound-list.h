/* SPDX-License-Identifier: Apache-2.0
 * Sounds of one step: those of a tag, each to be seen, heard and saved. */
#pragma once

#include <adwaita.h>

#include "data/sound/sonde-sound-decoder.h"
#include "data/sound/sonde-sound-player.h"

G_BEGIN_DECLS

#define SONDE_TYPE_SOUND_LIST (sonde_sound_list_get_type ())
G_DECLARE_FINAL_TYPE (SondeSoundList, sonde_sound_list, SONDE, SOUND_LIST, GtkBox)

/* Signals: "state-changed" (): sonde_sound_list_is_busy() may answer otherwise;
 *   "problem" (char *sentence): a sound could not be saved or played. */

/* What decodes the sounds, in a process of its own, and what plays them, one at a time; once, before the first ones
 * are taken. */
void sonde_sound_list_set_up (SondeSoundList *list, SondeSoundDecoder *decoder,
                              SondeSoundPlayer *player);

/* Shows @records (element-type SondeRecord; lent; others than AUDIO are left out) in place of what
 * is there; they are decoded in a thread. */
void sonde_sound_list_take (SondeSoundList *list, GPtrArray *records);
gboolean sonde_sound_list_is_busy (SondeSoundList *list);

G_END_DECLS
