/* SPDX-License-Identifier: Apache-2.0
 * The observer table: how anything outside the engine looks at a run. The engine defines it and
 * calls it; it never learns who listens. Asking "do you want this step?" comes first and once, so
 * that nobody listening costs one flag test a step. */
#pragma once

#include "data/values/sonde-statistics.h"
#include "engine/plan/sonde-plan.h"

G_BEGIN_DECLS

typedef struct _SondeExecution SondeExecution;
typedef struct _SondeObserver SondeObserver;

/* What an observer wants of a step. */
typedef enum
{
  SONDE_WANT_NOTHING = 0,
  SONDE_WANT_BEFORE = 1 << 0,
  SONDE_WANT_AFTER = 1 << 1,
} SondeWant;

/* What is to happen next. Of several observers' answers the strongest counts: stop, pause,
 * continue. */
typedef enum
{
  SONDE_ANSWER_CONTINUE,
  SONDE_ANSWER_PAUSE, /* sonde_execution_run() returns SONDE_RUN_PAUSED at this very position */
  SONDE_ANSWER_STOP,  /* … returns SONDE_RUN_STOPPED; the run is over */
} SondeAnswer;

/**
 * SondeObserver: embedded as first member of its owner's struct
 * @wants: required; asked for every step when the observer is attached and after
 *   sonde_execution_refresh_observers(): a set of SondeWant
 * @before: (optional): the step's inputs are there, its outputs are not
 * @after: (optional): its outputs are there
 * @run_begins: (optional): inputs are set, before the first step
 * @run_ends: (optional): after the last step, before updated parameters take the place of the old;
 *   every pinned value can be read. Not called for a stopped run.
 *
 * @nested: the observer also wants the runs of subgraphs (If, Loop, Scan): @wants, @before and
 *   @after are then called with the execution of the subgraph, too, whose steps are those of its
 *   own plan; sonde_execution_get_parent() tells it from the outermost. One that leaves it FALSE
 *   never sees such an execution
 * @without_old: the observer reads no parameter behind its update, nor anything that has to be
 *   computed again: while only such observers want steps, updates may be made in place
 *   (sonde-execution.h)
 * @body_begins, @body_ends: (optional): with @nested: around each run of a subgraph: of each
 * iteration
 *
 * Called on the thread that runs the graph, no lock held. An observer may read values
 * (sonde_execution_read()); it may not change the graph.
 */
struct _SondeObserver
{
  guint (*wants) (SondeObserver *observer, SondeExecution *execution, guint step);
  SondeAnswer (*before) (SondeObserver *observer, SondeExecution *execution, guint step);
  SondeAnswer (*after) (SondeObserver *observer, SondeExecution *execution, guint step);
  SondeAnswer (*run_begins) (SondeObserver *observer, SondeExecution *execution);
  SondeAnswer (*run_ends) (SondeObserver *observer, SondeExecution *execution);
  gboolean nested;
  gboolean without_old;
  SondeAnswer (*body_begins) (SondeObserver *observer, SondeExecution *execution);
  SondeAnswer (*body_ends) (SondeObserver *observer, SondeExecution *execution);
};

G_END_DECLS
