/* SPDX-License-Identifier: Apache-2.0
 * States, locations and reasons in words. */
#include "engine/frontend/sonde-debug-describe.h"

#include <math.h>

#include "data/base/sonde-format.h"
#include "data/base/sonde-text.h"

void
sonde_debug_append (GString *text, const char *format, ...)
{
  va_list arguments;

  if (text->len > 0)
    g_string_append (text, " · ");
  va_start (arguments, format);
  g_string_append_vprintf (text, format, arguments);
  va_end (arguments);
}

char *
sonde_debug_describe_reason (const SondeStop *stop)
{
  static const char *const reasons[] = {
    [SONDE_STOP_NONE] = N_ ("no reason given"), [SONDE_STOP_BREAKPOINT] = N_ ("breakpoint"),
    [SONDE_STOP_STEP] = N_ ("stepped"),         [SONDE_STOP_UNTIL] = N_ ("run to node"),
    [SONDE_STOP_PAUSE] = N_ ("on request"),     [SONDE_STOP_WATCHPOINT] = N_ ("watchpoint"),
    [SONDE_STOP_BEGINNING] = N_ ("beginning"),  [SONDE_STOP_ERROR] = N_ ("error"),
  };

  if (stop->n_breakpoints > 0 && stop->reason == SONDE_STOP_BREAKPOINT)
    return g_strdup_printf (_ ("breakpoint %u"), stop->breakpoints[0]);
  if (stop->n_breakpoints > 0 && stop->reason == SONDE_STOP_WATCHPOINT)
    return g_strdup_printf (_ ("watchpoint %u"), stop->breakpoints[0]);
  return g_strdup (_ (reasons[(guint) stop->reason < G_N_ELEMENTS (reasons) ? stop->reason : 0]));
}

char *
sonde_debug_describe_location (const SondeStop *stop)
{
  /* Translators: a node and its operator, as “before conv2 (Conv)”. */
  return stop->moment == SONDE_MOMENT_AFTER
             ? g_strdup_printf (_ ("after %s (%s)"), stop->node, stop->op)
             : g_strdup_printf (_ ("before %s (%s)"), stop->node, stop->op);
}

/* Facts beside each other: in which training step, where, how far, why; in this order, as the end may
 * be cut off. */
static char *
describe_pause (const SondeSessionStatus *status)
{
  const SondeStop *stop = &status->stop;
  g_autofree char *reason = sonde_debug_describe_reason (stop),
                  *location = sonde_debug_describe_location (stop),
                  *step = sonde_format_count ((gint64) stop->step), *done = NULL, *all = NULL;
  g_autoptr (GString) text = g_string_new (NULL);

  if (sonde_activity_kind_has_steps (status->facts.kind))
    {
      sonde_debug_append (text, _ ("Paused at step %s"), step);
      sonde_debug_append (text, "%s", location);
    }
  else
    sonde_debug_append (text,
                        stop->moment == SONDE_MOMENT_AFTER ? _ ("Paused after %s (%s)")
                                                           : _ ("Paused before %s (%s)"),
                        stop->node, stop->op);
  done = sonde_format_count (stop->position);
  all = sonde_format_count (stop->n_steps);
  sonde_debug_append (text, _ ("%s of %s nodes"), done, all);
  if (stop->error != NULL)
    sonde_debug_append (text, "%s", stop->error);
  else if (stop->reason != SONDE_STOP_STEP && stop->reason != SONDE_STOP_UNTIL)
    sonde_debug_append (text, "%s", reason);
  return g_string_free (g_steal_pointer (&text), FALSE);
}

static char *
describe_end (const SondeSessionStatus *status, const char *title)
{
  if (status->end.message != NULL)
    return g_strdup_printf (_ ("%s ended: %s"), title,
                            sonde_message_get_text (status->end.message));
  if (status->end.result == SONDE_SESSION_STOPPED)
    return g_strdup_printf (_ ("%s was stopped; all values are available"), title);
  if (status->end.result == SONDE_SESSION_FAILED)
    return g_strdup_printf (_ ("%s failed; all values are available"), title);
  return g_strdup_printf (_ ("%s finished; all values are available"), title);
}

/* In three digits: more would only flicker. (transfer full) (nullable) */
static char *
describe_pace (double steps_per_second)
{
  g_autofree char *number = NULL;
  double unit;

  if (!isfinite (steps_per_second) || steps_per_second <= 0)
    return NULL;
  unit = pow (10, floor (log10 (steps_per_second)) - 2);
  number = sonde_format_number (round (steps_per_second / unit) * unit);
  return g_strdup_printf (_ ("%s steps/s"), number);
}

static void
append_pace (GString *text, double steps_per_second)
{
  g_autofree char *pace = describe_pace (steps_per_second);

  if (pace != NULL)
    sonde_debug_append (text, "%s", pace);
}

/* How far a training is, how fast, how well. */
static char *
describe_running (const SondeSessionStatus *status, double steps_per_second)
{
  const SondeSessionFacts *facts = &status->facts;
  g_autofree char *step = sonde_format_count ((gint64) facts->step),
                  *total = sonde_format_count ((gint64) facts->total_steps),
                  *loss = sonde_format_number (facts->loss);
  g_autoptr (GString) text = g_string_new (_ ("Running"));

  if (!sonde_activity_kind_has_steps (facts->kind))
    return g_strdup_printf (_ ("Running %s"), facts->title != NULL ? facts->title : "");
  if (facts->total_steps > 0)
    sonde_debug_append (text, _ ("step %s of %s"), step, total);
  else
    sonde_debug_append (text, _ ("step %s"), step);
  append_pace (text, steps_per_second);
  if (facts->measured)
    sonde_debug_append (text, _ ("loss %s"), loss);
  return g_string_free (g_steal_pointer (&text), FALSE);
}

char *
sonde_debug_describe_briefly (const SondeSessionStatus *status, double steps_per_second)
{
  static const char *const words[] = {
    [SONDE_SESSION_EMPTY] = N_ ("Loading…"), [SONDE_SESSION_LOADING] = N_ ("Loading…"),
    [SONDE_SESSION_READY] = N_ ("Ready"),    [SONDE_SESSION_RUNNING] = N_ ("Running"),
    [SONDE_SESSION_PAUSED] = N_ ("Paused"),  [SONDE_SESSION_ENDED] = N_ ("Finished"),
  };
  gboolean is_running = status->state == SONDE_SESSION_RUNNING;
  guint64 at = is_running ? status->facts.step : status->stop.step;
  g_autofree char *step = sonde_format_count ((gint64) at);
  g_autoptr (GString) text
      = g_string_new (_ (words[(guint) status->state < G_N_ELEMENTS (words) ? status->state : 0]));

  if (sonde_activity_kind_has_steps (status->facts.kind)
      && (is_running || status->state == SONDE_SESSION_PAUSED))
    sonde_debug_append (text, _ ("step %s"), step);
  if (is_running)
    append_pace (text, steps_per_second);
  return g_string_free (g_steal_pointer (&text), FALSE);
}

char *
sonde_debug_describe_state (const SondeSessionStatus *status, double steps_per_second)
{
  const char *title = status->facts.title != NULL ? status->facts.title : "";
  g_autofree char *n_steps = sonde_format_count (status->stop.n_steps);

  switch (status->state)
    {
    case SONDE_SESSION_PAUSED:
      return describe_pause (status);
    case SONDE_SESSION_READY:
      if (status->stop.n_steps == 0) /* a program whose nodes are known when they have run */
        return g_strdup_printf (_ ("Ready to run %s"), title);
      return g_strdup_printf (P_ ("Ready before the first of %s node of %s",
                                  "Ready before the first of %s nodes of %s", status->stop.n_steps),
                              n_steps, title);
    case SONDE_SESSION_RUNNING:
      return describe_running (status, steps_per_second);
    case SONDE_SESSION_ENDED:
      return describe_end (status, title);
    default:
      return g_strdup (_ ("Loading…"));
    }
}

const char *
sonde_debug_describe_role (SondeValueRole role)
{
  static const char *const roles[] = {
    [SONDE_ROLE_NORMAL] = N_ ("given"),        [SONDE_ROLE_INPUT] = N_ ("input"),
    [SONDE_ROLE_PARAMETER] = N_ ("parameter"), [SONDE_ROLE_CONSTANT] = N_ ("constant"),
    [SONDE_ROLE_STATE] = N_ ("state"),
  };

  return _ (roles[(guint) role < G_N_ELEMENTS (roles) ? role : 0]);
}

void
sonde_debug_append_not_finite (GString *text, const SondeStatistics *statistics)
{
  gint64 infinite = statistics->pos_inf + statistics->neg_inf;
  g_autofree char *nans = sonde_format_count (statistics->nan),
                  *infs = sonde_format_count (infinite);

  if (statistics->nan > 0)
    sonde_debug_append (text, _ ("%s NaN"), nans);
  if (infinite > 0)
    sonde_debug_append (text, _ ("%s Inf"), infs);
}
