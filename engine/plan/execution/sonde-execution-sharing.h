/* SPDX-License-Identifier: Apache-2.0
 * Executions that share their weights with others. */
#pragma once

#include "engine/plan/execution/sonde-execution-state.h"

G_BEGIN_DECLS

/* One that takes its weights from @store. */
SondeExecution *sonde_execution_new_sharing (SondePlan *plan, SondeWeightStore *store,
                                             GError **error);
/* An execution of a body of @parent: shares its budget and weights. */
SondeExecution *sonde_execution_new_inside (SondePlan *plan, SondeExecution *parent,
                                            GError **error);

G_END_DECLS
