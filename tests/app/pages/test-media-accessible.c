/* SPDX-License-Identifier: Apache-2.0
 * The Media page as a screen reader has it: images, texts, sounds, and what is compared. */
#include <math.h>
#include <string.h>

#include "data/images/sonde-png.h"
#include "tests/app/pages/screen-reader.h"
#include "tests/support/sonde-test-run.h"

static SondeRecord
make_record (SondeRecordKind kind, const char *tag, gint64 step)
{
  return (SondeRecord){ .kind = kind,
                        .session = 1,
                        .step = step,
                        .tag = g_intern_string (tag),
                        .wall_time_ns = SONDE_TEST_RUN_START_NS + step };
}

static void
add_image (SondeTestRun *run, gint64 step)
{
  SondeRecord record = make_record (SONDE_RECORD_IMAGE, "input", step);
  SondeImage *image = sonde_image_new (8, 8, 1);
  g_autoptr (GBytes) encoded = NULL;

  memset (image->pixels, (int) (100 + step), 64);
  encoded = sonde_png_encode (image);
  record.u.image.encoded = encoded;
  record.u.image.width = record.u.image.height = 8;
  record.u.image.note.label = record.u.image.note.predicted = -1;
  record.u.image.note.label_probability = record.u.image.note.predicted_probability = NAN;
  sonde_test_run_record (run, &record);
  sonde_image_unref (image);
}

static void
add_text (SondeTestRun *run, gint64 step, const char *text)
{
  SondeRecord record = make_record (SONDE_RECORD_TEXT, "notes", step);

  record.u.text = (char *) text;
  sonde_test_run_record (run, &record);
}

/* Half a second of silence. */
static void
add_sound (SondeTestRun *run)
{
  guint8 wav[44 + 8000] = "RIFF____WAVEfmt \20\0\0\0\1\0\1\0\100\37\0\0\200\76\0\0\2\0\20\0data";
  const guint32 size = 8000;
  SondeRecord record = make_record (SONDE_RECORD_AUDIO, "voice", 5);
  g_autoptr (GBytes) bytes = NULL;

  memcpy (wav + 40, &size, 4);
  bytes = g_bytes_new (wav, sizeof wav);
  record.u.audio.encoded = bytes;
  sonde_test_run_record (run, &record);
}

static void
write_run (const char *folder)
{
  g_autofree char *path = g_build_filename (folder, "a", NULL);
  g_autoptr (SondeTestRun) run = sonde_test_run_new (path);

  for (gint64 step = 0; step <= 5; step += 5)
    add_image (run, step);
  add_text (run, 0, "one\ntwo\n");
  add_text (run, 5, "one\nthree\n");
  add_sound (run);
  sonde_test_run_flush (run);
}

/* The switch tells its media, controls and pictures have names, also those that come with a medium. */
static void
test_read (void)
{
  ScreenReader reader;
  g_autofree char *runs = NULL;

  if (!screen_reader_init (&reader))
    {
      g_test_skip ("There is no accessibility bus.");
      return;
    }
  runs = g_build_filename (reader.folder, "runs", NULL);
  write_run (runs);
  screen_reader_choose_page (&reader, "media");
  screen_reader_start (&reader, (const char *const[]){ runs, NULL }, "SondeMediaPage");
  screen_reader_expect (&reader, "image", "Image");
  screen_reader_expect (&reader, "combo box", "What to compare with");
  screen_reader_expect (&reader, "button", "1:1");
  screen_reader_check_names (&reader);
  screen_reader_press (&reader, NULL, "Text");
  screen_reader_expect (&reader, "search box", "Search in all steps");
  screen_reader_expect (&reader, "label", "one");
  screen_reader_check_names (&reader);
  screen_reader_press (&reader, NULL, "Audio");
  screen_reader_expect (&reader, "button", "Play");
  screen_reader_expect (&reader, NULL, "Play again and again");
  screen_reader_expect (&reader, "image", "voice");
  screen_reader_check_names (&reader);
  screen_reader_press (&reader, "button", "Play");
  screen_reader_expect (&reader, "button", "Pause");
  screen_reader_clear (&reader);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  if (g_getenv ("DISPLAY") == NULL)
    return 0;
  g_test_add_func ("/app/pages/media-accessible/read", test_read);
  return g_test_run ();
}
