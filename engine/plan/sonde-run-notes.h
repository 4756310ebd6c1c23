/* SPDX-License-Identifier: Apache-2.0
 * What a run took of memory that no plan knows before: values whose sizes are known only in the run, what its
 * bodies carry and collect. Noted while a log records (sonde_execution_set_spans()), by the steps that
 * allocate in the run alone. */
#pragma once

#include "engine/plan/sonde-execution.h"

G_BEGIN_DECLS

typedef struct _SondeRunNotes SondeRunNotes;

/**
 * SondeBodyNotes: the runs of a body by one run of its node
 * @name: of the body: "then_branch", "else_branch", "body"
 * @n_runs: how many there were; 0: none, and nothing of the rest is set
 * @shown, @run: number of the one that took most, from 0, and what it took
 * @least, @most: bytes of such values, of the whole execution, at most in each run
 * @carried: what goes from run to run, when @shown begins, beside what the node was given
 * @collected_before: results that are collected, when @shown begins; @collected: when the last has ended
 */
typedef struct
{
  const char *name;
  guint64 n_runs, shown, least, most;
  SondeRunNotes *run;
  guint64 carried, collected_before, collected;
} SondeBodyNotes;

/**
 * SondeRunNotes: one run of a plan
 * @plan: referenced
 * @most: bytes of such values at most
 * @slot_bytes: by slot: the memory that its value brought; 0: none of its own
 * @held_bytes: of a body: by slot: what is still there when its node has ended, and until it runs again;
 *   @left_bytes: beside the results of the node
 * @step_bytes: by step: the most that lives while it runs, of the whole execution; 0: of steps that allocate
 *   nothing
 * @bodies: by step: (nullable)
 */
struct _SondeRunNotes
{
  SondePlan *plan;
  guint64 most;
  guint64 *slot_bytes, *held_bytes, *left_bytes, *step_bytes;
  SondeBodyNotes **bodies;
};

SondeRunNotes *sonde_run_notes_new (SondePlan *plan);
void sonde_run_notes_free (SondeRunNotes *notes); /* (nullable) */
/* As new. */
void sonde_run_notes_reset (SondeRunNotes *notes);
/* Those of step @step, made when they are first needed. */
SondeBodyNotes *sonde_run_notes_get_body (SondeRunNotes *notes, guint step);

/* Of the recorded run that took most since the recording began; NULL: none, or it has no such values. Valid
 * until it runs again. */
const SondeRunNotes *sonde_execution_get_run_notes (SondeExecution *execution);

/* The executions of bodies that are kept from run to run, not those inside them: what they are planned to take is
 * allocated all the time. */
void sonde_execution_foreach_body (SondeExecution *execution,
                                   void (*visit) (SondeExecution *body, gpointer data),
                                   gpointer data);
/* What it keeps beside what is planned: scratch, constants in layouts of kernels that were chosen in the run. */
guint64 sonde_execution_get_kept_bytes (SondeExecution *execution);

G_END_DECLS
