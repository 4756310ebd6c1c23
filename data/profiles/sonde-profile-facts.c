/* SPDX-License-Identifier: Apache-2.0 */
#include "data/profiles/sonde-profile-facts.h"

#include <math.h>
#include <string.h>

#define TEXTS_SIZE 4096 /* of a block of texts, bytes */

const char *
sonde_memory_kind_get_name (SondeMemoryKind kind)
{
  static const char *const names[SONDE_MEMORY_N_KINDS]
      = { "weight", "gradient", "activation", "optimiser", "input", "workspace" };

  return names[kind];
}

const char *
sonde_memory_change_get_name (SondeMemoryChange change)
{
  static const char *const names[SONDE_MEMORY_N_CHANGES] = { "in-place", "earlier", "recompute" };

  return names[change];
}

const SondeBodyMemory *
sonde_memory_timeline_find_body (const SondeMemoryTimeline *timeline, guint step)
{
  const SondeBodyMemory *found = NULL;

  for (guint i = 0; timeline->bodies != NULL && i < timeline->bodies->len; i++)
    {
      const SondeBodyMemory *body = &g_array_index (timeline->bodies, SondeBodyMemory, i);

      if (body->from <= step && step <= body->until
          && (found == NULL || body->until - body->from < found->until - found->from))
        found = body;
    }
  return found;
}

void
sonde_memory_timeline_count (const SondeMemoryTimeline *timeline, guint step,
                             guint64 by_kind[SONDE_MEMORY_N_KINDS])
{
  guint64 sum = 0;

  g_return_if_fail (step < timeline->n_steps);

  memset (by_kind, 0, SONDE_MEMORY_N_KINDS * sizeof *by_kind);
  for (guint i = 0; i < timeline->lifetimes->len; i++)
    {
      const SondeLifetime *lifetime = &g_array_index (timeline->lifetimes, SondeLifetime, i);

      if (lifetime->from > step)
        break;
      if (lifetime->until < step)
        continue;
      by_kind[lifetime->kind] += lifetime->bytes;
      sum += lifetime->bytes;
    }
  if (timeline->held_bytes[step] > sum)
    by_kind[SONDE_MEMORY_OF_WORKSPACE] += timeline->held_bytes[step] - sum;
}

SondeProfileFacts *
sonde_profile_facts_new (const char *kind)
{
  SondeProfileFacts *facts = g_new0 (SondeProfileFacts, 1);

  facts->texts = g_string_chunk_new (TEXTS_SIZE);
  facts->kind = g_string_chunk_insert_const (facts->texts, kind);
  facts->operators = g_array_new (FALSE, TRUE, sizeof (SondeOperatorFacts));
  facts->ceilings = (SondeCeilings){ NAN, NAN, NAN };
  facts->stages = g_array_new (FALSE, TRUE, sizeof (SondeStageFacts));
  facts->run_ns = g_array_new (FALSE, TRUE, sizeof (double));
  return facts;
}

void
sonde_profile_facts_free (SondeProfileFacts *facts)
{
  if (facts == NULL)
    return;
  for (guint i = 0; i < facts->operators->len; i++)
    g_free ((void *) g_array_index (facts->operators, SondeOperatorFacts, i).nodes);
  g_array_unref (facts->operators);
  g_array_unref (facts->stages);
  g_array_unref (facts->run_ns);
  g_clear_pointer (&facts->memory.lifetimes, g_array_unref);
  g_clear_pointer (&facts->memory.alternatives, g_array_unref);
  g_clear_pointer (&facts->memory.bodies, g_array_unref);
  g_free ((void *) facts->memory.steps);
  g_free (facts->memory.held_bytes);
  g_string_chunk_free (facts->texts);
  g_free (facts);
}

const char *
sonde_profile_facts_keep (SondeProfileFacts *facts, const char *text)
{
  return text != NULL ? g_string_chunk_insert_const (facts->texts, text) : NULL;
}

static void
keep_bodies (SondeProfileFacts *facts, GArray *bodies)
{
  for (guint i = 0; bodies != NULL && i < bodies->len; i++)
    {
      SondeBodyMemory *body = &g_array_index (bodies, SondeBodyMemory, i);

      body->body = sonde_profile_facts_keep (facts, body->body);
      body->node = sonde_profile_facts_keep (facts, body->node);
    }
}

void
sonde_profile_facts_copy_memory (SondeProfileFacts *facts, const SondeMemoryTimeline *memory)
{
  SondeMemoryTimeline *copy = &facts->memory;
  const char **steps = g_new0 (const char *, memory->n_steps + 1);

  g_return_if_fail (copy->lifetimes == NULL);

  *copy = *memory;
  for (guint k = 0; k < memory->n_steps; k++)
    steps[k] = sonde_profile_facts_keep (facts, memory->steps[k]);
  copy->steps = steps;
  copy->held_bytes = g_memdup2 (memory->held_bytes, memory->n_steps * sizeof *memory->held_bytes);
  if (memory->lifetimes != NULL)
    copy->lifetimes = g_array_copy (memory->lifetimes);
  if (memory->alternatives != NULL)
    copy->alternatives = g_array_copy (memory->alternatives);
  if (memory->bodies != NULL)
    copy->bodies = g_array_copy (memory->bodies);
  keep_bodies (facts, copy->bodies);
  for (guint i = 0; copy->lifetimes != NULL && i < copy->lifetimes->len; i++)
    {
      SondeLifetime *lifetime = &g_array_index (copy->lifetimes, SondeLifetime, i);

      lifetime->value = sonde_profile_facts_keep (facts, lifetime->value);
      lifetime->node = sonde_profile_facts_keep (facts, lifetime->node);
      lifetime->scope = sonde_profile_facts_keep (facts, lifetime->scope);
      lifetime->last_reader = sonde_profile_facts_keep (facts, lifetime->last_reader);
      lifetime->shares = sonde_profile_facts_keep (facts, lifetime->shares);
    }
  for (guint i = 0; copy->alternatives != NULL && i < copy->alternatives->len; i++)
    {
      SondeMemoryAlternative *alternative
          = &g_array_index (copy->alternatives, SondeMemoryAlternative, i);

      alternative->value = sonde_profile_facts_keep (facts, alternative->value);
    }
}
