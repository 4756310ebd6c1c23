/* SPDX-License-Identifier: Apache-2.0
 * What took how long and why: the operators of a trace with their times in each step, what bounds each of
 * them, where a step goes, what to change. The one input of tables, charts, reports and comparisons.
 * Definitions: docs/profiler.md. */
#pragma once

#include "data/profiles/sonde-operator-class.h"
#include "data/profiles/sonde-profile-facts.h"
#include "data/profiles/sonde-step-split.h"
#include "data/traces/sonde-trace.h"

G_BEGIN_DECLS

/**
 * SondeProfileOperator:
 * @node: (nullable): the node of the graph; NULL where the trace does not tell it (PyTorch)
 * @op: type of the operator; what its spans are called where no type is told
 * @category: of its spans; @label: of its spans, in SondeTrace.labels; SONDE_TRACE_NONE of sampled frames
 * @facts: (nullable): what the recording knows of it: original nodes, implementation, cost of a call
 * @operator_class: what bounds it
 * @first_ns: when its first call began
 * @n_calls, @self_ns, @total_ns: over everything that was recorded, or with a range over its steps; see
 *   SondeTraceLabel. Of sampled stacks 0
 * @p50_ns, @p95_ns: of one call's duration, by linear interpolation; NaN of samples
 * @mean_calls, @mean_self_ns: calls and self time in a mean step; NaN of samples
 * @share: of the mean step, or of the samples: [0, 1], beyond it where threads run at once
 * @gflops, @gbs: in a call, by the facts' cost and the mean self time of a call, or by @told_flops and
 *   @told_self_ns, @told_bytes and @moving_self_ns of a trace in which no device computes; NaN where it is not known
 * @n_told, @told_flops, @told_self_ns: calls of which the trace itself tells operations (PyTorch's record_shapes) and
 *   which call no other one that does; their operations and self time
 * @n_moving, @told_bytes, @moving_self_ns: the same of bytes (ONNX Runtime's sizes, too)
 * @limit_ns: the least that a mean step's calls would take by the roofline; NaN where it is not known
 * @step_self_ns: self time in each step, n_kept of them; NULL of samples
 */
typedef struct
{
  const char *node, *op, *category;
  guint32 label;
  const SondeOperatorFacts *facts;
  SondeOperatorClass operator_class;
  gint64 first_ns;
  guint64 n_calls;
  gint64 self_ns, total_ns;
  double p50_ns, p95_ns;
  double mean_calls, mean_self_ns, share;
  double gflops, gbs, limit_ns;
  guint64 n_told;
  double told_flops;
  gint64 told_self_ns;
  guint64 n_moving;
  double told_bytes;
  gint64 moving_self_ns;
  double *step_self_ns;
} SondeProfileOperator;

/**
 * SondeProfile:
 * @facts: (nullable): of Sonde's own recordings only
 * @range: the steps that are looked at; n = 0: all
 * @n_steps: at least 1: a trace that marks no steps is one
 * @n_kept: of how many steps times are kept: n_steps, or 1 that stands for all when these are too many
 * @has_steps: whether it marks any
 * @step_ns: how long each step took, by its span; n_kept of them
 * @wall_ns: mean wall time of a step or run, as measured around it where the facts tell it; NaN of sampled
 *   stacks
 * @step_p50_ns, @step_p95_ns: of the steps; NaN of sampled stacks
 * @run_min_ns, @run_median_ns: of the runs; NaN where only steps are known
 * @operators: SondeProfileOperator, by self time in a mean step, the greatest first
 * @has_classes: whether the facts say what bounds operators
 * @class_ns: self time of the operators of each class in a mean step, IDLE being the rest of @wall_ns
 * @has_split: whether steps are marked
 * @part_ns: of a mean step; the parts sum to @wall_ns
 * @device: sums, see there; n_devices = 0: none
 * @peak_bytes: greatest amount of memory that was taken, of the device that took most; -1: not told
 * @advice: (element-type SondeAdvice): see sonde-profile-advice.h
 */
typedef struct
{
  SondeTrace *trace;
  SondeProfileFacts *facts;
  SondeStepRange range;
  guint n_steps, n_kept;
  gboolean has_steps;
  double *step_ns;
  double wall_ns, step_p50_ns, step_p95_ns, run_min_ns, run_median_ns;
  GArray *operators;
  gboolean has_classes;
  double class_ns[SONDE_OPERATOR_N_CLASSES];
  gboolean has_split;
  double part_ns[SONDE_STEP_N_PARTS];
  SondeDeviceSplit device;
  gint64 peak_bytes;
  GPtrArray *advice;
  GStringChunk *texts; /* owns texts that are not in the trace */
} SondeProfile;

/**
 * sonde_profile_new:
 * @trace: (transfer full): spans; a recording of Sonde's has the producer "sonde"
 * @facts: (transfer full) (nullable): what is known beside the spans
 * @range: (nullable): the steps to look at; NULL: all
 *
 * Never fails; a trace without spans has no operators. (transfer full)
 */
SondeProfile *sonde_profile_new (SondeTrace *trace, SondeProfileFacts *facts,
                                 const SondeStepRange *range);
void sonde_profile_free (SondeProfile *profile); /* (nullable) */
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SondeProfile, sonde_profile_free)

/* Operations of a mean call as the trace itself tells them; -1: it does not. */
gint64 sonde_profile_operator_get_told_flops (const SondeProfileOperator *op);
gint64 sonde_profile_operator_get_told_bytes (const SondeProfileOperator *op);

/* "model", "recipe", "run" or "trace". */
const char *sonde_profile_get_kind (const SondeProfile *profile);

/* Whether stacks were sampled, so that there are shares and no times. */
static inline gboolean
sonde_profile_is_sampled (const SondeProfile *profile)
{
  return profile->trace->format == SONDE_TRACE_COLLAPSED
         || profile->trace->format == SONDE_TRACE_PERF;
}

/* Bytes taken at most in one moment: of the facts' plan, else of the trace; -1: not told. */
gint64 sonde_profile_get_peak_bytes (const SondeProfile *profile);

static inline const SondeProfileOperator *
sonde_profile_get_operator (const SondeProfile *profile, guint i)
{
  return &g_array_index (profile->operators, SondeProfileOperator, i);
}

G_END_DECLS
