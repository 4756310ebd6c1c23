/* SPDX-License-Identifier: Apache-2.0
 * A plan: the flat array of steps that runs a graph on a device: forward, gradient and optimiser
 * alike. Made once for given shapes; holds prepared kernels, layouts, memory offsets. Immutable. */
#pragma once

#include "engine/devices/sonde-device.h"
#include "engine/passes/sonde-passes.h"

G_BEGIN_DECLS

typedef struct _SondePlan SondePlan;

typedef enum
{
  SONDE_MEMORY_PLAN, /* lifetimes, offsets, in place */
  SONDE_MEMORY_KEEP, /* every value its own memory: anything can be read after the run */
} SondeMemoryMode;

/**
 * SondePlanOptions: zero-initialise
 * @memory: PLAN or KEEP
 * @bindings: (nullable): types of inputs with symbolic sizes
 * @pinned: (nullable) (array zero-terminated=1): globs of value names that live to the end of the
 *   run (PLAN); values somebody watches
 * @kept: (nullable) (array zero-terminated=1): names, not globs, of values of this graph that live
 *   to the end (PLAN). Nodes still run together where each leaves what it makes
 * @update_in_place: with PLAN, on devices of host memory: P' takes the memory of P in runs that
 *   nobody watches (sonde-execution.h), where no step reads P after that; updates come last
 * @no_fusion: every node is a step of its own
 * @plain_layouts: no blocked layouts (for tests)
 * @recorded_steps: nodes that ran somewhere else (SONDE_DOMAIN_RECORDED) are steps, too, in which
 *   nothing is computed: a run can stand between them
 */
typedef struct
{
  SondeMemoryMode memory;
  const SondeBinding *bindings;
  guint n_bindings;
  const char *const *pinned;
  const char *const *kept;
  gboolean update_in_place;
  gboolean no_fusion;
  gboolean plain_layouts;
  gboolean recorded_steps;
} SondePlanOptions;

/**
 * SondeStep: one entry of the plan, which owns it
 * @nodes: the executed nodes it stands for; none for an inserted reorder
 * @value: of an inserted reorder: the value it reorders
 * @name: of its (last) node, or "reorder(VALUE)"
 * @op: operator of its main node, or "Reorder"
 * @implementation: static text
 */
typedef struct
{
  SondeNode *const *nodes;
  guint n_nodes;
  SondeGraphValue *value;
  const char *name;
  const char *op;
  SondePhase phase;
  SondeCost cost;
  const char *implementation;
  guint n_inputs, n_outputs;
  SondeGraphValue *const *inputs;
  SondeGraphValue *const *outputs;
} SondeStep;

/**
 * sonde_plan_new:
 * @graph: legalised; the plan runs sonde_pass_infer() on it with the bindings, and keeps a
 *   reference. It must not change while a plan on it lives; a second plan with other bindings
 *   changes types, so each needs a graph of its own (sonde_graph_copy() shares the weights;
 *   sonde-runner.h does so for inputs of changing sizes).
 *
 * What can go wrong with shapes goes wrong here, as far as they are known: sizes that depend on
 * values, and bodies of control nodes, are planned in the run. Every input needs a known size.
 * Errors: of inference; UNSUPPORTED, MEMORY.
 */
SondePlan *sonde_plan_new (SondeGraph *graph, SondeDevice *device, const SondePlanOptions *options,
                           GError **error);
SondePlan *sonde_plan_ref (SondePlan *plan);
void sonde_plan_unref (SondePlan *plan);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SondePlan, sonde_plan_unref)

SondeGraph *sonde_plan_get_graph (SondePlan *plan);   /* (transfer none) */
SondeDevice *sonde_plan_get_device (SondePlan *plan); /* (transfer none) */
SondeMemoryMode sonde_plan_get_memory_mode (const SondePlan *plan);
guint sonde_plan_get_n_steps (const SondePlan *plan);
const SondeStep *sonde_plan_get_step (const SondePlan *plan, guint index);
/* Step that runs @node, -1 when it is folded or removed. */
int sonde_plan_find_step (const SondePlan *plan, const SondeNode *node);
guint64 sonde_plan_get_arena_bytes (const SondePlan *plan);  /* memory of intermediate values */
guint64 sonde_plan_get_weight_bytes (const SondePlan *plan); /* parameters, constants, state */

/* Whether a step changes @value, a parameter or state. */
gboolean sonde_plan_updates (const SondePlan *plan, const SondeGraphValue *value);

/**
 * SondePlanMemory: what an execution takes of the device in runs that nobody watches, values whose
 * sizes are known only in the run left out
 * @rests: of it, what sonde_execution_rest() gives back
 * @written: in addition, when every parameter it reads is written: those it would share with the
 * graph
 */
typedef struct
{
  guint64 bytes, rests, written;
} SondePlanMemory;
void sonde_plan_get_memory (const SondePlan *plan, SondePlanMemory *memory);
/* Flops and bytes of one run of @node; types must be known. */
void sonde_plan_node_cost (const SondeNode *node, SondeCost *cost);

/**
 * sonde_prepare_inference:
 * A model as loaded -> the executed graph: copy with provenance, check, legalise, fold, dead-code elimination.
 * Nodes of the model whose results nobody reads stay: who looks at a run may ask for them.
 * Returns: (transfer full). Errors: INVALID (all problems, one a line), UNSUPPORTED, SHAPE.
 */
SondeGraph *sonde_prepare_inference (SondeGraph *original, GError **error);
/* The same for a run whose values may be changed while it stands: readers of a node that changes
 * nothing read what it makes (sonde_pass_forward_identity() is left out). */
SondeGraph *sonde_prepare_editable_inference (SondeGraph *original, GError **error);
/**
 * sonde_prepare_kept_inference:
 * @bindings: (array length=n_bindings) (nullable): of the inputs of all runs; the plan is made for
 * the same
 * @kept: (array zero-terminated=1): names of values that are read after a run, and never written
 *
 * The same for a device that computes with integers (sonde_pass_quantise_kept()), and what follows
 * from the sizes of the inputs alone is computed once. Values that are not kept may be missing.
 */
SondeGraph *sonde_prepare_kept_inference (SondeGraph *original, const SondeBinding *bindings,
                                          guint n_bindings, const char *const *kept,
                                          GError **error);
/**
 * sonde_prepare_unwatched_inference:
 * @bindings: (array length=n_bindings) (nullable): of the inputs of all runs; the plan is made for
 * the same
 *
 * The same for runs nobody looks into: quantised convolutions compute in integers
 * (sonde_pass_quantise()), chains of plain operators are joined (sonde_pass_fuse()), and what
 * was inside them is not in the graph.
 */
SondeGraph *sonde_prepare_unwatched_inference (SondeGraph *original, const SondeBinding *bindings,
                                               guint n_bindings, GError **error);

G_END_DECLS
