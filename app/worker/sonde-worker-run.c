/* SPDX-License-Identifier: Apache-2.0
 * Records are read from the first to the last, a file at a time; of checkpoints only the one that
 * is asked for. */
#include "app/worker/sonde-worker-run.h"

#include <string.h>

#include "app/worker/sonde-weights.h"
#include "data/base/sonde-error.h"
#include "data/records/sonde-record-reader.h"

/* The last record of @path that fits goes into @tensor. */
static void
read_file (const char *path, const char *name, guint64 step, SondeTensor **tensor)
{
  g_autoptr (SondeRecordReader) reader = sonde_record_reader_open (NULL, path, NULL);
  SondeRecord record = { 0 };

  while (reader != NULL
         && sonde_record_reader_next (reader, &record, NULL, NULL) == SONDE_FRAME_RECORD)
    {
      if (record.kind == SONDE_RECORD_TENSOR && record.u.tensor != NULL
          && g_strcmp0 (record.tag, name) == 0 && (step == 0 || record.step == (gint64) step))
        {
          sonde_tensor_unref (*tensor);
          *tensor = sonde_tensor_ref (record.u.tensor);
        }
      sonde_record_clear (&record);
    }
}

static int
compare_texts (gconstpointer a, gconstpointer b)
{
  return strcmp (*(const char *const *) a, *(const char *const *) b);
}

/* Names of the files in @folder, in order. (transfer full) */
static GPtrArray *
list_files (const char *folder)
{
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  GPtrArray *names = g_ptr_array_new_with_free_func (g_free);
  const char *base;

  while (dir != NULL && (base = g_dir_read_name (dir)) != NULL)
    g_ptr_array_add (names, g_strdup (base));
  g_ptr_array_sort (names, compare_texts);
  return names;
}

static SondeTensor *
read_records (const char *run, const char *name, guint64 step)
{
  g_autofree char *folder = g_build_filename (run, "records", NULL);
  g_autoptr (GPtrArray) files = list_files (folder);
  SondeTensor *tensor = NULL;

  for (guint i = 0; i < files->len; i++)
    if (g_str_has_suffix (g_ptr_array_index (files, i), ".sonde"))
      {
        g_autofree char *path = g_build_filename (folder, g_ptr_array_index (files, i), NULL);

        read_file (path, name, step, &tensor);
      }
  return tensor;
}

/* "…-00000012.npz", or final.npz. (transfer full) (nullable) */
static char *
find_checkpoint (const char *run, guint64 step)
{
  g_autofree char *folder = g_build_filename (run, "checkpoints", NULL);
  g_autofree char *ending = g_strdup_printf ("-%08" G_GUINT64_FORMAT ".npz", step);
  g_autoptr (GPtrArray) files = list_files (folder);

  for (guint i = 0; i < files->len; i++)
    {
      const char *base = g_ptr_array_index (files, i);

      if (step > 0 ? g_str_has_suffix (base, ending) : g_str_equal (base, "final.npz"))
        return g_build_filename (folder, base, NULL);
    }
  return NULL;
}

/* @step: 0: any; @path: (nullable): the checkpoint that was read */
static void
set_missing_error (const char *run, const char *name, guint64 step, const char *path,
                   GError **error)
{
  if (!g_file_test (run, G_FILE_TEST_IS_DIR))
    sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_NOT_FOUND,
                     "There is no run in “%s”.", run);
  else if (path != NULL)
    sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_NOT_FOUND,
                     "Neither the records of “%s” nor its checkpoint “%s” contain a tensor “%s”.",
                     run, path, name);
  else if (step > 0)
    sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_NOT_FOUND,
                     "“%s” has no tensor record “%s” of step %" PRIu64
                     ", and no checkpoint of step %" PRIu64 ".",
                     run, name, step, step);
  else
    sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_NOT_FOUND,
                     "“%s” has no tensor record “%s”, and no final checkpoint.", run, name);
}

SondeTensor *
sonde_worker_read_recorded (const char *run, const char *name, guint64 step, GError **error)
{
  g_autoptr (SondeTensor) tensor = read_records (run, name, step);
  g_autofree char *path = tensor == NULL ? find_checkpoint (run, step) : NULL;
  g_autoptr (SondeNamedTensors) weights = NULL;
  SondeTensor *found;

  if (tensor != NULL)
    return g_steal_pointer (&tensor);
  weights = path != NULL ? sonde_weights_read (NULL, path, error) : NULL;
  if (path != NULL && weights == NULL)
    return NULL;
  found = weights != NULL ? sonde_named_tensors_lookup (weights, name) : NULL;
  if (found != NULL)
    return sonde_tensor_ref (found);
  set_missing_error (run, name, step, path, error);
  return NULL;
}
