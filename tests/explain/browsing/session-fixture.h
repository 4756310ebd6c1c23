/* SPDX-License-Identifier: Apache-2.0
 * A folder with a small net, a client with a real child, and answers waited for on the main
 * loop. */
#pragma once

#include "explain/browsing/sonde-explain-client.h"

G_BEGIN_DECLS

/**
 * SessionFixture:
 * @result: (nullable): of the last question
 * @n_progress, @n_rows, @n_maps: signals since the last question; @lost: (nullable): what "lost"
 * said
 * @cancel_at, @kill_at: cancels the question, or kills the child, when so many rows have come; 0:
 * never
 */
typedef struct
{
  char *folder, *model, *cache;
  SondeExplainClient *client;
  GAsyncResult *result;
  GCancellable *cancellable;
  guint n_progress, n_rows, n_maps, cancel_at, kill_at;
  char *lost, *last_progress;
  double last_left;
  int old_pid;
} SessionFixture;

void session_fixture_set_up (SessionFixture *fixture, gconstpointer data);
void session_fixture_tear_down (SessionFixture *fixture, gconstpointer data);

/* A new client on the same cache. */
void session_fixture_new_client (SessionFixture *fixture);

/* lenet of seed @seed, made here. (transfer full): path */
char *session_fixture_write_model (SessionFixture *fixture, const char *name, guint64 seed);

/* Pass these as callback and data; then wait. */
void session_fixture_take (GObject *source, GAsyncResult *result, gpointer data);
GAsyncResult *session_fixture_wait (SessionFixture *fixture);
/* Iterates until @done gives TRUE. */
void session_fixture_until (SessionFixture *fixture, gboolean (*done) (SessionFixture *fixture));

/* Opens "glyphs:count=@count" with the small net. */
const SondeExplainInfo *session_fixture_open (SessionFixture *fixture, guint count);

G_END_DECLS
