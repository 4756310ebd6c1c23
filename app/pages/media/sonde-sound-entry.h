/* SPDX-License-Identifier: Apache-2.0
 * One sound: its curve, what is known of it, playing and saving. */
#pragma once

#include <adwaita.h>

#include "data/sound/sonde-sound-player.h"

G_BEGIN_DECLS

/**
 * SondeSound: owned
 * @encoded: as recorded
 * @title: "word · 2"; @type: MIME; @label: (nullable)
 * @alone: at its step
 * @rate, @n_frames, @n_channels: 0 where they are not known
 * @samples: (nullable): [frames, channels] float32; else @problem says why
 */
typedef struct
{
  GBytes *encoded;
  char *title, *type, *label;
  gboolean alone;
  double rate;
  gint64 n_frames;
  int n_channels;
  SondeTensor *samples;
  char *problem;
} SondeSound;

void sonde_sound_free (void *sound); /* (nullable) */

#define SONDE_TYPE_SOUND_ENTRY (sonde_sound_entry_get_type ())
G_DECLARE_FINAL_TYPE (SondeSoundEntry, sonde_sound_entry, SONDE, SOUND_ENTRY, GtkBox)

/* Signal "problem" (char *sentence): it could not be saved or played. */

/* @sound: (transfer full); @player: shared by all sounds of a page: what it begins ends what another one plays */
GtkWidget *sonde_sound_entry_new (SondeSound *sound, SondeSoundPlayer *player);

G_END_DECLS
