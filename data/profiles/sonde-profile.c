/* SPDX-License-Identifier: Apache-2.0
 * A profile: its steps, and what follows from operators and facts together. */
#include "data/profiles/sonde-profile.h"

#include <math.h>
#include <string.h>

#include "data/base/sonde-checked.h"
#include "data/profiles/sonde-profile-advice.h"
#include "data/profiles/sonde-profile-operators.h"
#include "data/profiles/sonde-rank-test.h"

/* A profile with more numbers than this keeps one step for all. */
#define MAX_SELF_TIMES (1u << 24)

const char *
sonde_profile_get_kind (const SondeProfile *profile)
{
  return profile->facts != NULL ? profile->facts->kind : "trace";
}

gint64
sonde_profile_get_peak_bytes (const SondeProfile *profile)
{
  return profile->facts != NULL && profile->facts->memory.lifetimes != NULL
             ? (gint64) MIN (profile->facts->memory.peak_bytes, (guint64) G_MAXINT64)
             : profile->peak_bytes;
}

/* ---- steps --------------------------------------------------------------- */

/* (transfer full) (element-type SondeStepTime): the steps, or the whole trace as one */
static GArray *
list_times (const SondeTrace *trace, const GArray *steps)
{
  GArray *times = g_array_new (FALSE, FALSE, sizeof (SondeStepTime));
  SondeStepTime all
      = { trace->start_ns, trace->end_ns == G_MAXINT64 ? G_MAXINT64 : trace->end_ns + 1 };

  for (guint i = 0; i < steps->len; i++)
    {
      const SondeTraceSpan *span = &trace->spans[g_array_index (steps, guint32, i)];
      SondeStepTime time = { span->start_ns, span->end_ns };

      g_array_append_val (times, time);
    }
  if (steps->len == 0)
    g_array_append_val (times, all);
  return times;
}

static double
get_mean (const double *values, gsize n)
{
  double sum = 0;

  for (gsize i = 0; i < n; i++)
    sum += values[i];
  return sum / (double) n;
}

/* Of the runs that the facts know those that are looked at; none unless there is one for each step. */
static const double *
get_runs (const SondeProfile *profile, guint n_steps, guint *n)
{
  const GArray *runs = profile->facts != NULL ? profile->facts->run_ns : NULL;

  *n = 0;
  if (runs == NULL || runs->len == 0)
    return NULL;
  if (profile->range.n == 0)
    {
      *n = runs->len;
      return (const double *) runs->data;
    }
  if (profile->range.first >= runs->len || runs->len - profile->range.first < n_steps)
    return NULL;
  *n = n_steps;
  return (const double *) runs->data + profile->range.first;
}

static void
measure_steps (SondeProfile *profile, const GArray *times)
{
  g_autofree double *each = g_new0 (double, times->len);
  const double *runs, *walls = each;
  guint n;

  for (guint i = 0; i < times->len && profile->trace->has_time; i++)
    {
      const SondeStepTime *time = &g_array_index (times, SondeStepTime, i);

      each[i] = (double) (time->end_ns - time->start_ns - (profile->has_steps ? 0 : 1));
    }
  runs = get_runs (profile, times->len, &n);
  if (runs != NULL)
    walls = runs;
  else
    n = times->len;
  profile->wall_ns = get_mean (walls, n);
  profile->step_p50_ns = sonde_quantile (walls, n, 0.5);
  profile->step_p95_ns = sonde_quantile (walls, n, 0.95);
  profile->run_min_ns = runs != NULL ? sonde_quantile (runs, n, 0) : NAN;
  profile->run_median_ns = runs != NULL ? profile->step_p50_ns : NAN;
  profile->step_ns = g_new (double, profile->n_kept);
  for (guint i = 0; i < profile->n_kept; i++)
    profile->step_ns[i] = profile->n_kept > 1 ? each[i] : get_mean (each, times->len);
}

static void
split_steps (SondeProfile *profile, const GArray *steps)
{
  SondeStepSplit split;
  double rest_ns = profile->wall_ns;

  sonde_device_split_compute (profile->trace, steps, &profile->device);
  profile->has_split = steps->len > 0;
  if (!profile->has_split)
    return;
  sonde_step_split_compute (profile->trace, steps, profile->facts, &split);
  for (guint i = 0; i < SONDE_STEP_PART_OTHER; i++)
    {
      profile->part_ns[i] = (double) split.parts_ns[i] / (double) split.n_steps;
      rest_ns -= profile->part_ns[i];
    }
  /* a run is measured around its span: what lies between is other, too */
  profile->part_ns[SONDE_STEP_PART_OTHER] = fmax (rest_ns, 0);
}

/* ---- operators and their cost -------------------------------------------- */

/* What a producer says by the category alone. */
static SondeOperatorClass
get_class_of_category (const SondeProfileOperator *op)
{
  return strcmp (op->category, "gpu_memcpy") == 0 || strcmp (op->category, "gpu_memset") == 0
                 || strcmp (op->category, "copy") == 0
             ? SONDE_OPERATOR_CLASS_COPY
             : SONDE_OPERATOR_CLASS_UNKNOWN;
}

/* A mean amount; -1: not known */
static gint64
divide_told (double sum, guint64 n)
{
  const double mean = n > 0 ? sum / (double) n : -1;

  return mean < (double) G_MAXINT64 ? llround (mean) : -1;
}

gint64
sonde_profile_operator_get_told_flops (const SondeProfileOperator *op)
{
  return divide_told (op->told_flops, op->n_told);
}

gint64
sonde_profile_operator_get_told_bytes (const SondeProfileOperator *op)
{
  return divide_told (op->told_bytes, op->n_moving);
}

static void
join_cost (const SondeProfile *profile, SondeProfileOperator *op)
{
  const SondeOperatorFacts *facts = op->facts;
  const double call_ns = (double) op->self_ns / (double) op->n_calls;

  op->share = op->mean_self_ns / profile->wall_ns;
  op->operator_class = get_class_of_category (op);
  op->gflops = op->gbs = op->limit_ns = NAN;
  /* where a device computes, the processor's time is that of starting its kernels */
  if (op->told_self_ns > 0 && profile->device.n_devices == 0)
    op->gflops = op->told_flops / (double) op->told_self_ns;
  if (op->moving_self_ns > 0 && profile->device.n_devices == 0)
    op->gbs = op->told_bytes / (double) op->moving_self_ns;
  if (facts == NULL)
    return;
  if (op->operator_class == SONDE_OPERATOR_CLASS_UNKNOWN)
    op->operator_class = sonde_operator_class_find (facts, &profile->facts->ceilings);
  if (facts->flops >= 0 && op->self_ns > 0)
    op->gflops = (double) facts->flops / call_ns;
  if (facts->bytes >= 0 && op->self_ns > 0)
    op->gbs = (double) facts->bytes / call_ns;
  op->limit_ns
      = op->mean_calls
        * sonde_operator_class_get_limit (facts->flops, facts->bytes, &profile->facts->ceilings);
}

static void
join_costs (SondeProfile *profile)
{
  double rest_ns = profile->wall_ns;

  profile->has_classes = profile->facts != NULL && profile->facts->operators->len > 0;
  for (guint i = 0; i < profile->operators->len; i++)
    {
      SondeProfileOperator *op = &g_array_index (profile->operators, SondeProfileOperator, i);

      join_cost (profile, op);
      profile->class_ns[op->operator_class] += op->mean_self_ns;
      rest_ns -= op->mean_self_ns;
    }
  profile->class_ns[SONDE_OPERATOR_CLASS_IDLE] = fmax (rest_ns, 0);
}

/* ---- sampled stacks ------------------------------------------------------ */

static int
compare_shares (gconstpointer a, gconstpointer b)
{
  const SondeProfileOperator *x = a, *y = b;

  return (x->share < y->share) - (x->share > y->share);
}

/* Frames as operators: how many of the samples each is the innermost of. */
static void
list_frames (SondeProfile *profile)
{
  const SondeTrace *trace = profile->trace;

  for (guint i = 0; i < trace->frames->len; i++)
    {
      const SondeTraceFrame *frame = &g_array_index (trace->frames, SondeTraceFrame, i);
      SondeProfileOperator op = { .op = frame->name,
                                  .category = "",
                                  .label = SONDE_TRACE_NONE,
                                  .operator_class = SONDE_OPERATOR_CLASS_UNKNOWN,
                                  .p50_ns = NAN,
                                  .p95_ns = NAN,
                                  .mean_calls = NAN,
                                  .mean_self_ns = NAN,
                                  .gflops = NAN,
                                  .gbs = NAN,
                                  .limit_ns = NAN };

      op.share = trace->weight > 0 ? (double) frame->self / (double) trace->weight : 0;
      g_array_append_val (profile->operators, op);
    }
  g_array_sort (profile->operators, compare_shares);
  profile->wall_ns = profile->step_p50_ns = profile->step_p95_ns = NAN;
  profile->run_min_ns = profile->run_median_ns = NAN;
  profile->step_ns = g_new0 (double, 1);
  profile->step_ns[0] = NAN;
}

/* ---- all ----------------------------------------------------------------- */

static gint64
find_peak (const SondeTrace *trace)
{
  gint64 peak = -1;

  for (guint i = 0; i < trace->memory->len; i++)
    peak = MAX (peak, g_array_index (trace->memory, SondeTraceMemory, i).total_bytes);
  return peak;
}

static void
clear_operator (gpointer op)
{
  g_free (((SondeProfileOperator *) op)->step_self_ns);
}

static void
analyse (SondeProfile *profile, const SondeStepRange *range)
{
  g_autoptr (GArray) steps = sonde_trace_find_steps (profile->trace, range);
  g_autoptr (GArray) times = list_times (profile->trace, steps);
  gsize n_times;

  profile->has_steps = steps->len > 0;
  profile->n_steps = profile->n_kept = times->len;
  if (!sonde_checked_mul (&n_times, (gsize) times->len,
                          (gsize) sonde_profile_count_operators (profile->trace))
      || n_times > MAX_SELF_TIMES)
    profile->n_kept = 1;
  measure_steps (profile, times);
  sonde_profile_collect_operators (profile, times);
  split_steps (profile, steps);
  join_costs (profile);
}

SondeProfile *
sonde_profile_new (SondeTrace *trace, SondeProfileFacts *facts, const SondeStepRange *range)
{
  SondeProfile *profile = g_new0 (SondeProfile, 1);

  profile->trace = trace;
  profile->facts = facts;
  profile->range = range != NULL ? *range : (SondeStepRange){ 0, 0 };
  profile->n_steps = profile->n_kept = 1;
  profile->texts = g_string_chunk_new (4096);
  profile->operators = g_array_new (FALSE, FALSE, sizeof (SondeProfileOperator));
  g_array_set_clear_func (profile->operators, clear_operator);
  profile->peak_bytes = find_peak (trace);
  if (sonde_profile_is_sampled (profile))
    list_frames (profile);
  else
    analyse (profile, range);
  profile->advice = sonde_profile_advice_list (profile);
  return profile;
}

void
sonde_profile_free (SondeProfile *profile)
{
  if (profile == NULL)
    return;
  g_ptr_array_unref (profile->advice);
  g_array_unref (profile->operators);
  g_free (profile->step_ns);
  g_string_chunk_free (profile->texts);
  sonde_profile_facts_free (profile->facts);
  sonde_trace_free (profile->trace);
  g_free (profile);
}
