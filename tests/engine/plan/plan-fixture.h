/* SPDX-License-Identifier: Apache-2.0
 * A graph on a device in one call, and its runs, for tests in which that cannot fail: an error ends
 * the test. */
#pragma once

#include "engine/plan/sonde-execution.h"

G_BEGIN_DECLS

/* Plans @graph for one thread. @options: (nullable) */
SondeExecution *plan_fixture_start (SondeGraph *graph, const char *device_name,
                                    const SondePlanOptions *options);
void plan_fixture_give (SondeExecution *execution, const char *name,
                        SondeTensor *tensor); /* (transfer full) */
void plan_fixture_run (SondeExecution *execution);

G_END_DECLS
