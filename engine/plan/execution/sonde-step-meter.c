/* SPDX-License-Identifier: Apache-2.0
 * Steps of a run as spans. Bodies write into the log of the outermost execution; their steps lie inside
 * those of the nodes that run them. */
#include "engine/plan/execution/sonde-step-meter.h"

#include "engine/plan/sonde-execution-spans.h"

/* Plans that a log may hold for its labels. What comes later (bodies that are planned again and again)
 * has its names alone. */
#define MAX_SOURCES 64

void
sonde_execution_set_spans (SondeExecution *execution, SondeSpanLog *log, gboolean runs_are_steps)
{
  if (log != NULL)
    sonde_span_log_ref (log);
  sonde_span_log_unref (execution->spans);
  execution->spans = log;
  execution->runs_are_steps = log != NULL && runs_are_steps;
  if (execution->runs_are_steps)
    sonde_span_log_set_step_name (log, "run");
}

void
sonde_execution_clear_spans (SondeExecution *execution)
{
  g_clear_pointer (&execution->spans, sonde_span_log_unref);
  g_clear_pointer (&execution->labelled, sonde_span_log_unref);
  g_clear_pointer (&execution->step_labels, g_free);
}

/* ---- labels ------------------------------------------------------------------- */

/* The label of the first step where @plan is known to @log already. */
static guint32
find_source (SondeSpanLog *log, const SondePlan *plan)
{
  for (guint i = sonde_span_log_get_n_sources (log); i-- > 0;)
    {
      const char *kind;
      guint32 first;
      guint n;

      if (sonde_span_log_get_source (log, i, &kind, &first, &n) == plan)
        return first;
    }
  return SONDE_SPAN_NO_LABEL;
}

static guint32
add_source (SondeSpanLog *log, SondePlan *plan, const char *kind)
{
  guint n = plan->steps->len;
  g_autofree const char **names = g_new (const char *, MAX (n, 1));

  for (guint i = 0; i < n; i++)
    names[i] = sonde_plan_step (plan, i)->info.name;
  return sonde_span_log_add_source (log, names, n, kind, sonde_plan_ref (plan),
                                    (GDestroyNotify) sonde_plan_unref);
}

static void
label_steps (SondeExecution *execution, SondeSpanLog *log)
{
  SondePlan *plan = execution->plan;
  guint n = plan->steps->len;
  guint32 first = find_source (log, plan);

  if (first == SONDE_SPAN_NO_LABEL && sonde_span_log_get_n_sources (log) < MAX_SOURCES)
    first = add_source (log, plan,
                        execution->parent != NULL ? SONDE_SPANS_OF_BODY : SONDE_SPANS_OF_PLAN);
  g_free (execution->step_labels);
  execution->step_labels = g_new (guint32, n + 1);
  for (guint i = 0; i < n; i++)
    execution->step_labels[i]
        = first != SONDE_SPAN_NO_LABEL
              ? first + i
              : sonde_span_log_add_label (log, sonde_plan_step (plan, i)->info.name);
  execution->begin_label = sonde_span_log_add_label (log, "preparing the run");
  sonde_span_log_unref (execution->labelled);
  execution->labelled = sonde_span_log_ref (log);
}

void
sonde_execution_prepare_spans (SondeExecution *execution)
{
  g_return_if_fail (execution->spans != NULL);

  sonde_span_log_get_ring (execution->spans);
  if (execution->labelled != execution->spans)
    label_steps (execution, execution->spans);
}

/* ---- steps --------------------------------------------------------------------- */

void
sonde_step_meter_begin (SondeStepMeter *meter, SondeExecution *execution)
{
  SondeSpanLog *log = execution->root->spans;

  meter->ring = sonde_span_log_enter (log);
  meter->ticks = execution->step_ticks != NULL ? &execution->ticks
                 : meter->ring != NULL         ? &log->ticks
                                               : NULL;
  if (G_LIKELY (meter->ticks == NULL))
    return;
  if (meter->ring != NULL && execution->labelled != log)
    label_steps (execution, log);
  /* A look at the clock is most of what a span costs: the first step begins where the preparing of the
   * run ended, unless observers looked in between. */
  meter->since = execution->begun != 0 && execution->n_observers == 0
                     ? execution->begun
                     : sonde_ticks_now (meter->ticks);
  execution->begun = 0;
}

void
sonde_step_meter_skip (SondeStepMeter *meter, SondeExecution *execution)
{
  if (meter->ring != NULL)
    sonde_execution_add_span (execution, SONDE_SPAN_RECORDING, "observers", meter->since, 0);
  meter->since = sonde_ticks_now (meter->ticks);
}

void
sonde_execution_add_begin (SondeExecution *execution, guint64 start)
{
  SondeSpanLog *log = execution->spans;
  SondeSpanRing *ring = start != 0 ? sonde_span_log_enter (log) : NULL;

  if (ring == NULL)
    return;
  if (execution->labelled != log)
    label_steps (execution, log);
  execution->begun
      = sonde_span_log_add (log, ring, SONDE_SPAN_SCOPE, execution->begin_label, start, 0);
}

/* ---- kernels -------------------------------------------------------------------- */

/* Until end_kernels(), on this thread. */
static void
begin_kernels (SondeExecution *execution)
{
  if (execution->recorded.log != NULL)
    return;
  execution->recorded = (SondeDeviceSpans){ execution->spans, SONDE_SPAN_NO_LABEL };
  execution->recorded_before
      = sonde_device_use_spans (execution->plan->device, &execution->recorded);
}

static void
end_kernels (SondeExecution *execution)
{
  sonde_device_use_spans (execution->plan->device, execution->recorded_before);
  execution->recorded = (SondeDeviceSpans){ NULL, SONDE_SPAN_NO_LABEL };
}

gboolean
sonde_execution_run_recorded (SondeExecution *execution, SondeKernel *kernel, const char *name,
                              const SondeRunArguments *arguments, GError **error)
{
  SondeDevice *device = execution->plan->device;
  SondeDeviceSpans *spans = sonde_device_get_spans (device);
  guint64 start;
  gboolean good;

  if (spans == NULL || name == NULL)
    return device->klass->run (device, kernel, arguments, error);
  spans->kernel = sonde_span_log_add_label (spans->log, name);
  start = sonde_ticks_now (&spans->log->ticks);
  good = device->klass->run (device, kernel, arguments, error);
  sonde_device_spans_add (spans, SONDE_SPAN_KERNEL, spans->kernel, start, 0);
  spans->kernel = SONDE_SPAN_NO_LABEL;
  return good;
}

/* ---- runs ----------------------------------------------------------------------- */

guint64
sonde_execution_begin_span (SondeExecution *execution)
{
  guint64 moment = execution->runs_are_steps
                       ? sonde_span_log_begin_step (execution->spans, execution->pass)
                       : sonde_execution_get_moment (execution);

  if (G_UNLIKELY (sonde_span_log_wants_kernels (execution->spans)))
    begin_kernels (execution);
  return moment;
}

void
sonde_execution_end_span (SondeExecution *execution, gboolean done)
{
  if (G_UNLIKELY (execution->recorded.log != NULL))
    end_kernels (execution);
  if (!execution->runs_are_steps)
    return;
  if (done)
    sonde_span_log_end_step (execution->spans);
  else
    sonde_span_log_leave_step (execution->spans);
}

guint64
sonde_execution_get_moment (const SondeExecution *execution)
{
  SondeSpanLog *log = execution->root->spans;

  return sonde_span_log_enter (log) != NULL ? sonde_ticks_now (&log->ticks) : 0;
}

void
sonde_execution_add_span (SondeExecution *execution, SondeSpanCategory category, const char *name,
                          guint64 start, gint64 value)
{
  SondeSpanLog *log = execution->root->spans;
  SondeSpanRing *ring = start != 0 ? sonde_span_log_enter (log) : NULL;

  /* The name is looked for after the moment that counts. */
  if (ring != NULL)
    {
      guint64 end = sonde_ticks_now (&log->ticks);

      sonde_span_ring_add (
          ring,
          (SondeSpan){ start, end, { value }, sonde_span_log_add_label (log, name), category });
    }
}
