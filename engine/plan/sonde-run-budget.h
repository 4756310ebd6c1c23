/* SPDX-License-Identifier: Apache-2.0
 * Memory of values whose sizes are known only in the run: counted while they live, refused beyond
 * the limit. Shared by an execution and those of its subgraphs. */
#pragma once

#include "data/values/sonde-value.h"

G_BEGIN_DECLS

typedef struct _SondeRunBudget SondeRunBudget;

/* Half of the machine's memory. */
SondeRunBudget *sonde_run_budget_new (void);
SondeRunBudget *sonde_run_budget_ref (SondeRunBudget *budget);
void sonde_run_budget_unref (SondeRunBudget *budget);
void sonde_run_budget_set_limit (SondeRunBudget *budget, guint64 bytes);

/**
 * sonde_run_budget_allocate:
 *
 * A tensor of numbers, not initialised, that gives its bytes back when it goes.
 * Errors: MEMORY, one sentence that says how much is wanted and allowed.
 */
SondeTensor *sonde_run_budget_allocate (SondeRunBudget *budget, SondeDtype dtype,
                                        const SondeShape *shape, GError **error);

/* Bytes of something that grows: taken before, given back by the caller. */
gboolean sonde_run_budget_take (SondeRunBudget *budget, gsize bytes, GError **error);
void sonde_run_budget_give_back (SondeRunBudget *budget, gsize bytes);

G_END_DECLS
