/* SPDX-License-Identifier: Apache-2.0
 * What `print`, `stats`, `save` and `display` are asked for: a value with a slice, or else an
 * expression. */
#include "app/front/sonde-front-private.h"

#include <string.h>

#include "engine/live/sonde-expression.h"

char *
sonde_front_dup_expression (const char *text)
{
  gsize length = strlen (text);
  g_autofree char *inside = length > 2 ? g_strndup (text + 1, length - 2) : NULL;

  /* "a b" is a name; "a" + "b" only begins and ends like one */
  return inside != NULL && strchr (inside, '"') != NULL ? g_strdup (text)
                                                        : sonde_front_unquote (text);
}

/* The plain requests, which need no parser and answer as soon as the value is there. */
static SondeSessionRequest *
make_plain (const char *value, SondeSessionWant want, const char *path)
{
  if (want == SONDE_SESSION_WANT_SAVED)
    return sonde_session_request_save (value, path);
  return want == SONDE_SESSION_WANT_STATISTICS ? sonde_session_request_statistics (value)
                                               : sonde_session_request_tensor (value);
}

/* @text is no expression, but was it meant as one? Then the parser's error says more than that
 * there is no such value. */
static gboolean
looks_like_expression (const char *text)
{
  return strpbrk (text, "()<>=&|!?+*%\"") != NULL || strstr (text, " - ") != NULL
         || strstr (text, " / ") != NULL;
}

SondeSessionReply *
sonde_front_look (SondeFront *front, const char *text, SondeSessionWant want, const char *path,
                  GError **error)
{
  g_autofree char *value = sonde_front_dup_expression (text);
  g_autoptr (GError) plain_error = NULL, parse_error = NULL;
  g_autoptr (SondeExpression) expression = NULL;
  SondeSessionReply *reply = sonde_front_call (front, make_plain (value, want, path), &plain_error);

  if (reply != NULL)
    return reply;
  if (g_error_matches (plain_error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_NOT_FOUND))
    expression = sonde_expression_parse (value, &parse_error);
  if (expression != NULL)
    return sonde_front_call (front, sonde_session_request_evaluate (value, want, path), error);
  if (parse_error != NULL && looks_like_expression (value))
    g_propagate_error (error, g_steal_pointer (&parse_error));
  else
    g_propagate_error (error, g_steal_pointer (&plain_error));
  return NULL;
}

/* ---- help ---------------------------------------------------------------- */

void
sonde_front_answer_functions (SondeFront *front, SondeFrontAnswer *answer)
{
  const SondeExpressionHelp *help;

  if (front->options.json)
    sonde_json_text_begin_array (&answer->json, "functions");
  else
    g_string_append (answer->text, "Values by name (conv1.weight, grad(V), P', state(P, m), \"any "
                                   "name\"), slices x[0, :4], numbers,\n"
                                   "|| && ! == != < <= > >= + - * / % **, or, and, not, c ? a : b, "
                                   "parentheses; in conditions of\n"
                                   "breakpoints hits and step. A comparison with nan is false (but "
                                   "!=); a tensor holds when any\n"
                                   "element does; what is not computed yet is unknown and does not "
                                   "hold. docs/expressions.md.\n");
  for (guint k = 0; (help = sonde_expression_help (k)) != NULL; k++)
    {
      if (!front->options.json)
        {
          g_string_append_printf (answer->text, "%-34s %s\n", help->usage, help->summary);
          continue;
        }
      sonde_json_text_begin_object (&answer->json, NULL);
      sonde_json_text_string (&answer->json, "name", help->name);
      sonde_json_text_string (&answer->json, "usage", help->usage);
      sonde_json_text_string (&answer->json, "summary", help->summary);
      sonde_json_text_end_object (&answer->json);
    }
  if (front->options.json)
    sonde_json_text_end_array (&answer->json);
}

void
sonde_front_complete_functions (const char *text, GPtrArray *names)
{
  const SondeExpressionHelp *help;

  for (guint k = 0; (help = sonde_expression_help (k)) != NULL; k++)
    if (g_str_has_prefix (help->name, text))
      g_ptr_array_add (names, g_strconcat (help->name, "(", NULL));
}
