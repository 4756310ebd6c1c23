/* SPDX-License-Identifier: Apache-2.0
 * Clients of an engine that was spawned, inherited or found. */
#include "engine/session/client/sonde-session-client.h"

#include <errno.h>
#include <string.h>
#include <sys/eventfd.h>

#include "data/base/sonde-error.h"
#include "engine/session/client/sonde-session-client-private.h"
#include "engine/session/codec/sonde-codec-status.h"
#include "engine/session/sonde-session-directory.h"
#include "engine/session/sonde-session-path.h"

#define HELLO_MS 10000
#define MAX_TOKEN_FILE_BYTES 65536

/* Takes @fd. @spawned: pid of the child at its other end, or 0 */
static SondeSessionClient *
connect_fd (int fd, int spawned, const char *token, GError **error)
{
  g_autoptr (SondeSessionClient) client = g_object_new (SONDE_TYPE_SESSION_CLIENT, NULL);
  g_autoptr (SondeSessionReply) reply = NULL;
  int result;

  sonde_session_channel_init (&client->channel, NULL, fd);
  client->pid = spawned;
  client->spawned = spawned > 0;
  client->wake = eventfd (0, EFD_CLOEXEC | EFD_NONBLOCK);
  result = client->wake < 0
               ? errno
               : pthread_create (&client->thread, NULL, sonde_session_client_read, client);
  client->has_thread = result == 0;
  if (result != 0)
    {
      sonde_data_error_set_errno (error, result, "cannot start the client's thread");
      return NULL;
    }
  reply = sonde_session_client_call (client, sonde_session_request_hello (token, TRUE), HELLO_MS,
                                     error);
  if (reply == NULL)
    {
      sonde_prefix_error (error, "No session: ");
      return NULL;
    }
  if (reply->status != NULL && spawned == 0)
    client->pid = reply->status->pid;
  sonde_session_client_set_clock (client, NULL);
  return g_steal_pointer (&client);
}

SondeSessionClient *
sonde_session_client_new_fd (int fd, GError **error)
{
  return connect_fd (fd, 0, "", error);
}

SondeSessionClient *
sonde_session_client_spawn (const char *program, int threads, GError **error)
{
  int fd = -1;
  int pid = sonde_session_spawn (program, threads, &fd, error);

  return pid > 0 ? connect_fd (fd, pid, "", error) : NULL;
}

SondeSessionClient *
sonde_session_client_attach_path (const char *path, GError **error)
{
  g_autofree char *stem = g_str_has_suffix (path, ".sock")
                              ? g_strndup (path, strlen (path) - strlen (".sock"))
                              : g_strdup (path);
  g_autofree char *token_path = g_strconcat (stem, ".token", NULL);
  g_autoptr (GBytes) bytes = sonde_io_read_file (NULL, token_path, MAX_TOKEN_FILE_BYTES, error);
  g_autofree char *token = NULL;
  int fd;

  if (bytes == NULL)
    return NULL;
  token = g_strndup (g_bytes_get_data (bytes, NULL), g_bytes_get_size (bytes));
  token[strcspn (token, "\n")] = '\0';
  fd = sonde_session_connect_path (path, error);
  return fd >= 0 ? connect_fd (fd, 0, token, error) : NULL;
}

static void
set_no_session_error (int pid, const GPtrArray *sessions, GError **error)
{
  g_autoptr (GString) list = g_string_new (NULL);

  for (guint i = 0; i < sessions->len; i++)
    {
      const SondeSessionEntry *entry = g_ptr_array_index (sessions, i);

      g_string_append_printf (list, "%s%d (%s)", i > 0 ? ", " : "", entry->pid, entry->title);
    }
  if (sessions->len > 0)
    sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_NOT_FOUND,
                     "Process %d has no session. Processes with a session: %s.", pid, list->str);
  else
    sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_NOT_FOUND,
                     "Process %d has no session, and neither has any other process.", pid);
}

SondeSessionClient *
sonde_session_client_attach (int pid, const char *directory, GError **error)
{
  g_autoptr (GPtrArray) sessions = sonde_session_list (NULL, directory, error);

  if (sessions == NULL)
    return NULL;
  for (guint i = 0; i < sessions->len; i++)
    {
      const SondeSessionEntry *entry = g_ptr_array_index (sessions, i);

      if (entry->pid == pid)
        return sonde_session_client_attach_path (entry->path, error);
    }
  set_no_session_error (pid, sessions, error);
  return NULL;
}
