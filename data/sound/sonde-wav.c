/* SPDX-License-Identifier: Apache-2.0
 * Chunks by their lengths, none read beyond the end; the samples in one pass. */
#include "data/sound/sonde-wav.h"

#include <string.h>

#include "data/base/sonde-error.h"

#define RIFF_HEADER 12
#define WAV_HEADER_BYTES 44 /* of what is written */
#define CHUNK_HEADER 8
#define FORMAT_PCM 1
#define FORMAT_FLOAT 3
#define FORMAT_EXTENSIBLE 0xfffe

typedef struct
{
  guint coding, channels, bits;
  guint32 rate;
} Format;

static guint
read_16 (const guint8 *at)
{
  return at[0] | (guint) at[1] << 8;
}

static guint32
read_32 (const guint8 *at)
{
  return read_16 (at) | (guint32) read_16 (at + 2) << 16;
}

static gboolean
fail (GError **error, SondeDataError code, const char *name, gsize offset, const char *what)
{
  sonde_set_error (error, SONDE_DATA_ERROR, code, "%s: byte %zu: %-s", name, offset, what);
  return FALSE;
}

static gboolean
parse_format (const guint8 *at, gsize size, const char *name, gsize offset, Format *format,
              GError **error)
{
  if (size < 16)
    return fail (error, SONDE_DATA_ERROR_DAMAGED, name, offset,
                 N_ ("the format of the sound is cut off"));
  format->coding = read_16 (at);
  format->channels = read_16 (at + 2);
  format->rate = read_32 (at + 4);
  format->bits = read_16 (at + 14);
  if (format->coding == FORMAT_EXTENSIBLE && size >= 26)
    format->coding = read_16 (at + 24);
  if (format->channels < 1 || format->channels > SONDE_WAV_MAX_CHANNELS || format->rate == 0)
    return fail (error, SONDE_DATA_ERROR_DAMAGED, name, offset,
                 N_ ("no sound has so many channels at that rate"));
  if (!(format->coding == FORMAT_PCM && format->bits % 8 == 0 && format->bits >= 8
        && format->bits <= 32)
      && !(format->coding == FORMAT_FLOAT && (format->bits == 32 || format->bits == 64)))
    return fail (error, SONDE_DATA_ERROR_UNSUPPORTED, name, offset,
                 N_ ("the samples are compressed or of an unknown size"));
  return TRUE;
}

static float
read_sample (const guint8 *at, const Format *format)
{
  if (format->coding == FORMAT_FLOAT && format->bits == 32)
    {
      const guint32 bits = read_32 (at);
      float value;

      memcpy (&value, &bits, sizeof value);
      return value;
    }
  if (format->coding == FORMAT_FLOAT)
    {
      const guint64 bits = read_32 (at) | (guint64) read_32 (at + 4) << 32;
      double value;

      memcpy (&value, &bits, sizeof value);
      return (float) value;
    }
  switch (format->bits)
    {
    case 8:
      return (float) ((int) at[0] - 128) / 128.0f;
    case 16:
      return (float) (gint16) read_16 (at) / 32768.0f;
    case 24:
      return (float) ((gint32) (read_16 (at) << 8 | (guint32) at[2] << 24) / 256) / 8388608.0f;
    default:
      return (float) ((double) (gint32) read_32 (at) / 2147483648.0);
    }
}

static SondeTensor *
read_samples (const guint8 *at, gsize size, const Format *format, GError **error)
{
  const gsize bytes = format->bits / 8, frame = bytes * format->channels;
  const gint64 n_frames = (gint64) (size / frame);
  SondeShape shape = sonde_shape_make (2, n_frames, (gint64) format->channels);
  SondeTensor *tensor
      = sonde_tensor_try_new (SONDE_DTYPE_F32, &shape, NULL, "samples of a sound", error);
  float *samples;

  if (tensor == NULL)
    return NULL;
  samples = (float *) (void *) tensor->data;
  for (gint64 i = 0; i < n_frames * (gint64) format->channels; i++)
    samples[i] = read_sample (at + (gsize) i * bytes, format);
  return tensor;
}

SondeTensor *
sonde_wav_parse (const guint8 *data, gsize length, const char *name, double *sample_rate,
                 GError **error)
{
  Format format = { 0 };
  gsize offset = RIFF_HEADER;

  if (length < RIFF_HEADER || memcmp (data, "RIFF", 4) != 0 || memcmp (data + 8, "WAVE", 4) != 0)
    {
      fail (error, SONDE_DATA_ERROR_DAMAGED, name, 0, N_ ("this is no WAV file"));
      return NULL;
    }
  while (length - offset >= CHUNK_HEADER)
    {
      const guint8 *at = data + offset + CHUNK_HEADER;
      gsize room = length - offset - CHUNK_HEADER, size = MIN (read_32 (data + offset + 4), room);

      if (memcmp (data + offset, "fmt ", 4) == 0
          && !parse_format (at, size, name, offset, &format, error))
        return NULL;
      if (memcmp (data + offset, "data", 4) == 0)
        {
          if (format.channels == 0)
            break;
          *sample_rate = format.rate;
          return read_samples (at, size, &format, error);
        }
      /* Chunks begin at even places. */
      offset += CHUNK_HEADER + MIN (size + (size & 1), room);
    }
  fail (error, SONDE_DATA_ERROR_DAMAGED, name, offset, N_ ("there are no samples behind a format"));
  return NULL;
}

/* ---- writing ------------------------------------------------------------- */

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
