/* SPDX-License-Identifier: Apache-2.0
 * The best time of every step of a plan, for benchmarks. */
#pragma once

#include "engine/plan/sonde-execution.h"

G_BEGIN_DECLS

/* Runs @execution @rounds times, inputs as they are, and prints a line for each step and the sum of
 * the best times. */
void bench_print_steps (SondeExecution *execution, int rounds);

G_END_DECLS
