/* SPDX-License-Identifier: Apache-2.0
 * A model run with inputs of changing sizes: a plan and an execution for each set of input types
 * that came lately, all on one copy of the weights. */
#pragma once

#include "engine/plan/sonde-execution.h"

G_BEGIN_DECLS

typedef struct _SondeRunner SondeRunner;

/**
 * sonde_runner_new:
 * @graph: as sonde_prepare_inference() gives it. It is never changed: plans are made on copies of
 *   it, whose values have the same names and ids
 * @options: (nullable): its bindings are not used
 * @most: sets of types that are kept; 0: 4
 */
SondeRunner *sonde_runner_new (SondeGraph *graph, SondeDevice *device,
                               const SondePlanOptions *options, guint most);
void sonde_runner_free (SondeRunner *runner);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SondeRunner, sonde_runner_free)

/**
 * sonde_runner_prepare:
 * @names: (array length=n), @values: (array length=n): inputs; those with a default may be left out
 *
 * An execution for inputs of these types, an earlier one where there is one, with the inputs set.
 * It is borrowed and lives as long as the runner keeps it: until @most other sets of types were asked
 * for.
 * Errors: NOT_FOUND; SHAPE; of planning.
 */
SondeExecution *sonde_runner_prepare (SondeRunner *runner, const char *const *names,
                                      SondeValue *const *values, guint n, GError **error);

/* How many plans have been made so far. */
guint sonde_runner_get_n_plans (const SondeRunner *runner);

G_END_DECLS
