/* SPDX-License-Identifier: Apache-2.0
 * What UNTIL runs to: a place, a step of the training, a phase, an iteration. */
#pragma once

#include "engine/debug/run/sonde-location-index.h"

G_BEGIN_DECLS

/**
 * SondeUntil: begin with sonde_until_init()
 * @pattern: (nullable): nodes; @cache: (nullable): their locations, see sonde_location_index_lookup()
 * @step: of step:N, else 0; @phase, @end: of phase:P and end:P, else -1
 * @iteration: of iteration:N, else -1; @node: whose body it is, NULL: any
 */
typedef struct
{
  SondeLocationIndex *locations;
  char *pattern;
  GPtrArray *cache;
  guint64 step;
  int phase, end;
  gint64 iteration;
  const SondeNode *node;
} SondeUntil;

void sonde_until_init (SondeUntil *until, SondeLocationIndex *locations);
void sonde_until_forget (SondeUntil *until);

/* @target: as SondeResume.target, but for "end"; @now: number of the present step. step:N with N ≤
 * @now: *@behind is set to N where the debuggee keeps earlier runs, else it is an error. Errors:
 * INVALID, NOT_FOUND */
gboolean sonde_until_parse (SondeUntil *until, const char *target, guint64 now, guint64 *behind,
                            GError **error);

/* The node that the target names there. (nullable) */
const SondeNode *sonde_until_get_node (SondeUntil *until, SondeExecution *execution, guint step);
/* Whether @step may be the target, and whether it is when the run comes by. @executed: steps since
 * the run went on, or runs that ended */
gboolean sonde_until_wants (SondeUntil *until, SondeExecution *execution, guint step,
                            guint64 executed);
gboolean sonde_until_is_here (SondeUntil *until, SondeExecution *execution, guint step,
                              guint64 executed);

G_END_DECLS
