/* SPDX-License-Identifier: Apache-2.0
 * Commands about breakpoints. */
#include "app/front/sonde-front-private.h"

#include <string.h>

static void
json_breakpoint (SondeJsonText *json, const SondeBreakpoint *info)
{
  sonde_json_text_uint (json, "id", info->id);
  sonde_json_text_string (json, "node", info->pattern);
  sonde_json_text_string (json, "when", sonde_moment_name (info->moment));
  sonde_json_text_boolean (json, "temporary", info->temporary);
  sonde_json_text_boolean (json, "enabled", info->enabled);
  sonde_json_text_uint (json, "hits", info->hits);
  sonde_json_text_uint (json, "ignore", info->ignore);
  sonde_json_text_uint (json, "positions", info->n_positions);
  if (info->condition != NULL)
    sonde_json_text_string (json, "condition", info->condition);
  if (info->hit_condition != NULL)
    sonde_json_text_string (json, "hit_condition", info->hit_condition);
  if (info->log != NULL)
    sonde_json_text_string (json, "log", info->log);
  if (info->note != NULL)
    sonde_json_text_string (json, "note", info->note);
}

static void
text_breakpoint (GString *text, const SondeBreakpoint *info)
{
  g_string_append_printf (
      text, "%u: %s %s%s, %u place%s, %" G_GUINT64_FORMAT " hit%s", info->id,
      sonde_moment_name (info->moment), info->pattern, info->temporary ? " (once)" : "",
      info->n_positions, info->n_positions == 1 ? "" : "s", info->hits, info->hits == 1 ? "" : "s");
  if (info->ignore > 0)
    g_string_append_printf (text, ", ignoring %" G_GUINT64_FORMAT " more", info->ignore);
  g_string_append (text, info->enabled ? "\n" : ", off\n");
  if (info->condition != NULL)
    g_string_append_printf (text, "   if %s\n", info->condition);
  if (info->hit_condition != NULL)
    g_string_append_printf (text, "   on hits for which %s\n", info->hit_condition);
  if (info->log != NULL)
    g_string_append_printf (text, "   says \"%s\"\n", info->log);
  if (info->note != NULL)
    g_string_append_printf (text, "   not known the last time: %s\n", info->note);
}

static void
answer_list (SondeFront *front, SondeFrontAnswer *answer, GPtrArray *breakpoints)
{
  if (front->options.json)
    sonde_json_text_begin_array (&answer->json, "breakpoints");
  for (guint i = 0; i < breakpoints->len; i++)
    {
      const SondeBreakpoint *info = g_ptr_array_index (breakpoints, i);

      if (!front->options.json)
        text_breakpoint (answer->text, info);
      else
        {
          sonde_json_text_begin_object (&answer->json, NULL);
          json_breakpoint (&answer->json, info);
          sonde_json_text_end_object (&answer->json);
        }
    }
  if (front->options.json)
    sonde_json_text_end_array (&answer->json);
  else if (breakpoints->len == 0)
    g_string_append (answer->text, "No breakpoints.\n");
}

/* @changed: watches may be among what was changed */
static gboolean
call_and_list (SondeFront *front, SondeSessionRequest *request, gboolean changed,
               SondeFrontAnswer *answer, GError **error)
{
  g_autoptr (SondeSessionReply) reply = sonde_front_call (front, request, error);

  if (reply == NULL)
    return FALSE;
  if (front->options.json || reply->breakpoints->len > 0 || reply->watches->len == 0)
    answer_list (front, answer, reply->breakpoints);
  if (changed)
    sonde_front_answer_watches (front, answer, reply->watches);
  return TRUE;
}

gboolean
sonde_front_info_breakpoints (SondeFront *front, SondeFrontAnswer *answer, GError **error)
{
  return call_and_list (front, sonde_session_request_list_breakpoints (), FALSE, answer, error);
}

/* ---- break --------------------------------------------------------------- */

/* The first " if " outside of quotes, NULL when there is none. */
static const char *
find_if (const char *text)
{
  gboolean quoted = FALSE;

  for (; *text != '\0'; text++)
    {
      if (*text == '"')
        quoted = !quoted;
      if (!quoted && g_ascii_isspace (*text) && strncmp (text + 1, "if", 2) == 0
          && (g_ascii_isspace (text[3]) || text[3] == '('))
        return text;
    }
  return NULL;
}

/**
 * Words: what stands behind a command that sets a breakpoint; owned
 * @condition: (nullable)
 */
typedef struct
{
  char *pattern, *condition;
} Words;

static void
words_clear (Words *words)
{
  g_free (words->pattern);
  g_free (words->condition);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Words, words_clear)

/* "NODE [before|after] [if EXPR]" */
static gboolean
parse_place (const char *arguments, Words *words, SondeBreakpointSpec *spec, GError **error)
{
  const char *condition = find_if (arguments);
  g_autofree char *place = condition != NULL
                               ? g_strndup (arguments, (gsize) (condition - arguments))
                               : g_strdup (arguments);
  g_autofree char *last = NULL;
  g_autofree char *before = sonde_front_split_last (g_strstrip (place), &last);

  words->condition = condition != NULL ? g_strstrip (g_strdup (condition + strlen (" if"))) : NULL;
  spec->condition = words->condition;
  spec->moment = SONDE_MOMENT_BEFORE;
  spec->either = TRUE;
  if (before != NULL && (g_str_equal (last, "before") || g_str_equal (last, "after")))
    {
      spec->moment = g_str_equal (last, "after") ? SONDE_MOMENT_AFTER : SONDE_MOMENT_BEFORE;
      spec->either = FALSE;
      words->pattern = sonde_front_unquote (before);
    }
  else
    words->pattern = sonde_front_unquote (place);
  spec->pattern = words->pattern;
  if (*words->pattern != '\0')
    return TRUE;
  g_set_error_literal (
      error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_INVALID,
      "Break where? Name a node, a value, a glob, op:TYPE, scope:GLOB or phase:forward.");
  return FALSE;
}

/* Sets it and says what came of it. */
static gboolean
add_breakpoint (SondeFront *front, const SondeBreakpointSpec *spec, SondeFrontAnswer *answer,
                GError **error)
{
  g_autoptr (SondeSessionReply) reply
      = sonde_front_call (front, sonde_session_request_add_breakpoint (spec), error);
  const SondeBreakpoint *info;

  if (reply == NULL || reply->breakpoints->len == 0)
    return FALSE;
  info = g_ptr_array_index (reply->breakpoints, 0);
  if (front->options.json)
    json_breakpoint (&answer->json, info);
  else
    {
      g_string_append (answer->text, "Breakpoint ");
      text_breakpoint (answer->text, info);
    }
  return TRUE;
}

static gboolean
run_break (SondeFront *front, const char *arguments, gboolean temporary, SondeFrontAnswer *answer,
           GError **error)
{
  SondeBreakpointSpec spec = { .temporary = temporary };
  g_auto (Words) words = { 0 };

  return parse_place (arguments, &words, &spec, error)
         && add_breakpoint (front, &spec, answer, error);
}

gboolean
sonde_front_run_break (SondeFront *front, const char *arguments, SondeFrontAnswer *answer,
                       GError **error)
{
  return run_break (front, arguments, FALSE, answer, error);
}

gboolean
sonde_front_run_tbreak (SondeFront *front, const char *arguments, SondeFrontAnswer *answer,
                        GError **error)
{
  return run_break (front, arguments, TRUE, answer, error);
}

/* ---- log ----------------------------------------------------------------- */

/* The quote that ends the text at @text; those inside of {…} are of expressions. */
static const char *
end_of_text (const char *text)
{
  gboolean inside = FALSE;

  for (; *text != '\0'; text++)
    {
      if (*text == '"' && !inside)
        return text;
      inside = *text == '{' ? TRUE : *text == '}' ? FALSE : inside;
    }
  return NULL;
}

/* The text of `log NODE [before|after] "TEXT" [if EXPR]`; @rest: (out): the line without it. Both
 * (transfer full). A name in quotes comes first. */
static char *
cut_text (const char *arguments, char **rest)
{
  const char *start = arguments + (*arguments == '"'), *end;

  if (*arguments == '"')
    start += strcspn (start, "\"") + 1;
  start = strlen (arguments) >= (gsize) (start - arguments) ? strchr (start, '"') : NULL;
  end = start != NULL ? end_of_text (start + 1) : NULL;
  if (end == NULL)
    return NULL;
  *rest = g_strdup_printf ("%.*s %s", (int) (start - arguments), arguments, end + 1);
  return g_strndup (start + 1, (gsize) (end - start - 1));
}

gboolean
sonde_front_run_log (SondeFront *front, const char *arguments, SondeFrontAnswer *answer,
                     GError **error)
{
  SondeBreakpointSpec spec = { 0 };
  g_autofree char *rest = NULL;
  g_autofree char *text = cut_text (arguments, &rest);
  g_auto (Words) words = { 0 };

  if (text == NULL)
    {
      g_set_error_literal (
          error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_INVALID,
          "Give a node and a text in quotes: log NODE [after] \"loss {mean(x)}\" [if EXPR].");
      return FALSE;
    }
  if (!parse_place (rest, &words, &spec, error))
    return FALSE;
  spec.log = text;
  return add_breakpoint (front, &spec, answer, error);
}

/* ---- changing them ------------------------------------------------------- */

/* "[ID]"; none is 0: all */
static gboolean
parse_id (const char *arguments, guint *id, GError **error)
{
  guint64 number = 0;

  if (*arguments != '\0' && !sonde_front_parse_number (arguments, 1, "breakpoint", &number, error))
    return FALSE;
  *id = (guint) MIN (number, G_MAXUINT);
  return TRUE;
}

gboolean
sonde_front_run_enable (SondeFront *front, const char *arguments, SondeFrontAnswer *answer,
                        GError **error)
{
  guint id;

  return parse_id (arguments, &id, error)
         && call_and_list (front, sonde_session_request_enable_breakpoint (id, TRUE), TRUE, answer,
                           error);
}

gboolean
sonde_front_run_disable (SondeFront *front, const char *arguments, SondeFrontAnswer *answer,
                         GError **error)
{
  guint id;

  return parse_id (arguments, &id, error)
         && call_and_list (front, sonde_session_request_enable_breakpoint (id, FALSE), TRUE, answer,
                           error);
}

gboolean
sonde_front_run_clear (SondeFront *front, const char *arguments, SondeFrontAnswer *answer,
                       GError **error)
{
  guint id;

  return parse_id (arguments, &id, error)
         && call_and_list (front, sonde_session_request_remove_breakpoint (id), TRUE, answer,
                           error);
}

gboolean
sonde_front_run_ignore (SondeFront *front, const char *arguments, SondeFrontAnswer *answer,
                        GError **error)
{
  g_autofree char *last = NULL;
  g_autofree char *first = sonde_front_split_last (arguments, &last);
  guint64 count = 0;
  guint id;

  if (first == NULL)
    {
      g_set_error_literal (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_INVALID,
                           "Give the breakpoint and how often: ignore ID COUNT.");
      return FALSE;
    }
  return parse_id (first, &id, error) && sonde_front_parse_number (last, 0, "count", &count, error)
         && call_and_list (front, sonde_session_request_ignore_breakpoint (id, count), TRUE, answer,
                           error);
}
