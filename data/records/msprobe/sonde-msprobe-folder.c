/* SPDX-License-Identifier: Apache-2.0
 * Folders of steps and ranks. Links are not entered. */
#include "data/records/msprobe/sonde-msprobe-folder.h"

#include <string.h>

#include "data/base/sonde-error.h"

#define MAX_DEPTH 3 /* of folders above that of a rank: pynative, step, rank */
#define MAX_FOLDERS 100000

static void
place_clear (gpointer data)
{
  SondeMsprobePlace *place = data;

  g_free (place->rank);
  g_free (place->path);
}

static GArray *
places_new (void)
{
  GArray *places = g_array_new (FALSE, TRUE, sizeof (SondeMsprobePlace));

  g_array_set_clear_func (places, place_clear);
  return places;
}

/* "step12" -> 12 */
static gboolean
parse_numbered (const char *base, const char *word, gint64 *number)
{
  guint64 parsed;

  if (!g_str_has_prefix (base, word)
      || !g_ascii_string_to_unsigned (base + strlen (word), 10, 0, G_MAXINT32, &parsed, NULL))
    return FALSE;
  *number = (gint64) parsed;
  return TRUE;
}

static gboolean
is_rank (const char *base)
{
  gint64 number;

  return parse_numbered (base, "rank", &number) || parse_numbered (base, "proc", &number);
}

static gint64
step_around (const char *path)
{
  g_autofree char *outer = g_path_get_dirname (path), *base = g_path_get_basename (outer);
  gint64 step = 0;

  parse_numbered (base, "step", &step);
  return step;
}

static void
add_place (GArray *places, const char *path)
{
  SondeMsprobePlace place = { step_around (path), g_path_get_basename (path), g_strdup (path) };

  g_array_append_val (places, place);
}

/* Only folders that such a dump has between its own and those of ranks. */
static gboolean
may_hold_ranks (const char *base)
{
  gint64 number;

  return is_rank (base) || parse_numbered (base, "step", &number) || g_str_equal (base, "pynative");
}

static void
find_inside (const SondeIo *io, const char *path, guint depth, GArray *places)
{
  g_autoptr (GDir) dir = NULL;
  const char *base;

  if (sonde_msprobe_dump_sniff (io, path))
    {
      add_place (places, path);
      return;
    }
  dir = depth < MAX_DEPTH ? g_dir_open (path, 0, NULL) : NULL;
  while (dir != NULL && places->len < MAX_FOLDERS && (base = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *inside = g_build_filename (path, base, NULL);

      if (may_hold_ranks (base) && g_file_test (inside, G_FILE_TEST_IS_DIR)
          && !g_file_test (inside, G_FILE_TEST_IS_SYMLINK))
        find_inside (io, inside, depth + 1, places);
    }
}

/* "rank10" behind "rank9" */
static int
compare_places (gconstpointer a, gconstpointer b)
{
  const SondeMsprobePlace *x = a, *y = b;
  gsize n = strlen (x->rank), m = strlen (y->rank);

  if (x->step != y->step)
    return x->step < y->step ? -1 : 1;
  if (n != m)
    return n < m ? -1 : 1;
  return strcmp (x->rank, y->rank);
}

GArray *
sonde_msprobe_find (const SondeIo *io, const char *path)
{
  g_autofree char *whole = g_canonicalize_filename (path, NULL);
  GArray *places = places_new ();

  find_inside (io, whole, 0, places);
  g_array_sort (places, compare_places);
  return places;
}

char **
sonde_msprobe_list_ranks (const GArray *places)
{
  g_autoptr (GPtrArray) ranks = g_ptr_array_new ();

  for (guint i = 0; i < places->len; i++)
    {
      const char *rank = g_array_index (places, SondeMsprobePlace, i).rank;

      if (!g_ptr_array_find_with_equal_func (ranks, rank, g_str_equal, NULL))
        g_ptr_array_add (ranks, g_strdup (rank));
    }
  g_ptr_array_add (ranks, NULL);
  return (char **) g_ptr_array_free (g_steal_pointer (&ranks), FALSE);
}

static gboolean
is_chosen (const char *rank, const char *choice)
{
  return choice == NULL || g_str_equal (rank, choice)
         || (g_str_has_prefix (rank, "rank") && g_str_equal (rank + strlen ("rank"), choice));
}

GArray *
sonde_msprobe_choose_rank (const GArray *places, const char *rank, GError **error)
{
  g_auto (GStrv) ranks = sonde_msprobe_list_ranks (places);
  g_autofree char *names = g_strjoinv (", ", ranks);
  const char *chosen = NULL;
  GArray *list;

  for (guint i = 0; ranks[i] != NULL && chosen == NULL; i++)
    chosen = is_chosen (ranks[i], rank) ? ranks[i] : NULL;
  if (chosen == NULL)
    {
      sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_NOT_FOUND,
                       "The dump has no rank “%s”. Available: %s.", rank != NULL ? rank : "",
                       names);
      return NULL;
    }
  list = places_new ();
  for (guint i = 0; i < places->len; i++)
    {
      const SondeMsprobePlace *place = &g_array_index (places, SondeMsprobePlace, i);
      SondeMsprobePlace copy = { place->step, g_strdup (place->rank), g_strdup (place->path) };

      if (g_str_equal (place->rank, chosen))
        g_array_append_val (list, copy);
      else
        place_clear (&copy);
    }
  return list;
}
