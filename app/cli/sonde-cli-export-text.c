/* SPDX-License-Identifier: Apache-2.0
 * `sonde export --to csv|json`: everything that is text or numbers, in one file. */
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <errno.h>

#include "app/cli/sonde-cli-export-private.h"
#include "data/base/sonde-error.h"
#include "data/base/sonde-io.h"

#define DRAIN_BYTES ((gsize) 1 << 20)

/* ---- the file ------------------------------------------------------------------------------- */

gboolean
sonde_export_text_open (SondeExportText *text,
                        const char      *folder,
                        const char      *name,
                        GError         **error)
{
  const SondeIo *io = sonde_io_system ();

  text->path = g_build_filename (folder, name, NULL);
  text->temporary = g_strdup_printf ("%s/.%s.part", folder, name);
  text->buffer = g_string_sized_new (DRAIN_BYTES + 4096);
  text->fd = io->open (io, AT_FDCWD, text->temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (text->fd >= 0)
    return TRUE;
  sonde_data_error_set_errno (error, errno, "cannot write “%s”", text->path);
  return FALSE;
}

static gboolean
flush (SondeExportText *text,
       GError         **error)
{
  gboolean done = sonde_io_write_full (NULL, text->fd, text->path, text->buffer->str, text->buffer->len, NULL, error);

  g_string_truncate (text->buffer, 0);
  return done;
}

gboolean
sonde_export_text_drain (SondeExportText *text,
                         GError         **error)
{
  return text->buffer->len < DRAIN_BYTES || flush (text, error);
}

gboolean
sonde_export_text_close (SondeExportText *text,
                         GError         **error)
{
  const SondeIo *io = sonde_io_system ();

  if (!flush (text, error))
    return FALSE;
  if (io->fsync (io, text->fd) != 0 || io->rename (io, text->temporary, text->path) != 0)
    {
      sonde_data_error_set_errno (error, errno, "cannot write “%s”", text->path);
      return FALSE;
    }
  g_clear_pointer (&text->temporary, g_free);
  return TRUE;
}

void
sonde_export_text_clear (SondeExportText *text)
{
  const SondeIo *io = sonde_io_system ();

  if (text->buffer == NULL)
    return;
  sonde_io_close (io, text->fd);
  if (text->temporary != NULL)
    io->unlink (io, text->temporary);
  g_string_free (text->buffer, TRUE);
  g_free (text->temporary);
  g_free (text->path);
}

void
sonde_export_append_double (GString *string,
                            double   value)
{
  char digits[G_ASCII_DTOSTR_BUF_SIZE];

  if (isnan (value))
    g_string_append (string, "nan");
  else if (isinf (value))
    g_string_append (string, value > 0 ? "inf" : "-inf");
  else
    g_string_append (string, g_ascii_formatd (digits, sizeof digits, "%.17g", value));
}

void
sonde_export_append_json (GString    *string,
                          const char *text)
{
  g_autofree char *valid = g_utf8_make_valid (text != NULL ? text : "", -1);

  g_string_append_c (string, '"');
  for (const char *p = valid; *p != '\0'; p++)
    if (*p == '"' || *p == '\\')
      g_string_append_printf (string, "\\%c", *p);
    else if ((guchar) *p < 0x20)
      g_string_append_printf (string, "\\u%04x", *p);
    else
      g_string_append_c (string, *p);
  g_string_append_c (string, '"');
}

/* Seconds since 1970, every nanosecond kept. */
static void
append_seconds (GString *string,
                gint64   ns)
{
  gint64 seconds = ns / 1000000000, rest = ns % 1000000000;

  g_string_append_printf (string, "%s%" G_GINT64_FORMAT ".%09" G_GINT64_FORMAT, ns < 0 && seconds == 0 ? "-" : "",
                          seconds, ABS (rest));
}

/* ---- csv ------------------------------------------------------------------------------------ */

static void
append_field (GString    *string,
              const char *text)
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
csv_begin (SondeExport *job,
           GError     **error)
{
  if (!sonde_export_text_open (&job->text, job->folder, "scalars.csv", error))
    return FALSE;
  g_string_append (job->text.buffer, "run,tag,step,wall_time,value\n");
  return TRUE;
}

static gboolean
csv_record (SondeExport       *job,
            const SondeRecord *record,
            GError           **error)
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
      g_string_append_printf (out, ",%" G_GINT64_FORMAT ",", record->step);
      append_seconds (out, record->wall_time_ns);
      g_string_append_c (out, ',');
      sonde_export_append_double (out, scalar->value);
      g_string_append_c (out, '\n');
      job->n_items++;
    }
  return sonde_export_text_drain (&job->text, error);
}

static gboolean
text_end (SondeExport *job,
          GError     **error)
{
  return sonde_export_text_close (&job->text, error);
}

const SondeExportTarget sonde_export_csv = {
  .name = "csv",
  .begin = csv_begin,
  .record = csv_record,
  .end = text_end,
};

/* ---- json ----------------------------------------------------------------------------------- */

/* Numbers as numbers, the others as strings: JSON has no NaN. */
static void
append_json_double (GString *out,
                    double   value)
{
  if (!isfinite (value))
    g_string_append_c (out, '"');
  sonde_export_append_double (out, value);
  if (!isfinite (value))
    g_string_append_c (out, '"');
}

static gboolean
json_begin (SondeExport *job,
            GError     **error)
{
  job->first_run = TRUE;
  if (!sonde_export_text_open (&job->text, job->folder, "records.json", error))
    return FALSE;
  g_string_append (job->text.buffer, "{\"runs\":[");
  return TRUE;
}

static gboolean
json_begin_run (SondeExport *job,
                GError     **error)
{
  g_string_append (job->text.buffer, job->first_run ? "\n{\"path\":" : ",\n{\"path\":");
  sonde_export_append_json (job->text.buffer, job->run_name);
  g_string_append (job->text.buffer, ",\"records\":[");
  job->first_run = FALSE;
  job->first_item = TRUE;
  return TRUE;
}

/* What every item begins with, up to the comma before its own members. */
static void
begin_item (SondeExport       *job,
            const SondeRecord *record,
            const char        *tag)
{
  GString *out = job->text.buffer;

  g_string_append (out, job->first_item ? "\n{\"tag\":" : ",\n{\"tag\":");
  sonde_export_append_json (out, tag);
  g_string_append_printf (out, ",\"kind\":\"%s\",\"step\":%" G_GINT64_FORMAT ",\"wall_time\":",
                          sonde_record_kind_name (record->kind), record->step);
  append_seconds (out, record->wall_time_ns);
  g_string_append_printf (out, ",\"session\":%u", record->session);
  job->first_item = FALSE;
  job->n_items++;
}

static void
json_scalars (SondeExport       *job,
              const SondeRecord *record)
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
json_text (SondeExport       *job,
           const SondeRecord *record)
{
  begin_item (job, record, record->tag);
  g_string_append (job->text.buffer, ",\"text\":");
  sonde_export_append_json (job->text.buffer, record->u.text);
  g_string_append_c (job->text.buffer, '}');
}

static void
json_hparams (SondeExport       *job,
              const SondeRecord *record)
{
  begin_item (job, record, record->tag);
  g_string_append (job->text.buffer, ",\"values\":{");
  for (gsize i = 0; i < record->u.hparams.n; i++)
    {
      g_string_append (job->text.buffer, i == 0 ? "" : ",");
      sonde_export_append_json (job->text.buffer, record->u.hparams.items[i].key);
      g_string_append_c (job->text.buffer, ':');
      sonde_export_append_json (job->text.buffer, record->u.hparams.items[i].text);
    }
  g_string_append (job->text.buffer, "}}");
}

static void
json_statistics (SondeExport       *job,
                 const SondeRecord *record)
{
  const SondeStatistics *statistics = &record->u.statistics;
  const struct
  {
    const char *name;
    double value;
  } reals[] = {
    { "min", statistics->min }, { "max", statistics->max }, { "mean", statistics->mean },
    { "std", statistics->std }, { "abs_mean", statistics->abs_mean },
  };

  begin_item (job, record, record->tag);
  for (gsize i = 0; i < G_N_ELEMENTS (reals); i++)
    {
      g_string_append_printf (job->text.buffer, ",\"%s\":", reals[i].name);
      append_json_double (job->text.buffer, reals[i].value);
    }
  g_string_append_printf (job->text.buffer,
                          ",\"zeros\":%" G_GINT64_FORMAT ",\"negatives\":%" G_GINT64_FORMAT
                          ",\"nan\":%" G_GINT64_FORMAT ",\"pos_inf\":%" G_GINT64_FORMAT
                          ",\"neg_inf\":%" G_GINT64_FORMAT ",\"count\":%" G_GINT64_FORMAT "}",
                          statistics->zeros, statistics->negatives, statistics->nan, statistics->pos_inf,
                          statistics->neg_inf, statistics->count);
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
};

static gboolean
json_record (SondeExport       *job,
             const SondeRecord *record,
             GError           **error)
{
  for (gsize i = 0; i < G_N_ELEMENTS (json_kinds); i++)
    if (json_kinds[i].kind == record->kind)
      json_kinds[i].write (job, record);
  return sonde_export_text_drain (&job->text, error);
}

static gboolean
json_end_run (SondeExport *job,
              GError     **error)
{
  g_string_append (job->text.buffer, "]}");
  return TRUE;
}

static gboolean
json_end (SondeExport *job,
          GError     **error)
{
  g_string_append (job->text.buffer, "]}\n");
  return text_end (job, error);
}

const SondeExportTarget sonde_export_json = {
  .name = "json",
  .begin = json_begin,
  .begin_run = json_begin_run,
  .record = json_record,
  .end_run = json_end_run,
  .end = json_end,
};
