/* SPDX-License-Identifier: Apache-2.0
 * A watch on one value of a loop that is not ours, right after it was made. */
#pragma once

#include "engine/live/sonde-live-node.h"
#include "engine/live/sonde-watch-table.h"

G_BEGIN_DECLS

/* @node: that made it; @step: number of the training step. All lent. */
typedef struct
{
  const char *node;
  const char *name;
  guint64 step;
} SondeLiveValue;

/* Errors: UNSUPPORTED for conditions that need what only a plan knows, and for the recommended
 * set. */
gboolean sonde_live_watch_can_check (const SondeArmedWatch *watch, GError **error);

/* @watch looks at @value, which @node makes: by its pattern; else an expression at the values that it
 * names, a condition at what it is about. */
gboolean sonde_live_watch_is_on (const SondeArmedWatch *watch, const SondeLiveNode *node,
                                 const char *value);

/**
 * SondeLiveFacts: what conditions ask of one value, so that it is read once for all of them;
 * zero-initialise, then add each watch before the first is checked
 * @problem: (nullable): why the value could not be had
 */
typedef struct
{
  SondeFactsRequest request;
  SondeFacts facts;
  gboolean is_read, has_numbers;
  GError *problem;
} SondeLiveFacts;

void sonde_live_facts_add (SondeLiveFacts *facts, const SondeArmedWatch *watch);
void sonde_live_facts_clear (SondeLiveFacts *facts);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (SondeLiveFacts, sonde_live_facts_clear)

/* What @watch says of the value. x in its expression is the value. (transfer full) (nullable) */
SondeWatchHit *sonde_live_watch_check (const SondeArmedWatch *watch, const SondeLiveValue *value,
                                       SondeLiveFacts *facts, SondeExpressionSource *source);

G_END_DECLS
