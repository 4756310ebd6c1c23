/* SPDX-License-Identifier: Apache-2.0
 * Lifetimes of plans, one plan after the other, in one column of memory: at the bottom what is there
 * all the time, above it the arenas. */
#include "engine/profile/sonde-memory-timeline.h"

#include "engine/profile/sonde-memory-builder.h"

/* ---- what is there all the time ------------------------------------------ */

/* (nullable) */
static SondeTensor *
get_constant (const SondeGraphValue *value)
{
  return value != NULL && value->constant != NULL ? sonde_value_get_tensor (value->constant) : NULL;
}

static gboolean
has_model (const SondeMemoryPhase *phase, guint released)
{
  return phase->info.whole_model || !released;
}

/* @path: (nullable): of the body that @graph is; @seen: set of SondeTensor */
static void
add_graph (SondeMemoryBuilder *builder, const SondeGraph *graph, const char *path, GHashTable *seen)
{
  for (guint i = 0; i < graph->values->len; i++)
    {
      const SondeGraphValue *value = g_ptr_array_index (graph->values, i);
      SondeTensor *tensor = get_constant (value);
      SondeLifetime lifetime = { .kind = SONDE_MEMORY_OF_WEIGHT, .scope = path };

      if (tensor == NULL || !g_hash_table_add (seen, tensor))
        continue;
      lifetime.value = sonde_memory_builder_join (builder, path, value->name);
      sonde_memory_builder_add_kept (builder, lifetime, sonde_tensor_n_bytes (tensor), has_model,
                                     FALSE);
    }
  for (guint i = 0; i < graph->nodes->len; i++)
    {
      const SondeNode *node = g_ptr_array_index (graph->nodes, i);

      for (guint k = 0; node != NULL && k < node->attributes->len; k++)
        {
          const SondeAttribute *attribute = g_ptr_array_index (node->attributes, k);

          if (attribute->kind == SONDE_ATTRIBUTE_GRAPH)
            add_graph (builder, attribute->u.graph,
                       sonde_memory_builder_join (
                           builder, sonde_memory_builder_join (builder, path, node->name),
                           attribute->name),
                       seen);
        }
    }
}

/* The tensors of a model that is trained: @trainer may let go of some. */
static void
add_model (SondeMemoryBuilder *builder, const SondeGraph *graph, SondeTrainer *trainer)
{
  for (guint i = 0; i < graph->values->len; i++)
    {
      const SondeGraphValue *value = g_ptr_array_index (graph->values, i);
      SondeTensor *tensor = get_constant (value);
      SondeLifetime lifetime = { .kind = SONDE_MEMORY_OF_WEIGHT };

      if (tensor == NULL)
        continue;
      lifetime.value = sonde_memory_builder_keep (builder, value->name);
      sonde_memory_builder_add_kept (builder, lifetime, sonde_tensor_n_bytes (tensor), has_model,
                                     !sonde_trainer_keeps (trainer, value));
    }
}

static gboolean
is_in_arena (const SondePlanLifetime *lifetime)
{
  return lifetime->room == SONDE_ROOM_ARENA || lifetime->room == SONDE_ROOM_SCRATCH;
}

/* A weight without bytes of its own is the model's. */
static void
add_own (SondeMemoryBuilder *builder, guint index)
{
  const SondeMemoryPart *part = &builder->parts[index];

  for (guint i = 0; i < part->lifetimes->len; i++)
    {
      const SondePlanLifetime *lifetime = &g_array_index (part->lifetimes, SondePlanLifetime, i);
      guint64 bytes = part->is_first ? lifetime->bytes : lifetime->copied;

      if (!is_in_arena (lifetime) && (bytes > 0 || lifetime->shares != NULL))
        sonde_memory_builder_add_kept (
            builder,
            sonde_memory_builder_describe (builder, part->plan, NULL, part->states, lifetime),
            bytes, sonde_memory_phase_has_plan, index);
    }
}

/* ---- arenas -------------------------------------------------------------- */

static gboolean
is_evaluation (const SondeMemoryBuilder *builder, guint part)
{
  return g_str_has_suffix (builder->parts[part].name, "evaluation");
}

static void
add_arena (SondeMemoryBuilder *builder, const SondeMemoryPhase *phase, guint index, guint64 base)
{
  const SondeMemoryPart *part = &builder->parts[index];
  const SondeMemoryStretch *steps;
  SondeLifetime whole = { .kind = SONDE_MEMORY_OF_WORKSPACE };

  if (phase->info.running != index)
    {
      whole.value = sonde_memory_builder_name (builder, "arena", part->name);
      sonde_memory_builder_add (builder, whole, phase->first, phase->last, base,
                                sonde_plan_get_arena_bytes (part->plan));
      return;
    }
  steps = g_ptr_array_index (phase->stretches, 0);
  for (guint i = 0; i < part->lifetimes->len && sonde_plan_get_n_steps (part->plan) > 0; i++)
    {
      const SondePlanLifetime *lifetime = &g_array_index (part->lifetimes, SondePlanLifetime, i);

      if (is_in_arena (lifetime))
        sonde_memory_builder_add (
            builder,
            sonde_memory_builder_describe (builder, part->plan, NULL, part->states, lifetime),
            steps->at[lifetime->from], steps->at[lifetime->until], base + lifetime->offset,
            lifetime->bytes);
    }
}

/* That of an evaluation is above the others, which stay where they are. Returns: what is above all. */
static guint64
add_arenas (SondeMemoryBuilder *builder, const SondeMemoryPhase *phase)
{
  guint64 base = builder->top;

  for (guint evaluation = 0; evaluation < 2; evaluation++)
    for (guint i = 0; i < builder->n_parts; i++)
      if ((phase->info.awake >> i & 1) != 0 && is_evaluation (builder, i) == (evaluation == 1))
        {
          add_arena (builder, phase, i, base);
          base += sonde_plan_get_arena_bytes (builder->parts[i].plan);
        }
  return base;
}

/* ---- steps and the peak -------------------------------------------------- */

/* The steps of @phase; one at least: there is a moment in which only weights are there. */
static void
name_phase (SondeMemoryBuilder *builder, SondeMemoryPhase *phase, GPtrArray *names)
{
  SondeMemoryPart *part
      = phase->info.running != G_MAXUINT ? &builder->parts[phase->info.running] : NULL;

  phase->first = names->len;
  phase->stretches = g_ptr_array_new_with_free_func (sonde_memory_stretch_free);
  if (part != NULL)
    sonde_memory_builder_name_steps (
        builder, phase, part->plan,
        part->execution != NULL ? sonde_execution_get_run_notes (part->execution) : NULL, names);
  if (names->len == phase->first)
    g_ptr_array_add (names, (gpointer) sonde_memory_builder_keep (builder, phase->info.name));
  phase->last = names->len - 1;
}

static void
name_steps (SondeMemoryBuilder *builder)
{
  SondeMemoryTimeline *timeline = builder->timeline;
  g_autoptr (GPtrArray) names = g_ptr_array_new ();

  for (guint i = 0; i < builder->n_phases; i++)
    name_phase (builder, &builder->phases[i], names);
  timeline->n_steps = names->len;
  timeline->held_bytes = g_new0 (guint64, names->len + 1);
  timeline->steps = (const char *const *) g_ptr_array_steal (names, NULL);
  for (guint i = 0; i < builder->n_phases; i++)
    for (guint k = builder->phases[i].first; k <= builder->phases[i].last; k++)
      timeline->held_bytes[k] = builder->phases[i].info.bytes;
}

static int
compare_lifetimes (gconstpointer a, gconstpointer b)
{
  const SondeLifetime *x = a, *y = b;

  if (x->from != y->from)
    return x->from < y->from ? -1 : 1;
  return x->offset < y->offset ? -1 : x->offset > y->offset;
}

static void
find_peak (SondeMemoryTimeline *timeline)
{
  g_autofree gint64 *change = g_new0 (gint64, timeline->n_steps + 1);
  gint64 lives = 0, most = -1;

  for (guint i = 0; i < timeline->lifetimes->len; i++)
    {
      const SondeLifetime *lifetime = &g_array_index (timeline->lifetimes, SondeLifetime, i);

      change[lifetime->from] += (gint64) lifetime->bytes;
      change[lifetime->until + 1] -= (gint64) lifetime->bytes;
    }
  timeline->peak_bytes = 0;
  for (guint k = 0; k < timeline->n_steps; k++)
    {
      lives += change[k];
      if (timeline->held_bytes[k] < timeline->peak_bytes
          || (timeline->held_bytes[k] == timeline->peak_bytes && lives <= most))
        continue;
      timeline->peak_bytes = timeline->held_bytes[k];
      timeline->peak_step = k;
      most = lives;
    }
  sonde_memory_timeline_count (timeline, timeline->peak_step, timeline->by_kind);
}

/* ---- both ---------------------------------------------------------------- */

static void
part_init (SondeMemoryPart *part, SondePlan *plan, SondeExecution *execution, const char *name,
           gboolean is_first)
{
  const SondeGraph *graph = sonde_plan_get_graph (plan);

  *part = (SondeMemoryPart){ .plan = plan,
                             .execution = execution,
                             .name = name,
                             .bodies = g_ptr_array_new_with_free_func (sonde_memory_body_free),
                             .is_first = is_first,
                             .lifetimes = sonde_plan_list_lifetimes (plan),
                             .states = g_hash_table_new (NULL, NULL) };
  for (guint i = 0; i < graph->values->len; i++)
    {
      const SondeGraphValue *value = g_ptr_array_index (graph->values, i);

      if (value != NULL && value->update_of != NULL && value->producer != NULL
          && value->update_of->role == SONDE_ROLE_STATE
          && value->producer->phase == SONDE_PHASE_OPTIMISER)
        g_hash_table_add (part->states, value->update_of);
    }
}

static void
part_clear (SondeMemoryPart *part)
{
  g_array_unref (part->lifetimes);
  g_ptr_array_unref (part->bodies);
  g_hash_table_unref (part->states);
}

static void
add_phase (SondeMemoryBuilder *builder, SondeMemoryPhase *phase)
{
  guint64 above = add_arenas (builder, phase);

  if (phase->info.running != G_MAXUINT)
    sonde_memory_builder_add_run (builder, phase, above);
}

/* @trainer: (nullable) */
static void
add_lifetimes (SondeMemoryBuilder *builder, const SondeGraph *model, SondeTrainer *trainer)
{
  g_autoptr (GHashTable) seen = g_hash_table_new (NULL, NULL);

  if (trainer != NULL)
    add_model (builder, model, trainer);
  else
    add_graph (builder, model, NULL, seen);
  for (guint i = 0; i < builder->n_parts; i++)
    add_own (builder, i);
  sonde_memory_builder_add_bodies (builder);
  for (guint i = 0; i < builder->n_phases; i++)
    add_phase (builder, &builder->phases[i]);
  g_array_sort (builder->timeline->lifetimes, compare_lifetimes);
}

static void
build (SondeMemoryBuilder *builder, const SondeGraph *model, SondeTrainer *trainer)
{
  SondeMemoryTimeline *timeline = builder->timeline = &builder->facts->memory;

  timeline->lifetimes = g_array_new (FALSE, TRUE, sizeof (SondeLifetime));
  timeline->alternatives = g_array_new (FALSE, FALSE, sizeof (SondeMemoryAlternative));
  timeline->bodies = g_array_new (FALSE, FALSE, sizeof (SondeBodyMemory));
  sonde_memory_builder_find_bodies (builder);
  name_steps (builder);
  add_lifetimes (builder, model, trainer);
  find_peak (timeline);
  sonde_memory_builder_find_alternatives (builder);
  for (guint i = 0; i < builder->n_phases; i++)
    g_ptr_array_unref (builder->phases[i].stretches);
  for (guint i = 0; i < builder->n_parts; i++)
    part_clear (&builder->parts[i]);
}

/* As add_graph() adds them. */
static guint64
count_constants (const SondeGraph *graph, GHashTable *seen)
{
  guint64 bytes = 0;

  for (guint i = 0; i < graph->values->len; i++)
    {
      SondeTensor *tensor = get_constant (g_ptr_array_index (graph->values, i));

      if (tensor != NULL && g_hash_table_add (seen, tensor))
        bytes += sonde_tensor_n_bytes (tensor);
    }
  for (guint i = 0; i < graph->nodes->len; i++)
    {
      const SondeNode *node = g_ptr_array_index (graph->nodes, i);

      for (guint k = 0; node != NULL && k < node->attributes->len; k++)
        {
          const SondeAttribute *attribute = g_ptr_array_index (node->attributes, k);

          if (attribute->kind == SONDE_ATTRIBUTE_GRAPH)
            bytes += count_constants (attribute->u.graph, seen);
        }
    }
  return bytes;
}

void
sonde_memory_timeline_of_plan (SondeProfileFacts *facts, SondePlan *plan, SondeExecution *execution)
{
  SondeGraph *graph = sonde_plan_get_graph (plan);
  g_autoptr (GHashTable) seen = g_hash_table_new (NULL, NULL);
  SondePlanMemory memory;
  SondeMemoryPart part;
  SondeMemoryPhase phase = { .info = { .name = "start", .kept = 1, .awake = 1 } };
  SondeMemoryBuilder builder
      = { .facts = facts, .parts = &part, .n_parts = 1, .phases = &phase, .n_phases = 1 };

  g_return_if_fail (facts != NULL && facts->memory.lifetimes == NULL && plan != NULL);
  g_return_if_fail (execution == NULL || sonde_execution_get_plan (execution) == plan);

  sonde_plan_get_memory (plan, &memory);
  phase.info.bytes = count_constants (graph, seen) + memory.bytes;
  part_init (&part, plan, execution, "step", TRUE);
  build (&builder, graph, NULL);
}

void
sonde_memory_timeline_of_training (SondeProfileFacts *facts, SondeTrainer *trainer)
{
  g_autoptr (SondeTrainerMemory) memory = sonde_trainer_describe_memory (trainer);
  guint64 planned = sonde_trainer_get_planned_bytes (trainer);
  g_autofree SondeMemoryPart *parts = g_new0 (SondeMemoryPart, memory->plans->len);
  g_autofree SondeMemoryPhase *phases = g_new0 (SondeMemoryPhase, memory->phases->len);
  SondeMemoryBuilder builder
      = { .facts = facts, .parts = parts, .n_parts = memory->plans->len, .phases = phases };

  g_return_if_fail (facts != NULL && facts->memory.lifetimes == NULL);

  for (guint i = 0; i < memory->plans->len; i++)
    {
      const SondeTrainerPlan *plan = &g_array_index (memory->plans, SondeTrainerPlan, i);

      part_init (&parts[i], plan->plan, plan->execution, plan->name, plan->is_first);
    }
  for (guint i = 0; i < memory->phases->len; i++)
    {
      const SondeTrainerPhase *phase = &g_array_index (memory->phases, SondeTrainerPhase, i);

      /* the moment before the first step counts where it is the peak */
      if (phase->running != G_MAXUINT || phase->bytes == planned)
        phases[builder.n_phases++].info = *phase;
    }
  build (&builder, sonde_trainer_get_model (trainer), trainer);
}
