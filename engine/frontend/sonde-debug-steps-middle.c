/* SPDX-License-Identifier: Apache-2.0
 * Where a first look is worth it. */
#include "engine/frontend/sonde-debug-steps.h"

#include "data/graph/sonde-family.h"

/* Steps whose output is a picture of features, or at least something that was computed. */
static int
interest_of (const SondeStepInfo *step)
{
  switch (sonde_family_of_operator (step->op))
    {
    case SONDE_FAMILY_CONVOLUTION:
    case SONDE_FAMILY_ACTIVATION:
    case SONDE_FAMILY_NORMALISATION:
      return 2;
    case SONDE_FAMILY_MATRIX:
    case SONDE_FAMILY_REDUCTION:
      return 1;
    default:
      return 0;
    }
}

const char *
sonde_debug_steps_find_middle (SondeDebugSteps *steps)
{
  guint n = 0, middle, best = 0;
  int best_interest = -1;

  while (n < sonde_debug_steps_get_n (steps)
         && sonde_debug_steps_get (steps, n)->phase == SONDE_PHASE_FORWARD)
    n++;
  if (n == 0)
    n = sonde_debug_steps_get_n (steps);
  middle = n / 2;
  for (guint i = MAX (n / 4, 1); i < n && i <= n - n / 4; i++)
    {
      const SondeStepInfo *step = sonde_debug_steps_get (steps, i);
      int interest = interest_of (sonde_debug_steps_get (steps, i - 1));
      guint distance = i > middle ? i - middle : middle - i;
      guint best_distance = best > middle ? best - middle : middle - best;

      if (step->nodes == NULL || step->nodes[0] == NULL)
        continue;
      if (interest > best_interest || (interest == best_interest && distance < best_distance))
        {
          best = i;
          best_interest = interest;
        }
    }
  return best_interest >= 0 ? sonde_debug_steps_get (steps, best)->nodes[0] : NULL;
}
