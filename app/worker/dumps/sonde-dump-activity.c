/* SPDX-License-Identifier: Apache-2.0
 * Each iteration is a run of one step whose values are recorded ones: they are read from their
 * files when somebody asks, so that watches, expressions and going back are the same code as for
 * what runs. Iterations with the same values share a plan and its execution. */
#include "app/worker/dumps/sonde-dump-activity.h"

#include <math.h>
#include <string.h>

#include "app/worker/dumps/sonde-dump-replay.h"
#include "data/base/sonde-error.h"

/**
 * @source: owned
 * @aside, @earlier: (nullable): the iteration that is looked at elsewhere, and what prev() is read
 * from
 * @retired: (nullable): somebody may still hold it until the next run begins
 */
typedef struct
{
  SondeActivity base;
  SondeDumpSource *source;
  SondeDevice *device;
  char *title;
  SondeDumpReplay *present, *aside, *earlier;
  SondeExecution *retired;
  gboolean over;
} DumpActivity;

static DumpActivity *
self_of (gpointer activity)
{
  return activity;
}

static guint
count_iterations (DumpActivity *self)
{
  return self->source->klass->get_n_iterations (self->source);
}

static guint64
step_of (DumpActivity *self, guint index)
{
  return (guint64) self->source->klass->get_iteration (self->source, index) + 1;
}

/* The first iteration that is not before @step; how many there are where all are. */
static guint
index_of (DumpActivity *self, guint64 step)
{
  guint low = 0, high = count_iterations (self);

  while (low < high)
    {
      guint middle = low + (high - low) / 2;

      if (step_of (self, middle) < step)
        low = middle + 1;
      else
        high = middle;
    }
  return low;
}

/* ---- going through them -------------------------------------------------- */

/* The present iteration is @index from here on; nothing of it has run. */
static gboolean
go_to (DumpActivity *self, guint index, GError **error)
{
  SondeDumpReplay *old = self->present,
                  *iteration
                  = sonde_dump_replay_new (self->source, self->device, index, old, error);
  gboolean shares = iteration != NULL && old != NULL && iteration->plan == old->plan;

  if (iteration == NULL)
    return FALSE;
  if (old != NULL)
    sonde_execution_abandon (old->execution);
  if (!sonde_dump_replay_begin (iteration, shares ? old->execution : NULL, error))
    {
      iteration->execution = shares ? NULL : iteration->execution;
      sonde_dump_replay_free (iteration);
      return FALSE;
    }
  if (old != NULL && !shares)
    {
      sonde_execution_move_observers (iteration->execution, old->execution);
      sonde_execution_set_records (old->execution, NULL, NULL);
      g_clear_pointer (&self->retired, sonde_execution_free);
      self->retired = old->execution;
    }
  if (old != NULL)
    old->execution = NULL;
  sonde_dump_replay_free (old);
  self->present = iteration;
  self->over = FALSE;
  return TRUE;
}

static SondeRunResult
activity_run (SondeActivity *activity, GError **error)
{
  DumpActivity *self = self_of (activity);

  while (TRUE)
    {
      SondeRunResult result = sonde_execution_run (self->present->execution, error);

      if (result != SONDE_RUN_DONE)
        return result;
      self->over = self->present->index + 1 == count_iterations (self);
      if (self->over)
        return SONDE_RUN_DONE;
      if (!go_to (self, self->present->index + 1, error))
        return SONDE_RUN_FAILED;
    }
}

static void
activity_interrupt (SondeActivity *activity)
{
  sonde_execution_interrupt (self_of (activity)->present->execution);
}

static SondeExecution *
activity_get_execution (SondeActivity *activity)
{
  return self_of (activity)->present->execution;
}

static SondeGraph *
activity_get_graph (SondeActivity *activity)
{
  return sonde_plan_get_graph (self_of (activity)->present->plan);
}

static void
activity_get_facts (SondeActivity *activity, SondeSessionFacts *facts)
{
  DumpActivity *self = self_of (activity);

  memset (facts, 0, sizeof *facts);
  facts->kind = SONDE_ACTIVITY_DUMP;
  facts->title = self->title;
  facts->step = step_of (self, self->present->index);
  facts->total_steps = step_of (self, count_iterations (self) - 1);
  facts->loss = facts->accuracy = facts->learning_rate = facts->samples_per_second = NAN;
}

static GPtrArray *
activity_list_callers (SondeActivity *activity, const char *node)
{
  DumpActivity *self = self_of (activity);

  if (self->source->klass->list_frames == NULL)
    return g_ptr_array_new ();
  return self->source->klass->list_frames (self->source, self->present->listing, node);
}

static gboolean
activity_restart (SondeActivity *activity, GError **error)
{
  return go_to (self_of (activity), 0, error);
}

static void
activity_free (SondeActivity *activity)
{
  DumpActivity *self = self_of (activity);

  sonde_dump_replay_free (self->present);
  sonde_dump_replay_free (self->aside);
  sonde_dump_replay_free (self->earlier);
  g_clear_pointer (&self->retired, sonde_execution_free);
  g_clear_pointer (&self->device, sonde_device_unref);
  if (self->source != NULL)
    self->source->klass->free (self->source);
  g_free (self->title);
  g_free (self);
}

/* ---- back, and beside ---------------------------------------------------- */

static guint64
get_run (gpointer data)
{
  DumpActivity *self = self_of (data);

  return self->present->index + (self->over ? 1 : 0);
}

static guint64
find_run (gpointer data, guint64 step)
{
  return index_of (self_of (data), step);
}

static gboolean
get_first (gpointer data, guint64 *run)
{
  *run = 0;
  return TRUE;
}

static gboolean
restore (gpointer data, guint64 run, guint64 *restored, GError **error)
{
  DumpActivity *self = self_of (data);
  guint last = count_iterations (self) - 1;

  *restored = MIN (run, last);
  return go_to (self, (guint) *restored, error);
}

static SondeRunResult
run (gpointer data, GError **error)
{
  return activity_run (data, error);
}

/* @kept: the iteration that was read there last */
static SondeExecution *
open_beside (DumpActivity *self, guint index, SondeDumpReplay **kept, GError **error)
{
  g_autoptr (SondeDumpReplay) iteration = NULL;

  if (index == self->present->index)
    return self->present->execution;
  if (*kept != NULL && (*kept)->index == index)
    return (*kept)->execution;
  iteration = sonde_dump_replay_new (self->source, self->device, index, self->present, error);
  if (iteration == NULL || !sonde_dump_replay_begin (iteration, NULL, error))
    return NULL;
  sonde_dump_replay_free (*kept);
  *kept = g_steal_pointer (&iteration);
  return (*kept)->execution;
}

static SondeExecution *
look_at (gpointer data, guint64 step, GError **error)
{
  DumpActivity *self = self_of (data);
  guint index = index_of (self, step), n = count_iterations (self);

  if (index < n && step_of (self, index) == step)
    return open_beside (self, index, &self->aside, error);
  sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_NOT_FOUND,
                   "The dump has no step %" PRIu64 " (iteration %" PRIi64
                   "); it has %u, from step %" PRIu64 " to %" PRIu64 ".",
                   step, (gint64) step - 1, n, step_of (self, 0), step_of (self, n - 1));
  return NULL;
}

static SondeTensor *
read_before (gpointer data, guint64 step, const char *name, GError **error)
{
  DumpActivity *self = self_of (data);
  guint index = index_of (self, step);
  SondeExecution *execution;
  SondeGraphValue *value;
  SondeGraph *graph;
  SondeNode *node;

  if (index == 0)
    {
      sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_STATE,
                       "“%s” has no previous value: step %" PRIu64 " is the first of the dump.",
                       name, step);
      return NULL;
    }
  execution = open_beside (self, index - 1, &self->earlier, error);
  if (execution == NULL)
    return NULL;
  graph = sonde_plan_get_graph (sonde_execution_get_plan (execution));
  value = sonde_graph_find_value (graph, name);
  node = value == NULL ? sonde_graph_find_node (graph, name) : NULL;
  if (node != NULL)
    value = sonde_node_get_output (node, 0);
  if (value != NULL)
    return sonde_execution_read (execution, value, error);
  sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_NOT_FOUND,
                   "“%s” was not dumped in iteration %" PRIi64 ".", name,
                   self->source->klass->get_iteration (self->source, index - 1));
  return NULL;
}

static const SondeDebuggerHistory history = {
  .get_run = get_run,
  .find_run = find_run,
  .get_first = get_first,
  .restore = restore,
  .run = run,
  .read_before = read_before,
  .look_at = look_at,
};

static const SondeActivityClass dump_activity = {
  .run = activity_run,
  .interrupt = activity_interrupt,
  .get_execution = activity_get_execution,
  .list_callers = activity_list_callers,
  .get_graph = activity_get_graph,
  .get_facts = activity_get_facts,
  .restart = activity_restart,
  .history = &history,
  .free = activity_free,
};

/* ---- opening ------------------------------------------------------------- */

static char *
make_title (DumpActivity *self, const char *path)
{
  const char *const *others = self->source->klass->get_others (self->source);
  g_autofree char *whole = g_canonicalize_filename (path, NULL),
                  *base = g_path_get_basename (whole);
  g_autofree char *list = g_strjoinv (", ", (char **) others);

  return g_strdup_printf ("%s: %s%s%s%s", base, self->source->klass->get_name (self->source),
                          *others != NULL ? " (+ " : "", list, *others != NULL ? ")" : "");
}

/* A folder that msprobe dumped into, else one of MindSpore. */
static SondeDumpSource *
open_source (const SondeOpenRequest *request, GError **error)
{
  GError *problem = NULL;
  SondeDumpSource *source = sonde_dump_msprobe_open (request->subject, request->sets, &problem);

  if (problem != NULL)
    g_propagate_error (error, problem);
  else if (source == NULL)
    source = sonde_dump_mindspore_open (request->subject, request->sets, error);
  return source;
}

SondeActivity *
sonde_dump_activity_new (const SondeOpenRequest *request, GError **error)
{
  DumpActivity *self = g_new0 (DumpActivity, 1);

  self->base.klass = &dump_activity;
  self->source = open_source (request, error);
  if (self->source != NULL)
    {
      self->device = sonde_device_open ("cpu", request->threads, error);
      self->title = make_title (self, request->subject);
    }
  if (self->device != NULL && go_to (self, 0, error))
    return &self->base;
  activity_free (&self->base);
  return NULL;
}
