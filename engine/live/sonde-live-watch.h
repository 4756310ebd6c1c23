/* SPDX-License-Identifier: Apache-2.0
 * A watch on one value of a loop that is not ours, right after it was made. */
#pragma once

#include "engine/live/sonde-live-node.h"
#include "engine/live/sonde-watch-table.h"
#include "engine/types/sonde-breakpoint.h"

G_BEGIN_DECLS

/* @node: that made it; @step: number of the training step. All lent. */
typedef struct
{
  const char *node;
  const char *name;
  guint64 step;
} SondeLiveValue;

/* It compares a weight with what that was before the optimiser changed it. */
gboolean sonde_live_watch_needs_old (const SondeArmedWatch *watch);
/* AFTER the value is made, or BEFORE a weight is changed for the first time. */
SondeMoment sonde_live_watch_get_moment (const SondeArmedWatch *watch);

/* @watch looks at @value, which @node makes: by its pattern; else an expression at the values that it
 * names, a condition at what it is about. */
gboolean sonde_live_watch_is_on (const SondeArmedWatch *watch, const SondeLiveNode *node,
                                 const char *value);

/**
 * SondeLiveFacts: what conditions ask of one value, so that it is read once for all of them;
 * zero-initialise, then add each watch before the first is checked
 * @problem: (nullable): why the value could not be had
 * @old: (nullable): contiguous: what the value was; lent
 */
typedef struct
{
  SondeFactsRequest request;
  SondeFacts facts;
  gboolean is_read, has_numbers;
  GError *problem;
  const SondeTensor *old;
} SondeLiveFacts;

void sonde_live_facts_add (SondeLiveFacts *facts, const SondeArmedWatch *watch);
void sonde_live_facts_clear (SondeLiveFacts *facts);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (SondeLiveFacts, sonde_live_facts_clear)

/* Nothing can be said, for the reason @error. (transfer full) */
SondeWatchHit *sonde_live_watch_unchecked (const SondeArmedWatch *watch,
                                           const SondeLiveValue *value, const GError *error);

/* What @watch says of the value. x in its expression is the value. (transfer full) (nullable) */
SondeWatchHit *sonde_live_watch_check (const SondeArmedWatch *watch, const SondeLiveValue *value,
                                       SondeLiveFacts *facts, SondeExpressionSource *source);

G_END_DECLS
