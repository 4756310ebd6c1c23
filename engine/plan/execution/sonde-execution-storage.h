/* SPDX-License-Identifier: Apache-2.0
 * The memory of an execution: what it always has, what it has only while it runs, and the contents
 * of slots in it. */
#pragma once

#include "engine/plan/execution/sonde-execution-state.h"

G_BEGIN_DECLS

/* All memory of a new execution. Errors: MEMORY. */
gboolean sonde_execution_allocate (SondeExecution *execution, GError **error);
/* Memory of intermediate values, again where it was given back. Errors: MEMORY. */
gboolean sonde_execution_wake (SondeExecution *execution, GError **error);
/* Gives it back. */
void sonde_execution_release_arena (SondeExecution *execution);
/* At least @bytes at @execution->scratch. Errors: MEMORY. */
gboolean sonde_execution_grow_scratch (SondeExecution *execution, gsize bytes, GError **error);

/* Whether there is something to read. */
gboolean sonde_storage_has (const SondePlan *plan, const SondeStorage *storage, guint slot);
/* Whether the content of @slot is in its memory now. */
gboolean sonde_execution_holds (const SondeExecution *execution, guint slot);
/* The content of @slot, read from @storage. Errors: STATE when there is none; DEVICE.
 * Returns: (transfer full) */
SondeValue *sonde_execution_download (SondeExecution *execution, guint slot,
                                      const SondeStorage *storage, GError **error);

G_END_DECLS
