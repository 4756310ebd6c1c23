/* SPDX-License-Identifier: Apache-2.0
 * Plays samples through the machine's sound output: play, pause, seek, loop. One sound at a time; what it plays are
 * decoded samples, so no decoder runs here. Main thread. */
#pragma once

#include <glib-object.h>

#include "data/values/sonde-tensor.h"

G_BEGIN_DECLS

#define SONDE_TYPE_SOUND_PLAYER (sonde_sound_player_get_type ())
G_DECLARE_FINAL_TYPE (SondeSoundPlayer, sonde_sound_player, SONDE, SOUND_PLAYER, GObject)

/* Signals: "changed" (): it plays, pauses, ended, or another sound was loaded; "failed" (const char *sentence): in the
 * user's language: the output did not take the sound, which is paused then. */

/* @sink: (nullable): a GStreamer element that takes the sound, with its properties; NULL or "": the machine's output */
SondeSoundPlayer *sonde_sound_player_new (const char *sink);

/**
 * sonde_sound_player_load:
 * @samples: (nullable): [frames, channels] float32, referenced; NULL: nothing any more
 * @rate: frames a second
 *
 * In place of what was loaded, paused at its beginning. More than two channels are mixed to one; what is beyond ±1 is
 * clipped, NaN is silence.
 */
void sonde_sound_player_load (SondeSoundPlayer *player, SondeTensor *samples, double rate);
SondeTensor *
sonde_sound_player_get_samples (SondeSoundPlayer *player); /* (transfer none) (nullable) */

/* From the position on, at the end from the beginning. Errors: NOT_FOUND without GStreamer or without any output, LIMIT
 * for a rate that is none of sounds (1 Hz to 1 MHz). */
gboolean sonde_sound_player_play (SondeSoundPlayer *player, GError **error);
void sonde_sound_player_pause (SondeSoundPlayer *player);
gboolean sonde_sound_player_is_playing (SondeSoundPlayer *player);

/* Seconds from the beginning; clamped to the sound. */
void sonde_sound_player_seek (SondeSoundPlayer *player, double seconds);
double sonde_sound_player_get_position (SondeSoundPlayer *player);
/* At the end it begins again. */
void sonde_sound_player_set_loop (SondeSoundPlayer *player, gboolean loop);

G_END_DECLS
