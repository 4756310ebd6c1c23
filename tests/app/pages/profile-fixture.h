/* SPDX-License-Identifier: Apache-2.0
 * A recording with known times, written into a run: "conv" takes 1 ms, the fused "relu+fc" 0.4 ms, a copy
 * 0.1 ms of each of 20 steps, with a little noise. */
#pragma once

#include "tests/support/sonde-test-run.h"

/* Another @seed is another noise; @slow: what "conv" takes is multiplied by it. The records are flushed. */
void profile_fixture_write (SondeTestRun *run, guint64 seed, double slow);
