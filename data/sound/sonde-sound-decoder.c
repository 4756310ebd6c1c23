/* SPDX-License-Identifier: Apache-2.0
 * What is a sound, and what the helper may say of one. */
#include "data/sound/sonde-sound-decoder.h"

#include <string.h>

#include "data/base/sonde-error.h"
#include "data/helper/sonde-helper.h"
#include "data/sound/sonde-sound-limits-private.h"

#define MAGIC_BYTES 12 /* that say what a file is */

struct _SondeSoundDecoder /* g_atomic_rc_box */
{
  SondeHelper *helper;
};

SondeSoundDecoder *
sonde_sound_decoder_new (const char *const *arguments)
{
  SondeSoundDecoder *decoder = g_atomic_rc_box_new0 (SondeSoundDecoder);

  decoder->helper = sonde_helper_new (arguments);
  return decoder;
}

SondeSoundDecoder *
sonde_sound_decoder_ref (SondeSoundDecoder *decoder)
{
  return g_atomic_rc_box_acquire (decoder);
}

static void
clear (void *data)
{
  sonde_helper_free (((SondeSoundDecoder *) data)->helper);
}

void
sonde_sound_decoder_unref (SondeSoundDecoder *decoder)
{
  if (decoder != NULL)
    g_atomic_rc_box_release_full (decoder, clear);
}

static gboolean
find_kind (const guint8 *data, gsize length, SondeSoundKind *kind)
{
  *kind = SONDE_SOUND_WAV;
  if (length >= MAGIC_BYTES && memcmp (data, "RIFF", 4) == 0 && memcmp (data + 8, "WAVE", 4) == 0)
    return TRUE;
  *kind = SONDE_SOUND_FLAC;
  if (length >= MAGIC_BYTES && memcmp (data, "fLaC", 4) == 0)
    return TRUE;
  *kind = SONDE_SOUND_OGG;
  return length >= MAGIC_BYTES && memcmp (data, "OggS", 4) == 0;
}

static gboolean
check_encoded (GBytes *encoded, const char *name, SondeSoundKind *kind, GError **error)
{
  gsize length;
  const guint8 *data = g_bytes_get_data (encoded, &length);

  if (length < MAGIC_BYTES)
    sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_DAMAGED,
                     "“%s” is no sound: it holds only %zu bytes", name, length);
  else if (!find_kind (data, length, kind))
    sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_UNSUPPORTED,
                     "“%s” is not a WAV, FLAC or Ogg sound: its first bytes match none of these "
                     "formats",
                     name);
  else if (length > SONDE_SOUND_MAX_BYTES)
    sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_LIMIT,
                     "“%s” holds %zu bytes; sounds of at most %d MiB are decoded", name, length,
                     (int) (SONDE_SOUND_MAX_BYTES >> 20));
  else
    return TRUE;
  return FALSE;
}

typedef struct
{
  SondeTensor *samples;
  gint32 rate;
} Sound;

/* @facts: frames, channels, frames a second */
static void *
make_samples (const gint32 facts[SONDE_HELPER_FACTS], guint64 length, void *data)
{
  Sound *sound = data;
  gint64 n_frames = facts[0], n_channels = facts[1];
  SondeShape shape = sonde_shape_make (2, n_frames, n_channels);

  if (n_frames < 0 || n_channels < 1 || n_channels > SONDE_SOUND_MAX_CHANNELS || facts[2] < 1
      || n_frames * n_channels > SONDE_SOUND_MAX_SAMPLES
      || length != sizeof (float) * (guint64) (n_frames * n_channels))
    return NULL;
  sound->rate = facts[2];
  sound->samples
      = sonde_tensor_try_new (SONDE_DTYPE_F32, &shape, NULL, N_ ("samples of a sound"), NULL);
  return sound->samples != NULL ? sound->samples->data : NULL;
}

SondeTensor *
sonde_sound_decoder_decode (SondeSoundDecoder *decoder, GBytes *encoded, const char *name,
                            double *sample_rate, GError **error)
{
  Sound sound = { 0 };
  SondeSoundKind kind;

  if (!check_encoded (encoded, name, &kind, error))
    return NULL;
  if (!sonde_helper_decode (decoder->helper, kind, encoded, name, make_samples, &sound, error))
    g_clear_pointer (&sound.samples, sonde_tensor_unref);
  *sample_rate = sound.rate;
  return sound.samples;
}
