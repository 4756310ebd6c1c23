/* SPDX-License-Identifier: Apache-2.0 */
#include "app/workspace/sonde-opened-paths.h"

#include "app/workspace/sonde-opened-model.h"

#include <fcntl.h>

#include "data/base/sonde-io.h"
#include "data/explanations/sonde-explanation-folder.h"
#include "data/profiles/sonde-profile-file.h"
#include "data/records/msprobe/sonde-msprobe-folder.h"
#include "data/traces/sonde-trace-file.h"

/* A folder may hold a whole zoo: so many of its models are listed. */
#define MAX_FOLDER_MODELS 256

/* A run folder may hold the files of an explanation, too. */
static gboolean
holds_records (const char *folder)
{
  g_autofree char *records = g_build_filename (folder, "records", NULL);

  return g_file_test (records, G_FILE_TEST_IS_DIR);
}

/* Nothing of it is a run: it is shown by the debugger. */
static gboolean
is_dump (const char *path)
{
  g_autoptr (GArray) places = sonde_msprobe_find (NULL, path);

  return places->len > 0;
}

/* Folders and record files hold runs; a path that is not there yet will be a run folder. */
static gboolean
is_for_store (const char *path)
{
  static const char *const document_endings[]
      = { ".recipe", ".ini", ".sondecap", ".npz", ".safetensors" };
  struct stat status;

  if (sonde_io_system ()->stat (sonde_io_system (), AT_FDCWD, path, &status, 0) == 0
      && S_ISDIR (status.st_mode))
    return TRUE;
  if (sonde_opened_model_is_path (path))
    return FALSE;
  for (gsize i = 0; i < G_N_ELEMENTS (document_endings); i++)
    if (g_str_has_suffix (path, document_endings[i]))
      return FALSE;
  return TRUE;
}

/* Record files and models have formats of their own, which their readers recognise. The folder of a profiler
 * may lie beside records. */
static gboolean
is_trace (const char *path)
{
  if (g_file_test (path, G_FILE_TEST_IS_DIR))
    return !holds_records (path) && sonde_profile_file_is_folder (path);
  return g_file_test (path, G_FILE_TEST_IS_REGULAR) && !g_str_has_suffix (path, ".sonde")
         && is_for_store (path) && sonde_trace_file_sniff (NULL, path, NULL);
}

static int
compare_names (gconstpointer a, gconstpointer b)
{
  return strcmp (*(const char *const *) a, *(const char *const *) b);
}

/* Model files that stand in @folder itself, by name; their external data is theirs to find. */
static void
add_models_of_folder (GStrvBuilder *documents, const char *folder)
{
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  g_autoptr (GPtrArray) models = g_ptr_array_new_with_free_func (g_free);
  const char *name;

  while (dir != NULL && models->len < MAX_FOLDER_MODELS && (name = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *path = g_build_filename (folder, name, NULL);

      if (sonde_opened_model_is_path (path) && g_file_test (path, G_FILE_TEST_IS_REGULAR))
        g_ptr_array_add (models, g_steal_pointer (&path));
    }
  g_ptr_array_sort (models, compare_names);
  for (guint i = 0; i < models->len; i++)
    g_strv_builder_add (documents, g_ptr_array_index (models, i));
}

void
sonde_opened_paths_init (SondeOpenedPaths *opened, const char *const *paths)
{
  g_autoptr (GStrvBuilder) runs = g_strv_builder_new ();
  g_autoptr (GStrvBuilder) documents = g_strv_builder_new ();
  g_autoptr (GStrvBuilder) traces = g_strv_builder_new ();

  opened->explained = opened->dump = NULL;
  for (gsize i = 0; paths[i] != NULL; i++)
    {
      gboolean is_explained = sonde_explanation_folder_is (paths[i]);

      if (opened->dump == NULL && is_dump (paths[i]))
        {
          opened->dump = g_canonicalize_filename (paths[i], NULL);
          continue;
        }
      if (is_trace (paths[i]))
        {
          g_autofree char *trace = g_canonicalize_filename (paths[i], NULL);

          g_strv_builder_add (traces, trace);
          if (!g_file_test (trace, G_FILE_TEST_IS_DIR))
            continue;
        }
      if (is_explained && opened->explained == NULL)
        opened->explained = g_canonicalize_filename (paths[i], NULL);
      if (is_explained ? holds_records (paths[i]) : is_for_store (paths[i]))
        g_strv_builder_add (runs, paths[i]);
      if (is_explained || !is_for_store (paths[i]))
        g_strv_builder_add (documents, paths[i]);
      else if (g_file_test (paths[i], G_FILE_TEST_IS_DIR))
        add_models_of_folder (documents, paths[i]);
    }
  opened->runs = g_strv_builder_end (runs);
  opened->documents = g_strv_builder_end (documents);
  opened->traces = g_strv_builder_end (traces);
}
