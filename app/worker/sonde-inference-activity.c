/* SPDX-License-Identifier: Apache-2.0
 * A debugged inference as an activity. */
#include "app/worker/sonde-inference-activity.h"

#include <math.h>
#include <string.h>

#include "app/worker/sonde-inference-profile.h"
#include "app/worker/sonde-worker-capture.h"
#include "data/base/sonde-span-counters.h"
#include "engine/devices/sonde-device-counter.h"
#include "engine/plan/sonde-execution-spans.h"

typedef struct
{
  SondeActivity base;
  SondeInference *inference;
  char *title;
  SondeCapture *capture; /* (nullable): it came out of one */
  guint64 step;
  SondeSpanLog *spans;
  SondeSpanCounters *counters; /* of @spans */
} InferenceActivity;

static SondeInference *
inference_of (SondeActivity *activity)
{
  return ((InferenceActivity *) activity)->inference;
}

static SondeRunResult
activity_run (SondeActivity *activity, GError **error)
{
  return sonde_execution_run (inference_of (activity)->execution, error);
}

static void
activity_interrupt (SondeActivity *activity)
{
  sonde_execution_interrupt (inference_of (activity)->execution);
}

static SondeExecution *
activity_get_execution (SondeActivity *activity)
{
  return inference_of (activity)->execution;
}

static SondeGraph *
activity_get_graph (SondeActivity *activity)
{
  return inference_of (activity)->graph;
}

static SondeGraph *
activity_get_original (SondeActivity *activity)
{
  return inference_of (activity)->original;
}

static void
activity_get_facts (SondeActivity *activity, SondeSessionFacts *facts)
{
  memset (facts, 0, sizeof *facts);
  facts->kind = SONDE_ACTIVITY_INFERENCE;
  facts->title = ((InferenceActivity *) activity)->title;
  facts->step = ((InferenceActivity *) activity)->step;
  facts->total_steps = facts->step;
  facts->loss = facts->accuracy = facts->learning_rate = facts->samples_per_second = NAN;
}

/* The inputs are still in place, so the next run begins at the first step with the same values. */
static gboolean
activity_restart (SondeActivity *activity, GError **error)
{
  sonde_execution_abandon (inference_of (activity)->execution);
  return TRUE;
}

/* The branches own what they run; the first is the inference's own again before it is freed. */
static void
activity_adopt (SondeActivity *activity, SondeExecution *execution, SondeGraph *original)
{
  SondeInference *inference = inference_of (activity);
  SondeGraph *graph = sonde_graph_ref (sonde_plan_get_graph (sonde_execution_get_plan (execution)));

  sonde_graph_ref (original);
  sonde_graph_unref (inference->graph);
  sonde_graph_unref (inference->original);
  inference->execution = execution;
  inference->graph = graph;
  inference->original = original;
  sonde_execution_set_spans (execution, ((InferenceActivity *) activity)->spans, TRUE);
}

static SondeSpanLog *
activity_get_spans (SondeActivity *activity)
{
  return ((InferenceActivity *) activity)->spans;
}

static char *
activity_keep_profile (SondeActivity *activity, const char *folder, GError **error)
{
  InferenceActivity *self = (InferenceActivity *) activity;

  if (*folder == '\0')
    {
      sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_INVALID,
                       "An inference has no run of its own: name the folder in which the profile "
                       "shall be kept, as in: profile save RUN.");
      return NULL;
    }
  return sonde_inference_profile_keep (self->spans, self->inference->execution, folder, error)
             ? g_strdup (folder)
             : NULL;
}

static void
activity_free (SondeActivity *activity)
{
  InferenceActivity *self = (InferenceActivity *) activity;

  sonde_span_counters_free (self->counters);
  sonde_inference_free (self->inference);
  sonde_span_log_unref (self->spans);
  sonde_capture_free (self->capture);
  g_free (self->title);
  g_free (self);
}

static const GPtrArray *
activity_get_stops (SondeActivity *activity)
{
  InferenceActivity *self = (InferenceActivity *) activity;

  return self->capture != NULL ? self->capture->stops : NULL;
}

static const SondeActivityClass inference_activity = {
  .run = activity_run,
  .interrupt = activity_interrupt,
  .get_execution = activity_get_execution,
  .get_graph = activity_get_graph,
  .get_original = activity_get_original,
  .get_facts = activity_get_facts,
  .restart = activity_restart,
  .adopt = activity_adopt,
  .get_stops = activity_get_stops,
  .get_spans = activity_get_spans,
  .keep_profile = activity_keep_profile,
  .free = activity_free,
};

/* Takes @inference. */
static InferenceActivity *
new_activity (SondeInference *inference, const char *path)
{
  InferenceActivity *self = g_new0 (InferenceActivity, 1);

  self->base.klass = &inference_activity;
  self->inference = inference;
  self->title = g_path_get_basename (path);
  self->step = 1;
  self->spans = sonde_span_log_new ();
  self->counters = sonde_span_counters_new (self->spans);
  sonde_device_count (self->counters, inference->device);
  sonde_execution_set_spans (inference->execution, self->spans, TRUE);
  return self;
}

SondeActivity *
sonde_inference_activity_new (const char *model, const SondeInferenceOptions *options,
                              GError **error)
{
  SondeInferenceOptions editable = *options;
  SondeInference *inference;

  editable.editable = TRUE;
  inference = sonde_inference_open (model, &editable, error);
  if (inference == NULL)
    return NULL;
  return &new_activity (inference, model)->base;
}

SondeActivity *
sonde_inference_activity_new_capture (const char *path, const SondeInferenceOptions *options,
                                      GError **error)
{
  SondeCapture *capture = NULL;
  SondeInference *inference = sonde_worker_open_capture (path, options, &capture, error);
  InferenceActivity *self;
  const char *step;

  if (inference == NULL)
    return NULL;
  self = new_activity (inference, path);
  self->capture = capture;
  step = sonde_capture_get_fact (capture, "step");
  self->step = step != NULL ? MAX (g_ascii_strtoull (step, NULL, 10), 1) : 1;
  return &self->base;
}
