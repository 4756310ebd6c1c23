/* SPDX-License-Identifier: Apache-2.0
 * `sonde export --to tensorboard|mindspore`: each run again, as that tool's event files. */
#include <unistd.h>

#include "app/cli/sonde-cli-export-private.h"
#include "app/cli/sonde-cli-table.h"
#include "collector/writer/sonde-summary-writer.h"
#include "data/base/sonde-error.h"
#include "data/base/sonde-text.h"
#include "data/models/sonde-model-file.h"

/* What waits for the disk is bounded by waiting for it, nothing is dropped. */
#define QUEUE_BYTES ((gsize) 2 << 30)
#define WAITING_BYTES ((guint64) 32 << 20)
#define RECORD_BYTES 128 /* of a record besides its content */

static SondeGraph *
parse_model (GBytes *model, gpointer data, GError **error)
{
  gsize length;
  const guint8 *bytes = g_bytes_get_data (model, &length);

  return sonde_model_parse (bytes, length, "graph of the run", error);
}

static gboolean
begin_nothing (SondeExport *job, GError **error)
{
  return TRUE;
}

/* Notes first: a foreign format tells them with the first value of their tag. */
static gboolean
write_note (const SondeRecord *record, void *data, GError **error)
{
  SondeExport *job = data;

  if (record->kind == SONDE_RECORD_NOTE && sonde_export_wants (job, record->tag))
    sonde_summary_writer_add_record (job->writer, record);
  return TRUE;
}

static gboolean
begin_run (SondeExport *job, GError **error)
{
  g_autofree char *folder = g_str_equal (job->run_name, ".")
                                ? g_strdup (job->folder)
                                : g_build_filename (job->folder, job->run_name, NULL);
  SondeSummaryWriterOptions options
      = { .program = "sonde export", .queue_bytes = QUEUE_BYTES, .parse_model = parse_model };

  sonde_summary_format_from_name (job->target->name, &options.format);
  job->writer = sonde_summary_writer_open (folder, &options, error);
  job->waiting_bytes = 0;
  if (job->writer == NULL)
    return FALSE;
  if (sonde_summary_writer_get_session (job->writer) == 1)
    return sonde_run_for_each_record (job->run, write_note, job, error);
  /* a second set of files would show every point twice */
  sonde_set_error (
      error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_INVALID,
      "“%s” already contains event files of this kind; choose another --output folder.", folder);
  unlink (sonde_summary_writer_get_path (job->writer));
  sonde_summary_writer_close (g_steal_pointer (&job->writer), NULL);
  return FALSE;
}

/* The scalars of @record that --tag wants, into @items. */
static gsize
choose_scalars (const SondeExport *job, const SondeRecord *record, SondeScalar *items)
{
  gsize n = 0;

  for (gsize i = 0; i < record->u.scalars.n; i++)
    if (sonde_export_wants (job, record->u.scalars.items[i].tag))
      items[n++] = record->u.scalars.items[i];
  return n;
}

static gboolean
write_record (SondeExport *job, const SondeRecord *record, GError **error)
{
  g_autofree SondeScalar *items = NULL;
  SondeRecord chosen = *record;

  /* a session and its end are the writer's own, notes are there, kinds of a later version have no
   * structure */
  if (record->kind == SONDE_RECORD_SESSION || record->kind == SONDE_RECORD_END
      || record->kind == SONDE_RECORD_NOTE || record->kind == SONDE_RECORD_UNKNOWN)
    return TRUE;
  if (record->kind == SONDE_RECORD_SCALARS)
    {
      items = g_new (SondeScalar, MAX (record->u.scalars.n, 1));
      chosen.u.scalars.n = choose_scalars (job, record, items);
      chosen.u.scalars.items = items;
      if (chosen.u.scalars.n == 0)
        return TRUE;
      job->n_items += chosen.u.scalars.n;
    }
  else
    job->n_items++;
  sonde_summary_writer_add_record (job->writer, &chosen);
  job->waiting_bytes += RECORD_BYTES + sonde_record_n_bytes (&chosen);
  if (job->waiting_bytes > WAITING_BYTES)
    {
      sonde_summary_writer_flush (job->writer);
      job->waiting_bytes = 0;
    }
  return TRUE;
}

/* What could not be exported is named, and not counted. */
static void
show_left_out (SondeExport *job)
{
  g_autoptr (GPtrArray) warnings = NULL;
  SondeSummaryWriterState state;

  sonde_summary_writer_flush (job->writer);
  sonde_summary_writer_get_state (job->writer, &state);
  job->n_items -= MIN (state.left_out, job->n_items);
  warnings = sonde_summary_writer_dup_warnings (job->writer);
  for (guint i = 0; i < warnings->len; i++)
    {
      g_autofree char *line
          = sonde_cli_make_printable_lines (sonde_message_get_text (warnings->pdata[i]));

      g_printerr (_ ("sonde export: warning: %s: %s\n"), job->run_name, line);
    }
}

static gboolean
end_run (SondeExport *job, GError **error)
{
  show_left_out (job);
  return sonde_summary_writer_close (g_steal_pointer (&job->writer), error);
}

#define EVENTS(target)                                                                             \
  {                                                                                                \
    .name = target, .begin = begin_nothing, .begin_run = begin_run, .record = write_record,        \
    .end_run = end_run, .end = begin_nothing                                                       \
  }

const SondeExportTarget sonde_export_tensorboard = EVENTS ("tensorboard");
const SondeExportTarget sonde_export_mindspore = EVENTS ("mindspore");
