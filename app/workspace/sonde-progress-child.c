/* SPDX-License-Identifier: Apache-2.0 */
#include "app/workspace/sonde-progress-child.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "data/base/sonde-error.h"
#include "data/base/sonde-text.h"

#define MAX_ERROR 4096       /* bytes of what it says when it fails */
#define MAX_OUTPUT (1 << 20) /* bytes of its output */

struct _SondeProgressChild
{
  GObject parent_instance;
  char *program, *command;
  GSubprocess *process; /* while it runs */
  GDataInputStream *lines;
  GCancellable *cancellable;
  GString *said; /* what is no progress */
  int output;    /* a file in memory, so that nobody waits for a reader; -1: none */
  guint done, n;
};

enum
{
  CHANGED,
  DONE,
  FAILED,
  N_SIGNALS
};

static guint signals[N_SIGNALS];

G_DEFINE_FINAL_TYPE (SondeProgressChild, sonde_progress_child, G_TYPE_OBJECT)

/* ---- the end ------------------------------------------------------------- */

/* The sentence that the command would have shown, without its name. (transfer full) */
static char *
dup_reason (SondeProgressChild *self)
{
  g_autofree char *beginning = g_strdup_printf ("sonde %s: ", self->command);
  char *text = g_strstrip (self->said->str);

  if (g_str_has_prefix (text, beginning))
    text += strlen (beginning);
  return *text != '\0'
             ? g_strdup (text)
             : g_strdup_printf (_ ("“sonde %s” has ended without saying why."), self->command);
}

/* (transfer full) */
static char *
read_output (SondeProgressChild *self)
{
  g_autofree char *text = g_malloc0 (MAX_OUTPUT + 1);
  ssize_t n = pread (self->output, text, MAX_OUTPUT, 0);

  text[MAX (n, 0)] = '\0';
  return g_utf8_make_valid (text, -1);
}

/* Back to where nothing runs. */
static void
reset (SondeProgressChild *self)
{
  g_clear_object (&self->process);
  g_clear_object (&self->lines);
  g_clear_object (&self->cancellable);
  if (self->output >= 0)
    close (self->output);
  self->output = -1;
  self->done = self->n = 0;
}

static void
on_ended (GObject *source, GAsyncResult *result, gpointer data)
{
  g_autoptr (SondeProgressChild) self = data;
  GSubprocess *process = G_SUBPROCESS (source);
  gboolean good = g_subprocess_wait_finish (process, result, NULL)
                  && g_subprocess_get_if_exited (process)
                  && g_subprocess_get_exit_status (process) == 0;
  g_autofree char *text = NULL;

  if (process != self->process)
    return; /* cancelled */
  text = good ? read_output (self) : dup_reason (self);
  reset (self);
  g_signal_emit (self, signals[CHANGED], 0);
  g_signal_emit (self, signals[good ? DONE : FAILED], 0, text);
}

/* ---- what it says -------------------------------------------------------- */

static void read_line (SondeProgressChild *self);

static void
take_line (SondeProgressChild *self, const char *line)
{
  guint done, n;

  if (sscanf (line, "{\"%*[a-z]\":%u,\"of\":%u}", &done, &n) == 2 && n > 0 && done <= n)
    {
      self->done = done;
      self->n = n;
      g_signal_emit (self, signals[CHANGED], 0);
    }
  else if (self->said->len < MAX_ERROR)
    g_string_append_printf (self->said, "%s%s", self->said->len > 0 ? "\n" : "", line);
}

static void
on_line (GObject *source, GAsyncResult *result, gpointer data)
{
  g_autoptr (SondeProgressChild) self = data;
  g_autofree char *line = g_data_input_stream_read_line_finish_utf8 (G_DATA_INPUT_STREAM (source),
                                                                     result, NULL, NULL);

  if (G_DATA_INPUT_STREAM (source) != self->lines)
    return; /* cancelled */
  if (line != NULL)
    {
      take_line (self, line);
      read_line (self);
    }
  else
    g_subprocess_wait_async (self->process, NULL, on_ended, g_object_ref (self));
}

static void
read_line (SondeProgressChild *self)
{
  g_data_input_stream_read_line_async (self->lines, G_PRIORITY_DEFAULT, self->cancellable, on_line,
                                       g_object_ref (self));
}

/* ---- life ---------------------------------------------------------------- */

static gboolean
spawn (SondeProgressChild *self, const char *const *arguments, GError **error)
{
  g_autoptr (GSubprocessLauncher) launcher
      = g_subprocess_launcher_new (G_SUBPROCESS_FLAGS_STDERR_PIPE);
  g_autoptr (GPtrArray) all = g_ptr_array_new ();

  self->output = memfd_create ("sonde-output", MFD_CLOEXEC);
  if (self->output < 0)
    {
      sonde_data_error_set_errno (error, errno, "The program could not be started");
      return FALSE;
    }
  g_subprocess_launcher_take_stdout_fd (launcher, dup (self->output));
  g_ptr_array_add (all, self->program);
  for (gsize i = 0; arguments[i] != NULL; i++)
    g_ptr_array_add (all, (gpointer) arguments[i]);
  g_ptr_array_add (all, NULL);
  self->process = g_subprocess_launcher_spawnv (launcher, (const char *const *) all->pdata, error);
  return self->process != NULL;
}

void
sonde_progress_child_start (SondeProgressChild *child, const char *const *arguments)
{
  g_autoptr (GError) error = NULL;

  g_return_if_fail (SONDE_IS_PROGRESS_CHILD (child));
  if (child->process != NULL)
    return;
  g_string_set_size (child->said, 0);
  g_free (child->command);
  child->command = g_strdup (arguments[0]);
  if (!spawn (child, arguments, &error))
    {
      reset (child);
      g_signal_emit (child, signals[FAILED], 0, sonde_error_get_text (error));
      return;
    }
  child->cancellable = g_cancellable_new ();
  child->lines = g_data_input_stream_new (g_subprocess_get_stderr_pipe (child->process));
  read_line (child);
  g_signal_emit (child, signals[CHANGED], 0);
}

/* Who wants to know when a killed child is gone. */
typedef struct
{
  GDestroyNotify gone;
  gpointer data;
} Waiting;

static void
on_killed (GObject *source, GAsyncResult *result, gpointer data)
{
  g_autofree Waiting *waiting = data;

  g_subprocess_wait_finish (G_SUBPROCESS (source), result, NULL);
  if (waiting->gone != NULL)
    waiting->gone (waiting->data);
}

void
sonde_progress_child_cancel (SondeProgressChild *child, GDestroyNotify gone, gpointer data)
{
  g_autoptr (GSubprocess) process = NULL;
  Waiting waiting = { gone, data };

  g_return_if_fail (SONDE_IS_PROGRESS_CHILD (child));
  if (child->process == NULL)
    {
      if (gone != NULL)
        gone (data);
      return;
    }
  process = g_object_ref (child->process);
  g_cancellable_cancel (child->cancellable);
  g_subprocess_force_exit (process);
  g_subprocess_wait_async (process, NULL, on_killed, g_memdup2 (&waiting, sizeof waiting));
  reset (child);
  g_signal_emit (child, signals[CHANGED], 0);
}

gboolean
sonde_progress_child_is_running (SondeProgressChild *child)
{
  return child->process != NULL;
}

gboolean
sonde_progress_child_get_progress (SondeProgressChild *child, guint *done, guint *n)
{
  *done = child->done;
  *n = child->n;
  return child->n > 0;
}

static void
sonde_progress_child_finalize (GObject *object)
{
  SondeProgressChild *self = SONDE_PROGRESS_CHILD (object);

  g_free (self->program);
  g_free (self->command);
  g_string_free (self->said, TRUE);
  G_OBJECT_CLASS (sonde_progress_child_parent_class)->finalize (object);
}

static void
sonde_progress_child_class_init (SondeProgressChildClass *klass)
{
  GType type = G_TYPE_FROM_CLASS (klass);

  G_OBJECT_CLASS (klass)->finalize = sonde_progress_child_finalize;
  signals[CHANGED]
      = g_signal_new ("changed", type, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 0);
  signals[DONE] = g_signal_new ("done", type, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE,
                                1, G_TYPE_STRING);
  signals[FAILED] = g_signal_new ("failed", type, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL,
                                  G_TYPE_NONE, 1, G_TYPE_STRING);
}

static void
sonde_progress_child_init (SondeProgressChild *self)
{
  self->said = g_string_new (NULL);
  self->output = -1;
}

SondeProgressChild *
sonde_progress_child_new (const char *program)
{
  SondeProgressChild *self = g_object_new (SONDE_TYPE_PROGRESS_CHILD, NULL);

  self->program = g_strdup (program);
  return self;
}
