/* SPDX-License-Identifier: Apache-2.0
 * `sonde export --to json`: text and numeric records in one file. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "app/cli/sonde-cli-export-private.h"
#include "data/arrays/sonde-json-text.h"
#include "data/records/sonde-record-facts.h"
#include "data/values/sonde-decimal.h"

/* "nan", "inf" and "-inf" as strings: JSON has no such numbers. */
static void
append_json_double (GString *out, double value)
{
  char digits[SONDE_DECIMAL_BUFFER];

  sonde_decimal_format (SONDE_DTYPE_F64, value, digits);
  g_string_append_printf (out, isfinite (value) ? "%s" : "\"%s\"", digits);
}

static void
append_number (GString *out, const char *name, double value)
{
  g_string_append_printf (out, ",\"%s\":", name);
  append_json_double (out, value);
}

static gboolean
json_begin (SondeExport *job, GError **error)
{
  job->first_run = TRUE;
  if (!sonde_export_text_open (&job->text, job->folder, "records.json", error))
    return FALSE;
  g_string_append (job->text.buffer, "{\"runs\":[");
  return TRUE;
}

static gboolean
json_begin_run (SondeExport *job, GError **error)
{
  g_string_append (job->text.buffer, job->first_run ? "\n{\"path\":" : ",\n{\"path\":");
  sonde_export_append_json (job->text.buffer, job->run_name);
  g_string_append (job->text.buffer, ",\"records\":[");
  job->first_run = FALSE;
  job->first_item = TRUE;
  return TRUE;
}

/* The common members of all items, up to the comma before its own. */
static void
begin_item (SondeExport *job, const SondeRecord *record, const char *tag)
{
  GString *out = job->text.buffer;

  g_string_append (out, job->first_item ? "\n{\"tag\":" : ",\n{\"tag\":");
  sonde_export_append_json (out, tag);
  g_string_append_printf (out, ",\"kind\":\"%s\",\"step\":%" PRIi64 ",\"wall_time\":",
                          sonde_record_kind_name (record->kind), record->step);
  sonde_export_append_seconds (out, record->wall_time_ns);
  g_string_append_printf (out, ",\"session\":%u", record->session);
  job->first_item = FALSE;
  job->n_items++;
}

static void
json_scalars (SondeExport *job, const SondeRecord *record)
{
  for (gsize i = 0; i < record->u.scalars.n; i++)
    {
      const SondeScalar *scalar = &record->u.scalars.items[i];

      if (!sonde_export_wants (job, scalar->tag))
        continue;
      begin_item (job, record, scalar->tag);
      g_string_append (job->text.buffer, ",\"value\":");
      append_json_double (job->text.buffer, scalar->value);
      g_string_append_c (job->text.buffer, '}');
    }
}

static void
json_text (SondeExport *job, const SondeRecord *record)
{
  begin_item (job, record, record->tag);
  g_string_append (job->text.buffer, ",\"text\":");
  sonde_export_append_json (job->text.buffer, record->u.text);
  if (record->u.cells != NULL)
    {
      g_string_append (job->text.buffer, ",\"cells\":");
      sonde_json_append_tensor (job->text.buffer, record->u.cells);
    }
  g_string_append_c (job->text.buffer, '}');
}

static void
append_items (GString *out, const char *name, const SondeHparam *items, gsize n)
{
  g_string_append_printf (out, ",\"%s\":{", name);
  for (gsize i = 0; i < n; i++)
    {
      g_string_append (out, i == 0 ? "" : ",");
      sonde_export_append_json (out, items[i].key);
      g_string_append_c (out, ':');
      sonde_export_append_json (out, items[i].text);
    }
  g_string_append_c (out, '}');
}

/* Nothing for NULL. */
static void
append_member (GString *out, const char *name, const char *text)
{
  if (text == NULL)
    return;
  g_string_append_printf (out, ",\"%s\":", name);
  sonde_export_append_json (out, text);
}

static void
json_hparams (SondeExport *job, const SondeRecord *record)
{
  static const char *const parts[] = {
    [SONDE_HPARAMS_VALUES] = "values",
    [SONDE_HPARAMS_EXPERIMENT] = "experiment",
    [SONDE_HPARAMS_END] = "end",
  };
  GString *out = job->text.buffer;

  begin_item (job, record, record->tag);
  append_items (out, "values", record->u.hparams.items, record->u.hparams.n);
  append_member (out, "part", parts[record->u.hparams.part]);
  append_member (out, "group", record->u.hparams.group);
  append_member (out, "status", record->u.hparams.status);
  if (record->u.hparams.n_metrics > 0)
    append_items (out, "metrics", record->u.hparams.metrics, record->u.hparams.n_metrics);
  g_string_append_c (out, '}');
}

static void
json_lineage (SondeExport *job, const SondeRecord *record)
{
  begin_item (job, record, record->tag);
  append_member (job->text.buffer, "part", record->u.lineage.part);
  append_items (job->text.buffer, "values", record->u.lineage.items, record->u.lineage.n);
  g_string_append_c (job->text.buffer, '}');
}

/* Rows of left edge, right edge and count, of the bins that are not empty. */
static void
json_histogram (SondeExport *job, const SondeRecord *record)
{
  g_autoptr (SondeBins) own = record->u.bins == NULL && record->u.histogram != NULL
                                  ? sonde_bins_from_histogram (record->u.histogram)
                                  : NULL;
  const SondeBins *bins = own != NULL ? own : record->u.bins;
  GString *out = job->text.buffer;

  if (bins == NULL)
    return;
  begin_item (job, record, record->tag);
  append_number (out, "count", bins->count);
  append_number (out, "min", bins->min);
  append_number (out, "max", bins->max);
  append_number (out, "sum", bins->sum);
  append_number (out, "sum_squares", bins->sum_squares);
  g_string_append_printf (
      out, ",\"nan\":%" PRIu64 ",\"pos_inf\":%" PRIu64 ",\"neg_inf\":%" PRIu64 ",\"bins\":[",
      bins->nan, bins->pos_inf, bins->neg_inf);
  for (gsize i = 0; i < bins->n; i++)
    {
      g_string_append (out, i == 0 ? "[" : ",[");
      append_json_double (out, bins->lefts[i]);
      g_string_append_c (out, ',');
      append_json_double (out, bins->rights[i]);
      g_string_append_c (out, ',');
      append_json_double (out, bins->counts[i]);
      g_string_append_c (out, ']');
    }
  g_string_append (out, "]}");
}

static void
json_pr_curve (SondeExport *job, const SondeRecord *record)
{
  if (record->u.pr_curve.rows == NULL)
    return;
  begin_item (job, record, record->tag);
  g_string_append (job->text.buffer, ",\"rows\":");
  sonde_json_append_tensor (job->text.buffer, record->u.pr_curve.rows);
  g_string_append_c (job->text.buffer, '}');
}

static void
json_counterfactual (SondeExport *job, const SondeRecord *record)
{
  const struct
  {
    const char *name;
    SondeTensor *tensor;
  } tables[] = {
    { "boxes", record->u.counterfactual.boxes },
    { "outputs", record->u.counterfactual.outputs },
    { "pruned", record->u.counterfactual.pruned },
    { "steps", record->u.counterfactual.steps },
  };

  begin_item (job, record, record->tag);
  append_member (job->text.buffer, "sample", record->u.counterfactual.note.sample);
  append_member (job->text.buffer, "goal", record->u.counterfactual.goal);
  append_member (job->text.buffer, "result", record->u.counterfactual.result);
  append_member (job->text.buffer, "parameters", record->u.counterfactual.parameters);
  append_member (job->text.buffer, "mask", record->u.counterfactual.mask);
  g_string_append_printf (job->text.buffer,
                          ",\"target\":%d,\"threshold\":", record->u.counterfactual.target);
  append_json_double (job->text.buffer, record->u.counterfactual.threshold);
  for (gsize i = 0; i < G_N_ELEMENTS (tables); i++)
    if (tables[i].tensor != NULL)
      {
        g_string_append_printf (job->text.buffer, ",\"%s\":", tables[i].name);
        sonde_json_append_tensor (job->text.buffer, tables[i].tensor);
      }
  g_string_append_c (job->text.buffer, '}');
}

static void
json_note (SondeExport *job, const SondeRecord *record)
{
  begin_item (job, record, record->tag);
  append_member (job->text.buffer, "display_name", record->u.tag_note.display_name);
  append_member (job->text.buffer, "description", record->u.tag_note.description);
  append_member (job->text.buffer, "unit", record->u.tag_note.unit);
  append_member (job->text.buffer, "group", record->u.tag_note.group);
  g_string_append_c (job->text.buffer, '}');
}

/* Kinds without a form of their own: the rows of the window's table; names may occur twice. */
static void
json_facts (SondeExport *job, const SondeRecord *record)
{
  g_autoptr (GPtrArray) facts = sonde_record_list_facts (record);

  begin_item (job, record, record->tag);
  g_string_append (job->text.buffer, ",\"facts\":[");
  for (guint i = 0; i < facts->len; i++)
    {
      const SondeRecordFact *fact = facts->pdata[i];

      g_string_append (job->text.buffer, i == 0 ? "[" : ",[");
      sonde_export_append_json (job->text.buffer, fact->name);
      g_string_append_c (job->text.buffer, ',');
      sonde_export_append_json (job->text.buffer, fact->text);
      g_string_append_c (job->text.buffer, ']');
    }
  g_string_append (job->text.buffer, "]}");
}

static void
json_statistics (SondeExport *job, const SondeRecord *record)
{
  const SondeStatistics *statistics = &record->u.statistics;
  const struct
  {
    const char *name;
    double value;
  } reals[] = {
    { "min", statistics->min }, { "max", statistics->max },           { "mean", statistics->mean },
    { "std", statistics->std }, { "abs_mean", statistics->abs_mean },
  };

  begin_item (job, record, record->tag);
  for (gsize i = 0; i < G_N_ELEMENTS (reals); i++)
    {
      g_string_append_printf (job->text.buffer, ",\"%s\":", reals[i].name);
      append_json_double (job->text.buffer, reals[i].value);
    }
  g_string_append_printf (job->text.buffer,
                          ",\"zeros\":%" PRIi64 ",\"negatives\":%" PRIi64 ",\"nan\":%" PRIi64
                          ",\"pos_inf\":%" PRIi64 ",\"neg_inf\":%" PRIi64 ",\"count\":%" PRIi64 "}",
                          statistics->zeros, statistics->negatives, statistics->nan,
                          statistics->pos_inf, statistics->neg_inf, statistics->count);
}

/* Kinds that are text or few numbers; the others are files of --to npy and png. */
static const struct
{
  SondeRecordKind kind;
  void (*write) (SondeExport *job, const SondeRecord *record);
} json_kinds[] = {
  { SONDE_RECORD_SCALARS, json_scalars },
  { SONDE_RECORD_TEXT, json_text },
  { SONDE_RECORD_HPARAMS, json_hparams },
  { SONDE_RECORD_STATISTICS, json_statistics },
  { SONDE_RECORD_HISTOGRAM, json_histogram },
  { SONDE_RECORD_PR_CURVE, json_pr_curve },
  { SONDE_RECORD_LINEAGE, json_lineage },
  { SONDE_RECORD_NOTE, json_note },
  { SONDE_RECORD_COUNTERFACTUAL, json_counterfactual },
  { SONDE_RECORD_AUDIO, json_facts },
  { SONDE_RECORD_CUSTOM_SCALARS, json_facts },
  { SONDE_RECORD_SESSION_LOG, json_facts },
  { SONDE_RECORD_RUN_METADATA, json_facts },
  { SONDE_RECORD_EXPLAIN, json_facts },
  { SONDE_RECORD_EMBEDDING, json_facts },
  { SONDE_RECORD_LANDSCAPE, json_facts },
  { SONDE_RECORD_MESH, json_facts },
  { SONDE_RECORD_OTHER, json_facts },
};

static gboolean
json_record (SondeExport *job, const SondeRecord *record, GError **error)
{
  for (gsize i = 0; i < G_N_ELEMENTS (json_kinds); i++)
    if (json_kinds[i].kind == record->kind)
      json_kinds[i].write (job, record);
  return sonde_export_text_drain (&job->text, error);
}

static gboolean
json_end_run (SondeExport *job, GError **error)
{
  g_string_append (job->text.buffer, "]}");
  return TRUE;
}

static gboolean
json_end (SondeExport *job, GError **error)
{
  g_string_append (job->text.buffer, "]}\n");
  return sonde_export_text_close (&job->text, error);
}

const SondeExportTarget sonde_export_json = {
  .name = "json",
  .begin = json_begin,
  .begin_run = json_begin_run,
  .record = json_record,
  .end_run = json_end_run,
  .end = json_end,
};
