/* SPDX-License-Identifier: Apache-2.0
 * The Media page on records without sample notes, on texts, tables and sounds. */
#include <math.h>
#include <string.h>

#include "app/pages/cards/sonde-sound-list.h"
#include "app/pages/sonde-image-levels.h"
#include "app/workspace/sonde-sample-loader.h"
#include "data/images/sonde-png.h"
#include "tests/app/pages/window-fixture.h"
#include "viewers/sonde-mesh-view.h"
#include "viewers/sonde-wave-view.h"

#define RATE 8000
#define FRAMES 4000

static GtkWidget *
page_of (WindowFixture *fixture)
{
  return GTK_WIDGET (sonde_window_get_page (fixture->window));
}

static gboolean
says (WindowFixture *fixture, const char *text)
{
  return window_fixture_find_label (page_of (fixture), text) != NULL;
}

static const char *
status_of (WindowFixture *fixture)
{
  return sonde_page_get_status (SONDE_PAGE (page_of (fixture)));
}

static SondeRecord
make_record (SondeRecordKind kind, const char *tag, gint64 step)
{
  return (SondeRecord){ .kind = kind,
                        .session = 1,
                        .step = step,
                        .tag = g_intern_string (tag),
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
      sonde_image_unref (image);
    }
}

static void
add_texts (SondeTestRun *run)
{
  char *cells[] = { (char *) "layer", (char *) "size", (char *) "conv1", (char *) "6×1×5×5" };
  SondeShape shape = sonde_shape_make (2, 2, 2);
  g_autoptr (SondeTensor) table = sonde_tensor_new_from_data (SONDE_DTYPE_STRING, &shape, cells);
  SondeRecord plain = make_record (SONDE_RECORD_TEXT, "notes", 5),
              tabled = make_record (SONDE_RECORD_TEXT, "notes", 9);

  plain.u.text = (char *) "# Title\nsome *words*, a_b_c and 2*3*4\n\n| name | **size** "
                          "|\n|:--|--:|\n| conv1\\|a | `6` |\n";
  sonde_test_run_record (run, &plain);
  tabled.u.text = (char *) "layer\tsize\nconv1\t6×1×5×5";
  tabled.u.cells = table;
  sonde_test_run_record (run, &tabled);
}

/* A sine of 440 Hz; @type another than WAV: bytes that nobody can draw. */
static void
add_sound (SondeTestRun *run, int index, const char *type)
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
open_page (WindowFixture *fixture, const char *tag)
{
  g_autofree char *runs = g_build_filename (fixture->folder, "runs", NULL);

  window_fixture_open_paths (fixture, (const char *const[]){ runs, NULL }, "media",
                             &(SondePageRequest){ .tag = tag });
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
  g_assert_cmpstr (status_of (&fixture), ==, "Images: 3 at step 0; recorded steps: 1");
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
  g_assert_true (says (&fixture, "Images"));
  g_assert_false (says (&fixture, "Audio"));
  sonde_step_cursor_set_step (sonde_workspace_get_cursor (fixture.workspace), 6);
  window_fixture_settle (&fixture);
  /* Markdown: a heading, words, a table */
  g_assert_true (says (&fixture, "Title"));
  g_assert_true (says (&fixture, "some words, a_b_c and 2*3*4"));
  g_assert_true (says (&fixture, "size"));
  g_assert_true (says (&fixture, "conv1|a"));
  g_assert_true (says (&fixture, "6"));
  g_assert_false (says (&fixture, ":--"));
  g_assert_cmpstr (status_of (&fixture), ==, "Texts: 1 at step 5; recorded steps: 2");
  sonde_step_cursor_set_step (sonde_workspace_get_cursor (fixture.workspace), 9);
  window_fixture_settle (&fixture);
  g_assert_false (says (&fixture, "Title"));
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
  g_assert_cmpstr (text, ==,
                   "voice · 1: 0.5 seconds of sound in 1 channel, values from -0.5 to 0.5.");
  table = sonde_view_dup_table (SONDE_VIEW (view), ',');
  g_assert_true (g_str_has_prefix (table, "seconds,channel 1\n0,0\n0.000125,0.16"));
  window_fixture_clear (&fixture);
}

/* Three parts of two meshes; a face that names no vertex, a vertex that is none. */
static void
add_mesh (SondeTestRun *run)
{
  static const float places[]
      = { 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 2, 0, 0, 0, 2, 0, 0, 0, 2, NAN, 1, 1 };
  static const gint32 faces[] = { 0, 1, 2, 0, 1, 99, 0, 1, 2, 1, 2, 3 };
  static const guint8 colors[24] = { 255, 0, 0, 0, 255, 0, 0, 0, 255, 255, 255, 0 };
  const SondeShape vertex_shape = sonde_shape_make (3, 2, 4, 3),
                   face_shape = sonde_shape_make (3, 2, 2, 3);
  g_autoptr (SondeTensor) vertices
      = sonde_tensor_new_from_data (SONDE_DTYPE_F32, &vertex_shape, places);
  g_autoptr (SondeTensor) triangles
      = sonde_tensor_new_from_data (SONDE_DTYPE_I32, &face_shape, faces);
  g_autoptr (SondeTensor) paint
      = sonde_tensor_new_from_data (SONDE_DTYPE_U8, &vertex_shape, colors);
  const struct
  {
    const char *tag;
    SondeMeshPart part;
    SondeTensor *values;
    gint64 step;
  } parts[] = {
    { "solid_VERTEX", SONDE_MESH_VERTEX, vertices, 1 },
    { "solid_FACE", SONDE_MESH_FACE, triangles, 1 },
    { "solid_COLOR", SONDE_MESH_COLOR, paint, 1 },
    { "solid_VERTEX", SONDE_MESH_VERTEX, vertices, 4 },
    { "solidus_FACE", SONDE_MESH_FACE, triangles, 4 },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (parts); i++)
    {
      SondeRecord record = make_record (SONDE_RECORD_MESH, parts[i].tag, parts[i].step);

      record.u.mesh.name
          = (char *) (g_str_has_prefix (parts[i].tag, "solidus") ? "solidus" : "solid");
      record.u.mesh.part = parts[i].part;
      record.u.mesh.values = parts[i].values;
      sonde_test_run_record (run, &record);
    }
}

static void
test_meshes (void)
{
  WindowFixture fixture = { 0 };
  GtkWidget *view;
  g_autofree char *text = NULL;

  start (&fixture);
  add_mesh (fixture.run_a);
  sonde_test_run_flush (fixture.run_a);
  open_page (&fixture, "solid_VERTEX");
  /* faces and colours of an earlier step belong to the vertices of a later one */
  g_assert_cmpstr (status_of (&fixture), ==,
                   "2 meshes · vertices: 4 · faces: 2 · coloured at step 4; recorded steps: 2");
  view = window_fixture_find (page_of (&fixture), SONDE_TYPE_MESH_VIEW);
  text = sonde_view_describe (SONDE_VIEW (view));
  g_assert_cmpstr (
      text, ==, "solid, No. 1: 4 vertices, 2 faces; x from 0 to 1, y from 0 to 1, z from 0 to 1.");
  sonde_mesh_view_turn (SONDE_MESH_VIEW (view), 400, 400);
  window_fixture_settle (&fixture);
  sonde_step_cursor_set_step (sonde_workspace_get_cursor (fixture.workspace), 2);
  window_fixture_settle (&fixture);
  g_assert_true (g_str_has_suffix (status_of (&fixture), "at step 1; recorded steps: 2"));
  window_fixture_clear (&fixture);
}

/* ---- how pictures are looked at ------------------------------------------ */

static SondeImage *
make_grey (guint8 value)
{
  SondeImage *image = sonde_image_new (2, 1, 1);

  image->pixels[0] = value;
  image->pixels[1] = 255;
  return image;
}

static void
assert_pixels (SondeImageLevels *levels, int first, int second)
{
  g_autoptr (SondeImage) image = sonde_image_levels_apply (levels, 0);

  g_assert_cmpint (image->pixels[0], ==, first);
  g_assert_cmpint (image->pixels[1], ==, second);
}

static void
test_levels (void)
{
  SondeImageLevels *levels = g_object_ref_sink (g_object_new (SONDE_TYPE_IMAGE_LEVELS, NULL));
  g_autoptr (GPtrArray) first = g_ptr_array_new_with_free_func ((GDestroyNotify) sonde_image_unref);
  g_autoptr (GPtrArray) second
      = g_ptr_array_new_with_free_func ((GDestroyNotify) sonde_image_unref);
  g_autofree char *plain = NULL, *changed = NULL, *difference = NULL;

  g_ptr_array_add (first, make_grey (100));
  g_ptr_array_add (second, make_grey (140));
  g_ptr_array_add (second, NULL);
  sonde_image_levels_set_images (levels, first, 3);
  plain = sonde_image_levels_describe (levels);
  g_assert_null (plain);
  assert_pixels (levels, 100, 255);
  sonde_image_levels_set (levels, 0.2, 1);
  assert_pixels (levels, 151, 255);
  sonde_image_levels_set (levels, 0, 2);
  assert_pixels (levels, 73, 255);
  changed = sonde_image_levels_describe (levels);
  g_assert_cmpstr (changed, ==, "brightness +0 %, contrast 200 %");
  sonde_image_levels_set (levels, 0, 1);
  sonde_image_levels_set_difference (levels, TRUE);
  assert_pixels (levels, 128, 128);
  sonde_image_levels_set_images (levels, second, 9);
  assert_pixels (levels, 148, 128); /* 40 more: half of it */
  g_assert_null (sonde_image_levels_apply (levels, 1));
  difference = sonde_image_levels_describe (levels);
  g_assert_cmpstr (difference, ==, "difference from step 3, grey means equal");
  sonde_image_levels_set_difference (levels, FALSE);
  assert_pixels (levels, 140, 255);
  g_object_unref (levels);
}

/* ---- row IM6 ------------------------------------------------------------- */

typedef struct
{
  guint n_calls, n_images;
  gint64 step;
  gsize bytes;
} Loaded;

static void
on_loaded (GPtrArray *samples, gint64 step, void *user_data)
{
  Loaded *loaded = user_data;

  loaded->n_calls++;
  loaded->step = step;
  loaded->n_images = 0;
  loaded->bytes = 0;
  for (guint i = 0; i < samples->len; i++)
    {
      const SondeSample *sample = samples->pdata[i];

      g_assert_cmpint (sample->index, ==, i);
      g_assert_cmpint (sample->width, ==, 1024); /* whatever is left of it */
      loaded->n_images += sample->image != NULL;
      if (sample->image != NULL)
        loaded->bytes += (gsize) sample->image->width * (gsize) sample->image->height
                         * (gsize) sample->image->channels;
    }
}

static gboolean
is_idle (gpointer loader)
{
  return !sonde_sample_loader_is_busy (loader);
}

/* 10^4 pictures of a megapixel in a run, 60 of them a time: what is shown is the newest, in as much
 * memory as is allowed. */
static void
test_many_pictures (void)
{
  WindowFixture fixture = { 0 };
  g_autoptr (SondeImage) image = sonde_image_new (1024, 1024, 3);
  g_autoptr (GBytes) encoded = sonde_png_encode (image);
  Loaded loaded = { 0 };
  SondeSampleLoader *loader;
  SondeRun *run;

  start (&fixture);
  for (int i = 0; i < 10000; i++)
    {
      SondeRecord record = make_record (SONDE_RECORD_IMAGE, "input", i / 100);

      record.u.image.encoded = encoded;
      record.u.image.width = record.u.image.height = 1024;
      record.u.image.index = i % 100;
      record.u.image.note.label = record.u.image.note.predicted = -1;
      sonde_test_run_record (fixture.run_a, &record);
    }
  sonde_test_run_flush (fixture.run_a);
  window_fixture_open_paths (&fixture, (const char *const[]){ fixture.folder, NULL }, "runs", NULL);
  run = g_list_model_get_item (sonde_workspace_get_shown_runs (fixture.workspace), 0);
  loader = sonde_sample_loader_new (sonde_workspace_get_program (fixture.workspace), on_loaded,
                                    &loaded);
  /* the cursor runs over all steps: only the last one is decoded to the end */
  for (gint64 step = 0; step < 100; step++)
    {
      sonde_sample_loader_load (loader, run, "input", step);
      g_main_context_iteration (NULL, FALSE);
    }
  while (!is_idle (loader))
    g_main_context_iteration (NULL, TRUE);
  g_test_message ("%u pictures, %" G_GSIZE_FORMAT " bytes, told %u times", loaded.n_images,
                  loaded.bytes, loaded.n_calls);
  g_assert_cmpint (loaded.step, ==, 99);
  g_assert_cmpuint (loaded.n_images, ==, 100);
  g_assert_cmpuint (loaded.bytes, <=, (gsize) 192 << 20);
  g_assert_cmpuint (loaded.n_calls, <, 20);
  sonde_sample_loader_free (loader);
  g_object_unref (run);
  window_fixture_clear (&fixture);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  if (!window_fixture_prepare ())
    return 0;
  g_test_add_func ("/app/pages/media/pictures", test_pictures);
  g_test_add_func ("/app/pages/media/texts", test_texts);
  g_test_add_func ("/app/pages/media/sounds", test_sounds);
  g_test_add_func ("/app/pages/media/meshes", test_meshes);
  g_test_add_func ("/app/pages/media/levels", test_levels);
  g_test_add_func ("/app/pages/media/IM6-many-pictures", test_many_pictures);
  return g_test_run ();
}
