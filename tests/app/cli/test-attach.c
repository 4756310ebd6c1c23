/* SPDX-License-Identifier: Apache-2.0
 * The whole way: a training of 200 steps on glyphs in a child, a debugger that comes over the
 * socket, pauses at nodes and computes them again alone, and goes; the run read back from its
 * records; and the same weights, to the bit, as without debugger and with ten breakpoints. */
#include <glib/gstdio.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/inotify.h>
#include <unistd.h>

#include "data/models/sonde-model-file.h"
#include "data/runs/sonde-run-store.h"
#include "engine/ops/sonde-op.h"
#include "engine/session/client/sonde-session-client.h"
#include "engine/session/sonde-session-directory.h"
#include "tests/app/cli/training-fixture.h"
#include "tests/support/sonde-test-tensor.h"

#define STEPS 200
#define LENET                                                                                      \
  "lenet", "--set", "data.source=glyphs", "--set", "data.train=1024", "--set", "data.test=128",    \
      "--set", "data.batch=128", "--set", "train.steps=200", "--set", "train.threads=2"

/* ---- the client ---------------------------------------------------------- */

static SondeSessionReply *
call (SondeSessionClient *client, SondeSessionRequest *request)
{
  g_autoptr (GError) error = NULL;
  SondeSessionReply *reply = sonde_session_client_call (client, request, 60000, &error);

  g_assert_no_error (error);
  return reply;
}

static SondeSessionEvent *
wait_for (SondeSessionClient *client, SondeSessionEventKind kind)
{
  SondeSessionEvent *event;

  while ((event = sonde_session_client_wait_event (client, 60000)) != NULL && event->kind != kind)
    {
      g_assert_cmpint (event->kind, !=, SONDE_SESSION_EVENT_CLOSED);
      sonde_session_event_free (event);
    }
  g_assert_nonnull (event);
  return event;
}

/* Resumes; the next stop. */
static SondeSessionEvent *
resume (SondeSessionClient *client, SondeResumeKind kind, const char *target)
{
  const SondeResume how = { .kind = kind, .target = target };
  g_autoptr (SondeSessionReply) reply = call (client, sonde_session_request_resume (&how));

  return wait_for (client, SONDE_SESSION_EVENT_STOPPED);
}

/* Sessions announce themselves by a file in the folder; the kernel says when one comes. */
static SondeSessionClient *
attach (const char *folder, SondeTestProgram *program)
{
  g_autofree char *runtime = g_build_filename (folder, "xdg_runtime_dir", NULL);
  g_autofree char *directory = g_build_filename (runtime, "sonde", NULL);
  gint64 end = g_get_monotonic_time () + 60 * G_TIME_SPAN_SECOND;
  SondeSessionClient *client = NULL;

  while (client == NULL && g_get_monotonic_time () < end)
    {
      struct pollfd watch = { .fd = inotify_init1 (IN_CLOEXEC | IN_NONBLOCK), .events = POLLIN };
      g_autoptr (GPtrArray) sessions = NULL;

      inotify_add_watch (watch.fd,
                         g_file_test (directory, G_FILE_TEST_IS_DIR) ? directory : runtime,
                         IN_ALL_EVENTS);
      sessions = sonde_session_list (NULL, directory, NULL);
      if (sessions != NULL && sessions->len > 0)
        client = sonde_session_client_attach (program->pid, directory, NULL);
      else
        poll (&watch, 1, 100);
      close (watch.fd);
    }
  g_assert_nonnull (client);
  return client;
}

/* ---- one node alone ------------------------------------------------------ */

static void
tensor_unref (void *tensor)
{
  sonde_tensor_unref (tensor);
}

/* A value that the engine has at this position, or that was computed here before. */
static SondeTensor *
value_of (SondeSessionClient *client, GHashTable *known, const char *name)
{
  SondeTensor *tensor = g_hash_table_lookup (known, name);

  if (tensor == NULL)
    {
      g_autoptr (SondeSessionReply) reply = call (client, sonde_session_request_tensor (name));

      tensor = sonde_tensor_ref (reply->tensor);
      g_hash_table_insert (known, g_strdup (name), tensor);
    }
  return tensor;
}

static void
compute_alone (SondeSessionClient *client, SondeGraph *graph, const char *name, GHashTable *known)
{
  SondeNode *node = sonde_graph_find_node (graph, name);
  g_autofree SondeTensor **inputs = NULL, **outputs = NULL;
  g_autoptr (GError) error = NULL;

  g_assert_nonnull (node);
  inputs = g_new0 (SondeTensor *, node->inputs->len + 1);
  outputs = g_new0 (SondeTensor *, node->outputs->len + 1);
  for (guint i = 0; i < node->inputs->len; i++)
    {
      SondeGraphValue *value = g_ptr_array_index (node->inputs, i);

      inputs[i] = value != NULL ? value_of (client, known, value->name) : NULL;
    }
  if (!sonde_op_run_reference (node, inputs, node->inputs->len, outputs, node->outputs->len,
                               &error))
    g_error ("%s", error->message);
  for (guint i = 0; i < node->outputs->len; i++)
    {
      SondeGraphValue *value = g_ptr_array_index (node->outputs, i);

      if (value != NULL)
        g_hash_table_insert (known, g_strdup (value->name), outputs[i]);
      else
        sonde_tensor_unref (outputs[i]);
    }
}

/* Paused before a node: copies into another layout may stand before it, which have no nodes. */
static guint
step_over_inserted (SondeSessionClient *client, guint position)
{
  g_autoptr (SondeSessionReply) steps = call (client, sonde_session_request_steps ());

  while (((const SondeStepInfo *) g_ptr_array_index (steps->steps, position))->nodes[0] == NULL)
    {
      g_autoptr (SondeSessionEvent) stop = resume (client, SONDE_RESUME_STEP, NULL);

      g_assert_cmpuint (stop->status->stop.position, ==, ++position);
    }
  return position;
}

/* Paused before a step: its nodes are computed alone from the values that the engine shows, then
 * the engine does the step, and both have the same. */
static void
check_step (SondeSessionClient *client, SondeGraph *graph, guint position)
{
  g_autoptr (SondeSessionReply) steps = call (client, sonde_session_request_steps ());
  const SondeStepInfo *step = g_ptr_array_index (steps->steps, position);
  g_autoptr (GHashTable) known
      = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, tensor_unref);
  g_autoptr (SondeSessionEvent) stop = NULL;

  g_assert_nonnull (step->nodes[0]);
  for (gsize i = 0; step->nodes[i] != NULL; i++)
    compute_alone (client, graph, step->nodes[i], known);
  stop = resume (client, SONDE_RESUME_STEP, NULL);
  g_assert_cmpuint (stop->status->stop.position, ==, position + 1);
  for (gsize i = 0; step->outputs[i] != NULL; i++)
    {
      g_autoptr (SondeSessionReply) reply
          = call (client, sonde_session_request_tensor (step->outputs[i]));
      SondeTensor *alone = g_hash_table_lookup (known, step->outputs[i]);

      g_assert_nonnull (alone);
      sonde_test_assert_close (reply->tensor, alone, 1e-4, 1e-5, step->outputs[i]);
    }
}

static void
check_nodes (SondeSessionClient *client)
{
  static const char *const places[]
      = { "conv1", "conv2", "fc1", "phase:backward", "phase:optimiser" };
  g_autoptr (SondeSessionReply) reply
      = call (client, sonde_session_request_graph (SONDE_SESSION_GRAPH_EXECUTED));
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeGraph) graph = sonde_model_parse (
      g_bytes_get_data (reply->bytes, NULL), g_bytes_get_size (reply->bytes), "executed", &error);

  g_assert_no_error (error);
  for (gsize i = 0; i < G_N_ELEMENTS (places); i++)
    {
      g_autoptr (SondeSessionEvent) stop = resume (client, SONDE_RESUME_UNTIL, places[i]);

      g_assert_cmpint (stop->status->stop.reason, ==, SONDE_STOP_UNTIL);
      check_step (client, graph, step_over_inserted (client, stop->status->stop.position));
    }
}

/* ---- the run read back --------------------------------------------------- */

static void
check_run (const char *folder, const char *run)
{
  static const char *const tags[] = { "loss", "accuracy", "learning-rate", "gradient-norm" };
  g_autofree char *path = g_build_filename (folder, run, NULL),
                  *index = g_build_filename (folder, "index", NULL);
  const char *const paths[] = { path, NULL };
  g_autoptr (SondeRunStore) store = sonde_run_store_new (NULL, paths, index);
  g_autoptr (SondeRun) found = NULL;
  g_autoptr (GError) error = NULL;

  sonde_run_store_settle (store, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (g_list_model_get_n_items (G_LIST_MODEL (store)), ==, 1);
  found = g_list_model_get_item (G_LIST_MODEL (store), 0);
  g_assert_cmpuint (sonde_run_get_damage_count (found), ==, 0);
  g_assert_cmpint (sonde_run_get_last_step (found), ==, STEPS);
  for (gsize i = 0; i < G_N_ELEMENTS (tags); i++)
    {
      SondeSeries *series = sonde_run_get_series (found, tags[i]);
      SondePoint points[STEPS];

      g_assert_nonnull (series);
      g_assert_cmpuint (sonde_series_get_n_points (series), ==, STEPS);
      g_assert_cmpuint (sonde_series_copy_points (series, 0, STEPS, points), ==, STEPS);
      for (guint k = 0; k < STEPS; k++)
        g_assert_cmpint (points[k].step, ==, k + 1);
    }
}

/* ---- tests --------------------------------------------------------------- */

/* The training without anybody looking: what all others are compared with. */
static SondeNamedTensors *
train_alone (const char *folder)
{
  g_autoptr (SondeTestProgram) program
      = sonde_test_run (folder, NULL, "train", LENET, "--run", "alone");

  sonde_test_assert_status (program, 0);
  return training_weights (folder, "alone", "final");
}

static void
test_attach (void)
{
  char *folder = sonde_test_folder_new ();
  const char *const arguments[] = { "train", LENET, "--run", "watched", "--json", NULL };
  g_autoptr (SondeTestProgram) program = sonde_test_start (folder, NULL, arguments);
  g_autoptr (SondeSessionClient) client = attach (folder, program);
  g_autoptr (SondeSessionReply) paused = call (client, sonde_session_request_pause ());
  g_autoptr (SondeSessionEvent) stop = wait_for (client, SONDE_SESSION_EVENT_STOPPED);
  g_autoptr (SondeNamedTensors) alone = NULL, watched = NULL;
  g_autoptr (JsonNode) json = NULL;

  g_assert_true (sonde_session_client_is_attached (client));
  g_assert_cmpint (sonde_session_client_get_pid (client), ==, program->pid);
  g_assert_true (stop->status->in_control);
  g_assert_cmpint (stop->status->stop.reason, ==, SONDE_STOP_PAUSE);
  g_assert_cmpuint (stop->status->facts.total_steps, ==, STEPS);
  check_nodes (client);
  sonde_session_client_detach (client);
  sonde_test_wait (program, 120);
  sonde_test_assert_status (program, 0);
  json = sonde_test_parse_json (program->out);
  g_assert_cmpint (json_object_get_int_member (json_node_get_object (json), "steps"), ==, STEPS);
  check_run (folder, "watched");
  alone = train_alone (folder);
  watched = training_weights (folder, "watched", "final");
  training_assert_equal_weights (watched, alone);
  sonde_test_folder_free (folder);
}

/* Ten breakpoints, fifty stops, then on to the end. */
static void
test_ten_breakpoints (void)
{
  static const char *const nodes[]
      = { "conv1", "relu1", "pool1", "conv2", "relu2", "pool2", "fc1", "fc2", "fc3", "op:*Grad*" };
  char *folder = sonde_test_folder_new ();
  g_autoptr (GString) commands = g_string_new (NULL);
  g_autoptr (SondeTestProgram) program = NULL;
  g_autoptr (SondeNamedTensors) alone = train_alone (folder), debugged = NULL;
  g_auto (GStrv) lines = NULL;
  guint n_stops = 0, n_ends = 0;

  for (gsize i = 0; i < G_N_ELEMENTS (nodes); i++)
    g_string_append_printf (commands, "break %s\n", nodes[i]);
  g_string_append (commands, "info breakpoints\nrun\n");
  for (guint i = 0; i < 50; i++)
    g_string_append (commands, "continue\nstats loss\n");
  g_string_append (commands, "clear\ncontinue\nquit\n");
  program = sonde_test_run (folder, commands->str, "debug", LENET, "--run", "debugged", "--repl",
                            "--json");
  sonde_test_assert_status (program, 0);
  lines = g_strsplit (program->out, "\n", -1);
  for (gsize i = 0; lines[i] != NULL; i++)
    {
      if (i < G_N_ELEMENTS (nodes) && strstr (lines[i], "\"ok\":true") == NULL)
        g_error ("%s: %s", nodes[i], lines[i]);
      n_stops += strstr (lines[i], "\"stopped\"") != NULL;
      n_ends += strstr (lines[i], "\"ended\"") != NULL;
    }
  g_assert_cmpuint (n_stops, ==, 51);
  g_assert_cmpuint (n_ends, ==, 1);
  check_run (folder, "debugged");
  debugged = training_weights (folder, "debugged", "final");
  training_assert_equal_weights (debugged, alone);
  sonde_test_folder_free (folder);
}

/* The debugger is killed while it is in control of a paused run: the run goes on to its end. */
static void
test_killed_debugger (void)
{
  char *folder = sonde_test_folder_new ();
  const char *const arguments[] = { "train", LENET, "--run", "r", NULL };
  g_autoptr (SondeTestProgram) program = sonde_test_start (folder, NULL, arguments);
  SondeSessionClient *client = attach (folder, program);
  g_autoptr (SondeSessionReply) paused = call (client, sonde_session_request_pause ());
  g_autoptr (SondeSessionEvent) stop = wait_for (client, SONDE_SESSION_EVENT_STOPPED);

  g_assert_cmpint (stop->status->state, ==, SONDE_SESSION_PAUSED);
  g_object_unref (client);
  sonde_test_wait (program, 120);
  sonde_test_assert_status (program, 0);
  check_run (folder, "r");
  sonde_test_folder_free (folder);
}

/* ---- ended while it stands in the middle of a step ----------------------- */

#define ENDLESS "mlp", TRAINING_SMALL, "--set", "train.optimiser=adam", "--set"

/* The run goes on to @steps, and is there what one that nobody ended is. */
static void
check_resumed (const char *folder, gint64 steps)
{
  g_autofree char *set = g_strdup_printf ("train.steps=%" G_GINT64_FORMAT, steps);
  g_autoptr (SondeTestProgram) resumed
      = sonde_test_run (folder, NULL, "train", ENDLESS, set, "--run", "r", "--resume"),
      straight = sonde_test_run (folder, NULL, "train", ENDLESS, set, "--run", "whole");
  g_autoptr (SondeNamedTensors) got = NULL, want = NULL;
  g_autoptr (GPtrArray) points = training_export (folder, "r"),
                        wanted = training_export (folder, "whole");
  g_autoptr (GPtrArray) losses = training_points (points, "loss"),
                        expected = training_points (wanted, "loss");

  sonde_test_assert_status (resumed, 0);
  sonde_test_assert_status (straight, 0);
  got = training_weights (folder, "r", "final");
  want = training_weights (folder, "whole", "final");
  training_assert_equal_weights (got, want);
  g_assert_cmpuint (losses->len, ==, (guint) steps);
  g_assert_cmpuint (expected->len, ==, (guint) steps);
  for (guint i = 0; i < losses->len; i++)
    {
      const TrainingPoint *a = g_ptr_array_index (losses, i), *b = g_ptr_array_index (expected, i);

      g_assert_cmpint (a->step, ==, b->step);
      g_assert_cmpfloat (a->value, ==, b->value);
    }
}

/* Paused between the updates of a step, it is ended by @number, twice, or (0) by the client. The
 * breakpoints do not hold it; a signal has the step done first, the client's word does not. */
static void
test_ended_in_step (gconstpointer data)
{
  int number = GPOINTER_TO_INT (data);
  char *folder = sonde_test_folder_new ();
  const char *const arguments[]
      = { "train", ENDLESS, "train.steps=100000000", "--run", "r", "--json", NULL };
  const SondeBreakpointSpec everywhere = { .pattern = "*" };
  g_autoptr (SondeTestProgram) program = sonde_test_start (folder, NULL, arguments);
  g_autoptr (SondeSessionClient) client = attach (folder, program);
  g_autoptr (SondeSessionReply) paused = call (client, sonde_session_request_pause ());
  g_autoptr (SondeSessionEvent) stop = wait_for (client, SONDE_SESSION_EVENT_STOPPED),
                                update = resume (client, SONDE_RESUME_UNTIL, "phase:optimiser"),
                                next = resume (client, SONDE_RESUME_STEP, NULL);
  g_autoptr (SondeSessionReply) added
      = call (client, sonde_session_request_add_breakpoint (&everywhere));
  g_autoptr (JsonNode) json = NULL;
  gint64 steps = (gint64) next->status->stop.step - (number == 0 ? 1 : 0);

  g_assert_cmpint (next->status->stop.phase, ==, SONDE_PHASE_OPTIMISER);
  g_assert_cmpuint (next->status->stop.step, ==, update->status->stop.step);
  if (number != 0)
    g_assert_true (kill (program->pid, number) == 0 && kill (program->pid, number) == 0);
  else
    sonde_session_reply_free (call (client, sonde_session_request_quit ()));
  sonde_test_wait (program, 120);
  sonde_test_assert_status (program, number != 0 ? 128 + number : 0);
  json = sonde_test_parse_json (program->out);
  g_assert_cmpint (json_object_get_int_member (json_node_get_object (json), "steps"), ==, steps);
  check_resumed (folder, steps + 5);
  sonde_test_folder_free (folder);
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/app/cli/attach/attach", test_attach);
  g_test_add_func ("/app/cli/attach/ten-breakpoints", test_ten_breakpoints);
  g_test_add_func ("/app/cli/attach/killed-debugger", test_killed_debugger);
  g_test_add_data_func ("/app/cli/attach/ended-in-step/sigint", GINT_TO_POINTER (SIGINT),
                        test_ended_in_step);
  g_test_add_data_func ("/app/cli/attach/ended-in-step/sigterm", GINT_TO_POINTER (SIGTERM),
                        test_ended_in_step);
  g_test_add_data_func ("/app/cli/attach/ended-in-step/quit", NULL, test_ended_in_step);
  return g_test_run ();
}
