/* SPDX-License-Identifier: Apache-2.0 */
#include "app/workspace/sonde-run-trash.h"

#include <string.h>
#include <unistd.h>

#include "data/base/sonde-io.h"
#include "data/base/sonde-text.h"

#define INFO_SUFFIX ".trashinfo"
#define INFO_GROUP "Trash Info"
#define MAX_INFO_BYTES (64 << 10)

/* ---- where it lies ------------------------------------------------------- */

/* The newest place that was @path. */
typedef struct
{
  const char *path;
  char *place, *date; /* "2026-11-23T12:00:00" sorts as time does */
} Search;

/* In the trash of a volume paths are relative to its top. */
static gboolean
is_of_path (const char *value, const char *top, const char *path)
{
  g_autofree char *plain = value != NULL ? g_uri_unescape_string (value, NULL) : NULL;
  g_autofree char *full = NULL;

  if (plain == NULL)
    return FALSE;
  full = g_path_is_absolute (plain) ? g_strdup (plain) : g_build_filename (top, plain, NULL);
  return g_str_equal (full, path);
}

static void
look_at_info (Search *search, const char *trash, const char *top, const char *name)
{
  g_autofree char *info = g_build_filename (trash, "info", name, NULL);
  g_autofree char *stem = g_strndup (name, strlen (name) - strlen (INFO_SUFFIX));
  g_autofree char *place = g_build_filename (trash, "files", stem, NULL);
  g_autoptr (GBytes) bytes = sonde_io_read_file (NULL, info, MAX_INFO_BYTES, NULL);
  g_autoptr (GKeyFile) file = g_key_file_new ();
  g_autofree char *value = NULL, *date = NULL;

  if (bytes == NULL || !g_key_file_load_from_bytes (file, bytes, G_KEY_FILE_NONE, NULL)
      || !g_file_test (place, G_FILE_TEST_EXISTS))
    return;
  value = g_key_file_get_value (file, INFO_GROUP, "Path", NULL);
  date = g_key_file_get_value (file, INFO_GROUP, "DeletionDate", NULL);
  if (!is_of_path (value, top, search->path) || g_strcmp0 (date, search->date) < 0)
    return;
  g_free (search->place);
  g_free (search->date);
  search->place = g_steal_pointer (&place);
  search->date = g_steal_pointer (&date);
}

static void
look_at_trash (Search *search, const char *trash, const char *top)
{
  g_autofree char *folder = g_build_filename (trash, "info", NULL);
  g_autoptr (GDir) infos = g_dir_open (folder, 0, NULL);
  const char *name;

  while (infos != NULL && (name = g_dir_read_name (infos)) != NULL)
    if (g_str_has_suffix (name, INFO_SUFFIX))
      look_at_info (search, trash, top, name);
}

/* The home trash, then those that a volume may have above the path. (transfer full) (nullable) */
static char *
find_place (const char *path)
{
  Search search = { .path = path };
  g_autofree char *home = g_build_filename (g_get_user_data_dir (), "Trash", NULL);
  g_autofree char *shared = g_strdup_printf (".Trash/%u", (guint) getuid ());
  g_autofree char *own = g_strdup_printf (".Trash-%u", (guint) getuid ());
  g_autofree char *top = g_path_get_dirname (path);

  look_at_trash (&search, home, "/");
  for (;;)
    {
      g_autofree char *shared_trash = g_build_filename (top, shared, NULL);
      g_autofree char *own_trash = g_build_filename (top, own, NULL);
      char *above = g_path_get_dirname (top);

      look_at_trash (&search, shared_trash, top);
      look_at_trash (&search, own_trash, top);
      if (g_str_equal (above, top))
        {
          g_free (above);
          break;
        }
      g_free (top);
      top = above;
    }
  g_free (search.date);
  return search.place;
}

/* ---- there and back ------------------------------------------------------ */

char *
sonde_run_trash_put (const char *path, GError **error)
{
  g_autoptr (GFile) file = g_file_new_for_path (path);
  char *place;

  if (!g_file_trash (file, NULL, error))
    return NULL;
  place = find_place (path);
  if (place == NULL)
    g_set_error (error, G_IO_ERROR, G_IO_ERROR_NOT_FOUND,
                 _ ("“%s” is in the trash, but only the desktop's file manager can bring it back"),
                 path);
  return place;
}

static void
delete_info (const char *place)
{
  g_autofree char *files = g_path_get_dirname (place);
  g_autofree char *trash = g_path_get_dirname (files);
  g_autofree char *stem = g_path_get_basename (place);
  g_autofree char *name = g_strconcat (stem, INFO_SUFFIX, NULL);
  g_autofree char *path = g_build_filename (trash, "info", name, NULL);
  g_autoptr (GFile) info = g_file_new_for_path (path);
  g_autoptr (GError) error = NULL;

  /* An entry without its file: the trash shows nothing of it. */
  if (!g_file_delete (info, NULL, &error))
    g_debug ("cannot delete %s: %s", path, error->message);
}

gboolean
sonde_run_trash_restore (const char *place, const char *path, GError **error)
{
  g_autoptr (GFile) from = g_file_new_for_path (place);
  g_autoptr (GFile) to = g_file_new_for_path (path);

  if (!g_file_move (from, to, G_FILE_COPY_NO_FALLBACK_FOR_MOVE, NULL, NULL, NULL, error))
    return FALSE;
  delete_info (place);
  return TRUE;
}
