/* SPDX-License-Identifier: Apache-2.0
 * Running an execution as part of another one: the body of a node. */
#pragma once

#include "engine/plan/execution/sonde-execution-state.h"

G_BEGIN_DECLS

/* Runs the body that @execution is, or goes on with it, as part of the parent's run. */
SondeRunResult sonde_execution_run_body (SondeExecution *execution, guint allowed, GError **error);
/* Boxed values that its nodes made go. */
void sonde_execution_drop_results (SondeExecution *execution);
/* Whether somebody interrupted the run; takes the interrupt away. */
gboolean sonde_execution_take_interrupt (SondeExecution *execution);

G_END_DECLS
