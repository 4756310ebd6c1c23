/* SPDX-License-Identifier: Apache-2.0
 * When which value holds memory, why, and what would lower the peak: of a plan, and of a training
 * with its evaluations. What the plan knows is there before anything runs; values whose sizes are known only in
 * the run, and bodies of If, Loop and Scan, after a run that was recorded. */
#pragma once

#include "data/profiles/sonde-profile-facts.h"
#include "engine/nn/sonde-trainer.h"
#include "engine/plan/sonde-execution.h"

G_BEGIN_DECLS

/**
 * sonde_memory_timeline_of_plan:
 * @execution: (nullable): of @plan: what its recorded runs tell, of those the one that took most
 *
 * Fills @facts->memory, which is empty: the constants of the plan's graph, what an execution takes
 * that nobody watches (sonde_plan_get_memory()), and alternatives for the largest values that live
 * at the peak.
 */
void sonde_memory_timeline_of_plan (SondeProfileFacts *facts, SondePlan *plan,
                                    SondeExecution *execution);

/**
 * sonde_memory_timeline_of_training:
 *
 * The same for what @trainer planned: the steps of a batch, of the smaller last one and of an
 * evaluation, one after the other. The peak is that of sonde_trainer_get_planned_bytes(). Memory of
 * intermediate values that is kept while another plan runs is one lifetime, “arena(step)”.
 */
void sonde_memory_timeline_of_training (SondeProfileFacts *facts, SondeTrainer *trainer);

G_END_DECLS
