/* SPDX-License-Identifier: Apache-2.0
 * The sessions that can be attached to. */
#include "engine/frontend/sonde-debug-sessions.h"

#include <string.h>

#include "engine/frontend/sonde-debug-connection.h"
#include "engine/session/sonde-session-directory.h"
#include "data/base/sonde-format.h"
#include "data/base/sonde-text.h"

#define DOT " · "

static void
find_in_thread (GTask *task, gpointer source, gpointer host, GCancellable *cancellable)
{
  GError *error = NULL;
  GPtrArray *sessions = host != NULL ? sonde_session_list_of_host (host, &error)
                                     : sonde_session_list (NULL, NULL, &error);

  if (sessions != NULL)
    g_task_return_pointer (task, sessions, (GDestroyNotify) g_ptr_array_unref);
  else
    g_task_return_error (task, error);
}

void
sonde_debug_sessions_find_async (const char *host, GCancellable *cancellable,
                                 GAsyncReadyCallback callback, gpointer data)
{
  g_autoptr (GTask) task = g_task_new (NULL, cancellable, callback, data);

  g_task_set_task_data (task, g_strdup (host), g_free);
  g_task_run_in_thread (task, find_in_thread);
}

GPtrArray *
sonde_debug_sessions_find_finish (GAsyncResult *result, GError **error)
{
  gboolean is_here = g_task_get_task_data (G_TASK (result)) == NULL;
  GPtrArray *sessions = g_task_propagate_pointer (G_TASK (result), error);

  for (guint i = sessions != NULL && is_here ? sessions->len : 0; i > 0; i--)
    {
      const SondeSessionEntry *entry = g_ptr_array_index (sessions, i - 1);

      if (sonde_debug_is_ending (entry->pid))
        g_ptr_array_remove_index (sessions, i - 1);
    }
  return sessions;
}

/* ---- words --------------------------------------------------------------- */

/* The time of today, else the day before it. (transfer full) (nullable) */
static char *
describe_time (gint64 seconds)
{
  g_autoptr (GDateTime) time = g_date_time_new_from_unix_local (seconds),
                        now = g_date_time_new_now_local ();
  g_autofree char *day = NULL, *today = NULL;

  if (time == NULL)
    return NULL;
  day = g_date_time_format (time, "%Y-%m-%d");
  today = g_date_time_format (now, "%Y-%m-%d");
  return g_date_time_format (time, g_str_equal (day, today) ? "%H:%M" : "%Y-%m-%d %H:%M");
}

static void
add_time (GString *text, gint64 seconds)
{
  g_autofree char *time = seconds > 0 ? describe_time (seconds) : NULL;

  if (time == NULL)
    return;
  g_string_append (text, DOT);
  /* Translators: a time, as “since 14:03” */
  g_string_append_printf (text, _ ("since %s"), time);
}

/* The program is called without its folder. */
static void
add_command (GString *text, const char *command)
{
  gsize length = strcspn (command, " ");
  g_autofree char *program = g_strndup (command, length);
  g_autofree char *name = g_path_get_basename (program);

  g_string_append_printf (text, DOT "%s%s", name, command + length);
}

char *
sonde_debug_sessions_describe (const SondeSessionEntry *entry)
{
  GString *text = g_string_new (NULL);
  g_autofree char *step = sonde_format_count ((gint64) MIN (entry->step, G_MAXINT64));

  g_string_append_printf (text, _ ("Process %d"), entry->pid);
  if (entry->step > 0)
    {
      g_string_append (text, DOT);
      g_string_append_printf (text, _ ("step %s"), step);
    }
  add_time (text, entry->since);
  if (entry->command != NULL)
    add_command (text, entry->command);
  return g_string_free (text, FALSE);
}
