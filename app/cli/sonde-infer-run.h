/* SPDX-License-Identifier: Apache-2.0
 * The runs of `sonde infer`: how often, how long, and how they end early. */
#pragma once

#include "app/worker/sonde-inference.h"

G_BEGIN_DECLS

/**
 * SondeInferRuns: what all runs took together
 * @minimum_ms, @median_ms: of the timed ones
 * @signal: that ended them, 0: none did
 */
typedef struct
{
  double minimum_ms, median_ms;
  int signal;
} SondeInferRuns;

/**
 * sonde_infer_run:
 * @repeat: timed runs after an untimed one; 0: one run, timed
 * @steps: the time of every step is wanted, too
 * @observers: (array zero-terminated=1): of the timed runs
 *
 * SIGINT and SIGTERM end a run before its next step, also one of a body or the next iteration of an
 * endless loop; the same signal again ends the process. Main thread.
 * Returns: FALSE with @error of a run, or, with signal set, one that says where it stood.
 */
gboolean sonde_infer_run (SondeInference *inference, int repeat, gboolean steps,
                          SondeObserver **observers, SondeInferRuns *runs, GError **error);

G_END_DECLS
