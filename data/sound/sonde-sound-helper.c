/* SPDX-License-Identifier: Apache-2.0
 * The helper's side: libsndfile, loaded by the helper alone, so that no other process pays for it and
 * its codecs; it reads from memory, and only the formats that were asked for. */
#include <dlfcn.h>
#include <sndfile.h>
#include <string.h>

#include "data/base/sonde-error.h"
#include "data/sound/sonde-sound-decoder.h"
#include "data/sound/sonde-sound-helper-private.h"
#include "data/sound/sonde-sound-limits-private.h"

#define LIBRARY "libsndfile.so.1"
#define FIRST_FRAMES 65536 /* room that is taken before any are read */

/* Functions of the library; their types are those of its header. NULL before it is loaded. */
static struct
{
  __typeof__ (sf_open_virtual) *open_virtual;
  __typeof__ (sf_close) *close;
  __typeof__ (sf_error) *error;
  __typeof__ (sf_error_number) *error_number;
  __typeof__ (sf_readf_float) *readf_float;
} sndfile;

void
sonde_sound_load_library (void)
{
  void *library = dlopen (LIBRARY, RTLD_NOW | RTLD_LOCAL);

  if (library == NULL)
    return;
  sndfile.open_virtual = dlsym (library, "sf_open_virtual");
  sndfile.close = dlsym (library, "sf_close");
  sndfile.error = dlsym (library, "sf_error");
  sndfile.error_number = dlsym (library, "sf_error_number");
  sndfile.readf_float = dlsym (library, "sf_readf_float");
}

/* ---- a file in memory ---------------------------------------------------- */

typedef struct
{
  const guint8 *data;
  sf_count_t length, at;
} Memory;

static sf_count_t
memory_length (void *user_data)
{
  return ((Memory *) user_data)->length;
}

static sf_count_t
memory_seek (sf_count_t offset, int whence, void *user_data)
{
  Memory *memory = user_data;
  sf_count_t from = whence == SEEK_SET ? 0 : whence == SEEK_CUR ? memory->at : memory->length, at;

  if (__builtin_add_overflow (from, offset, &at) || at < 0)
    return -1;
  memory->at = MIN (at, memory->length);
  return memory->at;
}

static sf_count_t
memory_read (void *to, sf_count_t count, void *user_data)
{
  Memory *memory = user_data;
  sf_count_t n = CLAMP (count, 0, memory->length - memory->at);

  memcpy (to, memory->data + memory->at, (gsize) n);
  memory->at += n;
  return n;
}

static sf_count_t
memory_write (const void *from, sf_count_t count, void *user_data)
{
  return 0;
}

static sf_count_t
memory_tell (void *user_data)
{
  return ((Memory *) user_data)->at;
}

/* ---- decoding ------------------------------------------------------------ */

/* Numbers above those of the header are the library's own. */
static gboolean
fail_to_open (GError **error)
{
  int number = sndfile.error (NULL);
  gboolean unknown = number == SF_ERR_UNRECOGNISED_FORMAT || number == SF_ERR_UNSUPPORTED_ENCODING;

  sonde_set_error (error, SONDE_DATA_ERROR,
                   unknown ? SONDE_DATA_ERROR_UNSUPPORTED : SONDE_DATA_ERROR_DAMAGED,
                   "the sound cannot be decoded (libsndfile: %s)", sndfile.error_number (number));
  return FALSE;
}

/* What was opened is what the caller has seen, and within the limits. */
static gboolean
check (const SF_INFO *info, guint32 kind, GError **error)
{
  int type = info->format & SF_FORMAT_TYPEMASK;
  gboolean expected = kind == SONDE_SOUND_WAV    ? type == SF_FORMAT_WAV || type == SF_FORMAT_WAVEX
                      : kind == SONDE_SOUND_FLAC ? type == SF_FORMAT_FLAC
                                                 : type == SF_FORMAT_OGG;

  if (!expected)
    sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_UNSUPPORTED,
                     "the sound is another one than its first bytes say");
  else if (info->channels < 1 || info->samplerate < 1)
    sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_DAMAGED,
                     "no sound has %d channels at %d Hz", info->channels, info->samplerate);
  else if (info->channels > SONDE_SOUND_MAX_CHANNELS)
    sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_LIMIT,
                     "the sound has %d channels; at most %d are decoded", info->channels,
                     SONDE_SOUND_MAX_CHANNELS);
  else
    return TRUE;
  return FALSE;
}

/* All frames that are there, whatever the header says: memory grows with what is read, and is taken
 * for one frame more than there may be. (transfer full) (nullable) */
static float *
read_frames (SNDFILE *file, int n_channels, sf_count_t *n_frames, GError **error)
{
  const sf_count_t most = SONDE_SOUND_MAX_SAMPLES / n_channels;
  sf_count_t room = 0, n = 0, got;
  g_autofree float *samples = NULL;

  while (n == room && n <= most)
    {
      float *more;

      room = MIN (MAX (2 * room, FIRST_FRAMES), most + 1);
      more = g_try_renew (float, samples, (gsize) (room * n_channels));
      if (more == NULL)
        {
          n = most + 1;
          break;
        }
      samples = more;
      got = sndfile.readf_float (file, samples + n * n_channels, room - n);
      n += MAX (got, 0);
    }
  *n_frames = n;
  if (n <= most)
    return g_steal_pointer (&samples);
  sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_LIMIT,
                   "the sound has more than %d million samples",
                   (int) (SONDE_SOUND_MAX_SAMPLES / 1000000));
  return NULL;
}

gboolean
sonde_sound_decode (guint32 kind, const guint8 *data, gsize length, SondeHelperResult *result,
                    GError **error)
{
  SF_VIRTUAL_IO io = { memory_length, memory_seek, memory_read, memory_write, memory_tell };
  Memory memory = { data, (sf_count_t) length, 0 };
  SF_INFO info = { 0 };
  SNDFILE *file;
  sf_count_t n_frames = 0;

  if (sndfile.open_virtual == NULL || sndfile.close == NULL || sndfile.error == NULL
      || sndfile.error_number == NULL || sndfile.readf_float == NULL)
    {
      sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_NOT_FOUND,
                       "libsndfile cannot be loaded; install the Debian package libsndfile1");
      return FALSE;
    }
  file = sndfile.open_virtual (&io, SFM_READ, &info, &memory);
  if (file == NULL)
    return fail_to_open (error);
  if (check (&info, kind, error))
    result->owner = read_frames (file, info.channels, &n_frames, error);
  sndfile.close (file);
  result->payload = result->owner;
  result->release = g_free;
  result->length = sizeof (float) * (gsize) (n_frames * info.channels);
  result->facts[0] = (gint32) n_frames;
  result->facts[1] = info.channels;
  result->facts[2] = info.samplerate;
  return result->owner != NULL;
}

int
sonde_sound_helper_run (int fd)
{
  const SondeHelperCodec codec
      = { SONDE_SOUND_MAX_BYTES, 0, sonde_sound_load_library, sonde_sound_decode };

  return sonde_helper_run (fd, &codec);
}
