/* SPDX-License-Identifier: Apache-2.0
 * A session followed without a window: the child is the built program. */
#include <signal.h>
#include <string.h>

#include "data/models/sonde-model-file.h"
#include "engine/frontend/sonde-debug-connection.h"
#include "engine/frontend/sonde-debug-recording.h"
#include "engine/frontend/sonde-debug-session.h"
#include "tests/support/sonde-test-program.h"

#define DEADLINE_S 60

typedef struct
{
  char *folder, *model;
  SondeDebugSession *session;
  guint n_loaded, n_moved, n_hits, n_focus;
  char *problem, *over, *looked_at; /* last of each signal */
} Fixture;

/* x → first → second → third → y */
static char *
write_model (const char *folder)
{
  static const char *const nodes[][2]
      = { { "first", "Relu" }, { "second", "Softmax" }, { "third", "Sigmoid" } };
  g_autoptr (SondeGraph) graph = sonde_graph_new ("chain");
  const SondeShape shape = sonde_shape_make (2, 2, 3);
  const SondeType type = sonde_type_tensor (SONDE_DTYPE_F32, &shape);
  SondeGraphValue *value = sonde_graph_add_input (graph, "x", &type);
  char *path = g_build_filename (folder, "chain.onnx", NULL);
  g_autoptr (GError) error = NULL;

  sonde_graph_set_opset (graph, "", 17);
  for (gsize i = 0; i < G_N_ELEMENTS (nodes); i++)
    value = sonde_node_get_output (
        sonde_graph_add_node (graph, nodes[i][0], "", nodes[i][1], &value, 1, 1), 0);
  sonde_graph_add_output (graph, value);
  g_assert_true (sonde_model_save (NULL, path, graph, &error));
  g_assert_no_error (error);
  return path;
}

static void
on_loaded (Fixture *fixture)
{
  fixture->n_loaded++;
}

static void
on_moved (Fixture *fixture)
{
  fixture->n_moved++;
}

static void
on_hits (Fixture *fixture)
{
  fixture->n_hits++;
}

static void
on_focus (Fixture *fixture)
{
  fixture->n_focus++;
}

static void
keep (char **where, const char *text)
{
  g_free (*where);
  *where = g_strdup (text);
}

static void
on_problem (SondeDebugSession *session, const char *sentence, Fixture *fixture)
{
  keep (&fixture->problem, sentence);
}

static void
on_over (SondeDebugSession *session, const char *reason, Fixture *fixture)
{
  keep (&fixture->over, reason);
}

static void
on_value (SondeDebugSession *session, const char *name, Fixture *fixture)
{
  keep (&fixture->looked_at, name);
}

static void
fixture_init (Fixture *fixture)
{
  g_autofree char *program = sonde_test_program_dup_path ();

  *fixture = (Fixture){ .folder = sonde_test_folder_new () };
  fixture->model = write_model (fixture->folder);
  fixture->session = sonde_debug_session_new (program, sonde_model_parse);
  g_signal_connect_swapped (fixture->session, "loaded", G_CALLBACK (on_loaded), fixture);
  g_signal_connect_swapped (fixture->session, "moved", G_CALLBACK (on_moved), fixture);
  g_signal_connect_swapped (fixture->session, "hits", G_CALLBACK (on_hits), fixture);
  g_signal_connect_swapped (fixture->session, "focus", G_CALLBACK (on_focus), fixture);
  g_signal_connect (fixture->session, "problem", G_CALLBACK (on_problem), fixture);
  g_signal_connect (fixture->session, "over", G_CALLBACK (on_over), fixture);
  g_signal_connect (fixture->session, "value", G_CALLBACK (on_value), fixture);
}

static gboolean
on_late (gpointer data)
{
  g_error ("the session did not become idle in %d seconds", DEADLINE_S);
  return G_SOURCE_REMOVE;
}

/* Until nothing is under way. */
static void
settle (Fixture *fixture)
{
  guint late = g_timeout_add_seconds (DEADLINE_S, on_late, NULL);

  while (sonde_debug_session_is_busy (fixture->session))
    g_main_context_iteration (NULL, TRUE);
  g_source_remove (late);
}

static void
fixture_open (Fixture *fixture, const char *at)
{
  const SondeOpenRequest request = { .subject = fixture->model, .threads = 1 };

  sonde_debug_session_open (fixture->session, &request, at);
  g_assert_true (sonde_debug_session_is_busy (fixture->session));
  settle (fixture);
}

static void
fixture_clear (Fixture *fixture)
{
  const int pid
      = sonde_debug_session_get_client (fixture->session) != NULL
            ? sonde_session_client_get_pid (sonde_debug_session_get_client (fixture->session))
            : 0;

  g_object_unref (fixture->session);
  while (sonde_debug_is_ending (pid))
    g_main_context_iteration (NULL, TRUE);
  g_free (fixture->model);
  g_free (fixture->problem);
  g_free (fixture->over);
  g_free (fixture->looked_at);
  sonde_test_folder_free (fixture->folder);
}

static const char *
node_of (Fixture *fixture)
{
  return sonde_debug_session_get_status (fixture->session)->stop.node;
}

/* ---- following ------------------------------------------------------------ */

static void
test_loaded (void)
{
  Fixture fixture;
  SondeDebugSteps *steps;

  fixture_init (&fixture);
  g_assert_false (sonde_debug_session_is_loaded (fixture.session));
  g_assert_false (sonde_debug_session_has_position (fixture.session));
  fixture_open (&fixture, NULL);
  g_assert_null (fixture.problem);
  g_assert_cmpuint (fixture.n_loaded, ==, 1);
  g_assert_true (sonde_debug_session_is_loaded (fixture.session));
  g_assert_true (sonde_debug_session_can_go (fixture.session));
  steps = sonde_debug_session_get_steps (fixture.session);
  g_assert_cmpuint (sonde_debug_steps_find_node (steps, "first"), ==, 0);
  g_assert_cmpuint (sonde_debug_steps_find_node (steps, "third"), !=, SONDE_DEBUG_NO_STEP);
  g_assert_cmpuint (sonde_debug_steps_get_line (steps, 0), >, 0);
  g_assert_nonnull (strstr (sonde_debug_session_get_listing (fixture.session), "Softmax"));
  g_assert_nonnull (sonde_graph_find_value (sonde_debug_session_get_graph (fixture.session), "x"));
  g_assert_nonnull (sonde_debug_session_get_console (fixture.session));
  g_assert_null (sonde_debug_session_get_inner_node (fixture.session));
  g_assert_null (sonde_debug_session_get_silence (fixture.session));
  fixture_clear (&fixture);
}

static void
test_position (void)
{
  Fixture fixture;
  const SondeBack back = { .kind = SONDE_BACK_STEPS, .count = 1 };
  guint n_moved;

  fixture_init (&fixture);
  fixture_open (&fixture, "second");
  g_assert_cmpstr (node_of (&fixture), ==, "second");
  n_moved = fixture.n_moved;
  sonde_debug_session_resume (fixture.session, SONDE_RESUME_STEP, NULL);
  settle (&fixture);
  g_assert_cmpstr (node_of (&fixture), ==, "third");
  g_assert_cmpuint (fixture.n_moved, >, n_moved);
  sonde_debug_session_go_back (fixture.session, &back);
  settle (&fixture);
  g_assert_cmpstr (node_of (&fixture), ==, "second");
  sonde_debug_session_resume (fixture.session, SONDE_RESUME_UNTIL, "nowhere");
  settle (&fixture);
  g_assert_nonnull (strstr (fixture.problem, "nowhere"));
  sonde_debug_session_resume (fixture.session, SONDE_RESUME_CONTINUE, NULL);
  while (sonde_debug_session_get_status (fixture.session)->state != SONDE_SESSION_ENDED)
    g_main_context_iteration (NULL, TRUE);
  settle (&fixture);
  g_assert_true (sonde_debug_session_has_position (fixture.session));
  g_assert_false (sonde_debug_session_can_go (fixture.session));
  sonde_debug_session_restart (fixture.session);
  settle (&fixture);
  g_assert_true (sonde_debug_session_can_go (fixture.session));
  fixture_clear (&fixture);
}

static void
test_middle (void)
{
  Fixture fixture;

  fixture_init (&fixture);
  fixture_open (&fixture, "");
  g_assert_cmpint (sonde_debug_session_get_status (fixture.session)->state, ==,
                   SONDE_SESSION_PAUSED);
  fixture_clear (&fixture);
}

static void
test_focus (void)
{
  Fixture fixture;

  fixture_init (&fixture);
  fixture_open (&fixture, NULL);
  g_assert_cmpuint (sonde_debug_session_get_focus (fixture.session), ==, SONDE_DEBUG_NO_STEP);
  g_assert_true (sonde_debug_session_focus_name (fixture.session, "third"));
  g_assert_cmpuint (fixture.n_focus, ==, 1);
  g_assert_true (sonde_debug_session_focus_name (fixture.session, "third"));
  g_assert_cmpuint (fixture.n_focus, ==, 1);
  g_assert_false (sonde_debug_session_focus_name (fixture.session, "fourth"));
  sonde_debug_session_show_value (fixture.session, "x");
  g_assert_cmpstr (fixture.looked_at, ==, "x");
  /* A stop goes back to where the run stands. */
  sonde_debug_session_resume (fixture.session, SONDE_RESUME_STEP, NULL);
  settle (&fixture);
  g_assert_cmpuint (sonde_debug_session_get_focus (fixture.session), ==, SONDE_DEBUG_NO_STEP);
  fixture_clear (&fixture);
}

/* ---- what a user changes -------------------------------------------------- */

static void
test_breakpoints (void)
{
  Fixture fixture;
  guint serial;
  const SondeBreakpoint *breakpoint;

  fixture_init (&fixture);
  fixture_open (&fixture, NULL);
  serial = sonde_debug_session_get_breakpoints_serial (fixture.session);
  sonde_debug_session_toggle_breakpoint (fixture.session, "third");
  settle (&fixture);
  g_assert_cmpuint (sonde_debug_session_get_breakpoints_serial (fixture.session), >, serial);
  g_assert_cmpuint (sonde_debug_session_get_breakpoints (fixture.session)->len, ==, 1);
  breakpoint = g_ptr_array_index (sonde_debug_session_get_breakpoints (fixture.session), 0);
  g_assert_cmpstr (breakpoint->pattern, ==, "third");
  sonde_debug_session_enable_breakpoint (fixture.session, breakpoint->id, FALSE);
  settle (&fixture);
  breakpoint = g_ptr_array_index (sonde_debug_session_get_breakpoints (fixture.session), 0);
  g_assert_false (breakpoint->enabled);
  sonde_debug_session_toggle_breakpoint (fixture.session, "third");
  settle (&fixture);
  g_assert_cmpuint (sonde_debug_session_get_breakpoints (fixture.session)->len, ==, 0);
  sonde_debug_session_toggle_breakpoint (fixture.session, "first");
  sonde_debug_session_toggle_breakpoint (fixture.session, "second");
  sonde_debug_session_remove_breakpoint (fixture.session, 0);
  settle (&fixture);
  g_assert_cmpuint (sonde_debug_session_get_breakpoints (fixture.session)->len, ==, 0);
  fixture_clear (&fixture);
}

static void
test_branches (void)
{
  Fixture fixture;
  guint n_loaded;

  fixture_init (&fixture);
  fixture_open (&fixture, "second");
  n_loaded = fixture.n_loaded;
  sonde_debug_session_bypass (fixture.session, "second");
  settle (&fixture);
  g_assert_nonnull (strstr (fixture.problem, "still paused")); /* a note */
  /* Another branch is another graph: everything is asked for again. */
  g_assert_cmpuint (fixture.n_loaded, ==, n_loaded + 1);
  g_assert_cmpuint (sonde_debug_session_get_branches (fixture.session)->len, ==, 2);
  fixture_clear (&fixture);
}

/* ---- asking --------------------------------------------------------------- */

typedef struct
{
  SondeSessionReply *reply;
  GError *error;
} Answer;

static void
on_answer (GObject *source, GAsyncResult *result, gpointer data)
{
  Answer *answer = data;

  answer->reply
      = sonde_session_client_send_finish (SONDE_SESSION_CLIENT (source), result, &answer->error);
}

static double
max_of (Fixture *fixture, const char *text)
{
  Answer answer = { NULL, NULL };
  double max;

  g_assert_true (sonde_debug_session_send (
      fixture->session, sonde_debug_session_statistics_request (fixture->session, text), NULL,
      on_answer, &answer));
  settle (fixture);
  g_assert_no_error (answer.error);
  max = answer.reply->statistics.max;
  sonde_session_reply_free (answer.reply);
  return max;
}

/* A value with its slice, or an expression, whichever the text is. */
static void
test_values (void)
{
  Fixture fixture;

  fixture_init (&fixture);
  fixture_open (&fixture, "second");
  g_assert_cmpfloat (max_of (&fixture, "x"), ==, 0);
  g_assert_cmpfloat (max_of (&fixture, "x[0, :]"), ==, 0);
  g_assert_cmpfloat (max_of (&fixture, "max(x) + 2"), ==, 2);
  fixture_clear (&fixture);
}

static void
test_hits (void)
{
  Fixture fixture;
  guint n_hits;

  fixture_init (&fixture);
  fixture_open (&fixture, "second");
  n_hits = fixture.n_hits;
  sonde_debug_session_recheck (fixture.session);
  settle (&fixture);
  g_assert_cmpuint (fixture.n_hits, >, n_hits);
  g_assert_cmpuint (sonde_debug_session_get_hits (fixture.session)->len, ==, 0);
  fixture_clear (&fixture);
}

static void
on_kept (SondeDebugRecording *recording, const char *folder, char **kept)
{
  keep (kept, folder);
}

static void
on_recorded (SondeDebugRecording *recording, const char *folder)
{
  sonde_debug_recording_keep (recording, folder);
}

/* As many runs as were asked for, one after the other; then it can be read. */
static void
test_profile (void)
{
  const SondeSpanLogOptions three = { .n_steps = 3 };
  Fixture fixture;
  g_autoptr (SondeDebugRecording) recording = NULL;
  g_autofree char *kept = NULL, *folder = NULL;

  fixture_init (&fixture);
  folder = g_build_filename (fixture.folder, "profile", NULL);
  recording = sonde_debug_recording_new (fixture.session);
  g_signal_connect (recording, "ended", G_CALLBACK (on_recorded), folder);
  g_signal_connect (recording, "kept", G_CALLBACK (on_kept), &kept);
  g_assert_cmpstr (sonde_debug_recording_get_obstacle (recording), ==,
                   "Nothing is being debugged.");
  fixture_open (&fixture, NULL);
  g_assert_null (sonde_debug_recording_get_obstacle (recording));
  sonde_debug_recording_stop (recording);
  while (fixture.problem == NULL)
    g_main_context_iteration (NULL, TRUE);
  g_assert_cmpstr (fixture.problem, ==, "No profile is being recorded.");
  sonde_debug_recording_start (recording, &three);
  while (kept == NULL)
    g_main_context_iteration (NULL, TRUE);
  g_assert_cmpstr (kept, ==, folder);
  g_assert_false (sonde_debug_recording_is_on (recording));
  g_assert_cmpuint (sonde_debug_recording_get_status (recording)->steps, ==, 3);
  settle (&fixture);
  fixture_clear (&fixture);
}

/* ---- the end -------------------------------------------------------------- */

static void
test_refused (void)
{
  Fixture fixture;
  g_autofree char *missing = NULL;

  fixture_init (&fixture);
  missing = g_build_filename (fixture.folder, "missing.onnx", NULL);
  keep (&fixture.model, missing);
  fixture_open (&fixture, NULL);
  g_assert_nonnull (strstr (fixture.problem, "missing.onnx"));
  g_assert_false (sonde_debug_session_is_loaded (fixture.session));
  fixture_clear (&fixture);
}

static void
test_no_program (void)
{
  Fixture fixture;

  fixture_init (&fixture);
  g_object_unref (fixture.session);
  fixture.session = sonde_debug_session_new ("/nowhere/sonde", sonde_model_parse);
  g_signal_connect (fixture.session, "problem", G_CALLBACK (on_problem), &fixture);
  fixture_open (&fixture, NULL);
  g_assert_nonnull (strstr (fixture.problem, "/nowhere/sonde"));
  g_assert_null (sonde_debug_session_get_client (fixture.session));
  g_assert_false (sonde_debug_session_send (fixture.session, sonde_session_request_status (), NULL,
                                            on_answer, NULL));
  fixture_clear (&fixture);
}

static void
test_killed (void)
{
  Fixture fixture;
  g_autoptr (SondeMessage) reason = NULL;
  const char *const *arguments;

  fixture_init (&fixture);
  fixture_open (&fixture, "second");
  kill (sonde_session_client_get_pid (sonde_debug_session_get_client (fixture.session)), SIGKILL);
  while (fixture.over == NULL)
    g_main_context_iteration (NULL, TRUE);
  g_assert_nonnull (strstr (fixture.over, "9"));
  /* Its id and arguments are kept: others show it in their language. */
  reason = sonde_session_client_dup_close_reason (sonde_debug_session_get_client (fixture.session));
  g_assert_cmpuint (sonde_message_get_n_parts (reason), ==, 1);
  g_assert_nonnull (strstr (sonde_message_get_part (reason, 0, &arguments), "%d"));
  g_assert_cmpstr (arguments[0], ==, "9");
  g_assert_null (sonde_debug_session_get_status (fixture.session));
  g_assert_false (sonde_debug_session_has_position (fixture.session));
  fixture_clear (&fixture);
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/engine/frontend/session/loaded", test_loaded);
  g_test_add_func ("/engine/frontend/session/position", test_position);
  g_test_add_func ("/engine/frontend/session/middle", test_middle);
  g_test_add_func ("/engine/frontend/session/focus", test_focus);
  g_test_add_func ("/engine/frontend/session/breakpoints", test_breakpoints);
  g_test_add_func ("/engine/frontend/session/branches", test_branches);
  g_test_add_func ("/engine/frontend/session/values", test_values);
  g_test_add_func ("/engine/frontend/session/hits", test_hits);
  g_test_add_func ("/engine/frontend/session/profile", test_profile);
  g_test_add_func ("/engine/frontend/session/refused", test_refused);
  g_test_add_func ("/engine/frontend/session/no-program", test_no_program);
  g_test_add_func ("/engine/frontend/session/killed", test_killed);
  return g_test_run ();
}
