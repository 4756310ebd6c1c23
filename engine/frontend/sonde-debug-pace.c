/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/frontend/sonde-debug-pace.h"

#include <math.h>
#include <string.h>

#define WINDOW_US (2 * G_USEC_PER_SEC)
#define LEAST_US (G_USEC_PER_SEC / 5) /* what is measured over less jumps */

void
sonde_debug_pace_clear (SondeDebugPace *pace)
{
  pace->n = 0;
}

static void
drop_first (SondeDebugPace *pace)
{
  pace->n--;
  memmove (pace->steps, pace->steps + 1, pace->n * sizeof *pace->steps);
  memmove (pace->times, pace->times + 1, pace->n * sizeof *pace->times);
}

void
sonde_debug_pace_add (SondeDebugPace *pace, guint64 step, gint64 now_us)
{
  if (pace->n > 0 && step < pace->steps[pace->n - 1])
    sonde_debug_pace_clear (pace);
  if (pace->n > 0 && step == pace->steps[pace->n - 1])
    return;
  /* The one that is kept beyond the window is where a slow step began. */
  while (pace->n > 1 && now_us - pace->times[1] >= WINDOW_US)
    drop_first (pace);
  if (pace->n == SONDE_DEBUG_PACE_SAMPLES)
    drop_first (pace);
  pace->steps[pace->n] = step;
  pace->times[pace->n] = now_us;
  pace->n++;
}

double
sonde_debug_pace_get (const SondeDebugPace *pace)
{
  guint last = pace->n - 1;

  if (pace->n < 2 || pace->times[last] - pace->times[0] < LEAST_US)
    return NAN;
  return (double) (pace->steps[last] - pace->steps[0]) * G_USEC_PER_SEC
         / (double) (pace->times[last] - pace->times[0]);
}
