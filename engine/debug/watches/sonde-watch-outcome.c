/* SPDX-License-Identifier: Apache-2.0
 * What a check says, as a hit. */
#include "engine/debug/watches/sonde-watch-outcome.h"

static const char *
node_name (const SondeWatchTarget *target)
{
  return target->value->producer != NULL ? target->value->producer->name : target->subject->name;
}

SondeWatchHit *
sonde_watch_new_hit (guint64 step, const SondeWatchTarget *target, const SondeWatchCheck *check)
{
  const SondeArmedWatch *watch = check->watch;
  SondeWatchHit *hit = g_new0 (SondeWatchHit, 1);

  hit->watch = watch->info.id;
  hit->step = step;
  hit->node = g_strdup (node_name (target));
  hit->value = g_strdup (target->subject->name);
  hit->condition
      = g_strdup (watch->expression != NULL ? watch->info.text : watch->condition.klass->name);
  return hit;
}

SondeWatchHit *
sonde_watch_hit_of_outcome (guint64 step, const SondeWatchTarget *target,
                            const SondeWatchCheck *check, const SondeOutcome *outcome)
{
  SondeWatchHit *hit;

  if (!outcome->is_hit && outcome->unchecked == 0)
    return NULL;
  hit = sonde_watch_new_hit (step, target, check);
  hit->parameter = g_strdup (outcome->parameter);
  hit->threshold = outcome->threshold;
  hit->actual = outcome->actual;
  hit->unchecked = outcome->unchecked;
  return hit;
}

SondeWatchHit *
sonde_watch_unchecked (guint64 step, const SondeWatchTarget *target, const SondeWatchCheck *check,
                       guint why)
{
  const SondeOutcome outcome = { .unchecked = why };

  return sonde_watch_hit_of_outcome (step, target, check, &outcome);
}
