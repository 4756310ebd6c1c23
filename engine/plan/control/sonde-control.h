/* SPDX-License-Identifier: Apache-2.0
 * Running If, Loop and Scan: which body runs, with what, how often. A run may pause in a body and
 * go on there. */
#pragma once

#include "engine/plan/control/sonde-body.h"
#include "engine/plan/sonde-stack.h"

G_BEGIN_DECLS

/* What one control step keeps: bodies from run to run, the rest within one. */
typedef struct _SondeControl SondeControl;

/**
 * SondeControl:
 * @bodies: (element-type SondeBody): as the attributes stand in the node
 * @epoch: number of this run of the step
 * @active: a run has begun; @inside: a body has, and has not ended
 * @current: the execution of the body that runs or ran last
 * @carried: values from iteration to iteration, owned
 * @stacks: of scan outputs
 * @held: bytes of sequences that grew, taken from the budget
 * @counted: bytes of @stacks and @gathered that the run was told of; @carried_before, @collected_before: as of
 * SondeBodyNotes, of the run of the body; @live_before: what lived without them when the first body began
 * @length: iterations at most
 * @batch: of BatchScan: which entry of the batch runs; @gathered: (element-type SondeStack):
 * results of those done
 * @silent: runs beside: nobody is told and nobody interrupts
 */
struct _SondeControl
{
  GPtrArray *bodies;
  guint64 epoch;
  gboolean active, inside, silent;
  SondeExecution *current;
  gint64 iteration, length;
  gboolean condition;
  guint n_carried, n_stacks;
  SondeValue **carried;
  SondeStack **stacks;
  gsize held;
  guint64 counted, carried_before, collected_before, live_before;
  gint64 batch;
  GPtrArray *gathered;
};

SondeControl *sonde_control_new (const SondePlanStep *step);
void sonde_control_free (SondeControl *control);

/* Gives up a run that paused. */
void sonde_control_reset (SondeControl *control, SondeExecution *execution);

/* ---- inside: sonde-control.c, -if.c, -loop.c, -scan.c, -memory.c ---------- */

SondeRunResult sonde_control_run_if (SondeControl *control, SondeDeferredRun *run, GError **error);
SondeRunResult sonde_control_run_loop (SondeControl *control, SondeDeferredRun *run,
                                       GError **error);
SondeRunResult sonde_control_run_scan (SondeControl *control, SondeDeferredRun *run,
                                       GError **error);
SondeRunResult sonde_control_run_batch_scan (SondeControl *control, SondeDeferredRun *run,
                                             GError **error);

/* Body number @index with @inputs, or on with the one that paused. */
SondeRunResult sonde_control_run_body (SondeControl *control, SondeDeferredRun *run, guint index,
                                       SondeValue *const *inputs, guint n_inputs, GError **error);
/* Whether the run is interrupted between two iterations: of a body without steps only, as others
 * are interrupted before their first step, where more can be seen. */
gboolean sonde_control_take_interrupt (SondeControl *control, SondeDeferredRun *run);
/* Room for what is carried and collected in this run. @expected: iterations, where they are known;
 * -1 */
void sonde_control_begin (SondeControl *control, SondeDeferredRun *run, guint n_carried,
                          guint n_stacks, gint64 expected);
/* The run is told what is carried at first. */
void sonde_control_count_carried (SondeControl *control, const SondeDeferredRun *run);
/* The same of what is collected, since the last time. */
void sonde_control_count_stacks (SondeControl *control, const SondeDeferredRun *run);
/* What is carried and collected is about to go. */
void sonde_control_forget_memory (SondeControl *control, SondeExecution *execution);
/* A body is about to begin. */
void sonde_control_begin_body (SondeControl *control, const SondeDeferredRun *run);
/* A body has ended and its results are taken over. */
void sonde_control_end_body (SondeControl *control, const SondeDeferredRun *run);
/* All bodies have, and the results are about to be stored. */
void sonde_control_begin_results (SondeControl *control, const SondeDeferredRun *run);
/* Takes over results @first … of the body: carried ones, then those to be collected. */
gboolean sonde_control_collect (SondeControl *control, SondeDeferredRun *run, guint first,
                                GError **error);
/* Puts carried value @k into output @k of the node. */
gboolean sonde_control_store_carried (SondeControl *control, SondeDeferredRun *run, guint k,
                                      GError **error);
/* Stack @k as tensor; without an iteration an empty one of the body's result @result. */
SondeTensor *sonde_control_finish_stack (SondeControl *control, SondeStack *stack, guint result,
                                         gint64 axis, gboolean reverse, GError **error);

G_END_DECLS
