/* SPDX-License-Identifier: Apache-2.0
 * Inside of the loop's debugger: shared by sonde-live-loop.c and sonde-live-values.c. */
#pragma once

#include <stdatomic.h>

#include "engine/live/sonde-live-loop.h"

G_BEGIN_DECLS

/**
 * SondeLiveLoop:
 * @step: number of the training step
 * @stop: where it stands; strings in it are owned here; @hits: (element-type guint): of breakpoints
 * @n_edits: values that were set
 * @stepping: steps are counted: @resume; @until: (nullable): pattern, or NULL with @until_step
 * @interrupted: asked before the next node
 */
struct _SondeLiveLoop
{
  SondeLiveTarget target; /* first member */
  SondeExpressionSource source;
  const SondeLiveHooks *hooks;
  gpointer data;
  SondeLiveStand stand;
  gpointer stand_data;
  SondeBreakpointTable breakpoints;
  SondeWatchTable watches;
  guint last_id;
  guint64 step;
  SondeStop stop;
  GArray *hits;
  SondeMessage *condition_error;
  gboolean stepping;
  SondeResume resume;
  char *until;
  guint64 until_step;
  guint n_edits;
  _Atomic gboolean interrupted;
};

G_END_DECLS
