/* SPDX-License-Identifier: Apache-2.0
 * An own run folder, and what a record file holds. */
#pragma once

#include <glib.h>
#include <glib/gstdio.h>

#include "data/records/sonde-record-reader.h"

typedef struct
{
  char *folder, *run;
} RunFolder;

static inline void
run_folder_init (RunFolder *run)
{
  run->folder = g_dir_make_tmp ("sonde-writer-XXXXXX", NULL);
  g_assert_nonnull (run->folder);
  run->run = g_build_filename (run->folder, "run", NULL);
}

static inline void
run_folder_remove (const char *path)
{
  g_autoptr (GDir) dir = g_dir_open (path, 0, NULL);
  const char *name;

  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *child = g_build_filename (path, name, NULL);

      run_folder_remove (child);
    }
  g_remove (path);
}

static inline void
run_folder_clear (RunFolder *run)
{
  run_folder_remove (run->folder);
  g_free (run->folder);
  g_free (run->run);
}

static inline void
free_record (gpointer record)
{
  sonde_record_clear (record);
  g_free (record);
}

/* (element-type SondeRecord): all records; @n_damage (out) (optional): stretches that are no
 * records */
static inline GPtrArray *
read_records (const char *path, guint *n_damage)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeRecordReader) reader = sonde_record_reader_open (NULL, path, &error);
  GPtrArray *records = g_ptr_array_new_with_free_func (free_record);
  SondeRecord record;

  g_assert_no_error (error);
  for (guint pass = 0; pass < 2; pass++)
    {
      while (sonde_record_reader_next (reader, &record, NULL, &error) == SONDE_FRAME_RECORD)
        g_ptr_array_add (records, g_memdup2 (&record, sizeof record));
      g_assert_no_error (error);
      sonde_frame_reader_finish (sonde_record_reader_get_frames (reader));
    }
  if (n_damage != NULL)
    *n_damage = sonde_frame_reader_get_damage (sonde_record_reader_get_frames (reader))->len;
  else
    g_assert_cmpuint (sonde_frame_reader_get_damage (sonde_record_reader_get_frames (reader))->len,
                      ==, 0);
  return records;
}

static inline guint
count_kind (GPtrArray *records, SondeRecordKind kind)
{
  guint n = 0;

  for (guint i = 0; i < records->len; i++)
    n += ((SondeRecord *) records->pdata[i])->kind == kind;
  return n;
}

static inline const SondeRecord *
find_kind (GPtrArray *records, SondeRecordKind kind)
{
  for (guint i = 0; i < records->len; i++)
    if (((SondeRecord *) records->pdata[i])->kind == kind)
      return records->pdata[i];
  g_assert_not_reached ();
}

/* Sum of what the gap records tell. */
static inline guint64
count_gaps (GPtrArray *records)
{
  guint64 n = 0;

  for (guint i = 0; i < records->len; i++)
    {
      const SondeRecord *record = records->pdata[i];

      n += record->kind == SONDE_RECORD_GAP ? record->u.gap.records : 0;
    }
  return n;
}
