/* SPDX-License-Identifier: Apache-2.0
 * A memory timeline that is being made: plans one after the other, the bodies that ran inside their steps, and
 * what is known of all of them. Of this folder. */
#pragma once

#include "data/profiles/sonde-profile-facts.h"
#include "engine/nn/sonde-trainer-memory.h"
#include "engine/plan/sonde-plan-lifetimes.h"
#include "engine/plan/sonde-run-notes.h"

G_BEGIN_DECLS

/**
 * SondeMemoryPart: a plan, as of SondeTrainerPlan
 * @execution: (nullable): of it, that ran
 * @lifetimes: (element-type SondePlanLifetime)
 * @states: set of SondeGraphValue: states that the optimiser updates
 * @bodies: (element-type SondeMemoryBody): what its execution keeps of bodies
 */
typedef struct
{
  SondePlan *plan;
  const char *name;
  SondeExecution *execution;
  gboolean is_first;
  GArray *lifetimes;
  GHashTable *states;
  GPtrArray *bodies;
} SondeMemoryPart;

/**
 * SondeMemoryBody: a body as it was planned, of all that are kept from run to run
 * @path: as "loop/body"
 * @lifetimes: (element-type SondePlanLifetime)
 * @offset: of its arena
 */
typedef struct
{
  SondePlan *plan;
  const char *path;
  GArray *lifetimes;
  guint64 offset;
} SondeMemoryBody;

/**
 * SondeMemoryStretch: steps of a plan on the timeline; those of a body lie before the step that runs it
 * @notes: (nullable): of its run
 * @path: (nullable): of a body
 * @begins: by step: where it begins: itself, or the first of the bodies that it runs
 * @at: by step: where it is
 * @first, @last: of all; nothing when @last + 1 is @first
 */
typedef struct
{
  SondePlan *plan;
  const SondeRunNotes *notes;
  const char *path;
  guint *begins, *at;
  guint first, last;
} SondeMemoryStretch;

/**
 * SondeMemoryPhase:
 * @first, @last: steps of the timeline
 * @stretches: (element-type SondeMemoryStretch): the plan that runs, then the bodies that ran in it
 * @more: bytes that no plan knows: the most in one of its steps
 */
typedef struct
{
  SondeTrainerPhase info;
  guint first, last;
  GPtrArray *stretches;
  guint64 more;
} SondeMemoryPhase;

/* @top: of what is there all the time */
typedef struct
{
  SondeProfileFacts *facts;
  SondeMemoryTimeline *timeline;
  SondeMemoryPart *parts;
  guint n_parts;
  SondeMemoryPhase *phases;
  guint n_phases;
  guint64 top;
} SondeMemoryBuilder;

const char *sonde_memory_builder_keep (SondeMemoryBuilder *builder, const char *text);
/* “what(of)” */
const char *sonde_memory_builder_name (SondeMemoryBuilder *builder, const char *what,
                                       const char *of);
/* “path/name”; @path: (nullable) */
const char *sonde_memory_builder_join (SondeMemoryBuilder *builder, const char *path,
                                       const char *name);

/* Who it belongs to; times and place are the caller's. @path: (nullable): the body that @plan is; @states: those of
 * its part */
SondeLifetime sonde_memory_builder_describe (SondeMemoryBuilder *builder, const SondePlan *plan,
                                             const char *path, GHashTable *states,
                                             const SondePlanLifetime *lifetime);
void sonde_memory_builder_add (SondeMemoryBuilder *builder, SondeLifetime lifetime, guint from,
                               guint until, guint64 offset, guint64 bytes);

/* Adds @lifetime wherever @kept holds of a phase, in one place at the top. */
void sonde_memory_builder_add_kept (SondeMemoryBuilder *builder, SondeLifetime lifetime,
                                    guint64 bytes,
                                    gboolean (*kept) (const SondeMemoryPhase *phase, guint what),
                                    guint what);
/* Whether the plan of part @part is there. */
gboolean sonde_memory_phase_has_plan (const SondeMemoryPhase *phase, guint part);

/* ---- bodies: sonde-memory-bodies.c --------------------------------------------- */

/* Steps of @plan, and of the bodies that @notes (nullable) know, behind those of @names; the stretches go into
 * @phase. @n: of @names before */
void sonde_memory_builder_name_steps (SondeMemoryBuilder *builder, SondeMemoryPhase *phase,
                                      SondePlan *plan, const SondeRunNotes *notes,
                                      GPtrArray *names);
/* What executions keep of bodies: found, counted in the phases, and given room. */
void sonde_memory_builder_find_bodies (SondeMemoryBuilder *builder);
void sonde_memory_builder_add_bodies (SondeMemoryBuilder *builder);
/* Values of run-time sizes, above everything else; held_bytes and @phase->more are what they make it. */
void sonde_memory_builder_add_run (SondeMemoryBuilder *builder, SondeMemoryPhase *phase,
                                   guint64 above);
/* What would lower the peak, when everything else is there: the least peak first (sonde-memory-alternatives.c).
 * Values of run-time sizes are not tried: nothing plans where they lie, and each goes with its last reader. */
void sonde_memory_builder_find_alternatives (SondeMemoryBuilder *builder);
void sonde_memory_body_free (gpointer body);
void sonde_memory_stretch_free (gpointer stretch);

G_END_DECLS
