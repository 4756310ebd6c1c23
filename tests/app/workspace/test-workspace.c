/* SPDX-License-Identifier: Apache-2.0
 * What a window has open: step cursor, documents, the runs that are shown. No display. */
#include <glib/gstdio.h>

#include "app/workspace/sonde-workspace.h"
#include "tests/support/sonde-test-program.h"
#include "tests/support/sonde-test-run.h"

static void
count (int *n)
{
  ++*n;
}

static void
test_cursor (void)
{
  g_autoptr (SondeStepCursor) cursor = sonde_step_cursor_new ();
  int steps = 0, modes = 0;

  g_signal_connect_swapped (cursor, "notify::step", G_CALLBACK (count), &steps);
  g_signal_connect_swapped (cursor, "notify::following", G_CALLBACK (count), &modes);
  sonde_step_cursor_set_last (cursor, 10);
  g_assert_cmpint (sonde_step_cursor_get_step (cursor), ==, 10);
  sonde_step_cursor_set_step (cursor, 10);
  g_assert_cmpint (steps, ==, 1);
  g_assert_cmpint (modes, ==, 1);
  sonde_step_cursor_set_last (cursor, 20);
  g_assert_cmpint (sonde_step_cursor_get_step (cursor), ==, 10);
  sonde_step_cursor_follow (cursor);
  g_assert_cmpint (sonde_step_cursor_get_step (cursor), ==, 20);
  g_assert_true (sonde_step_cursor_is_following (cursor));
}

static void
add_run (const char *folder, const char *name)
{
  g_autofree char *path = g_build_filename (folder, "runs", name, NULL);
  g_autoptr (SondeTestRun) run = sonde_test_run_new (path);

  sonde_test_run_scalars (run, 0, "loss", 1.0, NULL);
  sonde_test_run_flush (run);
}

/* A folder with RUNS/group/a, group/b and single. (transfer full) */
static char *
make_runs (void)
{
  char *folder = sonde_test_folder_new ();

  add_run (folder, "group/a");
  add_run (folder, "group/b");
  add_run (folder, "single");
  return folder;
}

/* A folder is looked through for runs, and the models in it are opened as if they were named. */
static void
test_folder_models (void)
{
  static const char *const files[] = { "second.onnx",  "first.onnx", "first.onnx.data",
                                       "third.tflite", "fourth.pt2", "notes.txt" };
  g_autofree char *own = make_runs (), *runs = NULL, *index = NULL, *folder = NULL;
  g_autoptr (SondeWorkspace) workspace = NULL;
  g_autoptr (GError) error = NULL;
  const char *const *documents;

  runs = g_build_filename (own, "runs", NULL);
  index = g_build_filename (own, "index", NULL);
  folder = g_build_filename (runs, "folder.onnx", NULL);
  for (gsize i = 0; i < G_N_ELEMENTS (files); i++)
    {
      g_autofree char *path = g_build_filename (runs, files[i], NULL);

      g_file_set_contents (path, "", 0, &error);
      g_assert_no_error (error);
    }
  g_assert_cmpint (g_mkdir (folder, 0700), ==, 0);
  workspace = sonde_workspace_new (NULL, "sonde", (const char *const[]){ runs, NULL }, index);
  documents = sonde_workspace_get_documents (workspace);
  g_assert_cmpuint (g_strv_length ((char **) documents), ==, 4);
  g_assert_true (g_str_has_suffix (documents[0], "/runs/first.onnx"));
  g_assert_true (g_str_has_suffix (documents[1], "/runs/fourth.pt2"));
  g_assert_true (g_str_has_suffix (documents[2], "/runs/second.onnx"));
  g_assert_true (g_str_has_suffix (documents[3], "/runs/third.tflite"));
  g_assert_true (sonde_run_store_settle (sonde_workspace_get_store (workspace), NULL, &error));
  g_assert_nonnull (sonde_run_store_find (sonde_workspace_get_store (workspace), "single"));
  g_clear_object (&workspace);
  sonde_test_folder_free (g_steal_pointer (&own));
}

/* A folder that msprobe dumped into is what the debugger is to open, and no run. */
static void
test_dump (void)
{
  g_autofree char *own = sonde_test_folder_new (), *index = g_build_filename (own, "index", NULL),
                  *dump = g_build_filename (own, "dump", NULL),
                  *rank = g_build_filename (dump, "step0", "rank0", NULL),
                  *listing = g_build_filename (rank, "dump.json", NULL);
  g_autoptr (SondeWorkspace) workspace = NULL;

  g_assert_cmpint (g_mkdir_with_parents (rank, 0700), ==, 0);
  g_assert_true (g_file_set_contents (
      listing, "{\"task\": \"tensor\", \"level\": \"L0\", \"data\": {}}", -1, NULL));
  workspace = sonde_workspace_new (NULL, "sonde", (const char *const[]){ dump, NULL }, index);
  g_assert_cmpstr (sonde_workspace_get_debug_arguments (workspace)[1], ==, dump);
  g_assert_null (sonde_workspace_get_documents (workspace)[0]);
  g_assert_cmpuint (g_list_model_get_n_items (sonde_workspace_get_shown_runs (workspace)), ==, 0);
  g_clear_object (&workspace);
  sonde_test_folder_free (g_steal_pointer (&own));
}

/* What is no run is a document; an expression that is none changes nothing. */
static void
test_filter (void)
{
  g_autofree char *folder = make_runs (), *index = g_build_filename (folder, "index", NULL),
                  *runs = g_build_filename (folder, "runs", NULL);
  g_autoptr (SondeWorkspace) workspace = sonde_workspace_new (
      NULL, "sonde", (const char *const[]){ runs, "model.onnx", NULL }, index);
  g_autoptr (GError) error = NULL;

  g_assert_cmpstr (sonde_workspace_get_documents (workspace)[0], ==, "model.onnx");
  g_assert_true (sonde_run_store_settle (sonde_workspace_get_store (workspace), NULL, &error));
  g_assert_true (sonde_workspace_set_filter (workspace, "single", NULL));
  g_assert_false (sonde_workspace_set_filter (workspace, "*", &error));
  g_assert_nonnull (error);
  g_assert_cmpuint (g_list_model_get_n_items (sonde_workspace_get_shown_runs (workspace)), ==, 1);
  g_clear_object (&workspace);
  sonde_test_folder_free (g_steal_pointer (&folder));
}

/* New points leave the structure as it is; a tag, a run, a title, a tick and a filter do not. */
static void
test_structure (void)
{
  g_autofree char *folder = sonde_test_folder_new (),
                  *runs = g_build_filename (folder, "runs", NULL),
                  *path = g_build_filename (runs, "a", NULL),
                  *index = g_build_filename (folder, "index", NULL);
  g_autoptr (SondeTestRun) file = sonde_test_run_new (path);
  g_autoptr (SondeWorkspace) workspace = NULL;
  g_autoptr (GError) error = NULL;
  SondeRunStore *store;
  SondeRun *run;
  guint64 before;

  sonde_test_run_scalars (file, 0, "loss", 1.0, NULL);
  sonde_test_run_flush (file);
  workspace = sonde_workspace_new (NULL, "sonde", (const char *const[]){ runs, NULL }, index);
  store = sonde_workspace_get_store (workspace);
  g_assert_true (sonde_run_store_settle (store, NULL, &error));
  before = sonde_workspace_get_structure (workspace);

  sonde_test_run_scalars (file, 1, "loss", 0.5, NULL);
  sonde_test_run_flush (file);
  g_assert_true (sonde_run_store_settle (store, NULL, &error));
  run = sonde_run_store_find (store, "a");
  g_assert_cmpuint (sonde_series_get_n_points (sonde_run_get_series (run, "loss")), ==, 2);
  g_assert_cmpuint (sonde_workspace_get_structure (workspace), ==, before);

  sonde_test_run_scalars (file, 2, "accuracy", 0.5, NULL);
  sonde_test_run_flush (file);
  g_assert_true (sonde_run_store_settle (store, NULL, &error));
  g_assert_cmpuint (sonde_workspace_get_structure (workspace), >, before);
  before = sonde_workspace_get_structure (workspace);
  add_run (folder, "b");
  g_assert_true (sonde_run_store_settle (store, NULL, &error));
  g_assert_cmpuint (sonde_workspace_get_structure (workspace), >, before);
  before = sonde_workspace_get_structure (workspace);
  sonde_workspace_set_run_title (workspace, run, "first");
  g_assert_cmpuint (sonde_workspace_get_structure (workspace), >, before);
  before = sonde_workspace_get_structure (workspace);
  sonde_workspace_set_shown (workspace, run, FALSE);
  g_assert_cmpuint (sonde_workspace_get_structure (workspace), >, before);
  before = sonde_workspace_get_structure (workspace);
  g_assert_true (sonde_workspace_set_filter (workspace, "b", NULL));
  g_assert_cmpuint (sonde_workspace_get_structure (workspace), >, before);
  g_clear_object (&workspace);
  sonde_test_folder_free (g_steal_pointer (&folder));
}

typedef struct
{
  guint n_changes, removed, added;
} Changes;

static void
on_items_changed (GListModel *model, guint position, guint removed, guint added, Changes *changes)
{
  changes->n_changes++;
  changes->removed += removed;
  changes->added += added;
}

static char *
join_names (GListModel *runs)
{
  GString *names = g_string_new (NULL);

  for (guint i = 0; i < g_list_model_get_n_items (runs); i++)
    {
      g_autoptr (SondeRun) run = g_list_model_get_item (runs, i);

      g_string_append_printf (names, "%s ", sonde_run_get_name (run));
    }
  return g_string_free (names, FALSE);
}

static void
check_names (GListModel *runs, const char *expected)
{
  g_autofree char *names = join_names (runs);

  g_assert_cmpstr (names, ==, expected);
}

/* Runs that are hidden or do not match leave the list, come back to their place, and new ones are
 * looked at; nothing is said when nothing changes. */
static void
test_shown_runs (void)
{
  g_autofree char *own = make_runs (), *runs = NULL, *index = NULL;
  g_autoptr (SondeWorkspace) workspace = NULL;
  g_autoptr (SondeRun) first = NULL;
  g_autoptr (GError) error = NULL;
  Changes changes = { 0 };
  GListModel *shown;

  runs = g_build_filename (own, "runs", NULL);
  index = g_build_filename (own, "index", NULL);
  workspace = sonde_workspace_new (NULL, "sonde", (const char *const[]){ runs, NULL }, index);
  g_assert_true (sonde_run_store_settle (sonde_workspace_get_store (workspace), NULL, &error));
  shown = sonde_workspace_get_shown_runs (workspace);
  check_names (shown, "group/a group/b single ");
  g_signal_connect (shown, "items-changed", G_CALLBACK (on_items_changed), &changes);

  first = g_list_model_get_item (shown, 0);
  sonde_workspace_set_shown (workspace, first, FALSE);
  check_names (shown, "group/b single ");
  sonde_workspace_set_shown (workspace, first, FALSE);
  g_assert_cmpuint (changes.n_changes, ==, 1);
  g_assert_true (sonde_workspace_set_filter (workspace, "single", NULL));
  check_names (shown, "single ");
  add_run (own, "another");
  g_assert_true (sonde_run_store_settle (sonde_workspace_get_store (workspace), NULL, &error));
  check_names (shown, "single ");
  g_assert_true (sonde_workspace_set_filter (workspace, NULL, NULL));
  check_names (shown, "another group/b single ");
  sonde_workspace_show_only (workspace, first);
  check_names (shown, "group/a ");
  sonde_workspace_show_only (workspace, NULL);
  check_names (shown, "another group/a group/b single ");
  g_assert_cmpuint (3 + changes.added - changes.removed, ==, 4);
  g_signal_handlers_disconnect_by_data (shown, &changes);
  g_clear_object (&workspace);
  sonde_test_folder_free (g_steal_pointer (&own));
}

/* What the window remembers lies in the user's folder. */
static void
use_own_settings (void)
{
  g_autofree char *folder = g_dir_make_tmp ("sonde-workspace-XXXXXX", NULL);

  g_setenv ("XDG_CONFIG_HOME", folder, TRUE);
  g_setenv ("XDG_CACHE_HOME", folder, TRUE);
  g_setenv ("XDG_DATA_HOME", folder, TRUE);
}

/* A filter that hides the chosen run leaves it for one that is listed; it comes back with the filter,
 * unless somebody chose meanwhile. */
static void
test_filtered_run (void)
{
  g_autofree char *own = make_runs (), *runs = g_build_filename (own, "runs", NULL);
  g_autofree char *index = g_build_filename (own, "index", NULL);
  g_autoptr (SondeWorkspace) workspace
      = sonde_workspace_new (NULL, "sonde", (const char *const[]){ runs, NULL }, index);
  g_autoptr (SondeRun) a = NULL, single = NULL;

  g_assert_true (sonde_run_store_settle (sonde_workspace_get_store (workspace), NULL, NULL));
  a = g_list_model_get_item (G_LIST_MODEL (sonde_workspace_get_store (workspace)), 0);
  single = g_list_model_get_item (G_LIST_MODEL (sonde_workspace_get_store (workspace)), 2);
  sonde_workspace_set_run (workspace, a);
  g_assert_true (sonde_workspace_set_filter (workspace, "single", NULL));
  g_assert_true (sonde_workspace_get_run (workspace) == single);
  g_assert_true (sonde_workspace_set_filter (workspace, "nothing", NULL));
  g_assert_true (sonde_workspace_get_run (workspace) == single);
  g_assert_true (sonde_workspace_set_filter (workspace, NULL, NULL));
  g_assert_true (sonde_workspace_get_run (workspace) == a);

  g_assert_true (sonde_workspace_set_filter (workspace, "single", NULL));
  sonde_workspace_set_run (workspace, single);
  g_assert_true (sonde_workspace_set_filter (workspace, NULL, NULL));
  g_assert_true (sonde_workspace_get_run (workspace) == single);
  g_clear_object (&workspace);
  sonde_test_folder_free (g_steal_pointer (&own));
}

/* run-2 before run-10 */
static void
test_order (void)
{
  g_autofree char *own = sonde_test_folder_new (), *runs = g_build_filename (own, "runs", NULL);
  g_autofree char *index = g_build_filename (own, "index", NULL);
  g_autoptr (SondeWorkspace) workspace = NULL;

  add_run (own, "run-10");
  add_run (own, "run-2");
  add_run (own, "run-1");
  workspace = sonde_workspace_new (NULL, "sonde", (const char *const[]){ runs, NULL }, index);
  g_assert_true (sonde_run_store_settle (sonde_workspace_get_store (workspace), NULL, NULL));
  check_names (sonde_workspace_get_shown_runs (workspace), "run-1 run-2 run-10 ");
  g_clear_object (&workspace);
  sonde_test_folder_free (g_steal_pointer (&own));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  use_own_settings ();
  g_test_add_func ("/app/workspace/structure", test_structure);
  g_test_add_func ("/app/workspace/cursor", test_cursor);
  g_test_add_func ("/app/workspace/filter", test_filter);
  g_test_add_func ("/app/workspace/filtered-run", test_filtered_run);
  g_test_add_func ("/app/workspace/order", test_order);
  g_test_add_func ("/app/workspace/folder-models", test_folder_models);
  g_test_add_func ("/app/workspace/shown-runs", test_shown_runs);
  g_test_add_func ("/app/workspace/dump", test_dump);
  return g_test_run ();
}
