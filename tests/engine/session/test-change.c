/* SPDX-License-Identifier: Apache-2.0
 * Changes of a run over a session: who may, what the others hear, what a client gets. */
#include "tests/engine/session/session-fixture.h"

#include <string.h>

static void
test_set (void)
{
  SessionFixture fixture;
  SondeSessionClient *first, *second;
  SondeSessionEvent *event;
  SondeSessionReply *reply;
  const SondeEdit *edit;

  session_fixture_init (&fixture);
  session_fixture_start (&fixture);
  first = session_fixture_connect (&fixture);
  sonde_session_reply_free (call (first, sonde_session_request_control (TRUE)));
  open_subject (first, "inference");
  second = session_fixture_connect (&fixture);
  call_fails (second, sonde_session_request_set ("x", "1"), SONDE_ENGINE_ERROR_STATE);
  call_fails (second, sonde_session_request_bypass ("n2"), SONDE_ENGINE_ERROR_STATE);
  call_fails (second, sonde_session_request_branch (SONDE_BRANCH_MAKE, "a"),
              SONDE_ENGINE_ERROR_STATE);
  reply = call (first, sonde_session_request_set ("x[0, :2]", "0.5"));
  g_assert_cmpuint (reply->edits->len, ==, 1);
  edit = g_ptr_array_index (reply->edits, 0);
  g_assert_cmpstr (edit->kind, ==, "set");
  g_assert_cmpstr (edit->slice, ==, "0, :2");
  g_assert_cmpuint (edit->count, ==, 2);
  g_assert_true (edit->has_statistics);
  g_assert_cmpstr (edit->readers[0], ==, "n0");
  sonde_session_reply_free (reply);
  event = wait_for (second, SONDE_SESSION_EVENT_EDITED);
  g_assert_cmpstr (event->text, ==, "set x[0, :2] = 0.5");
  sonde_session_event_free (event);
  reply = call (second, sonde_session_request_branch (SONDE_BRANCH_EDITS, NULL));
  g_assert_cmpuint (reply->edits->len, ==, 1);
  sonde_session_reply_free (reply);
  reply = call (second, sonde_session_request_diff ("x", "x"));
  g_assert_cmpuint (reply->differences->len, ==, 1);
  g_assert_cmpuint (
      ((const SondeDifference *) g_ptr_array_index (reply->differences, 0))->comparison.differing,
      ==, 0);
  sonde_session_reply_free (reply);
  call_fails (first, sonde_session_request_set ("x", ""), SONDE_ENGINE_ERROR_INVALID);
  call_fails (first, sonde_session_request_set ("", "1"), SONDE_ENGINE_ERROR_NOT_FOUND);
  call_fails (first, sonde_session_request_set ("x", "file:relative.npy"),
              SONDE_ENGINE_ERROR_INVALID);
  call_fails (first, sonde_session_request_set ("words", "1"), SONDE_ENGINE_ERROR_UNSUPPORTED);
  g_object_unref (second);
  g_object_unref (first);
  session_fixture_clear (&fixture);
}

static void
test_branch (void)
{
  SessionFixture fixture;
  SondeSessionClient *first, *second;
  SondeSessionEvent *event;
  SondeSessionReply *reply;

  session_fixture_init (&fixture);
  session_fixture_start (&fixture);
  first = session_fixture_connect (&fixture);
  sonde_session_reply_free (call (first, sonde_session_request_control (TRUE)));
  open_subject (first, "inference");
  second = session_fixture_connect (&fixture);
  event = resume (first, SONDE_RESUME_CONTINUE, 0, NULL, SONDE_SESSION_EVENT_ENDED);
  sonde_session_event_free (event);
  reply = call (first, sonde_session_request_bypass ("n2"));
  g_assert_nonnull (reply->note);
  g_assert_cmpuint (reply->status->branch, ==, 2);
  g_assert_cmpint (reply->status->state, ==, SONDE_SESSION_PAUSED);
  g_assert_cmpstr (reply->status->stop.node, ==, "n2");
  sonde_session_reply_free (reply);
  event = wait_for (second, SONDE_SESSION_EVENT_BRANCH);
  g_assert_cmpstr (event->text, ==, "bypass n2");
  g_assert_cmpuint (event->status->branch, ==, 2);
  sonde_session_event_free (event);
  event = resume (first, SONDE_RESUME_CONTINUE, 0, NULL, SONDE_SESSION_EVENT_ENDED);
  sonde_session_event_free (event);
  reply = call (first, sonde_session_request_branch (SONDE_BRANCH_SWITCH, "1"));
  g_assert_cmpint (reply->status->state, ==, SONDE_SESSION_ENDED);
  g_assert_cmpuint (reply->branches->len, ==, 2);
  g_assert_true (((const SondeBranch *) g_ptr_array_index (reply->branches, 0))->current);
  sonde_session_reply_free (reply);
  call_fails (first, sonde_session_request_branch ((SondeBranchRequest) 99, "1"),
              SONDE_ENGINE_ERROR_UNSUPPORTED);
  call_fails (first, sonde_session_request_set_attribute ("n4", "", ""),
              SONDE_ENGINE_ERROR_NOT_FOUND);
  /* the session ends in another branch than it began in */
  sonde_session_reply_free (call (first, sonde_session_request_branch (SONDE_BRANCH_SWITCH, "2")));
  g_object_unref (second);
  g_object_unref (first);
  session_fixture_clear (&fixture);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/engine/session/change/set", test_set);
  g_test_add_func ("/engine/session/change/branch", test_branch);
  return g_test_run ();
}
