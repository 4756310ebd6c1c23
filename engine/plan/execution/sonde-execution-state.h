/* SPDX-License-Identifier: Apache-2.0
 * The state of an execution: memory by slot, position, observers. The layers that work on it, each
 * with a header of its own and using only those above it in this list:
 *
 *   storage                          where the contents of slots are
 *   weights, updates, detach, past   who owns a weight, where updates go, views of their own, edits
 *   given                            steps that are not computed
 *   inner                            the executions of bodies that steps keep
 *   recompute, read, write           values from outside
 *   run, back                        the loop over the steps, and the way back
 *   step runners                     what the loop calls a step by: plain, deferred, control */
#pragma once

#include "engine/devices/sonde-device-spans.h"
#include "engine/plan/sonde-execution.h"
#include "engine/plan/sonde-plan-data.h"
#include "engine/plan/sonde-weight-store.h"

#include <stdatomic.h>

G_BEGIN_DECLS

#define SONDE_MAX_OBSERVERS 8

/* Bits of @flags and @mask beside those of SondeWant. */
#define SONDE_FLAG_INTERRUPT (1u << 7)

typedef enum
{
  SONDE_EXECUTION_IDLE,    /* nothing ran yet, or the run was abandoned */
  SONDE_EXECUTION_RUNNING, /* in a run, paused or not */
  SONDE_EXECUTION_DONE,
  SONDE_EXECUTION_OVER, /* stopped or failed: what was computed can be read */
} SondeExecutionState;

/* Where the contents of slots are during a run, or beside it. */
typedef struct
{
  void **memory;      /* by slot */
  SondeValue **boxes; /* by slot: owned; NULL for all but those of SONDE_STORAGE_BOX */
} SondeStorage;

/* Bytes that values of run-time sizes hold; lives as long as any of them. (sonde-run-budget.h) */
typedef struct _SondeRunBudget SondeRunBudget;

/* What values of run-time sizes take. (sonde-run-memory.h, sonde-run-notes.h) */
typedef struct _SondeRunMemory SondeRunMemory;
struct _SondeRunNotes;

/* What it takes to go back in a run. (sonde-execution-past.h) */
typedef struct _SondePast SondePast;

/**
 * SondeExecution:
 * @storage: where the contents of slots are now
 * @step_state: (nullable): by step: what its runner keeps from run to run; NULL before it is needed
 * @spare: (nullable): memory for updates that could be made in place, in runs that keep both
 * @watched: some observer that is not @without_old wants some step: P and P' are both to be there
 * @scratch, @scratch_bytes: workspace of deferred steps, and of others when they run beside the run;
 * grown as needed
 * @store: of weights, with the executions it shares them with
 * @weights: by slot: a shared weight; NULL for others, and when it was written
 * @own_weights: memory of weights that were shared
 * @root: the outermost execution; itself when there is no @parent
 * @node, @body_name, @iteration: of a body: whose, which, and how often it ran in this loop
 * @inner: (nullable): execution of a body in which the run stands
 * @allowed: flags that count in the present run
 * @n_writes: how often a parameter was written
 * @flags: by step: what somebody wants of it, with SONDE_FLAG_INTERRUPT always set
 * @mask: which flags count now; any thread may add SONDE_FLAG_INTERRUPT
 * @wants: by observer: by step
 * @announced: observers heard of the beginning of the run; @ended: of its end; @before_done: of the
 *   step at @position
 * @weights_written: copies of weights in other layouts have to be made again
 * @sources_written: inputs or parameters are no longer those of the last run: nothing of it can be
 *   computed again
 * @filled: by slot: of inputs: somebody set it, or it has a default
 * @step_ticks: (nullable): by step: time that it took since timing began, in @ticks; @last_ticks:
 *   the last time, 0 of one that did not run since
 * @spans: (nullable): of the outermost execution: where spans go; @runs_are_steps: each run is a
 *   step there
 * @step_labels: by step: labels of the log @labelled; @begin_label: of what comes before the steps,
 *   which ended at the moment @begun of @spans; 0: it was not recorded
 * @recorded: of the outermost execution, in a run whose kernels are recorded: what its thread works for;
 *   @recorded_before: what it worked for before (nullable)
 * @run_memory: (nullable): of the outermost execution: counts values of run-time sizes in recorded runs;
 *   @notes: (nullable): what it noted of this run; @outer_most: of a body: what was live at most before it
 * @edited: (nullable): by slot: content was written by the user in this run
 * @placed: (nullable): by slot: where it lay before it got memory of its own for this run, because
 *   what shares that was written; NULL: it still lies there. @copies: that memory
 * @past: (nullable): of this run
 * @lost: (nullable): by slot: its memory would hold its content, but the run went back and that was
 * not brought back
 * @pass: runs that began; @tells: some observer wants to know when a body begins or ends
 * @given: (nullable): steps whose results are there already (sonde-execution-given.h)
 * @ahead: nodes of the step at @position whose values can be read before it has run
 */
struct _SondeExecution
{
  SondePlan *plan;
  void *arena, *own, *spare;
  gboolean watched;
  SondeStorage storage;
  gpointer *step_state;
  SondeRunBudget *budget;
  void *scratch;
  gsize scratch_bytes;
  SondeWeightStore *store;
  SondeWeight **weights;
  GPtrArray *own_weights;
  SondeExecution *root, *parent, *inner;
  SondeNode *node;
  const char *body_name;
  gint64 iteration;
  guint allowed;
  guint64 n_writes;
  guint8 *flags;
  _Atomic guint mask;
  SondeObserver *observers[SONDE_MAX_OBSERVERS];
  guint8 *wants[SONDE_MAX_OBSERVERS];
  guint n_observers;
  guint position;
  SondeExecutionState state;
  gboolean announced, ended, before_done;
  gboolean weights_written, sources_written;
  guint8 *filled;
  guint8 *edited;
  void **placed;
  GPtrArray *copies;
  SondePast *past;
  guint8 *lost;
  guint64 pass;
  gboolean tells;
  guint ahead;
  const SondeRecords *records; /* (nullable) */
  gpointer records_data;
  const struct _SondeGivenSteps *given;
  SondeTicks ticks;
  guint64 *step_ticks;
  guint64 *last_ticks;
  SondeSpanLog *spans, *labelled;
  gboolean runs_are_steps;
  guint32 *step_labels;
  guint32 begin_label;
  guint64 begun;
  SondeDeviceSpans recorded, *recorded_before;
  SondeRunMemory *run_memory;
  struct _SondeRunNotes *notes;
  guint64 outer_most;
  guint64 seed, counter;         /* of the next run */
  guint64 run_seed, run_counter; /* of this one */
};

G_END_DECLS
