/* SPDX-License-Identifier: Apache-2.0 */
#include "data/arrays/sonde-weight-files.h"

#include <string.h>
#include <sys/stat.h>

#include "data/arrays/sonde-safetensors.h"

#define STATE ".state.npz"
#define MOST_DIGITS 18

static void
weight_file_free (void *data)
{
  SondeWeightFile *file = data;

  g_free (file->path);
  g_free (file->name);
  g_free (file);
}

/* The digits between the last dash and the ending; -1: there are none. */
static gint64
parse_step (const char *name)
{
  const char *dash = strrchr (name, '-'), *digits = dash != NULL ? dash + 1 : "";
  gsize n = strspn (digits, "0123456789");

  if (n == 0 || n > MOST_DIGITS || digits[n] != '.')
    return -1;
  return g_ascii_strtoll (digits, NULL, 10);
}

static gboolean
is_weights (const char *folder, const char *name)
{
  g_autofree char *path = g_build_filename (folder, name, NULL);
  struct stat status;

  return (g_str_has_suffix (name, ".npz") || g_str_has_suffix (name, ".safetensors"))
         && !g_str_has_suffix (name, STATE) && lstat (path, &status) == 0
         && S_ISREG (status.st_mode);
}

static int
compare_files (const void *a, const void *b)
{
  const SondeWeightFile *x = *(SondeWeightFile *const *) a, *y = *(SondeWeightFile *const *) b;
  guint64 first = (guint64) x->step, second = (guint64) y->step; /* -1 is last */

  return first != second ? (first > second) - (first < second) : strcmp (x->name, y->name);
}

GPtrArray *
sonde_weight_files_list (const char *folder)
{
  GPtrArray *files = g_ptr_array_new_with_free_func (weight_file_free);
  g_autoptr (GDir) directory = g_dir_open (folder, 0, NULL);
  const char *name;

  for (guint i = 0; directory != NULL && i < SONDE_WEIGHT_FILES_MOST
                    && (name = g_dir_read_name (directory)) != NULL;
       i++)
    {
      SondeWeightFile *file;

      if (!is_weights (folder, name))
        continue;
      file = g_new0 (SondeWeightFile, 1);
      file->path = g_build_filename (folder, name, NULL);
      file->name = g_strdup (name);
      file->step = parse_step (name);
      g_ptr_array_add (files, file);
    }
  g_ptr_array_sort (files, compare_files);
  return files;
}

SondeNamedTensors *
sonde_weight_file_read (const SondeIo *io, const char *path, GError **error)
{
  if (g_str_has_suffix (path, ".safetensors"))
    return sonde_safetensors_read (io, path, error);
  return sonde_npz_read (io, path, error);
}
