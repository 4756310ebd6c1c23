/* SPDX-License-Identifier: Apache-2.0
 * Writing without the checks of sonde_execution_write(). */
#pragma once

#include "engine/plan/execution/sonde-execution-state.h"

G_BEGIN_DECLS

/* Sets an input of the plan's graph. Errors: SHAPE naming both types. */
gboolean sonde_execution_fill_input (SondeExecution *execution, const SondeGraphValue *input,
                                     SondeValue *value, GError **error);
/* Writes what can be written without another look. */
gboolean sonde_execution_put (SondeExecution *execution, SondeGraphValue *value,
                              SondeTensor *tensor, GError **error);

G_END_DECLS
