/* SPDX-License-Identifier: Apache-2.0
 * Samples -> WAV (RIFF). Sounds of others are read by sonde-sound-decoder.h. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/**
 * sonde_wav_make:
 * @samples: [@n_frames, @n_channels] in [-1, 1]; what lies outside is cut, NaN becomes −1
 * @n_channels: 1 to 65,535
 * @rate: frames a second, > 0
 *
 * PCM of 16 bits; @n_frames × @n_channels is below 2³⁰.
 * Returns: (transfer full): the file
 */
GBytes *sonde_wav_make (const float *samples, gsize n_frames, int n_channels, int rate);

G_END_DECLS
