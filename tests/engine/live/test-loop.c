/* SPDX-License-Identifier: Apache-2.0
 * A session's server in a loop that is not the engine's: a toy training of three nodes a step, and
 * a real client over a socket pair. Linked without plan, passes and devices: that it links is a
 * test, too. */
#include "engine/session/server/sonde-session-live.h"

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/socket.h>
#include <unistd.h>

#include "engine/session/client/sonde-session-client.h"

#define TIMEOUT_MS 20000
#define N_VALUES 3
#define BAD_STEP 5 /* in which c is NaN */

/* ---- the loop ------------------------------------------------------------ */

typedef struct
{
  SondeLiveLoop *loop;
  SondeSessionServer *server;
  SondeSessionClient *client;
  pthread_t thread;
  _Atomic gboolean ends;
  _Atomic guint64 n_steps;
  guint64 step;
  gboolean made[N_VALUES]; /* in this step */
} Toy;

static const char *const names[] = { "a", "b", "c", NULL };

/* a is [step, step + 1, step + 2], b twice and c four times that. */
static double
number_of (guint k, guint64 step, gint64 i)
{
  return k == 2 && step == BAD_STEP && i == 1 ? NAN : (double) ((step + (guint64) i) << k);
}

static SondeTensor *
get_value (gpointer data, const char *name, gboolean previous, GError **error)
{
  Toy *toy = data;
  SondeShape three = sonde_shape_make (1, 3);

  for (guint k = 0; k < N_VALUES; k++)
    if (g_str_equal (name, names[k]))
      {
        SondeTensor *tensor;

        if (!toy->made[k] || previous)
          {
            g_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_STATE,
                         "“%s” is not there yet.", name);
            return NULL;
          }
        tensor = sonde_tensor_new (SONDE_DTYPE_F32, &three);
        for (gint64 i = 0; i < 3; i++)
          sonde_tensor_set_double (tensor, i, number_of (k, toy->step, i));
        return tensor;
      }
  g_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_NOT_FOUND, "There is no value “%s”.",
               name);
  return NULL;
}

static char **
list_nodes (gpointer data)
{
  return g_strdupv ((char **) names);
}

static const SondeLiveHooks hooks = { .list_nodes = list_nodes, .get_value = get_value };

static void
run_step (Toy *toy, guint64 step)
{
  toy->step = step;
  sonde_live_loop_begin_step (toy->loop, step);
  for (guint k = 0; k < N_VALUES; k++)
    toy->made[k] = FALSE;
  for (guint k = 0; k < N_VALUES; k++)
    {
      const char *const outputs[] = { names[k], NULL };
      const SondeLiveNode node = {
        .name = names[k], .op = k == 0 ? "Read" : "Double", .scope = "toy", .outputs = outputs
      };

      sonde_live_loop_pass (toy->loop, &node, SONDE_MOMENT_BEFORE);
      toy->made[k] = TRUE;
      sonde_live_loop_pass (toy->loop, &node, SONDE_MOMENT_AFTER);
    }
  atomic_fetch_add (&toy->n_steps, 1);
}

static void *
run (void *data)
{
  Toy *toy = data;

  sonde_session_server_join_loop (toy->server, toy->loop, "toy", NULL, NULL);
  sonde_session_server_stand (toy->server); /* before the first node */
  for (guint64 step = 1; !atomic_load (&toy->ends); step++)
    run_step (toy, step);
  sonde_session_server_leave_loop (toy->server);
  return NULL;
}

/* ---- the client ---------------------------------------------------------- */

static SondeSessionReply *
call (Toy *toy, SondeSessionRequest *request)
{
  g_autoptr (GError) error = NULL;
  SondeSessionReply *reply = sonde_session_client_call (toy->client, request, TIMEOUT_MS, &error);

  g_assert_no_error (error);
  return reply;
}

static void
call_fails (Toy *toy, SondeSessionRequest *request, int code)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeSessionReply) reply
      = sonde_session_client_call (toy->client, request, TIMEOUT_MS, &error);

  g_assert_null (reply);
  g_assert_error (error, SONDE_ENGINE_ERROR, code);
}

static void
do_call (Toy *toy, SondeSessionRequest *request)
{
  g_autoptr (SondeSessionReply) reply = call (toy, request);

  g_assert_nonnull (reply);
}

/* The next stop. (transfer full) */
static SondeSessionEvent *
wait_for_stop (Toy *toy)
{
  while (TRUE)
    {
      g_autoptr (SondeSessionEvent) event
          = sonde_session_client_wait_event (toy->client, TIMEOUT_MS);

      g_assert_nonnull (event);
      if (event->kind == SONDE_SESSION_EVENT_STOPPED)
        return g_steal_pointer (&event);
    }
}

static void
pass_stop (Toy *toy)
{
  sonde_session_event_free (wait_for_stop (toy));
}

static void
resume (Toy *toy, SondeResumeKind kind, const char *target)
{
  const SondeResume how = { .kind = kind, .target = target };

  do_call (toy, sonde_session_request_resume (&how));
}

static void
add_breakpoint (Toy *toy, const char *pattern, const char *condition)
{
  const SondeBreakpointSpec spec = { .pattern = pattern, .condition = condition };

  do_call (toy, sonde_session_request_add_breakpoint (&spec));
}

static void
start (Toy *toy)
{
  const SondeSessionServerOptions options = { 0 };
  g_autoptr (GError) error = NULL;
  int ends[2];

  *toy = (Toy){ .loop = sonde_live_loop_new (&hooks, toy) };
  toy->server = sonde_session_server_new (&options, &error);
  g_assert_no_error (error);
  g_assert_cmpint (socketpair (AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), ==, 0);
  g_assert_true (sonde_session_server_add_fd (toy->server, ends[1], &error));
  toy->client = sonde_session_client_new_fd (ends[0], &error);
  g_assert_no_error (error);
  g_assert_cmpint (pthread_create (&toy->thread, NULL, run, toy), ==, 0);
  pass_stop (toy); /* before the first node */
}

static void
finish (Toy *toy)
{
  atomic_store (&toy->ends, TRUE);
  sonde_session_server_quit (toy->server); /* it stands no longer */
  pthread_join (toy->thread, NULL);
  g_clear_object (&toy->client);
  sonde_session_server_free (toy->server);
  sonde_live_loop_free (toy->loop);
}

/* ---- tests --------------------------------------------------------------- */

/* It stands until somebody resumes, and again at a breakpoint, where values can be asked for. */
static void
test_breakpoint (void)
{
  Toy toy;

  start (&toy);
  g_assert_cmpuint (atomic_load (&toy.n_steps), ==, 0);
  add_breakpoint (&toy, "b", "step >= 3");
  resume (&toy, SONDE_RESUME_CONTINUE, NULL);
  {
    g_autoptr (SondeSessionEvent) event = wait_for_stop (&toy);
    const SondeStop *stop = &event->status->stop;

    g_assert_cmpint (event->status->state, ==, SONDE_SESSION_PAUSED);
    g_assert_cmpstr (event->status->facts.title, ==, "toy");
    g_assert_cmpint (stop->reason, ==, SONDE_STOP_BREAKPOINT);
    g_assert_cmpstr (stop->node, ==, "b");
    g_assert_cmpuint (stop->step, ==, 3);
    g_assert_cmpuint (stop->n_breakpoints, ==, 1);
  }
  g_assert_cmpuint (atomic_load (&toy.n_steps), ==, 2);
  {
    g_autoptr (SondeSessionReply) statistics = call (&toy, sonde_session_request_statistics ("a"));
    g_autoptr (SondeSessionReply) tensor = call (&toy, sonde_session_request_tensor ("a[1:]"));
    g_autoptr (SondeSessionReply) histogram = call (&toy, sonde_session_request_histogram ("a"));
    g_autoptr (SondeSessionReply) frames = call (&toy, sonde_session_request_frames ());

    g_assert_cmpfloat (statistics->statistics.min, ==, 3.0);
    g_assert_cmpfloat (statistics->statistics.mean, ==, 4.0);
    g_assert_cmpint (sonde_tensor_n_elements (tensor->tensor), ==, 2);
    g_assert_cmpfloat (sonde_tensor_get_double (tensor->tensor, 1), ==, 5.0);
    g_assert_nonnull (histogram->histogram);
    g_assert_cmpuint (frames->frames->len, ==, 1);
  }
  call_fails (&toy, sonde_session_request_tensor ("b"), SONDE_ENGINE_ERROR_STATE);
  call_fails (&toy, sonde_session_request_tensor ("nowhere"), SONDE_ENGINE_ERROR_NOT_FOUND);
  finish (&toy);
}

static void
test_expressions (void)
{
  Toy toy;

  start (&toy);
  resume (&toy, SONDE_RESUME_UNTIL, "step:4");
  pass_stop (&toy);
  resume (&toy, SONDE_RESUME_STEP, NULL);
  pass_stop (&toy);
  {
    g_autoptr (SondeSessionReply) holds = call (
        &toy, sonde_session_request_evaluate ("mean(a) > 4", SONDE_SESSION_WANT_CHECKED, NULL));
    g_autoptr (SondeSessionReply) unknown = call (
        &toy, sonde_session_request_evaluate ("mean(c) > 4", SONDE_SESSION_WANT_CHECKED, NULL));

    g_assert_true (holds->truth);
    g_assert_nonnull (holds->explanation);
    g_assert_true (unknown->unknown);
  }
  finish (&toy);
}

/* A watch stops where a value meets it. */
static void
test_watch (void)
{
  Toy toy;

  start (&toy);
  do_call (&toy, sonde_session_request_add_watch ("preset tensor_overflow"));
  resume (&toy, SONDE_RESUME_CONTINUE, NULL);
  {
    g_autoptr (SondeSessionEvent) event = wait_for_stop (&toy);
    const SondeStop *stop = &event->status->stop;
    const SondeWatchHit *hit;

    g_assert_cmpint (stop->reason, ==, SONDE_STOP_WATCHPOINT);
    g_assert_cmpuint (stop->step, ==, BAD_STEP);
    g_assert_cmpint (stop->moment, ==, SONDE_MOMENT_AFTER);
    g_assert_cmpuint (stop->watchpoints->len, ==, 1);
    hit = g_ptr_array_index (stop->watchpoints, 0);
    g_assert_cmpstr (hit->value, ==, "c");
    g_assert_cmpstr (hit->condition, ==, "tensor_overflow");
  }
  {
    g_autoptr (SondeSessionReply) hits = call (&toy, sonde_session_request_list_watch_hits (0));
    g_autoptr (SondeSessionReply) nan
        = call (&toy, sonde_session_request_evaluate ("nan(c)", SONDE_SESSION_WANT_CHECKED, NULL));

    g_assert_cmpuint (hits->watch_hits->len, ==, 1);
    g_assert_true (nan->truth);
  }
  finish (&toy);
}

/* A loop that runs is asked between two nodes, and can be paused. */
static void
test_running (void)
{
  Toy toy;

  start (&toy);
  resume (&toy, SONDE_RESUME_CONTINUE, NULL);
  do_call (&toy, sonde_session_request_list_breakpoints ());
  do_call (&toy, sonde_session_request_pause ());
  {
    g_autoptr (SondeSessionEvent) event = wait_for_stop (&toy);

    g_assert_cmpint (event->status->stop.reason, ==, SONDE_STOP_PAUSE);
  }
  finish (&toy);
}

/* What only the engine can do, and names that are nearly right. */
static void
test_refused (void)
{
  const SondeBreakpointSpec wrong = { .pattern = "bb" };
  const SondeResume into = { .kind = SONDE_RESUME_INTO };
  Toy toy;

  start (&toy);
  call_fails (&toy, sonde_session_request_branch (SONDE_BRANCH_LIST, NULL),
              SONDE_ENGINE_ERROR_UNSUPPORTED);
  call_fails (&toy, sonde_session_request_restart (), SONDE_ENGINE_ERROR_UNSUPPORTED);
  call_fails (&toy, sonde_session_request_resume (&into), SONDE_ENGINE_ERROR_UNSUPPORTED);
  call_fails (&toy, sonde_session_request_add_breakpoint (&wrong), SONDE_ENGINE_ERROR_NOT_FOUND);
  call_fails (&toy, sonde_session_request_remove_breakpoint (7), SONDE_ENGINE_ERROR_NOT_FOUND);
  call_fails (&toy,
              sonde_session_request_add_watch ("preset weight_change_too_large "
                                               "abs_mean_update_ratio_gt=1"),
              SONDE_ENGINE_ERROR_UNSUPPORTED);
  finish (&toy);
}

/* The debugger that held it is lost: breakpoints go, and the loop goes on. */
static void
test_lost (void)
{
  Toy toy;
  guint64 before;

  start (&toy);
  add_breakpoint (&toy, "op:Double", NULL);
  resume (&toy, SONDE_RESUME_CONTINUE, NULL);
  pass_stop (&toy);
  before = atomic_load (&toy.n_steps);
  g_clear_object (&toy.client);
  while (atomic_load (&toy.n_steps) < before + 10)
    g_thread_yield ();
  finish (&toy);
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/engine/live/loop/breakpoint", test_breakpoint);
  g_test_add_func ("/engine/live/loop/expressions", test_expressions);
  g_test_add_func ("/engine/live/loop/watch", test_watch);
  g_test_add_func ("/engine/live/loop/running", test_running);
  g_test_add_func ("/engine/live/loop/refused", test_refused);
  g_test_add_func ("/engine/live/loop/lost", test_lost);
  return g_test_run ();
}
