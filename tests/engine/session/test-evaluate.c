/* SPDX-License-Identifier: Apache-2.0
 * Expressions, conditions and texts over the wire: at a stop, while it runs, and what a client is
 * told. */
#include <string.h>

#include "tests/engine/session/session-fixture.h"

typedef struct
{
  SessionFixture session;
  SondeSessionClient *client;
} Fixture;

static void
fixture_init (Fixture *fixture, const char *subject)
{
  session_fixture_init (&fixture->session);
  session_fixture_start (&fixture->session);
  fixture->client = session_fixture_connect (&fixture->session);
  open_subject (fixture->client, subject);
}

static void
fixture_clear (Fixture *fixture)
{
  g_object_unref (fixture->client);
  session_fixture_clear (&fixture->session);
}

static SondeSessionReply *
evaluate (Fixture *fixture, const char *expression, SondeSessionWant want)
{
  return call (fixture->client, sonde_session_request_evaluate (expression, want, NULL));
}

static void
go_on (Fixture *fixture)
{
  const SondeResume on = { .kind = SONDE_RESUME_CONTINUE };
  g_autoptr (SondeSessionReply) reply = call (fixture->client, sonde_session_request_resume (&on));
}

static void
test_wants (void)
{
  g_autoptr (SondeSessionReply) early = NULL, number = NULL, tensor = NULL, statistics = NULL,
                                checked = NULL, whole = NULL;
  g_autoptr (SondeSessionEvent) ended = NULL;
  Fixture fixture;

  fixture_init (&fixture, "inference");
  early = evaluate (&fixture, "max(v4) > 0", SONDE_SESSION_WANT_CHECKED);
  g_assert_true (early->unknown && !early->truth);
  g_assert_nonnull (strstr (sonde_message_get_english (early->explanation), "v4"));
  call_fails (fixture.client,
              sonde_session_request_evaluate ("max(v4)", SONDE_SESSION_WANT_TENSOR, NULL),
              SONDE_ENGINE_ERROR_STATE);
  go_on (&fixture);
  ended = wait_for (fixture.client, SONDE_SESSION_EVENT_ENDED);
  number = evaluate (&fixture, " count(v4) ", SONDE_SESSION_WANT_TENSOR);
  g_assert_cmpstr (number->name, ==, "count(v4)");
  g_assert_cmpfloat (sonde_tensor_get_double (number->tensor, 0), ==, 12);
  tensor = evaluate (&fixture, "v1 > x", SONDE_SESSION_WANT_TENSOR);
  g_assert_cmpint (tensor->dtype, ==, SONDE_DTYPE_BOOL);
  g_assert_true (tensor->truth);
  statistics = evaluate (&fixture, "v1 - x", SONDE_SESSION_WANT_STATISTICS);
  g_assert_cmpint (statistics->statistics.count, ==, 12);
  g_assert_null (statistics->tensor);
  checked = evaluate (&fixture, "max(v4) < 2", SONDE_SESSION_WANT_CHECKED);
  g_assert_true (checked->truth && !checked->unknown);
  g_assert_true (g_str_has_prefix (sonde_message_get_english (checked->explanation), "max(v4) = "));
  /* many elements are not sent for a truth */
  whole = evaluate (&fixture, "v1 > 1e9", SONDE_SESSION_WANT_CHECKED);
  g_assert_null (whole->tensor);
  call_fails (fixture.client,
              sonde_session_request_evaluate ("max(v4", SONDE_SESSION_WANT_CHECKED, NULL),
              SONDE_ENGINE_ERROR_INVALID);
  call_fails (fixture.client,
              sonde_session_request_evaluate ("v1", SONDE_SESSION_WANT_SAVED, "here.npy"),
              SONDE_ENGINE_ERROR_INVALID);
  call_fails (fixture.client, sonde_session_request_evaluate ("x", (SondeSessionWant) 99, NULL),
              SONDE_ENGINE_ERROR_INVALID);
  fixture_clear (&fixture);
}

/* It waits for what it reads, as a request for a value does. */
static void
test_running (void)
{
  Fixture fixture;

  fixture_init (&fixture, "training");
  go_on (&fixture);
  for (guint i = 0; i < 50; i++)
    {
      g_autoptr (SondeSessionReply) reply
          = evaluate (&fixture, "sum(v4) + count(big)", SONDE_SESSION_WANT_TENSOR);
      double number = sonde_tensor_get_double (reply->tensor, 0);

      g_assert_cmpint (reply->state, ==, SONDE_SESSION_RUNNING);
      g_assert_cmpfloat (number, >, 360000 + 2.999);
      g_assert_cmpfloat (number, <, 360000 + 3.001);
    }
  call_fails (fixture.client,
              sonde_session_request_evaluate ("max(nosuch)", SONDE_SESSION_WANT_TENSOR, NULL),
              SONDE_ENGINE_ERROR_NOT_FOUND);
  fixture_clear (&fixture);
}

static void
test_breakpoints (void)
{
  const SondeBreakpointSpec holds = {
    .pattern = "n1", .either = TRUE, .condition = "any(v1 > wide)", .hit_condition = "hits > 0"
  };
  const SondeBreakpointSpec says = { .pattern = "n0", .either = TRUE, .log = "made {count(v0)}" };
  g_autoptr (SondeSessionReply) first = NULL, second = NULL, list = NULL;
  g_autoptr (SondeSessionEvent) line = NULL, stop = NULL;
  const SondeBreakpoint *info;
  Fixture fixture;

  fixture_init (&fixture, "inference");
  first = call (fixture.client, sonde_session_request_add_breakpoint (&holds));
  second = call (fixture.client, sonde_session_request_add_breakpoint (&says));
  go_on (&fixture);
  line = wait_for (fixture.client, SONDE_SESSION_EVENT_LOG);
  g_assert_cmpstr (line->text, ==, "made 12");
  g_assert_cmpstr (line->node, ==, "n0");
  g_assert_cmpuint (line->breakpoint, ==, 2);
  g_assert_cmpint (line->moment, ==, SONDE_MOMENT_AFTER);
  stop = wait_for (fixture.client, SONDE_SESSION_EVENT_STOPPED);
  g_assert_cmpstr (stop->status->stop.node, ==, "n1");
  g_assert_nonnull (
      strstr (sonde_message_get_english (stop->status->stop.condition_error), "do not fit"));
  list = call (fixture.client, sonde_session_request_list_breakpoints ());
  info = g_ptr_array_index (list->breakpoints, 0);
  g_assert_cmpstr (info->condition, ==, "any(v1 > wide)");
  g_assert_cmpstr (info->hit_condition, ==, "hits > 0");
  g_assert_null (info->log);
  g_assert_nonnull (info->note);
  fixture_clear (&fixture);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/session/evaluate/wants", test_wants);
  g_test_add_func ("/session/evaluate/running", test_running);
  g_test_add_func ("/session/evaluate/breakpoints", test_breakpoints);
  return g_test_run ();
}
