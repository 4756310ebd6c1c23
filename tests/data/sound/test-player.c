/* SPDX-License-Identifier: Apache-2.0
 * The sound player on sinks that need no sound card: time passes by the pipeline's clock, what came is read back from
 * the files that the sinks write. */
#include <math.h>
#include <glib/gstdio.h>
#include <unistd.h>

#include "data/base/sonde-error.h"
#include "data/sound/sonde-sound-player.h"

#define RATE 8000

/* A ramp in the first channel, constants in the others. */
static SondeTensor *
make_sound (gint64 n_frames, gint64 n_channels)
{
  const SondeShape shape = sonde_shape_make (2, n_frames, n_channels);
  SondeTensor *samples = sonde_tensor_new (SONDE_DTYPE_F32, &shape);
  float *to = (float *) (void *) samples->data;

  for (gint64 i = 0; i < n_frames; i++)
    for (gint64 c = 0; c < n_channels; c++)
      to[i * n_channels + c] = c == 0 ? (float) i / (float) n_frames : 0.25f * (float) c;
  return samples;
}

typedef struct
{
  guint n_changes;
  char *failure;
} Heard;

static void
on_changed (SondeSoundPlayer *player, Heard *heard)
{
  heard->n_changes++;
}

static void
on_failed (SondeSoundPlayer *player, const char *sentence, Heard *heard)
{
  g_free (heard->failure);
  heard->failure = g_strdup (sentence);
}

static SondeSoundPlayer *
new_player (const char *sink, Heard *heard)
{
  SondeSoundPlayer *player = sonde_sound_player_new (sink);

  g_signal_connect (player, "changed", G_CALLBACK (on_changed), heard);
  g_signal_connect (player, "failed", G_CALLBACK (on_failed), heard);
  return player;
}

static void
play (SondeSoundPlayer *player)
{
  g_autoptr (GError) error = NULL;

  sonde_sound_player_play (player, &error);
  g_assert_no_error (error);
  g_assert_true (sonde_sound_player_is_playing (player));
}

static void
wait_for_end (SondeSoundPlayer *player)
{
  while (sonde_sound_player_is_playing (player))
    g_main_context_iteration (NULL, TRUE);
}

static gboolean
on_poll (void *unused)
{
  return G_SOURCE_CONTINUE;
}

/* Until the pipeline's clock has come so far: beyond @low, or back below @high where that is less. */
static void
wait_for_position (SondeSoundPlayer *player, double low, double high)
{
  guint source = g_timeout_add (5, on_poll, NULL);

  for (;;)
    {
      double at = sonde_sound_player_get_position (player);

      if (at > low && at < high)
        break;
      g_assert_true (sonde_sound_player_is_playing (player));
      g_main_context_iteration (NULL, TRUE);
    }
  g_source_remove (source);
}

/* To the end; again from the beginning. */
static void
test_end (void)
{
  Heard heard = { 0 };
  SondeSoundPlayer *player = new_player ("fakesink sync=true", &heard);
  g_autoptr (SondeTensor) samples = make_sound (RATE / 5, 1);

  sonde_sound_player_load (player, samples, RATE);
  g_assert_true (sonde_sound_player_get_samples (player) == samples);
  g_assert_cmpuint (heard.n_changes, ==, 1);
  for (int i = 0; i < 2; i++)
    {
      play (player);
      wait_for_position (player, 0.05, 0.2);
      wait_for_end (player);
      g_assert_cmpfloat (sonde_sound_player_get_position (player), ==, 0.2);
    }
  g_assert_cmpuint (heard.n_changes, ==, 5); /* loaded; begun and ended, twice */
  g_assert_null (heard.failure);
  g_object_unref (player);
}

static void
test_seek (void)
{
  Heard heard = { 0 };
  SondeSoundPlayer *player = new_player ("fakesink sync=true", &heard);
  g_autoptr (SondeTensor) samples = make_sound (100 * RATE, 1);

  sonde_sound_player_load (player, samples, RATE);
  sonde_sound_player_seek (player, 40); /* before anything plays */
  g_assert_cmpfloat (sonde_sound_player_get_position (player), ==, 40);
  play (player);
  wait_for_position (player, 40.02, 60);
  sonde_sound_player_seek (player, 80);
  wait_for_position (player, 80.02, 90);
  sonde_sound_player_pause (player);
  g_assert_false (sonde_sound_player_is_playing (player));
  g_assert_cmpfloat (sonde_sound_player_get_position (player), >, 80);
  sonde_sound_player_seek (player, 10); /* while it pauses */
  play (player);
  wait_for_position (player, 10.02, 30);
  sonde_sound_player_seek (player, 1e9);
  wait_for_end (player);
  g_assert_cmpfloat (sonde_sound_player_get_position (player), ==, 100);
  g_object_unref (player);
}

static void
test_loop (void)
{
  Heard heard = { 0 };
  SondeSoundPlayer *player = new_player ("fakesink sync=true", &heard);
  g_autoptr (SondeTensor) samples = make_sound (RATE / 5, 1);

  sonde_sound_player_load (player, samples, RATE);
  sonde_sound_player_set_loop (player, TRUE);
  play (player);
  for (int i = 0; i < 2; i++)
    {
      wait_for_position (player, 0.1, 0.25);
      wait_for_position (player, -1, 0.1); /* it is at the beginning again, and plays */
    }
  sonde_sound_player_set_loop (player, FALSE);
  wait_for_end (player);
  g_object_unref (player);
}

/* What arrives, in an output of another form: one channel of 16 bits. */
static gint16 *
play_into_file (SondeTensor *samples, gsize *n_frames)
{
  g_autofree char *path = NULL;
  g_autofree char *sink = NULL;
  char *bytes;
  gsize length;
  Heard heard = { 0 };
  SondeSoundPlayer *player;
  int fd = g_file_open_tmp ("sonde-player-XXXXXX", &path, NULL);

  g_assert_cmpint (fd, >=, 0);
  sink = g_strdup_printf ("audio/x-raw,format=S16LE,channels=1,rate=%d ! filesink location=%s",
                          RATE, path);
  player = new_player (sink, &heard);
  sonde_sound_player_load (player, samples, RATE);
  play (player);
  wait_for_end (player);
  g_assert_null (heard.failure);
  g_object_unref (player);
  g_assert_true (g_file_get_contents (path, &bytes, &length, NULL));
  g_unlink (path);
  close (fd);
  *n_frames = length / sizeof (gint16);
  return (gint16 *) (void *) bytes;
}

static void
test_samples (void)
{
  g_autoptr (SondeTensor) one = make_sound (10000, 1), three = make_sound (100, 3);
  g_autofree gint16 *heard = NULL, *mixed = NULL;
  gsize n;

  ((float *) (void *) one->data)[5000] = NAN;
  ((float *) (void *) one->data)[5001] = 7;
  heard = play_into_file (one, &n);
  g_assert_cmpuint (n, ==, 10000);
  for (gsize i = 0; i < n; i++)
    if (i < 5000 || i > 5001)
      g_assert_cmpfloat_with_epsilon (heard[i] / 32768.0, (double) i / 10000, 3e-4); /* dither */
  g_assert_cmpint (ABS (heard[5000]), <, 10);
  g_assert_cmpint (heard[5001], >, 32760);
  mixed = play_into_file (three, &n);
  g_assert_cmpuint (n, ==, 100);
  g_assert_cmpfloat_with_epsilon (mixed[50] / 32768.0, (0.5 + 0.25 + 0.5) / 3, 3e-4);
}

static void
test_errors (void)
{
  Heard heard = { 0 };
  SondeSoundPlayer *player = new_player ("filesink location=/nonexistent/folder/x", &heard);
  SondeSoundPlayer *other = new_player ("nosuchsink", &heard);
  g_autoptr (SondeTensor) samples = make_sound (100, 1);
  g_autoptr (GError) error = NULL;

  sonde_sound_player_load (player, samples, RATE);
  g_assert_true (sonde_sound_player_play (player, NULL));
  wait_for_end (player);
  g_assert_nonnull (heard.failure);
  g_assert_true (g_str_has_prefix (heard.failure, "No sound output on this machine: "));
  sonde_sound_player_load (other, samples, RATE);
  g_assert_false (sonde_sound_player_play (other, &error));
  g_assert_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_NOT_FOUND);
  g_clear_error (&error);
  sonde_sound_player_load (other, NULL, 1);
  sonde_sound_player_load (other, samples, 1e9);
  g_assert_false (sonde_sound_player_play (other, &error));
  g_assert_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_LIMIT);
  g_object_unref (player);
  g_object_unref (other);
  g_free (heard.failure);
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/data/sound/player/end", test_end);
  g_test_add_func ("/data/sound/player/seek", test_seek);
  g_test_add_func ("/data/sound/player/loop", test_loop);
  g_test_add_func ("/data/sound/player/samples", test_samples);
  g_test_add_func ("/data/sound/player/errors", test_errors);
  return g_test_run ();
}
