/* SPDX-License-Identifier: Apache-2.0
 * Lifetimes of plans, one plan after the other, in one column of memory: at the bottom what is there
 * all the time, above it the arenas. */
#include "engine/profile/sonde-memory-timeline.h"

#include "engine/nn/sonde-trainer-memory.h"
#include "engine/plan/sonde-plan-lifetimes.h"

/* Values that live at the peak, the largest: each may take as long as making the plan, so that there
 * are fewer where a plan has many steps. */
#define MOST_TRIED 16
#define LEAST_TRIED 4
#define STEPS_TRIED 8192

/* A plan, as of SondeTrainerPlan. @lifetimes: (element-type SondePlanLifetime) */
typedef struct
{
  SondePlan *plan;
  const char *name;
  gboolean is_first;
  GArray *lifetimes;
  GHashTable *states; /* set of SondeGraphValue: states that the optimiser updates */
} Part;

/* @first, @last: steps of the timeline */
typedef struct
{
  SondeTrainerPhase info;
  guint first, last;
} Phase;

typedef struct
{
  SondeProfileFacts *facts;
  SondeMemoryTimeline *timeline;
  Part *parts;
  guint n_parts;
  Phase *phases;
  guint n_phases;
  guint64 top; /* of what is there all the time */
} Builder;

/* ---- values -------------------------------------------------------------- */

static SondeMemoryKind
find_kind (const Part *part, const SondePlanLifetime *lifetime)
{
  const SondeGraphValue *value = lifetime->value;

  if (lifetime->room == SONDE_ROOM_SCRATCH)
    return SONDE_MEMORY_OF_WORKSPACE;
  if (lifetime->room == SONDE_ROOM_INPUT)
    return SONDE_MEMORY_OF_INPUT;
  if (lifetime->room == SONDE_ROOM_DERIVED)
    return SONDE_MEMORY_OF_WEIGHT;
  if (lifetime->room == SONDE_ROOM_UPDATE)
    value = value->update_of;
  if (value->producer == NULL)
    return value->constant == NULL                                  ? SONDE_MEMORY_OF_INPUT
           : g_hash_table_contains (part->states, (gpointer) value) ? SONDE_MEMORY_OF_OPTIMISER
                                                                    : SONDE_MEMORY_OF_WEIGHT;
  if (g_str_has_prefix (value->name, "recompute(")) /* of sonde_pass_rematerialise() */
    return SONDE_MEMORY_OF_ACTIVATION;
  return value->producer->phase == SONDE_PHASE_FORWARD    ? SONDE_MEMORY_OF_ACTIVATION
         : value->producer->phase == SONDE_PHASE_BACKWARD ? SONDE_MEMORY_OF_GRADIENT
                                                          : SONDE_MEMORY_OF_OPTIMISER;
}

static const char *
keep (Builder *builder, const char *text)
{
  return sonde_profile_facts_keep (builder->facts, text);
}

static const char *
name_call (Builder *builder, const char *what, const char *of)
{
  g_autofree char *text = g_strdup_printf ("%s(%s)", what, of);

  return keep (builder, text);
}

static const SondeStep *
find_step (const Part *part, guint step)
{
  return step != SONDE_NO_STEP ? sonde_plan_get_step (part->plan, step) : NULL;
}

/* Who it belongs to; times and place are the caller's. */
static SondeLifetime
describe (Builder *builder, const Part *part, const SondePlanLifetime *lifetime)
{
  const SondeStep *maker = find_step (part, lifetime->made_by),
                  *reader = find_step (part, lifetime->last_reader);
  const SondeNode *node = lifetime->value != NULL ? lifetime->value->producer : NULL;
  SondeLifetime result = { .kind = find_kind (part, lifetime) };

  if (node == NULL && maker != NULL && maker->n_nodes > 0)
    node = maker->nodes[maker->n_nodes - 1];
  if (lifetime->room == SONDE_ROOM_SCRATCH || lifetime->room == SONDE_ROOM_DERIVED)
    result.value = name_call (
        builder, lifetime->room == SONDE_ROOM_SCRATCH ? "workspace" : "derived", maker->name);
  else
    result.value = keep (builder, lifetime->value->name);
  if (maker != NULL)
    result.node = keep (builder, node == NULL || maker->n_nodes == 0 ? maker->name : node->name);
  if (node != NULL)
    result.scope = keep (builder, node->scope);
  if (reader != NULL && lifetime->room == SONDE_ROOM_ARENA)
    result.last_reader = keep (builder, reader->name);
  if (lifetime->shares != NULL)
    result.shares = keep (builder, lifetime->shares->name);
  return result;
}

static void
add (Builder *builder, SondeLifetime lifetime, guint from, guint until, guint64 offset,
     guint64 bytes)
{
  lifetime.from = from;
  lifetime.until = until;
  lifetime.offset = offset;
  lifetime.bytes = bytes;
  g_array_append_val (builder->timeline->lifetimes, lifetime);
}

/* ---- what is there all the time ------------------------------------------ */

/* Adds @lifetime wherever @kept holds of a phase, in one place. */
static void
add_kept (Builder *builder, SondeLifetime lifetime, guint64 bytes,
          gboolean (*kept) (const Phase *phase, guint what), guint what)
{
  for (guint i = 0; i < builder->n_phases; i++)
    {
      guint first = i;

      if (!kept (&builder->phases[i], what))
        continue;
      while (i + 1 < builder->n_phases && kept (&builder->phases[i + 1], what))
        i++;
      add (builder, lifetime, builder->phases[first].first, builder->phases[i].last, builder->top,
           bytes);
    }
  builder->top += bytes;
}

static gboolean
has_model (const Phase *phase, guint released)
{
  return phase->info.whole_model || !released;
}

static gboolean
has_plan (const Phase *phase, guint part)
{
  return (phase->info.kept >> part & 1) != 0;
}

/* The tensors of a model, each once. @trainer: (nullable): it may let go of some */
static void
add_model (Builder *builder, SondeGraph *graph, SondeTrainer *trainer)
{
  g_autoptr (GHashTable) seen = g_hash_table_new (NULL, NULL);

  for (guint i = 0; i < graph->values->len; i++)
    {
      const SondeGraphValue *value = g_ptr_array_index (graph->values, i);
      SondeTensor *tensor = value != NULL && value->constant != NULL
                                ? sonde_value_get_tensor (value->constant)
                                : NULL;
      SondeLifetime lifetime = { .kind = SONDE_MEMORY_OF_WEIGHT };

      if (tensor == NULL || (trainer == NULL && !g_hash_table_add (seen, tensor)))
        continue;
      lifetime.value = keep (builder, value->name);
      add_kept (builder, lifetime, sonde_tensor_n_bytes (tensor), has_model,
                trainer != NULL && !sonde_trainer_keeps (trainer, value));
    }
}

static gboolean
is_in_arena (const SondePlanLifetime *lifetime)
{
  return lifetime->room == SONDE_ROOM_ARENA || lifetime->room == SONDE_ROOM_SCRATCH;
}

/* A weight without bytes of its own is the model's. */
static void
add_own (Builder *builder, guint index)
{
  const Part *part = &builder->parts[index];

  for (guint i = 0; i < part->lifetimes->len; i++)
    {
      const SondePlanLifetime *lifetime = &g_array_index (part->lifetimes, SondePlanLifetime, i);
      guint64 bytes = part->is_first ? lifetime->bytes : lifetime->copied;

      if (!is_in_arena (lifetime) && (bytes > 0 || lifetime->shares != NULL))
        add_kept (builder, describe (builder, part, lifetime), bytes, has_plan, index);
    }
}

/* ---- arenas -------------------------------------------------------------- */

static gboolean
is_evaluation (const Builder *builder, guint part)
{
  return g_str_has_suffix (builder->parts[part].name, "evaluation");
}

static void
add_arena (Builder *builder, const Phase *phase, guint index, guint64 base)
{
  const Part *part = &builder->parts[index];
  SondeLifetime whole = { .kind = SONDE_MEMORY_OF_WORKSPACE };

  if (phase->info.running != index)
    {
      whole.value = name_call (builder, "arena", part->name);
      add (builder, whole, phase->first, phase->last, base,
           sonde_plan_get_arena_bytes (part->plan));
      return;
    }
  for (guint i = 0; i < part->lifetimes->len; i++)
    {
      const SondePlanLifetime *lifetime = &g_array_index (part->lifetimes, SondePlanLifetime, i);

      if (is_in_arena (lifetime))
        add (builder, describe (builder, part, lifetime), phase->first + lifetime->from,
             phase->first + lifetime->until, base + lifetime->offset, lifetime->bytes);
    }
}

/* That of an evaluation is above the others, which stay where they are. */
static void
add_arenas (Builder *builder, const Phase *phase)
{
  guint64 base = builder->top;

  for (guint evaluation = 0; evaluation < 2; evaluation++)
    for (guint i = 0; i < builder->n_parts; i++)
      if ((phase->info.awake >> i & 1) != 0 && is_evaluation (builder, i) == (evaluation == 1))
        {
          add_arena (builder, phase, i, base);
          base += sonde_plan_get_arena_bytes (builder->parts[i].plan);
        }
}

/* ---- steps and the peak -------------------------------------------------- */

/* One step at least: there is a moment in which only weights are there. */
static void
name_steps (Builder *builder)
{
  SondeMemoryTimeline *timeline = builder->timeline;
  g_autoptr (GPtrArray) names = g_ptr_array_new ();
  g_autoptr (GArray) held = g_array_new (FALSE, FALSE, sizeof (guint64));

  for (guint i = 0; i < builder->n_phases; i++)
    {
      Phase *phase = &builder->phases[i];
      SondePlan *plan
          = phase->info.running != G_MAXUINT ? builder->parts[phase->info.running].plan : NULL;
      guint n = plan != NULL ? sonde_plan_get_n_steps (plan) : 0;

      phase->first = names->len;
      for (guint k = 0; k < n; k++)
        g_ptr_array_add (names, (gpointer) keep (builder, sonde_plan_get_step (plan, k)->name));
      if (n == 0)
        g_ptr_array_add (names, (gpointer) keep (builder, phase->info.name));
      phase->last = names->len - 1;
      for (guint k = phase->first; k <= phase->last; k++)
        g_array_append_val (held, phase->info.bytes);
    }
  timeline->n_steps = names->len;
  timeline->steps = (const char *const *) g_ptr_array_steal (names, NULL);
  timeline->held_bytes = (guint64 *) g_array_steal (held, NULL);
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

/* ---- alternatives -------------------------------------------------------- */

static int
compare_sizes (gconstpointer a, gconstpointer b)
{
  const SondePlanLifetime *x = *(const SondePlanLifetime *const *) a,
                          *y = *(const SondePlanLifetime *const *) b;

  if (x->bytes != y->bytes)
    return x->bytes > y->bytes ? -1 : 1;
  return x->slot < y->slot ? -1 : x->slot > y->slot;
}

static int
compare_peaks (gconstpointer a, gconstpointer b)
{
  const SondeMemoryAlternative *x = a, *y = b;

  return x->peak_bytes < y->peak_bytes ? -1 : x->peak_bytes > y->peak_bytes;
}

/* The largest of all phases when plan @index takes @changed instead. */
static guint64
count_peak (const Builder *builder, guint index, const SondePlanMemory *changed)
{
  SondePlanMemory now;
  guint64 most = 0;

  sonde_plan_get_memory (builder->parts[index].plan, &now);
  for (guint i = 0; i < builder->n_phases; i++)
    {
      const SondeTrainerPhase *phase = &builder->phases[i].info;
      guint64 bytes = phase->bytes;

      if ((phase->kept >> index & 1) != 0)
        bytes = bytes - (now.bytes - now.rests) + (changed->bytes - changed->rests);
      if ((phase->awake >> index & 1) != 0)
        bytes = bytes - now.rests + changed->rests;
      most = MAX (most, bytes);
    }
  return most;
}

static void
try_value (Builder *builder, guint index, const SondePlanLifetime *lifetime, guint step)
{
  static const SondePlanTry tries[SONDE_MEMORY_N_CHANGES]
      = { SONDE_TRY_IN_PLACE, SONDE_TRY_EARLIER, SONDE_TRY_RECOMPUTE };

  for (guint change = 0; change < SONDE_MEMORY_N_CHANGES; change++)
    {
      SondeMemoryAlternative alternative
          = { .value = keep (builder, lifetime->value->name), .change = change };
      SondePlanMemory memory;

      if (!sonde_plan_try (builder->parts[index].plan, lifetime, tries[change], step, &memory))
        continue;
      alternative.peak_bytes = count_peak (builder, index, &memory);
      g_array_append_val (builder->timeline->alternatives, alternative);
    }
}

static void
find_alternatives (Builder *builder)
{
  const SondeMemoryTimeline *timeline = builder->timeline;
  g_autoptr (GPtrArray) living = g_ptr_array_new ();
  const Phase *phase = builder->phases;
  guint step, n_tried;

  while (phase->last < timeline->peak_step)
    phase++;
  if (phase->info.running == G_MAXUINT)
    return;

  step = timeline->peak_step - phase->first;
  for (guint i = 0; i < builder->parts[phase->info.running].lifetimes->len; i++)
    {
      SondePlanLifetime *lifetime
          = &g_array_index (builder->parts[phase->info.running].lifetimes, SondePlanLifetime, i);

      if (lifetime->room == SONDE_ROOM_ARENA && lifetime->bytes > 0 && lifetime->from <= step
          && lifetime->until >= step)
        g_ptr_array_add (living, lifetime);
    }
  g_ptr_array_sort (living, compare_sizes);
  n_tried = CLAMP (STEPS_TRIED / (phase->last - phase->first + 1), LEAST_TRIED, MOST_TRIED);
  for (guint i = 0; i < MIN (living->len, n_tried); i++)
    try_value (builder, phase->info.running, living->pdata[i], step);
  g_array_sort (timeline->alternatives, compare_peaks);
}

/* ---- both ---------------------------------------------------------------- */

static void
part_init (Part *part, SondePlan *plan, const char *name, gboolean is_first)
{
  const SondeGraph *graph = sonde_plan_get_graph (plan);

  *part = (Part){ .plan = plan,
                  .name = name,
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
part_clear (Part *part)
{
  g_array_unref (part->lifetimes);
  g_hash_table_unref (part->states);
}

static void
build (Builder *builder, SondeGraph *model, SondeTrainer *trainer)
{
  SondeMemoryTimeline *timeline = builder->timeline = &builder->facts->memory;

  timeline->lifetimes = g_array_new (FALSE, FALSE, sizeof (SondeLifetime));
  timeline->alternatives = g_array_new (FALSE, FALSE, sizeof (SondeMemoryAlternative));
  name_steps (builder);
  add_model (builder, model, trainer);
  for (guint i = 0; i < builder->n_parts; i++)
    add_own (builder, i);
  for (guint i = 0; i < builder->n_phases; i++)
    add_arenas (builder, &builder->phases[i]);
  g_array_sort (timeline->lifetimes, compare_lifetimes);
  find_peak (timeline);
  find_alternatives (builder);
  for (guint i = 0; i < builder->n_parts; i++)
    part_clear (&builder->parts[i]);
}

static guint64
count_constants (const SondeGraph *graph)
{
  g_autoptr (GHashTable) seen = g_hash_table_new (NULL, NULL);
  guint64 bytes = 0;

  for (guint i = 0; i < graph->values->len; i++)
    {
      const SondeGraphValue *value = g_ptr_array_index (graph->values, i);
      SondeTensor *tensor = value != NULL && value->constant != NULL
                                ? sonde_value_get_tensor (value->constant)
                                : NULL;

      if (tensor != NULL && g_hash_table_add (seen, tensor))
        bytes += sonde_tensor_n_bytes (tensor);
    }
  return bytes;
}

void
sonde_memory_timeline_of_plan (SondeProfileFacts *facts, SondePlan *plan)
{
  SondeGraph *graph = sonde_plan_get_graph (plan);
  SondePlanMemory memory;
  Part part;
  Phase phase = { .info = { .name = "start", .kept = 1, .awake = 1 } };
  Builder builder
      = { .facts = facts, .parts = &part, .n_parts = 1, .phases = &phase, .n_phases = 1 };

  g_return_if_fail (facts != NULL && facts->memory.lifetimes == NULL && plan != NULL);

  sonde_plan_get_memory (plan, &memory);
  phase.info.bytes = count_constants (graph) + memory.bytes;
  part_init (&part, plan, "step", TRUE);
  build (&builder, graph, NULL);
}

void
sonde_memory_timeline_of_training (SondeProfileFacts *facts, SondeTrainer *trainer)
{
  g_autoptr (SondeTrainerMemory) memory = sonde_trainer_describe_memory (trainer);
  guint64 planned = sonde_trainer_get_planned_bytes (trainer);
  g_autofree Part *parts = g_new0 (Part, memory->plans->len);
  g_autofree Phase *phases = g_new0 (Phase, memory->phases->len);
  Builder builder
      = { .facts = facts, .parts = parts, .n_parts = memory->plans->len, .phases = phases };

  g_return_if_fail (facts != NULL && facts->memory.lifetimes == NULL);

  for (guint i = 0; i < memory->plans->len; i++)
    {
      const SondeTrainerPlan *plan = &g_array_index (memory->plans, SondeTrainerPlan, i);

      part_init (&parts[i], plan->plan, plan->name, plan->is_first);
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
