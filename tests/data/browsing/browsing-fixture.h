/* SPDX-License-Identifier: Apache-2.0
 * A folder of runs written by hand and a store on it, for what looks through runs. */
#pragma once

#include "data/runs/sonde-run-store.h"
#include "tests/support/sonde-test-run.h"

G_BEGIN_DECLS

/**
 * BrowsingFixture: a folder of its own
 * @runs: RUNS below it
 * @store: of @runs, settled by browsing_fixture_settle()
 */
typedef struct
{
  char *folder, *runs;
  SondeRunStore *store;
} BrowsingFixture;

void browsing_fixture_init (BrowsingFixture *fixture);
/* The run @name with one scalar "loss". */
void browsing_fixture_add_run (BrowsingFixture *fixture, const char *name);
/* A run that the test fills. (transfer full) */
SondeTestRun *browsing_fixture_begin_run (BrowsingFixture *fixture, const char *name);
/* All that is on disk is in the store. */
void browsing_fixture_settle (BrowsingFixture *fixture);
SondeRun *browsing_fixture_find (BrowsingFixture *fixture, const char *name); /* (transfer none) */
void browsing_fixture_clear (BrowsingFixture *fixture);

/* A record of session 1 with that kind, tag and step. */
SondeRecord browsing_record (SondeRecordKind kind, const char *tag, gint64 step);

G_END_DECLS
