/* SPDX-License-Identifier: Apache-2.0
 * Views that are detached from what they are views of for the rest of a run, because one of them
 * was written. */
#pragma once

#include "engine/plan/execution/sonde-execution-state.h"

G_BEGIN_DECLS

/* Before the content of @slot changes: what shares its memory and was made already keeps what it
 * has, what is still to be made from it will show the new. Where @slot is a view, it gets memory of
 * its own. */
gboolean sonde_execution_detach (SondeExecution *execution, guint slot, GError **error);
/* Detached views show again what they are views of. */
void sonde_execution_reattach (SondeExecution *execution);
/* The same of views made at @step and later. */
void sonde_execution_reattach_from (SondeExecution *execution, guint step);
/* What is detached in @from is detached in @to, an execution of the same plan. */
gboolean sonde_execution_copy_detached (SondeExecution *to, SondeExecution *from, GError **error);

G_END_DECLS
