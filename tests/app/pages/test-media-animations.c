/* SPDX-License-Identifier: Apache-2.0
 * GIF images on the Media page: played, paused, gone through frame by frame, compared. */
#include <math.h>

#include "app/pages/cards/sonde-frame-bar.h"
#include "tests/app/pages/window-fixture.h"
#include "tests/support/sonde-test-gif.h"
#include "viewers/sonde-image-view.h"

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

static void
add_gif (SondeTestRun *run, gint64 step, GBytes *encoded)
{
  SondeRecord record = { .kind = SONDE_RECORD_IMAGE,
                         .session = 1,
                         .step = step,
                         .tag = g_intern_string ("episode"),
                         .wall_time_ns = SONDE_TEST_RUN_START_NS + step };

  record.u.image.encoded = encoded;
  record.u.image.note.label = record.u.image.note.predicted = -1;
  record.u.image.note.label_probability = record.u.image.note.predicted_probability = NAN;
  sonde_test_run_record (run, &record);
}

/* A run with @n frames of 8 × 6 at step 0, and a still GIF at step 1. */
static void
open_page (WindowFixture *fixture, guint n, int centiseconds)
{
  g_autofree char *runs = NULL, *path = NULL;
  g_autoptr (GBytes) film = sonde_test_gif_new_blinking (8, 6, n, centiseconds),
                     still = sonde_test_gif_new_blinking (8, 6, 1, 0);

  fixture->folder = g_dir_make_tmp ("sonde-animations-XXXXXX", NULL);
  path = g_build_filename (fixture->folder, "runs", "a", NULL);
  runs = g_build_filename (fixture->folder, "runs", NULL);
  fixture->run_a = sonde_test_run_new (path);
  add_gif (fixture->run_a, 0, film);
  add_gif (fixture->run_a, 1, still);
  sonde_test_run_flush (fixture->run_a);
  window_fixture_open_paths (fixture, (const char *const[]){ runs, NULL }, "media", NULL);
  sonde_step_cursor_set_step (sonde_workspace_get_cursor (fixture->workspace), 0);
  window_fixture_settle (fixture);
}

static GtkWidget *
find_scale (WindowFixture *fixture)
{
  return window_fixture_find (window_fixture_find (page_of (fixture), SONDE_TYPE_FRAME_BAR),
                              GTK_TYPE_SCALE);
}

static GtkWidget *
find_play (WindowFixture *fixture)
{
  return window_fixture_find (window_fixture_find (page_of (fixture), SONDE_TYPE_FRAME_BAR),
                              GTK_TYPE_BUTTON);
}

/* The image that is seen is all of colour @index. */
static void
assert_color (WindowFixture *fixture, guint index)
{
  GtkWidget *view = window_fixture_find (page_of (fixture), SONDE_TYPE_IMAGE_VIEW);
  const guint8 *color = sonde_test_gif_colors[index];
  g_autofree char *table = sonde_view_dup_table (SONDE_VIEW (view), ',');
  g_autofree char *pixel
      = g_strdup_printf ("%d,%d,%d,255,%d,", color[0], color[1], color[2], color[0]);

  g_assert_true (g_str_has_prefix (table, pixel));
}

/* It stands still at first; keys go from frame to frame, and the image follows. */
static void
test_frames (void)
{
  WindowFixture fixture = { 0 };

  open_page (&fixture, 12, 10);
  g_assert_true (says (&fixture, "8 × 6 px · 12 frames"));
  g_assert_true (says (&fixture, "1 / 12"));
  assert_color (&fixture, 1);
  window_fixture_tab_to (&fixture, find_scale (&fixture));
  g_assert_true (window_fixture_press (&fixture, GDK_KEY_Right, 0));
  g_assert_true (says (&fixture, "2 / 12"));
  assert_color (&fixture, 2);
  g_assert_true (window_fixture_press (&fixture, GDK_KEY_End, 0));
  g_assert_true (says (&fixture, "12 / 12"));
  sonde_step_cursor_set_step (sonde_workspace_get_cursor (fixture.workspace), 1);
  window_fixture_settle (&fixture);
  g_assert_true (says (&fixture, "8 × 6 px"));
  g_assert_false (says (&fixture, "8 × 6 px · "));
  g_assert_false (gtk_widget_get_visible (gtk_widget_get_parent (find_scale (&fixture))));
  window_fixture_clear (&fixture);
}

static gboolean
has_text (WindowFixture *fixture, const void *text)
{
  return says (fixture, text);
}

/* By the button, around its end, until it is paused or cannot be seen. */
static void
test_playing (void)
{
  WindowFixture fixture = { 0 };
  GtkWidget *play;

  open_page (&fixture, 3, 2);
  play = find_play (&fixture);
  g_assert_cmpstr (gtk_widget_get_tooltip_text (play), ==, "Play");
  g_signal_emit_by_name (play, "clicked");
  g_assert_cmpstr (gtk_widget_get_tooltip_text (play), ==, "Pause");
  window_fixture_wait (&fixture, has_text, "3 / 3");
  assert_color (&fixture, 1);
  window_fixture_wait (&fixture, has_text, "2 / 3");
  assert_color (&fixture, 2);
  g_signal_emit_by_name (play, "clicked");
  g_assert_cmpstr (gtk_widget_get_tooltip_text (play), ==, "Play");
  g_signal_emit_by_name (play, "clicked");
  g_assert_true (sonde_window_show_page (fixture.window, "overview", NULL));
  window_fixture_settle (&fixture);
  g_assert_cmpstr (gtk_widget_get_tooltip_text (play), ==, "Play");
  window_fixture_clear (&fixture);
}

/* Of a long one the first frames, and that is said. */
static void
test_long (void)
{
  WindowFixture fixture = { 0 };

  open_page (&fixture, 2100, 2);
  g_assert_true (says (&fixture, "8 × 6 px · first 2,000 of 2,100 frames"));
  g_assert_true (says (&fixture, "1 / 2000"));
  window_fixture_clear (&fixture);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  if (!window_fixture_prepare ())
    return 0;
  g_test_add_func ("/app/pages/media-animations/frames", test_frames);
  g_test_add_func ("/app/pages/media-animations/playing", test_playing);
  g_test_add_func ("/app/pages/media-animations/long", test_long);
  return g_test_run ();
}
