/* SPDX-License-Identifier: Apache-2.0
 * The files of a run, for what reads recordings out of them. */
#include <string.h>

#include "data/base/sonde-error.h"
#include "data/profiles/sonde-recorded-profile.h"
#include "data/records/sonde-record-reader.h"

#define ENDING ".sonde"

static int
compare_names (gconstpointer a, gconstpointer b)
{
  return strcmp (*(char *const *) a, *(char *const *) b);
}

/* (transfer full) (element-type filename): paths, by name */
static GPtrArray *
list_files (const char *run, GError **error)
{
  g_autofree char *records = g_build_filename (run, "records", NULL);
  const char *folder = g_file_test (records, G_FILE_TEST_IS_DIR) ? records : run;
  g_autoptr (GPtrArray) paths = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GError) reason = NULL;
  g_autoptr (GDir) dir = NULL;
  const char *name;

  if (g_str_has_suffix (run, ENDING) && g_file_test (run, G_FILE_TEST_IS_REGULAR))
    {
      g_ptr_array_add (paths, g_strdup (run));
      return g_steal_pointer (&paths);
    }
  dir = g_dir_open (folder, 0, &reason);
  if (dir == NULL)
    {
      sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_IO,
                       "The records of “%s” cannot be read: %s", run, reason->message);
      return NULL;
    }
  while ((name = g_dir_read_name (dir)) != NULL)
    if (g_str_has_suffix (name, ENDING))
      g_ptr_array_add (paths, g_build_filename (folder, name, NULL));
  g_ptr_array_sort (paths, compare_names);
  return g_steal_pointer (&paths);
}

/* One of them is NULL. */
typedef struct
{
  SondeRecordingList *list;
  SondeRecordedProfileReader *reader;
} Pass;

static void
read_file (const Pass *pass, const SondeIo *io, const char *path)
{
  g_autoptr (SondeRecordReader) records = sonde_record_reader_open (io, path, NULL);
  SondeFrameResult result = SONDE_FRAME_RECORD;

  /* What cannot be read is the run's trouble, which says so itself. */
  while (records != NULL && result == SONDE_FRAME_RECORD)
    {
      SondeRecord record = { 0 };

      result = sonde_record_reader_next (records, &record, NULL, NULL);
      if (result == SONDE_FRAME_RECORD && pass->list != NULL)
        sonde_recording_list_add (pass->list, &record);
      else if (result == SONDE_FRAME_RECORD)
        sonde_recorded_profile_reader_add (pass->reader, &record);
      sonde_record_clear (&record);
    }
}

static void
read_files (const Pass *pass, const SondeIo *io, const GPtrArray *paths)
{
  for (guint i = 0; i < paths->len; i++)
    read_file (pass, io, g_ptr_array_index (paths, i));
}

/* The one that is wanted; NULL with @error. */
static const SondeRecordingEntry *
choose (const SondeRecordingList *list, const char *run, guint64 recording, GError **error)
{
  guint n = sonde_recording_list_get_n (list);

  for (guint i = n; i-- > 0;)
    if (recording == 0 || sonde_recording_list_get (list, i)->recording == recording)
      return sonde_recording_list_get (list, i);
  if (n > 0)
    sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_NOT_FOUND,
                     "The run “%s” does not hold this recording any more.", run);
  else
    sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_NOT_FOUND,
                     "The run “%s” holds no profile. Record one with sonde train --profile, or "
                     "with profile start in a debugger.",
                     run);
  return NULL;
}

SondeRecordedProfile *
sonde_recorded_profile_read (const SondeIo *io, const char *run, guint64 recording,
                             SondeRecordingList *list, GError **error)
{
  g_auto (SondeRecordingList) own = { 0 };
  g_auto (SondeRecordedProfileReader) reader = { 0 };
  g_autoptr (GPtrArray) paths = list_files (run, error);
  g_autoptr (GPtrArray) profiles = NULL;
  const SondeRecordingEntry *entry;

  list = list != NULL ? list : &own;
  if (paths == NULL)
    return NULL;
  read_files (&(Pass){ .list = list }, io, paths);
  entry = choose (list, run, recording, error);
  if (entry == NULL)
    return NULL;
  reader.wanted = entry->recording;
  read_files (&(Pass){ .reader = &reader }, io, paths);
  profiles = sonde_recorded_profile_reader_finish (&reader);
  for (guint i = profiles->len; i-- > 0;)
    if (((SondeRecordedProfile *) g_ptr_array_index (profiles, i))->recording == entry->recording)
      return g_ptr_array_steal_index (profiles, i);
  sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_DAMAGED,
                   "The recording of “%s” is damaged: no part of it can be read.", run);
  return NULL;
}
