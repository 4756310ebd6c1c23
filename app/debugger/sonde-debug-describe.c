/* SPDX-License-Identifier: Apache-2.0
 * Words of the debugger. */
#include "app/debugger/sonde-debug-describe.h"

#include <math.h>

char *
sonde_debug_describe_reason (const SondeStop *stop)
{
  if (stop->n_breakpoints > 0)
    return g_strdup_printf ("%s %u", sonde_stop_reason_name (stop->reason), stop->breakpoints[0]);
  return g_strdup (stop->reason == SONDE_STOP_PAUSE ? "on request"
                                                    : sonde_stop_reason_name (stop->reason));
}

static char *
describe_pause (const SondeSessionStatus *status)
{
  const SondeStop *stop = &status->stop;
  g_autofree char *reason = sonde_debug_describe_reason (stop);
  gboolean is_told = stop->reason != SONDE_STOP_STEP && stop->reason != SONDE_STOP_UNTIL;
  g_autofree char *step = status->facts.kind == SONDE_ACTIVITY_TRAINING
                              ? g_strdup_printf (" · training step %" PRIu64, stop->step)
                              : g_strdup ("");

  return g_strdup_printf ("Paused %s %s (%s) · %u of %u done%s%s%s",
                          sonde_moment_name (stop->moment), stop->node, stop->op, stop->position,
                          stop->n_steps, step, is_told ? " · " : "", is_told ? reason : "");
}

char *
sonde_debug_describe_state (const SondeSessionStatus *status)
{
  const char *title = status->facts.title != NULL ? status->facts.title : "";

  switch (status->state)
    {
    case SONDE_SESSION_PAUSED:
      return describe_pause (status);
    case SONDE_SESSION_READY:
      return g_strdup_printf ("Ready before the first of %u nodes of %s", status->stop.n_steps,
                              title);
    case SONDE_SESSION_RUNNING:
      return status->facts.kind == SONDE_ACTIVITY_TRAINING
                 ? g_strdup_printf ("Running %s · step %" PRIu64 " of %" PRIu64, title,
                                    status->facts.step, status->facts.total_steps)
                 : g_strdup_printf ("Running %s", title);
    case SONDE_SESSION_ENDED:
      if (status->end.message != NULL)
        return g_strdup_printf ("%s ended: %s", title, status->end.message);
      return g_strdup_printf ("%s ended (%s); all values are available", title,
                              sonde_session_result_name (status->end.result));
    default:
      return g_strdup ("Loading…");
    }
}

SondeState
sonde_debug_mark_of_state (const SondeSessionStatus *status)
{
  if (status->state == SONDE_SESSION_RUNNING || status->state == SONDE_SESSION_LOADING)
    return SONDE_STATE_RUNNING;
  if (status->state != SONDE_SESSION_ENDED)
    return SONDE_STATE_PAUSED;
  return status->end.result == SONDE_SESSION_FAILED ? SONDE_STATE_ERROR : SONDE_STATE_OK;
}

char *
sonde_debug_format_number (double value)
{
  if (isnan (value))
    return g_strdup ("NaN");
  if (isinf (value))
    return g_strdup (value > 0 ? "∞" : "−∞");
  if (value != 0 && (fabs (value) < 1e-4 || fabs (value) >= 1e7))
    return g_strdup_printf ("%.3e", value);
  return g_strdup_printf (fabs (value) >= 1e4 ? "%.0f" : "%.4g", value);
}

char *
sonde_debug_format_bytes (guint64 bytes)
{
  return g_format_size_full (bytes, G_FORMAT_SIZE_IEC_UNITS);
}
