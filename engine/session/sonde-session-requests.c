/* SPDX-License-Identifier: Apache-2.0
 * What clients ask of the engine, one row a request. Runs on the engine thread, between two
 * steps. */
#include "engine/session/sonde-session-server-private.h"

#include <string.h>

#include "data/base/sonde-error.h"

#define MAX_CONSTANT_BYTES ((gsize) 64 << 10) /* of constants inside a graph that is sent */

static gboolean
set_state_error (GError **error, const char *message)
{
  g_set_error_literal (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_STATE, message);
  return FALSE;
}

/* Only asked here when what was published is too old. */
static gboolean
handle_status (SondeSessionServer *server, SondeSessionJob *job, SondeSessionAnswer *answer,
               GError **error)
{
  sonde_session_publish (server);
  return TRUE;
}

/* ---- opening and ending -------------------------------------------------- */

static void
tell_progress (const char *what, double fraction, gpointer data)
{
  SondeSessionServer *server = data;
  Sonde__Session__Event event = SONDE__SESSION__EVENT__INIT;

  event.kind = SONDE_SESSION_EVENT_PROGRESS;
  event.text = (char *) (what != NULL ? what : "");
  event.fraction = fraction;
  pthread_mutex_lock (&server->lock);
  sonde_session_broadcast (server, &event, FALSE);
  pthread_mutex_unlock (&server->lock);
}

static char *
null_if_empty (char *text)
{
  return text != NULL && *text != '\0' ? text : NULL;
}

static SondeActivity *
open_activity (SondeSessionServer *server, const Sonde__Session__Open *message, GError **error)
{
  g_autofree SondeSessionInput *inputs = g_new0 (SondeSessionInput, MAX (message->n_inputs, 1));
  g_autofree const char **sets = g_new0 (const char *, message->n_sets + 1);
  SondeOpenRequest request = { 0 };

  for (gsize i = 0; i < message->n_inputs; i++)
    {
      inputs[i].name = null_if_empty (message->inputs[i]->name);
      inputs[i].path = message->inputs[i]->path;
    }
  for (gsize i = 0; i < message->n_sets; i++)
    sets[i] = message->sets[i];
  request.subject = message->subject;
  request.inputs = inputs;
  request.n_inputs = (guint) message->n_inputs;
  request.sets = sets;
  request.run_directory = null_if_empty (message->run_directory);
  request.device = null_if_empty (message->device);
  request.threads = (int) MIN (message->threads, 4096);
  request.training = message->training;
  return server->options.host->open (server->options.host, &request, tell_progress, server, error);
}

static gboolean
handle_open (SondeSessionServer *server, SondeSessionJob *job, SondeSessionAnswer *answer,
             GError **error)
{
  const Sonde__Session__Open *message = job->request->open;
  SondeActivity *activity;

  if (server->activity != NULL && !message->replace)
    return set_state_error (error, "Something is open in this session already; start another one.");
  if (server->run_now)
    return set_state_error (error, "This run was not started here: it cannot be replaced.");
  if (server->state == SONDE_SESSION_RUNNING)
    return set_state_error (error, "It runs; pause it before something else is opened.");
  if (!sonde_session_close_activity (server, error))
    return FALSE;
  sonde_session_set_state (server, SONDE_SESSION_LOADING, SONDE_SESSION_EVENT_PROGRESS);
  activity = open_activity (server, message, error);
  if (activity == NULL)
    {
      sonde_session_set_state (server, SONDE_SESSION_EMPTY, SONDE_SESSION_EVENT_PROGRESS);
      return FALSE;
    }
  sonde_session_adopt (server, activity);
  sonde_session_answer_stops (server, answer);
  return TRUE;
}

static gboolean
handle_quit (SondeSessionServer *server, SondeSessionJob *job, SondeSessionAnswer *answer,
             GError **error)
{
  server->done = TRUE;
  return sonde_session_finish (server, error);
}

/* ---- running ------------------------------------------------------------- */

static gboolean
handle_resume (SondeSessionServer *server, SondeSessionJob *job, SondeSessionAnswer *answer,
               GError **error)
{
  const Sonde__Session__Resume *message = job->request->resume;
  SondeResume resume = { .count = message->count, .target = message->target };

  if (server->state == SONDE_SESSION_RUNNING)
    return set_state_error (error, "It runs already; pause it first.");
  if (server->state == SONDE_SESSION_ENDED)
    return set_state_error (error, "The run is over; restart begins it again.");
  if (message->kind > SONDE_RESUME_OUT)
    return set_state_error (error, "This version does not know that way to go on.");
  resume.kind = (SondeResumeKind) message->kind;
  if (!sonde_debugger_resume (server->debugger, &resume, error))
    return FALSE;
  sonde_session_set_state (server, SONDE_SESSION_RUNNING, SONDE_SESSION_EVENT_RESUMED);
  if (sonde_debugger_has_stopped (server->debugger)) /* there was nothing to run */
    sonde_session_set_state (server, SONDE_SESSION_PAUSED, SONDE_SESSION_EVENT_STOPPED);
  return TRUE;
}

static gboolean
handle_pause (SondeSessionServer *server, SondeSessionJob *job, SondeSessionAnswer *answer,
              GError **error)
{
  if (server->state == SONDE_SESSION_ENDED)
    return set_state_error (error, "The run is over.");
  if (server->state != SONDE_SESSION_RUNNING)
    return TRUE;
  sonde_debugger_stop_here (server->debugger);
  sonde_session_set_state (server, SONDE_SESSION_PAUSED, SONDE_SESSION_EVENT_STOPPED);
  return TRUE;
}

static gboolean
handle_restart (SondeSessionServer *server, SondeSessionJob *job, SondeSessionAnswer *answer,
                GError **error)
{
  SondeActivity *activity = server->activity;

  if (server->state == SONDE_SESSION_RUNNING)
    return set_state_error (error, "It runs; pause it before it is restarted.");
  if (activity->klass->restart == NULL)
    {
      g_set_error_literal (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_UNSUPPORTED,
                           "This run cannot go back to its beginning; start it again.");
      return FALSE;
    }
  if (!activity->klass->restart (activity, error))
    return FALSE;
  sonde_debugger_restarted (server->debugger);
  g_clear_pointer (&server->end_message, g_free);
  g_clear_error (&server->failure);
  server->end = SONDE_SESSION_DONE;
  sonde_session_set_state (server, SONDE_SESSION_READY, SONDE_SESSION_EVENT_PROGRESS);
  sonde_session_follow_model (server);
  return TRUE;
}

/* ---- looking ------------------------------------------------------------- */

static SondeGraph *
pick_graph (SondeSessionServer *server, const Sonde__Session__WhichGraph *which, GError **error)
{
  const SondeActivityClass *klass = server->activity->klass;
  SondeExecution *execution
      = which->frame != 0 ? sonde_session_pick_frame (server, which->frame, error) : NULL;
  SondeGraph *graph;

  if (which->frame != 0 && execution == NULL)
    return NULL;
  if (!which->original)
    return execution != NULL ? sonde_plan_get_graph (sonde_execution_get_plan (execution))
                             : klass->get_graph (server->activity);
  graph = klass->get_original != NULL ? klass->get_original (server->activity) : NULL;
  if (graph == NULL)
    g_set_error_literal (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_NOT_FOUND,
                         "There is no original graph beside the executed one.");
  return graph;
}

static gboolean
handle_graph (SondeSessionServer *server, SondeSessionJob *job, SondeSessionAnswer *answer,
              GError **error)
{
  SondeSessionHost *host = server->options.host;
  SondeGraph *graph = pick_graph (server, job->request->graph, error);
  g_autoptr (GBytes) bytes
      = graph != NULL ? host->serialise_graph (host, graph, MAX_CONSTANT_BYTES, error) : NULL;

  if (bytes == NULL)
    return FALSE;
  answer->reply.data = sonde_session_answer_alloc (answer, sizeof *answer->reply.data);
  return sonde_session_answer_data (answer, answer->reply.data, g_bytes_get_data (bytes, NULL),
                                    g_bytes_get_size (bytes), error);
}

/* Lines of the listing by step of the plan. */
static void
answer_lines (SondeExecution *execution, SondeSessionAnswer *answer, const SondeGraph *graph,
              const guint *line_of_node)
{
  SondePlan *plan = sonde_execution_get_plan (execution);
  guint n = sonde_plan_get_n_steps (plan);

  if (sonde_plan_get_graph (plan) != graph)
    return;
  answer->reply.lines = sonde_session_answer_alloc (answer, n * sizeof (guint32));
  answer->reply.n_lines = n;
  for (guint k = 0; k < n; k++)
    {
      const SondeStep *step = sonde_plan_get_step (plan, k);
      const SondeNode *last = step->n_nodes > 0 ? step->nodes[step->n_nodes - 1] : NULL;

      answer->reply.lines[k] = last != NULL ? line_of_node[last->id] : 0;
    }
}

static gboolean
handle_listing (SondeSessionServer *server, SondeSessionJob *job, SondeSessionAnswer *answer,
                GError **error)
{
  const Sonde__Session__WhichGraph *which = job->request->listing;
  SondeGraph *graph = pick_graph (server, which, error);
  g_autofree guint *line_of_node = graph != NULL ? g_new0 (guint, graph->nodes->len + 1) : NULL;
  g_autofree char *text = NULL, *valid = NULL;

  if (graph == NULL)
    return FALSE;
  text = sonde_graph_listing (graph, line_of_node);
  valid = g_utf8_make_valid (text, -1);
  answer->reply.text = sonde_session_answer_strdup (answer, valid);
  if (!which->original)
    answer_lines (sonde_session_pick_frame (server, which->frame, NULL), answer, graph,
                  line_of_node);
  return TRUE;
}

static gboolean
handle_steps (SondeSessionServer *server, SondeSessionJob *job, SondeSessionAnswer *answer,
              GError **error)
{
  SondeExecution *execution = sonde_session_pick_frame (server, job->request->steps->frame, error);

  if (execution == NULL)
    return FALSE;
  sonde_session_answer_steps (answer, sonde_execution_get_plan (execution));
  return TRUE;
}

static gboolean
handle_values (SondeSessionServer *server, SondeSessionJob *job, SondeSessionAnswer *answer,
               GError **error)
{
  SondeExecution *execution = sonde_session_pick_frame (server, job->request->values->frame, error);

  if (execution == NULL)
    return FALSE;
  sonde_session_answer_values (answer, execution, job->request->values->glob);
  return TRUE;
}

/* ---- the table ----------------------------------------------------------- */

/**
 * Handler: one request
 * @control: only the client in control may ask it
 * @open: something must be open
 * @status: the reply carries the status
 */
typedef struct
{
  gboolean (*handle) (SondeSessionServer *server, SondeSessionJob *job, SondeSessionAnswer *answer,
                      GError **error);
  gboolean control, open, status;
} Handler;

static const Handler handlers[] = {
  [SONDE__SESSION__REQUEST__BODY_STATUS] = { handle_status, FALSE, FALSE, TRUE },
  [SONDE__SESSION__REQUEST__BODY_OPEN] = { handle_open, TRUE, FALSE, TRUE },
  [SONDE__SESSION__REQUEST__BODY_RESUME] = { handle_resume, TRUE, TRUE, FALSE },
  [SONDE__SESSION__REQUEST__BODY_PAUSE] = { handle_pause, TRUE, TRUE, FALSE },
  [SONDE__SESSION__REQUEST__BODY_RESTART] = { handle_restart, TRUE, TRUE, TRUE },
  [SONDE__SESSION__REQUEST__BODY_GO_BACK] = { sonde_session_handle_go_back, TRUE, TRUE, FALSE },
  [SONDE__SESSION__REQUEST__BODY_REWIND] = { sonde_session_handle_rewind, TRUE, TRUE, FALSE },
  [SONDE__SESSION__REQUEST__BODY_QUIT] = { handle_quit, TRUE, FALSE, FALSE },
  [SONDE__SESSION__REQUEST__BODY_LIST_BREAKPOINTS]
  = { sonde_session_handle_list_breakpoints, FALSE, TRUE, FALSE },
  [SONDE__SESSION__REQUEST__BODY_ADD_BREAKPOINT]
  = { sonde_session_handle_add_breakpoint, TRUE, TRUE, FALSE },
  [SONDE__SESSION__REQUEST__BODY_REMOVE_BREAKPOINT]
  = { sonde_session_handle_remove_breakpoint, TRUE, TRUE, FALSE },
  [SONDE__SESSION__REQUEST__BODY_ENABLE_BREAKPOINT]
  = { sonde_session_handle_enable_breakpoint, TRUE, TRUE, FALSE },
  [SONDE__SESSION__REQUEST__BODY_IGNORE_BREAKPOINT]
  = { sonde_session_handle_ignore_breakpoint, TRUE, TRUE, FALSE },
  [SONDE__SESSION__REQUEST__BODY_GRAPH] = { handle_graph, FALSE, TRUE, FALSE },
  [SONDE__SESSION__REQUEST__BODY_LISTING] = { handle_listing, FALSE, TRUE, FALSE },
  [SONDE__SESSION__REQUEST__BODY_STEPS] = { handle_steps, FALSE, TRUE, FALSE },
  [SONDE__SESSION__REQUEST__BODY_VALUES] = { handle_values, FALSE, TRUE, FALSE },
  [SONDE__SESSION__REQUEST__BODY_FRAMES] = { sonde_session_handle_frames, FALSE, TRUE, FALSE },
  [SONDE__SESSION__REQUEST__BODY_SELECT_FRAME]
  = { sonde_session_handle_select_frame, TRUE, TRUE, FALSE },
  [SONDE__SESSION__REQUEST__BODY_STATISTICS] = { sonde_session_handle_read, FALSE, TRUE, FALSE },
  [SONDE__SESSION__REQUEST__BODY_HISTOGRAM] = { sonde_session_handle_read, FALSE, TRUE, FALSE },
  [SONDE__SESSION__REQUEST__BODY_TENSOR] = { sonde_session_handle_read, FALSE, TRUE, FALSE },
  [SONDE__SESSION__REQUEST__BODY_ORIGIN] = { sonde_session_handle_origin, FALSE, TRUE, FALSE },
  [SONDE__SESSION__REQUEST__BODY_REDUCE] = { sonde_session_handle_reduce, FALSE, TRUE, FALSE },
  [SONDE__SESSION__REQUEST__BODY_SAVE] = { sonde_session_handle_read, FALSE, TRUE, FALSE },
  [SONDE__SESSION__REQUEST__BODY_BRANCH] = { sonde_session_handle_branch, FALSE, TRUE, TRUE },
  [SONDE__SESSION__REQUEST__BODY_RERUN] = { sonde_session_handle_rerun, TRUE, TRUE, FALSE },
  [SONDE__SESSION__REQUEST__BODY_DIFF] = { sonde_session_handle_diff, FALSE, TRUE, FALSE },
  [SONDE__SESSION__REQUEST__BODY_CHANGE_NODE]
  = { sonde_session_handle_change_node, TRUE, TRUE, TRUE },
  [SONDE__SESSION__REQUEST__BODY_EVALUATE] = { sonde_session_handle_evaluate, FALSE, TRUE, FALSE },
  [SONDE__SESSION__REQUEST__BODY_ADD_WATCH] = { sonde_session_handle_add_watch, TRUE, TRUE, FALSE },
  [SONDE__SESSION__REQUEST__BODY_LIST_WATCHES]
  = { sonde_session_handle_list_watches, FALSE, TRUE, FALSE },
  [SONDE__SESSION__REQUEST__BODY_LIST_WATCH_HITS]
  = { sonde_session_handle_list_watch_hits, FALSE, TRUE, FALSE },
  [SONDE__SESSION__REQUEST__BODY_RECHECK] = { sonde_session_handle_recheck, FALSE, TRUE, FALSE },
  [SONDE__SESSION__REQUEST__BODY_CAPTURE] = { sonde_session_handle_capture, FALSE, TRUE, FALSE },
  [SONDE__SESSION__REQUEST__BODY_SET] = { sonde_session_handle_set, TRUE, TRUE, FALSE },
  [SONDE__SESSION__REQUEST__BODY_DIVERGE] = { sonde_session_handle_diverge, TRUE, TRUE, FALSE },
  [SONDE__SESSION__REQUEST__BODY_CALL] = { sonde_session_handle_call, TRUE, FALSE, FALSE },
  [SONDE__SESSION__REQUEST__BODY_PRECISION] = { sonde_session_handle_precision, TRUE, TRUE, FALSE },
};

static gboolean
handle (SondeSessionServer *server, SondeSessionJob *job, SondeSessionAnswer *answer,
        const Handler *handler, GError **error)
{
  if (handler == NULL || handler->handle == NULL)
    {
      g_set_error_literal (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_UNSUPPORTED,
                           "This engine does not know that request.");
      return FALSE;
    }
  if (handler->control && !job->in_control)
    return set_state_error (
        error, "Another client is in control of this session; this one may only look.");
  if (handler->open && server->activity == NULL)
    return set_state_error (error, "Nothing is open in this session.");
  return handler->handle (server, job, answer, error);
}

/* Room for the whole of @bytes on its way to @peer. */
static gboolean
has_room (const SondeSessionPeer *peer, guint64 bytes)
{
  if (peer->channel.queued_fds >= SONDE_SESSION_UNREAD_VALUES)
    return FALSE;
  return peer->outside == 0
         || bytes <= SONDE_SESSION_MEMORY_BYTES - MIN (peer->outside, SONDE_SESSION_MEMORY_BYTES);
}

static guint64
outside_bytes (const Sonde__Session__Reply *reply)
{
  if (reply->data != NULL && reply->data->outside)
    return reply->data->outside_bytes;
  return reply->tensor != NULL && reply->tensor->data != NULL && reply->tensor->data->outside
             ? reply->tensor->data->outside_bytes
             : 0;
}

void
sonde_session_reply (SondeSessionServer *server, guint64 id_of_peer, guint32 id,
                     SondeSessionAnswer *answer)
{
  Sonde__Session__Message message = SONDE__SESSION__MESSAGE__INIT;
  Sonde__Session__Reply small = SONDE__SESSION__REPLY__INIT;
  Sonde__Session__Error error = SONDE__SESSION__ERROR__INIT;
  SondeSessionPeer *peer;

  message.body_case = SONDE__SESSION__MESSAGE__BODY_REPLY;
  message.reply = &answer->reply;
  answer->reply.id = id;
  answer->reply.state = server->state;
  pthread_mutex_lock (&server->lock);
  peer = sonde_session_find_peer (server, id_of_peer);
  if (peer != NULL)
    {
      peer->pending -= MIN (peer->pending, 1);
      if (answer->memfd >= 0 && !has_room (peer, outside_bytes (&answer->reply)))
        {
          error.code = SONDE_ENGINE_ERROR_MEMORY;
          error.message = (char *) "Values that were asked for before are still on their way; take "
                                   "those first.";
          small.id = id;
          small.error = &error;
          message.reply = &small;
        }
      else if (answer->memfd >= 0)
        peer->outside += outside_bytes (&answer->reply);
      sonde_session_send (server, peer, &message, message.reply == &small ? -1 : answer->memfd);
      if (message.reply != &small)
        answer->memfd = -1; /* taken */
    }
  pthread_mutex_unlock (&server->lock);
}

/* Copies the published status into the answer, so that it is packed without the lock. */
static void
add_status (SondeSessionServer *server, SondeSessionJob *job, SondeSessionAnswer *answer)
{
  answer->reply.status = sonde_session_answer_alloc (answer, sizeof (Sonde__Session__Status));
  pthread_mutex_lock (&server->lock);
  server->status->has_controller = server->controller != 0;
  if (server->status->stop.frames != NULL)
    g_ptr_array_add (answer->frames, g_ptr_array_ref (server->status->stop.frames));
  sonde_session_fill_status (server->status, server->controller == job->peer, answer->reply.status,
                             sonde_session_answer_alloc (answer, sizeof (Sonde__Session__Stop)),
                             answer->garbage);
  pthread_mutex_unlock (&server->lock);
}

void
sonde_session_handle (SondeSessionServer *server, SondeSessionJob *job)
{
  guint kind = (guint) job->request->body_case;
  const Handler *handler = kind < G_N_ELEMENTS (handlers) ? &handlers[kind] : NULL;
  g_autoptr (GError) error = NULL;
  SondeSessionAnswer answer;

  sonde_session_answer_init (&answer);
  if (!handle (server, job, &answer, handler, &error))
    {
      sonde_session_answer_clear (&answer);
      sonde_session_answer_init (&answer);
      if (error == NULL) /* a fault of ours, which is no reason to take the run down */
        set_state_error (&error, "The engine could not do that and gave no reason.");
      sonde_session_answer_error (&answer, error);
    }
  else if (handler->status)
    add_status (server, job, &answer);
  if (!answer.later)
    sonde_session_reply (server, job->peer, job->id, &answer);
  sonde_session_answer_clear (&answer);
  sonde_session_job_free (job);
}
