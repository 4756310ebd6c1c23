/* SPDX-License-Identifier: Apache-2.0
 * The Media page on records without sample notes, on texts, tables and sounds. */
#include <math.h>
#include <string.h>

#include "app/pages/sonde-sound-list.h"
#include "data/images/sonde-png.h"
#include "tests/app/pages/window-fixture.h"
#include "viewers/sonde-wave-view.h"

#define RATE 8000
#define FRAMES 4000

static GtkWidget *
page_of (WindowFixture *fixture)
{
  return GTK_WIDGET (sonde_window_get_page (fixture->window));
}

static gboolean
says (WindowFixture *fixture,
      const char    *text)
{
  return window_fixture_find_label (page_of (fixture), text) != NULL;
}

static const char *
status_of (WindowFixture *fixture)
{
  return sonde_page_get_status (SONDE_PAGE (page_of (fixture)));
}

static SondeRecord
make_record (SondeRecordKind kind,
             const char     *tag,
             gint64          step)
{
  return (SondeRecord) { .kind = kind, .session = 1, .step = step, .tag = g_intern_string (tag),
                         .wall_time_ns = SONDE_TEST_RUN_START_NS + step };
}

/* Three grey pictures of 24 × 16, as a foreign file has them: no name, no class. */
static void
add_pictures (SondeTestRun *run)
{
  for (int i = 0; i < 3; i++)
    {
      SondeImage *image = sonde_image_new (24, 16, 1);
      g_autoptr (GBytes) encoded = NULL;
      SondeRecord record = make_record (SONDE_RECORD_IMAGE, "input", 0);

      memset (image->pixels, 60 + 60 * i, 24 * 16);
      encoded = sonde_png_encode (image);
      record.u.image.encoded = encoded;
      record.u.image.width = 24;
      record.u.image.height = 16;
      record.u.image.index = i;
      record.u.image.note.label = record.u.image.note.predicted = -1;
      record.u.image.note.label_probability = record.u.image.note.predicted_probability = NAN;
      sonde_test_run_record (run, &record);
      sonde_image_free (image);
    }
}

static void
add_texts (SondeTestRun *run)
{
  char *cells[] = { (char *) "layer", (char *) "size", (char *) "conv1", (char *) "6×1×5×5" };
  SondeShape shape = sonde_shape_make (2, 2, 2);
  g_autoptr (SondeTensor) table = sonde_tensor_new_from_data (SONDE_DTYPE_STRING, &shape, cells);
  SondeRecord plain = make_record (SONDE_RECORD_TEXT, "notes", 5), tabled = make_record (SONDE_RECORD_TEXT, "notes", 9);

  plain.u.text = (char *) "# Title\nsome *words*";
  sonde_test_run_record (run, &plain);
  tabled.u.text = (char *) "layer\tsize\nconv1\t6×1×5×5";
  tabled.u.cells = table;
  sonde_test_run_record (run, &tabled);
}

/* A sine of 440 Hz; @type another than WAV: bytes that nobody can draw. */
static void
add_sound (SondeTestRun *run,
           int           index,
           const char   *type)
{
  guint8 header[44] = "RIFF____WAVEfmt \20\0\0\0\1\0\1\0\100\37\0\0\200\76\0\0\2\0\20\0data";
  g_autoptr (GByteArray) wav = g_byte_array_new ();
  g_autoptr (GBytes) bytes = NULL;
  SondeRecord record = make_record (SONDE_RECORD_AUDIO, "voice", 3);
  guint32 size = FRAMES * 2;

  memcpy (header + 40, &size, 4);
  g_byte_array_append (wav, header, sizeof header);
  for (int i = 0; i < FRAMES; i++)
    {
      gint16 sample = (gint16) (16384 * sin (2 * G_PI * 440 * i / RATE));

      g_byte_array_append (wav, (const guint8 *) &sample, 2);
    }
  if (type != NULL)
    g_byte_array_set_size (wav, 4);
  bytes = g_bytes_new (wav->data, wav->len);
  record.u.audio.encoded = bytes;
  record.u.audio.index = index;
  record.u.audio.content_type = (char *) type;
  record.u.audio.label = (char *) "a tone";
  sonde_test_run_record (run, &record);
}

static void
open_page (WindowFixture *fixture,
           const char    *tag)
{
  g_autofree char *runs = g_build_filename (fixture->folder, "runs", NULL);

  window_fixture_open_paths (fixture, (const char *const[]) { runs, NULL }, "media",
                             &(SondePageRequest) { .tag = tag });
}

static void
start (WindowFixture *fixture)
{
  g_autofree char *path = NULL;

  fixture->folder = g_dir_make_tmp ("sonde-media-XXXXXX", NULL);
  path = g_build_filename (fixture->folder, "runs", "a", NULL);
  fixture->run_a = sonde_test_run_new (path);
}

static void
test_pictures (void)
{
  WindowFixture fixture = { 0 };

  start (&fixture);
  add_pictures (fixture.run_a);
  sonde_test_run_flush (fixture.run_a);
  open_page (&fixture, NULL);
  g_assert_true (says (&fixture, "No. 1"));
  g_assert_true (says (&fixture, "No. 3"));
  g_assert_true (says (&fixture, "24 × 16 px"));
  /* Nothing but pictures: no switch; no classes: no button for errors. */
  g_assert_false (says (&fixture, "Text"));
  g_assert_false (says (&fixture, "Errors"));
  g_assert_cmpstr (status_of (&fixture), ==, "3 pictures at step 0; 1 step has pictures");
  window_fixture_clear (&fixture);
}

static void
test_texts (void)
{
  WindowFixture fixture = { 0 };

  start (&fixture);
  add_pictures (fixture.run_a);
  add_texts (fixture.run_a);
  sonde_test_run_flush (fixture.run_a);
  open_page (&fixture, "notes");
  g_assert_true (says (&fixture, "Pictures"));
  g_assert_false (says (&fixture, "Audio"));
  sonde_step_cursor_set_step (sonde_workspace_get_cursor (fixture.workspace), 6);
  window_fixture_settle (&fixture);
  g_assert_true (says (&fixture, "# Title\nsome *words*"));
  g_assert_cmpstr (status_of (&fixture), ==, "1 text at step 5; 2 steps have some");
  sonde_step_cursor_set_step (sonde_workspace_get_cursor (fixture.workspace), 9);
  window_fixture_settle (&fixture);
  g_assert_false (says (&fixture, "# Title"));
  g_assert_true (says (&fixture, "conv1"));
  g_assert_true (says (&fixture, "6×1×5×5"));
  window_fixture_clear (&fixture);
}

static void
test_sounds (void)
{
  WindowFixture fixture = { 0 };
  GtkWidget *view;
  g_autofree char *text = NULL, *table = NULL;

  start (&fixture);
  add_sound (fixture.run_a, 0, NULL);
  add_sound (fixture.run_a, 1, "audio/mpeg");
  sonde_test_run_flush (fixture.run_a);
  open_page (&fixture, NULL);
  g_assert_true (says (&fixture, "voice · 1"));
  g_assert_true (says (&fixture, "0.5 s · 8000 Hz · 1 channel · audio/wav · 7."));
  g_assert_true (says (&fixture, "audio/mpeg · 4 B"));
  g_assert_true (says (&fixture, "a tone"));
  g_assert_true (says (&fixture, "Save As…"));
  view = window_fixture_find (page_of (&fixture), SONDE_TYPE_WAVE_VIEW);
  text = sonde_view_describe (SONDE_VIEW (view));
  g_assert_cmpstr (text, ==, "voice · 1: 0.5 seconds of sound in 1 channel, values from -0.5 to 0.5.");
  table = sonde_view_dup_table (SONDE_VIEW (view), ',');
  g_assert_true (g_str_has_prefix (table, "seconds,channel 1\n0,0\n0.000125,0.16"));
  window_fixture_clear (&fixture);
}

int
main (int    argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  if (!window_fixture_prepare ())
    return 0;
  g_test_add_func ("/app/pages/media/pictures", test_pictures);
  g_test_add_func ("/app/pages/media/texts", test_texts);
  g_test_add_func ("/app/pages/media/sounds", test_sounds);
  return g_test_run ();
}
