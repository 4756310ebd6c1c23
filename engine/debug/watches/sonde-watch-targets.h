/* SPDX-License-Identifier: Apache-2.0
 * From watches to targets: what is looked at after (or before) which step of one plan. */
#pragma once

#include "engine/debug/watches/sonde-watch-values.h"
#include "engine/live/sonde-watch-table.h"

G_BEGIN_DECLS

/**
 * SondeWatchCheck: a watch on a target
 * @pass, @range, @tolerance: which of the target's facts are its own
 * @told: what it could last not be checked for: said once
 */
typedef struct
{
  SondeArmedWatch *watch;
  guint pass;
  guint range, tolerance;
  guint told;
} SondeWatchCheck;

/**
 * SondeWatchTarget: a value and when it is looked at
 * @value: what is read; @previous: (nullable): what it is compared with
 * @subject: the value the user means: of an update the weight
 * @step: of the plan, or SONDE_NEVER_MADE: when a run begins; @before: before it
 * @initial: only in the first step
 * @passes: (element-type SondeFactsRequest, in a g_rc_box): mostly one
 * @checks: (element-type SondeWatchCheck)
 */
typedef struct
{
  SondeGraphValue *value, *previous, *subject;
  guint step;
  gboolean before, initial;
  GPtrArray *passes;
  GArray *checks;
} SondeWatchTarget;

/**
 * SondeWatchTargets: all targets in one plan
 * @targets: (element-type SondeWatchTarget): owned
 * @at_begin: (element-type SondeWatchTarget)
 * @before, @after: by step: (nullable) (element-type SondeWatchTarget)
 */
typedef struct
{
  SondeWatchPlan watched; /* first member */
  GPtrArray *targets;
  GHashTable *index;
  GPtrArray *at_begin;
  GPtrArray **before, **after;
  guint n_steps;
} SondeWatchTargets;

SondeWatchTargets *sonde_watch_targets_new (SondePlan *plan);
void sonde_watch_targets_free (SondeWatchTargets *table);
/* Adds the targets of @watch; returns how many values they are. */
guint sonde_watch_targets_add (SondeWatchTargets *table, SondeArmedWatch *watch);
/* The place of a range in @request, made where there is room; SONDE_FACTS_MAX when there is
 * none. */
guint sonde_watch_place_range (SondeFactsRequest *request, const SondeFactsRange *range);
guint sonde_watch_place_tolerance (SondeFactsRequest *request,
                                   const SondeFactsTolerance *tolerance);

G_END_DECLS
