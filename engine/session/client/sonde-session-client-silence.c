/* SPDX-License-Identifier: Apache-2.0
 * An engine that does not answer: noticed, told, and said why as far as the system knows. */
#include "engine/session/client/sonde-session-client-private.h"

#include "engine/session/codec/sonde-codec-status.h"

#include <string.h>

#define PING_NS                                                                                    \
  (2 * G_GINT64_CONSTANT (1000000000)) /* of silence, before it is asked whether it is there */
#define SILENCE_NS (3 * G_GINT64_CONSTANT (1000000000)) /* without an answer to that it is told */

void
sonde_session_client_set_clock (SondeSessionClient *client, const SondeClock *clock)
{
  pthread_mutex_lock (&client->lock);
  client->clock = clock;
  client->listens = TRUE;
  client->heard_ns = sonde_clock_monotonic_ns (clock);
  pthread_mutex_unlock (&client->lock);
  sonde_session_client_wake (client);
}

/* The letter of proc(5): R, S, D, T, t, Z; 0 where the system does not say. */
static char
process_state (int pid)
{
  g_autofree char *path = g_strdup_printf ("/proc/%d/stat", pid), *text = NULL;
  const char *end = g_file_get_contents (path, &text, NULL, NULL) ? strrchr (text, ')') : NULL;

  return end != NULL && end[1] == ' ' ? end[2] : '\0';
}

/* Why, and what helps. (transfer full) */
static SondeMessage *
describe_silence (int pid)
{
  switch (process_state (pid))
    {
    case 'T':
      return sonde_message_new ("The engine has not responded for five seconds: its process is "
                                "stopped. `kill -CONT %d` resumes it, `kill -KILL %d` ends it.",
                                pid, pid);
    case 't':
      return sonde_message_new ("The engine has not responded for five seconds: a system debugger "
                                "has stopped its process %d.",
                                pid);
    case 'D':
      return sonde_message_new ("The engine has not responded for five seconds: its process %d is "
                                "waiting for a disk or for memory.",
                                pid);
    default:
      return sonde_message_new ("The engine has not responded for five seconds. Waiting for it; "
                                "`kill -KILL %d` ends it.",
                                pid);
    }
}

static void
tell (SondeSessionClient *client, gboolean silent)
{
  SondeSessionEvent *event = g_new0 (SondeSessionEvent, 1);

  client->silent = silent;
  event->kind = silent ? SONDE_SESSION_EVENT_SILENT : SONDE_SESSION_EVENT_ANSWERS;
  event->message = silent ? describe_silence (client->pid)
                          : sonde_message_new ("The engine is responding again.");
  event->text = sonde_message_dup_english (event->message);
  sonde_session_client_push_event (client, event);
}

int
sonde_session_client_watch_silence (SondeSessionClient *client, gboolean heard)
{
  gint64 time = sonde_clock_monotonic_ns (client->clock), left;

  if (!client->listens)
    return -1;
  if (heard)
    {
      client->heard_ns = time;
      client->pinged_ns = 0;
      if (client->silent)
        tell (client, FALSE);
    }
  if (client->pinged_ns == 0 && time - client->heard_ns >= PING_NS)
    {
      SondeSessionRequest *ping = sonde_session_request_ping ();

      ping->message.id = client->last_id = client->last_id == G_MAXUINT32 ? 1 : client->last_id + 1;
      sonde_session_client_queue_request (client, ping);
      sonde_session_channel_flush (&client->channel, NULL);
      client->pinged_ns = time;
    }
  if (client->pinged_ns != 0 && time - client->pinged_ns >= SILENCE_NS && !client->silent)
    tell (client, TRUE);
  if (client->silent)
    return -1;
  left = client->pinged_ns != 0 ? client->pinged_ns + SILENCE_NS - time
                                : client->heard_ns + PING_NS - time;
  return (int) (left / 1000000) + 1;
}

SondeSessionEvent *
sonde_session_client_steal_silence (SondeSessionClient *client)
{
  for (GList *link = client->events.head; link != NULL; link = link->next)
    {
      SondeSessionEvent *event = link->data;

      if (event->kind != SONDE_SESSION_EVENT_SILENT && event->kind != SONDE_SESSION_EVENT_ANSWERS)
        continue;
      g_queue_delete_link (&client->events, link);
      return event;
    }
  return NULL;
}
