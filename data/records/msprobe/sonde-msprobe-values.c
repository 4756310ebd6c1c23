/* SPDX-License-Identifier: Apache-2.0
 * An entry of dump.json: arguments as they were nested in the call. An object whose first member is
 * a text “type” is a tensor or another argument; any other is a dictionary. */
#include "data/records/msprobe/sonde-msprobe-parse-private.h"

#include <math.h>
#include <string.h>

#include "data/base/sonde-error.h"

#define MAX_DEPTH 400 /* as msprobe itself goes */
#define TYPE "type"
#define MAX_VALUE 200u /* of the text of an argument */

/* A tensor or another argument while its members are read. @value: (nullable) */
typedef struct
{
  SondeMsprobeTensor tensor;
  const char *type, *value;
  gboolean has_shape;
} Leaf;

static gboolean parse_value (SondeMsprobeParser *parser, SondeMsprobeRole role);

/* ---- members of a tensor ------------------------------------------------- */

static gboolean
take_number (SondeMsprobeParser *parser, SondeMsprobeNumber *number)
{
  SondeJsonKind kind;
  const char *bytes;
  gsize n;
  char text[64];

  if (!sonde_json_scanner_take_value (parser->scanner, &kind, &bytes, &n))
    return FALSE;
  if (kind == SONDE_JSON_TRUE || kind == SONDE_JSON_FALSE)
    *number = (SondeMsprobeNumber){ TRUE, kind == SONDE_JSON_TRUE };
  if (kind != SONDE_JSON_NUMBER)
    return TRUE;
  n = MIN (n, sizeof text - 1); /* no terminator follows in the file */
  memcpy (text, bytes, n);
  text[n] = '\0';
  *number = (SondeMsprobeNumber){ TRUE, g_ascii_strtod (text, NULL) };
  return TRUE;
}

static gboolean
take_flag (SondeMsprobeParser *parser, gboolean *flag)
{
  SondeMsprobeNumber number = { 0 };

  if (!take_number (parser, &number))
    return FALSE;
  *flag = number.known && number.number != 0;
  return TRUE;
}

/* A size; negative ones, fractions and those beyond 2^53 make the shape unknown. */
static gboolean
take_size (SondeMsprobeParser *parser, SondeShape *shape, gboolean *fits)
{
  SondeMsprobeNumber size = { 0 };

  if (!take_number (parser, &size))
    return FALSE;
  if (!size.known || !(size.number >= 0 && size.number <= 9007199254740992.0)
      || size.number != floor (size.number) || shape->rank == SONDE_MAX_RANK)
    *fits = FALSE;
  else
    shape->dims[shape->rank++] = (gint64) size.number;
  return TRUE;
}

static gboolean
take_shape (SondeMsprobeParser *parser, Leaf *leaf)
{
  gboolean first = TRUE, fits = TRUE;
  SondeShape shape = { 0 };

  if (sonde_json_scanner_peek (parser->scanner) != '[')
    return sonde_json_scanner_skip (parser->scanner);
  sonde_json_scanner_take (parser->scanner, '[');
  while (sonde_json_scanner_next (parser->scanner, ']', &first))
    if (!take_size (parser, &shape, &fits))
      return FALSE;
  leaf->has_shape = TRUE;
  if (!fits || sonde_shape_n_elements (&shape) < 0)
    leaf->tensor.dtype = SONDE_DTYPE_INVALID;
  leaf->tensor.shape = shape;
  if (!fits)
    return sonde_msprobe_parser_fail (parser, SONDE_DATA_ERROR_UNSUPPORTED,
                                      N_ ("a shape has sizes that no tensor has."));
  return !sonde_json_scanner_is_bad (parser->scanner);
}

/* Any value as it is written, not too much of it. */
static gboolean
take_written (SondeMsprobeParser *parser, const char **text)
{
  const char *bytes;
  gsize n;

  sonde_json_scanner_peek (parser->scanner);
  sonde_json_scanner_set_mark (parser->scanner);
  if (!sonde_json_scanner_skip (parser->scanner))
    return FALSE;
  bytes = sonde_json_scanner_get_mark (parser->scanner, &n);
  if (bytes == NULL)
    bytes = "…", n = strlen ("…");
  *text = sonde_msprobe_parser_keep (parser, bytes, MIN (n, MAX_VALUE));
  sonde_json_scanner_drop_mark (parser->scanner);
  return *text != NULL;
}

/* "torch.float32", "Float32" */
static gboolean
take_dtype (SondeMsprobeParser *parser, SondeMsprobeTensor *tensor)
{
  g_autofree char *lower = NULL;
  const char *dot;

  if (!sonde_msprobe_parser_take_text (parser, &tensor->dtype_name))
    return FALSE;
  if (tensor->dtype_name == NULL)
    return TRUE;
  dot = strrchr (tensor->dtype_name, '.');
  lower = g_ascii_strdown (dot != NULL ? dot + 1 : tensor->dtype_name, -1);
  tensor->dtype = sonde_dtype_from_name (lower);
  return TRUE;
}

static const struct
{
  const char *key;
  gsize offset; /* in SondeMsprobeTensor */
} numbers[] = {
  { "Max", G_STRUCT_OFFSET (SondeMsprobeTensor, max) },
  { "Min", G_STRUCT_OFFSET (SondeMsprobeTensor, min) },
  { "Mean", G_STRUCT_OFFSET (SondeMsprobeTensor, mean) },
  { "Norm", G_STRUCT_OFFSET (SondeMsprobeTensor, norm) },
  { "is_nan", G_STRUCT_OFFSET (SondeMsprobeTensor, is_nan) },
};

static gboolean
take_member (SondeMsprobeParser *parser, const char *key, Leaf *leaf)
{
  SondeMsprobeTensor *tensor = &leaf->tensor;

  for (guint i = 0; i < G_N_ELEMENTS (numbers); i++)
    if (g_str_equal (numbers[i].key, key))
      return take_number (parser, G_STRUCT_MEMBER_P (tensor, numbers[i].offset));
  if (g_str_equal (key, "dtype"))
    return take_dtype (parser, tensor);
  if (g_str_equal (key, "shape"))
    return take_shape (parser, leaf);
  if (g_str_equal (key, "requires_grad"))
    return take_flag (parser, &tensor->requires_grad);
  if (g_str_equal (key, "data_name"))
    return sonde_msprobe_parser_take_text (parser, &tensor->file);
  if (g_str_equal (key, "md5"))
    return sonde_msprobe_parser_take_text (parser, &tensor->checksum);
  if (g_str_equal (key, "value"))
    return take_written (parser, &leaf->value);
  return sonde_json_scanner_skip (parser->scanner);
}

/* ---- leaves -------------------------------------------------------------- */

static gboolean
add_tensor (SondeMsprobeParser *parser, SondeMsprobeRole role, SondeMsprobeTensor *tensor)
{
  SondeMsprobeDump *dump = parser->dump;

  tensor->name = sonde_msprobe_parser_keep (parser, parser->name->str, parser->name->len);
  tensor->entry = dump->entries->len - 1;
  tensor->role = role;
  if (tensor->name == NULL
      || !sonde_msprobe_parser_take (parser, dump->tensors->len, 2 * sizeof *tensor))
    return FALSE;
  g_array_append_val (dump->tensors, *tensor);
  g_hash_table_insert (dump->by_name, (gpointer) tensor->name,
                       GUINT_TO_POINTER (dump->tensors->len));
  return TRUE;
}

static gboolean
add_argument (SondeMsprobeParser *parser, const Leaf *leaf)
{
  SondeMsprobeDump *dump = parser->dump;
  g_autofree char *text = leaf->value != NULL ? g_strdup_printf ("%s %s", leaf->type, leaf->value)
                                              : g_strdup (leaf->type);
  SondeMsprobeArgument argument = { .entry = dump->entries->len - 1 };

  argument.name = sonde_msprobe_parser_keep (parser, parser->name->str, parser->name->len);
  argument.text = sonde_msprobe_parser_keep (parser, text, strlen (text));
  if (argument.name == NULL || argument.text == NULL
      || !sonde_msprobe_parser_take (parser, dump->arguments->len, 2 * sizeof argument))
    return FALSE;
  g_array_append_val (dump->arguments, argument);
  return TRUE;
}

/* What is left of an object that began with its type. */
static gboolean
parse_leaf (SondeMsprobeParser *parser, SondeMsprobeRole role)
{
  Leaf leaf = { 0 };
  gboolean first = FALSE;
  const char *bytes;
  gsize n;

  if (!sonde_msprobe_parser_take_text (parser, &leaf.type))
    return FALSE;
  while (sonde_json_scanner_next (parser->scanner, '}', &first))
    {
      g_autofree char *key = NULL;

      if (!sonde_json_scanner_take_key (parser->scanner, &bytes, &n))
        return FALSE;
      key = g_strndup (bytes, MIN (n, MAX_VALUE));
      if (!take_member (parser, key, &leaf))
        return FALSE;
    }
  if (sonde_json_scanner_is_bad (parser->scanner))
    return FALSE;
  if (leaf.has_shape && leaf.tensor.dtype_name != NULL)
    return add_tensor (parser, role, &leaf.tensor);
  return add_argument (parser, &leaf);
}

/* ---- nesting ------------------------------------------------------------- */

/* The value of @key, which stays in its name while it is read. */
static gboolean
parse_inside (SondeMsprobeParser *parser, const char *key, gsize n, SondeMsprobeRole role)
{
  gsize length = parser->name->len;
  gboolean read;

  g_string_append_c (parser->name, '.');
  g_string_append_len (parser->name, key, (gssize) n);
  read = parse_value (parser, role);
  g_string_truncate (parser->name, length);
  return read;
}

static gboolean
parse_list (SondeMsprobeParser *parser, SondeMsprobeRole role)
{
  gboolean first = TRUE;

  sonde_json_scanner_take (parser->scanner, '[');
  for (guint i = 0; sonde_json_scanner_next (parser->scanner, ']', &first); i++)
    {
      char number[16];

      g_snprintf (number, sizeof number, "%u", i);
      if (!parse_inside (parser, number, strlen (number), role))
        return FALSE;
    }
  return !sonde_json_scanner_is_bad (parser->scanner);
}

static gboolean
parse_object (SondeMsprobeParser *parser, SondeMsprobeRole role)
{
  gboolean first = TRUE;
  const char *key;
  gsize n;

  sonde_json_scanner_take (parser->scanner, '{');
  for (guint i = 0; sonde_json_scanner_next (parser->scanner, '}', &first); i++)
    {
      if (!sonde_json_scanner_take_key (parser->scanner, &key, &n))
        return FALSE;
      if (i > 0 || n != strlen (TYPE) || memcmp (key, TYPE, n) != 0)
        {
          if (!parse_inside (parser, key, n, role))
            return FALSE;
        }
      else if (sonde_json_scanner_peek (parser->scanner) == '"')
        return parse_leaf (parser, role);
      else if (!parse_inside (parser, TYPE, strlen (TYPE), role))
        return FALSE;
    }
  return !sonde_json_scanner_is_bad (parser->scanner);
}

static gboolean
parse_value (SondeMsprobeParser *parser, SondeMsprobeRole role)
{
  int c = sonde_json_scanner_peek (parser->scanner);
  gboolean read;

  if (c != '[' && c != '{')
    return sonde_json_scanner_skip (parser->scanner);
  if (++parser->depth > MAX_DEPTH)
    return sonde_msprobe_parser_fail (parser, SONDE_DATA_ERROR_LIMIT,
                                      N_ ("lists and objects lie inside each other too deep."));
  read = c == '[' ? parse_list (parser, role) : parse_object (parser, role);
  parser->depth--;
  return read;
}

/* ---- entries ------------------------------------------------------------- */

/* A parameter's gradient: a list of one, whose number is in no name. */
static gboolean
parse_gradients (SondeMsprobeParser *parser)
{
  gboolean first = TRUE;

  if (sonde_json_scanner_peek (parser->scanner) != '[')
    return parse_value (parser, SONDE_MSPROBE_GRADIENT);
  sonde_json_scanner_take (parser->scanner, '[');
  for (guint i = 0; sonde_json_scanner_next (parser->scanner, ']', &first); i++)
    {
      gsize length = parser->name->len;
      gboolean read;

      if (i > 0)
        g_string_append_printf (parser->name, ".%u", i);
      read = parse_value (parser, SONDE_MSPROBE_GRADIENT);
      g_string_truncate (parser->name, length);
      if (!read)
        return FALSE;
    }
  return !sonde_json_scanner_is_bad (parser->scanner);
}

static const struct
{
  const char *key, *word; /* @word: in names of files */
  SondeMsprobeRole role;
} parts[] = {
  { "input_args", "input", SONDE_MSPROBE_INPUT },
  { "input_kwargs", "kwargs", SONDE_MSPROBE_INPUT },
  { "input", "input", SONDE_MSPROBE_INPUT },
  { "output", "output", SONDE_MSPROBE_OUTPUT },
  { "parameters", "parameters", SONDE_MSPROBE_PARAMETER },
};

static gboolean
parse_part (SondeMsprobeParser *parser, const char *key, gsize n, gboolean gradients)
{
  gsize length = parser->name->len;
  gboolean read;

  for (guint i = 0; !gradients && i < G_N_ELEMENTS (parts); i++)
    if (n == strlen (parts[i].key) && memcmp (key, parts[i].key, n) == 0)
      return parse_inside (parser, parts[i].word, strlen (parts[i].word), parts[i].role);
  g_string_append_c (parser->name, '.');
  g_string_append_len (parser->name, key, (gssize) n);
  read = gradients ? parse_gradients (parser) : parse_value (parser, SONDE_MSPROBE_VALUE);
  g_string_truncate (parser->name, length);
  return read;
}

/* The lists of what went in and came out, by their names. */
static gboolean
parse_parts (SondeMsprobeParser *parser, gboolean gradients)
{
  gboolean first = TRUE;
  const char *key;
  gsize n;

  sonde_json_scanner_take (parser->scanner, '{');
  while (sonde_json_scanner_next (parser->scanner, '}', &first))
    if (!sonde_json_scanner_take_key (parser->scanner, &key, &n)
        || !parse_part (parser, key, n, gradients))
      return FALSE;
  return !sonde_json_scanner_is_bad (parser->scanner);
}

gboolean
sonde_msprobe_parse_entry (SondeMsprobeParser *parser, const char *entry)
{
  SondeMsprobeDump *dump = parser->dump;
  SondeMsprobeEntry *added;
  g_auto (SondeMsprobeName) name = { 0 };
  gboolean read;

  if (g_hash_table_contains (dump->by_entry, entry))
    return sonde_msprobe_parser_fail (parser, SONDE_DATA_ERROR_DAMAGED,
                                      N_ ("an entry is there twice."));
  if (!sonde_msprobe_parser_take (parser, dump->entries->len, 2 * sizeof *added))
    return FALSE;
  sonde_msprobe_dump_add_entry (dump, entry);
  sonde_msprobe_name_parse (entry, &name);
  g_string_assign (parser->name, entry);
  if (name.kind == SONDE_MSPROBE_SAVED || sonde_json_scanner_peek (parser->scanner) != '{')
    read = parse_value (parser, SONDE_MSPROBE_VALUE);
  else
    read = parse_parts (parser, name.direction == SONDE_MSPROBE_PARAMETERS_GRAD);
  added = &g_array_index (dump->entries, SondeMsprobeEntry, dump->entries->len - 1);
  added->n_tensors = dump->tensors->len - added->tensors;
  added->n_arguments = dump->arguments->len - added->arguments;
  return read;
}
