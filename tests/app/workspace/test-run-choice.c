/* SPDX-License-Identifier: Apache-2.0
 * What a person says of runs in a window, and that it can be undone. No display. */
#include <string.h>

#include "app/workspace/sonde-workspace.h"
#include "tests/support/sonde-test-program.h"
#include "tests/support/sonde-test-run.h"
#include "viewers/paint/sonde-theme.h"

typedef struct
{
  char *folder, *runs;
  SondeWorkspace *workspace;
  char *said; /* the last sentence */
} Fixture;

static void
add_run (Fixture *fixture, const char *name)
{
  g_autofree char *path = g_build_filename (fixture->runs, name, NULL);
  g_autoptr (SondeTestRun) run = sonde_test_run_new (path);

  sonde_test_run_scalars (run, 0, "loss", 1.0, NULL);
  sonde_test_run_record (run, &(SondeRecord){ .kind = SONDE_RECORD_END, .session = 1 });
  sonde_test_run_flush (run);
}

static void
on_sentence (SondeWorkspace *workspace, const char *sentence, Fixture *fixture)
{
  g_free (fixture->said);
  fixture->said = g_strdup (sentence);
}

static void
on_notice (SondeWorkspace *workspace, const char *sentence, const char *button, const char *action,
           Fixture *fixture)
{
  on_sentence (workspace, sentence, fixture);
}

static void
settle (Fixture *fixture)
{
  g_autoptr (GError) error = NULL;

  g_assert_true (
      sonde_run_store_settle (sonde_workspace_get_store (fixture->workspace), NULL, &error));
  g_assert_no_error (error);
}

static void
open_workspace (Fixture *fixture)
{
  g_autofree char *index = g_build_filename (fixture->folder, "index", NULL);

  fixture->workspace
      = sonde_workspace_new (NULL, "sonde", (const char *const[]){ fixture->runs, NULL }, index);
  g_signal_connect (fixture->workspace, "problem", G_CALLBACK (on_sentence), fixture);
  g_signal_connect (fixture->workspace, "notice", G_CALLBACK (on_notice), fixture);
  settle (fixture);
}

static void
fixture_init (Fixture *fixture)
{
  fixture->folder = sonde_test_folder_new ();
  fixture->runs = g_build_filename (fixture->folder, "runs", NULL);
  add_run (fixture, "group/a");
  add_run (fixture, "group/b");
  add_run (fixture, "single");
  open_workspace (fixture);
}

static void
fixture_clear (Fixture *fixture)
{
  g_clear_object (&fixture->workspace);
  g_free (fixture->runs);
  g_free (fixture->said);
  sonde_test_folder_free (fixture->folder);
}

static SondeRun *
find (Fixture *fixture, const char *name)
{
  SondeRun *run = sonde_run_store_find (sonde_workspace_get_store (fixture->workspace), name);

  g_assert_nonnull (run);
  return run;
}

/* (transfer full) */
static GPtrArray *
list_runs (Fixture *fixture, const char *const *names)
{
  GPtrArray *runs = g_ptr_array_new_with_free_func (g_object_unref);

  for (gsize i = 0; names[i] != NULL; i++)
    g_ptr_array_add (runs, g_object_ref (find (fixture, names[i])));
  return runs;
}

static void
check_shown (Fixture *fixture, const char *expected)
{
  GListModel *runs = sonde_workspace_get_shown_runs (fixture->workspace);
  g_autoptr (GString) names = g_string_new (NULL);

  for (guint i = 0; i < g_list_model_get_n_items (runs); i++)
    {
      g_autoptr (SondeRun) run = g_list_model_get_item (runs, i);

      g_string_append_printf (names, "%s%s", i > 0 ? " " : "", sonde_run_get_name (run));
    }
  g_assert_cmpstr (names->str, ==, expected);
}

static void
undo (Fixture *fixture)
{
  g_assert_true (sonde_history_undo (sonde_workspace_get_history (fixture->workspace)));
}

/* ---- history ------------------------------------------------------------- */

static void
on_step (gpointer data, gboolean redo)
{
  *(int *) data += redo ? 1 : -1;
}

static void
test_history (void)
{
  g_autoptr (SondeHistory) history = sonde_history_new ();
  int a = 1, b = 1;

  g_assert_false (sonde_history_undo (history));
  sonde_history_add (history, "a", on_step, &a, NULL);
  sonde_history_add (history, "b", on_step, &b, NULL);
  g_assert_cmpstr (sonde_history_get_undo (history), ==, "b");
  g_assert_true (sonde_history_undo (history));
  g_assert_cmpint (b, ==, 0);
  g_assert_cmpstr (sonde_history_get_redo (history), ==, "b");
  g_assert_true (sonde_history_redo (history));
  g_assert_cmpint (b, ==, 1);
  g_assert_true (sonde_history_undo (history));
  sonde_history_add (history, "c", on_step, &a, NULL);
  g_assert_null (sonde_history_get_redo (history));
  for (int i = 0; i < 300; i++)
    sonde_history_add (history, "many", on_step, &a, NULL);
  a = 200;
  while (sonde_history_undo (history))
    ;
  g_assert_cmpint (a, ==, 0);
}

/* ---- boxes --------------------------------------------------------------- */

static void
test_boxes (void)
{
  static const char *const group[] = { "group/a", "group/b", NULL };
  Fixture fixture = { 0 };
  g_autoptr (GPtrArray) runs = NULL;

  fixture_init (&fixture);
  runs = list_runs (&fixture, group);
  sonde_workspace_show_runs (fixture.workspace, runs, FALSE);
  check_shown (&fixture, "single");
  sonde_workspace_invert_shown (fixture.workspace);
  check_shown (&fixture, "group/a group/b");
  undo (&fixture);
  check_shown (&fixture, "single");
  undo (&fixture);
  check_shown (&fixture, "group/a group/b single");
  g_assert_true (sonde_history_redo (sonde_workspace_get_history (fixture.workspace)));
  check_shown (&fixture, "single");
  sonde_workspace_show_only_runs (fixture.workspace, runs);
  check_shown (&fixture, "group/a group/b");

  g_assert_true (sonde_workspace_set_filter (fixture.workspace, "b$", NULL));
  sonde_workspace_show_only_matching (fixture.workspace);
  g_assert_true (sonde_workspace_set_filter (fixture.workspace, NULL, NULL));
  check_shown (&fixture, "group/b");
  sonde_workspace_show_only_runs (fixture.workspace, NULL);
  g_clear_pointer (&runs, g_ptr_array_unref);
  fixture_clear (&fixture);
}

/* ---- marks --------------------------------------------------------------- */

/* The filter finds tags and notes; what was said is there again in the next window. */
static void
test_marks (void)
{
  static const char *const names[] = { "group/a", "single", NULL };
  Fixture fixture = { 0 };
  g_autoptr (GPtrArray) runs = NULL;

  fixture_init (&fixture);
  runs = list_runs (&fixture, names);
  sonde_workspace_mark_runs (fixture.workspace, runs, SONDE_RUN_MARK_TAGS, "baseline");
  g_ptr_array_set_size (runs, 1);
  sonde_workspace_mark_runs (fixture.workspace, runs, SONDE_RUN_MARK_NOTE, "the odd one");
  g_assert_true (sonde_workspace_set_filter (fixture.workspace, "Baseline", NULL));
  check_shown (&fixture, "group/a single");
  g_assert_true (sonde_workspace_set_filter (fixture.workspace, "odd", NULL));
  check_shown (&fixture, "group/a");
  undo (&fixture);
  check_shown (&fixture, "");
  g_clear_pointer (&runs, g_ptr_array_unref);
  g_clear_object (&fixture.workspace);

  open_workspace (&fixture);
  g_assert_cmpstr (sonde_workspace_get_run_mark (fixture.workspace, find (&fixture, "single"),
                                                 SONDE_RUN_MARK_TAGS),
                   ==, "baseline");
  g_assert_null (sonde_workspace_get_run_mark (fixture.workspace, find (&fixture, "group/a"),
                                               SONDE_RUN_MARK_NOTE));
  fixture_clear (&fixture);
}

/* ---- colours ------------------------------------------------------------- */

static guint
color (Fixture *fixture, const char *name)
{
  return sonde_run_get_color_index (find (fixture, name));
}

static void
test_colors (void)
{
  static const char *const names[] = { "single", NULL };
  Fixture fixture = { 0 };
  g_autoptr (GPtrArray) runs = NULL;
  g_autoptr (GError) error = NULL;
  guint before;

  fixture_init (&fixture);
  runs = list_runs (&fixture, names);
  before = color (&fixture, "group/b");
  g_assert_cmpuint (color (&fixture, "group/a"), !=, before);
  g_assert_true (sonde_workspace_set_color_rule (fixture.workspace, "folder", NULL));
  g_assert_cmpuint (color (&fixture, "group/a"), ==, color (&fixture, "group/b"));
  g_assert_cmpuint (color (&fixture, "group/a"), !=, color (&fixture, "single"));
  g_assert_false (sonde_workspace_set_color_rule (fixture.workspace, "regex:(", &error));
  g_assert_nonnull (error);
  g_assert_true (sonde_workspace_set_color_rule (fixture.workspace, "regex:/([ab])", NULL));
  g_assert_cmpuint (color (&fixture, "group/a"), ==, 0);
  g_assert_cmpuint (color (&fixture, "group/b"), ==, 1);
  g_assert_cmpuint (color (&fixture, "single"), ==, sonde_series_own_color (0x808080));

  sonde_workspace_mark_runs (fixture.workspace, runs, SONDE_RUN_MARK_COLOR, "#ff0000");
  g_assert_cmpuint (color (&fixture, "single"), ==, sonde_series_own_color (0xff0000));
  for (int i = 0; i < 3; i++)
    undo (&fixture);
  g_assert_cmpstr (sonde_workspace_get_color_rule (fixture.workspace), ==, "run");
  g_assert_cmpuint (color (&fixture, "group/b"), ==, before);
  g_clear_pointer (&runs, g_ptr_array_unref);
  fixture_clear (&fixture);
}

/* ---- trash --------------------------------------------------------------- */

static gboolean
is_there (Fixture *fixture, const char *name)
{
  g_autofree char *path = g_build_filename (fixture->runs, name, NULL);

  return g_file_test (path, G_FILE_TEST_IS_DIR);
}

/* A folder goes with what lies in it, and comes back with it. */
static void
test_trash (void)
{
  static const char *const names[] = { "dump", "dump/below", "single", NULL };
  Fixture fixture = { 0 };
  g_autoptr (GPtrArray) runs = NULL;

  fixture_init (&fixture);
  add_run (&fixture, "dump");
  add_run (&fixture, "dump/below");
  settle (&fixture);
  runs = list_runs (&fixture, names);
  sonde_workspace_trash_runs (fixture.workspace, runs);
  g_assert_cmpstr (fixture.said, ==, "3 runs were moved to the trash");
  g_assert_false (is_there (&fixture, "dump"));
  g_assert_false (is_there (&fixture, "single"));
  settle (&fixture);
  check_shown (&fixture, "group/a group/b");
  undo (&fixture);
  g_assert_true (is_there (&fixture, "dump/below"));
  settle (&fixture);
  check_shown (&fixture, "dump dump/below group/a group/b single");
  g_assert_true (sonde_history_redo (sonde_workspace_get_history (fixture.workspace)));
  g_assert_false (is_there (&fixture, "dump"));

  /* Something new stands where it was: it stays in the trash, and that is said. */
  add_run (&fixture, "dump");
  undo (&fixture);
  g_assert_nonnull (strstr (fixture.said, "“dump” was not restored"));
  g_assert_false (is_there (&fixture, "dump/below"));
  g_assert_true (is_there (&fixture, "single"));
  g_clear_pointer (&runs, g_ptr_array_unref);
  fixture_clear (&fixture);
}

/* What was written to a moment ago and not ended, and what was opened, stays. */
static void
test_trash_refused (void)
{
  static const char *const names[] = { "live", NULL }, *const own[] = { ".", NULL };
  Fixture fixture = { 0 };
  g_autoptr (GPtrArray) runs = NULL, opened = NULL;
  g_autoptr (SondeTestRun) live = NULL;
  g_autofree char *path = NULL;

  fixture_init (&fixture);
  path = g_build_filename (fixture.runs, "live", NULL);
  live = sonde_test_run_new (path);
  sonde_test_run_scalars (live, 0, "loss", 1.0, NULL);
  sonde_test_run_flush (live);
  add_run (&fixture, ".");
  settle (&fixture);
  runs = list_runs (&fixture, names);
  sonde_workspace_trash_runs (fixture.workspace, runs);
  g_assert_nonnull (strstr (fixture.said, "still being written"));
  g_assert_true (is_there (&fixture, "live"));
  g_assert_null (sonde_history_get_undo (sonde_workspace_get_history (fixture.workspace)));

  sonde_test_folder_free (g_steal_pointer (&path));
  settle (&fixture);
  opened = list_runs (&fixture, own);
  sonde_workspace_trash_runs (fixture.workspace, opened);
  g_assert_nonnull (strstr (fixture.said, "what this window was opened on"));
  g_assert_true (is_there (&fixture, "single"));
  g_clear_pointer (&runs, g_ptr_array_unref);
  g_clear_pointer (&opened, g_ptr_array_unref);
  fixture_clear (&fixture);
}

/* Who opens a folder sees the run that began last; a later one does not take the page away. */
static void
test_latest (void)
{
  Fixture fixture = { 0 };
  g_autofree char *path = NULL;
  g_autoptr (SondeTestRun) run = NULL;

  fixture_init (&fixture);
  g_clear_object (&fixture.workspace);
  path = g_build_filename (fixture.runs, "group", "c", NULL);
  run = sonde_test_run_new_now (path);
  sonde_test_run_scalars (run, 0, "loss", 1.0, NULL);
  sonde_test_run_flush (run);
  open_workspace (&fixture);
  g_assert_true (sonde_workspace_get_run (fixture.workspace) == find (&fixture, "group/c"));
  add_run (&fixture, "group/d");
  settle (&fixture);
  g_assert_true (sonde_workspace_get_run (fixture.workspace) == find (&fixture, "group/c"));
  sonde_workspace_set_run (fixture.workspace, find (&fixture, "single"));
  add_run (&fixture, "group/e");
  settle (&fixture);
  g_assert_true (sonde_workspace_get_run (fixture.workspace) == find (&fixture, "single"));
  fixture_clear (&fixture);
}

/* The user's folders, the trash among them, are the test's. */
static void
use_own_folders (const char *folder)
{
  g_setenv ("HOME", folder, TRUE);
  g_setenv ("XDG_CONFIG_HOME", folder, TRUE);
  g_setenv ("XDG_CACHE_HOME", folder, TRUE);
  g_setenv ("XDG_DATA_HOME", folder, TRUE);
}

/* Explained samples are numbered by themselves: the last step is that of the training. */
static void
test_last_step (void)
{
  Fixture fixture = { .folder = sonde_test_folder_new () };
  g_autofree char *path = g_build_filename (fixture.folder, "runs", "explained", NULL);
  g_autoptr (SondeTestRun) run = sonde_test_run_new (path);
  SondeShape shape = sonde_shape_make (2, 6, 8);
  g_autoptr (SondeTensor) map = sonde_tensor_new (SONDE_DTYPE_F32, &shape);
  SondeRecord record = { .kind = SONDE_RECORD_SALIENCY,
                         .step = 365,
                         .session = 1,
                         .tag = g_intern_static_string ("saliency"),
                         .wall_time_ns = SONDE_TEST_RUN_START_NS };

  fixture.runs = g_build_filename (fixture.folder, "runs", NULL);
  record.u.saliency.map = map;
  record.u.saliency.method = (char *) "saliency";
  record.u.saliency.target_is = (char *) "true";
  record.u.saliency.note.sample = (char *) "sample-365";
  sonde_test_run_scalars (run, 7, "loss", 1.0, NULL);
  sonde_test_run_record (run, &record);
  sonde_test_run_flush (run);
  open_workspace (&fixture);
  g_assert_cmpuint (sonde_run_get_tags (find (&fixture, "explained"))->len, ==, 2);
  g_assert_cmpint (sonde_step_cursor_get_step (sonde_workspace_get_cursor (fixture.workspace)), ==,
                   7);
  fixture_clear (&fixture);
}

int
main (int argc, char **argv)
{
  g_autofree char *folder = sonde_test_folder_new ();
  int status;

  g_test_init (&argc, &argv, NULL);
  use_own_folders (folder);
  g_test_add_func ("/app/workspace/history", test_history);
  g_test_add_func ("/app/workspace/boxes", test_boxes);
  g_test_add_func ("/app/workspace/marks", test_marks);
  g_test_add_func ("/app/workspace/colors", test_colors);
  g_test_add_func ("/app/workspace/latest", test_latest);
  g_test_add_func ("/app/workspace/last-step", test_last_step);
  g_test_add_func ("/app/workspace/trash", test_trash);
  g_test_add_func ("/app/workspace/trash/refused", test_trash_refused);
  status = g_test_run ();
  sonde_test_folder_free (g_steal_pointer (&folder));
  return status;
}
