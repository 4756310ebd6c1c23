/* SPDX-License-Identifier: Apache-2.0
 * A folder with a small net, a client with a real child, and answers waited for on the main
 * loop. */
#pragma once

#include "app/explain/sonde-study-client.h"

G_BEGIN_DECLS

/**
 * StudyFixture:
 * @result: (nullable): of the last question
 * @n_progress, @n_rows, @n_maps: signals since the last question; @lost: (nullable): what "lost"
 * said
 * @cancel_at, @kill_at: cancels the question, or kills the child, when so many rows have come; 0:
 * never
 */
typedef struct
{
  char *folder, *model, *cache;
  SondeStudyClient *client;
  GAsyncResult *result;
  GCancellable *cancellable;
  guint n_progress, n_rows, n_maps, cancel_at, kill_at;
  char *lost, *last_progress;
  double last_left;
  int old_pid;
} StudyFixture;

void study_fixture_set_up (StudyFixture *fixture, gconstpointer data);
void study_fixture_tear_down (StudyFixture *fixture, gconstpointer data);

/* A new client on the same cache. */
void study_fixture_new_client (StudyFixture *fixture);

/* lenet of seed @seed, made here. (transfer full): path */
char *study_fixture_write_model (StudyFixture *fixture, const char *name, guint64 seed);

/* Pass these as callback and data; then wait. */
void study_fixture_take (GObject *source, GAsyncResult *result, gpointer data);
GAsyncResult *study_fixture_wait (StudyFixture *fixture);
/* Iterates until @done gives TRUE. */
void study_fixture_until (StudyFixture *fixture, gboolean (*done) (StudyFixture *fixture));

/* Opens "glyphs:count=@count" with the small net. */
const SondeStudyFacts *study_fixture_open (StudyFixture *fixture, guint count);

G_END_DECLS
