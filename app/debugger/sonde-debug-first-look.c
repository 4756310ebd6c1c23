/* SPDX-License-Identifier: Apache-2.0
 * Where a first look is worth it. */
#include "app/debugger/sonde-debug-words.h"

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

/* A node of the middle of the forward pass, for a first look: before it something worth seeing was
 * made. */
const char *
sonde_debug_middle_node (GPtrArray *steps)
{
  guint n = 0, middle, best = 0;
  int best_interest = -1;

  while (n < steps->len
         && ((SondeStepInfo *) g_ptr_array_index (steps, n))->phase == SONDE_PHASE_FORWARD)
    n++;
  if (n == 0)
    n = steps->len;
  middle = n / 2;
  for (guint i = MAX (n / 4, 1); i < n && i <= n - n / 4; i++)
    {
      const SondeStepInfo *step = g_ptr_array_index (steps, i);
      int interest = interest_of (g_ptr_array_index (steps, i - 1));
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
  return best_interest >= 0 ? ((SondeStepInfo *) g_ptr_array_index (steps, best))->nodes[0] : NULL;
}
