/* SPDX-License-Identifier: Apache-2.0 */
#include "data/sound/sonde-wav.h"

#include <string.h>

#define WAV_HEADER_BYTES 44

static void
put_le (guint8 *at, guint32 value, guint n)
{
  for (guint i = 0; i < n; i++)
    at[i] = (guint8) (value >> 8 * i);
}

/* Source: Microsoft, "Multimedia Programming Interface and Data Specifications 1.0": RIFF, fmt,
 * data; PCM 16 bit. */
GBytes *
sonde_wav_make (const float *samples, gsize n_frames, int n_channels, int rate)
{
  const gsize n = n_frames * (gsize) n_channels, bytes = 2 * n;
  guint8 *wav = g_malloc (WAV_HEADER_BYTES + bytes);

  memcpy (wav, "RIFF....WAVEfmt ", 16);
  put_le (wav + 4, (guint32) (WAV_HEADER_BYTES - 8 + bytes), 4);
  put_le (wav + 16, 16, 4);
  put_le (wav + 20, 1, 2);
  put_le (wav + 22, (guint32) n_channels, 2);
  put_le (wav + 24, (guint32) rate, 4);
  put_le (wav + 28, (guint32) rate * (guint32) n_channels * 2, 4);
  put_le (wav + 32, (guint32) n_channels * 2, 2);
  put_le (wav + 34, 16, 2);
  memcpy (wav + 36, "data", 4);
  put_le (wav + 40, (guint32) bytes, 4);
  for (gsize i = 0; i < n; i++)
    {
      float x = samples[i] * 32767;

      x = x > -32768 ? x : -32768; /* also NaN */
      put_le (wav + WAV_HEADER_BYTES + 2 * i, (guint32) (gint32) (x < 32767 ? x : 32767), 2);
    }
  return g_bytes_new_take (wav, WAV_HEADER_BYTES + bytes);
}
