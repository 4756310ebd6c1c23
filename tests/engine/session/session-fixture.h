/* SPDX-License-Identifier: Apache-2.0
 * A host with real graphs and executions, and a server on a thread, for the tests of the
 * session. */
#pragma once

#include <pthread.h>
#include <stdatomic.h>

#include "engine/session/client/sonde-session-client.h"
#include "engine/session/activity/sonde-session-serve.h"

G_BEGIN_DECLS

/* Nodes of the graph that the host opens: n0 … n4 make v0 … v4 from x, n5 makes big; "big" is [600,
 * 600], "words" a constant of strings. */
#define FIXTURE_STEPS 6

/**
 * SessionFixture:
 * @runs: how often the "training" ran its graph
 * @completed, @finished: its complete_step and its finish were called; @fail_complete, @fail_finish:
 * they fail
 * @n_runs: runs of a "training" (subject "training"); 0: without end
 */
typedef struct
{
  SondeSessionHost host; /* first member */
  SondeSessionServerOptions options;
  SondeSessionServer *server;
  char *directory;
  pthread_t thread;
  gboolean has_thread;
  SondeActivity *activity; /* given to serve(), with @run_now */
  gboolean run_now;
  SondeSessionResult result;
  GError *error;
  guint64 n_runs;
  _Atomic guint64 runs;
  _Atomic gboolean completed, finished;
  gboolean fail_complete, fail_finish;
} SessionFixture;

/* Ready, not serving yet. */
void session_fixture_init (SessionFixture *fixture);
/* Makes the server with fixture->options and serves on a thread. */
void session_fixture_start (SessionFixture *fixture);
/* A client over a socket pair. (transfer full) */
SondeSessionClient *session_fixture_connect (SessionFixture *fixture);
/* One end of a socket pair whose other end is a client's of the server */
int session_fixture_connect_raw (SessionFixture *fixture);
/* Waits until serve() has come back. */
void session_fixture_join (SessionFixture *fixture);
void session_fixture_clear (SessionFixture *fixture);

/* What the host makes of subject "inference", "training", and of the nets of
 * tests/engine/debug/nested-net.h. */
SondeActivity *session_fixture_open (SessionFixture *fixture, const char *subject, GError **error);

/* Calls, and asserts that it went well. */
SondeSessionReply *call (SondeSessionClient *client, SondeSessionRequest *request);
/* Calls, and asserts that the engine said no with @code. */
void call_fails (SondeSessionClient *client, SondeSessionRequest *request, int code);
/* Opens @subject and asserts that it is ready. */
void open_subject (SondeSessionClient *client, const char *subject);
/* The next event of @kind, others are dropped. (transfer full) */
SondeSessionEvent *wait_for (SondeSessionClient *client, SondeSessionEventKind kind);
/* Resumes, waits for the stop. (transfer full) */
SondeSessionEvent *resume (SondeSessionClient *client, SondeResumeKind kind, guint64 count,
                           const char *target, SondeSessionEventKind expected);
guint add_breakpoint (SondeSessionClient *client, const char *pattern, SondeMoment moment);

/* The value as a run that nobody looked at has it. (transfer full) */
SondeTensor *session_fixture_expect (const char *subject, const char *name);
/* Of the inference. */
SondeTensor *expected_value (const char *name);

G_END_DECLS
