/* SPDX-License-Identifier: Apache-2.0
 * What clients are told of the state. Engine thread, but for log lines. */
#include <math.h>
#include <unistd.h>

#include "engine/session/sonde-session-server-private.h"

#define PROGRESS_NS G_GINT64_CONSTANT (100000000)

SondeSessionStatus *
sonde_session_empty_status (const char *title)
{
  SondeSessionStatus *status = g_new0 (SondeSessionStatus, 1);

  status->pid = (int) getpid ();
  status->stop.reason = sonde_stop_reason_name (SONDE_STOP_NONE);
  status->end.status = "";
  status->title = g_strdup (title);
  status->loss = status->accuracy = status->learning_rate = status->samples_per_second = NAN;
  return status;
}

static void
copy_stop (const SondeStop *stop, SondeStopInfo *info)
{
  info->reason = sonde_stop_reason_name (stop->reason);
  info->node = g_utf8_make_valid (stop->node, -1);
  info->op = g_utf8_make_valid (stop->op, -1);
  info->scope = stop->scope != NULL ? g_utf8_make_valid (stop->scope, -1) : NULL;
  info->phase = stop->phase;
  info->moment = stop->moment;
  info->position = stop->position;
  info->n_steps = stop->n_steps;
  info->step = stop->step;
  info->n_breakpoints = stop->n_breakpoints;
  info->breakpoints
      = g_memdup2 (stop->breakpoints, stop->n_breakpoints * sizeof *stop->breakpoints);
  info->n_iterations = stop->n_iterations;
  info->iterations = g_memdup2 (stop->iterations, stop->n_iterations * sizeof *stop->iterations);
  info->condition_error
      = stop->condition_error != NULL ? g_utf8_make_valid (stop->condition_error, -1) : NULL;
  info->packed_watchpoints = sonde_session_pack_hits (stop->watchpoints, stop->n_watchpoints);
}

static void
copy_facts (SondeActivity *activity, SondeSessionStatus *status)
{
  SondeSessionFacts facts = { 0 };

  facts.loss = facts.accuracy = facts.learning_rate = facts.samples_per_second = NAN;
  activity->klass->get_facts (activity, &facts);
  g_free (status->title);
  status->title = g_strdup (facts.title);
  status->run_directory = g_strdup (facts.run_directory);
  status->kind = facts.kind;
  status->step = facts.step;
  status->total_steps = facts.total_steps;
  status->epoch = facts.epoch;
  status->n_epochs = facts.n_epochs;
  status->measured = facts.measured;
  status->loss = facts.loss;
  status->accuracy = facts.accuracy;
  status->learning_rate = facts.learning_rate;
  status->samples_per_second = facts.samples_per_second;
}

static const char *
end_name (SondeSessionResult end)
{
  static const char *const names[] = {
    [SONDE_SESSION_DONE] = "done",
    [SONDE_SESSION_STOPPED] = "stopped",
    [SONDE_SESSION_FAILED] = "failed",
  };

  return names[end];
}

/* Takes the lock only to put the picture in place. */
void
sonde_session_publish (SondeSessionServer *server)
{
  SondeSessionStatus *status = sonde_session_empty_status (server->status->title), *old;
  SondeStop stop;

  status->state = server->state;
  if (server->activity != NULL)
    {
      copy_facts (server->activity, status);
      sonde_debugger_get_stop (server->debugger, &stop);
      copy_stop (&stop, &status->stop);
      status->stop.frames = sonde_session_take_frames (server->debugger);
      status->branch
          = server->changes != NULL ? sonde_changes_get_current (server->changes)->number : 0;
    }
  if (server->state == SONDE_SESSION_ENDED)
    {
      status->end.status = end_name (server->end);
      status->end.message = g_strdup (server->end_message);
    }
  pthread_mutex_lock (&server->lock);
  old = server->status;
  server->status = status;
  server->stale = FALSE;
  pthread_mutex_unlock (&server->lock);
  sonde_session_status_free (old);
}

void
sonde_session_tell (SondeSessionServer *server, SondeSessionEventKind kind, gboolean with_status,
                    const char *text)
{
  Sonde__Session__Event event = SONDE__SESSION__EVENT__INIT;

  event.kind = kind;
  event.text = (char *) (text != NULL ? text : "");
  pthread_mutex_lock (&server->lock);
  sonde_session_broadcast (server, &event, with_status);
  pthread_mutex_unlock (&server->lock);
}

void
sonde_session_tell_line (const SondeLogLine *line, gpointer data)
{
  SondeSessionServer *server = data;
  Sonde__Session__Event event = SONDE__SESSION__EVENT__INIT;
  g_autofree char *text = g_utf8_make_valid (line->text, -1),
                  *node = g_utf8_make_valid (line->node, -1);

  event.kind = SONDE_SESSION_EVENT_LOG;
  event.text = text;
  event.node = node;
  event.breakpoint = line->breakpoint;
  event.after = line->moment == SONDE_MOMENT_AFTER;
  event.step = line->step;
  pthread_mutex_lock (&server->lock);
  sonde_session_broadcast (server, &event, FALSE);
  pthread_mutex_unlock (&server->lock);
}

void
sonde_session_set_state (SondeSessionServer *server, SondeSessionState state,
                         SondeSessionEventKind event)
{
  server->state = state;
  /* it is being debugged */
  if (state == SONDE_SESSION_PAUSED && server->activity->klass->keep_history != NULL)
    server->activity->klass->keep_history (server->activity, TRUE);
  sonde_session_publish (server);
  sonde_session_tell (server, event, TRUE, NULL);
}

void
sonde_session_server_report_progress (SondeSessionServer *server)
{
  gint64 time;

  if (atomic_load_explicit (&server->n_welcome, memory_order_relaxed) == 0)
    return;
  time = sonde_clock_monotonic_ns (server->options.clock);
  if (time - server->progress_ns < PROGRESS_NS)
    return;
  server->progress_ns = time;
  sonde_session_publish (server);
  sonde_session_tell (server, SONDE_SESSION_EVENT_PROGRESS, TRUE, NULL);
}

void
sonde_session_server_log (SondeSessionServer *server, const char *text)
{
  g_autofree char *valid = g_utf8_make_valid (text, -1);

  sonde_session_tell (server, SONDE_SESSION_EVENT_LOG, FALSE, valid);
}
