/* SPDX-License-Identifier: Apache-2.0 */
#include "app/workspace/sonde-recording-folder.h"

#include <string.h>

#include <glib/gstdio.h>

#define MAX_TITLE 80 /* bytes of a name, which may have 255 */

static char *
dup_parent (void)
{
  return g_build_filename (g_get_user_cache_dir (), "sonde", "profiles", NULL);
}

static void
remove_tree (const char *path)
{
  g_autoptr (GDir) dir = g_dir_open (path, 0, NULL);
  const char *name;

  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *inside = g_build_filename (path, name, NULL);

      if (g_file_test (inside, G_FILE_TEST_IS_DIR) && !g_file_test (inside, G_FILE_TEST_IS_SYMLINK))
        remove_tree (inside);
      else
        g_unlink (inside);
    }
  g_rmdir (path);
}

void
sonde_recording_folder_remove (const char *path)
{
  g_autofree char *parent = dup_parent (), *own = g_path_get_dirname (path);

  if (g_str_equal (parent, own))
    remove_tree (path);
}

static int
compare_paths (gconstpointer a, gconstpointer b)
{
  GStatBuf one = { 0 }, other = { 0 };

  g_stat (*(char *const *) a, &one);
  g_stat (*(char *const *) b, &other);
  return (one.st_mtime > other.st_mtime) - (one.st_mtime < other.st_mtime);
}

/* Room for one more. */
static void
remove_old (const char *parent)
{
  g_autoptr (GPtrArray) paths = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GDir) dir = g_dir_open (parent, 0, NULL);
  const char *name;

  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    g_ptr_array_add (paths, g_build_filename (parent, name, NULL));
  g_ptr_array_sort (paths, compare_paths);
  for (guint i = 0; i + SONDE_RECORDING_FOLDERS <= paths->len; i++)
    sonde_recording_folder_remove (g_ptr_array_index (paths, i));
}

/* What may stand in the name of a file. */
static char *
make_name (const char *title)
{
  g_autofree char *valid = g_utf8_make_valid (title, (gssize) MIN (strlen (title), MAX_TITLE));
  g_autoptr (GDateTime) now = g_date_time_new_now_local ();
  g_autofree char *time = g_date_time_format (now, "%Y-%m-%d %H-%M-%S");

  g_strdelimit (valid, "/\\", '-');
  return g_strdup_printf ("%s %s", g_str_has_prefix (valid, ".") ? "profile" : valid, time);
}

char *
sonde_recording_folder_choose (const char *title)
{
  g_autofree char *parent = dup_parent (), *name = make_name (title);
  char *path = g_build_filename (parent, name, NULL);

  remove_old (parent);
  for (guint i = 2; g_file_test (path, G_FILE_TEST_EXISTS); i++)
    {
      g_autofree char *other = g_strdup_printf ("%s (%u)", name, i);

      g_free (path);
      path = g_build_filename (parent, other, NULL);
    }
  return path;
}
