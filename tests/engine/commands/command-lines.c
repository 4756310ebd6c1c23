/* SPDX-License-Identifier: Apache-2.0
 * Lines of the debugger, run on a session. */
#include "tests/engine/commands/command-lines.h"

static void
add_answer (CommandLines *lines, const char *name, const SondeCommandResult *result,
            const GError *error)
{
  g_autofree char *json = lines->json ? sonde_command_answer_to_json (name, result, error) : NULL;

  if (json != NULL)
    g_string_append_printf (lines->said, "%s\n", json);
  else if (result != NULL)
    sonde_command_result_to_text (result, lines->said);
  else
    g_string_append_printf (lines->said, "%s\n", error->message);
}

static void
on_event (const SondeSessionEvent *event, const SondeCommandResult *stop, gpointer data)
{
  CommandLines *lines = data;
  g_autofree char *json
      = sonde_command_event_to_json (event, sonde_session_client_get_pid (lines->client));

  if (stop != NULL)
    add_answer (lines, NULL, stop, NULL);
  else if (json != NULL)
    g_string_append_printf (lines->said, "%s\n", lines->json ? json : event->text);
}

CommandLines *
command_lines_new (SondeSessionClient *client, gboolean json)
{
  CommandLines *lines = g_new0 (CommandLines, 1);

  lines->client = client;
  lines->json = json;
  lines->said = g_string_new (NULL);
  lines->runner = sonde_command_runner_new (client, SONDE_COMMAND_EVENTS_TAKEN);
  sonde_command_runner_set_observer (lines->runner, on_event, lines);
  return lines;
}

void
command_lines_free (CommandLines *lines)
{
  g_object_unref (lines->runner);
  g_string_free (lines->said, TRUE);
  g_free (lines);
}

char *
command_lines_say (CommandLines *lines, const char *line)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeCommand) command = sonde_command_parse (line, &error);
  g_autoptr (SondeCommandResult) result
      = command != NULL ? sonde_command_runner_run (lines->runner, command, &error) : NULL;
  char *said;

  if (result != NULL || error != NULL)
    {
      g_autofree char *word = sonde_command_dup_word (line);

      add_answer (lines, command != NULL ? sonde_command_get_name (command) : word, result, error);
    }
  lines->go_on = !sonde_command_runner_is_over (lines->runner);
  said = g_string_free (lines->said, FALSE);
  lines->said = g_string_new (NULL);
  return said;
}
