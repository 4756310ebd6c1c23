/* SPDX-License-Identifier: Apache-2.0
 * The Media page comparing images: with another step, with another run, by pointer, keys and menu. */
#include <math.h>
#include <string.h>

#include "app/pages/media/sonde-compare-bar.h"
#include "data/images/sonde-png.h"
#include "tests/app/pages/window-fixture.h"
#include "viewers/media/sonde-image-pair-view.h"
#include "viewers/sonde-image-view.h"

enum
{
  WITH_NOTHING,
  WITH_STEP,
  WITH_RUN
};

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

/* A plain image; the corner of @level + 10. */
static void
add_image (SondeTestRun *run, const char *tag, gint64 step, int index, int width, guint8 level)
{
  SondeImage *image = sonde_image_new (width, 16, 1);
  SondeRecord record = { .kind = SONDE_RECORD_IMAGE,
                         .session = 1,
                         .step = step,
                         .tag = g_intern_string (tag),
                         .wall_time_ns = SONDE_TEST_RUN_START_NS + step };
  g_autoptr (GBytes) encoded = NULL;

  memset (image->pixels, level, (gsize) width * 16);
  image->pixels[0] = (guint8) (level + 10);
  encoded = sonde_png_encode (image);
  record.u.image.encoded = encoded;
  record.u.image.width = width;
  record.u.image.height = 16;
  record.u.image.index = index;
  record.u.image.note.label = record.u.image.note.predicted = -1;
  record.u.image.note.label_probability = record.u.image.note.predicted_probability = NAN;
  sonde_test_run_record (run, &record);
  sonde_image_unref (image);
}

/* Run a: steps 3, 5, 9 of two images. Run b: steps 3 and 4, of the second index alone at 4. */
static void
start (WindowFixture *fixture)
{
  g_autofree char *first = NULL, *second = NULL, *runs = NULL;

  fixture->folder = g_dir_make_tmp ("sonde-compare-XXXXXX", NULL);
  first = g_build_filename (fixture->folder, "runs", "a", NULL);
  second = g_build_filename (fixture->folder, "runs", "b", NULL);
  runs = g_build_filename (fixture->folder, "runs", NULL);
  fixture->run_a = sonde_test_run_new (first);
  fixture->run_b = sonde_test_run_new (second);
  for (int i = 0; i < 2; i++)
    {
      add_image (fixture->run_a, "input", 3, i, 24, 100);
      add_image (fixture->run_a, "input", 5, i, 24, 104);
      add_image (fixture->run_a, "input", 9, i, i == 0 ? 24 : 20, 100);
      add_image (fixture->run_b, "input", 3, i, 24, 100);
    }
  add_image (fixture->run_b, "input", 4, 1, 24, 107);
  sonde_test_run_flush (fixture->run_a);
  sonde_test_run_flush (fixture->run_b);
  window_fixture_open_paths (fixture, (const char *const[]){ runs, NULL }, "media",
                             &(SondePageRequest){ .has_step = TRUE, .step = 5 });
}

static GtkDropDown *
find_drop_down (WindowFixture *fixture, guint which)
{
  GtkWidget *child = gtk_widget_get_first_child (
      window_fixture_find (page_of (fixture), SONDE_TYPE_COMPARE_BAR));

  for (;; child = gtk_widget_get_next_sibling (child))
    if (GTK_IS_DROP_DOWN (child) && which-- == 0)
      return GTK_DROP_DOWN (child);
}

static void
compare_with (WindowFixture *fixture, guint with)
{
  gtk_drop_down_set_selected (find_drop_down (fixture, 0), with);
  window_fixture_settle (fixture);
}

static void
set_mode (WindowFixture *fixture, guint mode)
{
  gtk_drop_down_set_selected (find_drop_down (fixture, 1), mode);
  window_fixture_settle (fixture);
}

static SondeView *
find_pair (WindowFixture *fixture)
{
  return SONDE_VIEW (window_fixture_find (page_of (fixture), SONDE_TYPE_IMAGE_PAIR_VIEW));
}

static void
assert_described (WindowFixture *fixture, const char *words)
{
  g_autofree char *text = sonde_view_describe (find_pair (fixture));

  g_assert_cmpstr (text, ==, words);
}

/* The step before the shown one at first; the images of an index belong together. */
static void
test_steps (void)
{
  WindowFixture fixture = { 0 };

  start (&fixture);
  g_assert_false (gtk_widget_get_visible (GTK_WIDGET (find_drop_down (&fixture, 1))));
  compare_with (&fixture, WITH_STEP);
  g_assert_true (gtk_widget_get_visible (GTK_WIDGET (find_drop_down (&fixture, 1))));
  assert_described (&fixture, "a · step 5 compared with a · step 3: mean |Δ| 4 · max |Δ| 4 · PSNR "
                              "36.1 dB · 100 % of the pixels differ.");
  g_assert_true (says (&fixture, "No. 2"));
  g_assert_true (says (&fixture, "mean |Δ| 4 "));
  sonde_step_cursor_set_step (sonde_workspace_get_cursor (fixture.workspace), 9);
  window_fixture_settle (&fixture);
  g_assert_true (says (&fixture, "equal"));
  g_assert_true (says (&fixture, "sizes differ: 24 × 16 and 20 × 16 px"));
  compare_with (&fixture, WITH_NOTHING);
  g_assert_false (says (&fixture, "sizes differ"));
  g_assert_true (says (&fixture, "20 × 16 px"));
  window_fixture_clear (&fixture);
}

/* Another run at the same step, or the nearest one, which is said; an index that it lacks. */
static void
test_runs (void)
{
  WindowFixture fixture = { 0 };
  g_autoptr (SondeRun) other = NULL;

  start (&fixture);
  compare_with (&fixture, WITH_RUN);
  assert_described (&fixture,
                    "a · step 5 compared with b · step 4 (nearest to 5): nothing to compare with.");
  g_assert_true (says (&fixture, "mean |Δ| 3 "));
  sonde_step_cursor_set_step (sonde_workspace_get_cursor (fixture.workspace), 3);
  window_fixture_settle (&fixture);
  assert_described (&fixture, "a · step 3 compared with b · step 3: equal.");
  /* b is not compared with itself */
  other = g_list_model_get_item (sonde_workspace_get_shown_runs (fixture.workspace), 1);
  sonde_workspace_set_run (fixture.workspace, other);
  window_fixture_settle (&fixture);
  g_assert_cmpuint (gtk_drop_down_get_selected (find_drop_down (&fixture, 0)), ==, WITH_NOTHING);
  window_fixture_clear (&fixture);
}

/* The slider by keys; the way of comparing is remembered. */
static void
test_slider (void)
{
  WindowFixture fixture = { 0 };
  SondeImagePairView *pair;

  start (&fixture);
  compare_with (&fixture, WITH_STEP);
  set_mode (&fixture, SONDE_IMAGE_PAIR_DIVIDER);
  pair = SONDE_IMAGE_PAIR_VIEW (find_pair (&fixture));
  window_fixture_tab_to (&fixture, GTK_WIDGET (pair));
  g_assert_true (window_fixture_press (&fixture, GDK_KEY_Right, GDK_SHIFT_MASK));
  g_assert_cmpfloat_with_epsilon (sonde_image_pair_view_get_divider (pair), 0.6, 1e-9);
  g_assert_true (window_fixture_press (&fixture, GDK_KEY_Home, 0));
  g_assert_cmpfloat (sonde_image_pair_view_get_divider (pair), ==, 0);
  g_assert_true (window_fixture_press (&fixture, GDK_KEY_plus, 0));
  g_assert_false (sonde_view_is_fitted (SONDE_VIEW (pair), NULL, NULL));
  g_assert_cmpstr (sonde_workspace_get_setting (fixture.workspace, "media", "image-mode"), ==, "1");
  set_mode (&fixture, SONDE_IMAGE_PAIR_BESIDE); /* the other tests begin with it */
  window_fixture_clear (&fixture);
}

/* From the menu of an image: the others with this one. */
static void
test_menu (void)
{
  WindowFixture fixture = { 0 };
  GtkWidget *image;

  start (&fixture);
  image = window_fixture_find (page_of (&fixture), SONDE_TYPE_IMAGE_VIEW);
  g_assert_true (gtk_widget_activate_action (image, "media.compare-step", NULL));
  sonde_step_cursor_set_step (sonde_workspace_get_cursor (fixture.workspace), 9);
  window_fixture_settle (&fixture);
  assert_described (&fixture, "a · step 9 compared with a · step 5: mean |Δ| 4 · max |Δ| 4 · PSNR "
                              "36.1 dB · 100 % of the pixels differ.");
  g_assert_true (gtk_widget_activate_action (GTK_WIDGET (find_pair (&fixture)),
                                             "media.compare-nothing", NULL));
  window_fixture_settle (&fixture);
  g_assert_true (says (&fixture, "24 × 16 px"));
  window_fixture_clear (&fixture);
}

static GtkWidget *
find_button (GtkWidget *widget, const char *label)
{
  if (GTK_IS_BUTTON (widget) && g_strcmp0 (gtk_button_get_label (GTK_BUTTON (widget)), label) == 0)
    return widget;
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    {
      GtkWidget *found = find_button (child, label);

      if (found != NULL)
        return found;
    }
  return NULL;
}

/* 1:1 gives an image as many px as it has, and is remembered. */
static void
test_true_size (void)
{
  WindowFixture fixture = { 0 };
  GtkWidget *image, *button;

  start (&fixture);
  image = window_fixture_find (page_of (&fixture), SONDE_TYPE_IMAGE_VIEW);
  g_assert_cmpint (gtk_widget_get_width (image), >, 200);
  button = find_button (page_of (&fixture), "1:1");
  gtk_toggle_button_set_active (GTK_TOGGLE_BUTTON (button), TRUE);
  window_fixture_settle (&fixture);
  g_assert_cmpint (gtk_widget_get_width (image), ==, 24);
  g_assert_cmpint (gtk_widget_get_height (image), ==, 16);
  g_assert_cmpstr (sonde_workspace_get_setting (fixture.workspace, "media", "tile-size"), ==, "-1");
  gtk_toggle_button_set_active (GTK_TOGGLE_BUTTON (button), FALSE);
  g_assert_null (sonde_workspace_get_setting (fixture.workspace, "media", "tile-size"));
  window_fixture_clear (&fixture);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  if (!window_fixture_prepare ())
    return 0;
  g_test_add_func ("/app/pages/media-compare/steps", test_steps);
  g_test_add_func ("/app/pages/media-compare/runs", test_runs);
  g_test_add_func ("/app/pages/media-compare/slider", test_slider);
  g_test_add_func ("/app/pages/media-compare/menu", test_menu);
  g_test_add_func ("/app/pages/media-compare/true-size", test_true_size);
  return g_test_run ();
}
