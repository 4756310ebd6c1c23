/* SPDX-License-Identifier: Apache-2.0
 * The text file that some targets of `sonde export` write. */
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <errno.h>

#include "app/cli/sonde-cli-export-private.h"
#include "data/arrays/sonde-json-text.h"
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
  sonde_json_append_string (string, text != NULL ? text : "");
}

void
sonde_export_append_seconds (GString *string, gint64 ns)
{
  gint64 seconds = ns / 1000000000, rest = ns % 1000000000;

  g_string_append_printf (string, "%s%" PRIi64 ".%09" G_GINT64_FORMAT,
                          ns < 0 && seconds == 0 ? "-" : "", seconds, ABS (rest));
}
