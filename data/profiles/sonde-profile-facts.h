/* SPDX-License-Identifier: Apache-2.0
 * What a recording of Sonde knows beside its spans: of each operator its cost and who runs it, the
 * ceilings of the machine, the stages of the data pipeline, how long each value lives in memory. A
 * trace of another producer has none of it. Recorders fill it, records keep it, sonde_profile_new()
 * joins it with the spans. */
#pragma once

#include "data/profiles/sonde-step-part.h"

G_BEGIN_DECLS

#define SONDE_COST_UNKNOWN (-1)

/**
 * SondeOperatorFacts:
 * @node: name of its spans, of category “op”
 * @op: type of its main node
 * @part: FORWARD, BACKWARD or OPTIMISER; of a fused step that of its first original node
 * @nodes: (array zero-terminated=1): names of the original nodes it stands for; empty for a reorder
 * @implementation: as the device calls it
 * @dtype: what it computes in, as in JSON: "float32"
 * @flops, @bytes: of one call, from shapes; bytes = each distinct input and each output once;
 *   SONDE_COST_UNKNOWN where sizes are known only in the run
 * @is_copy: a reorder, cast, copy or transfer that was inserted
 * @is_fallback: a reference or generic kernel, or another device than asked for
 */
typedef struct
{
  const char *node, *op;
  SondeStepPart part;
  const char *const *nodes;
  const char *implementation, *dtype;
  gint64 flops, bytes;
  gboolean is_copy, is_fallback;
} SondeOperatorFacts;

/* What the machine can do at best with this dtype and number of threads, as measured: NaN where it
 * is not known. @overhead_us: time of the cheapest step. */
typedef struct
{
  double peak_gflops, peak_gbs, overhead_us;
} SondeCeilings;

/* A stage of the data pipeline in a mean step: @busy_ns of all its workers together, @wait_ns: how long
 * who reads from it waited; @queue_mean: ready results that were found, NaN without a queue */
typedef struct
{
  const char *stage;
  double busy_ns, wait_ns, queue_mean;
  guint n_workers;
} SondeStageFacts;

typedef enum
{
  SONDE_MEMORY_OF_WEIGHT,
  SONDE_MEMORY_OF_GRADIENT,
  SONDE_MEMORY_OF_ACTIVATION,
  SONDE_MEMORY_OF_OPTIMISER,
  SONDE_MEMORY_OF_INPUT,
  SONDE_MEMORY_OF_WORKSPACE,
  SONDE_MEMORY_N_KINDS,
} SondeMemoryKind;

const char *sonde_memory_kind_get_name (SondeMemoryKind kind); /* as in JSON: "weight" */

/**
 * SondeLifetime:
 * @node: (nullable): what makes it; NULL for a weight or an input
 * @scope: (nullable): of @node
 * @last_reader: (nullable): the node that keeps it alive last; NULL: it lives for another reason, as
 *   a weight or an output
 * @shares: (nullable): the value whose memory it took over, computed in place, or shows as a view
 * @offset: place in all of the memory; that of @shares where it shares
 * @bytes: as allocated; 0 for a view: it has none of its own
 * @from, @until: first and last step of the plan in which it holds memory: of what is computed in
 *   place, the step that makes it is the first, and the value before it ended with the step before
 * @is_measured: only a run tells its size: that of the run that took most
 */
typedef struct
{
  const char *value, *node, *scope, *last_reader, *shares;
  SondeMemoryKind kind;
  guint64 offset, bytes;
  guint from, until;
  gboolean is_measured;
} SondeLifetime;

/**
 * SondeBodyMemory: a body of If, Loop or Scan, in the run that took most
 * @body: as "loop/body"
 * @node: the node that runs it
 * @from, @until: its steps, as in the run of the body that took most
 * @n_runs: how often it ran; of one inside another, in the shown run of that; @shown: which of them has these steps, from 0
 * @least_bytes, @most_bytes: what was allocated at most in each of its runs
 */
typedef struct
{
  const char *body, *node;
  guint from, until;
  guint64 n_runs, shown, least_bytes, most_bytes;
} SondeBodyMemory;

typedef enum
{
  SONDE_MEMORY_IN_PLACE,
  SONDE_MEMORY_EARLIER,
  SONDE_MEMORY_RECOMPUTE,
  SONDE_MEMORY_N_CHANGES,
} SondeMemoryChange;

const char *sonde_memory_change_get_name (SondeMemoryChange change); /* as in JSON: "in-place" */

/* The peak when @value were made in place, ended at its last reader or were computed again. */
typedef struct
{
  const char *value;
  SondeMemoryChange change;
  guint64 peak_bytes;
} SondeMemoryAlternative;

/**
 * SondeMemoryTimeline:
 * @steps: (array length=n_steps): names of the plan's steps; before one that runs a body, those of the body:
 *   "loop/body/add"
 * @held_bytes: (array length=n_steps): what is allocated while a step runs: the values that live
 *   and the room around them; of a training that is more in the steps of an evaluation
 * @lifetimes: SondeLifetime, by @from; no two that live in one step lie over each other
 * @alternatives: SondeMemoryAlternative, the least peak first
 * @bodies: (nullable): SondeBodyMemory, by @from
 * @peak_bytes: what the plan takes; the kinds sum to it
 * @peak_step: where what is allocated, then what lives is most
 * @by_kind: at the peak; what the arena has beyond the living values is WORKSPACE
 */
typedef struct
{
  guint n_steps;
  const char *const *steps;
  guint64 *held_bytes;
  GArray *lifetimes, *alternatives, *bodies;
  guint64 peak_bytes;
  guint peak_step;
  guint64 by_kind[SONDE_MEMORY_N_KINDS];
} SondeMemoryTimeline;

/* The innermost body whose steps @step is one of. (nullable) */
const SondeBodyMemory *sonde_memory_timeline_find_body (const SondeMemoryTimeline *timeline,
                                                        guint step);

/* What lives in @step, by kind; they sum to its held_bytes: the room around them is WORKSPACE. */
void sonde_memory_timeline_count (const SondeMemoryTimeline *timeline, guint step,
                                  guint64 by_kind[SONDE_MEMORY_N_KINDS]);

/**
 * SondeProfileFacts: texts are in @texts
 * @kind: "model", "recipe", "run" or "trace"
 * @device, @precision: (nullable)
 * @n_threads: 0: not known
 * @operators: SondeOperatorFacts
 * @stages: SondeStageFacts, from the source to the batch
 * @memory: lifetimes and alternatives NULL where nobody looked
 * @run_ns: (element-type double): wall time around each run or step, in order
 * @n_recorded_bytes: written into records in a mean step
 */
typedef struct
{
  GStringChunk *texts;
  const char *kind, *device, *precision;
  guint n_threads;
  GArray *operators;
  SondeCeilings ceilings;
  GArray *stages;
  SondeMemoryTimeline memory;
  GArray *run_ns;
  double n_recorded_bytes;
} SondeProfileFacts;

/* All empty, ceilings NaN. (transfer full) */
SondeProfileFacts *sonde_profile_facts_new (const char *kind);
void sonde_profile_facts_free (SondeProfileFacts *facts); /* (nullable) */
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SondeProfileFacts, sonde_profile_facts_free)

/* Makes @facts->memory, which is empty, a copy of @memory. */
void sonde_profile_facts_copy_memory (SondeProfileFacts *facts, const SondeMemoryTimeline *memory);

/* A copy that lives as long as @facts; NULL gives NULL. */
const char *sonde_profile_facts_keep (SondeProfileFacts *facts, const char *text);

G_END_DECLS
