/* SPDX-License-Identifier: Apache-2.0
 * From an execution to those of the bodies of its nodes, by what the runners of its steps keep. */
#pragma once

#include "engine/plan/execution/sonde-execution-state.h"

G_BEGIN_DECLS

/* Gives up what is under way in bodies. */
void sonde_execution_reset_inner (SondeExecution *execution);
/* Calls @visit for all executions of bodies that @execution has made, not for those inside them. */
void sonde_execution_foreach_inner (SondeExecution *execution,
                                    void (*visit) (SondeExecution *inner, gpointer data),
                                    gpointer data);
/* Frees what the runners of its steps keep. */
void sonde_execution_free_step_state (SondeExecution *execution);

G_END_DECLS
