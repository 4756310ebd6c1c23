/* SPDX-License-Identifier: Apache-2.0
 * Where a run stands: the stop, what stopped there, which frame is selected, and whether it was
 * gone into a fused step or a function. */
#pragma once

#include "engine/debug/run/sonde-debuggee.h"

G_BEGIN_DECLS

#define SONDE_NO_POSITION G_MAXUINT

/**
 * SondeStopRecord: embedded in the debugger
 * @stop, @node, @op, @scope: the last stop; names are copies, as plans may come and go
 * @hits: (element-type guint): ids of breakpoints that stopped it
 * @condition_error: (nullable): of the stop
 * @iterations: (element-type guint64): of the stop that was asked for last
 * @evaluated, @evaluated_in, @evaluated_pass: position whose breakpoints have been looked at in
 * this run: not a second time
 * @stopped_in_run: it stopped since the run began
 * @group_node: of the fused step at the present position: number of the node that is next; @in_group: it
 * was gone into
 * @entered: (nullable): scope of a function that was gone into at the present position
 * @selected: frame
 */
typedef struct
{
  SondeStop stop;
  char *node, *op, *scope;
  GArray *hits;
  SondeMessage *condition_error;
  GArray *iterations;
  guint evaluated;
  const SondeExecution *evaluated_in;
  guint64 evaluated_pass;
  gboolean stopped_in_run;
  gboolean in_group;
  guint group_node;
  char *entered;
  guint selected;
} SondeStopRecord;

void sonde_stop_record_init (SondeStopRecord *record);
void sonde_stop_record_clear (SondeStopRecord *record);

gboolean sonde_stop_record_has_stopped (const SondeStopRecord *record);

/* The run stops @moment @step of @execution; @node: (nullable): what the user named, if a name
 * brought it there; @number: of the training step. */
void sonde_stop_record_set (SondeStopRecord *record, SondeExecution *execution, guint step,
                            SondeMoment moment, const SondeNode *node, SondeStopReason reason,
                            guint64 number);
/* It stands before node @n of the fused step there. */
void sonde_stop_record_enter_group (SondeStopRecord *record, guint n);
/* The stop is over; where it was looked at from is forgotten with sonde_stop_record_leave(). */
void sonde_stop_record_forget (SondeStopRecord *record);
void sonde_stop_record_leave (SondeStopRecord *record);

/* The breakpoints of a position have been looked at; @execution: (nullable) */
void sonde_stop_record_set_evaluated (SondeStopRecord *record, const SondeExecution *execution,
                                      guint position);
/* The same position of the next iteration is another one. */
gboolean sonde_stop_record_is_evaluated (const SondeStopRecord *record,
                                         const SondeExecution *execution, guint position);

/* The present place; strings are lent by @record and the plan. Watch hits are not filled. */
void sonde_stop_record_get (SondeStopRecord *record, const SondeDebuggee *debuggee,
                            SondeStop *stop);

/* Number of its step. */
guint64 sonde_stop_record_get_step (const SondeStopRecord *record, const SondeDebuggee *debuggee);

G_END_DECLS
