/* SPDX-License-Identifier: Apache-2.0
 * Inside of an execution: memory by slot, position, observers. Shared by the files that run, read
 * and write it. */
#pragma once

#include "data/base/sonde-ticks.h"
#include "engine/plan/sonde-execution.h"
#include "engine/plan/sonde-plan-private.h"
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

/* Bytes that values of run-time sizes hold; lives as long as any of them. (sonde-run-budget.c) */
typedef struct _SondeRunBudget SondeRunBudget;

/* What it takes to go back in a run. (sonde-execution-back.c) */
typedef struct _SondePast SondePast;

/* What a deferred step keeps from run to run. (sonde-deferred-step.h) */
typedef struct _SondeLate SondeDeferred;

/**
 * SondeExecution:
 * @storage: where the contents of slots are now
 * @deferred: by step: NULL before a deferred step runs for the first time
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
 * @edited: (nullable): by slot: content was written by the user in this run
 * @placed: (nullable): by slot: where it lay before it got memory of its own for this run, because
 *   what shares that was written; NULL: it still lies there. @copies: that memory
 * @past: (nullable): of this run
 * @lost: (nullable): by slot: its memory would hold its content, but the run went back and that was
 * not brought back
 * @pass: runs that began; @tells: some observer wants to know when a body begins or ends
 * @ahead: nodes of the step at @position whose values can be read before it has run
 */
struct _SondeExecution
{
  SondePlan *plan;
  void *arena, *own, *spare;
  gboolean watched;
  SondeStorage storage;
  SondeDeferred **deferred;
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
  SondeTicks ticks;
  guint64 *step_ticks;
  guint64 *last_ticks;
  guint64 seed, counter;         /* of the next run */
  guint64 run_seed, run_counter; /* of this one */
};

/* Runs step @index on @storage: DONE, or FAILED with an error naming the node. @beside: other steps'
 * values lie where its scratch lies in the run. */
SondeRunResult sonde_execution_run_step (SondeExecution *execution, guint index,
                                         const SondeStorage *storage, gboolean beside,
                                         GError **error);
/* At least @bytes at @execution->scratch. */
gboolean sonde_execution_grow_scratch (SondeExecution *execution, gsize bytes, GError **error);
/* What deferred step @index does. (sonde-deferred-step.c) */
SondeRunResult sonde_execution_run_deferred (SondeExecution *execution, guint index,
                                             const SondeStorage *storage, GError **error);
void sonde_deferred_free (SondeDeferred *deferred, SondeExecution *execution);

/* Runs the body that @execution is, or goes on with it, as part of the parent's run. */
SondeRunResult sonde_execution_run_body (SondeExecution *execution, guint allowed, GError **error);
/* One that takes its weights from @store. */
SondeExecution *sonde_execution_new_sharing (SondePlan *plan, SondeWeightStore *store,
                                             GError **error);
/* Finds the shared weights. (sonde-execution-weights.c) */
gboolean sonde_execution_share_weights (SondeExecution *execution, GError **error);
/* The weight of slot @primary, and its copies in other layouts, get memory of their own, not
 * filled. */
gboolean sonde_execution_own_weights (SondeExecution *execution, guint primary, GError **error);
void sonde_execution_drop_weights (SondeExecution *execution);

/* An execution of a body of @parent: shares its budget and weights. */
SondeExecution *sonde_execution_new_inside (SondePlan *plan, SondeExecution *parent,
                                            GError **error);
/* Sets an input of the plan's graph. */
gboolean sonde_execution_fill_input (SondeExecution *execution, const SondeGraphValue *input,
                                     SondeValue *value, GError **error);
/* Whether somebody interrupted the run; takes the interrupt away. */
gboolean sonde_execution_take_interrupt (SondeExecution *execution);
/* Gives up what is under way in bodies. (sonde-execution-inner.c) */
void sonde_execution_reset_inner (SondeExecution *execution);
/* Calls @visit for all executions of bodies that @execution has made, not for those inside them. */
void sonde_execution_foreach_inner (SondeExecution *execution,
                                    void (*visit) (SondeExecution *inner, gpointer data),
                                    gpointer data);

/* Brings copies of weights in other layouts up to date. */
gboolean sonde_execution_refresh_weights (SondeExecution *execution, GError **error);
/* Asks observer @index what it wants of every step. */
void sonde_execution_ask (SondeExecution *execution, guint index);

/* Whether the content of @slot is in its memory now. (sonde-execution-read.c) */
gboolean sonde_execution_holds (const SondeExecution *execution, guint slot);

/* Memory that holds the elements of @value and nothing else, in an order of its own, for the host
 * to read; NULL when there is none now. @slot: (out): where it is. (sonde-execution-read.c) */
const void *sonde_execution_find_elements (SondeExecution *execution, SondeGraphValue *value,
                                           guint *slot);

/* The content of @slot, read from @storage. Returns: (transfer full) */
SondeValue *sonde_execution_download (SondeExecution *execution, guint slot,
                                      const SondeStorage *storage, GError **error);
/* Whether there is something to read. */
gboolean sonde_storage_has (const SondePlan *plan, const SondeStorage *storage, guint slot);
/* The content of @slot, whose step has run, made again by running the steps it needs. Errors: STATE
 * when what they read is no longer what it was. (sonde-execution-recompute.c) */
SondeValue *sonde_execution_read_again (SondeExecution *execution, guint slot, GError **error);
/* A value inside a fused step that has run, by its nodes one by one. */
SondeTensor *sonde_execution_read_inside (SondeExecution *execution, SondeGraphValue *value,
                                          GError **error);

/* Views that got memory of their own show again what they are views of. (sonde-execution-detach.c) */
void sonde_execution_reattach (SondeExecution *execution);
/* What parted in @from has parted in @to, an execution of the same plan. */
gboolean sonde_execution_copy_detached (SondeExecution *to, SondeExecution *from, GError **error);
/* Before the content of @slot changes: what shares its memory and was made already keeps what it
 * has, what is still to be made from it will show the new. Where @slot is a view, it gets memory of
 * its own. */
gboolean sonde_execution_detach (SondeExecution *execution, guint slot, GError **error);
/* Views made at @step and later show again what they are views of. */
void sonde_execution_reattach_from (SondeExecution *execution, guint step);
/* Writes what can be written without another look. (sonde-execution-write.c) */
gboolean sonde_execution_put (SondeExecution *execution, SondeGraphValue *value,
                              SondeTensor *tensor, GError **error);
/* The content of @slot is about to be written by hand, to @tensor. (sonde-execution-back.c) */
gboolean sonde_execution_note_edit (SondeExecution *execution, SondeGraphValue *value, guint slot,
                                    SondeTensor *tensor, GError **error);
/* Another run begins, or the execution ends. */
void sonde_execution_forget_past (SondeExecution *execution);
/* Updated parameters take the place of the old, and the other way round.
 * (sonde-execution-updates.c) */
void sonde_execution_exchange_updates (SondeExecution *execution);
/* A run begins: where its updates are made. */
void sonde_execution_place_updates (SondeExecution *execution);
/* Updates that this run has still to make leave alone what they replace. Where there is no memory
 * for that they are made in place, which can be asked for below. */
void sonde_execution_keep_old (SondeExecution *execution);
/* Whether the weight @slot is not what this run began with, or the last one did, and that is
 * nowhere: it was updated in place. */
gboolean sonde_execution_has_lost (const SondeExecution *execution, guint slot);
gboolean sonde_execution_has_lost_any (const SondeExecution *execution);

/* All memory of a new execution; what it gave back when it came to rest. Errors: MEMORY.
 * (sonde-execution-memory.c) */
gboolean sonde_execution_allocate (SondeExecution *execution, GError **error);
gboolean sonde_execution_wake (SondeExecution *execution, GError **error);

G_END_DECLS
