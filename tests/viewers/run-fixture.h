/* SPDX-License-Identifier: Apache-2.0
 * A run in a temporary folder and a settled store on it. */
#pragma once

#include "data/runs/sonde-run-store.h"
#include "tests/support/sonde-test-run.h"

typedef struct
{
  char *folder;
  SondeTestRun *writer; /* of @folder/runs */
  SondeRunStore *store;
} RunFixture;

/* The writer has written nothing but its session. */
void run_fixture_init (RunFixture *fixture);
void run_fixture_clear (RunFixture *fixture);
/* Makes the store at the first call; reads all that was written. Returns: (transfer none): the
 * run */
SondeRun *run_fixture_settle (RunFixture *fixture);
