/* SPDX-License-Identifier: Apache-2.0
 * Commands beside a main loop: results as values, order, interrupting, completion, the end. */
#include <string.h>

#include "engine/commands/sonde-command-runner.h"
#include "tests/engine/session/session-fixture.h"

typedef struct
{
  SessionFixture session;
  SondeSessionClient *client;
  SondeCommandRunner *runner;
  GMainLoop *loop;
  guint n_waiting;
  GString *order;
} Fixture;

static void
fixture_init (Fixture *fixture, const char *subject)
{
  memset (fixture, 0, sizeof *fixture);
  session_fixture_init (&fixture->session);
  session_fixture_start (&fixture->session);
  fixture->client = session_fixture_connect (&fixture->session);
  open_subject (fixture->client, subject);
  fixture->runner = sonde_command_runner_new (fixture->client, SONDE_COMMAND_EVENTS_SIGNALLED);
  fixture->loop = g_main_loop_new (NULL, FALSE);
  fixture->order = g_string_new (NULL);
}

static void
fixture_clear (Fixture *fixture)
{
  g_assert_false (sonde_command_runner_is_busy (fixture->runner));
  g_object_unref (fixture->runner);
  g_object_unref (fixture->client);
  g_main_loop_unref (fixture->loop);
  g_string_free (fixture->order, TRUE);
  session_fixture_clear (&fixture->session);
}

/* The result of one command that is waited for. */
typedef struct
{
  Fixture *fixture;
  SondeCommandResult *result;
  GError *error;
  gboolean done;
} Answer;

static void
on_answer (GObject *source, GAsyncResult *result, gpointer data)
{
  Answer *answer = data;
  const SondeCommand *command = sonde_command_runner_get_command (result);

  g_string_append_printf (answer->fixture->order, "%s ", sonde_command_get_name (command));
  answer->result
      = sonde_command_runner_run_finish (SONDE_COMMAND_RUNNER (source), result, &answer->error);
  answer->done = TRUE;
}

static void
wait_until_done (Answer *answer)
{
  while (!answer->done || sonde_command_runner_is_busy (answer->fixture->runner))
    g_main_context_iteration (NULL, TRUE);
}

/* (transfer full) */
static SondeCommandResult *
run (Fixture *fixture, SondeCommand *command, SondeCommandResultKind kind)
{
  Answer answer = { .fixture = fixture };

  sonde_command_runner_run_async (fixture->runner, command, NULL, on_answer, &answer);
  wait_until_done (&answer);
  g_assert_no_error (answer.error);
  g_assert_cmpint (answer.result->kind, ==, kind);
  return answer.result;
}

static void
test_results (void)
{
  const SondeBreakpointSpec spec = { .pattern = "n2", .either = TRUE };
  const SondeResume on = { .kind = SONDE_RESUME_CONTINUE };
  g_autoptr (SondeCommandResult) set = NULL, stop = NULL, value = NULL, statistics = NULL,
                                 stack = NULL, end = NULL, values = NULL;
  Fixture fixture;

  fixture_init (&fixture, "inference");
  set = run (&fixture, sonde_command_new_break (&spec), SONDE_COMMAND_RESULT_BREAKPOINT);
  g_assert_cmpuint (set->breakpoints.breakpoints->len, ==, 1);
  stop = run (&fixture, sonde_command_new_run (), SONDE_COMMAND_RESULT_STOPPED);
  g_assert_cmpstr (stop->stop.status->stop.node, ==, "n2");
  g_assert_cmpint (stop->stop.status->stop.reason, ==, SONDE_STOP_BREAKPOINT);
  g_assert_null (stop->stop.displays);
  value = run (&fixture, sonde_command_new_print ("v1[1, -1]"), SONDE_COMMAND_RESULT_TENSOR);
  g_assert_cmpint (value->value->tensor->shape.rank, ==, 0);
  statistics = run (&fixture, sonde_command_new_stats ("v1"), SONDE_COMMAND_RESULT_STATISTICS);
  g_assert_cmpint (statistics->value->statistics.count, ==, 12);
  stack = run (&fixture, sonde_command_new_info_stack (), SONDE_COMMAND_RESULT_STACK);
  g_assert_cmpuint (stack->frames.frames->len, ==, 1);
  values = run (&fixture, sonde_command_new_info_values ("v*"), SONDE_COMMAND_RESULT_VALUES);
  g_assert_cmpuint (values->values->len, ==, 5);
  end = run (&fixture, sonde_command_new_resume (&on), SONDE_COMMAND_RESULT_ENDED);
  g_assert_cmpint (end->stop.status->end.result, ==, SONDE_SESSION_DONE);
  g_assert_false (sonde_command_runner_is_over (fixture.runner));
  fixture_clear (&fixture);
}

/* Commands run in the order in which they were given; each knows which it was. */
static void
test_order (void)
{
  Fixture fixture;
  Answer answers[3];

  fixture_init (&fixture, "inference");
  for (guint i = 0; i < G_N_ELEMENTS (answers); i++)
    answers[i] = (Answer){ .fixture = &fixture };
  sonde_command_runner_run_async (fixture.runner, sonde_command_new_run (), NULL, on_answer,
                                  &answers[0]);
  sonde_command_runner_run_async (fixture.runner, sonde_command_new_print ("v1"), NULL, on_answer,
                                  &answers[1]);
  sonde_command_runner_run_async (fixture.runner, sonde_command_new_print ("nothing"), NULL,
                                  on_answer, &answers[2]);
  g_assert_true (sonde_command_runner_is_busy (fixture.runner));
  wait_until_done (&answers[2]);
  g_assert_cmpstr (fixture.order->str, ==, "run print print ");
  g_assert_cmpint (answers[0].result->kind, ==, SONDE_COMMAND_RESULT_ENDED);
  g_assert_cmpint (answers[1].result->kind, ==, SONDE_COMMAND_RESULT_TENSOR);
  g_assert_null (answers[2].result);
  g_assert_error (answers[2].error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_NOT_FOUND);
  g_clear_error (&answers[2].error);
  for (guint i = 0; i < G_N_ELEMENTS (answers); i++)
    sonde_command_result_free (answers[i].result);
  fixture_clear (&fixture);
}

/* One that was cancelled before it began, and those that wait when the session is over. */
static void
test_cancelled (void)
{
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  Fixture fixture;
  Answer answers[2];

  fixture_init (&fixture, "inference");
  for (guint i = 0; i < G_N_ELEMENTS (answers); i++)
    answers[i] = (Answer){ .fixture = &fixture };
  g_cancellable_cancel (cancellable);
  sonde_command_runner_run_async (fixture.runner, sonde_command_new_run (), cancellable, on_answer,
                                  &answers[0]);
  wait_until_done (&answers[0]);
  g_assert_error (answers[0].error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
  answers[0].done = FALSE;
  g_clear_error (&answers[0].error);
  sonde_command_runner_run_async (fixture.runner, sonde_command_new_info_state (), NULL, on_answer,
                                  &answers[0]);
  sonde_command_runner_run_async (fixture.runner, sonde_command_new_info_state (), NULL, on_answer,
                                  &answers[1]);
  sonde_command_runner_close (fixture.runner);
  wait_until_done (&answers[0]);
  wait_until_done (&answers[1]);
  g_assert_cmpint (answers[0].result->kind, ==, SONDE_COMMAND_RESULT_STATE);
  sonde_command_result_free (answers[0].result);
  g_assert_error (answers[1].error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
  g_clear_error (&answers[1].error);
  fixture_clear (&fixture);
}

/* A run without end comes back when its command is cancelled. */
static void
test_interrupted (void)
{
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  const SondeResume on = { .kind = SONDE_RESUME_CONTINUE };
  Fixture fixture;
  Answer answer = { .fixture = &fixture };

  fixture_init (&fixture, "training");
  sonde_command_runner_run_async (fixture.runner, sonde_command_new_resume (&on), cancellable,
                                  on_answer, &answer);
  while (sonde_session_client_get_pid (fixture.client) >= 0 && !answer.done)
    {
      g_main_context_iteration (NULL, FALSE);
      g_cancellable_cancel (cancellable);
      g_cancellable_reset (cancellable);
    }
  wait_until_done (&answer);
  g_assert_no_error (answer.error);
  sonde_command_result_free (answer.result);
  fixture_clear (&fixture);
}

static void
on_completed (GObject *source, GAsyncResult *result, gpointer data)
{
  char ***names = data;

  *names = sonde_command_runner_complete_finish (SONDE_COMMAND_RUNNER (source), result, NULL);
}

static void
test_completion (void)
{
  g_auto (GStrv) names = NULL;
  Fixture fixture;

  fixture_init (&fixture, "inference");
  sonde_command_runner_complete_async (fixture.runner, "print absm", on_completed, &names);
  while (names == NULL || sonde_command_runner_is_busy (fixture.runner))
    g_main_context_iteration (NULL, TRUE);
  g_assert_cmpuint (g_strv_length (names), ==, 3); /* absmax(, absmean(, absmin( */
  fixture_clear (&fixture);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/engine/commands/runner/results", test_results);
  g_test_add_func ("/engine/commands/runner/order", test_order);
  g_test_add_func ("/engine/commands/runner/cancelled", test_cancelled);
  g_test_add_func ("/engine/commands/runner/interrupted", test_interrupted);
  g_test_add_func ("/engine/commands/runner/completion", test_completion);
  return g_test_run ();
}
