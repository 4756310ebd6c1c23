/* SPDX-License-Identifier: Apache-2.0 */
#include "data/profiles/sonde-profile-file.h"

#include "data/base/sonde-error.h"
#include "data/profiles/sonde-recorded-profile.h"
#include "data/traces/sonde-trace-file.h"
#include "data/traces/sonde-trace-mindspore.h"

void
sonde_profile_file_clear (SondeProfileFile *file)
{
  g_clear_pointer (&file->trace, sonde_trace_free);
  g_clear_pointer (&file->facts, sonde_profile_facts_free);
  sonde_recording_list_clear (&file->recordings);
}

/* Whether a file of records stands in the folder itself. */
static gboolean
holds_records (const char *path)
{
  g_autoptr (GDir) dir = g_dir_open (path, 0, NULL);
  const char *name;

  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    if (g_str_has_suffix (name, ".sonde"))
      return TRUE;
  return FALSE;
}

gboolean
sonde_profile_file_is_run (const char *path)
{
  g_autofree char *records = g_build_filename (path, "records", NULL);

  if (g_file_test (path, G_FILE_TEST_IS_REGULAR))
    return g_str_has_suffix (path, ".sonde");
  return g_file_test (records, G_FILE_TEST_IS_DIR) || holds_records (path);
}

gboolean
sonde_profile_file_is_folder (const char *path)
{
  g_autoptr (GPtrArray) traces
      = g_file_test (path, G_FILE_TEST_IS_DIR) ? sonde_trace_list_folder (path) : NULL;

  return traces != NULL && traces->len > 0;
}

static gboolean
read_run (const SondeIo *io, const char *path, guint64 recording, SondeProfileFile *file,
          GError **error)
{
  g_autoptr (SondeRecordedProfile) profile
      = sonde_recorded_profile_read (io, path, recording, &file->recordings, error);

  if (profile == NULL)
    {
      sonde_profile_file_clear (file);
      return FALSE;
    }
  file->trace = g_steal_pointer (&profile->trace);
  file->facts = g_steal_pointer (&profile->facts);
  file->facts->kind = "run"; /* also that of a model that was kept */
  file->n_missing = profile->n_missing;
  file->recording = profile->recording;
  return TRUE;
}

static gboolean
read_folder (const SondeIo *io, const char *path, SondeProfileFile *file, GError **error)
{
  g_autoptr (GPtrArray) traces = sonde_trace_list_folder (path);

  if (traces->len == 1)
    file->trace = sonde_trace_file_read (io, g_ptr_array_index (traces, 0), error);
  else
    sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_INVALID,
                     "“%s” holds %u traces; specify one of them, such as “%s”.", path, traces->len,
                     (const char *) g_ptr_array_index (traces, 0));
  return file->trace != NULL;
}

gboolean
sonde_profile_file_read (const SondeIo *io, const char *path, guint64 recording,
                         SondeProfileFile *file, GError **error)
{
  *file = (SondeProfileFile){ 0 };
  if (sonde_profile_file_is_run (path))
    return read_run (io, path, recording, file, error);
  if (sonde_profile_file_is_folder (path))
    return read_folder (io, path, file, error);
  if (g_file_test (path, G_FILE_TEST_IS_DIR))
    sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_UNSUPPORTED,
                     "The folder “%s” contains nothing that can be profiled. Specify a trace or "
                     "the folder of MindSpore's profiler.",
                     path);
  else
    file->trace = sonde_trace_file_read (io, path, error);
  return file->trace != NULL;
}
