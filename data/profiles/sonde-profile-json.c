/* SPDX-License-Identifier: Apache-2.0
 * Times are milliseconds here; what is not known is null. */
#include "data/profiles/sonde-profile-json.h"

#include <math.h>

#include "data/arrays/sonde-json.h"
#include "data/profiles/sonde-profile-advice.h"

#define NS_PER_MS 1e6

static void
set_null (JsonBuilder *json, const char *name)
{
  json_builder_set_member_name (json, name);
  json_builder_add_null_value (json);
}

/* Null where it is no finite number. */
static void
set_number (JsonBuilder *json, const char *name, double value)
{
  if (isfinite (value))
    sonde_json_set_double (json, name, value);
  else
    set_null (json, name);
}

static void
set_ms (JsonBuilder *json, const char *name, double ns)
{
  set_number (json, name, ns / NS_PER_MS);
}

/* Null where it is negative: not known. */
static void
set_amount (JsonBuilder *json, const char *name, gint64 value)
{
  if (value >= 0)
    sonde_json_set_int (json, name, value);
  else
    set_null (json, name);
}

static void
set_texts (JsonBuilder *json, const char *name, const char *const *texts)
{
  if (texts == NULL)
    {
      set_null (json, name);
      return;
    }
  sonde_json_begin_array (json, name);
  for (; *texts != NULL; texts++)
    sonde_json_add_string (json, *texts);
  json_builder_end_array (json);
}

/* ---- what was measured --------------------------------------------------- */

/* The name of the device of an own recording; of a trace how much its devices do. */
static void
add_device (JsonBuilder *json, const SondeProfile *profile)
{
  const SondeDeviceSplit *device = &profile->device;
  const double n = (double) device->n_steps * (double) device->n_devices;

  if (profile->facts != NULL || device->n_devices == 0)
    {
      sonde_json_set_string (json, "device",
                             profile->facts != NULL ? profile->facts->device : NULL);
      return;
    }
  sonde_json_begin_object (json, "device");
  set_ms (json, "busy_ms", (double) device->busy_ns / n);
  set_ms (json, "idle_ms", (double) device->idle_ns / n);
  set_ms (json, "compute_ms", (double) device->compute_ns / n);
  set_ms (json, "copy_ms", (double) device->copy_ns / n);
  set_ms (json, "communication_ms", (double) device->communication_ns / n);
  set_ms (json, "exposed_communication_ms", (double) device->exposed_communication_ns / n);
  json_builder_end_object (json);
}

static void
add_head (JsonBuilder *json, const SondeProfile *profile)
{
  const SondeProfileFacts *facts = profile->facts;

  sonde_json_set_string (json, "kind", sonde_profile_get_kind (profile));
  add_device (json, profile);
  if (facts != NULL && facts->n_threads > 0)
    sonde_json_set_int (json, "threads", facts->n_threads);
  else
    set_null (json, "threads");
  sonde_json_set_string (json, "precision", facts != NULL ? facts->precision : NULL);
  sonde_json_begin_object (json, "steps");
  sonde_json_set_int (json, "count", profile->n_steps);
  set_ms (json, "p50_ms", profile->step_p50_ns);
  set_ms (json, "p95_ms", profile->step_p95_ns);
  json_builder_end_object (json);
  set_ms (json, "wall_ms", profile->wall_ns);
  if (isnan (profile->run_min_ns))
    {
      set_null (json, "run_ms");
      return;
    }
  sonde_json_begin_object (json, "run_ms");
  set_ms (json, "min", profile->run_min_ns);
  set_ms (json, "median", profile->run_median_ns);
  json_builder_end_object (json);
}

/* The part of an operator: only Sonde's own recordings know it. */
static const char *
get_phase (const SondeOperatorFacts *facts)
{
  return facts != NULL && facts->part != SONDE_STEP_PART_OTHER
             ? sonde_step_part_get_name (facts->part)
             : NULL;
}

static void
add_operator (JsonBuilder *json, const SondeProfile *profile, const SondeProfileOperator *op)
{
  const gboolean sampled = sonde_profile_is_sampled (profile);
  const SondeOperatorFacts *facts = op->facts;

  json_builder_begin_object (json);
  sonde_json_set_string (json, "node", op->node);
  sonde_json_set_string (json, "op", op->op);
  sonde_json_set_string (json, "phase", get_phase (facts));
  set_texts (json, "nodes", facts != NULL ? facts->nodes : NULL);
  sonde_json_set_string (json, "implementation", facts != NULL ? facts->implementation : NULL);
  set_amount (json, "calls", sampled ? -1 : (gint64) op->n_calls);
  set_ms (json, "ms", op->mean_self_ns);
  set_ms (json, "self_ms", sampled ? NAN : (double) op->self_ns);
  set_ms (json, "total_ms", sampled ? NAN : (double) op->total_ns);
  set_ms (json, "p50_ms", op->p50_ns);
  set_ms (json, "p95_ms", op->p95_ns);
  set_number (json, "share", op->share);
  set_amount (json, "flops",
              facts != NULL ? facts->flops : sonde_profile_operator_get_told_flops (op));
  set_amount (json, "bytes",
              facts != NULL ? facts->bytes : sonde_profile_operator_get_told_bytes (op));
  set_number (json, "gflops", op->gflops);
  set_number (json, "gbs", op->gbs);
  sonde_json_set_string (json, "class", sonde_operator_class_get_name (op->operator_class));
  json_builder_end_object (json);
}

static void
add_classes (JsonBuilder *json, const SondeProfile *profile)
{
  if (!profile->has_classes)
    {
      set_null (json, "classes");
      return;
    }
  sonde_json_begin_object (json, "classes");
  for (guint i = 0; i < SONDE_OPERATOR_CLASS_UNKNOWN; i++)
    set_ms (json, sonde_operator_class_get_name (i), profile->class_ns[i]);
  if (profile->class_ns[SONDE_OPERATOR_CLASS_UNKNOWN] > 0)
    set_ms (json, "unknown", profile->class_ns[SONDE_OPERATOR_CLASS_UNKNOWN]);
  json_builder_end_object (json);
}

static void
add_roofline (JsonBuilder *json, const SondeProfile *profile)
{
  const SondeCeilings *ceilings = profile->facts != NULL ? &profile->facts->ceilings : NULL;

  if (ceilings == NULL || isnan (ceilings->peak_gflops) || isnan (ceilings->peak_gbs))
    {
      set_null (json, "roofline");
      return;
    }
  sonde_json_begin_object (json, "roofline");
  set_number (json, "peak_gflops", ceilings->peak_gflops);
  set_number (json, "peak_gbs", ceilings->peak_gbs);
  set_number (json, "ridge", ceilings->peak_gflops / ceilings->peak_gbs);
  set_number (json, "overhead_us", ceilings->overhead_us);
  json_builder_end_object (json);
}

/* ---- where a step goes --------------------------------------------------- */

static void
add_split (JsonBuilder *json, const SondeProfile *profile)
{
  if (!profile->has_split)
    {
      set_null (json, "split");
      return;
    }
  sonde_json_begin_object (json, "split");
  for (guint i = 0; i < SONDE_STEP_N_PARTS; i++)
    {
      g_autofree char *name = g_strconcat (sonde_step_part_get_name (i), "_ms", NULL);

      set_ms (json, name, profile->part_ns[i]);
    }
  json_builder_end_object (json);
}

static void
add_data (JsonBuilder *json, const SondeProfile *profile)
{
  const SondeProfileFacts *facts = profile->facts;

  if (facts == NULL)
    {
      set_null (json, "data");
      return;
    }
  sonde_json_begin_object (json, "data");
  sonde_json_begin_array (json, "stages");
  for (guint i = 0; i < facts->stages->len; i++)
    {
      const SondeStageFacts *stage = &g_array_index (facts->stages, SondeStageFacts, i);

      json_builder_begin_object (json);
      sonde_json_set_string (json, "stage", stage->stage);
      set_ms (json, "ms", stage->busy_ns);
      set_ms (json, "wait_ms", stage->wait_ns);
      sonde_json_set_int (json, "workers", stage->n_workers);
      set_number (json, "queue_mean", stage->queue_mean);
      json_builder_end_object (json);
    }
  json_builder_end_array (json);
  json_builder_end_object (json);
}

/* ---- memory -------------------------------------------------------------- */

static const char *
get_step (const SondeMemoryTimeline *memory, guint step)
{
  return step < memory->n_steps ? memory->steps[step] : NULL;
}

static void
add_alive (JsonBuilder *json, const SondeMemoryTimeline *memory)
{
  sonde_json_begin_array (json, "alive");
  for (guint i = 0; i < memory->lifetimes->len; i++)
    {
      const SondeLifetime *life = &g_array_index (memory->lifetimes, SondeLifetime, i);

      if (life->bytes == 0 || life->from > memory->peak_step || life->until < memory->peak_step)
        continue;
      json_builder_begin_object (json);
      sonde_json_set_string (json, "value", life->value);
      sonde_json_set_string (json, "kind", sonde_memory_kind_get_name (life->kind));
      sonde_json_set_int (json, "bytes", (gint64) life->bytes);
      sonde_json_set_string (json, "from", get_step (memory, life->from));
      sonde_json_set_string (json, "until", get_step (memory, life->until));
      sonde_json_set_string (json, "node", life->node);
      sonde_json_set_string (json, "scope", life->scope);
      sonde_json_set_boolean (json, "measured", life->is_measured);
      json_builder_end_object (json);
    }
  json_builder_end_array (json);
}

static void
add_bodies (JsonBuilder *json, const SondeMemoryTimeline *memory)
{
  sonde_json_begin_array (json, "bodies");
  for (guint i = 0; memory->bodies != NULL && i < memory->bodies->len; i++)
    {
      const SondeBodyMemory *body = &g_array_index (memory->bodies, SondeBodyMemory, i);

      json_builder_begin_object (json);
      sonde_json_set_string (json, "body", body->body);
      sonde_json_set_string (json, "node", body->node);
      sonde_json_set_string (json, "from", get_step (memory, body->from));
      sonde_json_set_string (json, "until", get_step (memory, body->until));
      sonde_json_set_int (json, "runs", (gint64) body->n_runs);
      sonde_json_set_int (json, "shown", (gint64) body->shown);
      sonde_json_set_int (json, "least_bytes", (gint64) body->least_bytes);
      sonde_json_set_int (json, "peak_bytes", (gint64) body->most_bytes);
      json_builder_end_object (json);
    }
  json_builder_end_array (json);
}

static void
add_alternatives (JsonBuilder *json, const SondeMemoryTimeline *memory)
{
  if (memory->alternatives == NULL)
    {
      set_null (json, "if");
      return;
    }
  sonde_json_begin_array (json, "if");
  for (guint i = 0; i < memory->alternatives->len; i++)
    {
      const SondeMemoryAlternative *one
          = &g_array_index (memory->alternatives, SondeMemoryAlternative, i);

      json_builder_begin_object (json);
      sonde_json_set_string (json, "value", one->value);
      sonde_json_set_string (json, "change", sonde_memory_change_get_name (one->change));
      sonde_json_set_int (json, "peak_bytes", (gint64) one->peak_bytes);
      json_builder_end_object (json);
    }
  json_builder_end_array (json);
}

static void
add_memory (JsonBuilder *json, const SondeProfile *profile)
{
  const SondeMemoryTimeline *memory = profile->facts != NULL ? &profile->facts->memory : NULL;

  sonde_json_begin_object (json, "memory");
  set_amount (json, "peak_bytes", sonde_profile_get_peak_bytes (profile));
  if (memory == NULL || memory->lifetimes == NULL)
    {
      set_null (json, "peak_at");
      set_null (json, "by_kind");
      set_null (json, "alive");
      set_null (json, "bodies");
      set_null (json, "if");
      json_builder_end_object (json);
      return;
    }
  sonde_json_set_string (json, "peak_at", get_step (memory, memory->peak_step));
  sonde_json_begin_object (json, "by_kind");
  for (guint i = 0; i < SONDE_MEMORY_N_KINDS; i++)
    sonde_json_set_int (json, sonde_memory_kind_get_name (i), (gint64) memory->by_kind[i]);
  json_builder_end_object (json);
  add_alive (json, memory);
  add_bodies (json, memory);
  add_alternatives (json, memory);
  json_builder_end_object (json);
}

/* ---- advice -------------------------------------------------------------- */

static void
add_evidence (JsonBuilder *json, const SondeEvidence *evidence)
{
  switch (evidence->type)
    {
    case SONDE_EVIDENCE_NUMBER:
      set_number (json, evidence->key, evidence->number);
      break;
    case SONDE_EVIDENCE_TEXT:
      sonde_json_set_string (json, evidence->key,
                             evidence->texts->len > 0 ? g_ptr_array_index (evidence->texts, 0)
                                                      : NULL);
      break;
    case SONDE_EVIDENCE_TEXTS:
      sonde_json_begin_array (json, evidence->key);
      for (guint i = 0; i < evidence->texts->len; i++)
        sonde_json_add_string (json, g_ptr_array_index (evidence->texts, i));
      json_builder_end_array (json);
      break;
    case SONDE_EVIDENCE_STEPS:
      sonde_json_begin_array (json, evidence->key);
      for (guint i = 0; i < evidence->steps->len; i++)
        json_builder_add_int_value (json, g_array_index (evidence->steps, guint, i));
      json_builder_end_array (json);
      break;
    }
}

static void
add_advice (JsonBuilder *json, const SondeAdvice *advice)
{
  json_builder_begin_object (json);
  sonde_json_set_string (json, "id", sonde_advice_kind_get_name (advice->kind));
  sonde_json_set_string (json, "text", sonde_message_get_english (advice->message));
  sonde_json_set_string (json, "node", advice->node);
  set_number (json, "share", advice->share);
  set_ms (json, "gain_ms", advice->gain_ns);
  sonde_json_begin_object (json, "evidence");
  for (guint i = 0; i < advice->evidence->len; i++)
    add_evidence (json, &g_array_index (advice->evidence, SondeEvidence, i));
  json_builder_end_object (json);
  json_builder_end_object (json);
}

/* ---- comparison, what if ------------------------------------------------- */

static void
add_compared (JsonBuilder *json, const SondeComparedOperator *compared)
{
  set_ms (json, "base_ms", compared->base_ns);
  set_ms (json, "other_ms", compared->other_ns);
  set_number (json, "ratio", compared->ratio);
  set_number (json, "p", compared->p);
  sonde_json_set_boolean (json, "significant", compared->significant);
}

static void
add_comparison (JsonBuilder *json, const SondeProfileComparison *comparison)
{
  if (comparison == NULL)
    {
      set_null (json, "compare");
      return;
    }
  sonde_json_begin_object (json, "compare");
  sonde_json_begin_object (json, "wall");
  add_compared (json, &comparison->wall);
  json_builder_end_object (json);
  set_number (json, "common_ratio", comparison->common_ratio);
  sonde_json_set_boolean (json, "too_few_steps", comparison->too_few_steps);
  sonde_json_begin_array (json, "ops");
  for (guint i = 0; i < comparison->operators->len; i++)
    {
      const SondeComparedOperator *compared
          = &g_array_index (comparison->operators, SondeComparedOperator, i);
      const SondeProfileOperator *op
          = compared->base_op != NULL ? compared->base_op : compared->other_op;

      json_builder_begin_object (json);
      sonde_json_set_string (json, "op", op->op);
      sonde_json_set_string (json, "node", op->node);
      sonde_json_set_string (json, "state",
                             compared->base_op == NULL    ? "added"
                             : compared->other_op == NULL ? "removed"
                                                          : "both");
      add_compared (json, compared);
      json_builder_end_object (json);
    }
  json_builder_end_array (json);
  sonde_json_set_int (json, "significant", comparison->n_significant);
  json_builder_end_object (json);
}

static void
add_what_if (JsonBuilder *json, const SondeWhatIf *what_if)
{
  if (what_if == NULL)
    {
      set_null (json, "what_if");
      return;
    }
  sonde_json_begin_object (json, "what_if");
  sonde_json_set_string (json, "node", what_if->node);
  set_texts (json, "nodes", what_if->nodes);
  set_ms (json, "base_ms", what_if->base_ns);
  set_ms (json, "without_ms", what_if->without_ns);
  set_ms (json, "saving_ms", what_if->base_ns - what_if->without_ns);
  set_ms (json, "low_ms", what_if->low_ns);
  set_ms (json, "high_ms", what_if->high_ns);
  sonde_json_set_int (json, "runs", what_if->n_runs);
  sonde_json_set_int (json, "left_out", what_if->n_left_out);
  sonde_json_set_boolean (json, "disturbed", what_if->disturbed);
  set_number (json, "p", what_if->p);
  json_builder_end_object (json);
}

JsonNode *
sonde_profile_to_json (const SondeProfile *profile, const SondeProfileComparison *comparison,
                       const SondeWhatIf *what_if)
{
  g_autoptr (JsonBuilder) json = json_builder_new ();

  json_builder_begin_object (json);
  add_head (json, profile);
  sonde_json_begin_array (json, "ops");
  for (guint i = 0; i < profile->operators->len; i++)
    add_operator (json, profile, sonde_profile_get_operator (profile, i));
  json_builder_end_array (json);
  add_classes (json, profile);
  add_roofline (json, profile);
  add_split (json, profile);
  add_data (json, profile);
  add_memory (json, profile);
  sonde_json_begin_array (json, "advice");
  for (guint i = 0; i < profile->advice->len; i++)
    add_advice (json, g_ptr_array_index (profile->advice, i));
  json_builder_end_array (json);
  add_comparison (json, comparison);
  add_what_if (json, what_if);
  json_builder_end_object (json);
  return json_builder_get_root (json);
}
