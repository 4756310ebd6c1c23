/* SPDX-License-Identifier: Apache-2.0
 * A folder of one's own for tests that write datasets. */
#include "tests/data/datasets/dataset-fixture.h"

#include <glib/gstdio.h>

void
fixture_set_up (Fixture *fixture, gconstpointer data)
{
  fixture->folder = g_dir_make_tmp ("sonde-datasets-XXXXXX", NULL);
}

static void
remove_tree (const char *path)
{
  g_autoptr (GDir) dir = g_dir_open (path, 0, NULL);
  const char *name;

  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *child = g_build_filename (path, name, NULL);

      remove_tree (child);
    }
  g_assert_cmpint (g_remove (path), ==, 0);
}

void
fixture_tear_down (Fixture *fixture, gconstpointer data)
{
  remove_tree (fixture->folder);
  g_free (fixture->folder);
}

void
fixture_put (const Fixture *fixture, const char *name, const void *data, gssize length)
{
  g_autofree char *path = g_build_filename (fixture->folder, name, NULL);
  g_autofree char *parent = g_path_get_dirname (path);

  g_assert_cmpint (g_mkdir_with_parents (parent, 0700), ==, 0);
  g_assert_true (g_file_set_contents (path, data, length, NULL));
}
