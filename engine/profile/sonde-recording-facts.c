/* SPDX-License-Identifier: Apache-2.0
 * What plans and data pipelines of a log tell beside its spans. */
#include "engine/profile/sonde-recording.h"

#include <math.h>
#include <string.h>

#include "engine/plan/sonde-execution-spans.h"
#include "engine/profile/sonde-ceilings.h"

/* ---- operators --------------------------------------------------------------------- */

static SondeStepPart
part_of (SondePhase phase)
{
  switch (phase)
    {
    case SONDE_PHASE_BACKWARD:
      return SONDE_STEP_PART_BACKWARD;
    case SONDE_PHASE_OPTIMISER:
      return SONDE_STEP_PART_OPTIMISER;
    default:
      return SONDE_STEP_PART_FORWARD;
    }
}

static gboolean
contains (const GPtrArray *list, const char *text)
{
  for (guint i = 0; i < list->len; i++)
    if (strcmp (g_ptr_array_index (list, i), text) == 0)
      return TRUE;
  return FALSE;
}

/* The original nodes that @step stands for, each once; kept by @facts, the list by its owner. */
static const char *const *
list_originals (SondeProfileFacts *facts, const SondeStep *step)
{
  GPtrArray *names = g_ptr_array_new ();

  for (guint i = 0; i < step->n_nodes; i++)
    {
      const SondeNode *node = step->nodes[i];
      guint n = node->origins != NULL ? node->origins->len : 0;

      for (guint k = 0; k < n; k++)
        if (!contains (names, g_ptr_array_index (node->origins, k)))
          g_ptr_array_add (names, (gpointer) sonde_profile_facts_keep (
                                      facts, g_ptr_array_index (node->origins, k)));
      if (n == 0 && node->origin_kind == SONDE_ORIGIN_SOURCE && !contains (names, node->name))
        g_ptr_array_add (names, (gpointer) sonde_profile_facts_keep (facts, node->name));
    }
  g_ptr_array_add (names, NULL);
  return (const char *const *) g_ptr_array_free (names, FALSE);
}

/* Bytes of a value; FALSE: known only in the run. */
static gboolean
add_bytes (const SondeGraphValue *value, double *bytes)
{
  SondeShape shape;

  if (value == NULL)
    return TRUE;
  if (!sonde_type_get_shape (&value->type, &shape))
    return FALSE;
  *bytes += (double) MAX (sonde_shape_n_elements (&shape), 0)
            * (double) sonde_dtype_size (value->type.dtype);
  return TRUE;
}

/* Each distinct input and each output once; SONDE_COST_UNKNOWN. */
static gint64
count_bytes (const SondeStep *step)
{
  double bytes = 0;

  for (guint i = 0; i < step->n_inputs; i++)
    {
      gboolean again = FALSE;

      for (guint k = 0; k < i && !again; k++)
        again = step->inputs[k] == step->inputs[i];
      if (!again && !add_bytes (step->inputs[i], &bytes))
        return SONDE_COST_UNKNOWN;
    }
  for (guint i = 0; i < step->n_outputs; i++)
    if (!add_bytes (step->outputs[i], &bytes))
      return SONDE_COST_UNKNOWN;
  return llround (bytes);
}

/* Only nodes that nobody wrote: casts and copies between others. */
static gboolean
is_inserted (const SondeStep *step)
{
  for (guint i = 0; i < step->n_nodes; i++)
    if (step->nodes[i]->origin_kind != SONDE_ORIGIN_INSERTED)
      return FALSE;
  return TRUE;
}

static gboolean
is_byte (const SondeGraphValue *value)
{
  return value != NULL
         && (value->type.dtype == SONDE_DTYPE_I8 || value->type.dtype == SONDE_DTYPE_U8);
}

/* What it computes in: products of bytes add up to wider numbers. */
static SondeDtype
find_dtype (const SondeStep *step)
{
  const SondeGraphValue *value = step->n_outputs > 0 ? step->outputs[0] : step->value;

  if (step->cost.flops > 0 && step->n_inputs > 1 && is_byte (step->inputs[0]))
    return SONDE_DTYPE_I8;
  return value != NULL ? value->type.dtype : SONDE_DTYPE_INVALID;
}

/* Kernels that are there so that nothing is missing. */
static gboolean
is_fallback (const SondePlan *plan, const SondeStep *step)
{
  const char *device = sonde_plan_get_device ((SondePlan *) plan)->klass->name;

  return strcmp (device, "reference") != 0 && step->implementation != NULL
         && g_str_has_prefix (step->implementation, "ref");
}

static void
add_step (SondeProfileFacts *facts, const SondePlan *plan, const SondeStep *step)
{
  SondeDtype dtype = find_dtype (step);
  gint64 bytes = count_bytes (step);
  SondeOperatorFacts op = {
    .node = sonde_profile_facts_keep (facts, step->name),
    .op = sonde_profile_facts_keep (facts, step->op),
    .part = part_of (step->n_nodes > 0 ? step->nodes[0]->phase : step->phase),
    .nodes = list_originals (facts, step),
    .implementation = sonde_profile_facts_keep (facts, step->implementation),
    .dtype = dtype != SONDE_DTYPE_INVALID
                 ? sonde_profile_facts_keep (facts, sonde_dtype_name (dtype))
                 : NULL,
    .flops = bytes == SONDE_COST_UNKNOWN ? SONDE_COST_UNKNOWN : llround (step->cost.flops),
    .bytes = bytes,
    .is_copy = is_inserted (step),
    .is_fallback = is_fallback (plan, step),
  };

  g_array_append_val (facts->operators, op);
}

/* A node of several plans (a smaller last batch) has the facts of the first. */
static void
add_operators (SondeSpanLog *log, SondeProfileFacts *facts)
{
  g_autoptr (GHashTable) known = g_hash_table_new (g_str_hash, g_str_equal);

  for (guint i = 0; i < sonde_span_log_get_n_sources (log); i++)
    {
      const char *kind;
      guint32 first;
      guint n;
      SondePlan *plan = sonde_span_log_get_source (log, i, &kind, &first, &n);

      facts->device = sonde_profile_facts_keep (facts, sonde_plan_get_device (plan)->klass->name);
      for (guint k = 0; k < n; k++)
        {
          const SondeStep *step = sonde_plan_get_step (plan, k);

          if (g_hash_table_add (known, (gpointer) step->name))
            add_step (facts, plan, step);
        }
    }
}

/* What most of the arithmetic is done in; of a net without any, what most bytes are read and written in. */
static SondeDtype
find_precision (const SondeProfileFacts *facts)
{
  double sums[SONDE_N_DTYPES] = { 0 };
  SondeDtype precision = SONDE_DTYPE_INVALID;

  for (guint i = 0; i < facts->operators->len; i++)
    {
      const SondeOperatorFacts *op = &g_array_index (facts->operators, SondeOperatorFacts, i);
      SondeDtype dtype
          = op->dtype != NULL ? sonde_dtype_from_name (op->dtype) : SONDE_DTYPE_INVALID;

      if (dtype == SONDE_DTYPE_INVALID)
        continue;
      sums[dtype] += (double) MAX (op->flops, 0) + 1e-6 * (double) MAX (op->bytes, 0);
      if (sums[dtype] > sums[precision])
        precision = dtype;
    }
  return precision;
}

/* ---- stages, steps, bytes ------------------------------------------------------------ */

/**
 * Stage: of the data pipeline
 * @ticks: of all threads
 * @n_threads: that worked in it; @last_thread: of them the one counted last
 */
typedef struct
{
  double ticks;
  guint n_threads, last_thread;
} Stage;

/* As the stages of a pipeline are called, from the source on; the last one makes batches ahead. */
static const char *const stage_names[]
    = { "source", "ready", "cache", "shuffle", "order", "repeat", "map", "batch", "prefetch" };
#define AHEAD (G_N_ELEMENTS (stage_names) - 1)

/**
 * Sums: over all spans
 * @ready, @n_ready: batches that were found ready, how often somebody looked
 */
typedef struct
{
  Stage stages[G_N_ELEMENTS (stage_names)];
  double ready;
  guint64 n_ready, n_steps;
  double bytes;
} Sums;

static void
add_stage (Sums *sums, const char *name, const SondeSpan *span, guint thread)
{
  for (guint i = 0; i < G_N_ELEMENTS (stage_names); i++)
    if (strcmp (name, stage_names[i]) == 0)
      {
        Stage *stage = &sums->stages[i];

        stage->ticks += (double) span->value;
        if (stage->n_threads == 0 || stage->last_thread != thread)
          stage->n_threads++;
        stage->last_thread = thread;
      }
}

static void
add_span (SondeSpanLog *log, Sums *sums, const SondeSpan *span, guint thread, double tick_ns,
          GArray *run_ns)
{
  double ns = (double) (span->end - span->start) * tick_ns;

  switch (span->category)
    {
    case SONDE_SPAN_STEP:
      g_array_append_val (run_ns, ns);
      sums->n_steps++;
      break;
    case SONDE_SPAN_RECORDING:
      sums->bytes += (double) span->value;
      break;
    case SONDE_SPAN_STAGE:
      add_stage (sums, sonde_span_log_get_label (log, span->label), span, thread);
      break;
    case SONDE_SPAN_COUNTER:
      if (strcmp (sonde_span_log_get_label (log, span->label), SONDE_SPAN_READY) == 0)
        {
          sums->ready += span->number;
          sums->n_ready++;
        }
      break;
    default:
      break;
    }
}

/* Who reads from a stage in its own thread waits as long as it works; prefetching only hands over. */
static void
add_stages (SondeProfileFacts *facts, const Sums *sums, double tick_ns)
{
  for (guint i = 0; i < G_N_ELEMENTS (stage_names) && sums->n_steps > 0; i++)
    {
      const Stage *stage = &sums->stages[i];
      const gboolean ahead = i == AHEAD;
      double ns = stage->ticks * tick_ns / (double) sums->n_steps;
      SondeStageFacts result = { stage_names[i], ahead ? 0 : ns, ns, NAN, stage->n_threads };

      if (stage->n_threads == 0)
        continue;
      if (ahead)
        {
          result.queue_mean = sums->n_ready > 0 ? sums->ready / (double) sums->n_ready : NAN;
          result.n_workers = facts->stages->len > 0 ? g_array_index (facts->stages, SondeStageFacts,
                                                                     facts->stages->len - 1)
                                                          .n_workers
                                                    : 0;
        }
      g_array_append_val (facts->stages, result);
    }
}

SondeProfileFacts *
sonde_recording_make_facts (SondeSpanLog *log, const char *kind)
{
  SondeProfileFacts *facts = sonde_profile_facts_new (kind);
  double tick_ns = sonde_ticks_get_ns (&log->ticks);
  Sums sums = { 0 };
  SondeDtype precision;

  for (guint i = 0; i < sonde_span_log_get_n_threads (log); i++)
    {
      SondeSpanThread thread;

      sonde_span_log_get_thread (log, i, &thread);
      for (guint64 k = 0; k < thread.n_spans; k++)
        add_span (log, &sums, sonde_span_log_get_span (log, i, k), i, tick_ns, facts->run_ns);
    }
  add_operators (log, facts);
  precision = find_precision (facts);
  if (precision != SONDE_DTYPE_INVALID)
    facts->precision = sonde_profile_facts_keep (facts, sonde_dtype_name (precision));
  add_stages (facts, &sums, tick_ns);
  facts->n_recorded_bytes = sums.n_steps > 0 ? sums.bytes / (double) sums.n_steps : 0;
  return facts;
}

void
sonde_recording_add_ceilings (SondeProfileFacts *facts)
{
  const SondeDtype dtype
      = facts->precision != NULL ? sonde_dtype_from_name (facts->precision) : SONDE_DTYPE_F32;
  const guint n_threads = MAX (facts->n_threads, 1);
  g_autoptr (GError) error = NULL;

  /* Where a type has no fast products of its own it is computed as float32. */
  if (facts->device == NULL
      || sonde_ceilings_get (facts->device, dtype, n_threads, &facts->ceilings, NULL)
      || sonde_ceilings_get (facts->device, SONDE_DTYPE_F32, n_threads, &facts->ceilings, &error))
    return;
  g_debug ("no ceilings: %s", error->message); /* the classes say so */
}
