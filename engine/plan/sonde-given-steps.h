/* SPDX-License-Identifier: Apache-2.0
 * Steps whose results are given from memory instead of being computed: what a run would be without
 * them. */
#pragma once

#include "engine/plan/sonde-execution.h"

G_BEGIN_DECLS

typedef struct _SondeGivenSteps SondeGivenSteps;

/**
 * sonde_given_steps_new:
 * @execution: that could run now; it has to outlive the result, and has at most one at a time
 * @steps: (array length=n): of its plan, ascending
 *
 * Runs @execution once, without observers, and keeps copies of what these steps make. They lie in
 * memory of their own, in the layouts in which the steps leave them, so that a run that is given them
 * copies nothing.
 * Returns: (transfer full). Errors: of running; MEMORY; UNSUPPORTED on a device whose memory the host
 * cannot read.
 */
SondeGivenSteps *sonde_given_steps_new (SondeExecution *execution, const guint *steps, guint n,
                                        GError **error);
/* Restores the execution. (nullable) */
void sonde_given_steps_free (SondeGivenSteps *given);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SondeGivenSteps, sonde_given_steps_free)

/**
 * sonde_given_steps_set:
 * @on: runs from here on do not compute the steps; who reads their results gets the copies. Parameters
 *   and states that such a step updates are not updated. Off at first
 *
 * Not while it runs.
 */
void sonde_given_steps_set (SondeGivenSteps *given, gboolean on);

G_END_DECLS
