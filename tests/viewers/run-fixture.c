/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/viewers/run-fixture.h"

#include <glib/gstdio.h>

void
run_fixture_init (RunFixture *fixture)
{
  g_autofree char *runs = NULL;

  fixture->folder = g_dir_make_tmp ("sonde-viewers-XXXXXX", NULL);
  runs = g_build_filename (fixture->folder, "runs", NULL);
  fixture->writer = sonde_test_run_new (runs);
  fixture->store = NULL;
}

static void
remove_tree (const char *path)
{
  g_autoptr (GDir) folder = g_dir_open (path, 0, NULL);
  const char *name;

  while (folder != NULL && (name = g_dir_read_name (folder)) != NULL)
    {
      g_autofree char *child = g_build_filename (path, name, NULL);

      if (g_file_test (child, G_FILE_TEST_IS_DIR))
        remove_tree (child);
      else
        g_unlink (child);
    }
  g_rmdir (path);
}

void
run_fixture_clear (RunFixture *fixture)
{
  g_clear_object (&fixture->store);
  g_clear_pointer (&fixture->writer, sonde_test_run_free);
  remove_tree (fixture->folder);
  g_clear_pointer (&fixture->folder, g_free);
}

SondeRun *
run_fixture_settle (RunFixture *fixture)
{
  g_autofree char *runs = g_build_filename (fixture->folder, "runs", NULL);
  g_autofree char *index = g_build_filename (fixture->folder, "index", NULL);
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeRun) run = NULL;

  sonde_test_run_flush (fixture->writer);
  if (fixture->store == NULL)
    fixture->store = sonde_run_store_new (NULL, (const char *const[]){ runs, NULL }, index);
  sonde_run_store_settle (fixture->store, NULL, &error);
  g_assert_no_error (error);
  run = g_list_model_get_item (G_LIST_MODEL (fixture->store), 0);
  g_assert_nonnull (run);
  return run; /* the store holds it */
}
