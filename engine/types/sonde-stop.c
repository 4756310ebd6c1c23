/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/types/sonde-stop.h"

const char *
sonde_stop_reason_name (SondeStopReason reason)
{
  static const char *const names[] = {
    [SONDE_STOP_NONE] = "none",           [SONDE_STOP_BREAKPOINT] = "breakpoint",
    [SONDE_STOP_STEP] = "step",           [SONDE_STOP_UNTIL] = "until",
    [SONDE_STOP_PAUSE] = "pause",         [SONDE_STOP_WATCHPOINT] = "watchpoint",
    [SONDE_STOP_BEGINNING] = "beginning", [SONDE_STOP_ERROR] = "error",
  };

  return (guint) reason < G_N_ELEMENTS (names) ? names[reason] : "none";
}

guint
sonde_stop_get_outermost (const SondeStop *stop)
{
  if (stop->frames == NULL || stop->frames->len == 0)
    return stop->position;
  return ((const SondeFrame *) g_ptr_array_index (stop->frames, stop->frames->len - 1))->position;
}

static GPtrArray *
copy_hits (const GPtrArray *hits)
{
  GPtrArray *copy = g_ptr_array_new_with_free_func ((GDestroyNotify) sonde_watch_hit_free);

  for (guint i = 0; i < MIN (hits->len, SONDE_STOP_MAX_HITS); i++)
    g_ptr_array_add (copy, sonde_watch_hit_copy (g_ptr_array_index (hits, i)));
  return copy;
}

void
sonde_stop_copy_into (const SondeStop *stop, SondeStop *copy)
{
  *copy = *stop;
  copy->node = g_strdup (stop->node);
  copy->op = g_strdup (stop->op);
  copy->scope = g_strdup (stop->scope);
  copy->breakpoints = g_memdup2 (stop->breakpoints, stop->n_breakpoints * sizeof (guint));
  copy->iterations = g_memdup2 (stop->iterations, stop->n_iterations * sizeof (guint64));
  copy->frames = stop->frames != NULL ? g_ptr_array_ref (stop->frames) : NULL;
  copy->condition_error = sonde_message_copy (stop->condition_error);
  copy->watchpoints = stop->watchpoints != NULL && stop->watchpoints->len > 0
                          ? copy_hits (stop->watchpoints)
                          : NULL;
  copy->source = g_strdup (stop->source);
  copy->thread = g_strdup (stop->thread);
  copy->error = g_strdup (stop->error);
}

SondeStop *
sonde_stop_copy (const SondeStop *stop)
{
  SondeStop *copy = g_new (SondeStop, 1);

  sonde_stop_copy_into (stop, copy);
  return copy;
}

void
sonde_stop_clear (SondeStop *stop)
{
  g_clear_pointer (&stop->node, g_free);
  g_clear_pointer (&stop->op, g_free);
  g_clear_pointer (&stop->scope, g_free);
  g_clear_pointer (&stop->breakpoints, g_free);
  g_clear_pointer (&stop->iterations, g_free);
  g_clear_pointer (&stop->frames, g_ptr_array_unref);
  g_clear_pointer (&stop->condition_error, sonde_message_free);
  g_clear_pointer (&stop->watchpoints, g_ptr_array_unref);
  g_clear_pointer (&stop->source, g_free);
  g_clear_pointer (&stop->thread, g_free);
  g_clear_pointer (&stop->error, g_free);
}

void
sonde_stop_free (SondeStop *stop)
{
  if (stop == NULL)
    return;
  sonde_stop_clear (stop);
  g_free (stop);
}
