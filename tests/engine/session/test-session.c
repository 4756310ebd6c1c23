/* SPDX-License-Identifier: Apache-2.0
 * Client and server over a socket pair, on a real graph: states, stops, values, two clients,
 * ends. */
#include <glib/gstdio.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "data/arrays/sonde-npy.h"
#include "tests/engine/session/session-fixture.h"
#include "tests/support/sonde-test-silence.h"

/* ---- an inference -------------------------------------------------------- */

/* What the engine says of @expression is @slice of @name in a run nobody looked at, to the bit. */
static void
assert_value (SondeSessionClient *client, const char *expression, const char *name,
              const char *slice)
{
  g_autoptr (SondeTensor) whole = expected_value (name);
  g_autoptr (SondeTensor) view = sonde_tensor_slice (whole, slice, NULL);
  g_autoptr (SondeTensor) part = sonde_tensor_contiguous (view);
  g_autoptr (SondeSessionReply) reply = call (client, sonde_session_request_tensor (expression));
  g_autoptr (SondeSessionReply) numbers
      = call (client, sonde_session_request_statistics (expression));
  SondeStatistics statistics;

  g_assert_cmpstr (reply->name, ==, name);
  g_assert_true (sonde_tensor_equal (reply->tensor, part));
  sonde_statistics_compute (part, &statistics);
  g_assert_true (sonde_shape_equal (&numbers->shape, &part->shape));
  g_assert_cmpint (numbers->dtype, ==, part->dtype);
  g_assert_cmpint (numbers->statistics.count, ==, statistics.count);
  g_assert_cmpint (numbers->statistics.zeros, ==, statistics.zeros);
  g_assert_cmpint (numbers->statistics.negatives, ==, statistics.negatives);
  g_assert_cmpmem (&numbers->statistics.std, sizeof (double), &statistics.std, sizeof (double));
  g_assert_cmpmem (&numbers->statistics.abs_mean, sizeof (double), &statistics.abs_mean,
                   sizeof (double));
}

/* The bins of @slice of @name are those that this side would fill. */
static void
assert_histogram (SondeSessionClient *client, const char *expression, const char *name,
                  const char *slice)
{
  g_autoptr (SondeTensor) whole = expected_value (name);
  g_autoptr (SondeTensor) part = sonde_tensor_slice (whole, slice, NULL);
  g_autoptr (SondeSessionReply) reply = call (client, sonde_session_request_histogram (expression));
  g_autofree SondeHistogram *histogram = g_new (SondeHistogram, 1);
  g_autoptr (SondeBins) bins = NULL;

  sonde_histogram_init (histogram);
  sonde_histogram_add (histogram, part);
  bins = sonde_bins_from_histogram (histogram);
  g_assert_cmpstr (reply->name, ==, name);
  g_assert_true (sonde_shape_equal (&reply->shape, &part->shape));
  g_assert_nonnull (reply->histogram);
  g_assert_cmpmem (reply->histogram->lefts, reply->histogram->n * sizeof (double), bins->lefts,
                   bins->n * sizeof (double));
  g_assert_cmpmem (reply->histogram->rights, reply->histogram->n * sizeof (double), bins->rights,
                   bins->n * sizeof (double));
  g_assert_cmpmem (reply->histogram->counts, reply->histogram->n * sizeof (double), bins->counts,
                   bins->n * sizeof (double));
  g_assert_cmpfloat (reply->histogram->count, ==, bins->count);
  g_assert_cmpfloat (reply->histogram->max, ==, bins->max);
}

static SondeSessionClient *
open_inference (SessionFixture *fixture)
{
  SondeSessionClient *client;

  session_fixture_init (fixture);
  session_fixture_start (fixture);
  client = session_fixture_connect (fixture);
  open_subject (client, "inference");
  return client;
}

static void
test_inference (void)
{
  SessionFixture fixture;
  g_autoptr (SondeSessionClient) client = open_inference (&fixture);
  guint id = add_breakpoint (client, "n2", SONDE_MOMENT_BEFORE);
  g_autoptr (SondeSessionEvent) stop
      = resume (client, SONDE_RESUME_CONTINUE, 0, NULL, SONDE_SESSION_EVENT_STOPPED);
  g_autoptr (SondeSessionEvent) end = NULL;

  g_assert_cmpint (sonde_session_client_get_pid (client), ==, getpid ());
  g_assert_cmpint (stop->status->state, ==, SONDE_SESSION_PAUSED);
  g_assert_cmpint (stop->status->stop.reason, ==, SONDE_STOP_BREAKPOINT);
  g_assert_cmpstr (stop->status->stop.node, ==, "n2");
  g_assert_cmpstr (stop->status->stop.op, ==, "Sigmoid");
  g_assert_cmpint (stop->status->stop.moment, ==, SONDE_MOMENT_BEFORE);
  g_assert_cmpuint (stop->status->stop.n_breakpoints, ==, 1);
  g_assert_cmpuint (stop->status->stop.breakpoints[0], ==, id);
  g_assert_cmpuint (stop->status->stop.n_steps, ==, FIXTURE_STEPS);
  g_assert_cmpuint (stop->status->stop.step, ==, 1);
  g_assert_cmpstr (stop->status->facts.title, ==, "small.onnx");
  assert_value (client, "v1", "v1", NULL);
  assert_value (client, "v1[1, ::2]", "v1", "1, ::2");
  assert_value (client, "n0", "v0", NULL);
  assert_value (client, "tall", "tall", NULL);
  assert_histogram (client, "v1", "v1", NULL);
  assert_histogram (client, "v1[1, ::2]", "v1", "1, ::2");
  call_fails (client, sonde_session_request_tensor ("v2"), SONDE_ENGINE_ERROR_STATE);
  call_fails (client, sonde_session_request_tensor ("v1[7]"), SONDE_ENGINE_ERROR_INVALID);
  call_fails (client, sonde_session_request_tensor ("v17"), SONDE_ENGINE_ERROR_NOT_FOUND);
  end = resume (client, SONDE_RESUME_CONTINUE, 0, NULL, SONDE_SESSION_EVENT_ENDED);
  g_assert_cmpint (end->status->end.result, ==, SONDE_SESSION_DONE);
  g_assert_cmpint (end->status->state, ==, SONDE_SESSION_ENDED);
  assert_value (client, "v4", "v4", NULL); /* it stays, with all values */
  assert_value (client, "v0", "v0", NULL);
  session_fixture_clear (&fixture);
}

static void
test_states (void)
{
  const SondeResume on = { .kind = SONDE_RESUME_CONTINUE };
  const SondeOpenRequest again = { .subject = "inference" }, wrong = { .subject = "nothing" };
  g_autoptr (SondeSessionClient) client = NULL;
  g_autoptr (SondeSessionEvent) end = NULL, stop = NULL;
  g_autoptr (SondeSessionReply) restarted = NULL, paused = NULL, status = NULL;
  SessionFixture fixture;

  session_fixture_init (&fixture);
  session_fixture_start (&fixture);
  client = session_fixture_connect (&fixture);
  call_fails (client, sonde_session_request_steps (), SONDE_ENGINE_ERROR_STATE);
  call_fails (client, sonde_session_request_resume (&on), SONDE_ENGINE_ERROR_STATE);
  call_fails (client, sonde_session_request_open (&wrong), SONDE_ENGINE_ERROR_INVALID);
  open_subject (client, "inference");
  call_fails (client, sonde_session_request_open (&again), SONDE_ENGINE_ERROR_STATE);
  end = resume (client, SONDE_RESUME_CONTINUE, 0, NULL, SONDE_SESSION_EVENT_ENDED);
  call_fails (client, sonde_session_request_resume (&on), SONDE_ENGINE_ERROR_STATE);
  call_fails (client, sonde_session_request_pause (), SONDE_ENGINE_ERROR_STATE);
  restarted = call (client, sonde_session_request_restart ());
  g_assert_cmpint (restarted->status->state, ==, SONDE_SESSION_READY);
  paused = call (client, sonde_session_request_pause ()); /* not running: nothing to do */
  stop = resume (client, SONDE_RESUME_STEP, 3, NULL, SONDE_SESSION_EVENT_STOPPED);
  g_assert_cmpstr (stop->status->stop.node, ==, "n3");
  g_assert_cmpuint (stop->status->stop.position, ==, 3);
  status = call (client, sonde_session_request_status ());
  g_assert_cmpint (status->status->state, ==, SONDE_SESSION_PAUSED);
  g_assert_cmpstr (status->status->stop.node, ==, "n3");
  session_fixture_clear (&fixture);
  g_assert_cmpint (fixture.result, ==, SONDE_SESSION_STOPPED);
  g_assert_true (fixture.finished);
}

/* ---- looking ------------------------------------------------------------- */

static void
test_lists (void)
{
  SessionFixture fixture;
  g_autoptr (SondeSessionClient) client = open_inference (&fixture);
  g_autoptr (SondeSessionReply) steps = call (client, sonde_session_request_steps ());
  g_autoptr (SondeSessionReply) values = call (client, sonde_session_request_values ("v?"));
  g_autoptr (SondeSessionReply) all = call (client, sonde_session_request_values (NULL));
  g_autoptr (SondeSessionReply) listing
      = call (client, sonde_session_request_listing (SONDE_SESSION_GRAPH_EXECUTED));
  g_autoptr (SondeSessionReply) graph
      = call (client, sonde_session_request_graph (SONDE_SESSION_GRAPH_ORIGINAL));
  g_auto (GStrv) lines = g_strsplit (listing->text, "\n", -1);

  g_assert_cmpuint (steps->steps->len, ==, FIXTURE_STEPS);
  g_assert_cmpuint (listing->n_lines, ==, FIXTURE_STEPS);
  for (guint k = 0; k < FIXTURE_STEPS; k++)
    {
      const SondeStepInfo *step = g_ptr_array_index (steps->steps, k);
      g_autofree char *prefix = g_strdup_printf ("%s:", step->name);

      g_assert_cmpuint (step->name[1] - '0', ==, k);
      g_assert_cmpstr (step->nodes[0], ==, step->name);
      g_assert_cmpuint (g_strv_length (step->outputs), ==, 1);
      g_assert_cmpuint (g_strv_length (step->originals), ==, 1);
      g_assert_cmpuint (listing->lines[k], >, 0);
      g_assert_true (g_str_has_prefix (g_strchug (lines[listing->lines[k] - 1]), prefix));
    }
  g_assert_cmpuint (values->values->len, ==, 5);
  g_assert_cmpuint (all->values->len, >=, 10);
  for (guint i = 0; i < values->values->len; i++)
    {
      const SondeValueInfo *info = g_ptr_array_index (values->values, i);

      g_assert_cmpstr (info->type, ==, "float32 3×4");
      g_assert_false (info->available);
      g_assert_cmpint (info->role, ==, SONDE_ROLE_NORMAL);
      g_assert_nonnull (info->producer);
    }
  g_assert_cmpuint (g_bytes_get_size (graph->bytes), >, 100);
  session_fixture_clear (&fixture);
}

static void
test_breakpoints (void)
{
  SessionFixture fixture;
  g_autoptr (SondeSessionClient) client = open_inference (&fixture);
  const SondeBreakpointSpec unknown = { .pattern = "n77" };
  guint first = add_breakpoint (client, "n*", SONDE_MOMENT_BEFORE),
        second = add_breakpoint (client, "n4", SONDE_MOMENT_AFTER);
  g_autoptr (SondeSessionReply) disabled
      = call (client, sonde_session_request_enable_breakpoint (first, FALSE));
  g_autoptr (SondeSessionReply) ignoring
      = call (client, sonde_session_request_ignore_breakpoint (second, 3));
  g_autoptr (SondeSessionReply) list = call (client, sonde_session_request_list_breakpoints ());
  g_autoptr (SondeSessionReply) left = NULL, none = NULL;
  const SondeBreakpoint *info;

  call_fails (client, sonde_session_request_add_breakpoint (&unknown),
              SONDE_ENGINE_ERROR_NOT_FOUND);
  call_fails (client, sonde_session_request_remove_breakpoint (99), SONDE_ENGINE_ERROR_NOT_FOUND);
  g_assert_cmpuint (disabled->breakpoints->len, ==, 1);
  g_assert_cmpuint (list->breakpoints->len, ==, 2);
  info = g_ptr_array_index (list->breakpoints, 0);
  g_assert_cmpstr (info->pattern, ==, "n*");
  g_assert_false (info->enabled);
  g_assert_cmpuint (info->n_positions, ==, FIXTURE_STEPS);
  info = g_ptr_array_index (list->breakpoints, 1);
  g_assert_cmpuint (info->ignore, ==, 3);
  g_assert_cmpint (info->moment, ==, SONDE_MOMENT_AFTER);
  left = call (client, sonde_session_request_remove_breakpoint (first));
  g_assert_cmpuint (left->breakpoints->len, ==, 1);
  none = call (client, sonde_session_request_remove_breakpoint (0));
  g_assert_cmpuint (none->breakpoints->len, ==, 0);
  session_fixture_clear (&fixture);
}

/* Whole values through a descriptor, strings, and files. */
static void
test_memory (void)
{
  SessionFixture fixture;
  g_autoptr (SondeSessionClient) client = open_inference (&fixture);
  g_autoptr (SondeSessionEvent) end
      = resume (client, SONDE_RESUME_CONTINUE, 0, NULL, SONDE_SESSION_EVENT_ENDED);
  g_autofree char *path = g_build_filename (fixture.directory, "v.npy", NULL);
  g_autoptr (SondeSessionReply) words = call (client, sonde_session_request_tensor ("words"));
  g_autoptr (SondeSessionReply) saved
      = call (client, sonde_session_request_save ("big[:, 1]", path));
  g_autoptr (SondeTensor) big = expected_value ("big"),
                          column = sonde_tensor_slice (big, ":, 1", NULL);
  g_autoptr (SondeTensor) plain = sonde_tensor_contiguous (column),
                          read = sonde_npy_read (NULL, path, NULL);
  g_autoptr (SondeSessionReply) kept = NULL;

  for (int i = 0; i < 20; i++)
    assert_value (client, "big", "big", NULL);
  kept = call (client, sonde_session_request_tensor ("big"));
  sonde_tensor_set_double (kept->tensor, 5, 7.0); /* ours alone */
  assert_value (client, "big[0, :8]", "big", "0, :8");
  g_assert_cmpint (words->dtype, ==, SONDE_DTYPE_STRING);
  g_assert_cmpint (sonde_tensor_n_elements (words->tensor), ==, 3);
  g_assert_cmpstr (((char **) (void *) words->tensor->data)[1], ==, "zwei");
  g_assert_true (sonde_tensor_equal (read, plain));
  g_assert_cmpstr (saved->path, ==, path);
  call_fails (client, sonde_session_request_save ("big", "relative.npy"),
              SONDE_ENGINE_ERROR_INVALID);
  call_fails (client, sonde_session_request_save ("big", "/nowhere/at/all.npy"),
              SONDE_ENGINE_ERROR_INVALID);
  session_fixture_clear (&fixture);
}

/* ---- a training that runs ------------------------------------------------ */

static void
start_training (SessionFixture *fixture, gboolean listen)
{
  g_autoptr (GError) error = NULL;

  session_fixture_init (fixture);
  fixture->options.client_lost = SONDE_CLIENT_LOST_CONTINUE;
  fixture->options.listen = listen;
  session_fixture_start (fixture);
  fixture->activity = session_fixture_open (fixture, "training", &error);
  g_assert_no_error (error);
  fixture->run_now = TRUE;
}

/* Runs go on: some more end. */
static void
assert_running (SessionFixture *fixture)
{
  guint64 before = atomic_load (&fixture->runs);
  gint64 end = g_get_monotonic_time () + 20 * G_USEC_PER_SEC;

  while (atomic_load (&fixture->runs) < before + 3 && g_get_monotonic_time () < end)
    g_thread_yield ();
  g_assert_cmpuint (atomic_load (&fixture->runs), >=, before + 3);
}

static void
test_training (void)
{
  SessionFixture fixture;
  g_autoptr (SondeSessionClient) client = NULL;
  g_autoptr (SondeSessionReply) paused = NULL, first = NULL;
  g_autoptr (SondeSessionEvent) stop = NULL, stepped = NULL, progress = NULL;

  start_training (&fixture, FALSE);
  g_object_unref (session_fixture_connect (&fixture)); /* nobody listens for some runs */
  assert_running (&fixture);
  client = session_fixture_connect (&fixture);
  first = call (client, sonde_session_request_status ());
  g_assert_cmpint (first->status->state, ==, SONDE_SESSION_RUNNING);
  g_assert_cmpuint (first->status->facts.step, >,
                    3); /* of now, not of when somebody listened last */
  progress = wait_for (client, SONDE_SESSION_EVENT_PROGRESS);
  g_assert_cmpint (progress->status->facts.kind, ==, SONDE_ACTIVITY_TRAINING);
  g_assert_cmpfloat (progress->status->facts.loss, ==, 0.5);
  for (int i = 0; i < 10; i++) /* answered in the midst of runs */
    assert_value (client, i % 2 == 0 ? "v3" : "v0[1]", i % 2 == 0 ? "v3" : "v0",
                  i % 2 == 0 ? NULL : "1");
  assert_running (&fixture);
  paused = call (client, sonde_session_request_pause ());
  stop = wait_for (client, SONDE_SESSION_EVENT_STOPPED);
  g_assert_cmpint (stop->status->stop.reason, ==, SONDE_STOP_PAUSE);
  stepped
      = resume (client, SONDE_RESUME_STEP, 2 * FIXTURE_STEPS, NULL, SONDE_SESSION_EVENT_STOPPED);
  g_assert_cmpuint (stepped->status->stop.step, ==, stop->status->stop.step + 2);
  g_assert_cmpuint (stepped->status->stop.position, ==, stop->status->stop.position);
  call_fails (client, sonde_session_request_restart (), SONDE_ENGINE_ERROR_UNSUPPORTED);
  sonde_session_client_detach (client);
  g_assert_true (sonde_session_client_is_closed (client));
  assert_running (&fixture); /* detached: it goes on */
  session_fixture_clear (&fixture);
}

/* A breakpoint in a run that goes on, and the client dies at it. */
static void
test_lost_continue (void)
{
  SessionFixture fixture;
  SondeSessionClient *client;
  g_autoptr (SondeSessionEvent) stop = NULL;

  start_training (&fixture, FALSE);
  client = session_fixture_connect (&fixture);
  add_breakpoint (client, "n3", SONDE_MOMENT_AFTER);
  stop = wait_for (client, SONDE_SESSION_EVENT_STOPPED);
  g_assert_cmpstr (stop->status->stop.node, ==, "n3");
  g_object_unref (client);
  assert_running (&fixture); /* without breakpoints */
  session_fixture_clear (&fixture);
}

static void
test_lost_quit (void)
{
  SessionFixture fixture;
  SondeSessionClient *client = open_inference (&fixture);
  g_autoptr (SondeSessionEvent) stop
      = resume (client, SONDE_RESUME_STEP, 1, NULL, SONDE_SESSION_EVENT_STOPPED);

  g_object_unref (client);
  session_fixture_join (&fixture); /* comes back by itself */
  g_assert_cmpint (fixture.result, ==, SONDE_SESSION_STOPPED);
  g_assert_true (fixture.finished);
  session_fixture_clear (&fixture);
}

static void
test_ends_by_itself (void)
{
  SessionFixture fixture;

  start_training (&fixture, FALSE);
  fixture.n_runs = 5;
  session_fixture_join (&fixture);
  g_assert_cmpint (fixture.result, ==, SONDE_SESSION_DONE);
  g_assert_cmpuint (fixture.runs, ==, 5);
  g_assert_false (fixture.finished);
  session_fixture_clear (&fixture);
}

/* ---- two clients --------------------------------------------------------- */

static void
test_two_clients (void)
{
  const SondeResume on = { .kind = SONDE_RESUME_CONTINUE };
  const SondeBreakpointSpec spec = { .pattern = "n1" };
  SessionFixture fixture;
  g_autoptr (SondeSessionClient) first = open_inference (&fixture),
                                 second = session_fixture_connect (&fixture);
  g_autoptr (SondeSessionReply) status = call (second, sonde_session_request_status ());
  g_autoptr (SondeSessionReply) breakpoints = NULL, released = NULL, taken = NULL;
  g_autoptr (SondeSessionEvent) stop = NULL, seen = NULL, control = NULL;

  g_assert_false (status->status->in_control);
  g_assert_true (status->status->has_controller);
  call_fails (second, sonde_session_request_resume (&on), SONDE_ENGINE_ERROR_STATE);
  call_fails (second, sonde_session_request_add_breakpoint (&spec), SONDE_ENGINE_ERROR_STATE);
  call_fails (second, sonde_session_request_quit (), SONDE_ENGINE_ERROR_STATE);
  add_breakpoint (first, "n2", SONDE_MOMENT_BEFORE);
  stop = resume (first, SONDE_RESUME_CONTINUE, 0, NULL, SONDE_SESSION_EVENT_STOPPED);
  seen = wait_for (second, SONDE_SESSION_EVENT_STOPPED);
  g_assert_cmpstr (seen->status->stop.node, ==, "n2");
  g_assert_false (seen->status->in_control);
  assert_value (second, "v1", "v1", NULL); /* looking is free */
  breakpoints = call (second, sonde_session_request_list_breakpoints ());
  g_assert_cmpuint (breakpoints->breakpoints->len, ==, 1);
  released = call (first, sonde_session_request_control (FALSE));
  g_assert_false (released->status->in_control);
  taken = call (second, sonde_session_request_control (TRUE));
  g_assert_true (taken->status->in_control);
  control = wait_for (first, SONDE_SESSION_EVENT_CONTROL);
  call_fails (first, sonde_session_request_resume (&on), SONDE_ENGINE_ERROR_STATE);
  g_clear_pointer (&stop, sonde_session_event_free);
  stop = resume (second, SONDE_RESUME_CONTINUE, 0, NULL, SONDE_SESSION_EVENT_ENDED);
  session_fixture_clear (&fixture);
}

/* ---- on a main loop ------------------------------------------------------ */

typedef struct
{
  GMainLoop *loop;
  GString *seen;
} Watcher;

static void
on_stopped (SondeSessionClient *client, SondeStop *stop, Watcher *watcher)
{
  g_string_append_printf (watcher->seen, "stopped %s;", stop->node);
  g_main_loop_quit (watcher->loop);
}

static void
on_closed (SondeSessionClient *client, const char *reason, Watcher *watcher)
{
  g_string_append (watcher->seen, "closed;");
  g_main_loop_quit (watcher->loop);
}

static void
on_reply (GObject *source, GAsyncResult *result, gpointer data)
{
  Watcher *watcher = data;
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeSessionReply) reply
      = sonde_session_client_send_finish (SONDE_SESSION_CLIENT (source), result, &error);

  if (reply != NULL)
    g_string_append_printf (watcher->seen, "steps %u;", reply->steps->len);
  else
    g_string_append_printf (watcher->seen, "%s;",
                            g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CANCELLED) ? "cancelled"
                                                                                      : "failed");
  g_main_loop_quit (watcher->loop);
}

static void
test_main_loop (void)
{
  const SondeResume step = { .kind = SONDE_RESUME_STEP };
  SessionFixture fixture;
  g_autoptr (SondeSessionClient) client = open_inference (&fixture);
  g_autoptr (GMainLoop) loop = g_main_loop_new (NULL, FALSE);
  g_autoptr (GString) seen = g_string_new (NULL);
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  g_autoptr (SondeSessionReply) reply = NULL;
  Watcher watcher = { loop, seen };

  g_signal_connect (client, "stopped", G_CALLBACK (on_stopped), &watcher);
  g_signal_connect (client, "closed", G_CALLBACK (on_closed), &watcher);
  sonde_session_client_send (client, sonde_session_request_steps (), NULL, on_reply, &watcher);
  g_assert_cmpstr (seen->str, ==, ""); /* never at once */
  g_main_loop_run (loop);
  sonde_session_client_send (client, sonde_session_request_tensor ("nothing"), NULL, on_reply,
                             &watcher);
  g_main_loop_run (loop);
  reply = call (client, sonde_session_request_resume (&step));
  g_main_loop_run (loop);
  g_cancellable_cancel (cancellable);
  sonde_session_client_send (client, sonde_session_request_steps (), cancellable, on_reply,
                             &watcher);
  g_main_loop_run (loop);
  session_fixture_clear (&fixture); /* the server goes */
  g_main_loop_run (loop);
  sonde_session_client_send (client, sonde_session_request_steps (), NULL, on_reply, &watcher);
  g_main_loop_run (loop);
  g_assert_cmpstr (seen->str, ==, "steps 6;failed;stopped n1;cancelled;closed;failed;");
}

/* A server whose engine thread does not come: the call ends in time, and a later reply harms
 * nobody. */
static void
test_time_out (void)
{
  SessionFixture fixture;
  g_autoptr (SondeSessionClient) client = NULL;
  g_autoptr (SondeSessionReply) reply = NULL, later = NULL;
  g_autoptr (GError) error = NULL;
  const SondeOpenRequest open = { .subject = "inference" };
  int fd;

  session_fixture_init (&fixture);
  session_fixture_start (&fixture);
  fixture.has_thread = TRUE; /* keeps it from being started */
  fd = session_fixture_connect_raw (&fixture);
  fixture.has_thread = FALSE;
  client = sonde_session_client_new_fd (fd, &error);
  g_assert_no_error (error);
  reply = sonde_session_client_call (client, sonde_session_request_open (&open), 20, &error);
  g_assert_null (reply);
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_TIMED_OUT);
  g_object_unref (session_fixture_connect (&fixture)); /* now it is */
  later = call (client, sonde_session_request_steps ());
  g_assert_cmpuint (later->steps->len, ==, FIXTURE_STEPS);
  session_fixture_clear (&fixture);
}

/* ---- quit ---------------------------------------------------------------- */

static void
test_quit (void)
{
  SessionFixture fixture;
  g_autoptr (SondeSessionClient) client = open_inference (&fixture);
  g_autoptr (SondeSessionReply) reply = call (client, sonde_session_request_quit ());
  g_autoptr (SondeSessionEvent) closed = NULL;

  session_fixture_join (&fixture);
  g_assert_true (fixture.finished);
  g_assert_cmpint (fixture.result, ==, SONDE_SESSION_STOPPED);
  g_assert_no_error (fixture.error);
  g_clear_pointer (&fixture.server, sonde_session_server_free);
  closed = wait_for (client, SONDE_SESSION_EVENT_CLOSED);
  g_assert_true (sonde_session_client_is_closed (client));
  g_assert_null (sonde_session_client_wait_event (client, -1));
  call_fails (client, sonde_session_request_steps (), SONDE_ENGINE_ERROR_PROTOCOL);
  session_fixture_clear (&fixture);
}

static void
test_quit_fails (void)
{
  SessionFixture fixture;
  g_autoptr (SondeSessionClient) client = open_inference (&fixture);

  fixture.fail_finish = TRUE;
  call_fails (client, sonde_session_request_quit (), SONDE_ENGINE_ERROR_INVALID);
  session_fixture_join (&fixture);
  g_assert_cmpint (fixture.result, ==, SONDE_SESSION_FAILED);
  g_assert_nonnull (strstr (fixture.error->message, "checkpoint"));
  session_fixture_clear (&fixture);
}

/* ---- a child ------------------------------------------------------------- */

/* The test program itself, started as the engine: what it does stands in the environment. */
static int
run_child (int fd)
{
  const char *role = g_getenv ("SONDE_TEST_ENGINE");
  g_autoptr (GError) error = NULL;
  SessionFixture fixture;

  if (g_str_equal (role, "exit"))
    return 3;
  if (g_str_equal (role, "garbage"))
    return write (fd, "HTTP/1.1 400\r\n", 14) == 14 ? 0 : 1;
  session_fixture_init (&fixture);
  session_fixture_start (&fixture);
  sonde_session_server_add_fd (fixture.server, fd, &error);
  if (g_str_equal (role, "dies"))
    {
      g_rmdir (fixture.directory);
      alarm (30);
      signal (SIGUSR1, SIG_DFL);
    }
  session_fixture_join (&fixture);
  session_fixture_clear (&fixture);
  return 5;
}

static SondeSessionClient *
spawn (const char *role, GError **error)
{
  g_autofree char *program = g_file_read_link ("/proc/self/exe", NULL);

  g_setenv ("SONDE_TEST_ENGINE", role, TRUE);
  return sonde_session_client_spawn (program, 2, error);
}

static void
test_child (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeSessionClient) client = spawn ("serves", &error);

  g_assert_no_error (error);
  g_assert_false (sonde_session_client_is_attached (client));
  g_assert_cmpint (sonde_session_client_get_pid (client), !=, getpid ());
  open_subject (client, "inference");
  assert_value (client, "tall", "tall", NULL);
  g_assert_cmpint (sonde_session_client_quit_child (client, 20000), ==, 5);
}

static void
test_child_dies (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeSessionClient) client = spawn ("dies", &error);
  g_autoptr (SondeSessionEvent) closed = NULL;

  g_assert_no_error (error);
  open_subject (client, "inference");
  kill (sonde_session_client_get_pid (client), SIGKILL);
  closed = wait_for (client, SONDE_SESSION_EVENT_CLOSED);
  g_assert_nonnull (strstr (closed->text, "signal 9"));
  call_fails (client, sonde_session_request_steps (), SONDE_ENGINE_ERROR_PROTOCOL);
  g_assert_cmpint (sonde_session_client_quit_child (client, 1000), ==, 128 + SIGKILL);
}

static void
count_events (gpointer data, const SondeSessionEvent *event)
{
  *(guint *) data += 1u << event->kind;
}

/* One that gets SIGSTOP is told of, with what helps, to whoever waits for an event or an answer;
 * SIGCONT ends it. */
static void
test_child_stopped (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeSessionClient) client = spawn ("serves", &error);
  g_autoptr (SondeSessionEvent) silent = NULL, answers = NULL, none = NULL;
  g_autoptr (SondeSessionReply) reply = NULL;
  g_autofree char *help = NULL;
  SondeTestSilence silence = { 0 };
  guint told = 0;

  g_assert_no_error (error);
  open_subject (client, "inference");
  help = g_strdup_printf ("kill -CONT %d", sonde_session_client_get_pid (client));
  sonde_test_silence_begin (&silence, client);
  silent = wait_for (client, SONDE_SESSION_EVENT_SILENT);
  g_assert_true (sonde_session_client_is_silent (client));
  g_assert_nonnull (strstr (silent->text, help));
  sonde_test_silence_end (&silence);
  answers = wait_for (client, SONDE_SESSION_EVENT_ANSWERS);
  g_assert_false (sonde_session_client_is_silent (client));
  sonde_test_silence_clear (&silence);
  sonde_test_silence_begin (&silence, client);
  while (!sonde_session_client_is_silent (client))
    g_thread_yield ();
  sonde_test_silence_end (&silence);
  reply = sonde_session_client_call_told (client, sonde_session_request_steps (), count_events,
                                          &told, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (told, ==,
                    (1u << SONDE_SESSION_EVENT_SILENT) + (1u << SONDE_SESSION_EVENT_ANSWERS));
  none = sonde_session_client_wait_event (client, 0);
  g_assert_null (none);
  sonde_test_silence_clear (&silence);
  g_assert_cmpint (sonde_session_client_quit_child (client, 20000), ==, 5);
}

/* Ending one that stands still kills it. */
static void
test_child_stopped_ends (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeSessionClient) client = spawn ("serves", &error);
  SondeTestSilence silence = { 0 };

  g_assert_no_error (error);
  open_subject (client, "inference");
  sonde_test_silence_begin (&silence, client);
  g_assert_cmpint (sonde_session_client_quit_child (client, 10), ==, 128 + SIGKILL);
  sonde_test_silence_clear (&silence);
}

static void
test_child_is_none (void)
{
  g_autoptr (GError) exits = NULL, garbage = NULL, missing = NULL;

  g_assert_null (spawn ("exit", &exits));
  g_assert_nonnull (strstr (exits->message, "exit status 3"));
  g_assert_null (spawn ("garbage", &garbage));
  g_assert_nonnull (strstr (garbage->message, "does not speak"));
  g_assert_null (sonde_session_client_spawn ("/nowhere/sonde", 0, &missing));
  g_assert_error (missing, G_SPAWN_ERROR, G_SPAWN_ERROR_NOENT);
}

int
main (int argc, char **argv)
{
  if (argc == 4 && g_str_equal (argv[1], "engine"))
    return run_child (atoi (argv[3]));
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/engine/session/inference", test_inference);
  g_test_add_func ("/engine/session/states", test_states);
  g_test_add_func ("/engine/session/lists", test_lists);
  g_test_add_func ("/engine/session/breakpoints", test_breakpoints);
  g_test_add_func ("/engine/session/memory", test_memory);
  g_test_add_func ("/engine/session/training", test_training);
  g_test_add_func ("/engine/session/lost/continue", test_lost_continue);
  g_test_add_func ("/engine/session/lost/quit", test_lost_quit);
  g_test_add_func ("/engine/session/ends-by-itself", test_ends_by_itself);
  g_test_add_func ("/engine/session/two-clients", test_two_clients);
  g_test_add_func ("/engine/session/main-loop", test_main_loop);
  g_test_add_func ("/engine/session/time-out", test_time_out);
  g_test_add_func ("/engine/session/quit", test_quit);
  g_test_add_func ("/engine/session/quit-fails", test_quit_fails);
  g_test_add_func ("/engine/session/child/serves", test_child);
  g_test_add_func ("/engine/session/child/dies", test_child_dies);
  g_test_add_func ("/engine/session/child/stopped", test_child_stopped);
  g_test_add_func ("/engine/session/child/stopped-ends", test_child_stopped_ends);
  g_test_add_func ("/engine/session/child/none", test_child_is_none);
  return g_test_run ();
}
