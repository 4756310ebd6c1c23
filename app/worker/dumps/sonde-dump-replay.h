/* SPDX-License-Identifier: Apache-2.0
 * One iteration of a dump as an execution, whose values are read from their files when somebody
 * asks. */
#pragma once

#include "app/worker/dumps/sonde-dump-source.h"
#include "engine/plan/sonde-execution.h"

G_BEGIN_DECLS

/**
 * SondeDumpReplay:
 * @source: lent
 * @index: of the iteration
 * @before: (nullable): of the iteration before; made when it is asked for
 * @execution: (nullable): before sonde_dump_replay_begin()
 */
typedef struct
{
  SondeDumpSource *source;
  guint index;
  SondeDumpListing *listing, *before;
  SondePlan *plan;
  SondeExecution *execution;
} SondeDumpReplay;

/* @source: outlives it; @like: (nullable): may have the same values; then they share the plan.
 * (transfer full) */
SondeDumpReplay *sonde_dump_replay_new (SondeDumpSource *source, SondeDevice *device, guint index,
                                        const SondeDumpReplay *like, GError **error);
void sonde_dump_replay_free (SondeDumpReplay *iteration);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SondeDumpReplay, sonde_dump_replay_free)

/* Gives it an execution: @taken (nullable), which is its own then, also when it fails, or a new one. */
gboolean sonde_dump_replay_begin (SondeDumpReplay *iteration, SondeExecution *taken,
                                  GError **error);

G_END_DECLS
