/* SPDX-License-Identifier: Apache-2.0
 * How a run goes on: counting executed steps, over scopes and bodies, into them, out of them.
 * Breakpoints are not looked at here. */
#pragma once

#include "engine/debug/run/sonde-stop-record.h"
#include "engine/debug/run/sonde-until.h"

G_BEGIN_DECLS

/**
 * SondeStepper: embedded in the debugger; begin with sonde_stepper_init()
 * @going: between resume and stop
 * @executed: steps of the present frame executed since the resume
 * @depth: of the present frame; those inside it do not count; @out_depth: of the one that OUT
 * leaves, or whose scope
 * @over: (nullable): of NEXT and OUT: scope to be run over; owned; @is_over: it counts
 */
typedef struct
{
  const SondeDebuggee *debuggee;
  const SondeStopRecord *record;
  SondeUntil until;
  gboolean going;
  SondeResume resume;
  guint64 executed;
  guint depth, out_depth;
  char *over;
  gboolean is_over;
} SondeStepper;

void sonde_stepper_init (SondeStepper *stepper, const SondeDebuggee *debuggee,
                         const SondeStopRecord *record, SondeLocationIndex *locations);
/* It does not go on any more. */
void sonde_stepper_forget (SondeStepper *stepper);

/**
 * SondeInside: where a resume goes that runs nothing: inside the step at @position of @execution
 * @node: number of the node of a fused step; @entered: (nullable) (transfer full): or the scope of
 * the function that is gone into
 */
typedef struct
{
  SondeExecution *execution;
  guint position, node;
  char *entered;
} SondeInside;

/* TRUE: @resume is done by standing there. Else takes from its count what was done. */
gboolean sonde_stepper_go_inside (const SondeStepper *stepper, SondeResume *resume,
                                  SondeInside *inside);

/* Says how the run is to go on; nothing is set when it fails. @behind: see sonde_until_parse();
 * where it is set nothing goes. Errors: STATE, INVALID, NOT_FOUND */
gboolean sonde_stepper_start (SondeStepper *stepper, const SondeResume *resume, guint64 *behind,
                              GError **error);

/* What it wants of @step. */
guint sonde_stepper_wants (SondeStepper *stepper, SondeExecution *execution, guint step);
/* @step was executed; a run ended. */
void sonde_stepper_count_executed (SondeStepper *stepper, SondeExecution *execution);
void sonde_stepper_count_run (SondeStepper *stepper);
/* Whether the run is to stop BEFORE @step; reason NONE: no. */
SondeStopReason sonde_stepper_reason_before (SondeStepper *stepper, SondeExecution *execution,
                                             guint step);

/* It goes from step to step, or comes to the next one by its number: then prev() of anything may be
 * asked for. */
gboolean sonde_stepper_enters (const SondeStepper *stepper);

G_END_DECLS
