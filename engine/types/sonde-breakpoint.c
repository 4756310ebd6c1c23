/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/types/sonde-breakpoint.h"

const char *
sonde_moment_name (SondeMoment moment)
{
  return moment == SONDE_MOMENT_AFTER ? "after" : "before";
}

SondeBreakpoint *
sonde_breakpoint_copy (const SondeBreakpoint *breakpoint)
{
  SondeBreakpoint *copy = g_memdup2 (breakpoint, sizeof *breakpoint);

  copy->pattern = g_strdup (breakpoint->pattern);
  copy->condition = g_strdup (breakpoint->condition);
  copy->hit_condition = g_strdup (breakpoint->hit_condition);
  copy->log = g_strdup (breakpoint->log);
  copy->note = sonde_message_copy (breakpoint->note);
  return copy;
}

void
sonde_breakpoint_free (SondeBreakpoint *breakpoint)
{
  if (breakpoint == NULL)
    return;
  g_free (breakpoint->pattern);
  g_free (breakpoint->condition);
  g_free (breakpoint->hit_condition);
  g_free (breakpoint->log);
  sonde_message_free (breakpoint->note);
  g_free (breakpoint);
}
