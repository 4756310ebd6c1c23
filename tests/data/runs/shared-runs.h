/* SPDX-License-Identifier: Apache-2.0
 * A folder of small runs that share an index, for the tests of it. */
#pragma once

#include "data/runs/sonde-run-shared-private.h"
#include "tests/data/runs/run-files.h"

#define SHARED_RUNS (SONDE_RUN_SHARED_MIN_RUNS + 16)
#define SHARED_TEXTS 3

/* @n_points: of each run, as the files have them; 0: the run is gone */
typedef struct
{
  char *folder, *runs, *index;
  RunFile *files[SHARED_RUNS];
  guint n_points[SHARED_RUNS];
} SharedRuns;

/* As GTestFixtureFunc; @data is not used. No index yet. */
void shared_runs_set_up (SharedRuns *fixture, gconstpointer data);
void shared_runs_tear_down (SharedRuns *fixture, gconstpointer data);
/* The next @n of the ramp "loss". */
void shared_runs_add_points (SharedRuns *fixture, guint run, guint n);

/* Asks for all points, whether they can be had or not. */
void shared_runs_touch (SondeRunStore *store);
/* All runs that are not gone, with all points and texts, in order. */
void shared_runs_assert_points (SharedRuns *fixture, SondeRunStore *store);
/* A new store has them. */
void shared_runs_assert_opens (SharedRuns *fixture);
/* A lost block is noticed when it is asked for: then the run is read again. */
void shared_runs_assert_heals (SharedRuns *fixture);
/* How many record files are opened for a new store; its points are right. */
guint shared_runs_count_opened (SharedRuns *fixture);

/* Of the database that they share. Returns: (transfer full) */
char *shared_runs_get_path (SharedRuns *fixture);
guint shared_runs_count_indices (SharedRuns *fixture);
/* The number that a query of the shared database gives. */
gint64 shared_runs_ask (SharedRuns *fixture, const char *sql);
void shared_runs_execute (SharedRuns *fixture, const char *sql);
