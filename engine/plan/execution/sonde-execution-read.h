/* SPDX-License-Identifier: Apache-2.0
 * Reading where the elements lie, for statistics. */
#pragma once

#include "engine/plan/execution/sonde-execution-state.h"

G_BEGIN_DECLS

/* Memory that holds the elements of @value and nothing else, in an order of its own, for the host
 * to read; NULL when there is none now. @slot: (out): where it is. */
const void *sonde_execution_find_elements (SondeExecution *execution, SondeGraphValue *value,
                                           guint *slot);

G_END_DECLS
