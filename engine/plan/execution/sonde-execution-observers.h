/* SPDX-License-Identifier: Apache-2.0
 * The observers of an execution: what they want, and calling them. */
#pragma once

#include "engine/plan/execution/sonde-execution-state.h"

G_BEGIN_DECLS

/* Asks all observers one of the questions of their table; the strongest answer counts. */
SondeAnswer sonde_execution_tell_before (SondeExecution *execution, guint step);
SondeAnswer sonde_execution_tell_after (SondeExecution *execution, guint step);
SondeAnswer sonde_execution_tell_begins (SondeExecution *execution);
SondeAnswer sonde_execution_tell_ends (SondeExecution *execution);
/* A run of the body that @execution is begins or ends. */
SondeAnswer sonde_execution_tell_body (SondeExecution *execution, gboolean begins);

G_END_DECLS
