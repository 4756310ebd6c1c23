/* SPDX-License-Identifier: Apache-2.0
 * Weights of an execution: shared until one is written, and what is made from them before a run:
 * copies in other layouts and what kernels derive. */
#pragma once

#include "engine/plan/execution/sonde-execution-state.h"

G_BEGIN_DECLS

/* Finds the shared weights. */
gboolean sonde_execution_share_weights (SondeExecution *execution, GError **error);
/* The weight of slot @primary, and its copies in other layouts, get memory of their own, not
 * filled. */
gboolean sonde_execution_own_weights (SondeExecution *execution, guint primary, GError **error);
void sonde_execution_drop_weights (SondeExecution *execution);
/* Brings copies in other layouts, and what kernels derive from weights, up to date. */
gboolean sonde_execution_refresh_weights (SondeExecution *execution, GError **error);

G_END_DECLS
