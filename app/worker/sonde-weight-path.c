/* SPDX-License-Identifier: Apache-2.0 */
#include "app/worker/sonde-weight-path.h"

#include <string.h>

#include "app/worker/sonde-checkpoint.h"
#include "data/arrays/sonde-npz.h"
#include "data/base/sonde-error.h"

static void
station_clear (gpointer data)
{
  g_free (((SondeWeightStation *) data)->path);
}

static int
compare_steps (const void *a, const void *b)
{
  const SondeWeightStation *first = a, *second = b;

  if (first->step != second->step)
    return first->step < second->step ? -1 : 1;
  return strcmp (first->path, second->path);
}

/* "PREFIX-00000120.npz": 120. */
static gboolean
read_step (const char *file, const char *prefix, guint64 *step)
{
  gsize length = strlen (prefix);
  const char *dot = strrchr (file, '.');
  g_autofree char *digits = NULL;

  if (dot == NULL || !g_str_has_prefix (file, prefix) || file[length] != '-'
      || (!g_str_equal (dot, ".npz") && !g_str_equal (dot, ".safetensors"))
      || dot <= file + length + 1)
    return FALSE;
  digits = g_strndup (file + length + 1, (gsize) (dot - file) - length - 1);
  return g_ascii_string_to_unsigned (digits, 10, 0, G_MAXINT64, step, NULL);
}

static void
add_checkpoints (GArray *path, const char *folder, const char *prefix)
{
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  const char *file;

  while (dir != NULL && (file = g_dir_read_name (dir)) != NULL)
    {
      SondeWeightStation station = { 0 };

      if (!read_step (file, prefix, &station.step))
        continue;
      station.path = g_build_filename (folder, file, NULL);
      g_array_append_val (path, station);
    }
  g_array_sort (path, compare_steps);
}

/* The same step in two formats, or once more as the end. */
static gboolean
is_double (const GArray *path, guint i)
{
  return g_array_index (path, SondeWeightStation, i).step
         == g_array_index (path, SondeWeightStation, i + 1).step;
}

/* final.npz says no step, the state beside it does; without that it follows the last checkpoint. */
static void
add_end (GArray *path, const char *folder)
{
  g_autofree char *weights = g_build_filename (folder, "final.npz", NULL);
  SondeWeightStation station = { 0 };

  if (!g_file_test (weights, G_FILE_TEST_IS_REGULAR))
    return;
  if (!sonde_checkpoint_read_step (folder, "final", &station.step) && path->len > 0)
    station.step = g_array_index (path, SondeWeightStation, path->len - 1).step + 1;
  station.path = g_steal_pointer (&weights);
  g_array_append_val (path, station);
}

GArray *
sonde_weight_path_find (const char *folder, const char *prefix, GError **error)
{
  g_autoptr (GArray) path = g_array_new (FALSE, FALSE, sizeof (SondeWeightStation));
  SondeWeightStation beginning = { 0 };

  g_array_set_clear_func (path, station_clear);
  add_checkpoints (path, folder, prefix);
  add_end (path, folder);
  if (path->len == 0)
    {
      sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_NOT_FOUND,
                       "“%s” contains no checkpoint: the training has not written one yet, or they "
                       "were removed.",
                       folder);
      return NULL;
    }
  for (guint i = path->len - 1; i-- > 0;)
    if (is_double (path, i))
      g_array_remove_index (path, i);
  if (g_array_index (path, SondeWeightStation, 0).step > 0)
    g_array_prepend_val (path, beginning);
  return g_steal_pointer (&path);
}

void
sonde_weight_path_thin (GArray *path, guint most)
{
  guint n = path->len;

  g_return_if_fail (most >= 2);
  if (n <= most)
    return;
  for (guint i = n; i-- > 0;)
    {
      /* Place k of the new path is place k (n − 1) / (most − 1) of the old one, rounded down. */
      guint k = (guint) (((guint64) i * (most - 1) + n - 2) / (n - 1));

      if ((guint) ((guint64) k * (n - 1) / (most - 1)) != i)
        g_array_remove_index (path, i);
    }
}
