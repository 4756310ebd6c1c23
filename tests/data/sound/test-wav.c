/* SPDX-License-Identifier: Apache-2.0
 * WAV files made byte by byte: every coding, extra chunks, every length they can be cut to. */
#include <math.h>
#include <string.h>

#include "data/sound/sonde-wav.h"
#include "data/base/sonde-error.h"

#define N 6 /* frames of two channels */

static const double values[2 * N]
    = { 0, -1, 0.5, -0.5, 0.25, 0.75, -0.125, 0.125, 0.5, 0, -0.25, -0.75 };

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

      tensor = sonde_wav_parse (wav->data, wav->len, "test", &rate, &error);
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
  g_autoptr (GByteArray) wav = make_wav (1, 16, FALSE);

  for (gsize length = 0; length <= wav->len; length++)
    {
      g_autofree guint8 *exact = g_memdup2 (wav->data, length);
      g_autoptr (GError) error = NULL;
      double rate;
      g_autoptr (SondeTensor) tensor = sonde_wav_parse (exact, length, "test", &rate, &error);
      gsize head = wav->len - N * 4;

      if (length >= head)
        g_assert_cmpint (tensor->shape.dims[0], ==, (gint64) ((length - head) / 4));
      else
        g_assert_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_DAMAGED);
    }
}

static void
test_refused (void)
{
  g_autoptr (GByteArray) wav = make_wav (1, 16, FALSE);
  g_autoptr (GError) error = NULL;
  double rate;

  wav->data[32] = 2; /* ADPCM */
  g_assert_null (sonde_wav_parse (wav->data, wav->len, "test", &rate, &error));
  g_assert_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_UNSUPPORTED);
  g_clear_error (&error);
  wav->data[32] = 1;
  wav->data[34] = 0;
  g_assert_null (sonde_wav_parse (wav->data, wav->len, "test", &rate, &error));
  g_assert_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_DAMAGED);
}

/* What is written reads as it was, to half a step of 16 bits. */
static void
test_written (void)
{
  const float samples[] = { 0, -1, 0.5f, -0.25f, 1, 0.125f };
  g_autoptr (GBytes) wav = sonde_wav_make (samples, 3, 2, 44100);
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeTensor) tensor = NULL;
  gsize length;
  const guint8 *data = g_bytes_get_data (wav, &length);
  double rate = 0;

  tensor = sonde_wav_parse (data, length, "test", &rate, &error);
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
  g_test_add_func ("/data/sound/wav/codings", test_codings);
  g_test_add_func ("/data/sound/wav/cut", test_cut);
  g_test_add_func ("/data/sound/wav/refused", test_refused);
  g_test_add_func ("/data/sound/wav/written", test_written);
  return g_test_run ();
}
