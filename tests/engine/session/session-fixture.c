/* SPDX-License-Identifier: Apache-2.0
 * Host, activities and server of the session tests. */
#include "tests/engine/session/session-fixture.h"

#include <errno.h>
#include <glib/gstdio.h>
#include <math.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "data/arrays/sonde-npy.h"
#include "engine/ops/sonde-build.h"
#include "tests/engine/debug/nested-net.h"

#define TIMEOUT_MS 20000
#define BIG 600

/* ---- the graph ----------------------------------------------------------- */

static SondeTensor *
make_tensor (int rows, int columns, double first)
{
  SondeShape shape = sonde_shape_make (2, rows, columns);
  SondeTensor *tensor = sonde_tensor_new (SONDE_DTYPE_F32, &shape);

  for (gint64 i = 0; i < (gint64) rows * columns; i++)
    sonde_tensor_set_double (tensor, i, first + 0.13 * (double) ((i * 7) % 31) - 2.0);
  return tensor;
}

static SondeGraphValue *
add_node (SondeGraph *graph, const char *name, const char *value, const char *op,
          SondeGraphValue *a, SondeGraphValue *b)
{
  SondeGraphValue *inputs[] = { a, b };
  SondeGraphValue *output = sonde_build_op (graph, name, "", op, b != NULL ? 2 : 1, inputs);

  sonde_graph_rename_value (graph, output, value);
  return output;
}

static SondeGraph *
make_graph (void)
{
  static const char *const strings[] = { "eins", "zwei", "" };
  SondeGraph *graph = sonde_graph_new ("small");
  SondeShape shape = sonde_shape_make (2, 3, 4), three = sonde_shape_make (1, 3);
  SondeType type = sonde_type_tensor (SONDE_DTYPE_F32, &shape);
  g_autoptr (SondeTensor) tall = make_tensor (BIG, 1, 1.0), wide = make_tensor (1, BIG, 0.5);
  g_autoptr (SondeTensor) words = sonde_tensor_new_from_data (SONDE_DTYPE_STRING, &three, strings);
  SondeGraphValue *v, *x;

  sonde_graph_set_opset (graph, "", 17);
  x = v = sonde_graph_add_input (graph, "x", &type);
  v = add_node (graph, "n0", "v0", "Relu", v, NULL);
  v = add_node (graph, "n1", "v1", "Add", v, x);
  v = add_node (graph, "n2", "v2", "Sigmoid", v, NULL);
  v = add_node (graph, "n3", "v3", "Mul", v, x);
  v = add_node (graph, "n4", "v4", "Softmax", v, NULL);
  sonde_graph_add_output (graph, v);
  v = add_node (graph, "n5", "big", "MatMul",
                sonde_graph_add_initialiser (graph, "tall", tall, SONDE_ROLE_PARAMETER),
                sonde_graph_add_initialiser (graph, "wide", wide, SONDE_ROLE_PARAMETER));
  sonde_graph_add_output (graph, v);
  sonde_graph_add_output (graph,
                          sonde_graph_add_initialiser (graph, "words", words, SONDE_ROLE_CONSTANT));
  return graph;
}

/* ---- the activity -------------------------------------------------------- */

typedef struct
{
  SondeActivity base;
  SessionFixture *fixture;
  gboolean training;
  SondeGraph *original, *graph;
  SondeDevice *device;
  SondePlan *plan;
  SondeExecution *execution;
  SondeSpanLog *spans;
} Activity;

static SondeRunResult
activity_run (SondeActivity *activity, GError **error)
{
  Activity *self = (Activity *) activity;
  SondeRunResult result;

  do
    {
      if (!sonde_execution_is_running (self->execution))
        sonde_span_log_begin_step (self->spans, atomic_load (&self->fixture->runs));
      result = sonde_execution_run (self->execution, error);
      if (result != SONDE_RUN_DONE)
        {
          sonde_span_log_leave_step (self->spans);
          return result;
        }
      sonde_span_log_end_step (self->spans);
      atomic_fetch_add (&self->fixture->runs, 1);
      sonde_session_server_report_progress (self->fixture->server);
    }
  while (self->training
         && (self->fixture->n_runs == 0 || self->fixture->runs < self->fixture->n_runs));
  return result;
}

static void
activity_interrupt (SondeActivity *activity)
{
  sonde_execution_interrupt (((Activity *) activity)->execution);
}

static SondeExecution *
activity_get_execution (SondeActivity *activity)
{
  return ((Activity *) activity)->execution;
}

static SondeGraph *
activity_get_graph (SondeActivity *activity)
{
  return ((Activity *) activity)->graph;
}

static SondeGraph *
activity_get_original (SondeActivity *activity)
{
  return ((Activity *) activity)->original;
}

static void
activity_get_facts (SondeActivity *activity, SondeSessionFacts *facts)
{
  Activity *self = (Activity *) activity;

  *facts = (SondeSessionFacts){
    .kind = self->training ? SONDE_ACTIVITY_TRAINING : SONDE_ACTIVITY_INFERENCE,
    .title = self->training ? "small on nothing" : "small.onnx",
    .run_directory = self->training ? "runs/small" : NULL,
    .step = self->training ? atomic_load (&self->fixture->runs) + 1 : 1,
    .total_steps = self->fixture->n_runs,
    .measured = TRUE,
    .loss = 0.5,
    .accuracy = NAN,
    .learning_rate = 0.1,
    .samples_per_second = NAN,
  };
}

static gboolean
activity_restart (SondeActivity *activity, GError **error)
{
  sonde_execution_abandon (((Activity *) activity)->execution);
  return TRUE;
}

static gboolean
activity_complete_step (SondeActivity *activity, GError **error)
{
  Activity *self = (Activity *) activity;
  SondeRunResult result = SONDE_RUN_PAUSED;

  g_assert_false (self->fixture->finished);
  atomic_store (&self->fixture->completed, TRUE);
  while (sonde_execution_is_running (self->execution) && result == SONDE_RUN_PAUSED)
    result = sonde_execution_run (self->execution, error);
  if (!self->fixture->fail_complete)
    return result != SONDE_RUN_FAILED;
  g_set_error_literal (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_INVALID, "The step failed.");
  return FALSE;
}

static gboolean
activity_finish (SondeActivity *activity, GError **error)
{
  Activity *self = (Activity *) activity;

  atomic_store (&self->fixture->finished, TRUE);
  if (!self->fixture->fail_finish)
    return TRUE;
  g_set_error_literal (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_INVALID,
                       "The checkpoint was lost.");
  return FALSE;
}

static void
activity_adopt (SondeActivity *activity, SondeExecution *execution, SondeGraph *original)
{
  Activity *self = (Activity *) activity;
  SondeGraph *graph = sonde_graph_ref (sonde_plan_get_graph (sonde_execution_get_plan (execution)));

  sonde_graph_ref (original);
  sonde_graph_unref (self->graph);
  sonde_graph_unref (self->original);
  self->execution = execution;
  self->graph = graph;
  self->original = original;
}

static SondeSpanLog *
activity_get_spans (SondeActivity *activity)
{
  return ((Activity *) activity)->spans;
}

static void
activity_free (SondeActivity *activity)
{
  Activity *self = (Activity *) activity;

  sonde_execution_free (self->execution);
  sonde_span_log_unref (self->spans);
  sonde_plan_unref (self->plan);
  sonde_device_unref (self->device);
  sonde_graph_unref (self->graph);
  sonde_graph_unref (self->original);
  g_free (self);
}

static const SondeActivityClass inference_class = {
  .run = activity_run,
  .interrupt = activity_interrupt,
  .get_execution = activity_get_execution,
  .get_graph = activity_get_graph,
  .get_original = activity_get_original,
  .get_facts = activity_get_facts,
  .restart = activity_restart,
  .finish = activity_finish,
  .adopt = activity_adopt,
  .get_spans = activity_get_spans,
  .free = activity_free,
};

static const SondeActivityClass training_class = {
  .run = activity_run,
  .interrupt = activity_interrupt,
  .get_execution = activity_get_execution,
  .get_graph = activity_get_graph,
  .get_facts = activity_get_facts,
  .complete_step = activity_complete_step,
  .finish = activity_finish,
  .get_spans = activity_get_spans,
  .free = activity_free,
};

/* @which: (nullable): a net of nested-net.h */
static void
set_up (Activity *self, const char *which)
{
  const SondePlanOptions options = { .memory = SONDE_MEMORY_KEEP, .no_fusion = TRUE };
  g_autoptr (SondeTensor) x = make_tensor (3, 4, 0.3);
  g_autoptr (GError) error = NULL;

  self->original = which != NULL ? nested_net_make (which) : make_graph ();
  self->graph = sonde_prepare_inference (self->original, &error);
  g_assert_no_error (error);
  self->device = sonde_device_open ("reference", 1, &error);
  g_assert_no_error (error);
  self->plan = sonde_plan_new (self->graph, self->device, &options, &error);
  g_assert_no_error (error);
  self->execution = sonde_execution_new (self->plan, &error);
  g_assert_no_error (error);
  if (which != NULL)
    nested_net_set_inputs (self->execution);
  else
    sonde_execution_set_input (self->execution, "x", x, &error);
  g_assert_no_error (error);
}

SondeActivity *
session_fixture_open (SessionFixture *fixture, const char *subject, GError **error)
{
  static const char *const nets[] = { "loops", "scan", "fails", NULL };
  gboolean training = g_str_equal (subject, "training"), nested = g_strv_contains (nets, subject);
  Activity *self;

  if (!training && !nested && !g_str_equal (subject, "inference"))
    {
      g_set_error (error, G_FILE_ERROR, G_FILE_ERROR_NOENT, "There is no file “%s”.", subject);
      return NULL;
    }
  self = g_new0 (Activity, 1);
  self->base.klass = training ? &training_class : &inference_class;
  self->fixture = fixture;
  self->training = training;
  self->spans = sonde_span_log_new ();
  set_up (self, nested ? subject : NULL);
  return &self->base;
}

/* ---- the host ------------------------------------------------------------ */

static SondeActivity *
host_open (SondeSessionHost *host, const SondeOpenRequest *request, SondeSessionProgress progress,
           gpointer progress_data, GError **error)
{
  progress ("loading", 0.5, progress_data);
  return session_fixture_open ((SessionFixture *) host, request->subject, error);
}

/* Any bytes will do: the listing, twice as long as a frame for the original. */
static GBytes *
host_serialise (SondeSessionHost *host, SondeGraph *graph, gsize max_constant_bytes, GError **error)
{
  char *text = sonde_graph_listing (graph, NULL);

  return g_bytes_new_take (text, strlen (text));
}

static gboolean
host_save (SondeSessionHost *host, SondeTensor *tensor, const char *path, GError **error)
{
  return sonde_npy_write (NULL, path, tensor, error);
}

static SondeTensor *
host_load (SondeSessionHost *host, const char *path, GError **error)
{
  return sonde_npy_read (NULL, path, error);
}

/* ---- the server ---------------------------------------------------------- */

void
session_fixture_init (SessionFixture *fixture)
{
  memset (fixture, 0, sizeof *fixture);
  fixture->host = (SondeSessionHost){ host_open, host_serialise, host_save, host_load };
  fixture->directory = g_dir_make_tmp ("sonde-session-XXXXXX", NULL);
  fixture->options = (SondeSessionServerOptions){
    .host = &fixture->host,
    .client_lost = SONDE_CLIENT_LOST_QUIT,
    .directory = fixture->directory,
    .title = "fixture",
  };
}

static void *
serve (void *data)
{
  SessionFixture *fixture = data;

  fixture->result = sonde_session_server_serve (fixture->server, fixture->activity,
                                                fixture->run_now, &fixture->error);
  return NULL;
}

void
session_fixture_start (SessionFixture *fixture)
{
  g_autoptr (GError) error = NULL;

  fixture->server = sonde_session_server_new (&fixture->options, &error);
  g_assert_no_error (error);
}

static void
start_thread (SessionFixture *fixture)
{
  if (fixture->has_thread)
    return;
  fixture->has_thread = TRUE;
  g_assert_cmpint (pthread_create (&fixture->thread, NULL, serve, fixture), ==, 0);
}

int
session_fixture_connect_raw (SessionFixture *fixture)
{
  g_autoptr (GError) error = NULL;
  int ends[2];

  g_assert_cmpint (socketpair (AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), ==, 0);
  sonde_session_server_add_fd (fixture->server, ends[1], &error);
  start_thread (fixture); /* with a client there, so that it does not end at once */
  return ends[0];
}

SondeSessionClient *
session_fixture_connect (SessionFixture *fixture)
{
  g_autoptr (GError) error = NULL;
  SondeSessionClient *client
      = sonde_session_client_new_fd (session_fixture_connect_raw (fixture), &error);

  g_assert_no_error (error);
  return client;
}

void
session_fixture_join (SessionFixture *fixture)
{
  start_thread (fixture);
  pthread_join (fixture->thread, NULL);
  fixture->has_thread = FALSE;
}

void
session_fixture_clear (SessionFixture *fixture)
{
  g_autofree char *npy = g_build_filename (fixture->directory, "v.npy", NULL);

  if (fixture->has_thread)
    {
      sonde_session_server_quit (fixture->server);
      session_fixture_join (fixture);
    }
  sonde_session_server_free (fixture->server);
  g_clear_error (&fixture->error);
  g_unlink (npy);
  g_assert_cmpint (g_rmdir (fixture->directory), ==, 0); /* nothing is left behind */
  g_free (fixture->directory);
}

/* ---- short calls --------------------------------------------------------- */

SondeSessionReply *
call (SondeSessionClient *client, SondeSessionRequest *request)
{
  g_autoptr (GError) error = NULL;
  SondeSessionReply *reply = sonde_session_client_call (client, request, TIMEOUT_MS, &error);

  g_assert_no_error (error);
  g_assert_nonnull (reply);
  return reply;
}

void
call_fails (SondeSessionClient *client, SondeSessionRequest *request, int code)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeSessionReply) reply
      = sonde_session_client_call (client, request, TIMEOUT_MS, &error);

  g_assert_null (reply);
  g_assert_error (error, SONDE_ENGINE_ERROR, code);
  g_assert_cmpuint (strlen (error->message), >, 5);
}

void
open_subject (SondeSessionClient *client, const char *subject)
{
  const SondeOpenRequest request = { .subject = subject };
  g_autoptr (SondeSessionReply) reply = call (client, sonde_session_request_open (&request));

  g_assert_nonnull (reply->status);
  g_assert_cmpint (reply->status->state, ==, SONDE_SESSION_READY);
  g_assert_true (reply->status->in_control);
}

SondeSessionEvent *
wait_for (SondeSessionClient *client, SondeSessionEventKind kind)
{
  SondeSessionEvent *event;

  while ((event = sonde_session_client_wait_event (client, TIMEOUT_MS)) != NULL
         && event->kind != kind)
    sonde_session_event_free (event);
  g_assert_nonnull (event);
  return event;
}

SondeSessionEvent *
resume (SondeSessionClient *client, SondeResumeKind kind, guint64 count, const char *target,
        SondeSessionEventKind expected)
{
  const SondeResume how = { .kind = kind, .count = count, .target = target };
  g_autoptr (SondeSessionReply) reply = call (client, sonde_session_request_resume (&how));
  g_autoptr (SondeSessionEvent) resumed = wait_for (client, SONDE_SESSION_EVENT_RESUMED);

  g_assert_nonnull (resumed->status);
  return wait_for (client, expected);
}

guint
add_breakpoint (SondeSessionClient *client, const char *pattern, SondeMoment moment)
{
  const SondeBreakpointSpec spec = { .pattern = pattern, .moment = moment };
  g_autoptr (SondeSessionReply) reply = call (client, sonde_session_request_add_breakpoint (&spec));

  g_assert_cmpuint (reply->breakpoints->len, ==, 1);
  return ((const SondeBreakpoint *) g_ptr_array_index (reply->breakpoints, 0))->id;
}

SondeTensor *
session_fixture_expect (const char *subject, const char *name)
{
  SessionFixture fixture = { 0 };
  Activity self = { .fixture = &fixture };
  g_autoptr (GError) error = NULL;
  SondeTensor *tensor;

  set_up (&self,
          g_str_equal (subject, "inference") || g_str_equal (subject, "training") ? NULL : subject);
  g_assert_cmpint (sonde_execution_run (self.execution, &error), ==, SONDE_RUN_DONE);
  tensor = sonde_execution_read (self.execution, sonde_graph_find_value (self.graph, name), &error);
  g_assert_no_error (error);
  sonde_execution_free (self.execution);
  sonde_plan_unref (self.plan);
  sonde_device_unref (self.device);
  sonde_graph_unref (self.graph);
  sonde_graph_unref (self.original);
  return tensor;
}

SondeTensor *
expected_value (const char *name)
{
  return session_fixture_expect ("inference", name);
}
