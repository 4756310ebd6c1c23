/* SPDX-License-Identifier: Apache-2.0
 * Capture files: the current state, to be debugged elsewhere. */
#include "engine/commands/sonde-command-table.h"

/* @values: (array zero-terminated=1): of save */
typedef struct
{
  SondeCommand parent;
  char *file;
  char **values;
} Capture;

/* ---- the result ---------------------------------------------------------- */

static void
to_text (const SondeCommandResult *result, GString *text)
{
  g_string_append_printf (text,
                          P_ ("Capture %s, with %u breakpoint or watchpoint.\n",
                              "Capture %s, with %u breakpoints and watchpoints.\n",
                              result->capture.n_stops),
                          result->capture.file, result->capture.n_stops);
}

static void
to_json (const SondeCommandResult *result, JsonBuilder *builder)
{
  sonde_json_set_string (builder, "file", result->capture.file);
  sonde_json_set_int (builder, "stops", result->capture.n_stops);
}

static void
result_clear (SondeCommandResult *result)
{
  g_free (result->capture.file);
}

static const SondeCommandResultClass result_class = { to_text, to_json, result_clear };

static SondeCommandResult *
make_result (const char *file, guint n_stops)
{
  SondeCommandResult *result
      = sonde_command_result_new (SONDE_COMMAND_RESULT_CAPTURE, &result_class);

  result->capture = (SondeCommandCapture){ g_strdup (file), n_stops };
  return result;
}

/* ---- breakpoints and watches that go along ------------------------------- */

/* (element-type SondeCaptureStop) (transfer full) */
static GPtrArray *
list_stops (SondeCommandRunner *runner, GError **error)
{
  g_autoptr (GPtrArray) stops
      = g_ptr_array_new_with_free_func ((GDestroyNotify) sonde_capture_stop_free);
  g_autoptr (SondeSessionReply) reply
      = sonde_command_runner_call (runner, sonde_session_request_list_breakpoints (), error);
  g_autoptr (SondeSessionReply) watches
      = reply != NULL
            ? sonde_command_runner_call (runner, sonde_session_request_list_watches (), error)
            : NULL;

  if (watches == NULL)
    return NULL;
  for (guint i = 0; i < reply->breakpoints->len; i++)
    {
      const SondeBreakpoint *info = g_ptr_array_index (reply->breakpoints, i);
      g_autofree char *line = sonde_command_line_of_breakpoint (info);

      g_ptr_array_add (stops, sonde_capture_stop_new (line, info->enabled));
    }
  for (guint i = 0; watches->watches != NULL && i < watches->watches->len; i++)
    {
      const SondeWatch *info = g_ptr_array_index (watches->watches, i);
      g_autofree char *line = sonde_command_line_of_watch (info);

      g_ptr_array_add (stops, sonde_capture_stop_new (line, info->enabled));
    }
  return g_steal_pointer (&stops);
}

/* What @result set is turned off. */
static void
disable (SondeCommandRunner *runner, const SondeCommandResult *result)
{
  g_autoptr (SondeSessionReply) reply = NULL;
  guint id = 0;

  if (result->kind == SONDE_COMMAND_RESULT_BREAKPOINT)
    id = ((const SondeBreakpoint *) g_ptr_array_index (result->breakpoints.breakpoints, 0))->id;
  else if (result->kind == SONDE_COMMAND_RESULT_WATCH && result->watches->len > 0)
    id = ((const SondeWatch *) g_ptr_array_index (result->watches, 0))->id;
  if (id > 0)
    reply = sonde_command_runner_call (runner, sonde_session_request_enable_breakpoint (id, FALSE),
                                       NULL);
}

void
sonde_command_runner_restore_stops (SondeCommandRunner *runner, const GPtrArray *stops)
{
  for (guint i = 0; stops != NULL && i < stops->len; i++)
    {
      const SondeCaptureStop *stop = g_ptr_array_index (stops, i);
      g_autoptr (SondeCommand) command = sonde_command_parse (stop->command, NULL);
      g_autoptr (SondeCommandResult) result
          = command != NULL ? sonde_command_runner_run (runner, command, NULL) : NULL;

      if (result != NULL && !stop->enabled)
        disable (runner, result);
    }
}

/* ---- save ---------------------------------------------------------------- */

/* The values of the node it stands at, and what was named. (transfer full) (array
 * zero-terminated=1) */
static char **
list_values (SondeCommandRunner *runner, char **named)
{
  GPtrArray *values = g_ptr_array_new ();
  g_autoptr (SondeSessionReply) steps
      = sonde_command_runner_call (runner, sonde_session_request_steps (), NULL);
  g_autoptr (SondeSessionStatus) status = sonde_command_runner_get_status (runner, NULL);

  for (guint i = 0; named[i] != NULL; i++)
    g_ptr_array_add (values, g_strdup (named[i]));
  for (guint k = 0; steps != NULL && status != NULL && k < steps->steps->len; k++)
    {
      const SondeStepInfo *step = g_ptr_array_index (steps->steps, k);

      if (!g_str_equal (step->name, status->stop.node)
          && !g_strv_contains ((const char *const *) step->nodes, status->stop.node))
        continue;
      for (guint i = 0; step->inputs[i] != NULL; i++)
        g_ptr_array_add (values, g_strdup (step->inputs[i]));
      for (guint i = 0; step->outputs[i] != NULL; i++)
        g_ptr_array_add (values, g_strdup (step->outputs[i]));
    }
  g_ptr_array_add (values, NULL);
  return (char **) g_ptr_array_free (values, FALSE);
}

static SondeCommandResult *
run_save (const SondeCommand *command, SondeCommandRunner *runner, GError **error)
{
  const Capture *self = (const Capture *) command;
  g_autofree char *path = sonde_command_absolute_path (self->file);
  g_autoptr (GPtrArray) stops = list_stops (runner, error);
  g_auto (GStrv) values = stops != NULL ? list_values (runner, self->values) : NULL;
  g_autoptr (SondeSessionReply) reply
      = stops != NULL ? sonde_command_runner_call (
            runner, sonde_session_request_capture (path, (const char *const *) values, stops),
            error)
                      : NULL;

  return reply != NULL ? make_result (self->file, stops->len) : NULL;
}

/* ---- open ---------------------------------------------------------------- */

/* The step of a program that is not ours begins again, from what is in the capture. */
static SondeCommandResult *
run_open_in_program (SondeCommandRunner *runner, const char *path, GError **error)
{
  const SondeBack back = { .kind = SONDE_BACK_CAPTURE, .target = path };
  SondeCommandResult *result
      = sonde_command_runner_resume (runner, sonde_session_request_go_back (&back), error);

  if (result != NULL)
    result->stop.file = g_strdup (path);
  return result;
}

static gboolean
is_in_program (SondeCommandRunner *runner)
{
  g_autoptr (SondeSessionStatus) status = sonde_command_runner_get_status (runner, NULL);

  return status != NULL && status->facts.kind == SONDE_ACTIVITY_PYTORCH;
}

/* What is open goes; the capture stands before its first node. */
static SondeCommandResult *
run_open (const SondeCommand *command, SondeCommandRunner *runner, GError **error)
{
  const Capture *self = (const Capture *) command;
  g_autofree char *path = sonde_command_absolute_path (self->file);
  const SondeOpenRequest open = { .subject = path, .replace = TRUE };
  g_autoptr (SondeSessionReply) reply = NULL;

  if (is_in_program (runner))
    return run_open_in_program (runner, path, error);
  if (sonde_session_client_is_attached (sonde_command_runner_get_client (runner)))
    {
      sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_STATE,
                       "A capture cannot replace a run that was attached to; open it with: "
                       "sonde debug FILE.sondecap.");
      return NULL;
    }
  reply = sonde_command_runner_call (runner, sonde_session_request_open (&open), error);
  if (reply == NULL)
    return NULL;
  sonde_command_runner_set_listed (runner, 0);
  sonde_command_runner_restore_stops (runner, reply->stops);
  return make_result (self->file, reply->stops != NULL ? reply->stops->len : 0);
}

/* ---- commands ------------------------------------------------------------ */

static gboolean
fail_usage (GError **error)
{
  sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_INVALID,
                   "File missing. Usage: capture save FILE.sondecap [VALUE|GLOB]…, or capture "
                   "open FILE.sondecap.");
  return FALSE;
}

static gboolean
parse_save (SondeCommand *command, const char *arguments, GError **error)
{
  Capture *self = (Capture *) command;
  g_autoptr (GPtrArray) words = sonde_words_split (arguments);

  if (!sonde_words_are_closed (words, error))
    return FALSE;
  if (words->len == 0 || *sonde_words_get (words, 0)->text == '\0')
    return fail_usage (error);
  self->file = g_strdup (sonde_words_get (words, 0)->text);
  self->values = g_new0 (char *, words->len);
  for (guint i = 1; i < words->len; i++)
    self->values[i - 1] = g_strdup (sonde_words_get (words, i)->text);
  return TRUE;
}

static gboolean
parse_open (SondeCommand *command, const char *arguments, GError **error)
{
  ((Capture *) command)->file = sonde_words_unquote (arguments);
  return *((Capture *) command)->file != '\0' || fail_usage (error);
}

static void
format (const SondeCommand *command, GString *line)
{
  const Capture *self = (const Capture *) command;

  sonde_command_append_word (line, self->file);
  for (guint i = 0; self->values != NULL && self->values[i] != NULL; i++)
    sonde_command_append_word (line, self->values[i]);
}

static void
clear (SondeCommand *command)
{
  g_free (((Capture *) command)->file);
  g_strfreev (((Capture *) command)->values);
}

SondeCommand *
sonde_command_new_capture_save (const char *path, const char *const *values)
{
  Capture *self = sonde_command_new (&sonde_command_class_capture_save);

  self->file = g_strdup (path);
  self->values = values != NULL ? g_strdupv ((char **) values) : g_new0 (char *, 1);
  return &self->parent;
}

SondeCommand *
sonde_command_new_capture_open (const char *path)
{
  Capture *self = sonde_command_new (&sonde_command_class_capture_open);

  self->file = g_strdup (path);
  return &self->parent;
}

const SondeCommandClass sonde_command_class_capture_save
    = { .name = "capture",
        .topic = "save",
        .arguments = "FILE.sondecap [VALUE|GLOB]…",
        .summary = N_ ("Save the current state to debug it elsewhere, or open a saved state."),
        .effect = SONDE_COMMAND_CHANGES,
        .size = sizeof (Capture),
        .parse = parse_save,
        .format = format,
        .run = run_save,
        .clear = clear };

const SondeCommandClass sonde_command_class_capture_open = { .name = "capture",
                                                             .topic = "open",
                                                             .arguments = "FILE.sondecap",
                                                             .effect = SONDE_COMMAND_CHANGES,
                                                             .size = sizeof (Capture),
                                                             .parse = parse_open,
                                                             .format = format,
                                                             .run = run_open,
                                                             .clear = clear };
