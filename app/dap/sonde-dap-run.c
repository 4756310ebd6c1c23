/* SPDX-License-Identifier: Apache-2.0
 * The two ways to the command table: lines that are answered at once, and, on a thread of its own,
 * those that wait for a stop. Each has a front of its own on the one client. */
#include "app/dap/sonde-dap-private.h"

#include <stdlib.h>
#include <string.h>

#include "app/front/sonde-front-private.h"

/* ---- at once ------------------------------------------------------------- */

static char *
execute (SondeFront *front, const char *line)
{
  char *text = NULL;
  size_t length = 0;
  char *copy;

  front->options.output = open_memstream (&text, &length);
  if (front->options.output == NULL)
    return g_strdup ("");
  sonde_front_execute (front, line);
  fclose (front->options.output);
  front->options.output = NULL;
  copy = g_strndup (text, length);
  free (text);
  return copy;
}

/* The last line of @text is the answer; those before are events. */
static JsonObject *
parse_answer (const char *text, GError **error)
{
  g_autofree char *stripped = g_strchomp (g_strdup (text));
  const char *last = strrchr (stripped, '\n');
  g_autoptr (JsonNode) node = json_from_string (last != NULL ? last + 1 : stripped, NULL);

  if (node != NULL && JSON_NODE_HOLDS_OBJECT (node))
    return json_object_ref (json_node_get_object (node));
  g_set_error_literal (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_PROTOCOL,
                       "The engine gave no answer.");
  return NULL;
}

JsonObject *
sonde_dap_ask (SondeDap *dap, const char *line, GError **error)
{
  g_autofree char *text = execute (dap->front, line);
  g_autoptr (JsonObject) answer = parse_answer (text, error);
  const char *message;

  if (answer == NULL || sonde_dap_get_boolean (answer, "ok", FALSE))
    return g_steal_pointer (&answer);
  message = sonde_dap_get_string (answer, "error");
  g_set_error_literal (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_INVALID,
                       message != NULL ? message : "The command failed.");
  return NULL;
}

char *
sonde_dap_ask_text (SondeDap *dap, const char *line)
{
  return execute (dap->talker, line);
}

/* A quoted argument ends at the next quote of the same kind: a name that has one kind takes the
 * other. */
char *
sonde_dap_quote (const char *text)
{
  return strchr (text, '"') == NULL ? g_strdup_printf ("\"%s\"", text) : g_strdup (text);
}

gboolean
sonde_dap_need_pause (SondeDap *dap, GError **error)
{
  if (!dap->running)
    return TRUE;
  g_set_error_literal (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_STATE,
                       "It runs; pause it first.");
  return FALSE;
}

/* ---- the runner ---------------------------------------------------------- */

/* A line of output, on the runner's thread: what is not the answer is an event that is told at
 * once. */
typedef struct
{
  SondeDap *dap;
  JsonObject *object;
} Line;

static gboolean
on_line (gpointer data)
{
  static const char *const told[] = { "log", "silent", "answers", NULL };
  Line *line = data;
  const char *text = sonde_dap_get_string (line->object, "text"),
             *event = sonde_dap_get_string (line->object, "event");

  if (event != NULL && g_strv_contains (told, event) && text != NULL)
    {
      g_autofree char *output = g_strconcat (text, "\n", NULL);

      sonde_dap_send_output (line->dap, "console", output);
    }
  json_object_unref (line->object);
  g_free (line);
  return G_SOURCE_REMOVE;
}

/**
 * Lines: the stream that the runner's front writes to
 * @partial: a line that has not ended
 * @answer: the last one with "command"
 */
typedef struct
{
  SondeDap *dap;
  GString *partial;
  JsonObject *answer;
} Lines;

static void
take_line (Lines *lines, const char *text)
{
  g_autoptr (JsonNode) node = json_from_string (text, NULL);
  JsonObject *object
      = node != NULL && JSON_NODE_HOLDS_OBJECT (node) ? json_node_get_object (node) : NULL;
  Line *line;

  if (object == NULL)
    return;
  if (json_object_has_member (object, "command"))
    {
      g_clear_pointer (&lines->answer, json_object_unref);
      lines->answer = json_object_ref (object);
      return;
    }
  line = g_new0 (Line, 1);
  line->dap = lines->dap;
  line->object = json_object_ref (object);
  sonde_dap_post (on_line, line);
}

static ssize_t
take_bytes (void *data, const char *bytes, size_t length)
{
  Lines *lines = data;
  char *end;

  g_string_append_len (lines->partial, bytes, (gssize) length);
  while ((end = strchr (lines->partial->str, '\n')) != NULL)
    {
      *end = '\0';
      take_line (lines, lines->partial->str);
      g_string_erase (lines->partial, 0, end - lines->partial->str + 1);
    }
  return (ssize_t) length;
}

/* Waits for a stop of a run that nobody of us let go. */
static JsonObject *
wait_for_stop (SondeFront *front)
{
  SondeFrontAnswer answer;
  JsonObject *object = NULL;
  g_autoptr (GError) error = NULL;

  sonde_json_text_init (&answer.json);
  answer.text = g_string_new (NULL);
  sonde_json_text_begin_object (&answer.json, NULL);
  sonde_json_text_boolean (&answer.json, "ok", TRUE);
  if (sonde_front_wait (front, &answer, &error))
    {
      sonde_json_text_end_object (&answer.json);
      object = parse_answer (answer.json.text->str, NULL);
    }
  sonde_json_text_clear (&answer.json);
  g_string_free (answer.text, TRUE);
  return object;
}

static void
describe_stop (JsonObject *answer, GString *text)
{
  const char *node = sonde_dap_get_string (answer, "node"),
             *when = sonde_dap_get_string (answer, "when");
  const char *op = sonde_dap_get_string (answer, "op");

  if (node != NULL && *node != '\0')
    g_string_append_printf (text, "%s %s (%s)", when != NULL ? when : "before", node,
                            op != NULL ? op : "");
}

/* DAP's word for Sonde's. */
static const char *
reason_of (SondeDap *dap, JsonObject *answer)
{
  static const struct
  {
    const char *ours, *theirs;
  } reasons[] = {
    { "breakpoint", "breakpoint" },
    { "watchpoint", "data breakpoint" },
    { "step", "step" },
    { "until", "goto" },
    { "pause", "pause" },
    { "beginning", "entry" },
    { "error", "exception" },
  };
  const char *ours = sonde_dap_get_string (answer, "reason"),
             *by_id = sonde_dap_reason_of_ids (dap, answer);

  for (gsize i = 0; by_id == NULL && i < G_N_ELEMENTS (reasons); i++)
    if (g_strcmp0 (reasons[i].ours, ours) == 0)
      return reasons[i].theirs;
  return by_id != NULL ? by_id : "step";
}

static void
append_ids (SondeJsonText *body, JsonObject *answer, const char *member)
{
  JsonArray *ids = sonde_dap_get_array (answer, member);

  for (guint i = 0; ids != NULL && i < json_array_get_length (ids); i++)
    {
      JsonNode *id = json_array_get_element (ids, i);

      if (JSON_NODE_HOLDS_OBJECT (id))
        sonde_json_text_int (body, NULL, sonde_dap_get_int (json_node_get_object (id), "id", 0));
      else
        sonde_json_text_int (body, NULL, json_node_get_int (id));
    }
}

void
sonde_dap_tell_stop (SondeDap *dap, const char *reason, const char *description)
{
  SondeJsonText body;
  g_autoptr (GString) text = g_string_new (NULL);

  g_ptr_array_set_size (dap->references, 0);
  if (description != NULL)
    g_string_append (text, description);
  else if (dap->stop != NULL)
    describe_stop (dap->stop, text);
  sonde_dap_body_init (&body);
  sonde_json_text_string (&body, "reason", reason);
  sonde_json_text_string (&body, "description", text->str);
  if (g_str_equal (reason, "exception"))
    sonde_json_text_string (&body, "text", text->str);
  sonde_json_text_int (&body, "threadId", SONDE_DAP_THREAD);
  sonde_json_text_boolean (&body, "allThreadsStopped", TRUE);
  sonde_json_text_begin_array (&body, "hitBreakpointIds");
  if (dap->stop != NULL)
    {
      append_ids (&body, dap->stop, "breakpoints");
      append_ids (&body, dap->stop, "watchpoints");
    }
  sonde_json_text_end_array (&body);
  sonde_json_text_end_object (&body);
  sonde_dap_send_event (dap, "stopped", body.text->str);
  sonde_json_text_clear (&body);
}

/* The run is over: the editor leaves, or may look at the values first. */
static void
meet_end (SondeDap *dap, SondeDapRun *run)
{
  const char *status = sonde_dap_get_string (run->answer, "status");
  const char *message = sonde_dap_get_string (run->answer, "message");
  g_autofree char *text = g_strdup_printf ("Ended: %s%s%s\n", status, message != NULL ? ": " : "",
                                           message != NULL ? message : "");

  sonde_dap_send_output (dap, g_strcmp0 (status, "failed") == 0 ? "stderr" : "console", text);
  if (dap->stop_on_end)
    sonde_dap_tell_stop (dap, "pause", "The run is over; all its values can be looked at");
  else
    sonde_dap_tell_end (dap, g_strcmp0 (status, "failed") == 0);
}

static void
meet_error (SondeDap *dap, JsonObject *answer)
{
  const char *message = sonde_dap_get_string (answer, "error");
  g_autofree char *text
      = g_strconcat (message != NULL ? message : "The command failed.", "\n", NULL);

  sonde_dap_send_output (dap, "important", text);
  if (sonde_session_client_is_closed (dap->client))
    sonde_dap_tell_end (dap, 1);
  else
    sonde_dap_tell_stop (dap, "pause", message);
}

static gboolean
on_run_answer (gpointer data)
{
  SondeDapRun *run = data;
  SondeDap *dap = run->dap;
  const char *event = run->answer != NULL ? sonde_dap_get_string (run->answer, "event") : NULL;

  dap->running = FALSE;
  if (run->answer == NULL)
    sonde_dap_tell_end (dap, 1);
  else if (!sonde_dap_get_boolean (run->answer, "ok", FALSE))
    meet_error (dap, run->answer);
  else if (g_strcmp0 (event, "ended") == 0)
    meet_end (dap, run);
  else
    {
      g_clear_pointer (&dap->stop, json_object_unref);
      dap->stop = json_object_ref (run->answer);
      sonde_dap_tell_stop (dap, run->reason != NULL ? run->reason : reason_of (dap, run->answer),
                           NULL);
    }
  g_clear_pointer (&run->answer, json_object_unref);
  g_free (run->line);
  g_free (run);
  return G_SOURCE_REMOVE;
}

static gpointer
run_lines (gpointer data)
{
  SondeDap *dap = data;
  Lines lines = { .dap = dap, .partial = g_string_new (NULL) };
  cookie_io_functions_t functions = { .write = take_bytes };
  SondeDapRun *run;

  dap->runner->options.output = fopencookie (&lines, "w", functions);
  while ((run = g_async_queue_pop (dap->runs))->dap != NULL)
    {
      if (run->line == NULL)
        run->answer = wait_for_stop (dap->runner);
      else
        {
          sonde_front_execute (dap->runner, run->line);
          fflush (dap->runner->options.output);
          run->answer = g_steal_pointer (&lines.answer);
        }
      sonde_dap_post (on_run_answer, run);
    }
  g_free (run);
  fclose (dap->runner->options.output);
  g_string_free (lines.partial, TRUE);
  return NULL;
}

void
sonde_dap_run_line (SondeDap *dap, const char *line, const char *reason)
{
  SondeDapRun *run = g_new0 (SondeDapRun, 1);

  run->dap = dap;
  run->line = g_strdup (line);
  run->reason = reason;
  dap->running = TRUE;
  g_async_queue_push (dap->runs, run);
}

/* ---- life ---------------------------------------------------------------- */

void
sonde_dap_start_fronts (SondeDap *dap)
{
  const SondeFrontOptions json = { .json = TRUE }, text = { .messages = stderr };

  dap->front = sonde_front_new (dap->client, &json);
  dap->talker = sonde_front_new (dap->client, &text);
  dap->runner = sonde_front_new (dap->client, &json);
  dap->runner_thread = g_thread_new ("dap-runner", run_lines, dap);
}

void
sonde_dap_stop_fronts (SondeDap *dap)
{
  if (dap->runner_thread == NULL)
    return;
  if (dap->running && !sonde_session_client_is_closed (dap->client))
    {
      if (sonde_session_client_is_attached (dap->client))
        sonde_session_client_detach (dap->client); /* whoever waits hears of it */
      else
        sonde_session_client_quit_child (dap->client, 10000);
    }
  g_async_queue_push (dap->runs, g_new0 (SondeDapRun, 1));
  g_thread_join (g_steal_pointer (&dap->runner_thread));
  if (!sonde_session_client_is_closed (dap->client))
    sonde_front_close (dap->runner);
  g_clear_pointer (&dap->front, sonde_front_free);
  g_clear_pointer (&dap->talker, sonde_front_free);
  g_clear_pointer (&dap->runner, sonde_front_free);
}
