/* SPDX-License-Identifier: Apache-2.0
 * Lines from files, pipes and terminals. */
#include "app/front/sonde-repl.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <readline/history.h>
#include <readline/readline.h>

#include "data/base/sonde-io.h"

#define MAX_SCRIPT_BYTES ((guint64) 16 << 20)
#define HISTORY_LINES 1000
#define PROMPT "(sonde) "

gboolean
sonde_repl_run_file (SondeFront *front, const char *path, gboolean *go_on, GError **error)
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
    *go_on = sonde_front_execute (front, lines[i]);
  return TRUE;
}

static void
run_pipe (SondeFront *front)
{
  char *line = NULL;
  size_t room = 0;

  while (getline (&line, &room, stdin) >= 0)
    {
      sonde_front_show_events (front);
      if (!sonde_front_execute (front, line))
        break;
    }
  free (line);
}

/* ---- a terminal ---------------------------------------------------------- */

/* readline calls its completion function without a pointer of ours: the front of this thread is
 * here. */
static GPrivate completing = G_PRIVATE_INIT (NULL);

/* All names that fit are asked for at once, so that readline sees only this one word after the
 * other. */
static char **
complete (const char *text, int start, int end)
{
  g_autofree char *line = g_strndup (rl_line_buffer, (gsize) end);
  g_auto (GStrv) names = sonde_front_complete (g_private_get (&completing), line, text);
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
  /* readline frees it: what is typed for all, then each */
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
run_terminal (SondeFront *front)
{
  g_autofree char *history = dup_history_path ();
  g_autofree char *last = NULL;
  gboolean go_on = TRUE;
  char *line;

  g_private_set (&completing, front);
  rl_readline_name = "sonde";
  rl_attempted_completion_function = complete;
  rl_completer_word_break_characters = " \t";
  rl_catch_signals = 0; /* Ctrl-C belongs to the run */
  if (history != NULL)
    read_history (history);
  sonde_front_execute (front, "info state"); /* what this is, and where it stands */
  while (go_on && (line = readline (PROMPT)) != NULL)
    {
      sonde_front_show_events (front);
      if (*line != '\0')
        {
          add_history (line);
          g_free (last);
          last = g_strdup (line);
        }
      go_on = sonde_front_execute (front, *line != '\0' || last == NULL ? line : last);
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
sonde_repl_run (SondeFront *front)
{
  if (isatty (STDIN_FILENO) && isatty (STDOUT_FILENO))
    run_terminal (front);
  else
    run_pipe (front);
}

/* ---- Ctrl-C -------------------------------------------------------------- */

struct _SondeReplInterrupts
{
  SondeFront *front;
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
      sonde_front_interrupt (interrupts->front);
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
sonde_repl_interrupts_new (SondeFront *front)
{
  SondeReplInterrupts *interrupts = g_new0 (SondeReplInterrupts, 1);

  interrupts->front = front;
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
