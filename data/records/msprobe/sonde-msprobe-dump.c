/* SPDX-License-Identifier: Apache-2.0
 * The folder of one rank in one step. */
#include "data/records/msprobe/sonde-msprobe-parse-private.h"

#include <string.h>

#include "data/base/sonde-error.h"

static const char *const listings[] = { "dump.json", "debug.json" };

void
sonde_msprobe_dump_free (SondeMsprobeDump *dump)
{
  if (dump == NULL)
    return;
  g_free (dump->path);
  g_array_unref (dump->entries);
  g_array_unref (dump->tensors);
  g_array_unref (dump->arguments);
  g_ptr_array_unref (dump->stacks);
  g_ptr_array_unref (dump->problems);
  g_hash_table_unref (dump->by_entry);
  g_hash_table_unref (dump->by_name);
  g_string_chunk_free (dump->texts);
  g_free (dump);
}

static SondeMsprobeDump *
dump_new (const SondeIo *io, const char *path)
{
  SondeMsprobeDump *dump = g_new0 (SondeMsprobeDump, 1);

  dump->io = io;
  dump->path = g_strdup (path);
  dump->texts = g_string_chunk_new (1 << 14);
  dump->entries = g_array_new (FALSE, FALSE, sizeof (SondeMsprobeEntry));
  dump->tensors = g_array_new (FALSE, FALSE, sizeof (SondeMsprobeTensor));
  dump->arguments = g_array_new (FALSE, FALSE, sizeof (SondeMsprobeArgument));
  dump->stacks = g_ptr_array_new_with_free_func ((GDestroyNotify) g_array_unref);
  dump->problems = g_ptr_array_new_with_free_func (g_free);
  dump->by_entry = g_hash_table_new (g_str_hash, g_str_equal);
  dump->by_name = g_hash_table_new (g_str_hash, g_str_equal);
  return dump;
}

SondeMsprobeEntry *
sonde_msprobe_dump_add_entry (SondeMsprobeDump *dump, const char *name)
{
  SondeMsprobeEntry entry = {
    .name = name, .tensors = dump->tensors->len, .arguments = dump->arguments->len, .stack = -1
  };

  g_array_append_val (dump->entries, entry);
  g_hash_table_insert (dump->by_entry, (gpointer) name, GUINT_TO_POINTER (dump->entries->len));
  return &g_array_index (dump->entries, SondeMsprobeEntry, dump->entries->len - 1);
}

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
  g_autoptr (SondeMsprobeDump) dump = dump_new (io, path);

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
  g_autoptr (SondeMsprobeDump) dump = dump_new (io, path);
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

const SondeMsprobeEntry *
sonde_msprobe_dump_find_entry (const SondeMsprobeDump *dump, const char *name)
{
  guint index = GPOINTER_TO_UINT (g_hash_table_lookup (dump->by_entry, name));

  return index > 0 ? &g_array_index (dump->entries, SondeMsprobeEntry, index - 1) : NULL;
}

const SondeMsprobeTensor *
sonde_msprobe_dump_find (const SondeMsprobeDump *dump, const char *name)
{
  guint index = GPOINTER_TO_UINT (g_hash_table_lookup (dump->by_name, name));

  return index > 0 ? &g_array_index (dump->tensors, SondeMsprobeTensor, index - 1) : NULL;
}
