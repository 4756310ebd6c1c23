/* SPDX-License-Identifier: Apache-2.0
 * The state of a session as values: what it is in, what runs, how it ended. */
#pragma once

#include "engine/types/sonde-stop.h"

G_BEGIN_DECLS

typedef enum
{
  SONDE_SESSION_EMPTY,   /* nothing was opened */
  SONDE_SESSION_LOADING, /* something is being opened */
  SONDE_SESSION_READY,   /* opened, before the first step; nothing has run */
  SONDE_SESSION_RUNNING,
  SONDE_SESSION_PAUSED,
  SONDE_SESSION_ENDED, /* values of an inference, parameters of a training can be asked for */
} SondeSessionState;

const char *sonde_session_state_name (SondeSessionState state); /* "empty", "loading", … */

/* What an activity is. */
typedef enum
{
  SONDE_ACTIVITY_INFERENCE, /* one run; ended, it stays with all values until quit */
  SONDE_ACTIVITY_TRAINING,  /* run after run; after the end parameters can be read */
  /* nothing runs: what was recorded of steps that ran is looked at, one after the other */
  SONDE_ACTIVITY_DUMP,
  /* somebody else's loop in PyTorch: the engine's server stands in it, its nodes are not ours */
  SONDE_ACTIVITY_PYTORCH,
} SondeActivityKind;

/* "inference", "training", "dump", "pytorch" */
const char *sonde_activity_kind_name (SondeActivityKind kind);
/* It goes from step to step, and each is a run of the graph. */
gboolean sonde_activity_kind_has_steps (SondeActivityKind kind);

/**
 * SondeSessionFacts: what can be said of an activity in numbers; strings are owned, but those that
 * an activity fills in are its own (SondeActivityClass.get_facts)
 * @kind: inference or training
 * @title: (nullable): what it runs, as "lenet · glyphs" or "x.onnx"; does not change
 * @run_directory: (nullable): where it records, in a status absolute; does not change
 * @step: number of the training step that runs or ran last, as the records count it; 1 in inference
 * @steps_before: steps that were not counted, as nobody looked: of a loop that is not ours; -1: not
 * known
 * @total_steps: 0 when it is not known
 * @epoch, @n_epochs: from 1; 0 when there is none
 * @measured: a step has finished; FALSE: nobody knows a loss yet
 * @loss, @accuracy, @learning_rate: of the last finished step; NaN when there is none, or no
 * accuracy
 * @samples_per_second: NaN when it is not known
 */
typedef struct
{
  SondeActivityKind kind;
  char *title;
  char *run_directory;
  guint64 step, total_steps;
  gint64 steps_before;
  guint64 epoch, n_epochs;
  gboolean measured;
  double loss, accuracy, learning_rate, samples_per_second;
} SondeSessionFacts;

/* How an activity ended. */
typedef enum
{
  SONDE_SESSION_DONE,    /* to its end */
  SONDE_SESSION_STOPPED, /* by a limit of its own, or because the session ended before it did */
  SONDE_SESSION_FAILED,
} SondeSessionResult;

const char *sonde_session_result_name (SondeSessionResult result); /* "done", "stopped", "failed" */

/**
 * SondeSessionEnd:
 * @message: (nullable): of a failure; owned
 */
typedef struct
{
  SondeSessionResult result;
  SondeMessage *message;
} SondeSessionEnd;

/**
 * SondeSessionStatus: everything about the state at once; strings are owned
 * @in_control: this client may resume, change breakpoints and quit
 * @has_controller: some client is in control
 * @stop: position while READY, PAUSED or ENDED; else what it was last
 * @end: valid when ENDED
 * @facts: of the last report while RUNNING
 * @branch: in which branch it is, from 1
 */
typedef struct
{
  SondeSessionState state;
  gboolean in_control;
  gboolean has_controller;
  int pid;
  SondeStop stop;
  SondeSessionEnd end;
  SondeSessionFacts facts;
  guint branch;
} SondeSessionStatus;

SondeSessionStatus *sonde_session_status_copy (const SondeSessionStatus *status);
void sonde_session_status_free (SondeSessionStatus *status);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SondeSessionStatus, sonde_session_status_free)

G_END_DECLS
