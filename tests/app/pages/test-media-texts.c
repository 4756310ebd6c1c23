/* SPDX-License-Identifier: Apache-2.0
 * The Media page on texts: what differs between steps and runs, from change to change, copied. */
#include <string.h>

#include "app/pages/media/sonde-compare-bar.h"
#include "app/pages/media/sonde-record-card.h"
#include "app/pages/media/sonde-text-diff-list.h"
#include "app/pages/media/sonde-text-finder.h"
#include "tests/app/pages/window-fixture.h"

enum
{
  WITH_NOTHING,
  WITH_STEP,
  WITH_RUN
};

static const char early[]
    = "# Samples\n\nThe cat sat on the mat.\nIt rained.\n\n- one\n- two\n- three\n- four\n"
      "- five\n- six\n- seven\n- eight\n\nThe end.\n",
    late[] = "# Samples\n\nThe dog sat on the mat.\nIt rained.\n\n- one\n- two\n- three\n- four\n"
             "- five\n- six\n- seven\n- eight\n- nine\n\nThe end.\n";

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
add_text (SondeTestRun *run, const char *tag, gint64 step, const char *text)
{
  SondeRecord record = { .kind = SONDE_RECORD_TEXT,
                         .session = 1,
                         .step = step,
                         .tag = g_intern_string (tag),
                         .wall_time_ns = SONDE_TEST_RUN_START_NS + step };

  record.u.text = (char *) text;
  sonde_test_run_record (run, &record);
}

/* Backgrounds of words in a label. */
static guint
count_marks (GtkWidget *label)
{
  PangoAttrList *attributes = gtk_label_get_attributes (GTK_LABEL (label));
  GSList *list = attributes != NULL ? pango_attr_list_get_attributes (attributes) : NULL;
  guint n = 0;

  for (GSList *link = list; link != NULL; link = link->next)
    n += ((PangoAttribute *) link->data)->klass->type == PANGO_ATTR_BACKGROUND ? 1 : 0;
  g_slist_free_full (list, (GDestroyNotify) pango_attribute_destroy);
  return n;
}

/* Run a: steps 1, 5, 9; run b: step 5 alone. */
static void
start (WindowFixture *fixture)
{
  g_autofree char *first = NULL, *second = NULL, *runs = NULL;

  fixture->folder = g_dir_make_tmp ("sonde-texts-XXXXXX", NULL);
  first = g_build_filename (fixture->folder, "runs", "a", NULL);
  second = g_build_filename (fixture->folder, "runs", "b", NULL);
  runs = g_build_filename (fixture->folder, "runs", NULL);
  fixture->run_a = sonde_test_run_new (first);
  fixture->run_b = sonde_test_run_new (second);
  add_text (fixture->run_a, "generated", 1, early);
  add_text (fixture->run_a, "generated", 5, late);
  add_text (fixture->run_a, "generated", 9, late);
  add_text (fixture->run_b, "generated", 5, early);
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
choose (WindowFixture *fixture, guint which, guint entry)
{
  gtk_drop_down_set_selected (find_drop_down (fixture, which), entry);
  window_fixture_settle (fixture);
}

static SondeTextDiffList *
find_diff (WindowFixture *fixture)
{
  return SONDE_TEXT_DIFF_LIST (window_fixture_find (page_of (fixture), SONDE_TYPE_TEXT_DIFF_LIST));
}

/* With the step before, then with itself, then with another run. */
static void
test_difference (void)
{
  WindowFixture fixture = { 0 };

  start (&fixture);
  g_assert_true (says (&fixture, "The dog sat"));
  choose (&fixture, 0, WITH_STEP);
  g_assert_true (says (&fixture, "a · step 1 → a · step 5"));
  g_assert_true (says (&fixture, "lines: −1 +2"));
  g_assert_true (says (&fixture, "The cat sat on the mat."));
  g_assert_true (says (&fixture, "The dog sat on the mat."));
  g_assert_true (says (&fixture, "- nine"));
  g_assert_true (says (&fixture, "4 equal lines"));
  g_assert_cmpuint (sonde_text_diff_list_get_n_changes (find_diff (&fixture)), ==, 2);
  sonde_step_cursor_set_step (sonde_workspace_get_cursor (fixture.workspace), 1);
  window_fixture_settle (&fixture);
  g_assert_true (says (&fixture, "equal"));
  sonde_step_cursor_set_step (sonde_workspace_get_cursor (fixture.workspace), 9);
  window_fixture_settle (&fixture);
  choose (&fixture, 0, WITH_RUN);
  g_assert_true (says (&fixture, "b · step 5 (nearest to 9) → a · step 9"));
  g_assert_true (says (&fixture, "lines: −1 +2"));
  choose (&fixture, 0, WITH_NOTHING);
  g_assert_false (says (&fixture, "lines: "));
  window_fixture_clear (&fixture);
}

static char *
copy (WindowFixture *fixture)
{
  GdkContentProvider *content;
  GValue value = G_VALUE_INIT;
  char *text;

  content = gdk_clipboard_get_content (gtk_widget_get_clipboard (page_of (fixture)));
  g_value_init (&value, G_TYPE_STRING);
  g_assert_true (gdk_content_provider_get_value (content, &value, NULL));
  text = g_value_dup_string (&value);
  g_value_unset (&value);
  return text;
}

/* F7 selects a change; what is selected is copied, else all of it. */
static void
test_keys (void)
{
  WindowFixture fixture = { 0 };
  SondeTextDiffList *diff;
  g_autofree char *first = NULL, *all = NULL;

  start (&fixture);
  choose (&fixture, 0, WITH_STEP);
  choose (&fixture, 1, 0);
  diff = find_diff (&fixture);
  window_fixture_tab_to (&fixture, window_fixture_find (GTK_WIDGET (diff), GTK_TYPE_LIST_VIEW));
  g_assert_true (window_fixture_press (&fixture, GDK_KEY_F7, 0));
  g_assert_cmpuint (sonde_text_diff_list_get_change (diff), ==, 1);
  g_assert_true (says (&fixture, "1 of 2"));
  g_assert_true (window_fixture_press (&fixture, GDK_KEY_c, GDK_CONTROL_MASK));
  first = copy (&fixture);
  g_assert_cmpstr (first, ==, "-The cat sat on the mat.\n+The dog sat on the mat.\n");
  g_assert_true (window_fixture_press (&fixture, GDK_KEY_F7, GDK_SHIFT_MASK));
  g_assert_true (says (&fixture, "2 of 2"));
  g_assert_true (window_fixture_press (&fixture, GDK_KEY_F7, 0));
  g_assert_cmpuint (sonde_text_diff_list_get_change (diff), ==, 1);
  g_assert_true (gtk_widget_activate_action (GTK_WIDGET (diff), "diff.copy-all", NULL));
  all = copy (&fixture);
  g_assert_true (
      g_str_has_prefix (all, "--- a · step 1\n+++ a · step 5\n@@ -1,6 +1,6 @@\n # Samples\n"));
  window_fixture_clear (&fixture);
}

/* Side by side: as many rows as the longer side of a change, remembered. */
static void
test_beside (void)
{
  WindowFixture fixture = { 0 };

  start (&fixture);
  choose (&fixture, 0, WITH_STEP);
  choose (&fixture, 1, 1);
  g_assert_true (says (&fixture, "The cat sat on the mat."));
  g_assert_true (says (&fixture, "- nine"));
  g_assert_cmpstr (sonde_workspace_get_setting (fixture.workspace, "media", "text-mode"), ==, "1");
  choose (&fixture, 1, 0);
  window_fixture_clear (&fixture);
}

static gboolean
has_found (WindowFixture *fixture, const void *n)
{
  SondeTextFinder *finder
      = SONDE_TEXT_FINDER (window_fixture_find (page_of (fixture), SONDE_TYPE_TEXT_FINDER));

  return !sonde_text_finder_is_busy (finder)
         && sonde_text_finder_get_n_matches (finder) == GPOINTER_TO_UINT (n);
}

static void
search (WindowFixture *fixture, const char *text, guint n)
{
  GtkWidget *entry = window_fixture_find (
      window_fixture_find (page_of (fixture), SONDE_TYPE_TEXT_FINDER), GTK_TYPE_SEARCH_ENTRY);

  gtk_editable_set_text (GTK_EDITABLE (entry), text);
  g_signal_emit_by_name (entry, "search-changed"); /* which comes with a delay otherwise */
  window_fixture_wait (fixture, has_found, GUINT_TO_POINTER (n));
}

/* All steps of the run, by ascending step; the cursor goes where the place is, which is marked. */
static void
test_search (void)
{
  WindowFixture fixture = { 0 };
  GtkWidget *finder, *label;
  SondeStepCursor *cursor;

  start (&fixture);
  finder = window_fixture_find (page_of (&fixture), SONDE_TYPE_TEXT_FINDER);
  cursor = sonde_workspace_get_cursor (fixture.workspace);
  search (&fixture, "sat ON", 0); /* capital letters count once there are some */
  g_assert_true (says (&fixture, "found nowhere"));
  search (&fixture, "sat on", 3);
  g_assert_true (says (&fixture, "3 places"));
  g_assert_true (says (&fixture, "Step 1 · generated"));
  sonde_text_finder_go (SONDE_TEXT_FINDER (finder), 1);
  window_fixture_settle (&fixture);
  g_assert_true (says (&fixture, "1 of 3"));
  g_assert_cmpint (sonde_step_cursor_get_step (cursor), ==, 1);
  sonde_text_finder_go (SONDE_TEXT_FINDER (finder), -1);
  window_fixture_settle (&fixture);
  g_assert_cmpint (sonde_step_cursor_get_step (cursor), ==, 9);
  label = window_fixture_find_label (
      window_fixture_find (page_of (&fixture), SONDE_TYPE_RECORD_CARD), "The dog sat");
  g_assert_cmpuint (count_marks (label), ==, 1);
  search (&fixture, "", 0);
  g_assert_cmpuint (count_marks (label), ==, 0);
  g_assert_false (gtk_widget_get_mapped (sonde_text_finder_get_panel (SONDE_TEXT_FINDER (finder))));
  window_fixture_clear (&fixture);
}

/* Lines of which the 100th and the 250th have a needle. (transfer full) */
static char *
make_haystack (void)
{
  GString *text = g_string_new (NULL);

  for (int i = 1; i <= 300; i++)
    g_string_append_printf (text, "- line %d%s\n", i, i == 100 || i == 250 ? " has a needle" : "");
  return g_string_free (text, FALSE);
}

static GtkWidget *
find_card (GtkWidget *widget, const char *tag)
{
  GtkWidget *card = NULL;

  if (SONDE_IS_RECORD_CARD (widget)
      && g_strcmp0 (sonde_tag_card_get_tag (SONDE_TAG_CARD (widget)), tag) == 0)
    return widget;
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL && card == NULL;
       child = gtk_widget_get_next_sibling (child))
    card = find_card (child, tag);
  return card;
}

/* The y of the text that is at the middle of what is seen of it, of its whole height. */
static double
get_place (WindowFixture *fixture)
{
  GtkWidget *card = find_card (page_of (fixture), "long");
  GtkAdjustment *adjustment;

  g_assert_nonnull (card);
  adjustment = gtk_scrolled_window_get_vadjustment (
      GTK_SCROLLED_WINDOW (window_fixture_find (card, GTK_TYPE_SCROLLED_WINDOW)));
  return (gtk_adjustment_get_value (adjustment) + gtk_adjustment_get_page_size (adjustment) / 2)
         / gtk_adjustment_get_upper (adjustment);
}

/* What was found is scrolled to, also where its step must be read first. */
static void
test_reveal (void)
{
  WindowFixture fixture = { 0 };
  g_autofree char *haystack = make_haystack ();
  SondeTextFinder *finder;

  start (&fixture);
  add_text (fixture.run_a, "long", 1, "Nothing yet.");
  add_text (fixture.run_a, "long", 9, haystack);
  sonde_test_run_flush (fixture.run_a);
  finder = SONDE_TEXT_FINDER (window_fixture_find (page_of (&fixture), SONDE_TYPE_TEXT_FINDER));
  search (&fixture, "needle", 2);
  sonde_text_finder_go (finder, 1);
  window_fixture_settle (&fixture);
  g_assert_cmpfloat_with_epsilon (get_place (&fixture), 100 / 300.0, 0.08);
  sonde_text_finder_go (finder, 1);
  window_fixture_settle (&fixture);
  g_assert_cmpfloat_with_epsilon (get_place (&fixture), 250 / 300.0, 0.08);
  sonde_text_finder_go (finder, 1);
  window_fixture_settle (&fixture);
  g_assert_cmpfloat_with_epsilon (get_place (&fixture), 100 / 300.0, 0.08);
  window_fixture_clear (&fixture);
}

/* A pattern, one that is wrong, and the run's own texts alone. */
static void
test_pattern (void)
{
  WindowFixture fixture = { 0 };
  GtkWidget *finder, *entry;
  g_autoptr (SondeRun) other = NULL;

  start (&fixture);
  finder = window_fixture_find (page_of (&fixture), SONDE_TYPE_TEXT_FINDER);
  entry = window_fixture_find (finder, GTK_TYPE_SEARCH_ENTRY);
  search (&fixture, "^the (cat|dog)", 0);
  gtk_toggle_button_set_active (
      GTK_TOGGLE_BUTTON (window_fixture_find (finder, GTK_TYPE_TOGGLE_BUTTON)), TRUE);
  window_fixture_wait (&fixture, has_found, GUINT_TO_POINTER (3));
  other = g_list_model_get_item (sonde_workspace_get_shown_runs (fixture.workspace), 1);
  sonde_workspace_set_run (fixture.workspace, other);
  window_fixture_wait (&fixture, has_found, GUINT_TO_POINTER (1));
  search (&fixture, "(", 0);
  g_assert_true (gtk_widget_has_css_class (entry, "error"));
  g_assert_nonnull (gtk_widget_get_tooltip_text (entry));
  g_assert_null (sonde_text_finder_get_pattern (SONDE_TEXT_FINDER (finder)));
  window_fixture_clear (&fixture);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  if (!window_fixture_prepare ())
    return 0;
  g_test_add_func ("/app/pages/media-texts/difference", test_difference);
  g_test_add_func ("/app/pages/media-texts/keys", test_keys);
  g_test_add_func ("/app/pages/media-texts/beside", test_beside);
  g_test_add_func ("/app/pages/media-texts/search", test_search);
  g_test_add_func ("/app/pages/media-texts/reveal", test_reveal);
  g_test_add_func ("/app/pages/media-texts/pattern", test_pattern);
  return g_test_run ();
}
