/* SPDX-License-Identifier: Apache-2.0
 * Numbers as text. */
#include "explain/browsing/sonde-explain-text.h"
#include "data/base/sonde-format.h"

#include <math.h>

char *
sonde_explain_number_text (double value)
{
  return isfinite (value) ? sonde_format_number (value) : g_strdup ("–");
}

char *
sonde_explain_duration_text (double seconds)
{
  if (!(seconds >= 0))
    return g_strdup ("");
  if (seconds < 0.095)
    return g_strdup_printf (_ ("%.2g ms"), 1000 * seconds);
  if (seconds < 9.95)
    return seconds < 0.95 ? g_strdup_printf (_ ("%.1g s"), seconds)
                          : g_strdup_printf (_ ("%.1f s"), seconds);
  if (seconds < 100)
    return g_strdup_printf (_ ("%.0f s"), seconds);
  return seconds < 5400 ? g_strdup_printf (_ ("%.0f min"), seconds / 60)
                        : g_strdup_printf (_ ("%.1f h"), seconds / 3600);
}
