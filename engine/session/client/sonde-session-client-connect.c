/* SPDX-License-Identifier: Apache-2.0
 * Clients of an engine that was spawned, inherited or found, here or on another machine. */
#include "engine/session/client/sonde-session-client.h"

#include <errno.h>
#include <sys/eventfd.h>

#include "data/base/sonde-error.h"
#include "engine/session/client/sonde-session-client-private.h"
#include "engine/session/client/sonde-session-target.h"
#include "engine/session/codec/sonde-codec-status.h"
#include "engine/session/sonde-session-directory.h"

#define HELLO_MS 10000

/* Takes @fd. @spawned: pid of the child at its other end, or 0; @carrier: (nullable): what is at its
 * other end instead, the client's if there is one */
static SondeSessionClient *
connect_fd (int fd, int spawned, const char *token, SondeSessionCarrier *carrier, GError **error)
{
  g_autoptr (SondeSessionClient) client = g_object_new (SONDE_TYPE_SESSION_CLIENT, NULL);
  g_autoptr (SondeSessionReply) reply = NULL;
  int result;

  sonde_session_channel_init (&client->channel, NULL, fd);
  client->pid = spawned;
  client->spawned = spawned > 0;
  client->channel.carries_in = carrier != NULL;
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
  pthread_mutex_lock (&client->lock);
  client->carrier = carrier;
  pthread_mutex_unlock (&client->lock);
  sonde_session_client_set_clock (client, NULL);
  return g_steal_pointer (&client);
}

SondeSessionClient *
sonde_session_client_new_fd (int fd, GError **error)
{
  return connect_fd (fd, 0, "", NULL, error);
}

SondeSessionClient *
sonde_session_client_spawn (const char *program, int threads, GError **error)
{
  int fd = -1;
  int pid = sonde_session_spawn (program, threads, &fd, error);

  return pid > 0 ? connect_fd (fd, pid, "", NULL, error) : NULL;
}

SondeSessionClient *
sonde_session_client_attach_path (const char *path, GError **error)
{
  g_autofree char *token = NULL;
  int fd = sonde_session_open_socket (path, &token, error);

  return fd >= 0 ? connect_fd (fd, 0, token, NULL, error) : NULL;
}

SondeSessionClient *
sonde_session_client_attach (int pid, const char *directory, GError **error)
{
  g_autofree char *token = NULL;
  int fd = sonde_session_open_pid (pid, directory, &token, error);

  return fd >= 0 ? connect_fd (fd, 0, token, NULL, error) : NULL;
}

/* ---- on another machine -------------------------------------------------- */

/* What ssh says of its end tells more than that the connection is over. */
static void
explain_end (SondeSessionCarrier *carrier, GError **error)
{
  SondeMessage *reason = sonde_session_carrier_end (carrier);

  if (reason == NULL)
    return;
  g_clear_error (error);
  sonde_set_error_message (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_PROTOCOL, reason);
}

static SondeSessionClient *
attach_remote (const SondeSessionTarget *target, GError **error)
{
  g_autoptr (SondeSessionCarrier) carrier
      = sonde_session_carrier_new (target->host, target->pid, error);
  GError *problem = NULL;
  SondeSessionClient *client;
  int fd;

  if (carrier == NULL || !sonde_session_carrier_wait (carrier, error))
    return NULL;
  fd = carrier->fd;
  carrier->fd = -1;
  client = connect_fd (fd, 0, "", carrier, &problem);
  if (client == NULL)
    explain_end (carrier, &problem);
  else
    g_steal_pointer (&carrier); /* the client's */
  if (problem != NULL)
    g_propagate_error (error, problem);
  return client;
}

SondeSessionClient *
sonde_session_client_attach_target (const char *text, GError **error)
{
  g_auto (SondeSessionTarget) target = { 0 };

  if (!sonde_session_target_parse (text, &target, error))
    return NULL;
  if (target.host == NULL)
    return sonde_session_client_attach (target.pid, NULL, error);
  if (target.pid > 0)
    return attach_remote (&target, error);
  sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_INVALID,
                   "“%s” names no process; `sonde debug --attach %s` lists those that have a "
                   "session.",
                   text, text);
  return NULL;
}

GPtrArray *
sonde_session_list_of_host (const char *host, GError **error)
{
  g_autoptr (SondeSessionCarrier) carrier = sonde_session_carrier_new (host, 0, error);
  g_autofree char *text = carrier != NULL ? sonde_session_carrier_read_all (carrier, error) : NULL;
  g_auto (GStrv) lines = text != NULL ? g_strsplit (text, "\n", -1) : NULL;
  GPtrArray *list;

  if (lines == NULL)
    return NULL;
  list = g_ptr_array_new_with_free_func ((GDestroyNotify) sonde_session_entry_free);
  for (guint i = 0; lines[i] != NULL; i++)
    {
      SondeSessionEntry *entry = sonde_session_entry_from_line (lines[i]);

      if (entry != NULL) /* else what a shell says at its start */
        g_ptr_array_add (list, entry);
    }
  return list;
}
