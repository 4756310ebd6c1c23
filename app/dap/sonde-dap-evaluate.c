/* SPDX-License-Identifier: Apache-2.0
 * Expressions, every debugger command in the console, and edits of values. */
#include "app/dap/sonde-dap-evaluate.h"

#include <string.h>

#include "app/dap/sonde-dap-run.h"
#include "app/dap/sonde-dap-values.h"
#include "data/arrays/sonde-json-text.h"
#include "engine/ops/sonde-engine-error.h"

/* ---- commands ------------------------------------------------------------ */

/* Does @text begin with the word of a command? Otherwise it is an expression. */
static gboolean
is_command (const char *text)
{
  gsize length = strcspn (text, " \t");
  g_autofree char *word = g_strndup (text, length);
  const char *rest = text + length + strspn (text + length, " \t");

  /* "mean (x)", "x > 1" and the like are expressions, whatever begins with their first word */
  if (*word == '\0' || *rest == '(' || (*rest != '\0' && strchr ("<>=!+*/%&|", *rest) != NULL)
      || strpbrk (word, "()[]<>=!+*/%&|'\"") != NULL)
    return FALSE;
  return sonde_command_find (word, NULL) != NULL;
}

static void
tell_changed (SondeDap *dap)
{
  JsonBuilder *body;

  if (!dap->sends_invalidated)
    return;
  body = sonde_dap_body_new ();
  sonde_json_begin_array (body, "areas");
  json_builder_add_string_value (body, "all");
  json_builder_end_array (body);
  sonde_dap_send_event (dap, "invalidated", body);
}

static void
reply_text (SondeDapRequest *request, const char *text)
{
  JsonBuilder *body = sonde_dap_body_new ();

  sonde_json_set_string (body, "result", text);
  sonde_json_set_int (body, "variablesReference", 0);
  sonde_dap_request_reply (request, body);
}

static void
on_command (GObject *source, GAsyncResult *result, gpointer data)
{
  SondeDapRequest *request = data;
  SondeDap *dap = request->dap;
  const SondeCommand *command = sonde_command_runner_get_command (result);
  gboolean changes = sonde_command_get_effect (command) == SONDE_COMMAND_CHANGES;
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeCommandResult) answer
      = sonde_command_runner_run_finish (SONDE_COMMAND_RUNNER (source), result, &error);
  g_autoptr (GString) text = g_string_new (error != NULL ? sonde_error_get_text (error) : NULL);

  dap->n_asked--;
  if (answer != NULL)
    sonde_command_result_to_text (answer, text);
  g_strchomp (text->str);
  reply_text (request, text->str);
  if (changes)
    tell_changed (dap);
}

/* The run was resumed; its next stop comes as an event. */
static void
on_resumed (GObject *source, GAsyncResult *result, gpointer data)
{
  SondeDap *dap = data;
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeCommandResult) answer
      = sonde_command_runner_run_finish (SONDE_COMMAND_RUNNER (source), result, &error);

  dap->n_asked--;
  if (error == NULL || dap->over)
    return;
  sonde_dap_send_output (dap, "important", sonde_error_get_text (error));
  if (!dap->running)
    return;
  dap->running = FALSE;
  sonde_dap_tell_stop (dap, "pause", sonde_error_get_text (error));
}

/* @command: (transfer full) */
static void
resume (SondeDapRequest *request, SondeCommand *command)
{
  SondeDap *dap = request->dap;
  JsonBuilder *body;

  if (!sonde_dap_need_pause (request))
    {
      sonde_command_free (command);
      return;
    }
  reply_text (request, "");
  body = sonde_dap_body_new ();
  sonde_json_set_int (body, "threadId", SONDE_DAP_THREAD);
  sonde_json_set_boolean (body, "allThreadsContinued", TRUE);
  sonde_dap_send_event (dap, "continued", body);
  dap->running = TRUE;
  dap->reason = NULL;
  dap->n_asked++;
  sonde_command_runner_run_async (dap->runner, command, NULL, on_resumed, dap);
}

static void
evaluate_command (SondeDapRequest *request, const char *line)
{
  SondeDap *dap = request->dap;
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeCommand) command = sonde_command_parse (line, &error);

  if (command == NULL)
    reply_text (request, error != NULL ? sonde_error_get_text (error) : "");
  else if (sonde_command_get_effect (command) == SONDE_COMMAND_LEAVES)
    {
      reply_text (request, "");
      sonde_dap_tell_end (dap, 0);
    }
  else if (sonde_command_get_effect (command) == SONDE_COMMAND_RESUMES)
    resume (request, g_steal_pointer (&command));
  else
    {
      dap->n_asked++;
      sonde_command_runner_run_async (dap->runner, g_steal_pointer (&command), NULL, on_command,
                                      request);
    }
}

/* ---- expressions --------------------------------------------------------- */

static char *
dup_expression (const SondeDapRequest *request)
{
  const char *given = sonde_dap_get_string (request->arguments, "expression");

  return g_strstrip (g_strdup (given != NULL ? given : ""));
}

static void
take_evaluated (SondeDapRequest *request, SondeSessionReply *reply)
{
  g_autoptr (GString) text = g_string_new (NULL);
  JsonBuilder *body = sonde_dap_body_new ();

  if (reply->tensor != NULL)
    sonde_json_append_tensor (text, reply->tensor);
  sonde_json_set_string (body, "result", text->str);
  sonde_json_set_string (body, "type", sonde_dtype_name (reply->dtype));
  sonde_json_set_int (body, "variablesReference", 0);
  sonde_dap_request_reply (request, body);
}

/* @answers: of a value with a slice; if there is no such value, the text may be an expression. */
static void
take_value (SondeDapRequest *request, GPtrArray *answers, gpointer data)
{
  SondeDapAnswer *one = g_ptr_array_index (answers, 0);
  const char *context = sonde_dap_get_string (request->arguments, "context");
  g_autofree char *text = dup_expression (request);

  if (one->reply != NULL)
    sonde_dap_reply_statistics (request, "result", text, g_steal_pointer (&one->reply));
  else if (context == NULL && is_command (text))
    evaluate_command (request, text);
  else if (g_error_matches (one->error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_NOT_FOUND))
    sonde_dap_ask (request, sonde_session_request_evaluate (text, SONDE_SESSION_WANT_TENSOR, NULL),
                   take_evaluated);
  else
    sonde_dap_request_fail (request, one->error);
}

void
sonde_dap_evaluate (SondeDapRequest *request)
{
  const char *context = sonde_dap_get_string (request->arguments, "context");
  g_autofree char *text = dup_expression (request);
  GPtrArray *questions;

  if (*text == '\0')
    sonde_dap_request_refuse (request, SONDE_ENGINE_ERROR_INVALID,
                              N_ ("There is nothing to evaluate."));
  else if (g_strcmp0 (context, "repl") == 0 && is_command (text))
    evaluate_command (request, text);
  else
    {
      questions = g_ptr_array_new ();
      g_ptr_array_add (questions, sonde_session_request_statistics (text));
      sonde_dap_ask_all (request, questions, take_value, NULL);
    }
}

/* ---- completions --------------------------------------------------------- */

/* The text before the cursor. (transfer full) */
static char *
dup_line (const SondeDapRequest *request)
{
  const char *given = sonde_dap_get_string (request->arguments, "text");
  gint64 column = sonde_dap_get_int (request->arguments, "column", 1) - request->dap->columns_at_1;
  const char *text = given != NULL ? given : "";
  glong characters = g_utf8_strlen (text, -1);

  return g_strndup (
      text, (gsize) (g_utf8_offset_to_pointer (text, CLAMP (column, 0, characters)) - text));
}

static void
on_completed (GObject *source, GAsyncResult *result, gpointer data)
{
  SondeDapRequest *request = data;
  g_auto (GStrv) names
      = sonde_command_runner_complete_finish (SONDE_COMMAND_RUNNER (source), result, NULL);
  g_autofree char *line = dup_line (request);
  const char *space = strrchr (line, ' ');
  const char *word = space != NULL ? space + 1 : line;
  JsonBuilder *body = sonde_dap_body_new ();

  request->dap->n_asked--;
  sonde_json_begin_array (body, "targets");
  for (guint i = 0; names != NULL && names[i] != NULL; i++)
    {
      json_builder_begin_object (body);
      sonde_json_set_string (body, "label", names[i]);
      sonde_json_set_int (body, "start", g_utf8_strlen (line, word - line));
      sonde_json_set_int (body, "length", g_utf8_strlen (word, -1));
      json_builder_end_object (body);
    }
  json_builder_end_array (body);
  sonde_dap_request_reply (request, body);
}

void
sonde_dap_completions (SondeDapRequest *request)
{
  g_autofree char *line = dup_line (request);

  request->dap->n_asked++;
  sonde_command_runner_complete_async (request->dap->runner, line, on_completed, request);
}

/* ---- changing ------------------------------------------------------------ */

/* The place of a variable: "[3]" inside a value, or a value of a scope. (transfer full) */
static char *
place_of_variable (SondeDapRequest *request, const char *name)
{
  const SondeDapReference *reference = sonde_dap_variables_find (
      request->dap->variables, sonde_dap_get_int (request->arguments, "variablesReference", 0));
  g_autofree char *index = NULL, *indices = NULL;

  if (reference == NULL || reference->kind != SONDE_DAP_ELEMENTS)
    return g_strdup (name);
  index = g_strndup (name + (*name == '['), strcspn (name + (*name == '['), "]"));
  indices = g_strdup_printf ("%s%s%s", reference->indices, *reference->indices != '\0' ? ", " : "",
                             index);
  return sonde_dap_slice (reference->value, indices);
}

/* The place that @request changes. (transfer full) (nullable) */
static char *
dup_place (SondeDapRequest *request)
{
  const char *name = sonde_dap_get_string (request->arguments, "name");

  if (g_str_equal (request->command, "setExpression"))
    return g_strdup (sonde_dap_get_string (request->arguments, "expression"));
  return name != NULL ? place_of_variable (request, name) : NULL;
}

static void
on_set (GObject *source, GAsyncResult *result, gpointer data)
{
  SondeDapRequest *request = data;
  SondeDap *dap = request->dap;
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeCommandResult) answer
      = sonde_command_runner_run_finish (SONDE_COMMAND_RUNNER (source), result, &error);
  g_autofree char *place = dup_place (request);

  dap->n_asked--;
  if (answer == NULL)
    {
      sonde_dap_request_fail (request, error);
      return;
    }
  tell_changed (dap);
  sonde_dap_reply_value (request, "value", place);
}

/* @required: the error when something is missing, marked by N_() */
static void
set_value (SondeDapRequest *request, const char *required)
{
  g_autofree char *place = dup_place (request);
  const char *value = sonde_dap_get_string (request->arguments, "value");

  if (place == NULL || value == NULL)
    {
      sonde_dap_request_refuse (request, SONDE_ENGINE_ERROR_INVALID, required);
      return;
    }
  if (!sonde_dap_need_pause (request))
    return;
  request->dap->n_asked++;
  sonde_command_runner_run_async (request->dap->runner, sonde_command_new_set (place, value), NULL,
                                  on_set, request);
}

void
sonde_dap_set_variable (SondeDapRequest *request)
{
  set_value (request, N_ ("A name and a value are required."));
}

void
sonde_dap_set_expression (SondeDapRequest *request)
{
  set_value (request, N_ ("An expression and a value are required."));
}
