/* SPDX-License-Identifier: Apache-2.0
 * Which folders of a dump hold iterations, and which of them is opened. */
#include "data/records/mindspore/sonde-mindspore-number-private.h"
#include "data/records/mindspore/sonde-dump-folder-private.h"

#include "data/base/sonde-error.h"

#include <string.h>

#define MAX_DEPTH 6        /* of folders above an iteration that is looked for */
#define MAX_FOLDERS 100000 /* that are looked into */

static void
place_clear (gpointer data)
{
  SondeDumpPlace *place = data;

  g_free (place->path);
  g_free (place->name);
  g_free (place->net);
}

static void
iteration_clear (gpointer data)
{
  g_free (((SondeDumpIteration *) data)->path);
}

void
sonde_dump_folder_free (SondeDumpFolder *folder)
{
  if (folder == NULL)
    return;
  place_clear (&folder->place);
  g_strfreev (folder->others);
  g_array_unref (folder->iterations);
  g_free (folder);
}

/* ---- places -------------------------------------------------------------- */

static gboolean
is_number (const char *text)
{
  return sonde_mindspore_is_numbered (text, strlen (text), "") && strlen (text) < 19;
}

/* @path is .../rank_N/NET/GRAPH */
static gboolean
parse_place (const char *path, SondeDumpPlace *place)
{
  g_auto (GStrv) parts = g_strsplit (path, "/", -1);
  guint n = g_strv_length (parts);

  if (n < 3 || !is_number (parts[n - 1])
      || !sonde_mindspore_is_numbered (parts[n - 3], strlen (parts[n - 3]), "rank_"))
    return FALSE;
  place->path = g_strdup (path);
  place->name = g_strdup_printf ("%s/%s/%s", parts[n - 3], parts[n - 2], parts[n - 1]);
  place->net = g_strdup (parts[n - 2]);
  place->rank = g_ascii_strtoll (parts[n - 3] + strlen ("rank_"), NULL, 10);
  place->graph = g_ascii_strtoll (parts[n - 1], NULL, 10);
  return TRUE;
}

/* Folders in @path, without links. (transfer full) (nullable) */
static GPtrArray *
list_folders (const char *path)
{
  g_autoptr (GDir) dir = g_dir_open (path, 0, NULL);
  GPtrArray *folders = g_ptr_array_new_with_free_func (g_free);
  const char *base;

  while (dir != NULL && (base = g_dir_read_name (dir)) != NULL && folders->len < MAX_FOLDERS)
    {
      g_autofree char *inside = g_build_filename (path, base, NULL);

      if (g_file_test (inside, G_FILE_TEST_IS_DIR) && !g_file_test (inside, G_FILE_TEST_IS_SYMLINK))
        g_ptr_array_add (folders, g_strdup (base));
    }
  return folders;
}

static gboolean
has_iterations (const GPtrArray *folders)
{
  for (guint i = 0; i < folders->len; i++)
    if (is_number (g_ptr_array_index (folders, i)))
      return TRUE;
  return FALSE;
}

static void
find_places (const char *path, guint depth, guint *n_seen, GArray *places)
{
  g_autoptr (GPtrArray) folders = (*n_seen)++ < MAX_FOLDERS ? list_folders (path) : NULL;
  SondeDumpPlace place = { 0 };

  if (folders == NULL)
    return;
  if (parse_place (path, &place))
    {
      if (has_iterations (folders))
        g_array_append_val (places, place);
      else
        place_clear (&place);
      return;
    }
  for (guint i = 0; i < folders->len && depth < MAX_DEPTH; i++)
    {
      g_autofree char *inside = g_build_filename (path, g_ptr_array_index (folders, i), NULL);

      find_places (inside, depth + 1, n_seen, places);
    }
}

static int
compare_places (gconstpointer a, gconstpointer b)
{
  const SondeDumpPlace *x = a, *y = b;

  if (x->rank != y->rank)
    return x->rank < y->rank ? -1 : 1;
  if (!g_str_equal (x->net, y->net))
    return strcmp (x->net, y->net);
  if (x->graph != y->graph)
    return x->graph < y->graph ? -1 : 1;
  return strcmp (x->path, y->path);
}

static gboolean
is_chosen (const SondeDumpPlace *place, const SondeDumpChoice *choice)
{
  return choice == NULL
         || ((choice->net == NULL || g_str_equal (choice->net, place->net))
             && (choice->rank < 0 || choice->rank == place->rank)
             && (choice->graph < 0 || choice->graph == place->graph));
}

/* "rank_0/LeNet/0, rank_1/LeNet/0", at most some. */
static char *
list_names (const GArray *places)
{
  g_autoptr (GString) text = g_string_new (NULL);

  for (guint i = 0; i < MIN (places->len, 20); i++)
    g_string_append_printf (text, "%s%s", i > 0 ? ", " : "",
                            g_array_index (places, SondeDumpPlace, i).name);
  if (places->len > 20)
    g_string_append_printf (text, " and %u more", places->len - 20);
  return g_strdup (text->str);
}

static gboolean
choose (SondeDumpFolder *folder, const char *path, const GArray *places,
        const SondeDumpChoice *choice, GError **error)
{
  g_autofree char *names = list_names (places);
  g_autoptr (GPtrArray) others = g_ptr_array_new_with_free_func (g_free);

  for (guint i = 0; i < places->len; i++)
    {
      const SondeDumpPlace *place = &g_array_index (places, SondeDumpPlace, i);

      if (folder->place.path == NULL && is_chosen (place, choice))
        folder->place = (SondeDumpPlace){ g_strdup (place->path), g_strdup (place->name),
                                          g_strdup (place->net), place->rank, place->graph };
      else
        g_ptr_array_add (others, g_strdup (place->name));
    }
  g_ptr_array_add (others, NULL);
  folder->others = (char **) g_ptr_array_free (g_steal_pointer (&others), FALSE);
  if (folder->place.path != NULL)
    return TRUE;
  if (places->len == 0)
    sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_NOT_FOUND,
                     "“%s” is not a dump folder: it has no subfolder rank_N/NET/GRAPH/ITERATION.",
                     path);
  else
    sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_NOT_FOUND,
                     "“%s” has no such rank, net or graph. Available: %s.", path, names);
  return FALSE;
}

static int
compare_iterations (gconstpointer a, gconstpointer b)
{
  const SondeDumpIteration *x = a, *y = b;

  return x->number < y->number ? -1 : x->number > y->number;
}

static void
add_iteration (SondeDumpFolder *folder, const char *base)
{
  SondeDumpIteration iteration
      = { g_ascii_strtoll (base, NULL, 10), g_build_filename (folder->place.path, base, NULL) };

  g_array_append_val (folder->iterations, iteration);
}

/* @only: (nullable): base name of the one that is wanted */
static void
find_iterations (SondeDumpFolder *folder, const char *only)
{
  g_autoptr (GPtrArray) folders = list_folders (folder->place.path);

  for (guint i = 0; i < folders->len; i++)
    {
      const char *base = g_ptr_array_index (folders, i);

      if (is_number (base) && (only == NULL || g_str_equal (only, base)))
        add_iteration (folder, base);
    }
  g_array_sort (folder->iterations, compare_iterations);
}

SondeDumpFolder *
sonde_dump_folder_open (const SondeIo *io, const char *path, const SondeDumpChoice *choice,
                        GError **error)
{
  g_autofree char *whole = g_canonicalize_filename (path, NULL),
                  *outer = g_path_get_dirname (whole);
  g_autofree char *base = g_path_get_basename (whole);
  g_autoptr (GArray) places = g_array_new (FALSE, TRUE, sizeof (SondeDumpPlace));
  g_autoptr (SondeDumpFolder) folder = g_new0 (SondeDumpFolder, 1);
  SondeDumpPlace place = { 0 };
  guint n_seen = 0;
  gboolean is_iteration = is_number (base) && parse_place (outer, &place);

  g_array_set_clear_func (places, place_clear);
  folder->io = io;
  folder->iterations = g_array_new (FALSE, TRUE, sizeof (SondeDumpIteration));
  g_array_set_clear_func (folder->iterations, iteration_clear);
  if (is_iteration)
    g_array_append_val (places, place);
  else
    find_places (whole, 0, &n_seen, places);
  g_array_sort (places, compare_places);
  if (!choose (folder, path, places, choice, error))
    return NULL;
  find_iterations (folder, is_iteration ? base : NULL);
  return g_steal_pointer (&folder);
}

const char *
sonde_dump_folder_get_name (SondeDumpFolder *folder)
{
  return folder->place.name;
}

const char *const *
sonde_dump_folder_get_others (SondeDumpFolder *folder)
{
  return (const char *const *) folder->others;
}

guint
sonde_dump_folder_get_n_iterations (SondeDumpFolder *folder)
{
  return folder->iterations->len;
}

gint64
sonde_dump_folder_get_iteration (SondeDumpFolder *folder, guint index)
{
  return g_array_index (folder->iterations, SondeDumpIteration, index).number;
}
