/* SPDX-License-Identifier: Apache-2.0
 * Values of plans as lifetimes: what kind they are and what they are called. */
#include "engine/profile/sonde-memory-builder.h"

static SondeMemoryKind
find_kind (GHashTable *states, const SondePlanLifetime *lifetime)
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
    return value->constant == NULL                            ? SONDE_MEMORY_OF_INPUT
           : g_hash_table_contains (states, (gpointer) value) ? SONDE_MEMORY_OF_OPTIMISER
                                                              : SONDE_MEMORY_OF_WEIGHT;
  if (g_str_has_prefix (value->name, "recompute(")) /* of sonde_pass_rematerialise() */
    return SONDE_MEMORY_OF_ACTIVATION;
  return value->producer->phase == SONDE_PHASE_FORWARD    ? SONDE_MEMORY_OF_ACTIVATION
         : value->producer->phase == SONDE_PHASE_BACKWARD ? SONDE_MEMORY_OF_GRADIENT
                                                          : SONDE_MEMORY_OF_OPTIMISER;
}

const char *
sonde_memory_builder_keep (SondeMemoryBuilder *builder, const char *text)
{
  return sonde_profile_facts_keep (builder->facts, text);
}

const char *
sonde_memory_builder_name (SondeMemoryBuilder *builder, const char *what, const char *of)
{
  g_autofree char *text = g_strdup_printf ("%s(%s)", what, of);

  return sonde_memory_builder_keep (builder, text);
}

const char *
sonde_memory_builder_join (SondeMemoryBuilder *builder, const char *path, const char *name)
{
  g_autofree char *text = NULL;

  if (path == NULL || name == NULL || name[0] == '\0')
    return sonde_memory_builder_keep (builder, name == NULL || name[0] == '\0' ? path : name);
  text = g_strdup_printf ("%s/%s", path, name);
  return sonde_memory_builder_keep (builder, text);
}

static const SondeStep *
find_step (const SondePlan *plan, guint step)
{
  return step != SONDE_NO_STEP ? sonde_plan_get_step (plan, step) : NULL;
}

SondeLifetime
sonde_memory_builder_describe (SondeMemoryBuilder *builder, const SondePlan *plan, const char *path,
                               GHashTable *states, const SondePlanLifetime *lifetime)
{
  const SondeStep *maker = find_step (plan, lifetime->made_by),
                  *reader = find_step (plan, lifetime->last_reader);
  const SondeNode *node = lifetime->value != NULL ? lifetime->value->producer : NULL;
  SondeLifetime result = { .kind = find_kind (states, lifetime) };

  if (node == NULL && maker != NULL && maker->n_nodes > 0)
    node = maker->nodes[maker->n_nodes - 1];
  if (lifetime->room == SONDE_ROOM_SCRATCH || lifetime->room == SONDE_ROOM_DERIVED)
    result.value = sonde_memory_builder_name (
        builder, lifetime->room == SONDE_ROOM_SCRATCH ? "workspace" : "derived",
        sonde_memory_builder_join (builder, path, maker->name));
  else
    result.value = sonde_memory_builder_join (builder, path, lifetime->value->name);
  if (maker != NULL)
    result.node = sonde_memory_builder_keep (
        builder, node == NULL || maker->n_nodes == 0 ? maker->name : node->name);
  if (node != NULL || path != NULL)
    result.scope = sonde_memory_builder_join (builder, path, node != NULL ? node->scope : NULL);
  if (reader != NULL && lifetime->room == SONDE_ROOM_ARENA)
    result.last_reader = sonde_memory_builder_join (builder, path, reader->name);
  if (lifetime->shares != NULL)
    result.shares = sonde_memory_builder_join (builder, path, lifetime->shares->name);
  return result;
}

void
sonde_memory_builder_add (SondeMemoryBuilder *builder, SondeLifetime lifetime, guint from,
                          guint until, guint64 offset, guint64 bytes)
{
  lifetime.from = from;
  lifetime.until = until;
  lifetime.offset = offset;
  lifetime.bytes = bytes;
  g_array_append_val (builder->timeline->lifetimes, lifetime);
}

void
sonde_memory_builder_add_kept (SondeMemoryBuilder *builder, SondeLifetime lifetime, guint64 bytes,
                               gboolean (*kept) (const SondeMemoryPhase *phase, guint what),
                               guint what)
{
  for (guint i = 0; i < builder->n_phases; i++)
    {
      guint first = i;

      if (!kept (&builder->phases[i], what))
        continue;
      while (i + 1 < builder->n_phases && kept (&builder->phases[i + 1], what))
        i++;
      sonde_memory_builder_add (builder, lifetime, builder->phases[first].first,
                                builder->phases[i].last, builder->top, bytes);
    }
  builder->top += bytes;
}

gboolean
sonde_memory_phase_has_plan (const SondeMemoryPhase *phase, guint part)
{
  return (phase->info.kept >> part & 1) != 0;
}
