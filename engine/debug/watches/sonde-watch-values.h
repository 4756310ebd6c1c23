/* SPDX-License-Identifier: Apache-2.0
 * Which values of a plan a watch is on: kinds of values, and patterns over their names. */
#pragma once

#include "engine/live/sonde-condition.h"
#include "engine/plan/sonde-plan.h"

G_BEGIN_DECLS

/**
 * SondeWatchPlan: what is asked of a plan again and again
 * @step_of: by value id: the step that makes it, SONDE_NEVER_MADE
 * @is_made: by value id: a step leaves it in memory
 * @updates: value -> the one that updates it
 */
typedef struct
{
  SondePlan *plan;
  guint *step_of;
  gboolean *is_made;
  GHashTable *updates;
} SondeWatchPlan;

#define SONDE_NEVER_MADE G_MAXUINT

void sonde_watch_plan_init (SondeWatchPlan *watched, SondePlan *plan);
void sonde_watch_plan_clear (SondeWatchPlan *watched);

/* Values that a watch on @target looks at where nothing else is said, or those of @pattern. Weights
 * are named by themselves, not by their updates. (element-type SondeGraphValue) (transfer
 * container) */
GPtrArray *sonde_watch_find_values (const SondeWatchPlan *watched, const char *pattern,
                                    SondeConditionTarget target, gboolean on_inputs);
/* Of a glob inside an expression: floating values alone. */
gboolean sonde_watch_glob_matches (const SondeGraph *graph, const SondeGraphValue *value,
                                   const char *glob);
/* Of a watch on inputs: whether @node, which reads @value, or that is meant by @pattern. */
gboolean sonde_watch_reads (const SondeNode *node, const SondeGraphValue *value,
                            const char *pattern);
/* Whether some value of @graph or of a subgraph of it matches. */
gboolean sonde_watch_matches_inside (const SondeGraph *graph, const char *pattern,
                                     SondeConditionTarget target);

/* What MindInsight recommends, as texts for sonde_debugger_add_watches(), as far as @plan has such
 * values. (array zero-terminated=1) (transfer full) */
char **sonde_watch_recommend (SondePlan *plan);

G_END_DECLS
