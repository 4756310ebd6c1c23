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
  _Atomic gboolean asked;       /* by wake() */
  _Atomic gboolean between;     /* it answers between its steps, not at nodes */
  _Atomic gboolean interrupted; /* whoever stands wants to go on */
  _Atomic gboolean is_short;    /* c is not listed */
  _Atomic guint64 n_steps;
  guint64 step;
  gboolean made[N_VALUES]; /* in this step */
  double values[N_VALUES][3];
  char *saved; /* where a value was saved last */
  double saved_number;
} Toy;

static const char *const names[] = { "a", "b", "c", NULL };

/* a is [step, step + 1, step + 2], b twice a and c twice b. */
static void
make_value (Toy *toy, guint k)
{
  for (guint i = 0; i < 3; i++)
    toy->values[k][i] = k == 0 ? (double) (toy->step + i) : 2 * toy->values[k - 1][i];
  if (k == 2 && toy->step == BAD_STEP)
    toy->values[k][1] = NAN;
  toy->made[k] = TRUE;
}

static int
find_value (const char *name)
{
  for (int k = 0; k < N_VALUES; k++)
    if (g_str_equal (name, names[k]))
      return k;
  return -1;
}

static SondeTensor *
get_value (gpointer data, const char *name, gboolean previous, GError **error)
{
  Toy *toy = data;
  SondeShape three = sonde_shape_make (1, 3);

  int k = find_value (name);
  SondeTensor *tensor;

  if (k < 0)
    {
      sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_NOT_FOUND,
                       "There is no value “%s”.", name);
      return NULL;
    }
  if (!toy->made[k] || previous)
    {
      sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_STATE,
                       "“%s” is not there yet.", name);
      return NULL;
    }
  tensor = sonde_tensor_new (SONDE_DTYPE_F32, &three);
  for (gint64 i = 0; i < 3; i++)
    sonde_tensor_set_double (tensor, i, toy->values[k][i]);
  return tensor;
}

static gboolean
set_value (gpointer data, const char *name, SondeTensor *tensor, GError **error)
{
  Toy *toy = data;
  int k = find_value (name);

  if (k == 2)
    {
      sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_UNSUPPORTED,
                       "“%s” cannot be set.", name);
      return FALSE;
    }
  for (gint64 i = 0; i < 3; i++)
    toy->values[k][i] = sonde_tensor_get_double (tensor, i);
  return TRUE;
}

static gboolean
save_value (gpointer data, SondeTensor *tensor, const char *path, GError **error)
{
  Toy *toy = data;

  g_free (toy->saved);
  toy->saved = g_strdup (path);
  toy->saved_number = sonde_tensor_get_double (tensor, 0);
  return TRUE;
}

static const char *
op_of (guint k)
{
  return k == 0 ? "Read" : k == 1 ? "Double" : "Relu";
}

static GPtrArray *
list_steps (gpointer data)
{
  GPtrArray *steps = g_ptr_array_new_with_free_func ((GDestroyNotify) sonde_step_info_free);

  for (guint k = 0; k < N_VALUES - (guint) atomic_load (&((Toy *) data)->is_short); k++)
    {
      SondeStepInfo *step = g_new0 (SondeStepInfo, 1);

      step->name = g_strdup (names[k]);
      step->op = g_strdup (op_of (k));
      step->scope = g_strdup ("pair");
      step->inputs = g_strdupv ((char *[]){ (char *) (k > 0 ? names[k - 1] : NULL), NULL });
      step->outputs = g_strdupv ((char *[]){ (char *) names[k], NULL });
      step->types = g_strdupv ((char *[]){ k == 2 ? "float32 3" : NULL, NULL });
      g_ptr_array_add (steps, step);
    }
  return steps;
}

static GPtrArray *
list_values (gpointer data)
{
  Toy *toy = data;
  GPtrArray *values = g_ptr_array_new_with_free_func ((GDestroyNotify) sonde_value_info_free);

  for (guint k = 0; k < N_VALUES; k++)
    {
      SondeValueInfo *value = g_new0 (SondeValueInfo, 1);

      value->name = g_strdup (names[k]);
      value->type = g_strdup ("float32 3");
      value->producer = g_strdup (names[k]);
      value->available = toy->made[k];
      g_ptr_array_add (values, value);
    }
  return values;
}

static char **
list_nodes (gpointer data)
{
  return g_strdupv ((char **) names);
}

static void
wake (gpointer data)
{
  Toy *toy = data;

  if (!atomic_load (&toy->between))
    atomic_store (&toy->asked, TRUE);
}

static const SondeLiveHooks hooks = {
  .list_nodes = list_nodes,
  .get_value = get_value,
  .list_steps = list_steps,
  .list_values = list_values,
  .set_value = set_value,
  .save_value = save_value,
  .wake = wake,
};

/* A loop that offers no more than it must. */
static const SondeLiveHooks few_hooks
    = { .list_nodes = list_nodes, .get_value = get_value, .wake = wake };

/* Stands where something stops it, as long as the server says. */
static void
pass (Toy *toy, const SondeLiveNode *node, SondeMoment moment)
{
  if ((sonde_live_loop_wants (toy->loop, node) & (1u << moment)) == 0 && !atomic_load (&toy->asked))
    return;
  atomic_store (&toy->asked, FALSE);
  if (!sonde_live_loop_pass (toy->loop, node, moment))
    return;
  while (sonde_session_server_stand (toy->server))
    if (atomic_exchange (&toy->interrupted, FALSE))
      sonde_session_server_go_on (toy->server);
}

static void
run_step (Toy *toy, guint64 step)
{
  const char *const no_outputs[] = { NULL };
  const SondeLiveNode module = { .name = "pair",
                                 .op = "Pair",
                                 .scope = "pair",
                                 .begins = "pair",
                                 .kind = SONDE_LIVE_MODULE,
                                 .outputs = no_outputs };

  toy->step = step;
  sonde_live_loop_begin_step (toy->loop, step);
  for (guint k = 0; k < N_VALUES; k++)
    toy->made[k] = FALSE;
  for (guint k = 0; k < N_VALUES; k++)
    {
      const char *const outputs[] = { names[k], NULL };
      const char *const functions[] = { k == 2 ? "rectify" : NULL, NULL };
      const SondeLiveNode node = { .name = names[k],
                                   .op = op_of (k),
                                   .functions = functions,
                                   .scope = k > 0 ? "pair" : NULL,
                                   .begins = k == 1 ? "pair" : NULL,
                                   .outputs = outputs,
                                   .source = "toy.c:7 in double_it",
                                   .thread = "main" };

      if (k == 1)
        pass (toy, &module, SONDE_MOMENT_BEFORE);
      pass (toy, &node, SONDE_MOMENT_BEFORE);
      make_value (toy, k);
      pass (toy, &node, SONDE_MOMENT_AFTER);
    }
  pass (toy, &module, SONDE_MOMENT_AFTER);
  if (atomic_load (&toy->between))
    sonde_session_server_answer (toy->server);
  atomic_fetch_add (&toy->n_steps, 1);
}

static void *
run (void *data)
{
  Toy *toy = data;

  sonde_session_server_join_loop (toy->server, toy->loop, SONDE_ACTIVITY_PYTORCH, "toy");
  sonde_session_server_wait_ready (toy->server);
  while (sonde_session_server_stand (toy->server))
    ;
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

/* The next event with which it is in @state. (transfer full) */
static SondeSessionEvent *
wait_for_state (Toy *toy, SondeSessionState state)
{
  while (TRUE)
    {
      g_autoptr (SondeSessionEvent) event
          = sonde_session_client_wait_event (toy->client, TIMEOUT_MS);

      g_assert_nonnull (event);
      if (event->status != NULL && event->status->state == state)
        return g_steal_pointer (&event);
    }
}

static SondeSessionEvent *
wait_for_stop (Toy *toy)
{
  while (TRUE)
    {
      g_autoptr (SondeSessionEvent) event = wait_for_state (toy, SONDE_SESSION_PAUSED);

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
start_with (Toy *toy, const SondeLiveHooks *offered)
{
  const SondeSessionServerOptions options = { 0 };
  g_autoptr (GError) error = NULL;
  int ends[2];

  *toy = (Toy){ .loop = sonde_live_loop_new (offered, toy) };
  toy->server = sonde_session_server_new (&options, &error);
  g_assert_no_error (error);
  g_assert_cmpint (socketpair (AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), ==, 0);
  g_assert_true (sonde_session_server_add_fd (toy->server, ends[1], &error));
  toy->client = sonde_session_client_new_fd (ends[0], &error);
  g_assert_no_error (error);
  g_assert_cmpint (pthread_create (&toy->thread, NULL, run, toy), ==, 0);
  sonde_session_event_free (wait_for_state (toy, SONDE_SESSION_READY)); /* before the first node */
}

static void
start (Toy *toy)
{
  start_with (toy, &hooks);
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
  g_free (toy->saved);
}

static void
pause_before (Toy *toy, const char *node)
{
  resume (toy, SONDE_RESUME_UNTIL, node);
  pass_stop (toy);
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
    g_assert_cmpint (event->status->facts.kind, ==, SONDE_ACTIVITY_PYTORCH);
    g_assert_cmpint (event->status->facts.steps_before, ==, 0);
    g_assert_cmpstr (stop->source, ==, "toy.c:7 in double_it");
    g_assert_cmpstr (stop->thread, ==, "main");
    g_assert_cmpuint (stop->position, ==, 1);
    g_assert_cmpuint (stop->n_steps, ==, 3);
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

/* What only the engine can do, and what cannot be done where it stands. */
static void
test_refused (void)
{
  const SondeResume out = { .kind = SONDE_RESUME_OUT };
  Toy toy;

  start (&toy);
  call_fails (&toy, sonde_session_request_branch (SONDE_BRANCH_LIST, NULL),
              SONDE_ENGINE_ERROR_UNSUPPORTED);
  call_fails (&toy, sonde_session_request_restart (), SONDE_ENGINE_ERROR_UNSUPPORTED);
  call_fails (&toy, sonde_session_request_profile_start (&(SondeSpanLogOptions){ .n_steps = 1 }),
              SONDE_ENGINE_ERROR_UNSUPPORTED);
  call_fails (&toy, sonde_session_request_profile_stop (), SONDE_ENGINE_ERROR_UNSUPPORTED);
  call_fails (&toy, sonde_session_request_profile_status (), SONDE_ENGINE_ERROR_UNSUPPORTED);
  call_fails (&toy, sonde_session_request_resume (&out), SONDE_ENGINE_ERROR_STATE);
  call_fails (&toy, sonde_session_request_remove_breakpoint (7), SONDE_ENGINE_ERROR_NOT_FOUND);
  finish (&toy);
}

/* The nodes of a step, as a list and as text, and where it stands in them. */
static void
test_list (void)
{
  Toy toy;

  start (&toy);
  pause_before (&toy, "b");
  {
    g_autoptr (SondeSessionReply) steps = call (&toy, sonde_session_request_steps ());
    g_autoptr (SondeSessionReply) listing
        = call (&toy, sonde_session_request_listing (SONDE_SESSION_GRAPH_EXECUTED));
    g_autoptr (SondeSessionReply) frames = call (&toy, sonde_session_request_frames ());
    const SondeStepInfo *second = g_ptr_array_index (steps->steps, 1);
    const SondeFrame *frame = g_ptr_array_index (frames->frames, 0);

    g_assert_cmpuint (steps->steps->len, ==, 3);
    g_assert_cmpstr (second->name, ==, "b");
    g_assert_cmpstr (second->inputs[0], ==, "a");
    g_assert_cmpstr (listing->text, ==,
                     "a: a = Read ()\nb: b = Double (a)\nc: c = Relu (b)  # float32 3\n");
    g_assert_cmpuint (listing->n_lines, ==, 3);
    g_assert_cmpuint (listing->lines[frame->position], ==, 2);
    g_assert_cmpuint (frame->n_steps, ==, 3);
  }
  finish (&toy);
}

static void
test_values (void)
{
  Toy toy;

  start (&toy);
  pause_before (&toy, "b");
  {
    g_autoptr (SondeSessionReply) all = call (&toy, sonde_session_request_values (NULL));
    g_autoptr (SondeSessionReply) some = call (&toy, sonde_session_request_values ("[bc]"));
    const SondeValueInfo *first = g_ptr_array_index (all->values, 0);
    const SondeValueInfo *later = g_ptr_array_index (some->values, 0);

    g_assert_cmpuint (all->values->len, ==, 3);
    g_assert_cmpstr (first->name, ==, "a");
    g_assert_cmpstr (first->type, ==, "float32 3");
    g_assert_true (first->available);
    g_assert_cmpuint (some->values->len, ==, 2);
    g_assert_cmpstr (later->name, ==, "b");
    g_assert_false (later->available);
  }
  finish (&toy);
}

/* What is set is what later nodes read; what cannot be set stays as it was. */
static void
test_set (void)
{
  Toy toy;

  start (&toy);
  resume (&toy, SONDE_RESUME_UNTIL, "step:2");
  pass_stop (&toy);
  pause_before (&toy, "b");
  {
    g_autoptr (SondeSessionReply) reply = call (&toy, sonde_session_request_set ("a[1:]", "7.5"));
    const SondeEdit *edit = g_ptr_array_index (reply->edits, 0);

    g_assert_cmpstr (edit->text, ==, "set a[1:] = 7.5");
    g_assert_cmpstr (edit->value, ==, "a");
    g_assert_cmpstr (edit->node, ==, "b");
    g_assert_cmpuint (edit->number, ==, 1);
    g_assert_cmpuint (edit->step, ==, 2);
    g_assert_cmpuint (edit->changed, ==, 2);
    g_assert_cmpfloat (edit->after.max, ==, 7.5);
  }
  do_call (&toy, sonde_session_request_set ("a[0]", "max(a) + 1"));
  call_fails (&toy, sonde_session_request_set ("b", "1"), SONDE_ENGINE_ERROR_STATE);
  call_fails (&toy, sonde_session_request_set ("nowhere[0]", "1"), SONDE_ENGINE_ERROR_NOT_FOUND);
  call_fails (&toy, sonde_session_request_set ("a[9]", "1"), SONDE_ENGINE_ERROR_INVALID);
  pause_before (&toy, "c");
  {
    g_autoptr (SondeSessionReply) reply = call (&toy, sonde_session_request_tensor ("b"));

    g_assert_cmpfloat (sonde_tensor_get_double (reply->tensor, 0), ==, 17);
    g_assert_cmpfloat (sonde_tensor_get_double (reply->tensor, 1), ==, 15);
    g_assert_cmpfloat (sonde_tensor_get_double (reply->tensor, 2), ==, 15);
  }
  pause_before (&toy, "a");
  call_fails (&toy, sonde_session_request_set ("c", "1"), SONDE_ENGINE_ERROR_STATE);
  resume (&toy, SONDE_RESUME_CONTINUE, NULL);
  call_fails (&toy, sonde_session_request_set ("a", "1"), SONDE_ENGINE_ERROR_STATE);
  finish (&toy);
}

static void
test_save (void)
{
  Toy toy;

  start (&toy);
  pause_before (&toy, "b");
  {
    g_autoptr (SondeSessionReply) reply
        = call (&toy, sonde_session_request_save ("a[2:]", "/nowhere/a.npy"));
    g_autoptr (SondeSessionReply) evaluated
        = call (&toy, sonde_session_request_evaluate ("a * 10", SONDE_SESSION_WANT_SAVED,
                                                      "/nowhere/b.npy"));

    g_assert_cmpstr (reply->path, ==, "/nowhere/a.npy");
    g_assert_cmpint (reply->shape.dims[0], ==, 1);
    g_assert_cmpstr (evaluated->path, ==, "/nowhere/b.npy");
    g_assert_cmpstr (toy.saved, ==, "/nowhere/b.npy");
    g_assert_cmpfloat (toy.saved_number, ==, 10);
  }
  call_fails (&toy, sonde_session_request_save ("a", "a.npy"), SONDE_ENGINE_ERROR_INVALID);
  call_fails (&toy, sonde_session_request_save ("c", "/c.npy"), SONDE_ENGINE_ERROR_STATE);
  finish (&toy);
}

/* Those that need nothing of the step before, and what is recommended for the operators there are. */
static void
test_recommended (void)
{
  Toy toy;

  start (&toy);
  {
    g_autoptr (SondeSessionReply) reply
        = call (&toy, sonde_session_request_add_watch ("preset recommended nostop"));
    const SondeWatch *last;

    g_assert_cmpuint (reply->watches->len, ==, 3);
    last = g_ptr_array_index (reply->watches, 2);
    g_assert_cmpstr (last->pattern, ==, "op:Relu");
    g_assert_true (last->log_only);
  }
  pause_before (&toy, "step:6");
  {
    g_autoptr (SondeSessionReply) hits = call (&toy, sonde_session_request_list_watch_hits (1));

    g_assert_cmpuint (hits->watch_hits->len, ==, 1);
  }
  finish (&toy);
}

/* What the loop does not offer is refused, and the watches that need nothing are there. */
static void
test_few_hooks (void)
{
  Toy toy;

  start_with (&toy, &few_hooks);
  pause_before (&toy, "b");
  call_fails (&toy, sonde_session_request_steps (), SONDE_ENGINE_ERROR_UNSUPPORTED);
  call_fails (&toy, sonde_session_request_listing (SONDE_SESSION_GRAPH_EXECUTED),
              SONDE_ENGINE_ERROR_UNSUPPORTED);
  call_fails (&toy, sonde_session_request_values (NULL), SONDE_ENGINE_ERROR_UNSUPPORTED);
  call_fails (&toy, sonde_session_request_set ("a", "1"), SONDE_ENGINE_ERROR_UNSUPPORTED);
  call_fails (&toy, sonde_session_request_save ("a", "/a.npy"), SONDE_ENGINE_ERROR_UNSUPPORTED);
  do_call (&toy, sonde_session_request_add_watch ("preset recommended"));
  finish (&toy);
}

/* A name that no step had yet may come: the breakpoint is kept, and says so. */
static void
test_unknown_name (void)
{
  const SondeBreakpointSpec wrong = { .pattern = "bb" };
  Toy toy;

  start (&toy);
  {
    g_autoptr (SondeSessionReply) reply
        = call (&toy, sonde_session_request_add_breakpoint (&wrong));
    const SondeBreakpoint *breakpoint = g_ptr_array_index (reply->breakpoints, 0);

    g_assert_cmpuint (breakpoint->n_positions, ==, 0);
    g_assert_cmpstr (sonde_message_get_english (breakpoint->note), ==,
                     "Nothing matches so far. There is no node “bb”; use list to list the nodes.");
  }
  finish (&toy);
}

/* Where it stands next. */
static void
resume_to (Toy *toy, SondeResumeKind kind, const char *target, const char *node)
{
  g_autoptr (SondeSessionEvent) event = NULL;

  resume (toy, kind, target);
  event = wait_for_stop (toy);
  g_assert_cmpstr (event->status->stop.node, ==, node);
}

/* A module is a place, and is gone over and out of as a whole. */
static void
test_scopes (void)
{
  Toy toy;

  start (&toy);
  add_breakpoint (&toy, "scope:pai*", NULL);
  resume_to (&toy, SONDE_RESUME_CONTINUE, NULL, "pair");
  resume_to (&toy, SONDE_RESUME_STEP, NULL, "b");
  resume_to (&toy, SONDE_RESUME_NEXT, NULL, "a");
  resume_to (&toy, SONDE_RESUME_NEXT, NULL, "pair");
  resume_to (&toy, SONDE_RESUME_OUT, NULL, "a");
  do_call (&toy, sonde_session_request_remove_breakpoint (0));
  resume_to (&toy, SONDE_RESUME_STEP, NULL, "b");
  resume_to (&toy, SONDE_RESUME_INTO, NULL, "c");
  resume_to (&toy, SONDE_RESUME_UNTIL, "end", "a");
  add_breakpoint (&toy, "op:rectify", NULL);
  resume_to (&toy, SONDE_RESUME_CONTINUE, NULL, "c");
  add_breakpoint (&toy, "pair#1", NULL);
  resume_to (&toy, SONDE_RESUME_CONTINUE, NULL, "pair");
  finish (&toy);
}

/* A pause that is asked for between two nodes stops at the next operator. */
static void
test_between (void)
{
  Toy toy;

  start (&toy);
  atomic_store (&toy.between, TRUE);
  resume (&toy, SONDE_RESUME_CONTINUE, NULL);
  do_call (&toy, sonde_session_request_pause ());
  {
    g_autoptr (SondeSessionEvent) event = wait_for_stop (&toy);

    g_assert_cmpint (event->status->stop.reason, ==, SONDE_STOP_PAUSE);
    g_assert_cmpstr (event->status->stop.node, ==, "a");
  }
  finish (&toy);
}

/* Whoever stands may go on without being told. */
static void
test_interrupted (void)
{
  Toy toy;

  start (&toy);
  pause_before (&toy, "b");
  atomic_store (&toy.interrupted, TRUE);
  sonde_session_event_free (wait_for_state (&toy, SONDE_SESSION_RUNNING));
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

/* As long as the nodes are the same, the listing is, whatever else has changed. */
static void
test_other_listing (void)
{
  guint listings[3];
  Toy toy;

  start (&toy);
  add_breakpoint (&toy, "b", NULL);
  for (int k = 0; k < 3; k++)
    {
      g_autoptr (SondeSessionEvent) event = NULL;

      atomic_store (&toy.is_short, k == 2);
      resume (&toy, SONDE_RESUME_CONTINUE, NULL);
      event = wait_for_stop (&toy);
      listings[k] = event->status->stop.listing;
    }
  g_assert_cmpuint (listings[0], !=, 0);
  g_assert_cmpuint (listings[0], ==, listings[1]);
  g_assert_cmpuint (listings[1], !=, listings[2]);
  finish (&toy);
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/engine/live/loop/breakpoint", test_breakpoint);
  g_test_add_func ("/engine/live/loop/other-listing", test_other_listing);
  g_test_add_func ("/engine/live/loop/expressions", test_expressions);
  g_test_add_func ("/engine/live/loop/watch", test_watch);
  g_test_add_func ("/engine/live/loop/running", test_running);
  g_test_add_func ("/engine/live/loop/refused", test_refused);
  g_test_add_func ("/engine/live/loop/list", test_list);
  g_test_add_func ("/engine/live/loop/values", test_values);
  g_test_add_func ("/engine/live/loop/set", test_set);
  g_test_add_func ("/engine/live/loop/save", test_save);
  g_test_add_func ("/engine/live/loop/recommended", test_recommended);
  g_test_add_func ("/engine/live/loop/few-hooks", test_few_hooks);
  g_test_add_func ("/engine/live/loop/unknown-name", test_unknown_name);
  g_test_add_func ("/engine/live/loop/scopes", test_scopes);
  g_test_add_func ("/engine/live/loop/between", test_between);
  g_test_add_func ("/engine/live/loop/interrupted", test_interrupted);
  g_test_add_func ("/engine/live/loop/lost", test_lost);
  return g_test_run ();
}
