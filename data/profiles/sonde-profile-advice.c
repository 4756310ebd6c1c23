/* SPDX-License-Identifier: Apache-2.0
 * One function an advice, in a table. */
#include "data/profiles/sonde-profile-advice.h"

#include <math.h>

#include "data/base/sonde-format.h"
#include "data/base/sonde-text.h"
#include "data/profiles/sonde-data-pipeline.h"

#define MIN_DATA_WAIT 0.20
#define MIN_FALLBACK 0.05
#define MIN_COPIES 0.05
#define MIN_OVERHEAD 0.30
#define MIN_DOMINANT 0.50
#define MIN_RECORDING 0.05
#define UNEVEN 1.5 /* a slow step, in medians */

#define NS_PER_MS 1e6

const char *
sonde_advice_kind_get_name (SondeAdviceKind kind)
{
  static const char *const names[SONDE_ADVICE_N_KINDS]
      = { "data-wait",   "fallback",  "copies",       "overhead-bound",
          "dominant-op", "recording", "uneven-steps", "memory-peak" };

  return names[kind];
}

/* ---- parts of an advice -------------------------------------------------- */

static void
clear_evidence (gpointer data)
{
  SondeEvidence *evidence = data;

  g_clear_pointer (&evidence->texts, g_ptr_array_unref);
  g_clear_pointer (&evidence->steps, g_array_unref);
}

static SondeAdvice *
advice_new (SondeAdviceKind kind, double share, double gain_ns)
{
  SondeAdvice *advice = g_new0 (SondeAdvice, 1);

  advice->kind = kind;
  advice->share = share;
  advice->gain_ns = gain_ns;
  advice->evidence = g_array_new (FALSE, TRUE, sizeof (SondeEvidence));
  g_array_set_clear_func (advice->evidence, clear_evidence);
  return advice;
}

static void
advice_free (gpointer data)
{
  SondeAdvice *advice = data;

  sonde_message_free (advice->message);
  g_array_unref (advice->evidence);
  g_free (advice);
}

static void
add_number (SondeAdvice *advice, const char *key, double number)
{
  SondeEvidence evidence = { key, SONDE_EVIDENCE_NUMBER, number, NULL, NULL };

  g_array_append_val (advice->evidence, evidence);
}

/* @text: (nullable): not told */
static void
add_text (SondeAdvice *advice, const char *key, const char *text)
{
  SondeEvidence evidence = { key, SONDE_EVIDENCE_TEXT, NAN, g_ptr_array_new (), NULL };

  if (text != NULL)
    g_ptr_array_add (evidence.texts, (gpointer) text);
  g_array_append_val (advice->evidence, evidence);
}

static char *
format_ns (double ns)
{
  return sonde_format_duration ((gint64) ns);
}

/* In percent, for a message. */
static int
percent (double share)
{
  return (int) lround (share * 100);
}

static const char *
get_name (const SondeProfileOperator *op)
{
  return op->node != NULL ? op->node : op->op;
}

/* ---- each advice --------------------------------------------------------- */

/* The stage whose workers each need longest; NULL: not told */
static const SondeStageFacts *
find_slowest_stage (const SondeProfile *profile)
{
  const SondeStageFacts *slowest = NULL;
  double most = -1;

  for (guint i = 0; profile->facts != NULL && i < profile->facts->stages->len; i++)
    {
      const SondeStageFacts *stage = &g_array_index (profile->facts->stages, SondeStageFacts, i);
      double each_ns = stage->busy_ns / MAX (stage->n_workers, 1);

      if (each_ns > most)
        {
          most = each_ns;
          slowest = stage;
        }
    }
  return slowest;
}

/* What to do about the wait depends on who makes the data. @stage: (nullable) */
static SondeMessage *
make_data_wait_message (const SondeProfile *profile, const SondeStageFacts *stage, double share,
                        const char *time)
{
  if (stage != NULL)
    return sonde_message_new ("Waiting for data takes %d %% of a step (%s); the slowest stage is "
                              "“%s”, with %u workers. More workers, a cache behind that stage or "
                              "data that were prepared once would shorten the wait.",
                              percent (share), time, stage->stage, stage->n_workers);
  if (sonde_data_pipeline_hides_workers (profile->trace))
    return sonde_message_new ("Waiting for data takes %d %% of a step (%s). The loader has "
                              "processes of its own, which are not in the trace, so what more of "
                              "them would change is not known; data that were prepared once would "
                              "shorten it.",
                              percent (share), time);
  return sonde_message_new ("Waiting for data takes %d %% of a step (%s). More workers that "
                            "load ahead, or data that were prepared once, would shorten it.",
                            percent (share), time);
}

static SondeAdvice *
advise_data_wait (const SondeProfile *profile)
{
  const double wait_ns = profile->part_ns[SONDE_STEP_PART_DATA_WAIT];
  const double share = wait_ns / profile->wall_ns;
  const SondeStageFacts *stage = find_slowest_stage (profile);
  g_autofree char *time = format_ns (wait_ns);
  SondeAdvice *advice;

  if (!profile->has_split || !(share >= MIN_DATA_WAIT))
    return NULL;
  advice = advice_new (SONDE_ADVICE_DATA_WAIT, share, wait_ns);
  add_number (advice, "share", share);
  add_text (advice, "stage", stage != NULL ? stage->stage : NULL);
  add_number (advice, "workers", stage != NULL ? stage->n_workers : NAN);
  add_number (advice, "queue_mean", stage != NULL ? stage->queue_mean : NAN);
  advice->message = make_data_wait_message (profile, stage, share, time);
  return advice;
}

/* What all operators of @value take beyond what the roofline allows them. */
static double
sum_gain (const SondeProfile *profile, SondeOperatorClass value)
{
  double gain_ns = 0;

  for (guint i = 0; i < profile->operators->len; i++)
    {
      const SondeProfileOperator *op = sonde_profile_get_operator (profile, i);

      if (op->operator_class == value)
        gain_ns += fmax (op->mean_self_ns - (isnan (op->limit_ns) ? 0 : op->limit_ns), 0);
    }
  return gain_ns;
}

/* An advice about all operators of a class, the greatest of which is its node; NULL: less than @least */
static SondeAdvice *
advise_class (const SondeProfile *profile, SondeAdviceKind kind, SondeOperatorClass value,
              double least, double gain_ns)
{
  const double share = profile->class_ns[value] / profile->wall_ns;
  SondeEvidence nodes = { "nodes", SONDE_EVIDENCE_TEXTS, NAN, NULL, NULL };
  SondeAdvice *advice;

  if (!(share >= least))
    return NULL;
  advice = advice_new (kind, share, gain_ns);
  nodes.texts = g_ptr_array_new ();
  for (guint i = 0; i < profile->operators->len; i++)
    if (sonde_profile_get_operator (profile, i)->operator_class == value)
      g_ptr_array_add (nodes.texts, (gpointer) get_name (sonde_profile_get_operator (profile, i)));
  add_number (advice, "share", share);
  g_array_append_val (advice->evidence, nodes);
  advice->node = g_ptr_array_index (nodes.texts, 0);
  return advice;
}

static SondeAdvice *
advise_fallback (const SondeProfile *profile)
{
  g_autofree char *time = format_ns (profile->class_ns[SONDE_OPERATOR_CLASS_FALLBACK]);
  SondeAdvice *advice
      = advise_class (profile, SONDE_ADVICE_FALLBACK, SONDE_OPERATOR_CLASS_FALLBACK, MIN_FALLBACK,
                      sum_gain (profile, SONDE_OPERATOR_CLASS_FALLBACK));

  if (advice != NULL)
    advice->message = sonde_message_new (
        "Operators without a fast kernel take %d %% of a step (%s), most of all “%s”. Another data "
        "type, layout or operator for them may have one.",
        percent (advice->share), time, advice->node);
  return advice;
}

static SondeAdvice *
advise_copies (const SondeProfile *profile)
{
  const double copies_ns = profile->class_ns[SONDE_OPERATOR_CLASS_COPY];
  g_autofree char *time = format_ns (copies_ns);
  SondeAdvice *advice = advise_class (profile, SONDE_ADVICE_COPIES, SONDE_OPERATOR_CLASS_COPY,
                                      MIN_COPIES, copies_ns);

  if (advice != NULL)
    advice->message = sonde_message_new (
        "Copies, casts and changes of layout take %d %% of a step (%s), most of all “%s”. Keeping "
        "one data type, layout and device along the graph would save them.",
        percent (advice->share), time, advice->node);
  return advice;
}

static SondeAdvice *
advise_overhead (const SondeProfile *profile)
{
  const double small_ns = profile->class_ns[SONDE_OPERATOR_CLASS_OVERHEAD];
  const double share = small_ns / profile->wall_ns;
  g_autofree char *time = format_ns (small_ns);
  SondeAdvice *advice;
  double calls = 0;

  if (!profile->has_classes || !(share >= MIN_OVERHEAD))
    return NULL;
  for (guint i = 0; i < profile->operators->len; i++)
    {
      const SondeProfileOperator *op = sonde_profile_get_operator (profile, i);

      if (op->operator_class == SONDE_OPERATOR_CLASS_OVERHEAD)
        calls += op->mean_calls;
    }
  advice = advice_new (SONDE_ADVICE_OVERHEAD_BOUND, share,
                       sum_gain (profile, SONDE_OPERATOR_CLASS_OVERHEAD));
  add_number (advice, "share", share);
  add_number (advice, "calls", calls);
  add_number (advice, "overhead_us", profile->facts->ceilings.overhead_us);
  advice->message = sonde_message_new (
      "%d %% of a step (%s) goes into %.0f calls that compute less than the %.1f µs that a call "
      "costs. A greater batch, fewer and greater operators or fewer threads would help.",
      percent (share), time, calls, profile->facts->ceilings.overhead_us);
  return advice;
}

/* What the machine would allow, in words; nothing where it is not known. */
static void
say_limit (SondeAdvice *advice, const SondeProfileOperator *op)
{
  g_autofree char *limit = NULL;

  if (isnan (op->limit_ns))
    return;
  limit = format_ns (op->limit_ns);
  if (op->operator_class == SONDE_OPERATOR_CLASS_COMPUTE)
    sonde_message_append_format (
        advice->message, " It is bound by arithmetic: this machine needs at least %s.", limit);
  else if (op->operator_class == SONDE_OPERATOR_CLASS_BANDWIDTH)
    sonde_message_append_format (advice->message,
                                 " It is bound by memory: this machine needs at least %s.", limit);
  else
    sonde_message_append_format (advice->message, " This machine needs at least %s.", limit);
}

static SondeAdvice *
advise_dominant (const SondeProfile *profile)
{
  const SondeProfileOperator *op
      = profile->operators->len > 0 ? sonde_profile_get_operator (profile, 0) : NULL;
  g_autofree char *time = NULL;
  SondeAdvice *advice;

  if (op == NULL || !(op->share >= MIN_DOMINANT))
    return NULL;
  time = format_ns (op->mean_self_ns);
  advice = advice_new (SONDE_ADVICE_DOMINANT_OP, op->share,
                       isnan (op->limit_ns) ? NAN : fmax (op->mean_self_ns - op->limit_ns, 0));
  advice->node = get_name (op);
  add_number (advice, "share", op->share);
  add_text (advice, "class", sonde_operator_class_get_name (op->operator_class));
  add_number (advice, "limit_ms", op->limit_ns / NS_PER_MS);
  if (!profile->has_steps)
    advice->message = sonde_message_new ("“%s” takes %d %% of the time (%s).", advice->node,
                                         percent (op->share), time);
  else if (op->node != NULL)
    advice->message = sonde_message_new ("“%s” (%s) takes %d %% of a step (%s).", op->node, op->op,
                                         percent (op->share), time);
  else
    advice->message
        = sonde_message_new ("“%s” takes %d %% of a step (%s).", op->op, percent (op->share), time);
  say_limit (advice, op);
  return advice;
}

static SondeAdvice *
advise_recording (const SondeProfile *profile)
{
  const double recording_ns = profile->part_ns[SONDE_STEP_PART_RECORDING];
  const double share = recording_ns / profile->wall_ns;
  const double bytes = profile->facts != NULL ? profile->facts->n_recorded_bytes : NAN;
  g_autofree char *time = format_ns (recording_ns), *size = NULL;
  SondeAdvice *advice;

  if (!profile->has_split || !(share >= MIN_RECORDING))
    return NULL;
  advice = advice_new (SONDE_ADVICE_RECORDING, share, recording_ns);
  add_number (advice, "share", share);
  add_number (advice, "bytes", bytes);
  size = sonde_format_bytes (bytes > 0 ? (guint64) bytes : 0);
  advice->message
      = bytes > 0
            ? sonde_message_new ("Recording takes %d %% of a step (%s, %s of records). Record "
                                 "fewer values, or not in every step.",
                                 percent (share), time, size)
            : sonde_message_new ("Recording takes %d %% of a step (%s). Record fewer values, "
                                 "or not in every step.",
                                 percent (share), time);
  return advice;
}

static SondeAdvice *
advise_uneven (const SondeProfile *profile)
{
  SondeEvidence slow = { "slow_steps", SONDE_EVIDENCE_STEPS, NAN, NULL, NULL };
  g_autofree char *p50 = format_ns (profile->step_p50_ns), *p95 = format_ns (profile->step_p95_ns);
  SondeAdvice *advice;

  if (!(profile->step_p95_ns > UNEVEN * profile->step_p50_ns))
    return NULL;
  advice = advice_new (SONDE_ADVICE_UNEVEN_STEPS, 1 - profile->step_p50_ns / profile->wall_ns,
                       fmax (profile->wall_ns - profile->step_p50_ns, 0));
  slow.steps = g_array_new (FALSE, FALSE, sizeof (guint));
  for (guint i = 0; i < profile->n_kept; i++)
    if (profile->step_ns[i] > UNEVEN * profile->step_p50_ns)
      {
        guint step = profile->range.first + i;

        g_array_append_val (slow.steps, step);
      }
  add_number (advice, "p50_ms", profile->step_p50_ns / NS_PER_MS);
  add_number (advice, "p95_ms", profile->step_p95_ns / NS_PER_MS);
  g_array_append_val (advice->evidence, slow);
  advice->message = sonde_message_new ("Steps are uneven: the median is %s, the 95th percentile "
                                       "%s. Slow steps: %u of %u; compare one "
                                       "of them with the others.",
                                       p50, p95, slow.steps->len, profile->n_steps);
  return advice;
}

static SondeMessage *
describe_change (const SondeMemoryAlternative *best, const char *now, const char *then)
{
  switch (best->change)
    {
    case SONDE_MEMORY_IN_PLACE:
      return sonde_message_new ("At most %s of memory are taken. If “%s” were made in place of an "
                                "input, it would be %s.",
                                now, best->value, then);
    case SONDE_MEMORY_EARLIER:
      return sonde_message_new ("At most %s of memory are taken. If “%s” were released after its "
                                "last reader, it would be %s.",
                                now, best->value, then);
    default:
      return sonde_message_new ("At most %s of memory are taken. If “%s” were computed again "
                                "instead of kept, it would be %s.",
                                now, best->value, then);
    }
}

/* @value: of which a lifetime is looked for; NULL: none */
static const SondeLifetime *
find_lifetime (const SondeMemoryTimeline *memory, const char *value)
{
  for (guint i = 0; memory->lifetimes != NULL && i < memory->lifetimes->len; i++)
    if (g_str_equal (g_array_index (memory->lifetimes, SondeLifetime, i).value, value))
      return &g_array_index (memory->lifetimes, SondeLifetime, i);
  return NULL;
}

static SondeAdvice *
advise_memory (const SondeProfile *profile)
{
  const SondeMemoryTimeline *memory = profile->facts != NULL ? &profile->facts->memory : NULL;
  const SondeMemoryAlternative *best = NULL;
  g_autofree char *now = NULL, *then = NULL;
  const SondeLifetime *lifetime;
  SondeAdvice *advice;

  for (guint i = 0; memory != NULL && memory->alternatives != NULL && i < memory->alternatives->len;
       i++)
    {
      const SondeMemoryAlternative *one
          = &g_array_index (memory->alternatives, SondeMemoryAlternative, i);

      if (one->peak_bytes < (best != NULL ? best->peak_bytes : memory->peak_bytes))
        best = one;
    }
  if (best == NULL)
    return NULL;
  lifetime = find_lifetime (memory, best->value);
  advice = advice_new (SONDE_ADVICE_MEMORY_PEAK, NAN, NAN);
  advice->node = lifetime != NULL ? lifetime->node : NULL;
  add_text (advice, "value", best->value);
  add_number (advice, "bytes", lifetime != NULL ? (double) lifetime->bytes : NAN);
  add_text (advice, "change", sonde_memory_change_get_name (best->change));
  add_number (advice, "peak_bytes", (double) best->peak_bytes);
  now = sonde_format_bytes (memory->peak_bytes);
  then = sonde_format_bytes (best->peak_bytes);
  advice->message = describe_change (best, now, then);
  return advice;
}

/* ---- all ----------------------------------------------------------------- */

/* By gain; what has none by share, last. */
static int
compare_gains (gconstpointer a, gconstpointer b)
{
  const SondeAdvice *x = *(SondeAdvice *const *) a, *y = *(SondeAdvice *const *) b;
  double left = isnan (x->gain_ns) ? -1 : x->gain_ns, right = isnan (y->gain_ns) ? -1 : y->gain_ns;

  if (left != right)
    return left < right ? 1 : -1;
  left = isnan (x->share) ? -1 : x->share;
  right = isnan (y->share) ? -1 : y->share;
  return left != right ? (left < right ? 1 : -1) : (int) x->kind - (int) y->kind;
}

GPtrArray *
sonde_profile_advice_list (const SondeProfile *profile)
{
  static SondeAdvice *(*const makers[]) (const SondeProfile *)
      = { advise_data_wait, advise_fallback,  advise_copies, advise_overhead,
          advise_dominant,  advise_recording, advise_uneven, advise_memory };
  GPtrArray *list = g_ptr_array_new_with_free_func (advice_free);

  if (sonde_profile_is_sampled (profile))
    return list;
  for (guint i = 0; i < G_N_ELEMENTS (makers); i++)
    {
      SondeAdvice *advice = makers[i](profile);

      if (advice != NULL)
        g_ptr_array_add (list, advice);
    }
  g_ptr_array_sort (list, compare_gains);
  return list;
}
