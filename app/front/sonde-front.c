/* SPDX-License-Identifier: Apache-2.0
 * One line: command, answer, output. */
#include "app/front/sonde-front.h"

#include <string.h>

#include "app/front/sonde-front-private.h"

SondeFront *
sonde_front_new (SondeSessionClient *client, const SondeFrontOptions *options)
{
  SondeFront *front = g_new0 (SondeFront, 1);

  front->client = g_object_ref (client);
  front->options = *options;
  front->displays = g_ptr_array_new_with_free_func (g_free);
  return front;
}

void
sonde_front_free (SondeFront *front)
{
  if (front == NULL)
    return;
  g_ptr_array_unref (front->displays);
  g_object_unref (front->client);
  g_free (front);
}

static void
on_told (gpointer front, const SondeSessionEvent *event)
{
  sonde_front_show_told (front, event);
}

SondeSessionReply *
sonde_front_call (SondeFront *front, SondeSessionRequest *request, GError **error)
{
  SondeSessionReply *reply;

  atomic_store (&front->waiting, TRUE);  /* a value of a running run may take a while to come */
  if (front->options.wait_event != NULL) /* who has the events tells of silence, too */
    reply = sonde_session_client_call (front->client, request, -1, error);
  else
    reply = sonde_session_client_call_told (front->client, request, on_told, front, error);
  atomic_store (&front->waiting, FALSE);
  if (reply == NULL && sonde_session_client_is_closed (front->client))
    front->over = front->failed = TRUE;
  return reply;
}

SondeSessionStatus *
sonde_front_get_status (SondeFront *front, GError **error)
{
  g_autoptr (SondeSessionReply) reply
      = sonde_front_call (front, sonde_session_request_status (), error);

  return reply != NULL ? g_steal_pointer (&reply->status) : NULL;
}

SondeSessionEvent *
sonde_front_next_event (SondeFront *front, int timeout_ms)
{
  return front->options.wait_event != NULL
             ? front->options.wait_event (front->options.events, timeout_ms)
             : sonde_session_client_wait_event (front->client, timeout_ms);
}

/* ---- output -------------------------------------------------------------- */

static void
answer_init (SondeFront *front, SondeFrontAnswer *answer)
{
  sonde_json_text_init (&answer->json);
  sonde_json_text_begin_object (&answer->json, NULL);
  answer->text = g_string_new (NULL);
}

static void
answer_clear (SondeFrontAnswer *answer)
{
  sonde_json_text_clear (&answer->json);
  g_string_free (answer->text, TRUE);
}

/* Writes what was said; @answer is over then. */
static void
put_out (SondeFront *front, SondeFrontAnswer *answer)
{
  const GString *text = answer->text;

  if (front->options.json)
    {
      sonde_json_text_end_object (&answer->json);
      g_string_append_c (answer->json.text, '\n');
      text = answer->json.text;
    }
  fwrite (text->str, 1, text->len, front->options.output);
  fflush (front->options.output);
}

static void
put_error (SondeFront *front, const char *command, const GError *error)
{
  SondeFrontAnswer answer;

  answer_init (front, &answer);
  sonde_json_text_boolean (&answer.json, "ok", FALSE);
  sonde_json_text_string (&answer.json, "command", command);
  sonde_json_text_string (&answer.json, "error", error->message);
  g_string_append_printf (answer.text, "%s\n", error->message);
  put_out (front, &answer);
  answer_clear (&answer);
}

/* ---- one line ------------------------------------------------------------ */

static void
run_command (SondeFront *front, const SondeFrontCommand *command, const char *arguments)
{
  g_autoptr (GError) error = NULL;
  SondeFrontAnswer answer;

  answer_init (front, &answer);
  sonde_json_text_boolean (&answer.json, "ok", TRUE);
  sonde_json_text_string (&answer.json, "command", command->name);
  if (command->run (front, arguments, &answer, &error))
    put_out (front, &answer);
  else
    {
      if (error == NULL)
        g_set_error_literal (&error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_PROTOCOL,
                             "The engine gave no answer.");
      put_error (front, command->name, error);
    }
  answer_clear (&answer);
}

gboolean
sonde_front_execute (SondeFront *front, const char *line)
{
  g_autofree char *trimmed = g_strstrip (g_utf8_make_valid (line, -1));
  gsize length = strcspn (trimmed, " \t");
  g_autofree char *word = g_strndup (trimmed, length);
  const char *arguments = trimmed + length + strspn (trimmed + length, " \t");
  g_autoptr (GError) error = NULL;
  const SondeFrontCommand *command;

  if (*trimmed == '\0' || *trimmed == '#')
    return !front->over;
  command = sonde_front_find_command (word, &error);
  if (command != NULL)
    run_command (front, command, arguments);
  else
    put_error (front, word, error);
  return !front->over;
}

/* ---- what nobody asked for ----------------------------------------------- */

static void
json_log (SondeJsonText *json, const SondeSessionEvent *event)
{
  sonde_json_text_string (json, "node", event->node);
  sonde_json_text_string (json, "when", sonde_moment_name (event->moment));
  sonde_json_text_uint (json, "step", event->step);
  sonde_json_text_uint (json, "breakpoint", event->breakpoint);
}

/* (nullable) */
static const char *
name_told (const SondeSessionEvent *event)
{
  switch (event->kind)
    {
    case SONDE_SESSION_EVENT_LOG:
      return event->node != NULL ? "log" : NULL;
    case SONDE_SESSION_EVENT_SILENT:
      return "silent";
    case SONDE_SESSION_EVENT_ANSWERS:
      return "answers";
    default:
      return NULL;
    }
}

void
sonde_front_show_told (SondeFront *front, const SondeSessionEvent *event)
{
  const char *name = name_told (event);
  SondeFrontAnswer answer;

  if (event->text == NULL)
    return;
  if (event->kind == SONDE_SESSION_EVENT_LOG && name == NULL && front->options.messages != NULL)
    fprintf (front->options.messages, "%s\n", event->text);
  if (name == NULL)
    return;
  answer_init (front, &answer);
  sonde_json_text_string (&answer.json, "event", name);
  if (event->kind == SONDE_SESSION_EVENT_LOG)
    json_log (&answer.json, event);
  else
    sonde_json_text_int (&answer.json, "pid", sonde_session_client_get_pid (front->client));
  sonde_json_text_string (&answer.json, "text", event->text);
  g_string_append_printf (answer.text, "%s\n", event->text);
  put_out (front, &answer);
  answer_clear (&answer);
}

void
sonde_front_show_events (SondeFront *front)
{
  SondeSessionEvent *event;

  while ((event = sonde_front_next_event (front, 0)) != NULL)
    {
      SondeFrontAnswer answer;

      answer_init (front, &answer);
      if (event->kind == SONDE_SESSION_EVENT_STOPPED)
        sonde_front_answer_stop (front, &answer, event->status);
      else if (event->kind == SONDE_SESSION_EVENT_ENDED)
        sonde_front_answer_end (front, &answer, event->status);
      else
        sonde_front_show_told (front, event);
      if (event->kind == SONDE_SESSION_EVENT_STOPPED || event->kind == SONDE_SESSION_EVENT_ENDED)
        put_out (front, &answer);
      answer_clear (&answer);
      sonde_session_event_free (event);
    }
}

void
sonde_front_interrupt (SondeFront *front)
{
  g_autoptr (SondeSessionReply) reply = NULL;

  if (atomic_load (&front->waiting))
    reply = sonde_session_client_call (front->client, sonde_session_request_pause (), 5000, NULL);
}

/* ---- completion ---------------------------------------------------------- */

static void
complete_commands (const char *text, GPtrArray *names)
{
  guint n;
  const SondeFrontCommand *commands = sonde_front_commands (&n);

  for (guint i = 0; i < n; i++)
    if (commands[i].run != NULL && g_str_has_prefix (commands[i].name, text))
      g_ptr_array_add (names, g_strdup (commands[i].name));
}

static void
complete_values (SondeFront *front, const char *text, GPtrArray *names)
{
  g_autoptr (SondeSessionReply) reply
      = sonde_session_client_call (front->client, sonde_session_request_values (NULL), 1000, NULL);

  for (guint i = 0; reply != NULL && i < reply->values->len; i++)
    {
      const SondeValueInfo *info = g_ptr_array_index (reply->values, i);

      if (g_str_has_prefix (info->name, text))
        g_ptr_array_add (names, g_strdup (info->name));
      if (info->producer != NULL && !g_str_equal (info->producer, info->name)
          && g_str_has_prefix (info->producer, text))
        g_ptr_array_add (names, g_strdup (info->producer));
    }
}

/* @line asks for an expression at its end. */
static gboolean
takes_expression (const char *line)
{
  static const char *const words[] = { "print", "p", "display", "stats", "save", "watch" };
  g_autofree char *word = g_strndup (line, strcspn (line, " \t"));

  for (gsize i = 0; i < G_N_ELEMENTS (words); i++)
    if (g_str_equal (word, words[i]))
      return TRUE;
  return strstr (line, " if ") != NULL || strchr (line, '{') != NULL;
}

/* The part of @text behind the last operator or parenthesis: a further value or function. */
static void
complete_inside (SondeFront *front, const char *text, GPtrArray *names)
{
  const char *word = text + strlen (text);
  g_autoptr (GPtrArray) found = g_ptr_array_new_with_free_func (g_free);

  while (word > text && strchr ("(,+-*%<>=!&|?{\"", word[-1]) == NULL)
    word--;
  sonde_front_complete_functions (word, found);
  if (word > text)
    complete_values (front, word, found);
  for (guint i = 0; i < found->len; i++)
    g_ptr_array_add (names, g_strdup_printf ("%.*s%s", (int) (word - text), text,
                                             (char *) g_ptr_array_index (found, i)));
}

char **
sonde_front_complete (SondeFront *front, const char *line, const char *text)
{
  GPtrArray *names = g_ptr_array_new ();

  if (strpbrk (line + strspn (line, " \t"), " \t") == NULL)
    complete_commands (text, names);
  else
    complete_values (front, text, names);
  if (strpbrk (line + strspn (line, " \t"), " \t") != NULL
      && takes_expression (line + strspn (line, " \t")))
    complete_inside (front, text, names);
  g_ptr_array_add (names, NULL);
  return (char **) g_ptr_array_free (names, FALSE);
}
