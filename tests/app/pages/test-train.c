/* SPDX-License-Identifier: Apache-2.0
 * The Train page: a recipe is put together by hand, checked by the program itself, started, watched and stopped. */
#include <glib/gstdio.h>

#include "app/training/sonde-key-row.h"
#include "app/training/sonde-training-list.h"
#include "data/base/sonde-format.h"
#include "tests/app/pages/window-fixture.h"

static GtkWidget *
page_of (WindowFixture *fixture)
{
  return GTK_WIDGET (sonde_window_peek_page (fixture->window, "train"));
}

static void
open_page (WindowFixture *fixture)
{
  window_fixture_init (fixture);
  window_fixture_open (fixture, "train");
}

static void
close_page (WindowFixture *fixture)
{
  window_fixture_close (fixture);
  window_fixture_clear (fixture);
}

/* ---- what is on screen --------------------------------------------------- */

/* (nullable) */
static GtkWidget *
find_row (GtkWidget *widget, const char *key)
{
  GtkWidget *found = NULL;

  if (SONDE_IS_KEY_ROW (widget)
      && g_str_equal (sonde_key_row_get_key (SONDE_KEY_ROW (widget)), key))
    return widget;
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL && found == NULL;
       child = gtk_widget_get_next_sibling (child))
    found = find_row (child, key);
  return found;
}

static GtkWidget *
row_of (WindowFixture *fixture, const char *key)
{
  GtkWidget *row = find_row (page_of (fixture), key);

  g_assert_nonnull (row);
  return row;
}

/* The visible button that says or is called @name. (nullable) */
static GtkWidget *
find_button (GtkWidget *widget, const char *name)
{
  GtkWidget *found = NULL;

  if (GTK_IS_BUTTON (widget) && gtk_widget_get_visible (widget)
      && (g_strcmp0 (gtk_button_get_label (GTK_BUTTON (widget)), name) == 0
          || g_strcmp0 (gtk_widget_get_tooltip_text (widget), name) == 0))
    return widget;
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL && found == NULL;
       child = gtk_widget_get_next_sibling (child))
    found = find_button (child, name);
  return found;
}

static void
click (WindowFixture *fixture, const char *name)
{
  GtkWidget *button = find_button (page_of (fixture), name);

  g_assert_nonnull (button);
  g_assert_true (gtk_widget_is_sensitive (button));
  g_signal_emit_by_name (button, "clicked");
}

static void
choose (WindowFixture *fixture, const char *key, const char *word)
{
  GtkWidget *choice = window_fixture_find (row_of (fixture, key), GTK_TYPE_DROP_DOWN);
  GListModel *words = gtk_drop_down_get_model (GTK_DROP_DOWN (choice));

  for (guint i = 0; i < g_list_model_get_n_items (words); i++)
    {
      g_autoptr (GtkStringObject) item = g_list_model_get_item (words, i);

      if (g_str_equal (gtk_string_object_get_string (item), word))
        {
          gtk_drop_down_set_selected (GTK_DROP_DOWN (choice), i);
          return;
        }
    }
  g_error ("%s cannot be %s", key, word);
}

static void
write_value (WindowFixture *fixture, const char *key, const char *text)
{
  GtkWidget *entry = window_fixture_find (row_of (fixture, key), GTK_TYPE_ENTRY);

  gtk_editable_set_text (GTK_EDITABLE (entry), text);
}

/* The recipe as it stands on the page. (transfer full) */
static char *
dup_recipe (WindowFixture *fixture)
{
  GtkTextView *view = GTK_TEXT_VIEW (window_fixture_find (page_of (fixture), GTK_TYPE_TEXT_VIEW));
  GtkTextIter start, end;

  gtk_text_buffer_get_bounds (gtk_text_view_get_buffer (view), &start, &end);
  return gtk_text_buffer_get_text (gtk_text_view_get_buffer (view), &start, &end, FALSE);
}

static void
assert_says (WindowFixture *fixture, const char *line, gboolean says)
{
  g_autofree char *recipe = dup_recipe (fixture);
  g_auto (GStrv) lines = g_strsplit (recipe, "\n", -1);

  if (g_strv_contains ((const char *const *) lines, line) != says)
    g_error ("“%s” in\n%s", line, recipe);
}

static const char *
subtitle_of (GtkWidget *row)
{
  return adw_action_row_get_subtitle (ADW_ACTION_ROW (row));
}

/* ---- putting it together ------------------------------------------------- */

static gboolean
shows (WindowFixture *fixture, const void *prefix)
{
  return sonde_page_is_settled (SONDE_PAGE (page_of (fixture)))
         && window_fixture_find_label (page_of (fixture), prefix) != NULL;
}

static gboolean
can_start (WindowFixture *fixture, const void *yes)
{
  GtkWidget *button = find_button (page_of (fixture), "Start Training");

  return sonde_page_is_settled (SONDE_PAGE (page_of (fixture)))
         && gtk_widget_is_sensitive (button) == GPOINTER_TO_INT (yes);
}

/* What goes with a choice follows it, until the person chooses. */
static void
test_recipe (void)
{
  WindowFixture fixture = { 0 };

  open_page (&fixture);
  assert_says (&fixture, "name=lenet", TRUE);
  choose (&fixture, "train.optimiser", "adamw");
  assert_says (&fixture, "optimiser=adamw", TRUE);
  assert_says (&fixture, "learning-rate=0.001", TRUE);
  write_value (&fixture, "train.optimiser", "beta1=0.8");
  assert_says (&fixture, "optimiser=adamw:beta1=0.8", TRUE);
  write_value (&fixture, "train.learning-rate", "0.5");
  choose (&fixture, "train.optimiser", "lion");
  assert_says (&fixture, "learning-rate=0.5", TRUE);
  choose (&fixture, "model.name", "unet");
  assert_says (&fixture, "source=glyphs:labels=pixels", TRUE);
  choose (&fixture, "model.name", "autoencoder");
  assert_says (&fixture, "loss=mse", TRUE);
  write_value (&fixture, "train.steps", "40");
  assert_says (&fixture, "steps=40", TRUE);
  assert_says (&fixture, "epochs=0", FALSE);
  close_page (&fixture);
}

/* What is not allowed is said beside it and not in the recipe; undo gives the default back. */
static void
test_refused (void)
{
  WindowFixture fixture = { 0 };
  GtkWidget *row;

  open_page (&fixture);
  row = row_of (&fixture, "data.batch");
  write_value (&fixture, "data.batch", "12x");
  g_assert_true (gtk_widget_has_css_class (row, "refused"));
  g_assert_true (
      g_str_has_prefix (subtitle_of (row), "“12x” is not allowed; allowed is an integer"));
  assert_says (&fixture, "batch=12x", FALSE);
  write_value (&fixture, "data.batch", "12");
  g_assert_false (gtk_widget_has_css_class (row, "refused"));
  g_assert_cmpstr (subtitle_of (row), ==, "data.batch");
  assert_says (&fixture, "batch=12", TRUE);
  g_signal_emit_by_name (find_button (row, "Back to the Default"), "clicked");
  assert_says (&fixture, "batch=12", FALSE);
  g_assert_null (find_button (row, "Back to the Default"));
  close_page (&fixture);
}

/* Each key can be set. */
static void
test_complete (void)
{
  WindowFixture fixture = { 0 };

  open_page (&fixture);
  for (gsize i = 0; i < sonde_recipe_get_n_keys (); i++)
    row_of (&fixture, sonde_recipe_get_key (i).name);
  close_page (&fixture);
}

/* The program itself says what it would be, and what does not fit. */
static void
test_check (void)
{
  WindowFixture fixture = { 0 };

  open_page (&fixture);
  window_fixture_wait (&fixture, shows, "61,706");
  window_fixture_wait (&fixture, shows, "8,000 to train, 2,000 to test");
  window_fixture_wait (&fixture, can_start, GINT_TO_POINTER (TRUE));
  choose (&fixture, "data.source", "tokens");
  write_value (&fixture, "data.source", "task=majority");
  window_fixture_wait (&fixture, shows, "model.name: “lenet” does not take the tokens");
  window_fixture_wait (&fixture, can_start, GINT_TO_POINTER (FALSE));
  choose (&fixture, "model.name", "lstm-classifier");
  window_fixture_wait (&fixture, can_start, GINT_TO_POINTER (TRUE));
  close_page (&fixture);
}

/* ---- running it ---------------------------------------------------------- */

/* The first training that was started says something that holds @words. */
static gboolean
says (WindowFixture *fixture, const void *words)
{
  GtkWidget *list = window_fixture_find (page_of (fixture), SONDE_TYPE_TRAINING_LIST);
  GtkWidget *row = window_fixture_find (list, ADW_TYPE_ACTION_ROW);

  return row != NULL && subtitle_of (row) != NULL && strstr (subtitle_of (row), words) != NULL;
}

static void
write_folder (WindowFixture *fixture, const char *path)
{
  GtkWidget *start = find_button (page_of (fixture), "Start Training");

  gtk_editable_set_text (GTK_EDITABLE (gtk_widget_get_prev_sibling (start)), path);
}

static void
make_short (WindowFixture *fixture, const char *steps)
{
  write_value (fixture, "data.train", "256");
  write_value (fixture, "data.test", "64");
  write_value (fixture, "train.steps", steps);
  window_fixture_wait (fixture, can_start, GINT_TO_POINTER (TRUE));
}

/* Its loss, as it stands in the record, is on the page; then on Scalars. */
static void
test_run (void)
{
  WindowFixture fixture = { 0 };
  g_autofree char *path = NULL, *loss = NULL, *words = NULL;
  SondePoint last;
  SondeRun *run;

  open_page (&fixture);
  path = g_build_filename (fixture.folder, "runs", "made", NULL);
  make_short (&fixture, "8");
  write_folder (&fixture, path);
  click (&fixture, "Start Training");
  window_fixture_wait (&fixture, says, "finished");
  window_fixture_wait (&fixture, says, "Step 8 of 8 · loss ");
  run = sonde_run_store_find (sonde_workspace_get_store (fixture.workspace), "made");
  g_assert_nonnull (run);
  g_assert_true (sonde_series_get_last (sonde_run_get_series (run, "loss"), &last));
  loss = sonde_format_number (last.value);
  words = g_strdup_printf ("loss %s", loss);
  g_assert_true (says (&fixture, words));
  click (&fixture, "Show Curves");
  g_assert_true (sonde_workspace_get_run (fixture.workspace) == run);
  g_assert_true (sonde_window_get_page (fixture.window)
                 == sonde_window_peek_page (fixture.window, "scalars"));
  close_page (&fixture);
}

/* A long one ends after the step that is under way, with its checkpoint. */
static void
test_stop (void)
{
  WindowFixture fixture = { 0 };
  g_autofree char *path = NULL, *checkpoint = NULL;

  open_page (&fixture);
  path = g_build_filename (fixture.folder, "runs", "long", NULL);
  checkpoint = g_build_filename (path, "checkpoints", "final.npz", NULL);
  make_short (&fixture, "1000000");
  write_folder (&fixture, path);
  click (&fixture, "Start Training");
  window_fixture_wait (&fixture, says, "Step ");
  click (&fixture, "Stop after This Step, with a Checkpoint");
  window_fixture_wait (&fixture, says, "stopped");
  g_assert_true (g_file_test (checkpoint, G_FILE_TEST_EXISTS));
  g_assert_null (find_button (page_of (&fixture), "Look Inside"));
  close_page (&fixture);
}

/* The folder has a run already: the reason is in the row. */
static void
test_fails (void)
{
  WindowFixture fixture = { 0 };
  g_autofree char *path = NULL;

  open_page (&fixture);
  path = g_build_filename (fixture.folder, "runs", "group", "a", NULL);
  make_short (&fixture, "8");
  write_folder (&fixture, path);
  click (&fixture, "Start Training");
  window_fixture_wait (&fixture, says, "already contains a run");
  close_page (&fixture);
}

static gboolean
is_turned (WindowFixture *fixture, const void *orientation)
{
  GtkWidget *halves = window_fixture_find (page_of (fixture), GTK_TYPE_PANED);

  return gtk_orientable_get_orientation (GTK_ORIENTABLE (halves))
         == *(const GtkOrientation *) orientation;
}

static GtkAdjustment *
across_of (WindowFixture *fixture)
{
  return gtk_scrolled_window_get_hadjustment (
      GTK_SCROLLED_WINDOW (window_fixture_find (page_of (fixture), GTK_TYPE_SCROLLED_WINDOW)));
}

static void
assert_fits (WindowFixture *fixture)
{
  GtkAdjustment *across = across_of (fixture);

  window_fixture_settle (fixture);
  g_assert_cmpfloat (gtk_adjustment_get_upper (across), <=, gtk_adjustment_get_page_size (across));
}

/* A sentence that was long keeps no room once it is gone. */
static void
test_long_problem (void)
{
  WindowFixture fixture = { 0 };

  open_page (&fixture);
  window_fixture_wait (&fixture, can_start, GINT_TO_POINTER (TRUE));
  choose (&fixture, "data.source", "tokens");
  write_value (&fixture, "data.source", "task=majority");
  window_fixture_wait (&fixture, shows, "model.name: “lenet” does not take the tokens");
  assert_fits (&fixture);
  choose (&fixture, "model.name", "lstm-classifier");
  window_fixture_wait (&fixture, can_start, GINT_TO_POINTER (TRUE));
  assert_fits (&fixture);
  close_page (&fixture);
}

/* A narrow window has the recipe below the form, and nothing has to be scrolled sideways. */
static void
test_narrow (void)
{
  static const GtkOrientation beside = GTK_ORIENTATION_HORIZONTAL, below = GTK_ORIENTATION_VERTICAL;
  WindowFixture fixture = { 0 };

  open_page (&fixture);
  gtk_window_set_default_size (GTK_WINDOW (fixture.window), 600, 800);
  window_fixture_wait (&fixture, is_turned, &below);
  assert_fits (&fixture);
  gtk_window_set_default_size (GTK_WINDOW (fixture.window), 1400, 800);
  window_fixture_wait (&fixture, is_turned, &beside);
  close_page (&fixture);
}

int
main (int argc, char **argv)
{
  gboolean has_display = window_fixture_prepare ();

  g_test_init (&argc, &argv, NULL);
  if (!has_display)
    {
      g_test_skip ("no display");
      return 0;
    }
  g_test_add_func ("/app/pages/train/recipe", test_recipe);
  g_test_add_func ("/app/pages/train/refused", test_refused);
  g_test_add_func ("/app/pages/train/complete", test_complete);
  g_test_add_func ("/app/pages/train/check", test_check);
  g_test_add_func ("/app/pages/train/run", test_run);
  g_test_add_func ("/app/pages/train/stop", test_stop);
  g_test_add_func ("/app/pages/train/fails", test_fails);
  g_test_add_func ("/app/pages/train/long-problem", test_long_problem);
  g_test_add_func ("/app/pages/train/narrow", test_narrow);
  return g_test_run ();
}
