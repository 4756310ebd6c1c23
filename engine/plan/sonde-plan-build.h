/* SPDX-License-Identifier: Apache-2.0
 * Building a plan, a file for each part of the work. */
#pragma once

#include "engine/plan/sonde-plan-data.h"

G_BEGIN_DECLS

/* A plan of @graph, which is a changed copy of that of @like, with the options of @like; @stays: by id
 * of a value of @like's graph: it is to be there at the end of the run. (sonde-plan.c) */
SondePlan *sonde_plan_new_like (const SondePlan *like, SondeGraph *graph, const gboolean *stays,
                                GError **error);

/* Slots of values that no node makes. Errors: INVALID, UNSUPPORTED. (sonde-plan-slots.c) */
gboolean sonde_plan_add_sources (SondePlan *plan, GError **error);
/* A new slot, its own root, layout taken. */
guint sonde_plan_add_slot (SondePlan *plan, SondeGraphValue *value, SondeLayout *layout,
                           SondeStorageKind storage);
/* The slot of @value in @layout (borrowed): an existing one, or one that an inserted step or the
 * start of the run fills. */
guint sonde_plan_require_layout (SondePlan *plan, SondeGraphValue *value, SondeLayout *layout,
                                 SondePhase phase);
/* Gives the results of @step, number @step_index, their slots; @layouts (one a result) are
 * taken. */
void sonde_plan_add_results (SondePlan *plan, SondePlanStep *step, guint step_index,
                             SondeGraphValue *const *values, SondeLayout **layouts);
/* The nodes from @first on that run as one step which leaves all their results; group_of: by node
 * id: SONDE_NEVER where a node is free; position: by node id. Returns: how many.
 * (sonde-plan-chains.c) */
guint sonde_plan_find_chain (const SondePlan *plan, SondeNode *first, const guint *group_of,
                             const guint *position, SondeNode **chain, guint most);
/* Nodes that run together, in order of execution. (sonde-plan-groups.c)
 * Returns: (transfer full) (element-type GPtrArray): of SondeNode */
GPtrArray *sonde_plan_group_nodes (SondePlan *plan, GPtrArray *order);

/* Prepares one step for @nodes, inserting the reorders it wants before it. Errors: UNSUPPORTED,
 * SHAPE, MEMORY. (sonde-plan-steps.c) */
gboolean sonde_plan_add_group (SondePlan *plan, SondeNode *const *nodes, guint n_nodes,
                               GError **error);
/* A step for @node, of the domain of recorded ones, that takes nothing and leaves nothing in memory. */
void sonde_plan_add_recorded (SondePlan *plan, SondeNode *node);
SondePlanStep *sonde_plan_append_step (SondePlan *plan, SondeStepKind kind, guint n_inputs,
                                       guint n_outputs);
/* Fills in what the outside sees of @step, the last one. @inputs, @outputs: (element-type
 * SondeGraphValue): NULL entries are skipped */
void sonde_plan_describe_step (SondePlan *plan, SondePlanStep *step, SondeNode *const *nodes,
                               guint n_nodes, const GPtrArray *inputs, const GPtrArray *outputs,
                               const char *implementation);
void sonde_plan_step_free (SondePlan *plan, SondePlanStep *step);

/* Whether the kernel of @node can only be chosen when its inputs are there. */
gboolean sonde_plan_is_deferred (const SondeNode *node);
void sonde_plan_add_deferred (SondePlan *plan, SondeNode *node);
/* Where boxed values are let go; after sonde_plan_lay_out(). */
void sonde_plan_end_boxes (SondePlan *plan);

/* The bytes of @value; 0 when its size is not known. (sonde-plan-cost.c) */
double sonde_plan_value_bytes (const SondeGraphValue *value);

/* Gives large kept values that steps read a slot of their own, beside the one that is read. When
 * all steps are there. (sonde-plan-kept-copies.c) */
void sonde_plan_add_kept_copies (SondePlan *plan);

/* Moves the nodes of phase OPTIMISER to the end. (sonde-plan-updates.c) */
void sonde_plan_defer_updates (GPtrArray *order);
/* Which updates may be made in place. When all steps and roots are there. */
void sonde_plan_find_in_place (SondePlan *plan);

/* Lifetimes, in place, offsets. (sonde-plan-memory.c) */
void sonde_plan_lay_out (SondePlan *plan);

G_END_DECLS
