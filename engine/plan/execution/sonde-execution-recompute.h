/* SPDX-License-Identifier: Apache-2.0
 * Values whose memory was reused, or that lie inside a fused step, computed again beside the run. */
#pragma once

#include "engine/plan/execution/sonde-execution-state.h"

G_BEGIN_DECLS

/* The content of @slot, whose step has run, made again by running the steps it needs. Errors: STATE
 * when what they read is no longer what it was. */
SondeValue *sonde_execution_read_again (SondeExecution *execution, guint slot, GError **error);
/* A value inside a fused step that has run, by its nodes one by one. */
SondeTensor *sonde_execution_read_inside (SondeExecution *execution, SondeGraphValue *value,
                                          GError **error);

G_END_DECLS
