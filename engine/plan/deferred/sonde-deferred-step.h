/* SPDX-License-Identifier: Apache-2.0
 * Deferred steps, whose operands are known only in the run, control nodes among them: what one run of
 * a step works on. */
#pragma once

#include "engine/plan/execution/sonde-run-memory.h"

G_BEGIN_DECLS

/**
 * SondeDeferredRun: one run of a deferred step
 * @values: (array length=n_input_slots): one an operand, owned; NULL for absent ones. Tensors are
 * contiguous
 * @wrapped: whether the value is the memory of a slot, which must not be kept
 * @index: of the step
 * @memory: (nullable): counts what it takes
 */
typedef struct
{
  SondeExecution *execution;
  const SondePlanStep *step;
  SondeNode *node;
  const SondeStorage *storage;
  SondeValue **values;
  gboolean *wrapped;
  guint index;
  SondeRunMemory *memory;
} SondeDeferredRun;

/* Begins a run of step @index: its operands are read from @storage. Errors: STATE; of reading. To be
 * cleared in either case. */
gboolean sonde_deferred_run_init (SondeDeferredRun *run, SondeExecution *execution, guint index,
                                  const SondeStorage *storage, GError **error);
/* From here on it is counted what it takes, if anybody wants to know; not of runs beside. */
void sonde_deferred_run_count (SondeDeferredRun *run);
void sonde_deferred_run_clear (SondeDeferredRun *run);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (SondeDeferredRun, sonde_deferred_run_clear)

/* @value itself, or a copy when it is the memory of an input's slot; NULL for NULL. Returns:
 * (transfer full) */
SondeValue *sonde_deferred_own_value (const SondeDeferredRun *run, SondeValue *value);
/* Puts @value (transfer full) into the slot of output @k. Errors: SHAPE, when it is not what was
 * planned. */
gboolean sonde_deferred_store (SondeDeferredRun *run, guint k, SondeValue *value, GError **error);
/* Whether output @k is of @type as far as the plan knows. Errors: SHAPE naming the node and
 * both. */
gboolean sonde_deferred_check_output (const SondeDeferredRun *run, guint k, const SondeType *type,
                                      GError **error);

G_END_DECLS
