/* SPDX-License-Identifier: Apache-2.0
 * Writes the run folders of the tests. */
#include "tests/data/runs/run-files.h"

#include <fcntl.h>
#include <glib/gstdio.h>
#include <sys/stat.h>
#include <unistd.h>

char *
run_folder_new (void)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *folder = g_dir_make_tmp ("sonde-runs-XXXXXX", &error);
  char *real, *result;

  g_assert_no_error (error);
  real = realpath (folder, NULL);
  result = g_strdup (real);
  free (real);
  return result;
}

static void
remove_tree (const char *path)
{
  g_autoptr (GDir) dir = NULL;
  const char *name;

  if (!g_file_test (path, G_FILE_TEST_IS_SYMLINK) && (dir = g_dir_open (path, 0, NULL)) != NULL)
    while ((name = g_dir_read_name (dir)) != NULL)
      {
        g_autofree char *child = g_build_filename (path, name, NULL);

        remove_tree (child);
      }
  g_remove (path);
}

void
run_folder_remove (char *folder)
{
  remove_tree (folder);
  g_free (folder);
}

RunFile *
run_file_new (guint32 session, const char *format, ...)
{
  RunFile *file = g_new0 (RunFile, 1);
  g_autofree char *folder = NULL;
  SondeRecord record = { .kind = SONDE_RECORD_SESSION };
  va_list arguments;

  va_start (arguments, format);
  file->path = g_strdup_vprintf (format, arguments);
  va_end (arguments);
  folder = g_path_get_dirname (file->path);
  g_assert_cmpint (g_mkdir_with_parents (folder, 0700), ==, 0);
  file->fd = open (file->path, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0600);
  g_assert_cmpint (file->fd, >=, 0);
  file->table = sonde_tag_table_new ();
  file->session = session;
  record.u.session_start.program = g_strdup ("test");
  record.u.session_start.host = g_strdup ("here");
  record.u.session_start.format_version = 1;
  record.wall_time_ns = 1000;
  run_file_add (file, &record);
  sonde_record_clear (&record);
  return file;
}

void
run_file_free (RunFile *file)
{
  close (file->fd);
  sonde_tag_table_free (file->table);
  g_free (file->path);
  g_free (file);
}

GByteArray *
run_file_frame (RunFile *file, SondeRecord *record)
{
  g_autoptr (GByteArray) payload = g_byte_array_new ();
  GByteArray *frame = g_byte_array_new ();

  record->session = file->session;
  sonde_record_encode (record, file->table, payload);
  sonde_frame_append (frame, payload->data, payload->len);
  return frame;
}

void
run_file_write (RunFile *file, const void *data, gsize length)
{
  g_assert_cmpint (write (file->fd, data, length), ==, (gssize) length);
}

void
run_file_add (RunFile *file, SondeRecord *record)
{
  g_autoptr (GByteArray) frame = run_file_frame (file, record);

  run_file_write (file, frame->data, frame->len);
}

void
run_file_add_scalars (RunFile *file, gint64 step, const SondeScalar *scalars, gsize n)
{
  SondeRecord record = { .kind = SONDE_RECORD_SCALARS, .step = step, .wall_time_ns = 1000 + step };

  record.u.scalars.items = (SondeScalar *) scalars;
  record.u.scalars.n = n;
  run_file_add (file, &record);
}

void
run_file_add_scalar (RunFile *file, gint64 step, const char *tag, double value)
{
  SondeScalar scalar = { tag, value };

  run_file_add_scalars (file, step, &scalar, 1);
}

void
run_file_add_text (RunFile *file, gint64 step, const char *tag, const char *text)
{
  SondeRecord record = { .kind = SONDE_RECORD_TEXT, .step = step, .tag = tag, .wall_time_ns = 5 };

  record.u.text = (char *) text;
  run_file_add (file, &record);
}

void
run_file_add_ramp (RunFile *file, gint64 first, guint n, const char *tag)
{
  g_autoptr (GByteArray) bytes = g_byte_array_new ();

  for (guint i = 0; i < n; i++)
    {
      gint64 step = first + i;
      SondeScalar scalar = { tag, (double) ((step * step) % 1000) };
      SondeRecord record
          = { .kind = SONDE_RECORD_SCALARS, .step = step, .wall_time_ns = 1000 + step };
      g_autoptr (GByteArray) frame = NULL;

      record.u.scalars.items = &scalar;
      record.u.scalars.n = 1;
      frame = run_file_frame (file, &record);
      g_byte_array_append (bytes, frame->data, frame->len);
    }
  run_file_write (file, bytes->data, bytes->len);
}

void
run_file_age (RunFile *file, int seconds)
{
  struct timespec times[2];

  g_assert_cmpint (clock_gettime (CLOCK_REALTIME, &times[0]), ==, 0);
  times[0].tv_sec -= seconds;
  times[1] = times[0];
  g_assert_cmpint (futimens (file->fd, times), ==, 0);
}

static gboolean
on_timeout (gpointer data)
{
  *(gboolean *) data = TRUE;
  return G_SOURCE_CONTINUE;
}

void
run_wait_until (gboolean (*done) (gpointer data), gpointer data)
{
  gboolean late = FALSE;
  guint source = g_timeout_add_seconds (20, on_timeout, &late);

  while (!done (data) && !late)
    g_main_context_iteration (NULL, TRUE);
  g_source_remove (source);
  g_assert_true (done (data));
}

SondeRunStore *
run_store_open (const SondeIo *io, const char *path, const char *index_folder)
{
  const char *paths[] = { path, NULL };
  SondeRunStore *store = sonde_run_store_new (io, paths, index_folder);
  g_autoptr (GError) error = NULL;

  sonde_run_store_start (store);
  sonde_run_store_settle (store, NULL, &error);
  g_assert_no_error (error);
  return store;
}

SondeRun *
run_store_item (SondeRunStore *store, guint position)
{
  SondeRun *run = g_list_model_get_item (G_LIST_MODEL (store), position);

  g_assert_nonnull (run);
  g_object_unref (run);
  return run;
}
