/* SPDX-License-Identifier: Apache-2.0
 * Files that a debugged run is compared with. */
#include "app/worker/sonde-worker-files.h"

#include <string.h>

#include "app/worker/sonde-weights.h"
#include "data/base/sonde-error.h"
#include "data/models/sonde-model-file.h"

#define MOST_DEPTH 8
#define MOST_FILES 100000

static GHashTable *
table_new (void)
{
  return g_hash_table_new_full (g_str_hash, g_str_equal, g_free, (GDestroyNotify) sonde_tensor_unref);
}

/* "Conv2D.net_conv1_Conv2D-op1.0.0.17.output.0.DefaultFormat" -> "net_conv1_Conv2D-op1"; other names as they are; NULL: an
 * input of a node. (transfer full) */
static char *
name_of_file (const char *base)
{
  g_autofree char *stem = g_strndup (base, strlen (base) - strlen (".npy"));
  g_auto (GStrv) parts = g_strsplit (stem, ".", -1);
  guint n = g_strv_length (parts);

  for (guint i = 3; i + 1 < n; i++)
    {
      if (g_str_equal (parts[i], "input"))
        return NULL;
      if (g_str_equal (parts[i], "output"))
        return g_str_equal (parts[i + 1], "0") ? g_strdup (parts[1]) : g_strdup_printf ("%s:%s", parts[1], parts[i + 1]);
    }
  return g_steal_pointer (&stem);
}

static gboolean
take_file (GHashTable *tensors,
           const char *path,
           const char *base,
           GError    **error)
{
  char *name = name_of_file (base);
  SondeTensor *tensor;

  if (name == NULL || g_hash_table_size (tensors) >= MOST_FILES)
    {
      g_free (name);
      return TRUE;
    }
  tensor = sonde_npy_read (NULL, path, error);
  if (tensor == NULL)
    g_free (name);
  else
    g_hash_table_insert (tensors, name, tensor);
  return tensor != NULL;
}

static gboolean
take_folder (GHashTable *tensors,
             const char *path,
             guint       depth,
             GError    **error)
{
  g_autoptr (GDir) folder = g_dir_open (path, 0, error);
  const char *base;

  if (folder == NULL)
    return FALSE;
  while ((base = g_dir_read_name (folder)) != NULL)
    {
      g_autofree char *inside = g_build_filename (path, base, NULL);
      gboolean link = g_file_test (inside, G_FILE_TEST_IS_SYMLINK);

      if (!link && depth < MOST_DEPTH && g_file_test (inside, G_FILE_TEST_IS_DIR))
        {
          if (!take_folder (tensors, inside, depth + 1, error))
            return FALSE;
        }
      else if (g_str_has_suffix (base, ".npy") && !take_file (tensors, inside, base, error))
        return FALSE;
    }
  return TRUE;
}

GHashTable *
sonde_worker_read_tensors (const char *path,
                           GError    **error)
{
  g_autoptr (GHashTable) tensors = table_new ();
  g_autoptr (SondeNamedTensors) named = NULL;

  if (g_file_test (path, G_FILE_TEST_IS_DIR))
    {
      if (!take_folder (tensors, path, 0, error))
        return NULL;
      if (g_hash_table_size (tensors) > 0)
        return g_steal_pointer (&tensors);
      g_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_NOT_FOUND, "“%s” holds no .npy file of a node's output.", path);
      return NULL;
    }
  named = sonde_weights_read (NULL, path, error);
  for (gsize i = 0; named != NULL && i < sonde_named_tensors_get_size (named); i++)
    g_hash_table_insert (tensors, g_strdup (sonde_named_tensors_get_name (named, i)),
                         sonde_tensor_ref (sonde_named_tensors_get_tensor (named, i)));
  return named != NULL ? g_steal_pointer (&tensors) : NULL;
}

SondeGraph *
sonde_worker_load_graph (const char *path,
                         GError    **error)
{
  g_autoptr (SondeGraph) original = sonde_model_load (NULL, path, error);
  SondeGraph *graph = original != NULL ? sonde_prepare_inference (original, error) : NULL;

  if (original != NULL && graph == NULL)
    g_prefix_error (error, "“%s”: ", path);
  return graph;
}
