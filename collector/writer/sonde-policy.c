/* SPDX-License-Identifier: Apache-2.0 */
#include "collector/writer/sonde-policy.h"

#include "data/base/sonde-random.h"

void
sonde_policy_init (SondePolicy *policy, gint64 every, double per_second)
{
  *policy = (SondePolicy){ .every = every, .per_second = per_second };
}

/* Source: Vitter, "Random sampling with a reservoir" (1985), algorithm R; nothing is taken out
 * again. */
static gboolean
is_drawn (SondePolicy *policy)
{
  guint64 k = ++policy->n_seen;

  return policy->reservoir == 0 || k <= policy->reservoir
         || sonde_random_uniform (policy->seed, 0, k) * (double) k < (double) policy->reservoir;
}

gboolean
sonde_policy_wants (SondePolicy *policy, gint64 step, gint64 monotonic_ns)
{
  if (policy->every <= 0 || step % policy->every != 0)
    return FALSE;
  if (policy->per_second > 0 && policy->started
      && (double) (monotonic_ns - policy->last_ns) * policy->per_second < 1e9)
    return FALSE;
  if (!is_drawn (policy))
    return FALSE;
  policy->started = TRUE;
  policy->last_ns = monotonic_ns;
  return TRUE;
}
