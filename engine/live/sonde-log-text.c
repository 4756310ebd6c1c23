/* SPDX-License-Identifier: Apache-2.0
 * Texts with {expressions} in them. */
#include "engine/live/sonde-log-text.h"

#define SHOWN_ELEMENTS 8 /* of a tensor in a log line */

/* A piece of a text: as it stands, or an expression. */
typedef struct
{
  char *text;
  SondeExpression *expression;
} Piece;

static void
piece_free (void *data)
{
  Piece *piece = data;

  g_free (piece->text);
  sonde_expression_free (piece->expression);
  g_free (piece);
}

static Piece *
add_piece (GPtrArray *pieces)
{
  Piece *piece = g_new0 (Piece, 1);

  g_ptr_array_add (pieces, piece);
  return piece;
}

static gboolean
ends_name (char c)
{
  return g_ascii_isalnum (c) || c == '_' || c == '\'' || (guchar) c >= 0x80;
}

/* Up to the } that closes the expression at @text; quotes may hold one. NULL when there is none. */
static const char *
end_of_expression (const char *text)
{
  char quote = '\0', before = ' ';

  for (; *text != '\0'; before = *text++)
    {
      if (quote == '\0' && *text == '}')
        return text;
      if (*text == quote)
        quote = '\0';
      /* P' holds no quote */
      else if (quote == '\0' && (*text == '"' || (*text == '\'' && !ends_name (before))))
        quote = *text;
    }
  return NULL;
}

/* @text: behind the {. Moves it behind the }. */
static gboolean
parse_inserted (GPtrArray *pieces, const char **text, GError **error)
{
  const char *end = end_of_expression (*text);
  g_autofree char *inside = end != NULL ? g_strndup (*text, (gsize) (end - *text)) : NULL;

  if (end == NULL)
    {
      sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_INVALID,
                       "A “{” in the text is not closed; {{ stands for the character itself.");
      return FALSE;
    }
  add_piece (pieces)->expression = sonde_expression_parse (inside, error);
  *text = end + 1;
  return ((Piece *) g_ptr_array_index (pieces, pieces->len - 1))->expression != NULL;
}

SondeLogText *
sonde_log_text_parse (const char *text, GError **error)
{
  g_autoptr (GPtrArray) log = g_ptr_array_new_with_free_func (piece_free);
  g_autoptr (GString) plain = g_string_new (NULL);

  while (*text != '\0')
    {
      gboolean doubled = (*text == '{' || *text == '}') && text[1] == *text;

      if (*text == '{' && !doubled)
        {
          add_piece (log)->text = g_strdup (plain->str);
          g_string_truncate (plain, 0);
          text++;
          if (!parse_inserted (log, &text, error))
            return NULL;
          continue;
        }
      g_string_append_c (plain, *text);
      text += doubled ? 2 : 1;
    }
  add_piece (log)->text = g_strdup (plain->str);
  return g_steal_pointer (&log);
}

static void
append_tensor (GString *text, const SondeTensor *tensor)
{
  gint64 n = sonde_tensor_n_elements (tensor);
  gboolean single = tensor->shape.rank == 0;

  if (!single)
    g_string_append_c (text, '[');
  for (gint64 i = 0; i < MIN (n, SHOWN_ELEMENTS); i++)
    {
      g_autofree char *element = sonde_tensor_format_element (tensor, i);

      g_string_append_printf (text, "%s%s", i > 0 ? ", " : "", element);
    }
  if (!single)
    g_string_append (text, n > SHOWN_ELEMENTS ? ", …]" : "]");
}

static void
append_result (GString *text, const SondeExpressionResult *result)
{
  if (result->tensor != NULL)
    append_tensor (text, result->tensor);
  else if (result->dtype == SONDE_DTYPE_BOOL)
    g_string_append (text, result->truth ? "true" : "false");
  else if (result->number != result->number) /* whatever its sign */
    g_string_append (text, "nan");
  else
    g_string_append_printf (text, "%.9g", result->number);
}

char *
sonde_log_text_format (const SondeLogText *log, SondeExpressionSource *source)
{
  GString *text = g_string_new (NULL);

  for (guint i = 0; i < log->len; i++)
    {
      const Piece *piece = g_ptr_array_index (log, i);
      g_auto (SondeExpressionResult) result = { 0 };
      g_autoptr (GError) error = NULL;

      if (piece->expression == NULL)
        g_string_append (text, piece->text);
      else if (sonde_expression_evaluate (piece->expression, source, &result, &error))
        append_result (text, &result);
      else
        g_string_append_printf (text, "{%s}", error->message);
    }
  return g_string_free (text, FALSE);
}

SondeExpression *
sonde_log_text_get_expression (const SondeLogText *log, guint k)
{
  for (guint i = 0; i < log->len; i++)
    {
      const Piece *piece = g_ptr_array_index (log, i);

      if (piece->expression != NULL && k-- == 0)
        return piece->expression;
    }
  return NULL;
}

void
sonde_log_text_free (SondeLogText *log)
{
  if (log != NULL)
    g_ptr_array_unref (log);
}
