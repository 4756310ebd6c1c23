/* SPDX-License-Identifier: Apache-2.0
 * What clients are told of the state. Engine thread, but for log lines. */
#include <math.h>
#include <unistd.h>

#include "engine/session/codec/sonde-codec-message.h"
#include "engine/session/server/sonde-serve.h"

#define PROGRESS_NS G_GINT64_CONSTANT (100000000)
#define DESCRIBE_NS G_GINT64_CONSTANT (1000000000) /* for who looks for sessions */

SondeSessionStatus *
sonde_session_empty_status (const char *title)
{
  SondeSessionStatus *status = g_new0 (SondeSessionStatus, 1);

  status->pid = (int) getpid ();
  status->facts.title = g_strdup (title);
  status->facts.loss = status->facts.accuracy = status->facts.learning_rate
      = status->facts.samples_per_second = NAN;
  return status;
}

/* Takes the lock only to put the picture in place. */
void
sonde_session_publish (SondeSessionServer *server)
{
  SondeSessionStatus *status = sonde_session_empty_status (server->status->facts.title), *old;
  SondeStop stop;

  status->state = server->state;
  if (server->target != NULL)
    {
      server->service->klass->fill_status (server->service, status);
      server->target->klass->get_stop (server->target, &stop);
      sonde_stop_copy_into (&stop, &status->stop);
      status->stop.frames = server->target->klass->get_frames (server->target);
    }
  if (server->state == SONDE_SESSION_ENDED)
    {
      status->end.result = server->end;
      status->end.message = sonde_message_copy (server->end_message);
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
sonde_session_tell_progress (SondeSessionServer *server, const char *what, double fraction)
{
  Sonde__Session__Event event = SONDE__SESSION__EVENT__INIT;
  g_autoptr (GPtrArray) memory = sonde_codec_memory_new ();

  event.kind = SONDE_SESSION_EVENT_PROGRESS;
  event.fraction = fraction;
  sonde_codec_write_id (memory, what, &event.text, &event.parts, &event.n_parts);
  pthread_mutex_lock (&server->lock);
  sonde_session_broadcast (server, &event, FALSE);
  pthread_mutex_unlock (&server->lock);
}

void
sonde_session_tell_message (SondeSessionServer *server, SondeSessionEventKind kind,
                            gboolean with_status, const SondeMessage *message)
{
  Sonde__Session__Event event = SONDE__SESSION__EVENT__INIT;
  g_autoptr (GPtrArray) memory = sonde_codec_memory_new ();

  event.kind = kind;
  sonde_codec_write_message (memory, message, &event.text, &event.parts, &event.n_parts);
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
  if (state == SONDE_SESSION_PAUSED && server->service->klass->paused != NULL)
    server->service->klass->paused (server->service);
  sonde_session_publish (server);
  sonde_session_tell (server, event, TRUE, NULL);
}

static void
describe (SondeSessionServer *server, gint64 time)
{
  const SondeSessionFacts *facts = &server->status->facts;

  server->described_ns = time;
  pthread_mutex_lock (&server->lock);
  sonde_session_listener_describe (&server->listener, facts->title, facts->run_directory,
                                   facts->step);
  pthread_mutex_unlock (&server->lock);
}

void
sonde_session_server_report_progress (SondeSessionServer *server)
{
  gboolean is_heard = atomic_load_explicit (&server->n_welcome, memory_order_relaxed) > 0;
  gint64 time = sonde_clock_monotonic_ns (server->options.clock);
  gboolean is_due = is_heard && time - server->progress_ns >= PROGRESS_NS;

  if (!is_due && time - server->described_ns < DESCRIBE_NS)
    return;
  sonde_session_publish (server);
  if (time - server->described_ns >= DESCRIBE_NS)
    describe (server, time);
  if (!is_due)
    return;
  server->progress_ns = time;
  sonde_session_tell (server, SONDE_SESSION_EVENT_PROGRESS, TRUE, NULL);
}

void
sonde_session_server_log (SondeSessionServer *server, const SondeMessage *message)
{
  sonde_session_tell_message (server, SONDE_SESSION_EVENT_LOG, FALSE, message);
}
