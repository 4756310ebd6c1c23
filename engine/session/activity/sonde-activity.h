/* SPDX-License-Identifier: Apache-2.0
 * What the engine's debugger debugs in a session: an inference, a training, the steps of a dump. The
 * program (app/worker) makes them; the session drives them. */
#pragma once

#include "data/base/sonde-span-log.h"
#include "engine/debug/sonde-reverse-execution.h"
#include "engine/session/server/sonde-session-host.h"

G_BEGIN_DECLS

typedef struct _SondeActivityClass SondeActivityClass;

/**
 * SondeActivityClass: every entry is required unless said otherwise. All are called on the engine
 * thread but @interrupt.
 * @run: starts, or goes on after PAUSED; see sonde_execution_run() and sonde_trainer_run(). After
 *   DONE, STOPPED or FAILED it is not called again before @restart.
 * @interrupt: any thread: @run returns PAUSED before the next step of the plan. An interrupt that
 *   comes between two runs of a training may be late: the server sees to it that the next run
 *   pauses.
 * @get_execution: the one that runs or ran last
 * @add_observer, @remove_observer, @refresh_observers: on all its executions, also those that come
 *   later (sonde_trainer_add_observer() and so on); optional where @get_execution is the only one
 *   there is: it is the default
 * @list_callers: (optional): of something that ran elsewhere: the lines of the program that called
 *   @node, from the innermost outwards, as frames. (element-type SondeFrame) (transfer full)
 * @get_graph: executed graph; @get_original: (optional, NULL result possible): as the user wrote it
 * @get_facts: fills all of @facts; the strings stay the activity's
 * @restart: (optional; default: the server says that it is not possible): back to the position
 *   before the first step, ready for @run; called when paused or over
 * @complete_step: (optional): called when paused, before a @finish that was asked for with
 *   sonde_session_server_quit(): runs the rest of the step in which it stands, without pausing.
 *   Errors: of the step
 * @finish: (optional): the session ends before the activity did: write what must not be lost
 *   (checkpoint, end of the record file), of a step that was done to its end. Called when paused;
 *   nothing runs afterwards. FALSE with @error when something was lost.
 * @adopt: (optional; without it nodes are not changed and branches not gone back to): @execution
 *   runs from here on instead of the one of @get_execution; its graph came of @original. Both are
 *   lent, until another is adopted or the activity freed; observers have been moved already
 * @set_model: (optional; in place of @adopt, of a training): from the beginning of the present step
 *   on, @model is what runs: the original with nodes changed. Executions of before live on. Errors,
 *   with nothing changed: what does not fit
 * @note_change: (optional): somebody changed the run: kept with what it records, so that it can be
 * seen later
 * @note_lost: (optional): the debugger that held the run was lost, @message says what became of that:
 * kept with what it records
 * @history: (optional; default: only the present run can be gone back in): static; called with the
 * activity
 * @keep_history: (optional): somebody may want to go back from here on, or nobody any more
 * @save_batch: (optional): writes inputs and labels of training step @step, as arrays by name, to
 *   @path; (nullable): a file of its own choice. Returns: (transfer full): the path
 * @get_stops: (optional; default none): breakpoints and watches that came with what was opened:
 * whoever opened it sets them. (element-type SondeCaptureStop) (transfer none) (nullable)
 * @get_spans: (optional; without it no profile can be recorded): where steps are measured while
 * somebody wants it; it lives as long as the activity
 * @keep_profile: (optional; without it recordings are not kept): writes the recording of @get_spans, which is stopped and
 *   has a step: a training into its own run, anything else into @folder (absolute, or "" where none was
 *   named), which becomes one. Returns: (transfer full): that run's folder, absolute
 * @settle_profile: (optional): a recording has been stopped, or another one is about to begin: what has a run of its own
 *   writes the one that has ended there, unless it is there already
 * @free: required
 */
struct _SondeActivityClass
{
  SondeRunResult (*run) (SondeActivity *activity, GError **error);
  void (*interrupt) (SondeActivity *activity);
  SondeExecution *(*get_execution) (SondeActivity *activity);
  void (*add_observer) (SondeActivity *activity, SondeObserver *observer);
  void (*remove_observer) (SondeActivity *activity, SondeObserver *observer);
  void (*refresh_observers) (SondeActivity *activity);
  GPtrArray *(*list_callers) (SondeActivity *activity, const char *node);
  SondeGraph *(*get_graph) (SondeActivity *activity);
  SondeGraph *(*get_original) (SondeActivity *activity);
  void (*get_facts) (SondeActivity *activity, SondeSessionFacts *facts);
  gboolean (*restart) (SondeActivity *activity, GError **error);
  gboolean (*complete_step) (SondeActivity *activity, GError **error);
  gboolean (*finish) (SondeActivity *activity, GError **error);
  void (*adopt) (SondeActivity *activity, SondeExecution *execution, SondeGraph *original);
  gboolean (*set_model) (SondeActivity *activity, SondeGraph *model, GError **error);
  void (*note_change) (SondeActivity *activity, const SondeMessage *message);
  void (*note_lost) (SondeActivity *activity, const SondeMessage *message);
  const SondeDebuggerHistory *history;
  void (*keep_history) (SondeActivity *activity, gboolean keep);
  char *(*save_batch) (SondeActivity *activity, guint64 step, const char *path, GError **error);
  const GPtrArray *(*get_stops) (SondeActivity *activity);
  SondeSpanLog *(*get_spans) (SondeActivity *activity);
  char *(*keep_profile) (SondeActivity *activity, const char *folder, GError **error);
  void (*settle_profile) (SondeActivity *activity);
  void (*free) (SondeActivity *activity);
};

/* First member of every activity. */
struct _SondeActivity
{
  const SondeActivityClass *klass;
};

G_END_DECLS
