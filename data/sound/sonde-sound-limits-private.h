/* SPDX-License-Identifier: Apache-2.0
 * What both sides know of sounds; limits: docs/limits.md. */
#pragma once

#include <glib.h>

#define SONDE_SOUND_MAX_CHANNELS 64
#define SONDE_SOUND_MAX_SAMPLES ((gint64) 128 << 20) /* of all channels */
#define SONDE_SOUND_MAX_BYTES ((guint64) 256 << 20)  /* encoded */

typedef enum
{
  SONDE_SOUND_WAV,
  SONDE_SOUND_FLAC,
  SONDE_SOUND_OGG,
} SondeSoundKind;
