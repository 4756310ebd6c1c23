/* SPDX-License-Identifier: Apache-2.0
 * What holds memory when a plan runs, value by value, and what the plan would take if one of them
 * were treated differently. For who shows memory; executions know it from the plan's own data. */
#pragma once

#include "engine/plan/sonde-plan.h"

G_BEGIN_DECLS

#define SONDE_NO_STEP G_MAXUINT

typedef enum
{
  SONDE_ROOM_ARENA,   /* shared with what lives at other times */
  SONDE_ROOM_SCRATCH, /* in the arena, of a kernel while it runs */
  SONDE_ROOM_INPUT,   /* these and the next have their own, from the first step to the last */
  SONDE_ROOM_WEIGHT,  /* parameters, states, constants, in the layout that a kernel reads */
  SONDE_ROOM_UPDATE,  /* the next value of a parameter or state, beside it */
  SONDE_ROOM_DERIVED, /* what a kernel made of weights */
} SondeRoom;

/**
 * SondePlanLifetime: a value in one layout, as long as it holds memory
 * @value: (nullable): NULL: SCRATCH and DERIVED, of step @made_by
 * @shares: (nullable): the value whose memory it took over, computed in place, or shows as a view
 * @made_by: step; SONDE_NO_STEP: it is there before the first
 * @last_reader: step that reads it, or a view of it, last; SONDE_NO_STEP: none, or it lives on
 *   after it
 * @from, @until: as of SondeLifetime in data/profiles: of what is computed in place, the step that
 *   makes it is the first, and the value before it ended with the step before
 * @offset: ARENA, SCRATCH: in the arena; others: 0
 * @bytes: as allocated; 0: a view, an update in place, a weight that is the graph's own tensor
 * @copied: WEIGHT: bytes it takes instead once somebody writes it: those it shares with the graph
 * @slot: for sonde_plan_try()
 */
typedef struct
{
  SondeRoom room;
  SondeGraphValue *value, *shares;
  guint made_by, last_reader, from, until;
  guint64 offset, bytes, copied;
  guint slot;
} SondePlanLifetime;

/**
 * sonde_plan_list_lifetimes:
 * By @from. The bytes outside the arena sum to @bytes - @rests of sonde_plan_get_memory(); of those
 * in the arena that live in one step no two lie over each other. Values whose sizes are known only
 * in the run are left out. @plan: in mode PLAN or KEEP
 * Returns: (transfer full) (element-type SondePlanLifetime)
 */
GArray *sonde_plan_list_lifetimes (const SondePlan *plan);

/**
 * sonde_plan_list_run_values:
 * @slot_bytes: of a run (sonde-run-notes.h)
 *
 * The values whose sizes only the run knows; @bytes is 0 of those that brought no memory. Room is INPUT of what was given, else
 * ARENA, though it is nowhere in it; @until is SONDE_NO_STEP of what lives on after the run.
 * Returns: (transfer full) (element-type SondePlanLifetime)
 */
GArray *sonde_plan_list_run_values (const SondePlan *plan, const guint64 *slot_bytes);

typedef enum
{
  SONDE_TRY_IN_PLACE,  /* it lies where an input of its step lay that is not read any more */
  SONDE_TRY_EARLIER,   /* it ends with its last reader, though it is an output, pinned or kept */
  SONDE_TRY_RECOMPUTE, /* it ends with its last reader before a step, and is made again after it */
} SondePlanTry;

/**
 * sonde_plan_try:
 * @lifetime: of @plan, in its arena
 * @step: of RECOMPUTE: where it shall not live
 * @memory: (out): of the plan with that change: IN_PLACE: the same steps, laid out anew; else a new
 *   plan: EARLIER: where nobody asks for the value, RECOMPUTE: of a graph in which the nodes of its
 *   step, and views of it, are there twice, the second time right before the first reader after
 *   @step
 *
 * A new plan takes the time that sonde_plan_new() takes.
 * Returns: FALSE where the change cannot be made or changes nothing
 */
gboolean sonde_plan_try (const SondePlan *plan, const SondePlanLifetime *lifetime,
                         SondePlanTry change, guint step, SondePlanMemory *memory);

G_END_DECLS
