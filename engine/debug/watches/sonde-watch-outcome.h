/* SPDX-License-Identifier: Apache-2.0
 * What a check says of a value, as a hit. */
#pragma once

#include "engine/debug/watches/sonde-watch-targets.h"

G_BEGIN_DECLS

/* @step: number of the training step. (transfer full) */
SondeWatchHit *sonde_watch_new_hit (guint64 step, const SondeWatchTarget *target,
                                    const SondeWatchCheck *check);
/* That it could not be checked: SondeUnchecked. (transfer full) */
SondeWatchHit *sonde_watch_unchecked (guint64 step, const SondeWatchTarget *target,
                                      const SondeWatchCheck *check, guint why);
/* NULL: nothing was met. (transfer full) (nullable) */
SondeWatchHit *sonde_watch_hit_of_outcome (guint64 step, const SondeWatchTarget *target,
                                           const SondeWatchCheck *check,
                                           const SondeOutcome *outcome);

G_END_DECLS
