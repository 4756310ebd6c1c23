/* SPDX-License-Identifier: Apache-2.0
 * What the three files have in common: opening, texts that stay, limits, errors. */
#include "data/records/msprobe/sonde-msprobe-parse-private.h"

#include "data/base/sonde-error.h"

#define MAX_ITEMS 4000000 /* entries, tensors, arguments, frames: of each */
#define MAX_TEXT 4096

gboolean
sonde_msprobe_parser_open (SondeMsprobeParser *parser, SondeMsprobeDump *dump, const char *base,
                           GError **error)
{
  *parser = (SondeMsprobeParser){ .dump = dump, .fd = -1 };
  parser->path = g_build_filename (dump->path, base, NULL);
  parser->fd = sonde_io_open_regular (dump->io, parser->path, NULL, error);
  if (parser->fd < 0)
    {
      g_clear_pointer (&parser->path, g_free);
      return FALSE;
    }
  parser->scanner = sonde_json_scanner_new (dump->io, parser->fd, parser->path);
  parser->name = g_string_new (NULL);
  sonde_budget_init (&parser->budget, SONDE_BUDGET_PARSE_BYTES, parser->path);
  return TRUE;
}

/* Why reading ended; the scanner's own error goes before the place. */
static void
set_reason (SondeMsprobeParser *parser, GError **error)
{
  GError *failed = sonde_json_scanner_steal_error (parser->scanner);

  if (failed == NULL)
    failed = g_steal_pointer (&parser->failure);
  if (failed != NULL)
    g_propagate_error (error, failed);
  else
    sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_DAMAGED,
                     "“%s”: byte %" PRIu64 ": the JSON is damaged, or the file ends too early.",
                     parser->path, sonde_json_scanner_get_offset (parser->scanner));
}

gboolean
sonde_msprobe_parser_close (SondeMsprobeParser *parser, gboolean read, GError **error)
{
  if (!read)
    set_reason (parser, error);
  g_clear_error (&parser->failure);
  sonde_json_scanner_free (parser->scanner);
  sonde_io_close (parser->dump->io, parser->fd);
  g_string_free (parser->name, TRUE);
  g_free (parser->path);
  return read;
}

gboolean
sonde_msprobe_parser_fail (SondeMsprobeParser *parser, int code, const char *why)
{
  if (parser->failure == NULL)
    sonde_set_error (&parser->failure, SONDE_DATA_ERROR, code, "“%s”: byte %" PRIu64 ": %-s",
                     parser->path, sonde_json_scanner_get_offset (parser->scanner), why);
  return FALSE;
}

gboolean
sonde_msprobe_parser_take (SondeMsprobeParser *parser, guint n, gsize bytes)
{
  if (n >= MAX_ITEMS)
    return sonde_msprobe_parser_fail (parser, SONDE_DATA_ERROR_LIMIT,
                                      N_ ("more than 4000000 entries, tensors or arguments."));
  return sonde_budget_take (&parser->budget, bytes, N_ ("an entry"),
                            parser->failure == NULL ? &parser->failure : NULL);
}

const char *
sonde_msprobe_parser_keep (SondeMsprobeParser *parser, const char *bytes, gsize n)
{
  g_autofree char *valid = NULL;

  if (n > MAX_TEXT)
    {
      sonde_msprobe_parser_fail (parser, SONDE_DATA_ERROR_LIMIT,
                                 N_ ("a text is longer than 4096 bytes."));
      return NULL;
    }
  if (!sonde_msprobe_parser_take (parser, 0, n + 1))
    return NULL;
  valid = g_utf8_make_valid (bytes, (gssize) n);
  return g_string_chunk_insert_const (parser->dump->texts, valid);
}

gboolean
sonde_msprobe_parser_take_text (SondeMsprobeParser *parser, const char **text)
{
  SondeJsonKind kind;
  const char *bytes;
  gsize n;

  if (!sonde_json_scanner_take_value (parser->scanner, &kind, &bytes, &n))
    return FALSE;
  if (kind != SONDE_JSON_TEXT)
    return TRUE;
  *text = sonde_msprobe_parser_keep (parser, bytes, n);
  return *text != NULL;
}
