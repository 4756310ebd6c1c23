/* SPDX-License-Identifier: Apache-2.0
 * Whether an engine still responds. */
#include "engine/session/client/sonde-response-monitor.h"

#include <string.h>

#define SECOND G_GINT64_CONSTANT (1000000000)
#define PING_NS (2 * SECOND) /* without a message, before it is pinged */
#define LOST_NS (3 * SECOND) /* without an answer to the ping */

void
sonde_response_monitor_start (SondeResponseMonitor *monitor, const SondeClock *clock)
{
  monitor->clock = clock;
  monitor->active = TRUE;
  monitor->heard_ns = sonde_clock_monotonic_ns (clock);
}

static SondeResponseAction
choose_action (SondeResponseMonitor *monitor, gboolean heard, gint64 time)
{
  gboolean was_unresponsive = monitor->unresponsive;

  if (heard)
    {
      monitor->heard_ns = time;
      monitor->pinged_ns = 0;
      monitor->unresponsive = FALSE;
      if (was_unresponsive)
        return SONDE_RESPONSE_BACK;
    }
  if (monitor->pinged_ns == 0 && time - monitor->heard_ns >= PING_NS)
    {
      monitor->pinged_ns = time;
      return SONDE_RESPONSE_PING;
    }
  if (monitor->pinged_ns != 0 && time - monitor->pinged_ns >= LOST_NS && !monitor->unresponsive)
    {
      monitor->unresponsive = TRUE;
      return SONDE_RESPONSE_LOST;
    }
  return SONDE_RESPONSE_NOTHING;
}

SondeResponseAction
sonde_response_monitor_check (SondeResponseMonitor *monitor, gboolean heard, int *timeout_ms)
{
  gint64 time = sonde_clock_monotonic_ns (monitor->clock), left;
  SondeResponseAction action;

  *timeout_ms = -1;
  if (!monitor->active)
    return SONDE_RESPONSE_NOTHING;
  action = choose_action (monitor, heard, time);
  if (monitor->unresponsive)
    return action;
  left = monitor->pinged_ns != 0 ? monitor->pinged_ns + LOST_NS - time
                                 : monitor->heard_ns + PING_NS - time;
  *timeout_ms = (int) (left / 1000000) + 1;
  return action;
}

/* ---- why ----------------------------------------------------------------- */

/* The letter of proc(5): R, S, D, T, t, Z; 0 where the system does not say. */
static char
process_state (int pid)
{
  g_autofree char *path = g_strdup_printf ("/proc/%d/stat", pid), *text = NULL;
  const char *end = g_file_get_contents (path, &text, NULL, NULL) ? strrchr (text, ')') : NULL;

  return end != NULL && end[1] == ' ' ? end[2] : '\0';
}

SondeMessage *
sonde_response_monitor_describe (int pid)
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
