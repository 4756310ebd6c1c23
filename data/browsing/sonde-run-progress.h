/* SPDX-License-Identifier: Apache-2.0
 * How far a run is, how fast it goes and how long it takes still, as far as its records say so. Nothing is
 * guessed: without a recorded total there is no fraction and no end. */
#pragma once

#include "data/browsing/sonde-trials.h"

G_BEGIN_DECLS

/**
 * SondeRunProgress:
 * @step: finished steps: the last step of its scalars + 1 where they begin with 0, else that step; -1: none
 * @total_steps: -1 unknown
 * @total_name: (nullable): whose value the total is, or is computed from; lent by the trial
 * @fraction: 0…1, NaN unknown
 * @steps_per_second: over its last points; NaN unknown
 * @remaining_ns: at that rate from its last point on; -1 unknown
 * @epoch: begun, from 1; @epochs: of all; -1 unknown
 */
typedef struct
{
  gint64 step, total_steps;
  const char *total_name;
  double fraction, steps_per_second;
  gint64 remaining_ns;
  gint64 epoch, epochs;
} SondeRunProgress;

/* @trial: (nullable): of @run, once it was read; without one only step and rate are known */
void sonde_run_progress_get (SondeRun *run, SondeTrial *trial, SondeRunProgress *progress);

/* What one wants to know of where a run comes from. */
typedef enum
{
  SONDE_RUN_FACT_DEVICE,
  SONDE_RUN_FACT_HOST,
  SONDE_RUN_FACT_COMMAND,
  SONDE_RUN_FACT_FOLDER,
  SONDE_RUN_FACT_COMMIT,
  SONDE_RUN_FACT_SEED,
  SONDE_RUN_N_FACTS
} SondeRunFact;

/* As recorded, by its usual names among environment and parameters. (nullable): the run does not say; lent by
 * the trial */
const char *sonde_run_fact_get (SondeTrial *trial, SondeRunFact fact);

G_END_DECLS
