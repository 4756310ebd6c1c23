/* SPDX-License-Identifier: Apache-2.0
 * Lines from files, pipes and terminals. */
#include "app/repl/sonde-repl.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <readline/history.h>
#include <readline/readline.h>

#include "data/base/sonde-error.h"
#include "data/base/sonde-io.h"

#define MAX_SCRIPT_BYTES ((guint64) 16 << 20)
#define HISTORY_LINES 1000
#define PROMPT "(sonde) "

struct _SondeRepl
{
  SondeSessionClient *client;
  SondeCommandRunner *runner;
  gboolean json;
  gboolean has_progress; /* a line of it stands on the terminal */
  FILE *output, *messages;
};

/* ---- output -------------------------------------------------------------- */

static void
put (SondeRepl *self, const char *text)
{
  if (self->has_progress)
    fputs ("\r\033[K", self->messages);
  self->has_progress = FALSE;
  fputs (text, self->output);
  fflush (self->output);
}

/* @name: (nullable): of the command; one of @result and @error is NULL */
static void
put_answer (SondeRepl *self, const char *name, const SondeCommandResult *result,
            const GError *error)
{
  g_autoptr (GString) text = g_string_new (NULL);

  if (self->json)
    {
      g_autofree char *line = sonde_command_answer_to_json (name, result, error);

      g_string_append (text, line);
      g_string_append_c (text, '\n');
    }
  else if (result != NULL)
    sonde_command_result_to_text (result, text);
  else
    g_string_append_printf (text, "%s\n", sonde_error_get_text (error));
  put (self, text->str);
}

/* On a terminal, in one line that the next output takes the place of. */
static void
show_progress (SondeRepl *self, const SondeSessionEvent *event)
{
  if (self->messages == NULL || !isatty (fileno (self->messages)))
    return;
  fprintf (self->messages, "\r%s %3.0f %%\033[K", sonde_message_get_text (event->message),
           100 * CLAMP (event->fraction, 0, 1));
  fflush (self->messages);
  self->has_progress = TRUE;
}

/* Events of the running command, or since the last one. */
static void
on_event (const SondeSessionEvent *event, const SondeCommandResult *stop, gpointer data)
{
  SondeRepl *self = data;
  g_autofree char *line
      = sonde_command_event_to_json (event, sonde_session_client_get_pid (self->client));

  if (stop != NULL)
    put_answer (self, NULL, stop, NULL);
  else if (event->kind == SONDE_SESSION_EVENT_PROGRESS && !self->json)
    show_progress (self, event);
  else if (line != NULL)
    {
      g_autofree char *output
          = g_strconcat (self->json ? line : sonde_message_get_text (event->message), "\n", NULL);

      put (self, output);
    }
  else if (event->kind == SONDE_SESSION_EVENT_LOG && event->text != NULL && self->messages != NULL)
    fprintf (self->messages, "%s\n", sonde_message_get_text (event->message));
}

/* ---- lines --------------------------------------------------------------- */

SondeRepl *
sonde_repl_new (SondeSessionClient *client, gboolean json, FILE *output, FILE *messages)
{
  SondeRepl *self = g_new0 (SondeRepl, 1);

  self->client = g_object_ref (client);
  self->runner = sonde_command_runner_new (client, SONDE_COMMAND_EVENTS_TAKEN);
  sonde_command_runner_set_observer (self->runner, on_event, self);
  self->json = json;
  self->output = output;
  self->messages = messages;
  return self;
}

void
sonde_repl_free (SondeRepl *repl)
{
  if (repl == NULL)
    return;
  g_object_unref (repl->runner);
  g_object_unref (repl->client);
  g_free (repl);
}

SondeCommandRunner *
sonde_repl_get_runner (SondeRepl *repl)
{
  return repl->runner;
}

gboolean
sonde_repl_execute (SondeRepl *repl, const char *line)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeCommand) command = sonde_command_parse (line, &error);
  g_autoptr (SondeCommandResult) result
      = command != NULL ? sonde_command_runner_run (repl->runner, command, &error) : NULL;

  if (command != NULL)
    put_answer (repl, sonde_command_get_name (command), result, error);
  else if (error != NULL)
    {
      g_autofree char *word = sonde_command_dup_word (line);

      put_answer (repl, word, NULL, error);
    }
  return !sonde_command_runner_is_over (repl->runner);
}

int
sonde_repl_close (SondeRepl *repl)
{
  g_autoptr (GError) error = NULL;

  if (!sonde_command_runner_leave (repl->runner, &error) && repl->messages != NULL)
    fprintf (repl->messages, "%s\n", sonde_error_get_text (error));
  return sonde_command_runner_has_failed (repl->runner) ? 1 : 0;
}

/* ---- files and pipes ----------------------------------------------------- */

gboolean
sonde_repl_run_file (SondeRepl *repl, const char *path, gboolean *go_on, GError **error)
{
  g_autoptr (GBytes) bytes = sonde_io_read_file (NULL, path, MAX_SCRIPT_BYTES, error);
  g_autofree char *text = NULL;
  g_auto (GStrv) lines = NULL;

  *go_on = FALSE;
  if (bytes == NULL)
    return FALSE;
  *go_on = TRUE;
  text = g_strndup (g_bytes_get_data (bytes, NULL), g_bytes_get_size (bytes));
  lines = g_strsplit (text, "\n", -1);
  for (guint i = 0; lines[i] != NULL && *go_on; i++)
    *go_on = sonde_repl_execute (repl, lines[i]);
  return TRUE;
}

static void
run_pipe (SondeRepl *repl)
{
  char *line = NULL;
  size_t room = 0;

  while (getline (&line, &room, stdin) >= 0)
    {
      sonde_command_runner_report_events (repl->runner);
      if (!sonde_repl_execute (repl, line))
        break;
    }
  free (line);
}

/* ---- a terminal ---------------------------------------------------------- */

/* The runner for readline's completion function, which gets no user data. */
static GPrivate completing = G_PRIVATE_INIT (NULL);

/* The whole list of matches, as readline wants it: their common prefix, then each of them. */
static char **
complete (const char *text, int start, int end)
{
  g_autofree char *line = g_strndup (rl_line_buffer, (gsize) end);
  g_auto (GStrv) names = sonde_command_runner_complete (g_private_get (&completing), line, text);
  guint n = g_strv_length (names);
  char **matches;
  gsize common;

  rl_attempted_completion_over = 1;
  if (n == 0)
    return NULL;
  common = strlen (names[0]);
  for (guint i = 1; i < n; i++)
    {
      gsize same = 0;

      while (same < common && names[i][same] == names[0][same])
        same++;
      common = same;
    }
  /* readline frees them */
  matches = calloc (n + 2, sizeof (char *));
  if (matches == NULL)
    return NULL;
  matches[0] = strndup (names[0], common);
  for (guint i = 0; n > 1 && i < n; i++)
    matches[i + 1] = strdup (names[i]);
  return matches;
}

static char *
dup_history_path (void)
{
  g_autofree char *folder = g_build_filename (g_get_user_state_dir (), "sonde", NULL);

  if (!sonde_io_make_directories (NULL, folder, NULL))
    return NULL;
  return g_build_filename (folder, "debug-history", NULL);
}

static void
run_terminal (SondeRepl *repl)
{
  g_autofree char *history = dup_history_path ();
  g_autofree char *last = NULL;
  gboolean go_on = TRUE;
  char *line;

  g_private_set (&completing, repl->runner);
  rl_readline_name = "sonde";
  rl_attempted_completion_function = complete;
  rl_completer_word_break_characters = " \t";
  rl_catch_signals = 0; /* Ctrl-C belongs to the run */
  if (history != NULL)
    read_history (history);
  sonde_repl_execute (repl, "info state"); /* what is debugged, and its current position */
  while (go_on && (line = readline (PROMPT)) != NULL)
    {
      sonde_command_runner_report_events (repl->runner);
      if (*line != '\0')
        {
          add_history (line);
          g_free (last);
          last = g_strdup (line);
        }
      go_on = sonde_repl_execute (repl, *line != '\0' || last == NULL ? line : last);
      free (line);
    }
  if (go_on)
    printf ("\n"); /* after Ctrl-D */
  stifle_history (HISTORY_LINES);
  if (history != NULL)
    write_history (history);
  rl_attempted_completion_function = NULL;
  g_private_set (&completing, NULL);
}

void
sonde_repl_run (SondeRepl *repl)
{
  if (isatty (STDIN_FILENO) && isatty (STDOUT_FILENO))
    run_terminal (repl);
  else
    run_pipe (repl);
}

/* ---- Ctrl-C -------------------------------------------------------------- */

struct _SondeReplInterrupts
{
  SondeCommandRunner *runner;
  pthread_t thread;
  gboolean has_thread;
};

static void
fill_set (sigset_t *set)
{
  sigemptyset (set);
  sigaddset (set, SIGINT);
}

static void *
wait_for_interrupts (void *data)
{
  SondeReplInterrupts *interrupts = data;
  sigset_t set;
  int number, old;

  fill_set (&set);
  while (sigwait (&set, &number) == 0)
    {
      pthread_setcancelstate (PTHREAD_CANCEL_DISABLE, &old);
      sonde_command_runner_interrupt (interrupts->runner);
      pthread_setcancelstate (old, NULL);
    }
  return NULL;
}

void
sonde_repl_block_interrupts (void)
{
  sigset_t set;

  fill_set (&set);
  pthread_sigmask (SIG_BLOCK, &set, NULL);
}

SondeReplInterrupts *
sonde_repl_interrupts_new (SondeRepl *repl)
{
  SondeReplInterrupts *interrupts = g_new0 (SondeReplInterrupts, 1);

  interrupts->runner = repl->runner;
  interrupts->has_thread
      = pthread_create (&interrupts->thread, NULL, wait_for_interrupts, interrupts) == 0;
  return interrupts;
}

void
sonde_repl_interrupts_free (SondeReplInterrupts *interrupts)
{
  if (interrupts == NULL)
    return;
  if (interrupts->has_thread)
    {
      pthread_cancel (interrupts->thread);
      pthread_join (interrupts->thread, NULL);
    }
  g_free (interrupts);
}
