/* SPDX-License-Identifier: Apache-2.0
 * `sonde export --to csv`. */
#include <inttypes.h>
#include <string.h>

#include "app/cli/sonde-cli-export-private.h"

static void
append_field (GString *string, const char *text)
{
  if (strpbrk (text, ",\"\r\n") == NULL)
    {
      g_string_append (string, text);
      return;
    }
  g_string_append_c (string, '"');
  for (const char *p = text; *p != '\0'; p++)
    {
      if (*p == '"')
        g_string_append_c (string, '"');
      g_string_append_c (string, *p);
    }
  g_string_append_c (string, '"');
}

static gboolean
csv_begin (SondeExport *job, GError **error)
{
  if (!sonde_export_text_open (&job->text, job->folder, "scalars.csv", error))
    return FALSE;
  g_string_append (job->text.buffer, "run,tag,step,wall_time,value\n");
  return TRUE;
}

static gboolean
csv_record (SondeExport *job, const SondeRecord *record, GError **error)
{
  GString *out = job->text.buffer;

  if (record->kind != SONDE_RECORD_SCALARS)
    return TRUE;
  for (gsize i = 0; i < record->u.scalars.n; i++)
    {
      const SondeScalar *scalar = &record->u.scalars.items[i];

      if (!sonde_export_wants (job, scalar->tag))
        continue;
      append_field (out, job->run_name);
      g_string_append_c (out, ',');
      append_field (out, scalar->tag);
      g_string_append_printf (out, ",%" PRIi64 ",", record->step);
      sonde_export_append_seconds (out, record->wall_time_ns);
      g_string_append_c (out, ',');
      sonde_export_append_double (out, scalar->value);
      g_string_append_c (out, '\n');
      job->n_items++;
    }
  return sonde_export_text_drain (&job->text, error);
}

static gboolean
csv_end (SondeExport *job, GError **error)
{
  return sonde_export_text_close (&job->text, error);
}

const SondeExportTarget sonde_export_csv = {
  .name = "csv",
  .begin = csv_begin,
  .record = csv_record,
  .end = csv_end,
};
