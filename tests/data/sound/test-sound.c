/* SPDX-License-Identifier: Apache-2.0
 * Sounds through the helper process: WAV files made byte by byte in every coding, FLAC and Ogg, every
 * length they can be cut to, limits, helpers that lie or are not there. */
#include <math.h>
#include <sndfile.h>
#include <stdlib.h>
#include <string.h>

#include "data/base/sonde-error.h"
#include "data/sound/sonde-sound-decoder.h"
#include "data/sound/sonde-wav.h"

#define N 6 /* frames of two channels */

static const double values[2 * N]
    = { 0, -1, 0.5, -0.5, 0.25, 0.75, -0.125, 0.125, 0.5, 0, -0.25, -0.75 };

static SondeSoundDecoder *
new_decoder (void)
{
  return sonde_sound_decoder_new ((const char *const[]){ SONDE_TEST_SOUND_HELPER, NULL });
}

static SondeTensor *
decode (SondeSoundDecoder *decoder, const void *data, gsize length, double *rate, GError **error)
{
  g_autoptr (GBytes) bytes = g_bytes_new (data, length);

  return sonde_sound_decoder_decode (decoder, bytes, "test", rate, error);
}

static void
put (GByteArray *out, guint64 value, int n)
{
  for (int i = 0; i < n; i++)
    g_byte_array_append (out, &(guint8){ (guint8) (value >> 8 * i) }, 1);
}

static void
put_sample (GByteArray *out, double value, guint coding, int bits)
{
  guint64 raw = 0;
  float single = (float) value;

  if (coding == 3 && bits == 32)
    memcpy (&raw, &single, sizeof single);
  else if (coding == 3)
    memcpy (&raw, &value, sizeof value);
  else if (bits == 8)
    raw = (guint64) (value * 128 + 128);
  else
    raw = (guint64) (gint64) (value * exp2 (bits - 1));
  put (out, raw, bits / 8);
}

static GByteArray *
make_wav (guint coding, int bits, gboolean extended)
{
  GByteArray *out = g_byte_array_new ();
  const guint frame = 2 * (guint) bits / 8;

  g_byte_array_append (out, (const guint8 *) "RIFF", 4);
  put (out, 0xffffffff, 4);
  g_byte_array_append (out, (const guint8 *) "WAVEjunk\3\0\0\0abc\0fmt ", 20);
  put (out, extended ? 40 : 16, 4);
  put (out, extended ? 0xfffe : coding, 2);
  put (out, 2, 2);
  put (out, 8000, 4);
  put (out, 8000 * frame, 4);
  put (out, frame, 2);
  put (out, (guint64) bits, 2);
  if (extended)
    {
      put (out, 22, 2);
      put (out, (guint64) bits, 2);
      put (out, 3, 4);
      put (out, coding, 2);
      g_byte_array_append (out, (const guint8 *) "\0\0\0\0\x10\0\x80\0\0\xaa\0\x38\x9b\x71", 14);
    }
  g_byte_array_append (out, (const guint8 *) "data", 4);
  put (out, N * frame, 4);
  for (int i = 0; i < 2 * N; i++)
    put_sample (out, values[i], coding, bits);
  return out;
}

static void
test_codings (void)
{
  g_autoptr (SondeSoundDecoder) decoder = new_decoder ();
  static const struct
  {
    guint coding;
    int bits;
  } table[] = { { 1, 8 }, { 1, 16 }, { 1, 24 }, { 1, 32 }, { 3, 32 }, { 3, 64 } };

  for (gsize k = 0; k < 2 * G_N_ELEMENTS (table); k++)
    {
      g_autoptr (GByteArray) wav = make_wav (table[k / 2].coding, table[k / 2].bits, k % 2 == 1);
      g_autoptr (GError) error = NULL;
      g_autoptr (SondeTensor) tensor = NULL;
      double rate = 0;

      tensor = decode (decoder, wav->data, wav->len, &rate, &error);
      g_assert_no_error (error);
      g_assert_cmpfloat (rate, ==, 8000);
      g_assert_cmpint (tensor->shape.dims[0], ==, N);
      g_assert_cmpint (tensor->shape.dims[1], ==, 2);
      for (int i = 0; i < 2 * N; i++)
        g_assert_cmpfloat (sonde_tensor_get_double (tensor, i), ==, values[i]);
    }
}

/* Whole frames of what is there, or an error; never a byte beyond. */
static void
test_cut (void)
{
  g_autoptr (SondeSoundDecoder) decoder = new_decoder ();
  g_autoptr (GByteArray) wav = make_wav (1, 16, FALSE);

  for (gsize length = 0; length <= wav->len; length++)
    {
      g_autofree guint8 *exact = g_memdup2 (wav->data, length);
      g_autoptr (GError) error = NULL;
      double rate;
      g_autoptr (SondeTensor) tensor = decode (decoder, exact, length, &rate, &error);
      gsize head = wav->len - N * 4;

      if (length >= head)
        g_assert_cmpint (tensor->shape.dims[0], ==, (gint64) ((length - head) / 4));
      else if (tensor != NULL) /* inside the length of the samples: there are none */
        g_assert_true (length + 4 > head && tensor->shape.dims[0] == 0);
      else
        g_assert_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_DAMAGED);
    }
}

static void
assert_refused (SondeSoundDecoder *decoder, const void *data, gsize length, int code)
{
  g_autoptr (GError) error = NULL;
  double rate;

  g_assert_null (decode (decoder, data, length, &rate, &error));
  g_test_message ("%s", error->message);
  g_assert_error (error, SONDE_DATA_ERROR, code);
  g_assert_nonnull (strstr (error->message, "test"));
}

/* Lies in the header of a WAV file. */
static void
test_refused (void)
{
  static const struct
  {
    gsize at;
    guint8 value;
    int code;
  } rows[] = {
    { 32, 2, SONDE_DATA_ERROR_DAMAGED },    /* ADPCM has 4 bits */
    { 32, 0x55, SONDE_DATA_ERROR_DAMAGED }, /* MP3 needs more than that */
    { 33, 0x12, SONDE_DATA_ERROR_DAMAGED }, /* a coding that nobody knows */
    { 34, 0, SONDE_DATA_ERROR_DAMAGED },    /* no channel */
    { 34, 65, SONDE_DATA_ERROR_LIMIT },
    { 35, 0x80, SONDE_DATA_ERROR_DAMAGED }, /* 32,770 channels */
  };
  g_autoptr (SondeSoundDecoder) decoder = new_decoder ();

  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autoptr (GByteArray) wav = make_wav (1, 16, FALSE);

      wav->data[rows[i].at] = rows[i].value;
      assert_refused (decoder, wav->data, wav->len, rows[i].code);
    }
}

/* Other formats are refused before a helper is started. */
static void
test_unsupported (void)
{
  g_autoptr (SondeSoundDecoder) decoder
      = sonde_sound_decoder_new ((const char *const[]){ "/none", NULL });

  assert_refused (decoder, "", 0, SONDE_DATA_ERROR_DAMAGED);
  assert_refused (decoder, "RIFF\x10\0\0\0WAV", 11, SONDE_DATA_ERROR_DAMAGED);
  assert_refused (decoder, "RIFF\x10\0\0\0WEBPVP8 ", 16, SONDE_DATA_ERROR_UNSUPPORTED);
  assert_refused (decoder, "ID3\4\0\0\0\0\0\0\0\0\0\0", 14, SONDE_DATA_ERROR_UNSUPPORTED);
  assert_refused (decoder,
                  "FORM\0\0\0\x10"
                  "AIFFCOMM",
                  16, SONDE_DATA_ERROR_UNSUPPORTED);
  assert_refused (decoder, "Creative Voice File\x1a", 20, SONDE_DATA_ERROR_UNSUPPORTED);
}

/* ---- FLAC and Ogg -------------------------------------------------------- */

typedef struct
{
  GByteArray *bytes;
  sf_count_t at;
} Memory;

static sf_count_t
memory_length (void *user_data)
{
  return ((Memory *) user_data)->bytes->len;
}

static sf_count_t
memory_seek (sf_count_t offset, int whence, void *user_data)
{
  Memory *memory = user_data;

  return memory->at = offset
                      + (whence == SEEK_SET   ? 0
                         : whence == SEEK_CUR ? memory->at
                                              : (sf_count_t) memory->bytes->len);
}

static sf_count_t
memory_read (void *to, sf_count_t count, void *user_data)
{
  g_assert_not_reached ();
}

static sf_count_t
memory_write (const void *from, sf_count_t count, void *user_data)
{
  Memory *memory = user_data;

  if (memory->at + count > memory->bytes->len)
    g_byte_array_set_size (memory->bytes, (guint) (memory->at + count));
  memcpy (memory->bytes->data + memory->at, from, (gsize) count);
  memory->at += count;
  return count;
}

static sf_count_t
memory_tell (void *user_data)
{
  return ((Memory *) user_data)->at;
}

#define TONE 24000 /* frames of two channels: half a second */

static float
tone (gint64 i, int channel)
{
  return 0.5f * (float) sin ((channel == 0 ? 0.05 : 0.02) * (double) i);
}

static GByteArray *
encode (int format)
{
  SF_VIRTUAL_IO io = { memory_length, memory_seek, memory_read, memory_write, memory_tell };
  Memory memory = { g_byte_array_new (), 0 };
  SF_INFO info = { .samplerate = 48000, .channels = 2, .format = format };
  SNDFILE *file = sf_open_virtual (&io, SFM_WRITE, &info, &memory);
  g_autofree float *samples = g_new (float, 2 * TONE);

  g_assert_nonnull (file);
  for (gint64 i = 0; i < 2 * TONE; i++)
    samples[i] = tone (i / 2, (int) (i % 2));
  g_assert_cmpint (sf_writef_float (file, samples, TONE), ==, TONE);
  sf_close (file);
  return memory.bytes;
}

static const struct
{
  int format;
  double tolerance; /* root mean square of the error; samples have 0.35 */
} codings[] = {
  { SF_FORMAT_FLAC | SF_FORMAT_PCM_24, 1e-6 },   { SF_FORMAT_FLAC | SF_FORMAT_PCM_16, 1e-4 },
  { SF_FORMAT_OGG | SF_FORMAT_VORBIS, 0.05 },    { SF_FORMAT_OGG | SF_FORMAT_OPUS, 0.1 },
  { SF_FORMAT_WAV | SF_FORMAT_IMA_ADPCM, 0.05 }, { SF_FORMAT_WAVEX | SF_FORMAT_PCM_24, 1e-6 },
};

static void
test_encoded (void)
{
  g_autoptr (SondeSoundDecoder) decoder = new_decoder ();

  for (gsize k = 0; k < G_N_ELEMENTS (codings); k++)
    {
      g_autoptr (GByteArray) bytes = encode (codings[k].format);
      g_autoptr (GError) error = NULL;
      g_autoptr (SondeTensor) tensor = NULL;
      double rate = 0, wrong = 0;

      tensor = decode (decoder, bytes->data, bytes->len, &rate, &error);
      g_assert_no_error (error);
      g_assert_cmpfloat (rate, ==, 48000);
      g_assert_cmpint (tensor->shape.dims[0], >=, TONE); /* ADPCM fills its last block */
      g_assert_cmpint (tensor->shape.dims[1], ==, 2);
      for (gint64 i = 0; i < 2 * TONE; i++)
        wrong
            += pow (sonde_tensor_get_double (tensor, i) - (double) tone (i / 2, (int) (i % 2)), 2);
      g_test_message ("%08x: %g", (guint) codings[k].format, sqrt (wrong / (2 * TONE)));
      g_assert_cmpfloat (sqrt (wrong / (2 * TONE)), <=, codings[k].tolerance);
    }
}

/* Cut and flipped files: an error or samples; the helper lives on or is replaced. */
static void
test_mutations (void)
{
  g_autoptr (SondeSoundDecoder) decoder = new_decoder ();

  for (gsize k = 0; k < G_N_ELEMENTS (codings); k++)
    {
      g_autoptr (GByteArray) bytes = encode (codings[k].format);
      g_autoptr (SondeTensor) good = NULL;
      guint step = bytes->len / 100 + 1;
      double rate;

      for (guint cut = 0; cut < bytes->len; cut += cut < 100 ? 3 : step)
        {
          g_autofree guint8 *exact = g_memdup2 (bytes->data, cut);
          g_autoptr (GError) error = NULL;
          g_autoptr (SondeTensor) tensor = decode (decoder, exact, cut, &rate, &error);

          g_assert_true ((tensor == NULL) == (error != NULL));
        }
      for (guint at = 0; at < bytes->len; at += at < 200 ? 1 : step)
        {
          g_autoptr (GError) error = NULL;
          g_autoptr (SondeTensor) tensor = NULL;

          bytes->data[at] ^= 0x55;
          tensor = decode (decoder, bytes->data, bytes->len, &rate, &error);
          bytes->data[at] ^= 0x55;
          g_assert_true ((tensor == NULL) == (error != NULL));
          g_assert_true (tensor == NULL || tensor->shape.dims[1] <= 64);
        }
      good = decode (decoder, bytes->data, bytes->len, &rate, NULL);
      g_assert_nonnull (good);
    }
}

/* A byte a sample: 128 Mi of them are read, one more is not. */
static void
test_limits (void)
{
  g_autoptr (SondeSoundDecoder) decoder = new_decoder ();
  g_autoptr (GByteArray) wav = make_wav (1, 8, FALSE);
  const guint head = wav->len - 2 * N, most = 128 << 20;
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeTensor) tensor = NULL;
  double rate;

  if (g_getenv ("SONDE_TEST_VALGRIND") != NULL)
    {
      g_test_skip ("a gigabyte of bytes that valgrind looks at one by one");
      return;
    }
  g_byte_array_set_size (wav, head + most + 2);
  memset (wav->data + head, 192, most + 2);
  for (int i = 0; i < 4; i++)
    wav->data[head - 4 + (guint) i] = 0xff;
  assert_refused (decoder, wav->data, wav->len, SONDE_DATA_ERROR_LIMIT);
  tensor = decode (decoder, wav->data, wav->len - 2, &rate, &error);
  g_assert_no_error (error);
  g_assert_cmpint (tensor->shape.dims[0], ==, most / 2);
  g_assert_cmpfloat (sonde_tensor_get_double (tensor, most - 1), ==, 0.5);
}

/* ---- helpers ------------------------------------------------------------- */

static void
test_bad_helpers (void)
{
#define REPLY "head -c 20 > /dev/null; printf '1HIS\\0\\0\\0\\0"
  static const char *const scripts[] = {
    "head -c 20 > /dev/null; kill -9 $$",
    "exec cat",
    /* 2³¹ − 1 frames that are not there */
    REPLY "\\377\\377\\377\\177\\1\\0\\0\\0\\1\\0\\0\\0\\0\\0\\0\\0"
          "\\374\\377\\377\\377\\1\\0\\0\\0'",
    /* −1 frames of 4 bytes; 65 channels; 0 Hz; other bytes than frames */
    REPLY "\\377\\377\\377\\377\\1\\0\\0\\0\\1\\0\\0\\0\\0\\0\\0\\0"
          "\\374\\377\\377\\377\\377\\377\\377\\377'",
    REPLY "\\1\\0\\0\\0\\101\\0\\0\\0\\1\\0\\0\\0\\0\\0\\0\\0"
          "\\4\\1\\0\\0\\0\\0\\0\\0'; head -c 260 /dev/zero",
    REPLY "\\1\\0\\0\\0\\1\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0"
          "\\4\\0\\0\\0\\0\\0\\0\\0abcd'",
    REPLY "\\1\\0\\0\\0\\1\\0\\0\\0\\1\\0\\0\\0\\0\\0\\0\\0"
          "\\10\\0\\0\\0\\0\\0\\0\\0abcdefgh'",
  };
  static const char good[] = REPLY "\\1\\0\\0\\0\\1\\0\\0\\0\\1\\0\\0\\0\\0\\0\\0\\0"
                                   "\\4\\0\\0\\0\\0\\0\\0\\0\\0\\0\\200\\77'";
  g_autoptr (GByteArray) wav = make_wav (1, 16, FALSE);
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeTensor) tensor = NULL;
  g_autoptr (SondeSoundDecoder) honest
      = sonde_sound_decoder_new ((const char *const[]){ "/bin/sh", "-c", good, NULL });
  double rate;

  for (gsize i = 0; i < G_N_ELEMENTS (scripts); i++)
    {
      g_autoptr (SondeSoundDecoder) decoder
          = sonde_sound_decoder_new ((const char *const[]){ "/bin/sh", "-c", scripts[i], NULL });

      assert_refused (decoder, wav->data, wav->len, SONDE_DATA_ERROR_DAMAGED);
    }
  /* The same form without a lie is taken. */
  tensor = decode (honest, wav->data, wav->len, &rate, &error);
  g_assert_no_error (error);
  g_assert_cmpfloat (sonde_tensor_get_double (tensor, 0), ==, 1);
}

static void
test_no_helper (void)
{
  g_autoptr (SondeSoundDecoder) decoder
      = sonde_sound_decoder_new ((const char *const[]){ "/none/such", NULL });
  g_autoptr (GByteArray) wav = make_wav (1, 16, FALSE);
  g_autoptr (GError) error = NULL;
  double rate;

  g_assert_null (decode (decoder, wav->data, wav->len, &rate, &error));
  g_assert_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_IO);
  g_assert_nonnull (strstr (error->message, "/none/such"));
}

/* The helper as it runs can open nothing and leaves no core. */
static void
test_confined (void)
{
  g_autoptr (SondeSoundDecoder) decoder = new_decoder ();
  g_autoptr (GByteArray) wav = make_wav (1, 16, FALSE);
  g_autoptr (GRegex) files = g_regex_new ("Max open files +0 +0 ", 0, 0, NULL);
  g_autoptr (SondeTensor) tensor = NULL;
  g_autofree char *children = NULL, *path = NULL, *limits = NULL;
  double rate;

  tensor = decode (decoder, wav->data, wav->len, &rate, NULL);
  g_assert_nonnull (tensor);
  if (!g_file_get_contents ("/proc/thread-self/children", &children, NULL, NULL))
    {
      g_test_skip ("/proc does not list children here");
      return;
    }
  path = g_strdup_printf ("/proc/%d/limits", atoi (children));
  g_assert_true (g_file_get_contents (path, &limits, NULL, NULL));
  g_assert_true (g_regex_match (files, limits, 0, NULL));
  g_assert_null (strstr (limits, "Max address space         unlimited"));
}

/* ---- writing ------------------------------------------------------------- */

/* What is written reads as it was, to half a step of 16 bits. */
static void
test_written (void)
{
  g_autoptr (SondeSoundDecoder) decoder = new_decoder ();
  const float samples[] = { 0, -1, 0.5f, -0.25f, 1, 0.125f };
  g_autoptr (GBytes) wav = sonde_wav_make (samples, 3, 2, 44100);
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeTensor) tensor = NULL;
  gsize length;
  const guint8 *data = g_bytes_get_data (wav, &length);
  double rate = 0;

  tensor = decode (decoder, data, length, &rate, &error);
  g_assert_no_error (error);
  g_assert_cmpfloat (rate, ==, 44100);
  g_assert_cmpint (tensor->shape.dims[0], ==, 3);
  g_assert_cmpint (tensor->shape.dims[1], ==, 2);
  for (gsize i = 0; i < G_N_ELEMENTS (samples); i++)
    g_assert_cmpfloat (fabs (sonde_tensor_get_double (tensor, (gint64) i) - samples[i]), <=,
                       2.0 / 32768);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/data/sound/sound/codings", test_codings);
  g_test_add_func ("/data/sound/sound/cut", test_cut);
  g_test_add_func ("/data/sound/sound/refused", test_refused);
  g_test_add_func ("/data/sound/sound/unsupported", test_unsupported);
  g_test_add_func ("/data/sound/sound/encoded", test_encoded);
  g_test_add_func ("/data/sound/sound/mutations", test_mutations);
  g_test_add_func ("/data/sound/sound/limits", test_limits);
  g_test_add_func ("/data/sound/sound/bad-helpers", test_bad_helpers);
  g_test_add_func ("/data/sound/sound/no-helper", test_no_helper);
  g_test_add_func ("/data/sound/sound/confined", test_confined);
  g_test_add_func ("/data/sound/sound/written", test_written);
  return g_test_run ();
}
