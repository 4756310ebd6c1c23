/* SPDX-License-Identifier: Apache-2.0
 * Sets of breakpoints, and which of them caused a stop. */
#include "app/dap/sonde-dap-breakpoints.h"

/* @labels: id -> label or NULL */
struct _SondeDapBreakpoints
{
  GHashTable *labels[SONDE_DAP_N_SETS];
};

SondeDapBreakpoints *
sonde_dap_breakpoints_new (void)
{
  SondeDapBreakpoints *breakpoints = g_new0 (SondeDapBreakpoints, 1);

  for (int i = 0; i < SONDE_DAP_N_SETS; i++)
    breakpoints->labels[i] = g_hash_table_new_full (NULL, NULL, NULL, g_free);
  return breakpoints;
}

void
sonde_dap_breakpoints_free (SondeDapBreakpoints *breakpoints)
{
  for (int i = 0; i < SONDE_DAP_N_SETS; i++)
    g_hash_table_unref (breakpoints->labels[i]);
  g_free (breakpoints);
}

void
sonde_dap_breakpoints_add (SondeDapBreakpoints *breakpoints, SondeDapBreakpointSet set, guint id,
                           const char *label)
{
  if (id > 0)
    g_hash_table_insert (breakpoints->labels[set], GUINT_TO_POINTER (id), g_strdup (label));
}

GArray *
sonde_dap_breakpoints_steal (SondeDapBreakpoints *breakpoints, SondeDapBreakpointSet set)
{
  GArray *ids = g_array_new (FALSE, FALSE, sizeof (guint));
  GHashTableIter iter;
  gpointer key;

  g_hash_table_iter_init (&iter, breakpoints->labels[set]);
  while (g_hash_table_iter_next (&iter, &key, NULL))
    {
      guint id = GPOINTER_TO_UINT (key);

      g_array_append_val (ids, id);
    }
  g_hash_table_remove_all (breakpoints->labels[set]);
  return ids;
}

static gboolean
holds (const SondeDapBreakpoints *breakpoints, SondeDapBreakpointSet set, guint id)
{
  return g_hash_table_contains (breakpoints->labels[set], GUINT_TO_POINTER (id));
}

/* DAP's name for Sonde's reason. */
static const char *
translate (SondeStopReason reason)
{
  switch (reason)
    {
    case SONDE_STOP_BREAKPOINT:
      return "breakpoint";
    case SONDE_STOP_WATCHPOINT:
      return "data breakpoint";
    case SONDE_STOP_UNTIL:
      return "goto";
    case SONDE_STOP_PAUSE:
      return "pause";
    case SONDE_STOP_BEGINNING:
      return "entry";
    case SONDE_STOP_ERROR:
      return "exception";
    case SONDE_STOP_NONE:
    case SONDE_STOP_STEP:
    default:
      return "step";
    }
}

const char *
sonde_dap_breakpoints_get_reason (const SondeDapBreakpoints *breakpoints, const SondeStop *stop)
{
  const SondeWatchHit *hit = stop->watchpoints != NULL && stop->watchpoints->len > 0
                                 ? g_ptr_array_index (stop->watchpoints, 0)
                                 : NULL;

  if (stop->error != NULL)
    return "exception";
  if (hit != NULL && holds (breakpoints, SONDE_DAP_SET_CONDITIONS, hit->watch))
    return "exception";
  if (stop->n_breakpoints > 0 && holds (breakpoints, SONDE_DAP_SET_NAMES, stop->breakpoints[0]))
    return "function breakpoint";
  return translate (stop->reason);
}

const char *
sonde_dap_breakpoints_get_label (const SondeDapBreakpoints *breakpoints, guint id)
{
  return g_hash_table_lookup (breakpoints->labels[SONDE_DAP_SET_CONDITIONS], GUINT_TO_POINTER (id));
}
