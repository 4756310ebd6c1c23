/* SPDX-License-Identifier: Apache-2.0
 * Memory of values whose sizes are known only in the run, counted while a log records: who holds which buffer, and
 * how much that was at most in each step that allocates. A buffer that several hold counts once. A run that
 * pauses is not counted to its end. Of runs that are so short that counting would be felt, the first ones are
 * counted and then one in some tens.
 *
 * Everything here returns at once while nobody wants to know. */
#pragma once

#include "engine/plan/execution/sonde-execution-state.h"
#include "engine/plan/sonde-run-notes.h"

G_BEGIN_DECLS

/**
 * SondeRunMemory: of an outermost execution
 * @active: the present run is counted; @was_wanted: so was the one before
 * @constants: set of SondeBuffer: of the graph, which are there anyway
 * @holders: SondeBuffer, or SondeValue of several -> how often it is held, and its bytes
 * @live: bytes of what is held; @most: at most, in this run of the plan or body; @step_most: in this step
 * @n_counts: counts that began
 * @last_list: (nullable): the value of several that was taken last, if it is still held
 * @best: (nullable): notes of the run that took most
 * @n_runs: since somebody wants to know; @began_ns, @took_ns: the run that was counted last
 */
struct _SondeRunMemory
{
  gboolean active, was_wanted;
  GHashTable *constants, *holders;
  guint64 live, most, step_most;
  guint n_counts;
  const SondeValue *last_list;
  SondeRunNotes *best;
  guint64 n_runs;
  gint64 began_ns, took_ns;
};

/* What counts @execution's run now; NULL: nobody. */
static inline SondeRunMemory *
sonde_run_memory_get (const SondeExecution *execution)
{
  SondeRunMemory *memory = execution->root->run_memory;

  return G_UNLIKELY (memory != NULL) && memory->active ? memory : NULL;
}

/* A run of the outermost execution begins, boxes of the last one are gone; it has ended. */
void sonde_run_memory_begin (SondeExecution *execution);
void sonde_run_memory_end (SondeExecution *execution, gboolean done);
void sonde_run_memory_free (SondeRunMemory *memory); /* (nullable) */

/* ---- @memory may be NULL ------------------------------------------------------- */

/* Somebody holds @value (nullable), and does not any more: before it lets go. Returns: the bytes that were held by
 * nobody before */
guint64 sonde_run_memory_take (SondeRunMemory *memory, const SondeValue *value);
void sonde_run_memory_give_back (SondeRunMemory *memory, const SondeValue *value);
/* All boxes of @execution: it is let go. */
void sonde_run_memory_give_back_boxes (SondeExecution *execution);
/* Bytes that are no tensor's: taken, given back. */
void sonde_run_memory_add (SondeRunMemory *memory, gint64 bytes);
/* So much more is there for a moment. */
void sonde_run_memory_touch (SondeRunMemory *memory, guint64 bytes);
/* What @value (nullable) holds and none did that was asked for since the count began. */
void sonde_run_memory_begin_count (SondeRunMemory *memory);
guint64 sonde_run_memory_count (const SondeRunMemory *memory, const SondeValue *value);

/* ---- steps and bodies ---------------------------------------------------------- */

/* A step begins to allocate, or to store its results. */
static inline void
sonde_run_memory_mark (SondeRunMemory *memory)
{
  if (memory != NULL)
    memory->step_most = memory->live;
}

/* Step @index has filled the boxes of its results. */
void sonde_run_memory_end_step (SondeRunMemory *memory, SondeExecution *execution, guint index);
/* What it held beside them is gone: what they share with its @body (nullable), which ran last, is theirs now. */
void sonde_run_memory_settle_step (SondeRunMemory *memory, SondeExecution *execution, guint index,
                                   const SondeExecution *body);
/* A body begins, boxes of its last run are gone; it has ended, of step @step of its parent. Returns: whether no
 * run of that before took as much. */
void sonde_run_memory_begin_body (SondeRunMemory *memory, SondeExecution *body);
gboolean sonde_run_memory_end_body (SondeRunMemory *memory, SondeExecution *body, guint step);

G_END_DECLS
