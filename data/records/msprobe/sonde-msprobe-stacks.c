/* SPDX-License-Identifier: Apache-2.0
 * stack.json: number -> [entries, frames]; construct.json: entry -> parent. Both say more of what
 * dump.json has; one that cannot be read is a problem of the dump, which is there without. */
#include "data/records/msprobe/sonde-msprobe-parse-private.h"

#include <string.h>

#include "data/base/sonde-error.h"

/* ---- frames -------------------------------------------------------------- */

/* "File F, line N, in FUNCTION, \n SOURCE"; a file's name may hold what stands behind it. */
static void
split_frame (SondeMsprobeParser *parser, const char *text, SondeMsprobeFrame *frame)
{
  const char *newline = strchr (text, '\n');
  g_autofree char *head
      = newline != NULL ? g_strndup (text, (gsize) (newline - text)) : g_strdup (text);
  char *line = g_strrstr (head, ", line "), *function = g_strrstr (head, ", in ");

  frame->source = text;
  if (!g_str_has_prefix (head, "File ") || line == NULL || function == NULL || function < line)
    return;
  *line = *function = '\0';
  function += strlen (", in ");
  g_strchomp (function);
  if (g_str_has_suffix (function, ","))
    function[strlen (function) - 1] = '\0';
  frame->file = g_string_chunk_insert_const (parser->dump->texts, head + strlen ("File "));
  frame->function = g_string_chunk_insert_const (parser->dump->texts, function);
  frame->line = (guint) MIN (g_ascii_strtoull (line + strlen (", line "), NULL, 10), G_MAXINT);
  frame->source = newline != NULL ? newline + 1 + strspn (newline + 1, " ") : NULL;
}

static gboolean
take_frame (SondeMsprobeParser *parser, GArray *frames)
{
  SondeMsprobeFrame frame = { 0 };
  const char *text = NULL;

  if (!sonde_msprobe_parser_take_text (parser, &text)
      || !sonde_msprobe_parser_take (parser, frames->len, 2 * sizeof frame))
    return FALSE;
  if (text != NULL)
    {
      split_frame (parser, text, &frame);
      g_array_append_val (frames, frame);
    }
  return TRUE;
}

static gboolean
take_frames (SondeMsprobeParser *parser, GArray *frames)
{
  gboolean first = TRUE;

  if (sonde_json_scanner_peek (parser->scanner) != '[')
    return take_frame (parser, frames);
  sonde_json_scanner_take (parser->scanner, '[');
  while (sonde_json_scanner_next (parser->scanner, ']', &first))
    if (!take_frame (parser, frames))
      return FALSE;
  return !sonde_json_scanner_is_bad (parser->scanner);
}

/* ---- stack.json ---------------------------------------------------------- */

static gboolean
take_entry (SondeMsprobeParser *parser, int stack)
{
  const char *name = NULL;
  guint index;

  if (!sonde_msprobe_parser_take_text (parser, &name))
    return FALSE;
  index = name != NULL ? GPOINTER_TO_UINT (g_hash_table_lookup (parser->dump->by_entry, name)) : 0;
  if (index > 0)
    g_array_index (parser->dump->entries, SondeMsprobeEntry, index - 1).stack = stack;
  return TRUE;
}

static gboolean
take_entries (SondeMsprobeParser *parser, int stack)
{
  gboolean first = TRUE;

  if (!sonde_json_scanner_take (parser->scanner, '['))
    return FALSE;
  while (sonde_json_scanner_next (parser->scanner, ']', &first))
    if (!take_entry (parser, stack))
      return FALSE;
  return !sonde_json_scanner_is_bad (parser->scanner);
}

/* [entries, frames] */
static gboolean
parse_stack (SondeMsprobeParser *parser)
{
  GArray *frames = g_array_new (FALSE, FALSE, sizeof (SondeMsprobeFrame));
  GPtrArray *stacks = parser->dump->stacks;
  gboolean first = TRUE;

  g_ptr_array_add (stacks, frames);
  if (!sonde_msprobe_parser_take (parser, stacks->len, 2 * sizeof *frames)
      || !sonde_json_scanner_take (parser->scanner, '['))
    return FALSE;
  for (guint i = 0; sonde_json_scanner_next (parser->scanner, ']', &first); i++)
    {
      gboolean read = i == 0   ? take_entries (parser, (int) stacks->len - 1)
                      : i == 1 ? take_frames (parser, frames)
                               : sonde_json_scanner_skip (parser->scanner);

      if (!read)
        return FALSE;
    }
  return !sonde_json_scanner_is_bad (parser->scanner);
}

/* ---- construct.json ------------------------------------------------------ */

/* A text, null, or a list that begins with one of them. */
static gboolean
take_parent (SondeMsprobeParser *parser, const char **parent)
{
  gboolean first = TRUE;

  if (sonde_json_scanner_peek (parser->scanner) != '[')
    return sonde_msprobe_parser_take_text (parser, parent);
  sonde_json_scanner_take (parser->scanner, '[');
  for (guint i = 0; sonde_json_scanner_next (parser->scanner, ']', &first); i++)
    if (!(i == 0 ? sonde_msprobe_parser_take_text (parser, parent)
                 : sonde_json_scanner_skip (parser->scanner)))
      return FALSE;
  return !sonde_json_scanner_is_bad (parser->scanner);
}

static gboolean
parse_parent (SondeMsprobeParser *parser, const char *name)
{
  SondeMsprobeDump *dump = parser->dump;
  const char *parent = NULL;
  guint index;

  if (!take_parent (parser, &parent))
    return FALSE;
  if (g_strcmp0 (dump->task, "structure") == 0 && !g_hash_table_contains (dump->by_entry, name))
    {
      if (!sonde_msprobe_parser_take (parser, dump->entries->len, 2 * sizeof (SondeMsprobeEntry)))
        return FALSE;
      sonde_msprobe_dump_add_entry (dump, name);
    }
  index = GPOINTER_TO_UINT (g_hash_table_lookup (dump->by_entry, name));
  if (index > 0)
    g_array_index (dump->entries, SondeMsprobeEntry, index - 1).parent = parent;
  return TRUE;
}

/* ---- both ---------------------------------------------------------------- */

static gboolean
parse_members (SondeMsprobeParser *parser, gboolean stacks)
{
  gboolean first = TRUE;
  const char *key;
  gsize n;

  if (!sonde_json_scanner_take (parser->scanner, '{'))
    return FALSE;
  while (sonde_json_scanner_next (parser->scanner, '}', &first))
    {
      const char *name;

      if (!sonde_json_scanner_take_key (parser->scanner, &key, &n)
          || (name = sonde_msprobe_parser_keep (parser, key, n)) == NULL
          || !(stacks ? parse_stack (parser) : parse_parent (parser, name)))
        return FALSE;
    }
  return !sonde_json_scanner_is_bad (parser->scanner);
}

static void
parse_file (SondeMsprobeDump *dump, const char *base, gboolean stacks)
{
  g_autoptr (GError) error = NULL;
  SondeMsprobeParser parser;

  if (sonde_msprobe_parser_open (&parser, dump, base, &error))
    sonde_msprobe_parser_close (&parser, parse_members (&parser, stacks), &error);
  if (error != NULL && !g_error_matches (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_NOT_FOUND))
    g_ptr_array_add (dump->problems, g_steal_pointer (&error));
}

void
sonde_msprobe_parse_stacks (SondeMsprobeDump *dump)
{
  parse_file (dump, "stack.json", TRUE);
}

void
sonde_msprobe_parse_construct (SondeMsprobeDump *dump)
{
  parse_file (dump, "construct.json", FALSE);
}
