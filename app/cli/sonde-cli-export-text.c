/* SPDX-License-Identifier: Apache-2.0
 * `sonde export --to csv`, and the text file that it and other targets write. */
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <errno.h>

#include "app/cli/sonde-cli-export-private.h"
#include "data/base/sonde-error.h"
#include "data/base/sonde-io.h"

#define DRAIN_BYTES ((gsize) 1 << 20)

/* ---- the file ------------------------------------------------------------ */

gboolean
sonde_export_text_open (SondeExportText *text, const char *folder, const char *name, GError **error)
{
  const SondeIo *io = sonde_io_system ();

  text->path = g_build_filename (folder, name, NULL);
  text->temporary = g_strdup_printf ("%s/.%s.part", folder, name);
  text->buffer = g_string_sized_new (DRAIN_BYTES + 4096);
  text->fd
      = io->open (io, AT_FDCWD, text->temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (text->fd >= 0)
    return TRUE;
  sonde_data_error_set_errno (error, errno, "cannot write “%s”", text->path);
  return FALSE;
}

static gboolean
flush (SondeExportText *text, GError **error)
{
  gboolean done = sonde_io_write_full (NULL, text->fd, text->path, text->buffer->str,
                                       text->buffer->len, NULL, error);

  g_string_truncate (text->buffer, 0);
  return done;
}

gboolean
sonde_export_text_drain (SondeExportText *text, GError **error)
{
  return text->buffer->len < DRAIN_BYTES || flush (text, error);
}

gboolean
sonde_export_text_close (SondeExportText *text, GError **error)
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
sonde_export_append_double (GString *string, double value)
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
sonde_export_append_json (GString *string, const char *text)
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

void
sonde_export_append_seconds (GString *string, gint64 ns)
{
  gint64 seconds = ns / 1000000000, rest = ns % 1000000000;

  g_string_append_printf (string, "%s%" PRIi64 ".%09" G_GINT64_FORMAT,
                          ns < 0 && seconds == 0 ? "-" : "", seconds, ABS (rest));
}

/* ---- csv ----------------------------------------------------------------- */

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
