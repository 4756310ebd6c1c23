/* SPDX-License-Identifier: Apache-2.0
 * What the peak would be if one of the values that live in it were treated differently. */
#include "engine/profile/sonde-memory-builder.h"

/* Values that live at the peak, the largest: each may take as long as making the plan, so that there
 * are fewer where a plan has many steps. */
#define MOST_TRIED 16
#define LEAST_TRIED 4
#define STEPS_TRIED 8192

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

/**
 * Subject: a plan whose values may be treated differently
 * @part: its own, or of the execution that keeps the body
 * @path: (nullable): of a body
 * @step: of the plan, that runs at the peak
 */
typedef struct
{
  const SondePlan *plan;
  guint part, step;
  const char *path;
} Subject;

/* The largest of all phases when the plan takes @changed instead. */
static guint64
count_peak (const SondeMemoryBuilder *builder, const Subject *subject,
            const SondePlanMemory *changed)
{
  const gboolean is_body = subject->path != NULL;
  SondePlanMemory now;
  guint64 most = 0;

  sonde_plan_get_memory (subject->plan, &now);
  for (guint i = 0; i < builder->n_phases; i++)
    {
      const SondeMemoryPhase *phase = &builder->phases[i];
      guint64 bytes = phase->info.bytes + phase->more;

      /* bodies keep their arenas */
      if (sonde_memory_phase_has_plan (phase, subject->part))
        bytes = bytes - (now.bytes - now.rests) + (changed->bytes - changed->rests);
      if (is_body ? sonde_memory_phase_has_plan (phase, subject->part)
                  : (phase->info.awake >> subject->part & 1) != 0)
        bytes = bytes - now.rests + changed->rests;
      most = MAX (most, bytes);
    }
  return most;
}

static void
try_value (SondeMemoryBuilder *builder, const Subject *subject, const SondePlanLifetime *lifetime)
{
  static const SondePlanTry tries[SONDE_MEMORY_N_CHANGES]
      = { SONDE_TRY_IN_PLACE, SONDE_TRY_EARLIER, SONDE_TRY_RECOMPUTE };

  for (guint change = 0; change < SONDE_MEMORY_N_CHANGES; change++)
    {
      SondeMemoryAlternative alternative
          = { .value = sonde_memory_builder_join (builder, subject->path, lifetime->value->name),
              .change = change };
      SondePlanMemory memory;

      if (!sonde_plan_try (subject->plan, lifetime, tries[change], subject->step, &memory))
        continue;
      alternative.peak_bytes = count_peak (builder, subject, &memory);
      g_array_append_val (builder->timeline->alternatives, alternative);
    }
}

/* Tries the largest of @lifetimes that live at the peak. */
static void
try_values (SondeMemoryBuilder *builder, const Subject *subject, GArray *lifetimes)
{
  g_autoptr (GPtrArray) living = g_ptr_array_new ();
  guint n_tried;

  for (guint i = 0; i < lifetimes->len; i++)
    {
      SondePlanLifetime *lifetime = &g_array_index (lifetimes, SondePlanLifetime, i);

      if (lifetime->room == SONDE_ROOM_ARENA && lifetime->bytes > 0
          && lifetime->from <= subject->step && lifetime->until >= subject->step)
        g_ptr_array_add (living, lifetime);
    }
  g_ptr_array_sort (living, compare_sizes);
  n_tried = CLAMP (STEPS_TRIED / sonde_plan_get_n_steps (subject->plan), LEAST_TRIED, MOST_TRIED);
  for (guint i = 0; i < MIN (living->len, n_tried); i++)
    try_value (builder, subject, living->pdata[i]);
}

/* What runs in @stretch at the peak, if anything does. */
static void
try_stretch (SondeMemoryBuilder *builder, guint part, const SondeMemoryStretch *stretch)
{
  const guint peak = builder->timeline->peak_step;
  Subject subject = { .plan = stretch->plan, .part = part, .path = stretch->path };
  g_autoptr (GArray) lifetimes = NULL;

  if (stretch->last + 1 == stretch->first || peak < stretch->first || peak > stretch->last)
    return;
  while (stretch->at[subject.step] < peak)
    subject.step++;
  lifetimes = sonde_plan_list_lifetimes (stretch->plan);
  try_values (builder, &subject, lifetimes);
}

void
sonde_memory_builder_find_alternatives (SondeMemoryBuilder *builder)
{
  const SondeMemoryTimeline *timeline = builder->timeline;
  const SondeMemoryPhase *phase = builder->phases;

  while (phase->last < timeline->peak_step)
    phase++;
  for (guint i = 0; i < phase->stretches->len; i++)
    try_stretch (builder, phase->info.running, g_ptr_array_index (phase->stretches, i));
  g_array_sort (timeline->alternatives, compare_peaks);
}
