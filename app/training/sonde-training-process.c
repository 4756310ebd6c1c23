/* SPDX-License-Identifier: Apache-2.0 */
#include "app/training/sonde-training-process.h"

#include <errno.h>
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include "app/training/sonde-training-command.h"
#include "data/base/sonde-error.h"
#include "data/base/sonde-text.h"

#define MAX_SAID (64 << 10) /* bytes at the end of what it said that are looked at */

struct _SondeTrainingProcess
{
  GObject parent_instance;
  GSubprocess *process;
  char *folder, *reason;
  int said; /* what it writes to stderr: a file in memory, so that it may outlive us */
  SondeTrainingStatus status;
};

G_DEFINE_FINAL_TYPE (SondeTrainingProcess, sonde_training_process, G_TYPE_OBJECT)

static guint changed_signal;

static void
set_status (SondeTrainingProcess *self, SondeTrainingStatus status)
{
  self->status = status;
  g_signal_emit (self, changed_signal, 0);
}

/* ---- the end ------------------------------------------------------------- */

/* (transfer full) */
static char *
read_said (int file)
{
  off_t end = lseek (file, 0, SEEK_END), begin = MAX (end - MAX_SAID, 0);
  g_autofree char *text = g_malloc0 (MAX_SAID + 1);
  ssize_t n = pread (file, text, (gsize) (MAX (end, 0) - begin), begin);

  text[MAX (n, 0)] = '\0';
  return g_utf8_make_valid (text, -1);
}

static char *
dup_reason (SondeTrainingProcess *self)
{
  g_autofree char *said = read_said (self->said);
  g_autofree char *reason = sonde_training_command_dup_reason (said);

  if (*reason != '\0')
    return g_steal_pointer (&reason);
  if (g_subprocess_get_if_signaled (self->process))
    return g_strdup_printf (_ ("It was ended by signal %d."),
                            g_subprocess_get_term_sig (self->process));
  return g_strdup (_ ("It ended without a message."));
}

static void
on_ended (GObject *source, GAsyncResult *result, gpointer data)
{
  g_autoptr (SondeTrainingProcess) self = data;
  gboolean stops = self->status == SONDE_TRAINING_STOPS;

  g_subprocess_wait_finish (self->process, result, NULL);
  if (g_subprocess_get_successful (self->process))
    set_status (self, SONDE_TRAINING_ENDED);
  else if (stops && g_subprocess_get_if_exited (self->process)
           && g_subprocess_get_exit_status (self->process) == 128 + SIGINT)
    set_status (self, SONDE_TRAINING_STOPPED);
  else
    {
      self->reason = dup_reason (self);
      set_status (self, SONDE_TRAINING_FAILED);
    }
}

/* ---- life ---------------------------------------------------------------- */

/* Ctrl+C in the terminal that the window was opened from is for the window. */
static void
leave_terminal (gpointer data)
{
  setpgid (0, 0);
}

static gboolean
spawn (SondeTrainingProcess *self, const char *const *arguments, GError **error)
{
  g_autoptr (GSubprocessLauncher) launcher
      = g_subprocess_launcher_new (G_SUBPROCESS_FLAGS_STDOUT_SILENCE);

  self->said = memfd_create ("sonde-training", MFD_CLOEXEC);
  if (self->said < 0)
    {
      sonde_data_error_set_errno (error, errno, "The training could not be started");
      return FALSE;
    }
  g_subprocess_launcher_take_stderr_fd (launcher, dup (self->said));
  g_subprocess_launcher_set_child_setup (launcher, leave_terminal, NULL, NULL);
  self->process = g_subprocess_launcher_spawnv (launcher, arguments, error);
  return self->process != NULL;
}

SondeTrainingProcess *
sonde_training_process_start (const char *program, const SondeRecipe *recipe, const char *folder,
                              GError **error)
{
  g_autoptr (SondeTrainingProcess) self = g_object_new (SONDE_TYPE_TRAINING_PROCESS, NULL);
  const char *const options[] = { "--run", folder, NULL };
  g_auto (GStrv) arguments = sonde_training_command_new (program, recipe, options);

  self->folder = g_strdup (folder);
  if (!spawn (self, (const char *const *) arguments, error))
    return NULL;
  g_subprocess_wait_async (self->process, NULL, on_ended, g_object_ref (self));
  return g_steal_pointer (&self);
}

void
sonde_training_process_stop (SondeTrainingProcess *process)
{
  g_return_if_fail (SONDE_IS_TRAINING_PROCESS (process));
  if (process->status != SONDE_TRAINING_RUNS)
    return;
  g_subprocess_send_signal (process->process, SIGINT);
  set_status (process, SONDE_TRAINING_STOPS);
}

SondeTrainingStatus
sonde_training_process_get_status (SondeTrainingProcess *process)
{
  return process->status;
}

const char *
sonde_training_process_get_folder (SondeTrainingProcess *process)
{
  return process->folder;
}

const char *
sonde_training_process_get_reason (SondeTrainingProcess *process)
{
  return process->reason;
}

static void
sonde_training_process_finalize (GObject *object)
{
  SondeTrainingProcess *self = SONDE_TRAINING_PROCESS (object);

  g_clear_object (&self->process);
  g_free (self->folder);
  g_free (self->reason);
  if (self->said >= 0)
    close (self->said);
  G_OBJECT_CLASS (sonde_training_process_parent_class)->finalize (object);
}

static void
sonde_training_process_class_init (SondeTrainingProcessClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = sonde_training_process_finalize;
  changed_signal = g_signal_new ("changed", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, 0, NULL,
                                 NULL, NULL, G_TYPE_NONE, 0);
}

static void
sonde_training_process_init (SondeTrainingProcess *self)
{
  self->said = -1;
}
