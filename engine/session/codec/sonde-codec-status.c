/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/session/codec/sonde-codec-status.h"

#include "engine/session/codec/sonde-codec-message.h"
#include "engine/session/codec/sonde-codec-frames.h"
#include "engine/session/codec/sonde-codec-watches.h"

/* ---- requests ------------------------------------------------------------ */

static SondeSessionRequest *
new_request (Sonde__Session__Request__BodyCase kind)
{
  return sonde_session_request_new (kind, SONDE_SESSION_REPLY_DONE);
}

SondeSessionRequest *
sonde_session_request_hello (const char *token, gboolean control)
{
  SondeSessionRequest *request = new_request (SONDE__SESSION__REQUEST__BODY_HELLO);

  request->message.hello->version = SONDE_SESSION_VERSION;
  request->message.hello->token = sonde_codec_text (request->memory, token);
  request->message.hello->client = sonde_codec_text (request->memory, g_get_prgname ());
  request->message.hello->control = control;
  return request;
}

SondeSessionRequest *
sonde_session_request_detach (void)
{
  return new_request (SONDE__SESSION__REQUEST__BODY_DETACH);
}

SondeSessionRequest *
sonde_session_request_alive (void)
{
  return new_request (SONDE__SESSION__REQUEST__BODY_ALIVE);
}

SondeSessionRequest *
sonde_session_request_ping (void)
{
  return new_request (SONDE__SESSION__REQUEST__BODY_PING);
}

SondeSessionRequest *
sonde_session_request_taken (guint64 bytes)
{
  SondeSessionRequest *request = new_request (SONDE__SESSION__REQUEST__BODY_TAKEN);

  request->message.taken->bytes = bytes;
  return request;
}

SondeSessionRequest *
sonde_session_request_status (void)
{
  return new_request (SONDE__SESSION__REQUEST__BODY_STATUS);
}

SondeSessionRequest *
sonde_session_request_control (gboolean take)
{
  SondeSessionRequest *request = new_request (SONDE__SESSION__REQUEST__BODY_CONTROL);

  request->message.control->take = take;
  return request;
}

/* ---- where it stands ----------------------------------------------------- */

static Sonde__Session__Stop *
write_stop (GPtrArray *memory, const SondeStop *stop)
{
  Sonde__Session__Stop *message = sonde_codec_new (memory, &sonde__session__stop__descriptor);

  message->reason = stop->reason;
  message->node = sonde_codec_text (memory, stop->node);
  message->op = sonde_codec_text (memory, stop->op);
  message->scope = sonde_codec_text (memory, stop->scope);
  message->phase = stop->phase;
  message->after = stop->moment == SONDE_MOMENT_AFTER;
  message->position = stop->position;
  message->n_steps = stop->n_steps;
  message->listing = stop->listing;
  message->step = stop->step;
  message->n_breakpoints = stop->n_breakpoints;
  message->breakpoints = g_memdup2 (stop->breakpoints, stop->n_breakpoints * sizeof (guint));
  g_ptr_array_add (memory, message->breakpoints);
  message->n_iterations = stop->n_iterations;
  message->iterations = g_memdup2 (stop->iterations, stop->n_iterations * sizeof (guint64));
  g_ptr_array_add (memory, message->iterations);
  message->frames = sonde_codec_write_frames (memory, stop->frames, &message->n_frames);
  sonde_codec_write_message (memory, stop->condition_error, &message->condition_error,
                             &message->condition_error_parts, &message->n_condition_error_parts);
  message->watchpoints
      = sonde_codec_write_hits (memory, stop->watchpoints, &message->n_watchpoints);
  message->source = sonde_codec_text (memory, stop->source);
  message->thread = sonde_codec_text (memory, stop->thread);
  message->error = sonde_codec_text (memory, stop->error);
  return message;
}

static void
read_stop (const Sonde__Session__Stop *message, SondeStop *stop)
{
  stop->node = sonde_codec_dup (message != NULL ? message->node : NULL);
  stop->op = sonde_codec_dup (message != NULL ? message->op : NULL);
  if (message == NULL)
    return;
  stop->reason
      = message->reason <= SONDE_STOP_ERROR ? (SondeStopReason) message->reason : SONDE_STOP_NONE;
  stop->scope = sonde_codec_dup_optional (message->scope);
  stop->phase = sonde_codec_phase (message->phase);
  stop->moment = message->after ? SONDE_MOMENT_AFTER : SONDE_MOMENT_BEFORE;
  stop->position = message->position;
  stop->n_steps = message->n_steps;
  stop->listing = message->listing;
  stop->step = message->step;
  stop->n_breakpoints = (guint) message->n_breakpoints;
  stop->breakpoints = g_memdup2 (message->breakpoints, message->n_breakpoints * sizeof (guint));
  stop->n_iterations = (guint) message->n_iterations;
  stop->iterations = g_memdup2 (message->iterations, message->n_iterations * sizeof (guint64));
  stop->frames = sonde_codec_read_frames (message->frames, message->n_frames);
  stop->condition_error = sonde_codec_read_message (
      message->condition_error, message->condition_error_parts, message->n_condition_error_parts);
  if (message->n_watchpoints > 0)
    stop->watchpoints = sonde_codec_read_hits (message->watchpoints, message->n_watchpoints);
  stop->source = sonde_codec_dup_optional (message->source);
  stop->thread = sonde_codec_dup_optional (message->thread);
  stop->error = sonde_codec_dup_optional (message->error);
}

/* ---- status -------------------------------------------------------------- */

Sonde__Session__Status *
sonde_codec_write_status (GPtrArray *memory, const SondeSessionStatus *status, gboolean in_control)
{
  Sonde__Session__Status *message = sonde_codec_new (memory, &sonde__session__status__descriptor);
  const SondeSessionFacts *facts = &status->facts;

  message->state = status->state;
  message->in_control = in_control;
  message->has_controller = status->has_controller;
  message->pid = (guint32) status->pid;
  message->stop = write_stop (memory, &status->stop);
  message->end = status->end.result;
  sonde_codec_write_message (memory, status->end.message, &message->end_message,
                             &message->end_parts, &message->n_end_parts);
  message->kind = facts->kind;
  message->title = sonde_codec_text (memory, facts->title);
  message->run_directory = sonde_codec_text (memory, facts->run_directory);
  message->step = facts->step;
  message->total_steps = facts->total_steps;
  message->steps_before = facts->steps_before;
  message->epoch = facts->epoch;
  message->n_epochs = facts->n_epochs;
  message->measured = facts->measured;
  message->loss = facts->loss;
  message->accuracy = facts->accuracy;
  message->learning_rate = facts->learning_rate;
  message->samples_per_second = facts->samples_per_second;
  message->branch = status->branch;
  return message;
}

SondeSessionStatus *
sonde_codec_read_status (const Sonde__Session__Status *message)
{
  SondeSessionStatus *status = g_new0 (SondeSessionStatus, 1);
  SondeSessionFacts *facts = &status->facts;

  status->state = (SondeSessionState) MIN (message->state, SONDE_SESSION_ENDED);
  status->in_control = message->in_control;
  status->has_controller = message->has_controller;
  status->pid = (int) message->pid;
  read_stop (message->stop, &status->stop);
  status->end.result = message->end <= SONDE_SESSION_FAILED ? (SondeSessionResult) message->end
                                                            : SONDE_SESSION_FAILED;
  status->end.message
      = sonde_codec_read_message (message->end_message, message->end_parts, message->n_end_parts);
  facts->kind = message->kind <= SONDE_ACTIVITY_PYTORCH ? (SondeActivityKind) message->kind
                                                        : SONDE_ACTIVITY_INFERENCE;
  facts->title = sonde_codec_dup_optional (message->title);
  facts->run_directory = sonde_codec_dup_optional (message->run_directory);
  facts->step = message->step;
  facts->total_steps = message->total_steps;
  facts->steps_before = message->steps_before;
  facts->epoch = message->epoch;
  facts->n_epochs = message->n_epochs;
  facts->measured = message->measured;
  facts->loss = message->loss;
  facts->accuracy = message->accuracy;
  facts->learning_rate = message->learning_rate;
  facts->samples_per_second = message->samples_per_second;
  status->branch = message->branch;
  return status;
}
