/* SPDX-License-Identifier: Apache-2.0
 * Scan outputs: tensors of one type, one an iteration, collected to one with a further
 * dimension. */
#pragma once

#include "engine/plan/sonde-run-budget.h"

G_BEGIN_DECLS

typedef struct _SondeStack SondeStack;

/* @expected: how many there will be, where that is known; -1 */
SondeStack *sonde_stack_new (SondeRunBudget *budget, gint64 expected);
void sonde_stack_free (SondeStack *stack);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SondeStack, sonde_stack_free)

/* Memory that it takes, of strings with their bytes. */
gsize sonde_stack_get_bytes (const SondeStack *stack);

/* Copies @tensor. Errors: SHAPE when it is of another type than the first; MEMORY. One sentence. */
gboolean sonde_stack_append (SondeStack *stack, SondeTensor *tensor, GError **error);

/* Everything, the new dimension at @axis; @reverse: the last one first. NULL without an error when
 * nothing was appended. Errors: SHAPE for an @axis that is none; MEMORY. Returns: (transfer
 * full) */
SondeTensor *sonde_stack_finish (SondeStack *stack, gint64 axis, gboolean reverse, GError **error);

G_END_DECLS
