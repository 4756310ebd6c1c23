/* SPDX-License-Identifier: Apache-2.0
 * `sonde export`: finds the runs, walks through their records, gives each to the target of --to. */
#include "app/cli/sonde-cli-export-private.h"
#include "app/cli/sonde-cli-table.h"
#include "collector/writer/sonde-summary-writer.h"
#include "data/base/sonde-error.h"
#include "data/base/sonde-io.h"
#include "data/base/sonde-text.h"
#include "data/images/sonde-image-decoder.h"

static const SondeExportTarget *const targets[] = {
  &sonde_export_csv, &sonde_export_json,        &sonde_export_npy,
  &sonde_export_png, &sonde_export_tensorboard, &sonde_export_mindspore,
};

gboolean
sonde_export_wants (const SondeExport *job, const char *tag)
{
  g_autofree char *valid = NULL;

  if (job->pattern == NULL)
    return TRUE;
  /* the matcher walks by UTF-8 characters and would run past the end of others */
  if (tag != NULL && !g_utf8_validate (tag, -1, NULL))
    tag = valid = g_utf8_make_valid (tag, -1);
  return tag != NULL && g_pattern_spec_match_string (job->pattern, tag);
}

static gboolean
export_record (const SondeRecord *record, void *data, GError **error)
{
  SondeExport *job = data;

  /* each scalar of a record has a tag of its own */
  if (record->kind != SONDE_RECORD_SCALARS && !sonde_export_wants (job, record->tag))
    return TRUE;
  return job->target->record (job, record, error);
}

static gboolean
export_run (SondeExport *job, SondeRun *run, GError **error)
{
  job->run = run;
  job->run_name = sonde_run_get_name (run);
  if (job->target->begin_run != NULL && !job->target->begin_run (job, error))
    return FALSE;
  if (!sonde_run_for_each_record (run, export_record, job, error))
    return FALSE;
  return job->target->end_run == NULL || job->target->end_run (job, error);
}

/* Every operand must be readable before anything is written. */
static gboolean
open_all (const SondeCliCommand *command, char **operands, GPtrArray *stores, GError **error)
{
  for (gsize i = 0; operands[i] != NULL; i++)
    {
      SondeRunStore *store = sonde_cli_open_runs (operands[i], error);

      if (store == NULL)
        return FALSE;
      g_ptr_array_add (stores, store);
      sonde_cli_report_damage (command, operands[i], store);
      if (!sonde_cli_read_something (operands[i], store, error))
        return FALSE;
    }
  return TRUE;
}

static gboolean
export_all (SondeExport *job, GPtrArray *stores, GError **error)
{
  if (!sonde_io_make_directories (NULL, job->folder, error))
    return FALSE;
  if (!job->target->begin (job, error))
    return FALSE;
  for (guint i = 0; i < stores->len; i++)
    for (guint k = 0; k < sonde_cli_count_runs (g_ptr_array_index (stores, i)); k++)
      if (!export_run (job, sonde_cli_get_run (g_ptr_array_index (stores, i), k), error))
        return FALSE;
  return job->target->end (job, error);
}

static gboolean export(const SondeCliCommand *command, char **operands,
                       const SondeExportTarget *target, const char *folder, const char *tag,
                       GError **error)
{
  g_autoptr (GPtrArray) stores = g_ptr_array_new_with_free_func (g_object_unref);
  g_autoptr (GHashTable) files = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  g_autoptr (GPatternSpec) pattern = tag != NULL ? g_pattern_spec_new (tag) : NULL;
  SondeExport job = { .target = target, .folder = folder, .pattern = pattern, .files = files };
  g_autofree char *count = NULL;
  gboolean done;

  if (!open_all (command, operands, stores, error))
    return FALSE;
  done = export_all (&job, stores, error);
  sonde_export_text_clear (&job.text);
  sonde_image_decoder_free (job.decoder);
  sonde_summary_writer_close (job.writer, NULL); /* left open by a failure */
  if (!done)
    return FALSE;
  if (job.n_items == 0 && tag != NULL)
    {
      sonde_set_error (
          error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_NOT_FOUND,
          "No tag that can be exported with --to %s matches “%s”; “sonde inspect” lists the tags.",
          target->name, tag);
      return FALSE;
    }
  count = sonde_cli_format_count (job.n_items);
  sonde_cli_print (target == &sonde_export_csv ? _ ("%s points written to %s\n")
                                               : _ ("%s records written to %s\n"),
                   count, folder);
  return TRUE;
}

static const SondeExportTarget *
find_target (const char *name)
{
  for (gsize i = 0; name != NULL && i < G_N_ELEMENTS (targets); i++)
    if (g_str_equal (targets[i]->name, name))
      return targets[i];
  return NULL;
}

static int
refuse_target (const SondeCliCommand *command, const char *name)
{
  if (name == NULL)
    return sonde_cli_misuse (command,
                             "--to is missing; use csv, json, npy, png, tensorboard or mindspore.");
  return sonde_cli_misuse (
      command, "Unknown format --to %s; use csv, json, npy, png, tensorboard or mindspore.", name);
}

static int
run_export (const SondeCliCommand *command, int argc, char **argv)
{
  g_autofree char *to = NULL, *output = NULL, *tag = NULL;
  const GOptionEntry entries[] = {
    { "to", 0, 0, G_OPTION_ARG_STRING, &to, N_ ("Output format"),
      "csv|json|npy|png|tensorboard|mindspore" },
    { "output", 'o', 0, G_OPTION_ARG_FILENAME, &output,
      N_ ("Output folder; created if it does not exist"), "DIR" },
    { "tag", 0, 0, G_OPTION_ARG_STRING, &tag, N_ ("Only matching tags; * and ? are wildcards"),
      "GLOB" },
    { NULL },
  };
  g_auto (GStrv) operands = NULL;
  g_autoptr (GError) error = NULL;
  int status;

  if (!sonde_cli_parse (command, argc, argv, entries, 1, -1, &operands, &status))
    return status;
  if (find_target (to) == NULL)
    return refuse_target (command, to);
  if (output == NULL)
    return sonde_cli_misuse (command, "--output is missing.");
  if (!export(command, operands, find_target (to), output, tag, &error))
    return sonde_cli_fail (command, error);
  return SONDE_EXIT_DONE;
}

const SondeCliCommand sonde_cli_command_export = {
  .name = "export",
  .synopsis = N_ ("RUN|DIR… --to csv|json|npy|png|tensorboard|mindspore --output DIR"),
  .summary = N_ ("Export the records of runs as CSV, JSON, NumPy or PNG files, or in the formats "
                 "of TensorBoard or MindSpore."),
  .details
  = N_ ("csv: scalars.csv with run, tag, step, wall_time (seconds since 1970) and value, every "
        "point in file and record order. json: records.json with all text and "
        "numeric records. npy: tensors, histograms ([bins, 3]: left edge, right edge, count), "
        "precision-recall curves, embeddings, landscapes, meshes and saliency maps, one file per "
        "array, listed in index.json. png: images, listed likewise. tensorboard, mindspore: each "
        "run as event files of that tool; records that the format cannot represent are "
        "reported, as are unreadable records; all others are written."),
  .run = run_export,
};
