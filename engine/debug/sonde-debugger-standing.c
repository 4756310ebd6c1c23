/* SPDX-License-Identifier: Apache-2.0
 * Where a run stands and what was told of that stop, so that it comes back after somebody looked at
 * earlier steps. */
#include "engine/debug/sonde-debugger-private.h"
#include "engine/debug/sonde-watch-private.h"

void
sonde_standing_init (SondeStanding *standing, SondeDebugger *debugger)
{
  sonde_debugger_get_run_place (debugger, &standing->place);
  standing->is_over = sonde_debugger_is_over (debugger);
  standing->stop = debugger->stop;
  standing->node = g_strdup (debugger->node);
  standing->op = g_strdup (debugger->op);
  standing->scope = g_strdup (debugger->scope);
  standing->hits = g_array_copy (debugger->hits);
  standing->stops = NULL;
  if (debugger->watches == NULL)
    return;
  standing->stops = g_ptr_array_new ();
  for (guint i = 0; i < debugger->watches->stops->len; i++)
    g_ptr_array_add (standing->stops,
                     sonde_watch_hit_copy (g_ptr_array_index (debugger->watches->stops, i)));
}

void
sonde_standing_clear (SondeStanding *standing)
{
  g_free (standing->node);
  g_free (standing->op);
  g_free (standing->scope);
  g_array_unref (standing->hits);
  g_clear_pointer (&standing->stops, g_ptr_array_unref);
}

/* What is told of the stop is what was told of it. */
static void
restore_stop (SondeStanding *standing, SondeDebugger *debugger)
{
  debugger->stop = standing->stop;
  g_free (debugger->node);
  g_free (debugger->op);
  g_free (debugger->scope);
  debugger->node = g_steal_pointer (&standing->node);
  debugger->op = g_steal_pointer (&standing->op);
  debugger->scope = g_steal_pointer (&standing->scope);
  g_array_set_size (debugger->hits, 0);
  g_array_append_vals (debugger->hits, standing->hits->data, standing->hits->len);
  for (guint i = 0; standing->stops != NULL && i < standing->stops->len; i++)
    g_ptr_array_add (debugger->watches->stops, g_ptr_array_index (standing->stops, i));
}

gboolean
sonde_standing_go_home (SondeStanding *standing, SondeDebugger *debugger, GError **error)
{
  gboolean good = standing->is_over ? sonde_debugger_visit_end (debugger, error)
                                    : sonde_debugger_visit (debugger, &standing->place,
                                                            standing->stop.reason, error);

  if (good)
    restore_stop (standing, debugger);
  else
    g_prefix_error (error, "The run could not come back to where it stood: ");
  return good;
}
