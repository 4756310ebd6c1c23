/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/engine/commands/opened-session.h"

#include <string.h>

void
opened_session_init (OpenedSession *session, const char *subject, const char *const *sets)
{
  const SondeOpenRequest request = { .subject = subject, .sets = sets };

  opened_session_init_request (session, &request);
}

void
opened_session_init_request (OpenedSession *session, const SondeOpenRequest *request)
{
  g_autoptr (SondeSessionReply) reply = NULL;
  g_autoptr (GError) error = NULL;

  memset (session, 0, sizeof *session);
  session_fixture_init (&session->session);
  session->host = sonde_worker_host_new ("sonde");
  session->session.options.host = sonde_worker_host_get_session_host (session->host);
  session_fixture_start (&session->session);
  session->client = session_fixture_connect (&session->session);
  reply = sonde_session_client_call (session->client, sonde_session_request_open (request), -1,
                                     &error);
  g_assert_no_error (error);
  session->lines = command_lines_new (session->client, TRUE);
}

void
opened_session_clear (OpenedSession *session)
{
  command_lines_free (session->lines);
  g_object_unref (session->client);
  session_fixture_clear (&session->session);
  sonde_worker_host_free (session->host);
}

JsonObject *
opened_session_ask (OpenedSession *session, const char *line)
{
  g_autofree char *text = NULL;
  g_autoptr (GError) error = NULL;
  g_autoptr (JsonNode) root = NULL;

  text = command_lines_say (session->lines, line);
  root = json_from_string (text, &error);
  g_assert_no_error (error);
  return json_object_ref (json_node_get_object (root));
}

JsonObject *
opened_session_ask_well (OpenedSession *session, const char *line)
{
  JsonObject *object = opened_session_ask (session, line);

  if (!json_object_get_boolean_member (object, "ok"))
    g_error ("“%s”: %s", line, json_object_get_string_member (object, "error"));
  return object;
}

void
opened_session_assert_error (OpenedSession *session, const char *line, const char *said)
{
  g_autoptr (JsonObject) answer = opened_session_ask (session, line);

  g_assert_false (json_object_get_boolean_member (answer, "ok"));
  if (strstr (json_object_get_string_member (answer, "error"), said) == NULL)
    g_error ("“%s” said “%s”, not “%s”", line, json_object_get_string_member (answer, "error"),
             said);
}

void
opened_session_assert_stop (OpenedSession *session, const char *line, const char *reason,
                            gint64 step)
{
  g_autoptr (JsonObject) answer = opened_session_ask_well (session, line);

  g_assert_cmpstr (json_object_get_string_member (answer, "event"), ==, "stopped");
  g_assert_cmpstr (json_object_get_string_member (answer, "reason"), ==, reason);
  g_assert_cmpint (json_object_get_int_member (answer, "step"), ==, step);
}

double
opened_session_number_of (OpenedSession *session, const char *line)
{
  g_autoptr (JsonObject) answer = opened_session_ask_well (session, line);
  JsonNode *value = json_object_get_member (answer, "value");

  if (value == NULL)
    value = json_object_get_member (answer, "values");
  if (value == NULL)
    value = json_object_get_member (answer, "data");
  g_assert_nonnull (value);
  while (JSON_NODE_HOLDS_ARRAY (value))
    value = json_array_get_element (json_node_get_array (value), 0);
  return json_node_get_double (value);
}
