/* SPDX-License-Identifier: Apache-2.0 */
#include "data/profiles/sonde-profile-file.h"

#include "data/base/sonde-error.h"
#include "data/profiles/sonde-recorded-profile.h"
#include "data/traces/sonde-trace-file.h"
#include "data/traces/sonde-trace-mindspore.h"

gboolean
sonde_profile_file_is_run (const char *path)
{
  g_autofree char *records = g_build_filename (path, "records", NULL);

  return g_file_test (records, G_FILE_TEST_IS_DIR);
}

gboolean
sonde_profile_file_is_folder (const char *path)
{
  g_autoptr (GPtrArray) traces
      = g_file_test (path, G_FILE_TEST_IS_DIR) ? sonde_trace_list_folder (path) : NULL;

  return traces != NULL && traces->len > 0;
}

static gboolean
read_run (const SondeIo *io, const char *path, SondeProfileFile *file, GError **error)
{
  g_autoptr (GPtrArray) profiles = sonde_recorded_profiles_read (io, path, error);
  SondeRecordedProfile *last;

  if (profiles == NULL)
    return FALSE;
  if (profiles->len == 0)
    {
      sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_NOT_FOUND,
                       "The run “%s” holds no profile. Record one with sonde train --profile, or "
                       "with profile start in a debugger.",
                       path);
      return FALSE;
    }
  last = g_ptr_array_index (profiles, profiles->len - 1);
  file->trace = g_steal_pointer (&last->trace);
  file->facts = g_steal_pointer (&last->facts);
  file->facts->kind = "run"; /* also that of a model that was kept */
  file->n_missing = last->n_missing;
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
sonde_profile_file_read (const SondeIo *io, const char *path, SondeProfileFile *file,
                         GError **error)
{
  *file = (SondeProfileFile){ NULL, NULL, 0 };
  if (sonde_profile_file_is_run (path))
    return read_run (io, path, file, error);
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
