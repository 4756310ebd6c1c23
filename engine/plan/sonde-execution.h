/* SPDX-License-Identifier: Apache-2.0
 * One run after another of a plan: its memory, its position, its observers. The loop is
 * `if (unlikely (flags[step] & mask))` before and after each step.
 *
 * Parameters and state live here between runs. A value P' with update_of P takes P's place when a
 * run is done (buffers are exchanged, nothing is copied), so that during the run both can be read.
 *
 * Of a plan with update_in_place that holds for runs in which somebody looks on: an observer wants
 * some step, or the run was paused before its updates. In others P' is made where P lies. What
 * needs the old P after that (P itself and what is computed again from it, until the run is done;
 * going back into such a run) is refused with STATE; a run that fails in between leaves parameters
 * that are refused, too, until it is abandoned and they are written.
 *
 * One thread at a time; sonde_execution_interrupt() from any. */
#pragma once

#include "data/values/sonde-facts.h"
#include "engine/plan/sonde-observer.h"

G_BEGIN_DECLS

typedef enum
{
  SONDE_RUN_DONE,    /* all steps ran; outputs can be read */
  SONDE_RUN_PAUSED,  /* an observer said pause, or it was interrupted: call again to go on */
  SONDE_RUN_STOPPED, /* an observer said stop */
  SONDE_RUN_FAILED,  /* @error is set */
} SondeRunResult;

/* Allocates and uploads parameters and constants. Errors: MEMORY. */
SondeExecution *sonde_execution_new (SondePlan *plan, GError **error);
void sonde_execution_free (SondeExecution *execution);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SondeExecution, sonde_execution_free)

SondePlan *sonde_execution_get_plan (SondeExecution *execution);

/* @tensor: of the input's exact dtype and shape; copied. Errors: NOT_FOUND, SHAPE naming both. */
gboolean sonde_execution_set_input (SondeExecution *execution, const char *name,
                                    SondeTensor *tensor, GError **error);

/**
 * sonde_execution_set_input_value:
 * @value: (nullable): of the input's kind, as planned: a tensor (also of strings), sequence, map,
 *   optional; what an optional input may hold is put into an optional, NULL is an empty one. A
 *   reference is taken where the value is no tensor of numbers; it must not change any more.
 *
 * Errors: NOT_FOUND, SHAPE naming both.
 */
gboolean sonde_execution_set_input_value (SondeExecution *execution, const char *name,
                                          SondeValue *value, GError **error);

/* Bytes that values whose sizes are known only in the run may hold together, those of subgraphs and
 * collected scan outputs included; going past it fails the run with MEMORY. Default: half of the
 * machine's memory. */
void sonde_execution_set_memory_limit (SondeExecution *execution, guint64 bytes);

/* Random numbers of a run are a function of (seed, step). Default 0, 0. */
void sonde_execution_set_counter (SondeExecution *execution, guint64 seed, guint64 step);
/* Those of the run it is in, or had last; before the first one those that were set. */
void sonde_execution_get_counter (SondeExecution *execution, guint64 *seed, guint64 *step);

/**
 * sonde_execution_run:
 * Starts a run, or goes on with a paused one. Errors: STATE for an input that never got a value;
 * DEVICE; of steps whose sizes are known only in the run: SHAPE, INVALID, MEMORY, naming node and
 * operator.
 */
SondeRunResult sonde_execution_run (SondeExecution *execution, GError **error);

/* Runs up to @step (exclusive) and pauses there; observers are not called: the prefix primitive of
 * the debugger. An interrupt pauses earlier. Errors: STATE when the run stands behind @step. */
SondeRunResult sonde_execution_run_to (SondeExecution *execution, guint step, GError **error);

/**
 * sonde_execution_go_back:
 * @step: the position to go to, not after the present one; observers are not called
 *
 * Of a run that is paused, done, stopped or failed: it stands before step @step again, paused, bit
 * for bit as it stood there first: what later steps made is not computed yet, and what was written
 * by hand at a later position has the content it had. A node of subgraphs in which it stood is run
 * from its beginning. With memory KEEP that costs nothing; with PLAN the steps since the nearest
 * checkpoint run again, and an interrupt leaves the run before @step.
 * Returns: PAUSED; FAILED. Errors: STATE: nothing ran, it has not come that far, or the run is done
 * and its inputs or parameters were written since.
 */
SondeRunResult sonde_execution_go_back (SondeExecution *execution, guint step, GError **error);
/* Keeps, with PLAN, what it takes to come back to the present position of a paused run, until the
 * next run begins; the checkpoints of a run take at most a quarter of its memory, and those that
 * lie close together go first. */
void sonde_execution_checkpoint (SondeExecution *execution);
guint64 sonde_execution_get_checkpoint_bytes (SondeExecution *execution);
/* Where going back to @step begins to run again with PLAN. */
guint sonde_execution_find_checkpoint (SondeExecution *execution, guint step);

/* Gives up a paused run: the next run starts at the first step with the parameters as they were.
 * Only where some were updated in place the rest of the run is done first, so that all are those of
 * the next step. */
void sonde_execution_abandon (SondeExecution *execution);
/* Whether this run, paused, over or failed, has put updates in the place of parameters or states
 * that cannot be read any more. */
gboolean sonde_execution_has_updated_in_place (const SondeExecution *execution);

/* Gives back the memory of intermediate values until the next run; parameters, states and inputs
 * stay, nothing else can be read. Not while it runs. */
void sonde_execution_rest (SondeExecution *execution);

/**
 * sonde_execution_set_timing:
 * Whether runs add up the time of every step of this plan, from here on and from zero; off at
 * first. No observer is needed, and none is called: a step costs one look at a cheap clock
 * (data/base/sonde-ticks.h), about 10 ns. A step begins where the one before it ends; what
 * observers do, and a pause, is not counted. A step with subgraphs includes them. While nothing
 * runs.
 */
void sonde_execution_set_timing (SondeExecution *execution, gboolean timing);
/* All the time of @step since then, in ns; 0 without timing. */
double sonde_execution_get_step_ns (const SondeExecution *execution, guint step);
/* What @step took the last time, in ns; 0 without timing, and where it did not run since. */
double sonde_execution_get_last_step_ns (const SondeExecution *execution, guint step);

/* Position of a paused run: the next step to run, 0…n_steps; n_steps after a finished run.
 * (pause "before k" is position k; "after k" is position k + 1) */
guint sonde_execution_get_position (const SondeExecution *execution);
gboolean sonde_execution_is_running (const SondeExecution *execution); /* begun and not done */

/* Any thread: the run pauses before its next step, also one of a subgraph. On the outermost
 * execution. */
void sonde_execution_interrupt (SondeExecution *execution);

/* ---- subgraphs --------------------------------------------------------------------------------
 * If, Loop and Scan run their bodies as executions of their own, made when they are first needed
 * and kept for the types they were made for. They are borrowed, and live until the next run of the
 * outermost execution goes on. Values of a body are read through its execution, by the values of
 * its plan's graph, which have the names and ids of the body's in the outer graph. Runs, inputs and
 * positions of a body are not to be set from outside. */

/* The execution of the body in which a run of @execution stands, paused or (for observers) running,
 * or in which it failed; NULL when it stands between steps of its own. That may stand in a further
 * one. */
SondeExecution *sonde_execution_get_inner (SondeExecution *execution);
/* The body of @node, of the plan's graph, that ran last; NULL when none has run. */
SondeExecution *sonde_execution_find_inner (SondeExecution *execution, const SondeNode *node);
SondeExecution *sonde_execution_get_parent (SondeExecution *execution); /* (nullable) */
/* Of an execution of a body: the node of the parent's plan whose body it is. */
SondeNode *sonde_execution_get_node (SondeExecution *execution); /* (nullable) */
/* Of an execution of a body: its name: "then_branch", "else_branch", "body". */
const char *sonde_execution_get_body_name (SondeExecution *execution); /* (nullable) */
/* Number of the run of @execution that is under way or was last, from 1: of a body, each iteration
 * is one. */
guint64 sonde_execution_get_pass (const SondeExecution *execution);
/* Which iteration of its loop runs, or ran last, from 0. */
gint64 sonde_execution_get_iteration (const SondeExecution *execution);

/* Observers are called in the order they were added; at most 8. Not owned. Same thread as the
 * run. */
void sonde_execution_add_observer (SondeExecution *execution, SondeObserver *observer);
void sonde_execution_remove_observer (SondeExecution *execution, SondeObserver *observer);
/* All observers of @from observe @to instead; they are not told. */
void sonde_execution_move_observers (SondeExecution *to, SondeExecution *from);
/* An observer's wants changed: all are asked again. */
void sonde_execution_refresh_observers (SondeExecution *execution);

/**
 * sonde_execution_read:
 * @value: of the plan's graph
 *
 * The value as a plain host tensor, whatever its layout, memory or fusion: a constant, input,
 * parameter or any value computed so far. A value inside a fused step, or one whose memory is used
 * again, is computed beside the run by the original nodes from what is still there.
 * Returns: (transfer full). Errors: STATE "not computed yet: … comes before step k" or "its memory
 * was used again", naming the value.
 */
SondeTensor *sonde_execution_read (SondeExecution *execution, SondeGraphValue *value,
                                   GError **error);

/* The same for values of any kind: sonde_execution_read() refuses those that are no tensors of
 * numbers with STATE, naming the kind. The value may be shared with the run: it must not be
 * changed. Returns: (transfer full) */
SondeValue *sonde_execution_read_value (SondeExecution *execution, SondeGraphValue *value,
                                        GError **error);

/**
 * sonde_execution_look_ahead:
 * @n_nodes: of the nodes of the fused step at the position
 *
 * What those first nodes make can be read although the step has not run: it is computed beside, by
 * the nodes one by one. Forgotten when the run goes on.
 */
void sonde_execution_look_ahead (SondeExecution *execution, guint n_nodes);

/* The type of @value in this run: as planned, or that of its content where its sizes are known only
 * in the run and it is there to be looked at. */
void sonde_execution_get_type (SondeExecution *execution, const SondeGraphValue *value,
                               SondeType *type);

/**
 * SondeRecords: where recorded values (SondeGraphValue.recorded) are read from, whenever somebody
 * asks; any of the values' types at planning is what @read gives
 * @has: whether @value is there
 * @read: Returns: (transfer full)
 */
typedef struct
{
  gboolean (*has) (gpointer data, const SondeGraphValue *value);
  SondeTensor *(*read) (gpointer data, const SondeGraphValue *value, GError **error);
} SondeRecords;

/* @records: (nullable): static; not of branches and replicas. */
void sonde_execution_set_records (SondeExecution *execution, const SondeRecords *records,
                                  gpointer data);

/* Statistics in one pass, without a copy where the layout allows. */
gboolean sonde_execution_read_statistics (SondeExecution *execution, SondeGraphValue *value,
                                          SondeStatistics *statistics, GError **error);

/**
 * sonde_execution_read_facts:
 * @previous: (nullable): a value of the same type, which @value is compared with: P for P'
 *
 * Facts in one pass over the memory where they lie, on the device's threads; equal for any number
 * of them.
 * Errors: as sonde_execution_read(); STATE for strings; SHAPE when @previous is of another type.
 */
gboolean sonde_execution_read_facts (SondeExecution *execution, SondeGraphValue *value,
                                     SondeGraphValue *previous, const SondeFactsRequest *request,
                                     SondeFacts *facts, GError **error);
gboolean sonde_execution_is_available (SondeExecution *execution, SondeGraphValue *value);

/* Overwrites a parameter, state or input, or (paused) a computed value whose memory is its own. */
gboolean sonde_execution_write (SondeExecution *execution, SondeGraphValue *value,
                                SondeTensor *tensor, GError **error);

/* Parameters and state of @from take effect in @to (values matched by name): evaluation beside
 * training. Errors: NOT_FOUND, SHAPE. */
gboolean sonde_execution_share_parameters (SondeExecution *to, SondeExecution *from,
                                           GError **error);
/* The same; what @from does not have stays as it is in @to. */
gboolean sonde_execution_share_common (SondeExecution *to, SondeExecution *from, GError **error);

/* ---- a second one beside it ---------------------------------------------- */

/**
 * sonde_execution_branch:
 * A further execution of the same plan, which stands where @execution stands: all that was
 * computed, written or edited, inputs, parameters, states, random numbers; without observers. Going
 * on, it computes the same bits. A run that stands inside a body begins that body's node again.
 * Errors: MEMORY, DEVICE. Returns: (transfer full)
 */
SondeExecution *sonde_execution_branch (SondeExecution *execution, GError **error);

/**
 * sonde_execution_copy_sources:
 * @to gets the inputs, parameters and states that the present run of @from began with (or its last
 * one did, or its next one will), by name, converted where the element type differs, and its random
 * numbers. What @from does not have stays as it is. The plans may be of different graphs. Errors:
 * SHAPE naming the value and both.
 */
gboolean sonde_execution_copy_sources (SondeExecution *to, SondeExecution *from, GError **error);
/* The same of inputs and random numbers alone. */
gboolean sonde_execution_copy_inputs (SondeExecution *to, SondeExecution *from, GError **error);
/* The same of one value that no node makes. Returns: (transfer full) */
SondeValue *sonde_execution_read_source (SondeExecution *execution, SondeGraphValue *value,
                                         GError **error);
/* Whether a source's content may be another than its graph's constant. */
gboolean sonde_execution_is_changed (SondeExecution *execution, const SondeGraphValue *value);

/**
 * sonde_execution_run_alone:
 * @forced: SondeGraphValue of the plan's graph -> SondeValue: what the step is to read instead of
 *   what lies there; converted where the element type differs
 * @outputs: (out) (array): one for each output of the step, (transfer full); NULL for those that
 * are not there
 *
 * Runs one step, beside the run, with the plan's own kernel, weights and random numbers, and
 * changes nothing that can be read. Values that are not forced must be there. A step with subgraphs
 * starts these anew: on a branch only. Errors: SHAPE; of running.
 */
gboolean sonde_execution_run_alone (SondeExecution *execution, guint step, GHashTable *forced,
                                    SondeValue **outputs, GError **error);

G_END_DECLS
