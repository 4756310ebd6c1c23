/* SPDX-License-Identifier: Apache-2.0
 * Starting and ending the other side of a session. */
#include "engine/frontend/sonde-debug-connection.h"

#define QUIT_MS 3000
#define QUIT_SILENT_MS 500 /* for one that was not answering before */

typedef SondeDebugConnecting Connecting;

static GHashTable *ending; /* pids of children that were told to end; of the main thread */

SondeDebugConnecting *
sonde_debug_connecting_new (const SondeOpenRequest *request)
{
  Connecting *connecting = g_new0 (Connecting, 1);
  SondeOpenRequest *own = &connecting->request;

  *own = *request;
  own->subject = g_strdup (request->subject);
  own->run_directory = g_strdup (request->run_directory);
  own->device = g_strdup (request->device);
  own->sets = (const char *const *) g_strdupv ((char **) request->sets);
  connecting->inputs = g_new0 (SondeSessionInput, MAX (request->n_inputs, 1));
  for (guint i = 0; i < request->n_inputs; i++)
    connecting->inputs[i] = (SondeSessionInput){ g_strdup (request->inputs[i].name),
                                                 g_strdup (request->inputs[i].path) };
  own->inputs = connecting->inputs;
  return connecting;
}

void
sonde_debug_connecting_free (SondeDebugConnecting *connecting)
{
  for (guint i = 0; i < connecting->request.n_inputs; i++)
    {
      g_free ((char *) connecting->inputs[i].name);
      g_free ((char *) connecting->inputs[i].path);
    }
  g_free (connecting->inputs);
  g_free (connecting->program);
  g_free (connecting->target);
  g_free ((char *) connecting->request.subject);
  g_free ((char *) connecting->request.run_directory);
  g_free ((char *) connecting->request.device);
  g_strfreev ((char **) connecting->request.sets);
  g_free (connecting);
}

static void
connect_in_thread (GTask *task, gpointer source, gpointer task_data, GCancellable *cancellable)
{
  Connecting *connecting = task_data;
  GError *error = NULL;
  SondeSessionClient *client
      = connecting->target != NULL
            ? sonde_session_client_attach_target (connecting->target, &error)
            : sonde_session_client_spawn (connecting->program, connecting->request.threads, &error);

  if (client != NULL)
    g_task_return_pointer (task, client, g_object_unref);
  else
    g_task_return_error (task, error);
}

void
sonde_debug_connect_async (gpointer source, SondeDebugConnecting *connecting,
                           GCancellable *cancellable, GAsyncReadyCallback callback)
{
  g_autoptr (GTask) task = g_task_new (source, cancellable, callback, NULL);

  g_task_set_check_cancellable (task, FALSE);
  g_task_set_task_data (task, connecting, (GDestroyNotify) sonde_debug_connecting_free);
  g_task_run_in_thread (task, connect_in_thread);
}

static void
quit_in_thread (GTask *task, gpointer source, gpointer task_data, GCancellable *cancellable)
{
  SondeSessionClient *client = SONDE_SESSION_CLIENT (source);

  sonde_session_client_quit_child (client, sonde_session_client_is_silent (client) ? QUIT_SILENT_MS
                                                                                   : QUIT_MS);
  g_task_return_boolean (task, TRUE);
}

/* On the bus alone is somebody told of it; without a bus GLib complains on stderr. */
static void
set_busy (GApplication *application, gboolean busy)
{
  if (g_application_get_dbus_connection (application) == NULL)
    return;
  if (busy)
    g_application_mark_busy (application);
  else
    g_application_unmark_busy (application);
}

static void
on_quit (GObject *source, GAsyncResult *result, gpointer data)
{
  g_autoptr (GApplication) application = data;
  int pid = sonde_session_client_get_pid (SONDE_SESSION_CLIENT (source));

  g_hash_table_remove (ending, GINT_TO_POINTER (pid));
  if (application == NULL)
    return;
  set_busy (application, FALSE);
  g_application_release (application);
}

/* It may need a moment to write its checkpoint: the program stays until then, also without a
 * window. */
void
sonde_debug_end_child (SondeSessionClient *client)
{
  GApplication *application = g_application_get_default ();
  g_autoptr (GTask) task = NULL;

  if (ending == NULL)
    ending = g_hash_table_new (NULL, NULL);
  g_hash_table_add (ending, GINT_TO_POINTER (sonde_session_client_get_pid (client)));
  if (application != NULL)
    {
      g_application_hold (application);
      set_busy (application, TRUE);
    }
  task
      = g_task_new (client, NULL, on_quit, application != NULL ? g_object_ref (application) : NULL);
  g_task_run_in_thread (task, quit_in_thread);
}

gboolean
sonde_debug_is_ending (int pid)
{
  return ending != NULL && g_hash_table_contains (ending, GINT_TO_POINTER (pid));
}
