/* SPDX-License-Identifier: Apache-2.0 */
#include "collector/writer/sonde-policy.h"

void
sonde_policy_init (SondePolicy *policy,
                   gint64       every,
                   double       per_second)
{
  *policy = (SondePolicy) { .every = every, .per_second = per_second };
}

gboolean
sonde_policy_wants (SondePolicy *policy,
                    gint64       step,
                    gint64       monotonic_ns)
{
  if (policy->every <= 0 || step % policy->every != 0)
    return FALSE;
  if (policy->per_second > 0 && policy->started
      && (double) (monotonic_ns - policy->last_ns) * policy->per_second < 1e9)
    return FALSE;
  policy->started = TRUE;
  policy->last_ns = monotonic_ns;
  return TRUE;
}
