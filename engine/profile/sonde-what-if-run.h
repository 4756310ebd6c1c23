/* SPDX-License-Identifier: Apache-2.0
 * What a run would take if one of its nodes cost nothing: measured, not guessed. */
#pragma once

#include "data/profiles/sonde-what-if.h"
#include "engine/plan/sonde-execution.h"

G_BEGIN_DECLS

/**
 * SondeWhatIfRun: texts of @result are in @node and @nodes
 * @result: @result.nodes are the original names of all that was given: a step that stands for several
 *   nodes is given as a whole; of backward and optimiser nodes their own names
 */
typedef struct
{
  SondeWhatIf result;
  char *node;
  char **nodes;
} SondeWhatIfRun;

/**
 * sonde_what_if_run_new:
 * @execution: of a model or a training step, its inputs set; nothing of it changes: the runs are those
 *   of a branch of it (sonde_execution_branch())
 * @node: a node of the model, or of the plan, or a value that it makes
 * @n_runs: of each side, at least; more until the interval of the result is narrow enough, which is
 *   given up after two seconds
 *
 * Runs the same plan on the same threads and inputs again and again, in turn as it is and with the
 * results of @node given from memory (sonde_given_steps_new()). Nodes before @node still run. A
 * training goes on meanwhile, a few steps from where @execution stands, again and again.
 * Returns: (transfer full). Errors: NOT_FOUND for a node that no step stands for, with the nearest name;
 * of running
 */
SondeWhatIfRun *sonde_what_if_run_new (SondeExecution *execution, const char *node, guint n_runs,
                                       GError **error);
void sonde_what_if_run_free (SondeWhatIfRun *run); /* (nullable) */
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SondeWhatIfRun, sonde_what_if_run_free)

/**
 * sonde_what_if_find_steps:
 *
 * The steps that stand for @node, ascending; those of its gradients do not.
 * Returns: (transfer full) (element-type guint). Errors: NOT_FOUND, with the nearest name
 */
GArray *sonde_what_if_find_steps (const SondePlan *plan, const char *node, GError **error);

G_END_DECLS
