/* SPDX-License-Identifier: Apache-2.0
 * Sounds of one step: a curve, what is known of each, saving, and playing where GTK can play. */
#pragma once

#include <adwaita.h>

#include "data/sound/sonde-sound-decoder.h"

G_BEGIN_DECLS

#define SONDE_TYPE_SOUND_LIST (sonde_sound_list_get_type ())
G_DECLARE_FINAL_TYPE (SondeSoundList, sonde_sound_list, SONDE, SOUND_LIST, GtkBox)

/* Signals: "state-changed" (): sonde_sound_list_is_busy() may answer otherwise;
 *   "problem" (char *sentence): a sound could not be saved. */

/* What decodes the sounds, in a process of its own; once, before the first ones are taken. */
void sonde_sound_list_set_decoder (SondeSoundList *list, SondeSoundDecoder *decoder);

/* Shows @records (element-type SondeRecord; lent; others than AUDIO are left out) in place of what
 * is there; they are decoded in a thread. */
void sonde_sound_list_take (SondeSoundList *list, GPtrArray *records);
gboolean sonde_sound_list_is_busy (SondeSoundList *list);

G_END_DECLS
