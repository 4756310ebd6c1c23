/* SPDX-License-Identifier: Apache-2.0
 * The Media page on records without sample notes, on texts, tables and sounds. */
#include <math.h>
#include <string.h>

#include "app/pages/media/sonde-sound-entry.h"
#include "data/images/sonde-png.h"
#include "tests/app/pages/window-fixture.h"
#include "viewers/sonde-image-view.h"
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

/* Three grey images of 24 × 16, as a foreign file has them: no name, no class. */
static void
add_images (SondeTestRun *run)
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
test_images (void)
{
  WindowFixture fixture = { 0 };

  start (&fixture);
  add_images (fixture.run_a);
  sonde_test_run_flush (fixture.run_a);
  open_page (&fixture, NULL);
  g_assert_true (says (&fixture, "No. 1"));
  g_assert_true (says (&fixture, "No. 3"));
  g_assert_true (says (&fixture, "24 × 16 px"));
  /* Nothing but images: no switch; no classes: no button for errors. */
  g_assert_false (says (&fixture, "Text"));
  g_assert_false (says (&fixture, "Errors"));
  g_assert_cmpstr (status_of (&fixture), ==, "Images: 3 at step 0; recorded steps: 1");
  window_fixture_clear (&fixture);
}

static void
assert_reading (GtkWidget *view, const char *expected)
{
  g_autofree char *reading = sonde_view_dup_reading (SONDE_VIEW (view));

  g_assert_cmpstr (reading, ==, expected);
}

/* Ctrl and the arrows lead to a pixel of the image that has the focus, and it is read; the arrows alone go to the next
 * image. */
static void
test_pixel (void)
{
  WindowFixture fixture = { 0 };
  GtkWidget *view;

  start (&fixture);
  add_images (fixture.run_a);
  sonde_test_run_flush (fixture.run_a);
  open_page (&fixture, NULL);
  view = window_fixture_find (page_of (&fixture), SONDE_TYPE_IMAGE_VIEW);
  window_fixture_tab_to (&fixture, view);
  assert_reading (view, NULL);
  g_assert_true (window_fixture_press (&fixture, GDK_KEY_Down, GDK_CONTROL_MASK));
  assert_reading (view, "image\nrow 8, column 12: 60 60 60");
  g_assert_true (window_fixture_press (&fixture, GDK_KEY_Up, GDK_CONTROL_MASK | GDK_SHIFT_MASK));
  assert_reading (view, "image\nrow 0, column 12: 60 60 60");
  g_assert_true (window_fixture_press (&fixture, GDK_KEY_Right, GDK_CONTROL_MASK));
  assert_reading (view, "image\nrow 0, column 13: 60 60 60");
  g_assert_true (window_fixture_press (&fixture, GDK_KEY_End, GDK_CONTROL_MASK));
  assert_reading (view, "image\nrow 15, column 23: 60 60 60");
  window_fixture_clear (&fixture);
}

/* A card a tag; the filter takes some of them away, and one of them can fill the page. */
static void
test_tags (void)
{
  static const char *const tags[] = { "left", "middle", "right" };
  WindowFixture fixture = { 0 };

  start (&fixture);
  for (int i = 0; i < 6; i++)
    sonde_test_run_image (fixture.run_a, i / 3 + 4, tags[i % 3], 0, 3, i == 4 ? 5 : 3);
  sonde_test_run_flush (fixture.run_a);
  open_page (&fixture, NULL);
  for (gsize i = 0; i < G_N_ELEMENTS (tags); i++)
    g_assert_true (says (&fixture, tags[i]));
  g_assert_cmpstr (status_of (&fixture), ==, "Images shown: 3 · tags: 3 · recorded steps: 2");
  g_assert_true (
      sonde_window_show_page (fixture.window, "media", &(SondePageRequest){ .tag = "*i*" }));
  window_fixture_settle (&fixture);
  g_assert_false (says (&fixture, "left"));
  g_assert_cmpstr (status_of (&fixture), ==, "Images shown: 2 · tags: 2 · recorded steps: 2");
  g_assert_true (
      sonde_window_show_page (fixture.window, "media", &(SondePageRequest){ .tag = "middle" }));
  window_fixture_settle (&fixture);
  g_assert_false (says (&fixture, "right"));
  g_assert_true (says (&fixture, "3 → 5"));
  g_assert_true (says (&fixture, "Errors"));
  g_assert_cmpstr (status_of (&fixture), ==,
                   "Images: 1 at step 5, misclassified: 1; recorded steps: 2");
  sonde_step_cursor_set_step (sonde_workspace_get_cursor (fixture.workspace), 4);
  window_fixture_settle (&fixture);
  g_assert_cmpstr (status_of (&fixture), ==,
                   "Images: 1 at step 4, misclassified: 0; recorded steps: 2");
  window_fixture_clear (&fixture);
}

static GtkToggleButton *
find_toggle (GtkWidget *widget, const char *label)
{
  if (GTK_IS_TOGGLE_BUTTON (widget)
      && g_strcmp0 (gtk_button_get_label (GTK_BUTTON (widget)), label) == 0)
    return GTK_TOGGLE_BUTTON (widget);
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    {
      GtkToggleButton *found = find_toggle (child, label);

      if (found != NULL)
        return found;
    }
  return NULL;
}

/* The switch makes the cards of another medium; what another medium filled the page with is gone. */
static void
test_switch (void)
{
  WindowFixture fixture = { 0 };

  start (&fixture);
  add_images (fixture.run_a);
  add_texts (fixture.run_a);
  sonde_test_run_flush (fixture.run_a);
  open_page (&fixture, "notes");
  g_assert_true (says (&fixture, "layer"));
  gtk_toggle_button_set_active (find_toggle (page_of (&fixture), "Images"), TRUE);
  window_fixture_settle (&fixture);
  g_assert_true (says (&fixture, "input"));
  g_assert_false (says (&fixture, "layer"));
  g_assert_cmpstr (status_of (&fixture), ==, "Images: 3 at step 0; recorded steps: 1");
  gtk_toggle_button_set_active (find_toggle (page_of (&fixture), "Text"), TRUE);
  window_fixture_settle (&fixture);
  g_assert_false (says (&fixture, "input"));
  g_assert_cmpstr (status_of (&fixture), ==, "Texts: 1 at step 9; recorded steps: 2");
  window_fixture_clear (&fixture);
}

static void
test_texts (void)
{
  WindowFixture fixture = { 0 };

  start (&fixture);
  add_images (fixture.run_a);
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
  g_assert_true (says (&fixture, "0.5 s · 8 kHz · mono · audio/wav · 7."));
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

/* The time label of the first sound begins so, or does not. */
static gboolean
shows_time (WindowFixture *fixture, const void *text)
{
  return window_fixture_find_label (page_of (fixture), text) != NULL;
}

static gboolean
shows_no_time (WindowFixture *fixture, const void *text)
{
  return window_fixture_find_label (page_of (fixture), text) == NULL;
}

static gboolean
has_ended (WindowFixture *fixture, const void *button)
{
  return g_strcmp0 (gtk_widget_get_tooltip_text ((GtkWidget *) button), "Play (Space)") == 0;
}

/* By Space, arrows and the button, on a sink without a sound card that keeps the time. */
static void
test_playing (void)
{
  WindowFixture fixture = { 0 };
  GtkWidget *view, *button;

  start (&fixture);
  add_sound (fixture.run_a, 0, NULL);
  sonde_test_run_flush (fixture.run_a);
  open_page (&fixture, NULL);
  view = window_fixture_find (page_of (&fixture), SONDE_TYPE_WAVE_VIEW);
  button = gtk_widget_get_next_sibling (window_fixture_find_label (page_of (&fixture), "0.00 / "));
  window_fixture_tab_to (&fixture, view);
  g_assert_true (window_fixture_press (&fixture, GDK_KEY_space, 0));
  g_assert_cmpstr (gtk_widget_get_tooltip_text (button), ==, "Pause (Space)");
  window_fixture_wait (&fixture, shows_no_time, "0.00 / 0.50 s");
  g_assert_true (window_fixture_press (&fixture, GDK_KEY_space, 0));
  g_assert_true (has_ended (&fixture, button));
  g_assert_true (window_fixture_press (&fixture, GDK_KEY_Home, 0));
  g_assert_true (shows_time (&fixture, "0.00 / 0.50 s"));
  g_assert_true (window_fixture_press (&fixture, GDK_KEY_Right, GDK_SHIFT_MASK));
  g_assert_true (shows_time (&fixture, "0.05 / 0.50 s"));
  /* a click seeks, too: frame 2000 of 4000 */
  g_signal_emit_by_name (view, "picked", (gint64) 2000, 1, 10.0, 10.0);
  g_assert_true (shows_time (&fixture, "0.25 / 0.50 s"));
  g_signal_emit_by_name (button, "clicked");
  window_fixture_wait (&fixture, has_ended, button);
  g_assert_true (shows_time (&fixture, "0.50 / 0.50 s"));
  window_fixture_clear (&fixture);
}

/* What another one begins ends it. */
static void
test_one_at_a_time (void)
{
  WindowFixture fixture = { 0 };
  GtkWidget *first, *second, *entry;

  start (&fixture);
  add_sound (fixture.run_a, 0, NULL);
  add_sound (fixture.run_a, 1, NULL);
  sonde_test_run_flush (fixture.run_a);
  open_page (&fixture, NULL);
  entry = window_fixture_find (page_of (&fixture), SONDE_TYPE_SOUND_ENTRY);
  first = gtk_widget_get_next_sibling (window_fixture_find_label (entry, "0.00 / "));
  second = gtk_widget_get_next_sibling (
      window_fixture_find_label (gtk_widget_get_next_sibling (entry), "0.00 / "));
  gtk_toggle_button_set_active (GTK_TOGGLE_BUTTON (gtk_widget_get_next_sibling (first)), TRUE);
  g_signal_emit_by_name (first, "clicked");
  g_assert_false (has_ended (&fixture, first));
  g_signal_emit_by_name (second, "clicked");
  g_assert_true (has_ended (&fixture, first));
  g_assert_false (has_ended (&fixture, second));
  window_fixture_wait (&fixture, has_ended, second); /* the loop was the other one's */
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

/* The pixels of a picture of it. (transfer full) */
static GBytes *
draw (GtkWidget *view)
{
  cairo_surface_t *surface = cairo_image_surface_create (CAIRO_FORMAT_RGB24, 200, 160);
  cairo_t *cr = cairo_create (surface);
  GBytes *pixels;

  sonde_view_render (SONDE_VIEW (view), cr, 200, 160);
  cairo_destroy (cr);
  cairo_surface_flush (surface);
  pixels = g_bytes_new (cairo_image_surface_get_data (surface),
                        (gsize) cairo_image_surface_get_stride (surface) * 160);
  cairo_surface_destroy (surface);
  return pixels;
}

/* Arrows turn and tilt, + zooms, 0 is as it was. */
static void
check_mesh_keys (WindowFixture *fixture, GtkWidget *view)
{
  static const guint keys[] = { GDK_KEY_Right, GDK_KEY_Up, GDK_KEY_Down, GDK_KEY_plus };
  g_autoptr (GBytes) first = draw (view);

  window_fixture_tab_to (fixture, view);
  for (gsize i = 0; i < G_N_ELEMENTS (keys); i++)
    {
      g_autoptr (GBytes) moved = NULL, back = NULL;

      g_assert_true (window_fixture_press (fixture, keys[i], 0));
      moved = draw (view);
      g_assert_false (g_bytes_equal (moved, first));
      g_assert_true (window_fixture_press (fixture, GDK_KEY_0, 0));
      back = draw (view);
      g_assert_true (g_bytes_equal (back, first));
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
  open_page (&fixture, NULL);
  /* faces and colours of an earlier step belong to the vertices of a later one */
  g_assert_cmpstr (status_of (&fixture), ==,
                   "2 meshes · vertices: 4 · faces: 2 · coloured at step 4; recorded steps: 2");
  view = window_fixture_find (page_of (&fixture), SONDE_TYPE_MESH_VIEW);
  text = sonde_view_describe (SONDE_VIEW (view));
  g_assert_cmpstr (
      text, ==, "solid, No. 1: 4 vertices, 2 faces; x from 0 to 1, y from 0 to 1, z from 0 to 1.");
  check_mesh_keys (&fixture, view);
  sonde_mesh_view_turn (SONDE_MESH_VIEW (view), 400, 400);
  window_fixture_settle (&fixture);
  sonde_step_cursor_set_step (sonde_workspace_get_cursor (fixture.workspace), 2);
  window_fixture_settle (&fixture);
  g_assert_true (g_str_has_suffix (status_of (&fixture), "at step 1; recorded steps: 2"));
  window_fixture_clear (&fixture);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  if (!window_fixture_prepare ())
    return 0;
  g_test_add_func ("/app/pages/media/images", test_images);
  g_test_add_func ("/app/pages/media/pixel", test_pixel);
  g_test_add_func ("/app/pages/media/tags", test_tags);
  g_test_add_func ("/app/pages/media/switch", test_switch);
  g_test_add_func ("/app/pages/media/texts", test_texts);
  g_test_add_func ("/app/pages/media/sounds", test_sounds);
  g_test_add_func ("/app/pages/media/playing", test_playing);
  g_test_add_func ("/app/pages/media/one-at-a-time", test_one_at_a_time);
  g_test_add_func ("/app/pages/media/meshes", test_meshes);
  return g_test_run ();
}
