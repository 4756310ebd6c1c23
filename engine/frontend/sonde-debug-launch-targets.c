/* SPDX-License-Identifier: Apache-2.0
 * What could be debugged now. */
#include "engine/frontend/sonde-debug-launch-targets.h"

#include <fcntl.h>
#include <sys/stat.h>

#include "engine/frontend/sonde-debug-connection.h"
#include "engine/session/sonde-session-directory.h"
#include "data/base/sonde-format.h"
#include "data/base/sonde-text.h"

#define FINAL_MODEL "checkpoints/final.onnx"
#define MAX_SESSIONS 6

/* What the thread gets. */
typedef struct
{
  char **documents;
  char *run_directory;
} Search;

static void
search_free (void *data)
{
  Search *search = data;

  g_strfreev (search->documents);
  g_free (search->run_directory);
  g_free (search);
}

static void
target_free (void *data)
{
  SondeDebugLaunchTarget *target = data;

  g_free (target->title);
  g_free (target->detail);
  g_free (target->subject);
  g_free (target);
}

/* @title, @detail: (transfer full) */
static void
add (GPtrArray *targets, char *title, char *detail, const char *subject, int pid)
{
  SondeDebugLaunchTarget *target = g_new0 (SondeDebugLaunchTarget, 1);

  target->title = title;
  target->detail = detail;
  target->subject = g_strdup (subject);
  target->pid = pid;
  g_ptr_array_add (targets, target);
}

static void
add_documents (GPtrArray *targets, const Search *search)
{
  for (gsize i = 0; search->documents[i] != NULL; i++)
    {
      g_autofree char *name = g_path_get_basename (search->documents[i]);

      add (targets, g_strdup_printf (_ ("Debug “%s”"), name), g_strdup (search->documents[i]),
           search->documents[i], 0);
    }
}

/* By the run that it records, which has a name of its own; else by what it runs. (transfer full) */
static char *
describe_session (const SondeSessionEntry *entry)
{
  g_autofree char *name = entry->run != NULL ? g_path_get_basename (entry->run) : NULL;
  g_autofree char *step = sonde_format_count ((gint64) MIN (entry->step, G_MAXINT64));

  if (name != NULL && entry->step > 0)
    return g_strdup_printf (_ ("Attach to “%s”, Step %s"), name, step);
  if (name != NULL)
    return g_strdup_printf (_ ("Attach to “%s”"), name);
  return g_strdup_printf (_ ("Attach to “%s” (Process %d)"), entry->title, entry->pid);
}

static void
add_sessions (GPtrArray *targets)
{
  g_autoptr (GPtrArray) sessions = sonde_session_list (NULL, NULL, NULL);

  for (guint i = 0; sessions != NULL && i < MIN (sessions->len, MAX_SESSIONS); i++)
    {
      const SondeSessionEntry *entry = g_ptr_array_index (sessions, i);

      add (targets, describe_session (entry),
           g_strdup_printf (_ ("%s, process %d"), entry->title, entry->pid), NULL, entry->pid);
    }
}

static void
add_model_of_run (GPtrArray *targets, const Search *search)
{
  g_autofree char *path = search->run_directory != NULL
                              ? g_build_filename (search->run_directory, FINAL_MODEL, NULL)
                              : NULL;
  g_autofree char *name
      = search->run_directory != NULL ? g_path_get_basename (search->run_directory) : NULL;
  const SondeIo *io = sonde_io_system ();
  struct stat status;

  if (path != NULL && io->stat (io, AT_FDCWD, path, &status, 0) == 0 && S_ISREG (status.st_mode))
    add (targets, g_strdup_printf (_ ("Debug Final Model of “%s”"), name), g_strdup (path), path,
         0);
}

static void
find_in_thread (GTask *task, gpointer source, gpointer task_data, GCancellable *cancellable)
{
  GPtrArray *targets = g_ptr_array_new_with_free_func (target_free);

  add_documents (targets, task_data);
  add_sessions (targets);
  add_model_of_run (targets, task_data);
  g_task_return_pointer (task, targets, (GDestroyNotify) g_ptr_array_unref);
}

void
sonde_debug_launch_targets_find_async (const char *const *documents, const char *run_directory,
                                       GCancellable *cancellable, GAsyncReadyCallback callback,
                                       gpointer data)
{
  g_autoptr (GTask) task = g_task_new (NULL, cancellable, callback, data);
  Search *search = g_new0 (Search, 1);

  search->documents = g_strdupv ((char **) documents);
  search->run_directory = g_strdup (run_directory);
  g_task_set_task_data (task, search, search_free);
  g_task_run_in_thread (task, find_in_thread);
}

GPtrArray *
sonde_debug_launch_targets_find_finish (GAsyncResult *result, GError **error)
{
  GPtrArray *targets = g_task_propagate_pointer (G_TASK (result), error);

  /* A child of this window listens until it has ended. */
  for (guint i = targets != NULL ? targets->len : 0; i > 0; i--)
    {
      const SondeDebugLaunchTarget *target = g_ptr_array_index (targets, i - 1);

      if (target->pid != 0 && sonde_debug_is_ending (target->pid))
        g_ptr_array_remove_index (targets, i - 1);
    }
  return targets;
}
