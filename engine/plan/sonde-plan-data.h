/* SPDX-License-Identifier: Apache-2.0
 * The data of a plan: slots (a value in a layout, with its storage) and steps that name slots. For the
 * files that build a plan (sonde-plan-build.h) and those that run it. */
#pragma once

#include "engine/plan/sonde-plan.h"

G_BEGIN_DECLS

#define SONDE_NO_SLOT G_MAXUINT
#define SONDE_NEVER G_MAXUINT
#define SONDE_MOST_OPERANDS                                                                        \
  64 /* a node of more is asked by each of its operands, and never part of a group */

/* Where the memory of a slot comes from. */
typedef enum
{
  SONDE_STORAGE_ARENA,  /* an offset in the arena */
  SONDE_STORAGE_INPUT,  /* its own, filled by the caller */
  SONDE_STORAGE_WEIGHT, /* its own, kept from run to run: parameters, state, constants */
  SONDE_STORAGE_UPDATE, /* its own; exchanged with a WEIGHT when a run is done */
  /* no memory: the execution holds a SondeValue, for what has no size when the plan is made, and
   * for strings, sequences, optionals, maps */
  SONDE_STORAGE_BOX,
} SondeStorageKind;

/**
 * SondePlanSlot: one value in one layout
 * @layout: owned reference; NULL is plain
 * @layout_fixed: FALSE for a WEIGHT nobody has read yet: its first reader chooses
 * @produced_by: step that fills it; SONDE_NEVER for inputs and weights
 * @last_use: last step that reads it; n_steps when it lives to the end
 * @root: slot whose memory this is; itself unless it is a view or computed in place
 * @source: slot whose content this is: itself unless it is a view
 * @storage, @offset, @bytes: of a root; an offset in the arena or in the block of own storage
 * @overwritten_by: first step that destroys the content; SONDE_NEVER: none
 * @partner: of an UPDATE: the WEIGHT it changes places with, and the other way round
 * @in_place: of an UPDATE: it may be made where its WEIGHT lies; @offset is in the spare block, for
 * runs that keep both
 * @next: another slot of the same value, in a different layout; SONDE_NO_SLOT ends the list
 * @shared: a WEIGHT that is the same in all executions until somebody writes it; it has no @offset
 * @copy_of: of a WEIGHT that is another one in a different layout, made before the run: that one
 */
typedef struct
{
  SondeGraphValue *value;
  SondeLayout *layout;
  gboolean layout_fixed;
  guint produced_by;
  guint last_use;
  guint root;
  guint source;
  SondeStorageKind storage;
  gsize offset, bytes;
  guint overwritten_by;
  guint partner;
  gboolean in_place;
  guint next;
  gboolean shared;
  guint copy_of;
} SondePlanSlot;

typedef enum
{
  SONDE_STEP_KERNEL,
  SONDE_STEP_REORDER,  /* input slot 0 into output slot 0 */
  SONDE_STEP_VIEW,     /* nothing to do */
  SONDE_STEP_EMPTY,    /* its results have no elements: nothing to do */
  SONDE_STEP_DEFERRED, /* one node, whose kernel is chosen when its inputs are there */
  SONDE_STEP_CONTROL,  /* one node that runs its bodies */
  SONDE_STEP_RECORDED, /* one node that ran somewhere else: nothing to do */
} SondeStepKind;

/* How a step runs. (sonde-step-runner.h) */
typedef struct _SondeStepRunner SondeStepRunner;
extern const SondeStepRunner *const sonde_step_runners[]; /* by SondeStepKind */

/**
 * SondePlanStep:
 * @runner: that of its kind
 * @klass: of a deferred or control step: the operator of its node
 * @kernel: of a reorder: NULL when the device has no prepared one
 * @n_input_slots: entries of @input_slots, SONDE_NO_SLOT for absent inputs; one per kernel input
 * @in_place, @in_place_output: bits of the inputs whose memory that output may take, 0: none
 * @derive_slots: (nullable): by kernel input: slot of a weight that only the derived memory is made
 * from
 * @derived_bytes, @derived_offset: memory of what the kernel derives from weights, in the block of
 * own storage
 * @operands: of a deferred step: the value of each input slot: the node's inputs (NULL where absent),
 *   then what its subgraphs capture. The slot of a constant is SONDE_NO_SLOT: the execution takes
 *   the constant itself
 * @dying: boxed slots that nobody reads from this step on
 * @workspace_bytes, @workspace_offset: scratch of the kernel while it runs, in the arena
 * @stores: pairs: a slot this step has filled, and its copy, which takes a copy
 */
typedef struct
{
  SondeStep info;
  SondeStepKind kind;
  const SondeStepRunner *runner;
  const SondeOpClass *klass;
  SondeKernel *kernel;
  guint n_input_slots, n_output_slots;
  guint *input_slots;
  guint *output_slots;
  guint64 in_place;
  guint in_place_output;
  guint *derive_slots;
  gsize derived_bytes, derived_offset;
  SondeGraphValue **operands;
  gsize workspace_bytes, workspace_offset;
  guint n_dying;
  guint *dying;
  guint n_stores;
  guint *stores;
} SondePlanStep;

struct _SondePlan
{
  _Atomic guint ref_count;
  SondeGraph *graph;
  SondeDevice *device;
  SondeMemoryMode memory;
  gboolean plain_layouts, no_fusion;
  gboolean update_in_place;
  gboolean open_sizes; /* inputs may be of unknown sizes */
  gboolean has_kept;   /* some values were asked for by name */
  GPtrArray *pinned;   /* (element-type GPatternSpec) */
  char **globs;        /* what @pinned was made of (nullable) */
  GPtrArray *steps;    /* (element-type SondePlanStep) */
  GPtrArray *slots;    /* (element-type SondePlanSlot) */
  /* by value id: it is to be there at the end of the run: an output, pinned or kept */
  gboolean *stays;
  guint *slot_of_value; /* by value id: the slot its producer fills; SONDE_NO_SLOT */
  guint *step_of_node;  /* by node id; SONDE_NEVER */
  GHashTable *updates;  /* parameter or state -> the value that updates it */
  GHashTable *outputs;  /* set of SondeGraphValue: the graph's outputs */
  GPtrArray *names;     /* strings of inserted steps */
  gsize arena_bytes, own_bytes, spare_bytes, weight_bytes;
};

static inline SondePlanStep *
sonde_plan_step (const SondePlan *plan, guint index)
{
  return g_ptr_array_index (plan->steps, index);
}

static inline SondePlanSlot *
sonde_plan_slot (const SondePlan *plan, guint index)
{
  return g_ptr_array_index (plan->slots, index);
}

/* sonde_plan_new() with inputs whose sizes may be unknown: what depends on them is planned in the
 * run. */
SondePlan *sonde_plan_new_open (SondeGraph *graph, SondeDevice *device,
                                const SondePlanOptions *options, GError **error);

/* Whether the value never changes while a plan runs: no update of it. */
gboolean sonde_plan_is_static (SondePlan *plan, const SondeGraphValue *value);
/* A value without a size before the run, or that is no tensor of numbers. (sonde-plan-cost.c) */
gboolean sonde_plan_is_boxed (const SondeGraphValue *value);

G_END_DECLS
