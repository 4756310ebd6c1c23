/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/profile/sonde-other-load.h"

#include <math.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define LEAST_SECONDS 0.1
#define N_TIMES 8 /* user, nice, system, idle, iowait, irq, softirq, steal; guests are in user */
#define IDLE 3
#define WAITING 4

gboolean
sonde_other_load_parse (const char *line, double ticks_a_second, SondeOtherLoad *load)
{
  const char *at = line + strlen ("cpu ");

  if (!g_str_has_prefix (line, "cpu "))
    return FALSE;
  load->busy = load->total = 0;
  for (guint i = 0; i < N_TIMES; i++)
    {
      char *end;
      double seconds = (double) g_ascii_strtoull (at, &end, 10) / ticks_a_second;

      /* old kernels tell the first four */
      if (end == at)
        return i > IDLE;
      load->total += seconds;
      load->busy += i != IDLE && i != WAITING ? seconds : 0;
      at = end;
    }
  return TRUE;
}

void
sonde_other_load_begin (SondeOtherLoad *load)
{
  g_autofree char *text = NULL;
  struct timespec own = { 0 };

  if (!g_file_get_contents ("/proc/stat", &text, NULL, NULL)
      || !sonde_other_load_parse (text, (double) sysconf (_SC_CLK_TCK), load))
    load->busy = load->total = NAN;
  clock_gettime (CLOCK_PROCESS_CPUTIME_ID, &own);
  load->own = (double) own.tv_sec + (double) own.tv_nsec / 1e9;
}

double
sonde_other_load_end (const SondeOtherLoad *load)
{
  SondeOtherLoad now;
  double passed;

  sonde_other_load_begin (&now);
  passed = now.total - load->total;
  if (isnan (passed) || passed < LEAST_SECONDS)
    return NAN;
  return CLAMP (((now.busy - load->busy) - (now.own - load->own)) / passed, 0.0, 1.0);
}
