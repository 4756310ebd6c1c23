/* SPDX-License-Identifier: Apache-2.0
 * dump.json, or debug.json: what stands before the entries, and the entries. */
#include "data/records/msprobe/sonde-msprobe-parse-private.h"

#include <string.h>

#include "data/base/sonde-error.h"

static const char *const listings[] = { "dump.json", "debug.json" };

/* ---- dump.json ----------------------------------------------------------- */

static gboolean
parse_data (SondeMsprobeParser *parser)
{
  gboolean first = TRUE;
  const char *key;
  gsize n;

  if (sonde_json_scanner_peek (parser->scanner) != '{')
    return sonde_json_scanner_skip (parser->scanner);
  sonde_json_scanner_take (parser->scanner, '{');
  while (sonde_json_scanner_next (parser->scanner, '}', &first))
    {
      const char *entry;

      if (!sonde_json_scanner_take_key (parser->scanner, &key, &n)
          || (entry = sonde_msprobe_parser_keep (parser, key, n)) == NULL
          || !sonde_msprobe_parse_entry (parser, entry))
        return FALSE;
    }
  return !sonde_json_scanner_is_bad (parser->scanner);
}

static gboolean
is_word (const char *bytes, gsize n, const char *word)
{
  return n == strlen (word) && memcmp (bytes, word, n) == 0;
}

static gboolean
parse_top_member (SondeMsprobeParser *parser, const char *key, gsize n)
{
  SondeMsprobeDump *dump = parser->dump;

  if (is_word (key, n, "task"))
    return sonde_msprobe_parser_take_text (parser, &dump->task);
  if (is_word (key, n, "level"))
    return sonde_msprobe_parser_take_text (parser, &dump->level);
  if (is_word (key, n, "framework"))
    return sonde_msprobe_parser_take_text (parser, &dump->framework);
  return is_word (key, n, "data") ? parse_data (parser) : sonde_json_scanner_skip (parser->scanner);
}

static gboolean
parse_top (SondeMsprobeParser *parser)
{
  gboolean first = TRUE;
  const char *key;
  gsize n;

  if (!sonde_json_scanner_take (parser->scanner, '{'))
    return FALSE;
  while (sonde_json_scanner_next (parser->scanner, '}', &first))
    if (!sonde_json_scanner_take_key (parser->scanner, &key, &n)
        || !parse_top_member (parser, key, n))
      return FALSE;
  return !sonde_json_scanner_is_bad (parser->scanner)
         && sonde_json_scanner_is_at_end (parser->scanner);
}

/* ---- opening ------------------------------------------------------------- */

/* What stands before the entries. */
static gboolean
parse_head (SondeMsprobeParser *parser)
{
  const SondeMsprobeDump *dump = parser->dump;
  gboolean first = TRUE;
  const char *key;
  gsize n;

  if (!sonde_json_scanner_take (parser->scanner, '{'))
    return FALSE;
  while (sonde_json_scanner_next (parser->scanner, '}', &first))
    if (!sonde_json_scanner_take_key (parser->scanner, &key, &n))
      return FALSE;
    else if (is_word (key, n, "data"))
      break;
    else if (!parse_top_member (parser, key, n))
      return FALSE;
  return dump->task != NULL && dump->level != NULL;
}

gboolean
sonde_msprobe_dump_sniff (const SondeIo *io, const char *path)
{
  g_autoptr (SondeMsprobeDump) dump = sonde_msprobe_dump_new (io, path);

  for (guint i = 0; i < G_N_ELEMENTS (listings); i++)
    {
      g_autofree char *file = g_build_filename (path, listings[i], NULL);
      SondeMsprobeParser parser;

      if (!g_file_test (file, G_FILE_TEST_IS_REGULAR))
        continue;
      if (sonde_msprobe_parser_open (&parser, dump, listings[i], NULL)
          && sonde_msprobe_parser_close (&parser, parse_head (&parser), NULL))
        return TRUE;
    }
  return FALSE;
}

static gboolean
parse_listing (SondeMsprobeDump *dump, const char *base, gboolean *found, GError **error)
{
  g_autofree char *file = g_build_filename (dump->path, base, NULL);
  SondeMsprobeParser parser;

  if (!g_file_test (file, G_FILE_TEST_EXISTS))
    return TRUE;
  *found = TRUE;
  return sonde_msprobe_parser_open (&parser, dump, base, error)
         && sonde_msprobe_parser_close (&parser, parse_top (&parser), error);
}

SondeMsprobeDump *
sonde_msprobe_dump_open (const SondeIo *io, const char *path, GError **error)
{
  g_autoptr (SondeMsprobeDump) dump = sonde_msprobe_dump_new (io, path);
  gboolean found = FALSE;

  for (guint i = 0; i < G_N_ELEMENTS (listings); i++)
    if (!parse_listing (dump, listings[i], &found, error))
      return NULL;
  if (!found)
    {
      sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_NOT_FOUND,
                       "“%s” has neither “dump.json” nor “debug.json”: msprobe dumped nothing "
                       "into it.",
                       path);
      return NULL;
    }
  sonde_msprobe_parse_construct (dump);
  sonde_msprobe_parse_stacks (dump);
  return g_steal_pointer (&dump);
}
