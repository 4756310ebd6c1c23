/* SPDX-License-Identifier: Apache-2.0 */
#include "data/records/tensorboard/sonde-projector-config-private.h"

#include <string.h>

#include "data/base/sonde-error.h"

#define MAX_NESTING 16
#define MAX_EMBEDDINGS 10000u

typedef enum
{
  TOKEN_END,
  TOKEN_NAME,   /* a name, a number, a word */
  TOKEN_STRING, /* its content, escapes resolved */
  TOKEN_MARK,   /* one of { } < > [ ] : , ; */
  TOKEN_BAD,
} TokenKind;

/* @text: of NAME and STRING; @mark: of MARK */
typedef struct
{
  const char *at, *end;
  guint line;
  TokenKind kind;
  GString *text;
  char mark;
} Parser;

void
sonde_projector_embedding_clear (gpointer data)
{
  SondeProjectorEmbedding *embedding = data;

  g_free (embedding->tensor_name);
  g_free (embedding->metadata_path);
  g_free (embedding->tensor_path);
  g_free (embedding->sprite_path);
}

/* ---- tokens -------------------------------------------------------------- */

static void
skip_space (Parser *parser)
{
  for (; parser->at < parser->end; parser->at++)
    {
      if (*parser->at == '#')
        while (parser->at + 1 < parser->end && parser->at[1] != '\n')
          parser->at++;
      else if (!g_ascii_isspace (*parser->at))
        return;
      parser->line += *parser->at == '\n';
    }
}

/* Octal of up to three digits, x and two hexadecimal ones, or a letter. */
static char
take_escape (Parser *parser)
{
  static const char letters[] = "n\nt\tr\ra\ab\bf\fv\v";
  char letter = *parser->at++;
  const char *found;
  guint number = 0, digits = 0;

  if (letter >= '0' && letter <= '7')
    {
      number = (guint) (letter - '0');
      for (digits = 1;
           digits < 3 && parser->at < parser->end && *parser->at >= '0' && *parser->at <= '7';
           digits++)
        number = number * 8 + (guint) (*parser->at++ - '0');
      return (char) number;
    }
  if (letter == 'x' || letter == 'X')
    {
      for (; digits < 2 && parser->at < parser->end && g_ascii_isxdigit (*parser->at); digits++)
        number = number * 16 + (guint) g_ascii_xdigit_value (*parser->at++);
      return (char) number;
    }
  for (found = letters; *found != '\0'; found += 2)
    if (*found == letter)
      return found[1];
  return letter;
}

static void
take_string (Parser *parser)
{
  char quote = *parser->at++;

  parser->kind = TOKEN_BAD;
  while (parser->at < parser->end && *parser->at != quote && *parser->at != '\n')
    {
      char character = *parser->at++;

      if (character == '\\' && parser->at < parser->end)
        character = take_escape (parser);
      g_string_append_c (parser->text, character);
    }
  if (parser->at == parser->end || *parser->at != quote)
    return;
  parser->at++;
  parser->kind = TOKEN_STRING;
}

static void
next_token (Parser *parser)
{
  g_string_truncate (parser->text, 0);
  skip_space (parser);
  if (parser->at == parser->end)
    parser->kind = TOKEN_END;
  else if (*parser->at == '"' || *parser->at == '\'')
    {
      /* strings beside each other are one */
      do
        {
          take_string (parser);
          skip_space (parser);
        }
      while (parser->kind == TOKEN_STRING && parser->at < parser->end
             && (*parser->at == '"' || *parser->at == '\''));
    }
  else if (strchr ("{}<>[]:,;", *parser->at) != NULL)
    {
      parser->kind = *parser->at != '\0' ? TOKEN_MARK : TOKEN_BAD;
      parser->mark = *parser->at++;
    }
  else
    {
      while (parser->at < parser->end
             && (g_ascii_isalnum (*parser->at) || strchr ("_.+-", *parser->at) != NULL)
             && *parser->at != '\0')
        g_string_append_c (parser->text, *parser->at++);
      parser->kind = parser->text->len > 0 ? TOKEN_NAME : TOKEN_BAD;
    }
}

static gboolean
is_mark (const Parser *parser, char mark)
{
  return parser->kind == TOKEN_MARK && parser->mark == mark;
}

static gboolean
fail (const Parser *parser, GError **error)
{
  sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_DAMAGED,
                   "Projector configuration: line %u cannot be parsed", parser->line);
  return FALSE;
}

/* ---- fields -------------------------------------------------------------- */

static void
set_text (char **text, const char *value)
{
  g_free (*text);
  *text = g_strdup (value);
}

static void
set_value (SondeProjectorEmbedding *embedding, gboolean in_sprite, const char *name,
           const char *value)
{
  gint64 number = g_ascii_strtoll (value, NULL, 0);

  if (in_sprite && g_str_equal (name, "image_path"))
    set_text (&embedding->sprite_path, value);
  else if (in_sprite && g_str_equal (name, "single_image_dim") && embedding->n_tile < 2)
    embedding->tile[embedding->n_tile++] = number;
  else if (in_sprite)
    return;
  else if (g_str_equal (name, "tensor_name"))
    set_text (&embedding->tensor_name, value);
  else if (g_str_equal (name, "metadata_path"))
    set_text (&embedding->metadata_path, value);
  else if (g_str_equal (name, "tensor_path"))
    set_text (&embedding->tensor_path, value);
  else if (g_str_equal (name, "tensor_shape"))
    {
      if (embedding->n_shape < 2)
        embedding->shape[embedding->n_shape] = number;
      embedding->n_shape++;
    }
}

/* The fields up to the closing brace, or to the end at depth 0. @embedding: (nullable): in none of
 * interest. */
static gboolean
parse_fields (Parser *parser, GArray *embeddings, SondeProjectorEmbedding *embedding,
              gboolean in_sprite, guint depth, GError **error)
{
  for (next_token (parser); parser->kind == TOKEN_NAME;)
    {
      g_autofree char *name = g_strdup (parser->text->str);
      gboolean is_list;

      next_token (parser);
      if (is_mark (parser, ':'))
        next_token (parser);
      is_list = is_mark (parser, '[');
      if (is_list)
        next_token (parser);
      while (!is_list || !is_mark (parser, ']'))
        {
          if (is_mark (parser, '{') || is_mark (parser, '<'))
            {
              SondeProjectorEmbedding inside = { 0 };
              gboolean is_embedding = depth == 0 && g_str_equal (name, "embeddings");
              gboolean is_sprite = depth == 1 && embedding != NULL && g_str_equal (name, "sprite");
              gboolean right;

              if (depth >= MAX_NESTING || embeddings->len >= MAX_EMBEDDINGS)
                {
                  sonde_set_error (
                      error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_LIMIT,
                      "Projector configuration: nested too deeply, or more than %u embeddings",
                      MAX_EMBEDDINGS);
                  return FALSE;
                }
              right = parse_fields (parser, embeddings,
                                    is_embedding ? &inside
                                    : is_sprite  ? embedding
                                                 : NULL,
                                    is_sprite, depth + 1, error);
              if (is_embedding)
                g_array_append_val (embeddings, inside);
              if (!right)
                return FALSE;
            }
          else if (parser->kind != TOKEN_NAME && parser->kind != TOKEN_STRING)
            return fail (parser, error);
          else if (embedding != NULL)
            set_value (embedding, in_sprite, name, parser->text->str);
          next_token (parser);
          if (!is_list)
            break;
          if (is_mark (parser, ','))
            next_token (parser);
        }
      if (is_list)
        next_token (parser);
      if (is_mark (parser, ',') || is_mark (parser, ';'))
        next_token (parser);
    }
  if (depth == 0 ? parser->kind == TOKEN_END : is_mark (parser, '}') || is_mark (parser, '>'))
    return TRUE;
  return fail (parser, error);
}

GArray *
sonde_projector_config_parse (const char *text, gsize length, GError **error)
{
  g_autoptr (GArray) embeddings = g_array_new (FALSE, TRUE, sizeof (SondeProjectorEmbedding));
  Parser parser = { .at = text, .end = text + length, .line = 1 };
  gboolean right;

  g_array_set_clear_func (embeddings, sonde_projector_embedding_clear);
  parser.text = g_string_new (NULL);
  right = parse_fields (&parser, embeddings, NULL, FALSE, 0, error);
  g_string_free (parser.text, TRUE);
  return right ? g_steal_pointer (&embeddings) : NULL;
}
