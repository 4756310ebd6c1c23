/* SPDX-License-Identifier: Apache-2.0
 * WAV (RIFF) with plain samples <-> numbers. What does not live here: compressed sound. */
#pragma once

#include "data/values/sonde-tensor.h"

G_BEGIN_DECLS

#define SONDE_WAV_MAX_CHANNELS 64

/**
 * sonde_wav_parse:
 * @data: @length bytes of the file; hostile
 * @name: for messages
 * @sample_rate: (out): frames a second, > 0
 *
 * Whole numbers of 8 (unsigned), 16, 24 and 32 bits and floats of 32 and 64 bits, little-endian;
 * the extensible form of the header, too. A data chunk that is cut off, or whose length was never
 * filled in, gives the whole frames that are there.
 * Returns: (transfer full): [frames, channels] float32, whole numbers scaled to [-1, 1).
 * Errors: SONDE_DATA_ERROR_DAMAGED with the byte offset, UNSUPPORTED for another coding.
 */
SondeTensor *sonde_wav_parse (const guint8 *data, gsize length, const char *name,
                              double *sample_rate, GError **error);

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
