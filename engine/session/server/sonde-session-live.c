/* SPDX-License-Identifier: Apache-2.0
 * A session's server in a loop that is not ours. */
#include "engine/session/server/sonde-session-live.h"

#include <errno.h>
#include <string.h>
#include <time.h>

#include "engine/live/sonde-assign.h"
#include "engine/session/server/sonde-serve-answer.h"
#include "engine/session/server/sonde-serve-loop.h"
#include "engine/session/server/sonde-serve-table.h"

#define SLICE_NS 100000000L /* of a pause, between two questions whether it may go on */

static SondeJoinedLoop *
joined_of (SondeSessionServer *server)
{
  return (SondeJoinedLoop *) server->service;
}

/* ---- requests that are answered otherwise than by the engine ------------- */

/* A client cannot end a process that is not its own: it goes, and the run goes on. */
static gboolean
serve_quit (SondeSessionServer *server, SondeSessionJob *job, SondeSessionAnswer *answer,
            GError **error)
{
  sonde_live_loop_let_go (joined_of (server)->loop);
  sonde_session_server_go_on (server);
  return TRUE;
}

/* The value of @text, which may be a slice, or any expression. */
static gboolean
evaluate (SondeSessionServer *server, SondeExpression *expression, SondeExpressionResult *result,
          GError **error)
{
  return sonde_expression_evaluate (
      expression, sonde_live_loop_get_source (joined_of (server)->loop), result, error);
}

/* One value, or a slice of it, as it is: not as the number that calculating makes of a scalar. */
static SondeTensor *
read_reference (SondeSessionServer *server, SondeExpression *expression, GError **error)
{
  SondeExpressionSource *source = sonde_live_loop_get_source (joined_of (server)->loop);
  const SondeReference *reference = sonde_expression_get_reference (expression, 0);
  g_autoptr (SondeTensor) whole = source->get_tensor (source, reference, error);

  return whole != NULL ? sonde_tensor_slice (whole, reference->slice, error) : NULL;
}

/* An expression, a value of its own or a slice of one. (transfer full) */
static SondeTensor *
read_expression (SondeSessionServer *server, const char *text, GError **error)
{
  g_autoptr (SondeExpression) expression = sonde_expression_parse (text, error);
  g_auto (SondeExpressionResult) result = { 0 };

  if (expression == NULL)
    return NULL;
  if (sonde_expression_is_reference (expression))
    return read_reference (server, expression, error);
  return evaluate (server, expression, &result, error) ? sonde_serve_dup_result (&result) : NULL;
}

/* The value of that very name, which may look like a number ("0" in a sequence), else as an
 * expression. (transfer full) */
static SondeTensor *
read_value (SondeSessionServer *server, const char *text, GError **error)
{
  SondeExpressionSource *source = sonde_live_loop_get_source (joined_of (server)->loop);
  const SondeReference reference = { .name = text };
  g_autoptr (GError) failure = NULL;
  SondeTensor *tensor = source->get_tensor (source, &reference, &failure);

  if (tensor != NULL)
    return tensor;
  if (g_error_matches (failure, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_NOT_FOUND))
    return read_expression (server, text, error);
  g_propagate_error (error, g_steal_pointer (&failure));
  return NULL;
}

static gboolean
save (SondeSessionServer *server, SondeTensor *tensor, const char *path, SondeSessionAnswer *answer,
      GError **error)
{
  if (!sonde_session_check_path (path, error)
      || !sonde_live_loop_save (joined_of (server)->loop, tensor, path, error))
    return FALSE;
  answer->reply.path = sonde_codec_text (answer->memory, path);
  sonde_codec_write_reading_form (answer, tensor->dtype, &tensor->shape);
  return TRUE;
}

static gboolean
serve_read (SondeSessionServer *server, SondeSessionJob *job, SondeSessionAnswer *answer,
            GError **error)
{
  const Sonde__Session__Value *asked = sonde_codec_read_value_request (job->request);
  g_autoptr (SondeTensor) tensor = read_value (server, asked->expression, error);

  if (tensor == NULL)
    return FALSE;
  sonde_codec_write_reading_name (answer, asked->expression);
  if (job->request->body_case == SONDE__SESSION__REQUEST__BODY_SAVE)
    return save (server, tensor, asked->path, answer, error);
  if (job->request->body_case == SONDE__SESSION__REQUEST__BODY_HISTOGRAM)
    return sonde_serve_answer_histogram (answer, asked->expression, tensor, error);
  return sonde_serve_answer_wanted (answer,
                                    job->request->body_case
                                            == SONDE__SESSION__REQUEST__BODY_STATISTICS
                                        ? SONDE_SESSION_WANT_STATISTICS
                                        : SONDE_SESSION_WANT_TENSOR,
                                    tensor, error);
}

static gboolean
serve_evaluate (SondeSessionServer *server, SondeSessionJob *job, SondeSessionAnswer *answer,
                GError **error)
{
  const Sonde__Session__Evaluate *asked = job->request->evaluate;
  g_autoptr (SondeExpression) expression = NULL;
  g_auto (SondeExpressionResult) result = { 0 };
  g_autoptr (SondeTensor) tensor = NULL;
  g_autoptr (GError) failure = NULL;
  g_autoptr (SondeMessage) explanation = NULL;
  gboolean checked = asked->want == SONDE_SESSION_WANT_CHECKED;

  if (asked->want > SONDE_SESSION_WANT_CHECKED)
    return sonde_session_refuse (error, "Values of this run cannot be used in that way.");
  expression = sonde_expression_parse (asked->expression, error);
  if (expression == NULL)
    return FALSE;
  sonde_codec_write_reading_name (answer, asked->expression);
  if (!evaluate (server, expression, &result, &failure))
    {
      if (checked && g_error_matches (failure, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_STATE))
        return sonde_serve_answer_unknown (answer, failure);
      g_propagate_error (error, g_steal_pointer (&failure));
      return FALSE;
    }
  if (checked)
    explanation = sonde_expression_explain (
        expression, sonde_live_loop_get_source (joined_of (server)->loop), NULL);
  sonde_codec_write_reading_truth (answer, result.truth, FALSE, explanation);
  tensor = sonde_serve_dup_result (&result);
  if (asked->want == SONDE_SESSION_WANT_SAVED)
    return save (server, tensor, asked->path, answer, error);
  return sonde_serve_answer_wanted (answer, asked->want, tensor, error);
}

static gboolean
serve_listing (SondeSessionServer *server, SondeSessionJob *job, SondeSessionAnswer *answer,
               GError **error)
{
  g_autoptr (GPtrArray) steps = sonde_live_loop_list_steps (joined_of (server)->loop, error);
  g_autofree guint *lines = NULL;
  g_autofree char *text = NULL;

  if (steps == NULL)
    return FALSE;
  lines = g_new (guint, steps->len + 1);
  for (guint i = 0; i < steps->len; i++)
    lines[i] = i + 1;
  text = sonde_live_loop_dup_listing (steps);
  sonde_codec_write_listing (answer, text, lines, steps->len);
  return TRUE;
}

static gboolean
serve_steps (SondeSessionServer *server, SondeSessionJob *job, SondeSessionAnswer *answer,
             GError **error)
{
  g_autoptr (GPtrArray) steps = sonde_live_loop_list_steps (joined_of (server)->loop, error);

  if (steps != NULL)
    sonde_codec_write_steps (answer, steps);
  return steps != NULL;
}

static gboolean
serve_values (SondeSessionServer *server, SondeSessionJob *job, SondeSessionAnswer *answer,
              GError **error)
{
  g_autoptr (GPtrArray) values
      = sonde_live_loop_list_values (joined_of (server)->loop, job->request->values->glob, error);

  if (values != NULL)
    sonde_codec_write_values (answer, values);
  return values != NULL;
}

/* A number, "file:PATH" or an expression. (transfer full) */
static SondeTensor *
read_source (SondeSessionServer *server, const char *what, GError **error)
{
  SondeTensor *number = sonde_assign_parse_number (what);

  if (number != NULL)
    return number;
  if (!g_str_has_prefix (what, "file:"))
    return read_expression (server, what, error);
  what += strlen ("file:");
  return sonde_session_check_path (what, error)
             ? sonde_live_loop_load (joined_of (server)->loop, what, error)
             : NULL;
}

static gboolean
serve_set (SondeSessionServer *server, SondeSessionJob *job, SondeSessionAnswer *answer,
           GError **error)
{
  const Sonde__Session__SetValue *asked = job->request->set;
  g_autofree char *text = g_strdup_printf ("set %s = %s", asked->target, asked->what);
  g_autoptr (GPtrArray) edits = g_ptr_array_new ();
  g_autoptr (SondeTensor) source = NULL;
  g_autoptr (SondeEdit) edit = NULL;

  if (server->state == SONDE_SESSION_RUNNING)
    return sonde_session_refuse (error, "Pause the run before changing it.");
  source = read_source (server, asked->what, error);
  if (source != NULL)
    edit = sonde_live_loop_set (joined_of (server)->loop, asked->target, source, text, error);
  if (edit == NULL)
    return FALSE;
  g_ptr_array_add (edits, edit);
  sonde_codec_write_edits (answer, edits);
  sonde_session_publish (server);
  sonde_session_tell (server, SONDE_SESSION_EVENT_EDITED, TRUE, text);
  return TRUE;
}

/* ---- the service --------------------------------------------------------- */

#define ROW(body, name, flags)                                                                     \
  [SONDE__SESSION__REQUEST__BODY_##body] = { sonde_serve_##name, flags },

static const SondeServeRow rows[] = {
  SONDE_SESSION_REQUESTS_STATUS (ROW) SONDE_SESSION_REQUESTS_BREAKPOINTS (ROW)
      SONDE_SESSION_REQUESTS_WATCHES (ROW)
          SONDE_SESSION_REQUESTS_FRAMES (ROW)[SONDE__SESSION__REQUEST__BODY_RESUME]
  = { sonde_serve_resume, SONDE_NEEDS_OPEN | SONDE_NEEDS_CONTROL },
  [SONDE__SESSION__REQUEST__BODY_PAUSE]
  = { sonde_serve_pause, SONDE_NEEDS_OPEN | SONDE_NEEDS_CONTROL },
  [SONDE__SESSION__REQUEST__BODY_QUIT] = { serve_quit, SONDE_NEEDS_OPEN | SONDE_NEEDS_CONTROL },
  [SONDE__SESSION__REQUEST__BODY_STATISTICS] = { serve_read, SONDE_NEEDS_OPEN },
  [SONDE__SESSION__REQUEST__BODY_HISTOGRAM] = { serve_read, SONDE_NEEDS_OPEN },
  [SONDE__SESSION__REQUEST__BODY_TENSOR] = { serve_read, SONDE_NEEDS_OPEN },
  [SONDE__SESSION__REQUEST__BODY_SAVE] = { serve_read, SONDE_NEEDS_OPEN },
  [SONDE__SESSION__REQUEST__BODY_EVALUATE] = { serve_evaluate, SONDE_NEEDS_OPEN },
  [SONDE__SESSION__REQUEST__BODY_LISTING] = { serve_listing, SONDE_NEEDS_OPEN },
  [SONDE__SESSION__REQUEST__BODY_STEPS] = { serve_steps, SONDE_NEEDS_OPEN },
  [SONDE__SESSION__REQUEST__BODY_VALUES] = { serve_values, SONDE_NEEDS_OPEN },
  SONDE_LOOP_REQUESTS (ROW)[SONDE__SESSION__REQUEST__BODY_SET]
  = { serve_set, SONDE_NEEDS_OPEN | SONDE_NEEDS_CONTROL },
};

static void
fill_status (SondeSessionService *service, SondeSessionStatus *status)
{
  const SondeJoinedLoop *joined = (const SondeJoinedLoop *) service;
  SondeLiveTarget *target = service->server->target;
  SondeStop stop;

  target->klass->get_stop (target, &stop);
  g_free (status->facts.title);
  status->facts.title = g_strdup (joined->title);
  status->facts.kind = joined->kind;
  status->facts.steps_before = joined->steps_before;
  status->facts.step = stop.step;
}

static void
free_joined (SondeSessionService *service)
{
  SondeSessionServer *server = service->server;
  SondeJoinedLoop *joined = (SondeJoinedLoop *) service;

  pthread_mutex_lock (&server->lock);
  server->running = FALSE;
  server->target = NULL;
  pthread_mutex_unlock (&server->lock);
  sonde_live_loop_set_log (joined->loop, NULL, NULL);
  g_free (joined->title);
  g_free (joined);
}

static const SondeSessionServiceClass service_class = {
  .rows = rows,
  .n_rows = G_N_ELEMENTS (rows),
  .fill_status = fill_status,
  .free = free_joined,
};

/* ---- standing ------------------------------------------------------------ */

static gboolean
stands (const SondeSessionServer *server)
{
  return server->state == SONDE_SESSION_PAUSED || server->state == SONDE_SESSION_READY;
}

/* The lock is held. */
static void
wait_for_job (SondeSessionServer *server)
{
  struct timespec end;

  clock_gettime (CLOCK_REALTIME, &end);
  end.tv_nsec += SLICE_NS;
  if (end.tv_nsec >= 1000000000L)
    {
      end.tv_sec++;
      end.tv_nsec -= 1000000000L;
    }
  while (g_queue_is_empty (&server->jobs) && !atomic_load (&server->quitting)
         && pthread_cond_timedwait (&server->work, &server->lock, &end) != ETIMEDOUT)
    ;
}

void
sonde_session_server_go_on (SondeSessionServer *server)
{
  const SondeResume on = { .kind = SONDE_RESUME_CONTINUE };

  if (stands (server) && server->target->klass->resume (server->target, &on, NULL))
    sonde_session_set_state (server, SONDE_SESSION_RUNNING, SONDE_SESSION_EVENT_RESUMED);
}

/* A client is gone; with the one in control, or the last, go breakpoints and the pause. */
static void
handle_lost (SondeSessionServer *server, SondeSessionJob *job)
{
  gboolean last;

  pthread_mutex_lock (&server->lock);
  last = server->peers->len == 0;
  pthread_mutex_unlock (&server->lock);
  if (job->in_control || last)
    {
      sonde_live_loop_let_go (joined_of (server)->loop);
      sonde_session_server_go_on (server);
      sonde_session_tell (server, SONDE_SESSION_EVENT_CONTROL, TRUE, NULL);
    }
  sonde_session_job_free (job);
}

static void
handle_job (SondeSessionServer *server, SondeSessionJob *job)
{
  if (job->request != NULL)
    sonde_session_handle (server, job);
  else
    handle_lost (server, job);
}

/* The next job. @waits: a slice, where it stands. @runs: (out): there is none, and the loop goes on: what
 * is asked from now on interrupts it. */
static SondeSessionJob *
take_job (SondeSessionServer *server, gboolean waits, gboolean *runs)
{
  SondeSessionJob *job;

  pthread_mutex_lock (&server->lock);
  if (waits && stands (server))
    wait_for_job (server);
  job = g_queue_pop_head (&server->jobs);
  *runs = job == NULL && !stands (server);
  server->running = *runs;
  pthread_mutex_unlock (&server->lock);
  return job;
}

gboolean
sonde_session_server_stand (SondeSessionServer *server)
{
  SondeSessionJob *job;
  gboolean runs;

  if (server->state == SONDE_SESSION_RUNNING && server->target->klass->has_stopped (server->target))
    sonde_session_set_state (server, SONDE_SESSION_PAUSED, SONDE_SESSION_EVENT_STOPPED);
  job = take_job (server, TRUE, &runs);
  if (runs)
    sonde_live_loop_leave_place (joined_of (server)->loop);
  else if (job != NULL)
    handle_job (server, job);
  else if (atomic_load (&server->quitting))
    sonde_session_server_go_on (server);
  return !runs;
}

void
sonde_session_server_answer (SondeSessionServer *server)
{
  SondeSessionJob *job;
  gboolean runs;

  sonde_live_loop_forget_interrupt (joined_of (server)->loop);
  while ((job = take_job (server, FALSE, &runs)) != NULL)
    handle_job (server, job);
}

/* ---- joining and leaving ------------------------------------------------- */

void
sonde_session_server_join_loop (SondeSessionServer *server, SondeLiveLoop *loop,
                                SondeActivityKind kind, const char *title)
{
  SondeJoinedLoop *joined = g_new0 (SondeJoinedLoop, 1);

  *joined = (SondeJoinedLoop){ { &service_class, server }, loop, kind, g_strdup (title), 0 };
  sonde_live_loop_set_log (loop, sonde_session_tell_line, server);
  server->service = &joined->service;
  pthread_mutex_lock (&server->lock);
  server->target = sonde_live_loop_get_target (loop);
  pthread_mutex_unlock (&server->lock);
  sonde_session_set_state (server, SONDE_SESSION_RUNNING, SONDE_SESSION_EVENT_RESUMED);
  pthread_mutex_lock (&server->lock);
  server->running = TRUE;
  if (!g_queue_is_empty (&server->jobs)) /* asked before it ran */
    sonde_live_loop_interrupt (loop);
  pthread_mutex_unlock (&server->lock);
}

void
sonde_session_server_describe_loop (SondeSessionServer *server, const char *title,
                                    gint64 steps_before)
{
  SondeJoinedLoop *joined = joined_of (server);

  g_free (joined->title);
  joined->title = g_strdup (title);
  joined->steps_before = steps_before;
  sonde_session_publish (server);
}

void
sonde_session_server_wait_ready (SondeSessionServer *server)
{
  sonde_session_set_state (server, SONDE_SESSION_READY, SONDE_SESSION_EVENT_PROGRESS);
}

void
sonde_session_server_leave_loop (SondeSessionServer *server)
{
  if (joined_of (server) == NULL)
    return;
  sonde_live_loop_let_go (joined_of (server)->loop);
  server->end = SONDE_SESSION_DONE;
  pthread_mutex_lock (&server->lock);
  server->running = FALSE;
  pthread_mutex_unlock (&server->lock);
  sonde_session_set_state (server, SONDE_SESSION_ENDED, SONDE_SESSION_EVENT_ENDED);
  while (sonde_session_server_stand (server)) /* what was asked meanwhile */
    ;
  free_joined (g_steal_pointer (&server->service));
}
