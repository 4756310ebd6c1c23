/* SPDX-License-Identifier: Apache-2.0
 * What only a run tells: the steps of bodies that ran inside others, what executions keep of bodies, and values of
 * run-time sizes. */
#include "engine/profile/sonde-memory-builder.h"

#include <string.h>

/* Values that are given places of their own, which others take later; more only lie one above the other. */
#define MOST_PLACED 1024

void
sonde_memory_body_free (gpointer data)
{
  SondeMemoryBody *body = data;

  g_array_unref (body->lifetimes);
  g_free (body);
}

void
sonde_memory_stretch_free (gpointer data)
{
  SondeMemoryStretch *stretch = data;

  g_free (stretch->begins);
  g_free (stretch->at);
  g_free (stretch);
}

/* ---- steps ---------------------------------------------------------------------- */

static SondeMemoryStretch *
add_stretch (SondeMemoryPhase *phase, SondePlan *plan, const SondeRunNotes *notes, const char *path)
{
  const guint n = sonde_plan_get_n_steps (plan);
  SondeMemoryStretch *stretch = g_new0 (SondeMemoryStretch, 1);

  *stretch = (SondeMemoryStretch){
    .plan = plan,
    .notes = notes,
    .path = path,
    .begins = g_new0 (guint, n + 1),
    .at = g_new0 (guint, n + 1),
  };
  g_ptr_array_add (phase->stretches, stretch);
  return stretch;
}

static const SondeBodyNotes *
get_body (const SondeRunNotes *notes, guint step)
{
  const SondeBodyNotes *body = notes != NULL ? notes->bodies[step] : NULL;

  return body != NULL && body->n_runs > 0 && body->run != NULL ? body : NULL;
}

/* “node/body”, the node with the bodies around it. */
static const char *
name_body (SondeMemoryBuilder *builder, const char *path, const SondePlan *plan, guint step,
           const char *name)
{
  return sonde_memory_builder_join (
      builder, sonde_memory_builder_join (builder, path, sonde_plan_get_step (plan, step)->name),
      name);
}

static void
name_stretch (SondeMemoryBuilder *builder, SondeMemoryPhase *phase, SondeMemoryStretch *stretch,
              GPtrArray *names)
{
  stretch->first = names->len;
  for (guint k = 0; k < sonde_plan_get_n_steps (stretch->plan); k++)
    {
      const SondeBodyNotes *body = get_body (stretch->notes, k);

      stretch->begins[k] = names->len;
      if (body != NULL)
        name_stretch (
            builder, phase,
            add_stretch (phase, body->run->plan, body->run,
                         name_body (builder, stretch->path, stretch->plan, k, body->name)),
            names);
      stretch->at[k] = names->len;
      g_ptr_array_add (names,
                       (gpointer) sonde_memory_builder_join (
                           builder, stretch->path, sonde_plan_get_step (stretch->plan, k)->name));
    }
  stretch->last = names->len - 1;
}

void
sonde_memory_builder_name_steps (SondeMemoryBuilder *builder, SondeMemoryPhase *phase,
                                 SondePlan *plan, const SondeRunNotes *notes, GPtrArray *names)
{
  name_stretch (builder, phase, add_stretch (phase, plan, notes, NULL), names);
}

/* ---- what is kept of bodies ------------------------------------------------------ */

/**
 * Search: for the bodies of @part
 * @path: (nullable): of the body that is looked into
 * @bytes: that they keep
 */
typedef struct
{
  SondeMemoryBuilder *builder;
  SondeMemoryPart *part;
  const char *path;
  guint64 bytes;
} Search;

static void
find_body (SondeExecution *execution, gpointer data)
{
  Search *search = data;
  SondeMemoryBody *body = g_new0 (SondeMemoryBody, 1);
  const char *around = search->path;
  SondePlanMemory memory;

  body->plan = sonde_execution_get_plan (execution);
  body->path = sonde_memory_builder_join (
      search->builder,
      sonde_memory_builder_join (search->builder, around,
                                 sonde_execution_get_node (execution)->name),
      sonde_execution_get_body_name (execution));
  body->lifetimes = sonde_plan_list_lifetimes (body->plan);
  g_ptr_array_add (search->part->bodies, body);
  sonde_plan_get_memory (body->plan, &memory);
  search->bytes += memory.bytes + sonde_execution_get_kept_bytes (execution);
  search->path = body->path;
  sonde_execution_foreach_body (execution, find_body, search);
  search->path = around;
}

void
sonde_memory_builder_find_bodies (SondeMemoryBuilder *builder)
{
  for (guint i = 0; i < builder->n_parts; i++)
    {
      Search search = { builder, &builder->parts[i], NULL, 0 };

      /* of a plan that knows everything, scratch is what somebody took who looked on */
      if (search.part->execution == NULL
          || sonde_execution_get_run_notes (search.part->execution) == NULL)
        continue;
      search.bytes = sonde_execution_get_kept_bytes (search.part->execution);
      sonde_execution_foreach_body (search.part->execution, find_body, &search);
      for (guint p = 0; p < builder->n_phases; p++)
        if (sonde_memory_phase_has_plan (&builder->phases[p], i))
          builder->phases[p].info.bytes += search.bytes;
    }
}

static gboolean
is_in_arena (const SondePlanLifetime *lifetime)
{
  return lifetime->room == SONDE_ROOM_ARENA || lifetime->room == SONDE_ROOM_SCRATCH;
}

/* Where the body ran in @phase. (nullable) */
static const SondeMemoryStretch *
find_stretch (const SondeMemoryPhase *phase, const SondePlan *plan)
{
  for (guint i = 1; phase->stretches != NULL && i < phase->stretches->len; i++)
    {
      const SondeMemoryStretch *stretch = g_ptr_array_index (phase->stretches, i);

      if (stretch->plan == plan && stretch->first <= stretch->last)
        return stretch;
    }
  return NULL;
}

/* While it runs its values, else the room for them. */
static void
add_body_arena (SondeMemoryBuilder *builder, const SondeMemoryPhase *phase,
                const SondeMemoryPart *part, const SondeMemoryBody *body)
{
  const SondeMemoryStretch *stretch = find_stretch (phase, body->plan);
  const guint64 bytes = sonde_plan_get_arena_bytes (body->plan);
  const SondeLifetime rest = { .kind = SONDE_MEMORY_OF_WORKSPACE,
                               .value = sonde_memory_builder_name (builder, "arena", body->path),
                               .scope = body->path };

  if (bytes == 0)
    return;
  if (stretch == NULL)
    {
      sonde_memory_builder_add (builder, rest, phase->first, phase->last, body->offset, bytes);
      return;
    }
  if (stretch->first > phase->first)
    sonde_memory_builder_add (builder, rest, phase->first, stretch->first - 1, body->offset, bytes);
  if (stretch->last < phase->last)
    sonde_memory_builder_add (builder, rest, stretch->last + 1, phase->last, body->offset, bytes);
  for (guint i = 0; i < body->lifetimes->len; i++)
    {
      const SondePlanLifetime *lifetime = &g_array_index (body->lifetimes, SondePlanLifetime, i);

      if (is_in_arena (lifetime))
        sonde_memory_builder_add (
            builder,
            sonde_memory_builder_describe (builder, body->plan, body->path, part->states, lifetime),
            stretch->at[lifetime->from], stretch->at[lifetime->until],
            body->offset + lifetime->offset, lifetime->bytes);
    }
}

static void
add_body (SondeMemoryBuilder *builder, guint index, SondeMemoryBody *body)
{
  const SondeMemoryPart *part = &builder->parts[index];

  for (guint i = 0; i < body->lifetimes->len; i++)
    {
      const SondePlanLifetime *lifetime = &g_array_index (body->lifetimes, SondePlanLifetime, i);

      if (!is_in_arena (lifetime) && lifetime->bytes > 0)
        sonde_memory_builder_add_kept (
            builder,
            sonde_memory_builder_describe (builder, body->plan, body->path, part->states, lifetime),
            lifetime->bytes, sonde_memory_phase_has_plan, index);
    }
  body->offset = builder->top;
  builder->top += sonde_plan_get_arena_bytes (body->plan);
  for (guint p = 0; p < builder->n_phases; p++)
    if (sonde_memory_phase_has_plan (&builder->phases[p], index))
      add_body_arena (builder, &builder->phases[p], part, body);
}

void
sonde_memory_builder_add_bodies (SondeMemoryBuilder *builder)
{
  for (guint i = 0; i < builder->n_parts; i++)
    {
      const SondeMemoryPart *part = &builder->parts[i];

      for (guint k = 0; k < part->bodies->len; k++)
        add_body (builder, i, g_ptr_array_index (part->bodies, k));
    }
}

/* ---- values of run-time sizes ---------------------------------------------------- */

/* Values of one phase that are not in their places yet. @values: (element-type SondeLifetime) */
typedef struct
{
  SondeMemoryBuilder *builder;
  SondeMemoryPhase *phase;
  const SondeMemoryPart *part;
  GArray *values;
} Run;

static void
add_value (Run *run, SondeLifetime value, guint from, guint until, guint64 bytes)
{
  value.from = from;
  value.until = until;
  value.bytes = bytes;
  value.is_measured = TRUE;
  if (bytes > 0 && from <= until)
    g_array_append_val (run->values, value);
}

/* A value that outlives its run: of a body, what is left when its node has ended, and what was left by the run
 * before. */
static void
add_lasting (Run *run, const SondeMemoryStretch *stretch, const SondeLifetime *lifetime, guint from,
             const SondePlanLifetime *value)
{
  const guint first = run->phase->first, last = run->phase->last;

  if (stretch->path == NULL)
    {
      add_value (run, *lifetime, from, last, value->bytes);
      return;
    }
  add_value (run, *lifetime, from, stretch->last, value->bytes);
  if (stretch->last < last)
    add_value (run, *lifetime, stretch->last + 1, last, stretch->notes->left_bytes[value->slot]);
  if (stretch->first > first)
    add_value (run, *lifetime, first, stretch->first - 1, stretch->notes->held_bytes[value->slot]);
}

static void
add_values (Run *run, const SondeMemoryStretch *stretch)
{
  g_autoptr (GArray) values
      = sonde_plan_list_run_values (stretch->plan, stretch->notes->slot_bytes);

  for (guint i = 0; i < values->len; i++)
    {
      const SondePlanLifetime *value = &g_array_index (values, SondePlanLifetime, i);
      const SondeLifetime lifetime = sonde_memory_builder_describe (
          run->builder, stretch->plan, stretch->path, run->part->states, value);
      const guint from
          = value->room == SONDE_ROOM_INPUT ? stretch->first : stretch->at[value->from];

      if (value->until != SONDE_NO_STEP)
        add_value (run, lifetime, from, stretch->at[value->until], value->bytes);
      else
        add_lasting (run, stretch, &lifetime, from, value);
    }
}

/* What goes from run to run of a body, and what is collected of them, while they run and when the node puts its
 * results together. */
static void
add_carried (Run *run, const SondeMemoryStretch *stretch, guint step)
{
  const SondeBodyNotes *body = get_body (stretch->notes, step);
  const char *path = body != NULL
                         ? name_body (run->builder, stretch->path, stretch->plan, step, body->name)
                         : NULL;
  const guint first = stretch->begins[step], at = stretch->at[step];
  SondeLifetime carried = { .kind = SONDE_MEMORY_OF_ACTIVATION, .scope = path },
                collected = { .kind = SONDE_MEMORY_OF_WORKSPACE, .scope = path };

  if (body == NULL)
    return;
  carried.value = sonde_memory_builder_name (run->builder, "carried", path);
  collected.value = sonde_memory_builder_name (run->builder, "collected", path);
  carried.node = collected.node
      = sonde_memory_builder_keep (run->builder, sonde_plan_get_step (stretch->plan, step)->name);
  carried.last_reader = collected.last_reader = run->builder->timeline->steps[at];
  if (first < at)
    {
      add_value (run, carried, first, at - 1, body->carried);
      add_value (run, collected, first, at - 1, body->collected_before);
    }
  add_value (run, collected, at, at, body->collected);
}

/* Bytes of @values by step of the phase. (transfer full) */
static guint64 *
sum_up (const Run *run)
{
  const guint first = run->phase->first, n = run->phase->last - first + 1;
  guint64 *sums = g_new0 (guint64, n + 1);

  for (guint i = 0; i < run->values->len; i++)
    {
      const SondeLifetime *value = &g_array_index (run->values, SondeLifetime, i);

      sums[value->from - first] += value->bytes;
      sums[value->until - first + 1] -= value->bytes; /* wraps, and back */
    }
  for (guint k = 1; k < n; k++)
    sums[k] += sums[k - 1];
  return sums;
}

/* Where a step took more than what is known to live: operands in other layouts, copies on their way. */
static void
add_workspaces (Run *run, const SondeMemoryStretch *stretch, guint64 *sums)
{
  for (guint k = 0; k < sonde_plan_get_n_steps (stretch->plan); k++)
    {
      const guint at = stretch->at[k];
      const guint64 sum = sums[at - run->phase->first], most = stretch->notes->step_bytes[k];
      SondeLifetime room = { .kind = SONDE_MEMORY_OF_WORKSPACE, .scope = stretch->path };

      if (most <= sum)
        continue;
      room.node
          = sonde_memory_builder_keep (run->builder, sonde_plan_get_step (stretch->plan, k)->name);
      room.value = sonde_memory_builder_name (run->builder, "workspace",
                                              run->builder->timeline->steps[at]);
      add_value (run, room, at, at, most - sum);
      sums[at - run->phase->first] = most;
    }
}

static int
compare_places (gconstpointer a, gconstpointer b)
{
  const SondeLifetime *x = *(const SondeLifetime *const *) a,
                      *y = *(const SondeLifetime *const *) b;

  return (x->offset > y->offset) - (x->offset < y->offset);
}

/* The lowest place from @above on where nothing of the first @n values lies in its steps. */
static guint64
find_place (const GArray *values, guint n, const SondeLifetime *value, guint64 above)
{
  g_autoptr (GPtrArray) others = g_ptr_array_new ();
  guint64 place = above;

  for (guint i = 0; i < n; i++)
    {
      SondeLifetime *other = &g_array_index (values, SondeLifetime, i);

      if (other->from <= value->until && value->from <= other->until)
        g_ptr_array_add (others, other);
    }
  g_ptr_array_sort (others, compare_places);
  for (guint i = 0; i < others->len; i++)
    {
      const SondeLifetime *other = g_ptr_array_index (others, i);

      if (place + value->bytes <= other->offset)
        break;
      place = MAX (place, other->offset + other->bytes);
    }
  return place;
}

static void
place_values (Run *run, guint64 above)
{
  for (guint i = 0; i < run->values->len; i++)
    {
      SondeLifetime *value = &g_array_index (run->values, SondeLifetime, i);

      if (i < MOST_PLACED)
        value->offset = find_place (run->values, i, value, above);
      else
        {
          const SondeLifetime *before = value - 1;

          value->offset = before->offset + before->bytes;
        }
      g_array_append_val (run->builder->timeline->lifetimes, *value);
    }
}

static void
add_body_memory (SondeMemoryBuilder *builder, const SondeMemoryPhase *phase,
                 const SondeMemoryStretch *stretch, guint step)
{
  const SondeBodyNotes *notes = get_body (stretch->notes, step);
  SondeBodyMemory body;

  if (notes == NULL)
    return;
  body = (SondeBodyMemory){
    .body = name_body (builder, stretch->path, stretch->plan, step, notes->name),
    .node = sonde_memory_builder_keep (builder, sonde_plan_get_step (stretch->plan, step)->name),
    .from = stretch->begins[step],
    .until = MAX (stretch->at[step], stretch->begins[step] + 1) - 1,
    .n_runs = notes->n_runs,
    .shown = notes->shown,
    .least_bytes = phase->info.bytes + notes->least,
    .most_bytes = phase->info.bytes + notes->most,
  };
  g_array_append_val (builder->timeline->bodies, body);
}

void
sonde_memory_builder_add_run (SondeMemoryBuilder *builder, SondeMemoryPhase *phase, guint64 above)
{
  g_autoptr (GArray) values = g_array_new (FALSE, FALSE, sizeof (SondeLifetime));
  Run run = { builder, phase, &builder->parts[phase->info.running], values };
  g_autofree guint64 *sums = NULL;

  for (guint i = 0; i < phase->stretches->len; i++)
    {
      const SondeMemoryStretch *stretch = g_ptr_array_index (phase->stretches, i);

      if (stretch->notes == NULL)
        return;
      add_values (&run, stretch);
      for (guint k = 0; k < sonde_plan_get_n_steps (stretch->plan); k++)
        {
          add_carried (&run, stretch, k);
          add_body_memory (builder, phase, stretch, k);
        }
    }
  sums = sum_up (&run);
  for (guint i = 0; i < phase->stretches->len; i++)
    add_workspaces (&run, g_ptr_array_index (phase->stretches, i), sums);
  place_values (&run, above);
  for (guint k = phase->first; k <= phase->last; k++)
    {
      builder->timeline->held_bytes[k] += sums[k - phase->first];
      phase->more = MAX (phase->more, sums[k - phase->first]);
    }
}
