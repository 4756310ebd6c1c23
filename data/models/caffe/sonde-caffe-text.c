/* SPDX-License-Identifier: Apache-2.0
 * Protobuf's text form, as Caffe's .prototxt have it: NAME: VALUE, NAME { … }, NAME: [ … ]. */
#include <string.h>

#include "data/models/caffe/sonde-caffe-message.h"

#define MOST_NESTING 16
#define MOST_ENTRIES 2000000

typedef enum
{
  TOKEN_END,
  TOKEN_WORD,   /* a name, a number */
  TOKEN_TEXT,   /* in quotes; @text */
  TOKEN_SYMBOL, /* one character */
} TokenKind;

/**
 * @at, @end: what is left; @line: of @at
 * @kind, @begin, @length, @token_line: the token that is looked at
 * @text: of a TEXT, without quotes, its escapes resolved
 * @entries: taken so far
 */
typedef struct
{
  const char *path;
  const char *at, *end;
  guint line;
  TokenKind kind;
  const char *begin;
  gsize length;
  guint token_line;
  GString *text;
  guint entries;
  GError **error;
} Reader;

#define fail_at(reader, line, format, ...)                                                         \
  (sonde_set_error ((reader)->error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_DAMAGED, format,           \
                    (reader)->path, line, ##__VA_ARGS__),                                          \
   FALSE)

/* ---- tokens -------------------------------------------------------------- */

static void
skip_comment (Reader *reader)
{
  const char *stop = memchr (reader->at, '\n', (gsize) (reader->end - reader->at));

  reader->at = stop != NULL ? stop : reader->end;
}

static void
skip_blank (Reader *reader)
{
  while (reader->at < reader->end)
    if (*reader->at == '#')
      skip_comment (reader);
    else if ((guchar) *reader->at <= ' ')
      reader->line += *reader->at++ == '\n' ? 1 : 0;
    else
      return;
}

static gboolean
is_word (char c)
{
  return g_ascii_isalnum (c) || c == '_' || c == '.' || c == '+' || c == '-';
}

static int
read_octal (Reader *reader, char first)
{
  int value = first - '0';

  for (guint i = 0; i < 2 && reader->at < reader->end && *reader->at >= '0' && *reader->at <= '7';
       i++)
    value = value * 8 + (*reader->at++ - '0');
  return value & 0xff;
}

static int
read_hexadecimal (Reader *reader)
{
  int value = 0;

  for (guint i = 0; i < 2 && reader->at < reader->end && g_ascii_isxdigit (*reader->at); i++)
    value = value * 16 + g_ascii_xdigit_value (*reader->at++);
  return value;
}

/* Behind a backslash. */
static void
read_escape (Reader *reader)
{
  static const char letters[] = "abfnrtv", codes[] = "\a\b\f\n\r\t\v";
  char c = *reader->at++;
  const char *letter = c != '\0' ? strchr (letters, c) : NULL;

  if (letter != NULL)
    c = codes[letter - letters];
  else if (c >= '0' && c <= '7')
    c = (char) read_octal (reader, c);
  else if (c == 'x' || c == 'X')
    c = (char) read_hexadecimal (reader);
  g_string_append_c (reader->text, c);
}

static gboolean
read_quoted (Reader *reader)
{
  char quote = *reader->at++;

  while (reader->at < reader->end && *reader->at != quote && *reader->at != '\n')
    {
      char c = *reader->at++;

      if (c != '\\')
        g_string_append_c (reader->text, c);
      else if (reader->at < reader->end)
        read_escape (reader);
    }
  if (reader->at == reader->end || *reader->at != quote)
    return fail_at (reader, reader->token_line,
                    "“%s”, line %u: a text in quotes does not end on its line");
  reader->at++;
  return TRUE;
}

/* Neighbours in quotes are one text. */
static gboolean
read_text (Reader *reader)
{
  reader->kind = TOKEN_TEXT;
  g_string_truncate (reader->text, 0);
  while (reader->at < reader->end && (*reader->at == '"' || *reader->at == '\''))
    {
      if (!read_quoted (reader))
        return FALSE;
      skip_blank (reader);
    }
  if (memchr (reader->text->str, '\0', reader->text->len) != NULL
      || !g_utf8_validate (reader->text->str, (gssize) reader->text->len, NULL))
    return fail_at (reader, reader->token_line,
                    "“%s”, line %u: a text in quotes is not valid UTF-8");
  return TRUE;
}

static gboolean
next_token (Reader *reader)
{
  skip_blank (reader);
  reader->begin = reader->at;
  reader->token_line = reader->line;
  reader->kind = TOKEN_END;
  if (reader->at == reader->end)
    return TRUE;
  if (*reader->at == '"' || *reader->at == '\'')
    return read_text (reader);
  reader->kind = is_word (*reader->at) ? TOKEN_WORD : TOKEN_SYMBOL;
  do
    reader->at++;
  while (reader->kind == TOKEN_WORD && reader->at < reader->end && is_word (*reader->at));
  reader->length = (gsize) (reader->at - reader->begin);
  return TRUE;
}

static gboolean
is_symbol (const Reader *reader, char symbol)
{
  return reader->kind == TOKEN_SYMBOL && *reader->begin == symbol;
}

/* (transfer full): for messages */
static char *
dup_token (const Reader *reader)
{
  if (reader->kind == TOKEN_END)
    return g_strdup ("");
  if (reader->kind == TOKEN_TEXT)
    return g_utf8_make_valid (reader->text->str, (gssize) MIN (reader->text->len, 40));
  return g_utf8_make_valid (reader->begin, (gssize) MIN (reader->length, 40));
}

/* ---- values -------------------------------------------------------------- */

static gboolean
parse_number (const char *word, double *number)
{
  char *end = NULL;

  if (g_str_has_prefix (word, "0x") || g_str_has_prefix (word, "0X"))
    *number = (double) g_ascii_strtoull (word, &end, 16);
  else
    *number = g_ascii_strtod (word, &end);
  if (end != word && (*end == 'f' || *end == 'F'))
    end++;
  return end != word && *end == '\0';
}

static gboolean
parse_word (const SondeCaffeField *field, const char *word, double *number)
{
  if (field->kind == SONDE_CAFFE_BOOL)
    {
      gboolean yes
          = g_str_equal (word, "true") || g_str_equal (word, "t") || g_str_equal (word, "1"),
          no = g_str_equal (word, "false") || g_str_equal (word, "f") || g_str_equal (word, "0");

      *number = yes ? 1 : 0;
      return yes || no;
    }
  if (field->kind == SONDE_CAFFE_ENUM)
    {
      *number = sonde_caffe_find_word (field, word);
      if (*number >= 0)
        return TRUE;
    }
  return parse_number (word, number) && (field->is_float || *number == (double) (gint64) *number);
}

static gboolean
add_scalar (Reader *reader, SondeCaffeMessage *message, const SondeCaffeField *field)
{
  g_autofree char *word = dup_token (reader);
  SondeCaffeEntry *entry = NULL;
  double number = 0;

  if (field->kind == SONDE_CAFFE_TEXT
          ? reader->kind != TOKEN_TEXT
          : reader->kind != TOKEN_WORD || !parse_word (field, word, &number))
    return fail_at (reader, reader->token_line,
                    "“%s”, line %u: “%s” is no value for the field “%s”", word, field->name);
  entry = sonde_caffe_message_add (message, field);
  entry->number = number;
  if (field->kind == SONDE_CAFFE_TEXT)
    entry->text = g_strdup (reader->text->str);
  return next_token (reader);
}

/* ---- messages ------------------------------------------------------------ */

static gboolean read_fields (Reader *reader, SondeCaffeMessage *message, char closing, guint depth);

/* Behind "{" or "<". */
static gboolean
read_message (Reader *reader, SondeCaffeMessage *parent, const SondeCaffeField *field, guint depth)
{
  char closing = is_symbol (reader, '{') ? '}' : '>';
  SondeCaffeMessage *message = sonde_caffe_message_new (field->type, reader->token_line);

  sonde_caffe_message_add (parent, field)->message = message;
  if (depth >= MOST_NESTING)
    return fail_at (reader, reader->token_line,
                    "“%s”, line %u: more than %u messages inside each other", (guint) MOST_NESTING);
  return next_token (reader) && read_fields (reader, message, closing, depth + 1);
}

static gboolean
read_value (Reader *reader, SondeCaffeMessage *message, const SondeCaffeField *field, guint depth)
{
  if (++reader->entries > MOST_ENTRIES)
    return fail_at (reader, reader->token_line, "“%s”, line %u: the file has more than %u values",
                    (guint) MOST_ENTRIES);
  if (field->kind != SONDE_CAFFE_MESSAGE)
    return add_scalar (reader, message, field);
  if (!is_symbol (reader, '{') && !is_symbol (reader, '<'))
    return fail_at (reader, reader->token_line,
                    "“%s”, line %u: “{” is missing after the field “%s”", field->name);
  return read_message (reader, message, field, depth);
}

/* "[ VALUE, … ]" */
static gboolean
read_list (Reader *reader, SondeCaffeMessage *message, const SondeCaffeField *field, guint depth)
{
  if (!next_token (reader))
    return FALSE;
  while (!is_symbol (reader, ']'))
    {
      if (!read_value (reader, message, field, depth))
        return FALSE;
      if (is_symbol (reader, ',') && !next_token (reader))
        return FALSE;
    }
  return next_token (reader);
}

/* A field that nobody reads, in a message where any is accepted. */
static const SondeCaffeField any_message
    = { 1, "any", SONDE_CAFFE_MESSAGE, NULL, FALSE, &(const SondeCaffeType){ "ignored", NULL } };

static gboolean
skip_value (Reader *reader, SondeCaffeMessage *message, guint depth)
{
  if (is_symbol (reader, '{') || is_symbol (reader, '<'))
    return read_value (reader, message, &any_message, depth);
  if (reader->kind != TOKEN_TEXT && reader->kind != TOKEN_WORD)
    return fail_at (reader, reader->token_line, "“%s”, line %u: a value is missing");
  return next_token (reader);
}

static gboolean
skip_field (Reader *reader, SondeCaffeMessage *message, guint depth)
{
  if (!is_symbol (reader, '['))
    return skip_value (reader, message, depth);
  if (!next_token (reader))
    return FALSE;
  while (!is_symbol (reader, ']'))
    if (!skip_value (reader, message, depth) || (is_symbol (reader, ',') && !next_token (reader)))
      return FALSE;
  return next_token (reader);
}

static gboolean
read_field (Reader *reader, SondeCaffeMessage *message, guint depth)
{
  g_autofree char *name = dup_token (reader);
  const SondeCaffeField *field = sonde_caffe_field_by_name (message->type, name);
  gboolean ignored = message->type->fields == NULL, colon = FALSE;
  guint line = reader->token_line;

  if (reader->kind != TOKEN_WORD)
    return fail_at (reader, line, "“%s”, line %u: “%s” stands where a field of %s is expected",
                    name, message->type->name);
  if (field == NULL && !ignored)
    return fail_at (
        reader, line,
        "“%s”, line %u: Caffe 1.0 knows no field “%s” of %s. A net of a fork of Caffe has to "
        "be exported to ONNX by that fork",
        name, message->type->name);
  if (!next_token (reader))
    return FALSE;
  colon = is_symbol (reader, ':');
  if (colon && !next_token (reader))
    return FALSE;
  if (!colon && !is_symbol (reader, '{') && !is_symbol (reader, '<'))
    return fail_at (reader, line, "“%s”, line %u: “:” is missing after the field “%s”", name);
  if (ignored)
    return skip_field (reader, message, depth);
  if (colon && is_symbol (reader, '['))
    return read_list (reader, message, field, depth);
  return read_value (reader, message, field, depth);
}

/* @closing: '\0': up to the end of the file */
static gboolean
read_fields (Reader *reader, SondeCaffeMessage *message, char closing, guint depth)
{
  while (reader->kind != TOKEN_END && !(closing != '\0' && is_symbol (reader, closing)))
    {
      if (!read_field (reader, message, depth))
        return FALSE;
      if ((is_symbol (reader, ';') || is_symbol (reader, ',')) && !next_token (reader))
        return FALSE;
    }
  if (closing == '\0')
    return TRUE;
  if (reader->kind == TOKEN_END)
    return fail_at (reader, message->line,
                    "“%s”, line %u: the message %s that begins here is not closed",
                    message->type->name);
  return next_token (reader);
}

SondeCaffeMessage *
sonde_caffe_parse_text (const char *path, const char *text, gsize length, GError **error)
{
  g_autoptr (SondeCaffeMessage) net = sonde_caffe_message_new (&sonde_caffe_net_type, 1);
  Reader reader = { .path = path, .at = text, .end = text + length, .line = 1, .error = error };
  gboolean read = FALSE;

  reader.text = g_string_new (NULL);
  read = next_token (&reader) && read_fields (&reader, net, '\0', 1);
  g_string_free (reader.text, TRUE);
  return read ? g_steal_pointer (&net) : NULL;
}
