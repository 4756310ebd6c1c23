/* SPDX-License-Identifier: Apache-2.0
 * Shared by inspect and export. */
#include "app/cli/sonde-cli-runs.h"

#include <malloc.h>
#include <string.h>

#include "app/cli/sonde-cli-table.h"
#include "data/base/sonde-error.h"
#include "data/base/sonde-text.h"

static void
show_progress (SondeRunStore *store, SondeProgressLine *line)
{
  if (sonde_run_store_is_loading (store))
    sonde_cli_progress (line, _ ("reading records: %.0f %%"),
                        100 * sonde_run_store_get_progress (store));
}

SondeRunStore *
sonde_cli_open_runs (const char *path, GError **error)
{
  const char *paths[] = { path, NULL };
  SondeRunStore *store = sonde_run_store_new (NULL, paths, NULL);
  SondeProgressLine line = { 0 };
  gulong handler = g_signal_connect (store, "changed", G_CALLBACK (show_progress), &line);
  gboolean settled;

  /* Arenas of other threads than the first grow by a page at a time; the threads of a store hand
   * each other what one of them has allocated. */
  mallopt (M_ARENA_MAX, 1);
  sonde_run_store_set_watching (store, FALSE);
  settled = sonde_run_store_settle (store, NULL, error);
  g_signal_handler_disconnect (store, handler);
  sonde_cli_progress_end (&line);
  if (settled)
    return store;
  g_object_unref (store);
  return NULL;
}

guint
sonde_cli_count_runs (SondeRunStore *store)
{
  return g_list_model_get_n_items (G_LIST_MODEL (store));
}

SondeRun *
sonde_cli_get_run (SondeRunStore *store, guint index)
{
  SondeRun *run = g_list_model_get_item (G_LIST_MODEL (store), index);

  g_object_unref (run);
  return run;
}

static int
compare_files (gconstpointer a, gconstpointer b)
{
  const SondeRunFile *one = *(gconstpointer *) a, *other = *(gconstpointer *) b;

  return strcmp (one->path, other->path);
}

GPtrArray *
sonde_cli_list_files (SondeRun *run)
{
  GPtrArray *all = sonde_run_get_files (run);
  GPtrArray *files = g_ptr_array_sized_new (all->len);

  for (guint i = 0; i < all->len; i++)
    g_ptr_array_add (files, g_ptr_array_index (all, i));
  g_ptr_array_sort (files, compare_files);
  return files;
}

static void
report_file (const SondeCliCommand *command, SondeRun *run, const SondeRunFile *file)
{
  g_autofree char *whole = NULL, *path = NULL;

  if (file->damage->len == 0 && file->lost_records == 0)
    return;
  whole = g_build_filename (sonde_run_get_path (run), file->path, NULL);
  path = sonde_cli_make_printable (whole);
  for (guint i = 0; i < file->damage->len; i++)
    {
      const SondeFrameDamage *damage = g_ptr_array_index (file->damage, i);
      g_autofree char *reason = sonde_cli_make_printable (damage->reason);

      g_printerr (_ ("sonde %s: “%s”, byte %" PRIu64 ": %" PRIu64 " bytes are unreadable (%s).\n"),
                  command->name, path, damage->offset, damage->bytes, reason);
    }
  if (file->lost_records > 0)
    g_printerr (
        _ ("sonde %s: “%s”: the writer lost %" PRIu64 " records (disk full or too slow).\n"),
        command->name, path, file->lost_records);
}

void
sonde_cli_report_damage (const SondeCliCommand *command, const char *path, SondeRunStore *store)
{
  GPtrArray *problems = sonde_run_store_get_problems (store);

  for (guint i = 0; i < problems->len; i++)
    {
      g_autofree char *problem = sonde_cli_make_printable (g_ptr_array_index (problems, i));

      g_printerr ("sonde %s: %s\n", command->name, problem);
    }
  for (guint i = 0; i < sonde_cli_count_runs (store); i++)
    {
      SondeRun *run = sonde_cli_get_run (store, i);
      g_autoptr (GPtrArray) files = sonde_cli_list_files (run);

      for (guint k = 0; k < files->len; k++)
        report_file (command, run, g_ptr_array_index (files, k));
    }
}

gboolean
sonde_cli_read_something (const char *path, SondeRunStore *store, GError **error)
{
  guint64 records = 0, unread = sonde_run_store_get_problems (store)->len;

  for (guint i = 0; i < sonde_cli_count_runs (store); i++)
    {
      SondeRun *run = sonde_cli_get_run (store, i);
      GPtrArray *files = sonde_run_get_files (run);

      for (guint k = 0; k < files->len; k++)
        {
          const SondeRunFile *file = g_ptr_array_index (files, k);

          records += file->records;
          unread += file->records == 0 && file->bytes > 0;
        }
    }
  if (records > 0 || (sonde_cli_count_runs (store) > 0 && unread == 0))
    return TRUE;
  if (sonde_cli_count_runs (store) > 0)
    sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_DAMAGED,
                     "Nothing in “%s” could be read: it has no intact record.", path);
  else
    sonde_set_error (
        error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_NOT_FOUND,
        "“%s” contains no run: no record file of Sonde, TensorBoard or MindSpore, no CSV "
        "file with a step column. Name a run folder, a folder of runs or a record file.",
        path);
  return FALSE;
}

gboolean
sonde_cli_may_hold_runs (const char *path)
{
  return sonde_run_recognises_file (path) || g_file_test (path, G_FILE_TEST_IS_DIR);
}
