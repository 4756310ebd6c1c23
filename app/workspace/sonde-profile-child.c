/* SPDX-License-Identifier: Apache-2.0 */
#include "app/workspace/sonde-profile-child.h"

#include <stdio.h>
#include <string.h>

#include "app/workspace/sonde-recording-folder.h"
#include "data/base/sonde-text.h"

#define MAX_ERROR 4096 /* bytes of what it says when it fails */

struct _SondeProfileChild
{
  GObject parent_instance;
  char *program, *folder;
  GSubprocess *process; /* while it runs */
  GDataInputStream *lines;
  GCancellable *cancellable;
  GString *said; /* what is no progress */
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

G_DEFINE_FINAL_TYPE (SondeProfileChild, sonde_profile_child, G_TYPE_OBJECT)

/* ---- the end ------------------------------------------------------------- */

/* The sentence that the command would have shown, without its name. (transfer full) */
static char *
dup_reason (SondeProfileChild *self)
{
  static const char beginning[] = "sonde profile: ";
  char *text = g_strstrip (self->said->str);

  if (g_str_has_prefix (text, beginning))
    text += strlen (beginning);
  return g_strdup (*text != '\0' ? text : _ ("The program that profiles the model has ended."));
}

/* Taken back to where nothing runs; the folder is the caller's. */
static char *
reset (SondeProfileChild *self)
{
  g_clear_object (&self->process);
  g_clear_object (&self->lines);
  g_clear_object (&self->cancellable);
  self->done = self->n = 0;
  return g_steal_pointer (&self->folder);
}

static void
on_ended (GObject *source, GAsyncResult *result, gpointer data)
{
  g_autoptr (SondeProfileChild) self = data;
  GSubprocess *process = G_SUBPROCESS (source);
  gboolean good = g_subprocess_wait_finish (process, result, NULL)
                  && g_subprocess_get_if_exited (process)
                  && g_subprocess_get_exit_status (process) == 0;
  g_autofree char *folder = NULL, *reason = NULL;

  if (process != self->process)
    return; /* cancelled */
  reason = good ? NULL : dup_reason (self);
  folder = reset (self);
  if (!good)
    sonde_recording_folder_remove (folder);
  g_signal_emit (self, signals[CHANGED], 0);
  if (good)
    g_signal_emit (self, signals[DONE], 0, folder);
  else
    g_signal_emit (self, signals[FAILED], 0, reason);
}

/* ---- what it says -------------------------------------------------------- */

static void read_line (SondeProfileChild *self);

static void
take_line (SondeProfileChild *self, const char *line)
{
  guint done, n;

  if (sscanf (line, "{\"runs\":%u,\"of\":%u}", &done, &n) == 2 && n > 0 && done <= n)
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
  g_autoptr (SondeProfileChild) self = data;
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
read_line (SondeProfileChild *self)
{
  g_data_input_stream_read_line_async (self->lines, G_PRIORITY_DEFAULT, self->cancellable, on_line,
                                       g_object_ref (self));
}

/* ---- life ---------------------------------------------------------------- */

void
sonde_profile_child_start (SondeProfileChild *child, const char *model, guint n_runs,
                           const char *folder)
{
  g_autofree char *runs = g_strdup_printf ("%u", n_runs);
  const char *arguments[] = { child->program, "profile", "--progress", "--runs", runs,
                              "--run",        folder,    "--",         model,    NULL };
  g_autoptr (GError) error = NULL;

  g_return_if_fail (SONDE_IS_PROFILE_CHILD (child));
  if (child->process != NULL)
    return;
  g_string_set_size (child->said, 0);
  child->process = g_subprocess_newv (
      arguments, G_SUBPROCESS_FLAGS_STDOUT_SILENCE | G_SUBPROCESS_FLAGS_STDERR_PIPE, &error);
  if (child->process == NULL)
    {
      g_signal_emit (child, signals[FAILED], 0, error->message);
      return;
    }
  child->folder = g_strdup (folder);
  child->cancellable = g_cancellable_new ();
  child->lines = g_data_input_stream_new (g_subprocess_get_stderr_pipe (child->process));
  read_line (child);
  g_signal_emit (child, signals[CHANGED], 0);
}

/* Killed: there is nothing that it would have to save. Its folder goes when it is gone. */
static void
on_killed (GObject *source, GAsyncResult *result, gpointer folder)
{
  g_subprocess_wait_finish (G_SUBPROCESS (source), result, NULL);
  sonde_recording_folder_remove (folder);
  g_free (folder);
}

void
sonde_profile_child_cancel (SondeProfileChild *child)
{
  g_autoptr (GSubprocess) process = NULL;

  g_return_if_fail (SONDE_IS_PROFILE_CHILD (child));
  if (child->process == NULL)
    return;
  process = g_object_ref (child->process);
  g_cancellable_cancel (child->cancellable);
  g_subprocess_force_exit (process);
  g_subprocess_wait_async (process, NULL, on_killed, reset (child));
  g_signal_emit (child, signals[CHANGED], 0);
}

gboolean
sonde_profile_child_is_running (SondeProfileChild *child)
{
  return child->process != NULL;
}

gboolean
sonde_profile_child_get_progress (SondeProfileChild *child, guint *done, guint *n)
{
  *done = child->done;
  *n = child->n;
  return child->n > 0;
}

static void
sonde_profile_child_finalize (GObject *object)
{
  SondeProfileChild *self = SONDE_PROFILE_CHILD (object);

  g_free (self->program);
  g_string_free (self->said, TRUE);
  G_OBJECT_CLASS (sonde_profile_child_parent_class)->finalize (object);
}

static void
sonde_profile_child_class_init (SondeProfileChildClass *klass)
{
  GType type = G_TYPE_FROM_CLASS (klass);

  G_OBJECT_CLASS (klass)->finalize = sonde_profile_child_finalize;
  signals[CHANGED]
      = g_signal_new ("changed", type, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 0);
  signals[DONE] = g_signal_new ("done", type, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE,
                                1, G_TYPE_STRING);
  signals[FAILED] = g_signal_new ("failed", type, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL,
                                  G_TYPE_NONE, 1, G_TYPE_STRING);
}

static void
sonde_profile_child_init (SondeProfileChild *self)
{
  self->said = g_string_new (NULL);
}

SondeProfileChild *
sonde_profile_child_new (const char *program)
{
  SondeProfileChild *self = g_object_new (SONDE_TYPE_PROFILE_CHILD, NULL);

  self->program = g_strdup (program);
  return self;
}
