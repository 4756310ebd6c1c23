/* SPDX-License-Identifier: Apache-2.0 */
#include "data/profiles/sonde-data-pipeline.h"

#include <math.h>
#include <string.h>

#include "data/profiles/sonde-rank-test.h"
#include "data/profiles/sonde-trace-style.h"

#define LOADER "enumerate(DataLoader)#"
#define ONE_PROCESS "_SingleProcessDataLoaderIter"
#define READY "data/ready"
#define MOST_WORKERS 16 /* of a forecast */

/* ---- stages -------------------------------------------------------------- */

/* What the spans of a stage say. @self_ns: double, of each call */
typedef struct
{
  const char *name;
  GArray *self_ns;
  GHashTable *threads;
} Calls;

/* @by_label: the calls of each label; @calls: Calls
 * @outer_ns: of the spans that are not inside another one of the data pipeline
 * @workers: the threads of those */
typedef struct
{
  const SondeTrace *trace;
  gboolean is_own;
  gboolean *is_data;
  GPtrArray *calls;
  GHashTable *by_name, *workers;
  double outer_ns;
} Collector;

static void
free_calls (gpointer data)
{
  Calls *calls = data;

  g_array_unref (calls->self_ns);
  g_hash_table_unref (calls->threads);
  g_free (calls);
}

static gboolean
is_loader (const SondeTraceLabel *label)
{
  return g_str_has_prefix (label->name, LOADER);
}

static void
mark_labels (Collector *collector)
{
  const SondeTrace *trace = collector->trace;

  collector->is_data = g_new0 (gboolean, trace->labels->len + 1);
  for (guint i = 0; i < trace->labels->len; i++)
    {
      const SondeTraceLabel *label = sonde_trace_get_label (trace, i);

      collector->is_data[i]
          = collector->is_own ? strcmp (label->category, "data") == 0 : is_loader (label);
    }
}

static Calls *
get_calls (Collector *collector, const char *name)
{
  Calls *calls = g_hash_table_lookup (collector->by_name, name);

  if (calls != NULL)
    return calls;
  calls = g_new0 (Calls, 1);
  calls->name = name;
  calls->self_ns = g_array_new (FALSE, FALSE, sizeof (double));
  calls->threads = g_hash_table_new (NULL, NULL);
  g_ptr_array_add (collector->calls, calls);
  g_hash_table_insert (collector->by_name, (gpointer) name, calls);
  return calls;
}

/* Less what other stages took inside it. */
static void
subtract_inner (Collector *collector, gsize i, double *self_ns)
{
  const SondeTrace *trace = collector->trace;
  guint32 parent = trace->nesting[i].parent;

  if (parent != SONDE_TRACE_NONE && collector->is_data[trace->spans[parent].label])
    self_ns[parent] -= (double) (trace->spans[i].end_ns - trace->spans[i].start_ns);
}

static void
collect_calls (Collector *collector)
{
  const SondeTrace *trace = collector->trace;
  g_autofree double *self_ns = g_new0 (double, MAX (trace->n_spans, 1));

  for (gsize i = 0; i < trace->n_spans; i++)
    if (collector->is_data[trace->spans[i].label])
      {
        self_ns[i] += (double) (trace->spans[i].end_ns - trace->spans[i].start_ns);
        subtract_inner (collector, i, self_ns);
      }
  for (gsize i = 0; i < trace->n_spans; i++)
    {
      const SondeTraceSpan *span = &trace->spans[i];
      const guint32 parent = trace->nesting[i].parent;
      Calls *calls;

      if (!collector->is_data[span->label])
        continue;
      calls = get_calls (collector, collector->is_own
                                        ? sonde_trace_get_label (trace, span->label)->name
                                        : "DataLoader");
      g_array_append_val (calls->self_ns, self_ns[i]);
      g_hash_table_add (calls->threads, GUINT_TO_POINTER (span->thread + 1));
      if (parent != SONDE_TRACE_NONE && collector->is_data[trace->spans[parent].label])
        continue;
      collector->outer_ns += (double) (span->end_ns - span->start_ns);
      g_hash_table_add (collector->workers, GUINT_TO_POINTER (span->thread + 1));
    }
}

static double
get_sum (const GArray *values)
{
  double sum = 0;

  for (guint i = 0; i < values->len; i++)
    sum += g_array_index (values, double, i);
  return sum;
}

static void
add_calls (SondePipelineStage *stage, const Calls *calls)
{
  stage->n_calls = calls->self_ns->len;
  stage->mean_ns = get_sum (calls->self_ns) / calls->self_ns->len;
  stage->p95_ns = sonde_quantile ((const double *) calls->self_ns->data, calls->self_ns->len, 0.95);
}

/* The facts count what was too short for a span, too. */
static void
list_known_stages (SondeDataPipeline *pipeline, Collector *collector, const GArray *facts)
{
  for (guint i = 0; i < facts->len; i++)
    {
      const SondeStageFacts *known = &g_array_index (facts, SondeStageFacts, i);
      const Calls *calls = g_hash_table_lookup (collector->by_name, known->stage);
      SondePipelineStage stage = { .stage = known->stage,
                                   .mean_ns = NAN,
                                   .p95_ns = NAN,
                                   .busy_ns = known->busy_ns,
                                   .wait_ns = known->wait_ns,
                                   .queue_mean = known->queue_mean,
                                   .n_threads = known->n_workers };

      if (calls != NULL)
        add_calls (&stage, calls);
      g_array_append_val (pipeline->stages, stage);
    }
}

static void
list_seen_stages (SondeDataPipeline *pipeline, Collector *collector)
{
  const double n_steps = MAX (pipeline->steps->len, 1);

  for (guint i = 0; i < collector->calls->len; i++)
    {
      const Calls *calls = g_ptr_array_index (collector->calls, i);
      SondePipelineStage stage = { .stage = calls->name, .queue_mean = NAN };

      add_calls (&stage, calls);
      stage.busy_ns = stage.wait_ns = get_sum (calls->self_ns) / n_steps;
      stage.n_threads = collector->is_own ? g_hash_table_size (calls->threads) : 0;
      if (!collector->is_own)
        stage.wait_ns = pipeline->wait_ns;
      g_array_append_val (pipeline->stages, stage);
    }
}

/* ---- steps --------------------------------------------------------------- */

static void
list_steps (SondeDataPipeline *pipeline, const SondeProfile *profile, const GArray *steps)
{
  g_autofree SondeStepSplit *splits = g_new0 (SondeStepSplit, MAX (steps->len, 1));

  sonde_step_split_compute_each (profile->trace, steps, profile->facts, splits);
  pipeline->wall_ns = pipeline->wait_ns = steps->len > 0 ? 0 : NAN;
  for (guint i = 0; i < steps->len; i++)
    {
      const SondeTraceSpan *span = &profile->trace->spans[g_array_index (steps, guint32, i)];
      SondePipelineStep step = { span->start_ns, (double) splits[i].wall_ns,
                                 (double) splits[i].parts_ns[SONDE_STEP_PART_DATA_WAIT] };

      pipeline->wall_ns += step.wall_ns / steps->len;
      pipeline->wait_ns += step.wait_ns / steps->len;
      g_array_append_val (pipeline->steps, step);
    }
}

static const SondeTraceCounter *
find_queue (const SondeTrace *trace)
{
  for (guint i = 0; i < trace->counters->len; i++)
    {
      const SondeTraceCounter *counter = &g_array_index (trace->counters, SondeTraceCounter, i);

      if (strcmp (counter->name, READY) == 0)
        return counter;
    }
  return NULL;
}

/* ---- who waits ----------------------------------------------------------- */

/* Whether the spans of the data lie on the thread that drives the steps. */
static gboolean
is_in_turn (const Collector *collector, const GArray *steps)
{
  guint32 thread;

  if (steps->len == 0 || g_hash_table_size (collector->workers) != 1)
    return FALSE;
  thread = collector->trace->spans[g_array_index (steps, guint32, 0)].thread;
  return g_hash_table_contains (collector->workers, GUINT_TO_POINTER (thread + 1));
}

gboolean
sonde_data_pipeline_hides_workers (const SondeTrace *trace)
{
  for (guint i = 0; i < trace->labels->len; i++)
    {
      const SondeTraceLabel *label = sonde_trace_get_label (trace, i);

      if (is_loader (label) && strstr (label->name, ONE_PROCESS) == NULL)
        return TRUE;
    }
  return FALSE;
}

static void
weigh (SondeDataPipeline *pipeline, const Collector *collector, const GArray *steps)
{
  const gboolean hidden
      = !collector->is_own && sonde_data_pipeline_hides_workers (collector->trace);

  pipeline->work_ns = NAN;
  if (steps->len == 0 || collector->calls->len == 0)
    return;
  if (!hidden)
    {
      pipeline->work_ns = collector->outer_ns / steps->len;
      pipeline->n_workers = g_hash_table_size (collector->workers);
    }
  if (!hidden && is_in_turn (collector, steps))
    pipeline->balance = SONDE_PIPELINE_IN_TURN;
  else
    pipeline->balance = pipeline->wait_ns >= SONDE_PIPELINE_STALL * pipeline->wall_ns
                            ? SONDE_PIPELINE_ENGINE_WAITS
                            : SONDE_PIPELINE_LOADER_WAITS;
}

static void
forecast (SondeDataPipeline *pipeline)
{
  const double compute_ns = pipeline->wall_ns - pipeline->wait_ns;
  double needed;
  guint n;

  if (isnan (pipeline->work_ns))
    return;
  needed = compute_ns > 0 ? ceil (pipeline->work_ns / compute_ns) : INFINITY;
  if (needed <= 1e6)
    pipeline->n_needed = MAX ((guint) needed, 1);
  n = pipeline->n_needed > 0 ? CLAMP (pipeline->n_needed + 1, 4, MOST_WORKERS) : MOST_WORKERS;
  for (guint i = 1; i <= n; i++)
    {
      SondePipelineForecast entry = { .n_workers = i };

      entry.wait_ns = fmax (pipeline->work_ns / i - compute_ns, 0);
      entry.wall_ns = compute_ns + entry.wait_ns;
      g_array_append_val (pipeline->forecast, entry);
    }
}

/* ---- all ----------------------------------------------------------------- */

SondeDataPipeline *
sonde_data_pipeline_new (const SondeProfile *profile)
{
  SondeDataPipeline *pipeline = g_new0 (SondeDataPipeline, 1);
  g_autoptr (GArray) steps
      = sonde_trace_find_steps (profile->trace, profile->range.n > 0 ? &profile->range : NULL);
  g_autoptr (GPtrArray) calls = g_ptr_array_new_with_free_func (free_calls);
  g_autoptr (GHashTable) by_name = g_hash_table_new (g_str_hash, g_str_equal);
  g_autoptr (GHashTable) workers = g_hash_table_new (NULL, NULL);
  Collector collector
      = { .trace = profile->trace,
          .is_own = sonde_trace_style_find (profile->trace) == SONDE_TRACE_STYLE_OWN,
          .calls = calls,
          .by_name = by_name,
          .workers = workers };

  pipeline->stages = g_array_new (FALSE, FALSE, sizeof (SondePipelineStage));
  pipeline->steps = g_array_new (FALSE, FALSE, sizeof (SondePipelineStep));
  pipeline->forecast = g_array_new (FALSE, FALSE, sizeof (SondePipelineForecast));
  pipeline->queue = find_queue (profile->trace);
  mark_labels (&collector);
  collect_calls (&collector);
  list_steps (pipeline, profile, steps);
  if (profile->facts != NULL && profile->facts->stages->len > 0)
    list_known_stages (pipeline, &collector, profile->facts->stages);
  else
    list_seen_stages (pipeline, &collector);
  weigh (pipeline, &collector, steps);
  forecast (pipeline);
  g_free (collector.is_data);
  return pipeline;
}

void
sonde_data_pipeline_free (SondeDataPipeline *pipeline)
{
  if (pipeline == NULL)
    return;
  g_array_unref (pipeline->stages);
  g_array_unref (pipeline->steps);
  g_array_unref (pipeline->forecast);
  g_free (pipeline);
}
