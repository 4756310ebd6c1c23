/* SPDX-License-Identifier: Apache-2.0
 * A session on something that the program opens, and its commands answered in JSON. */
#pragma once

#include <json-glib/json-glib.h>

#include "app/worker/sonde-worker-host.h"
#include "tests/engine/commands/command-lines.h"
#include "tests/engine/session/session-fixture.h"

typedef struct
{
  SessionFixture session;
  SondeWorkerHost *host;
  SondeSessionClient *client;
  CommandLines *lines;
} OpenedSession;

/* Opens @subject. @sets: (nullable) (array zero-terminated=1) */
void opened_session_init (OpenedSession *session, const char *subject, const char *const *sets);
/* The same of what @request says. */
void opened_session_init_request (OpenedSession *session, const SondeOpenRequest *request);
void opened_session_clear (OpenedSession *session);

/* What @line is answered. (transfer full) */
JsonObject *opened_session_ask (OpenedSession *session, const char *line);
/* The same; it must be no error. (transfer full) */
JsonObject *opened_session_ask_well (OpenedSession *session, const char *line);
/* It must be an error that has @said in it. */
void opened_session_assert_error (OpenedSession *session, const char *line, const char *said);
/* It must stop so. */
void opened_session_assert_stop (OpenedSession *session, const char *line, const char *reason,
                                 gint64 step);
/* The only number of what @line prints. */
double opened_session_number_of (OpenedSession *session, const char *line);
