/* SPDX-License-Identifier: Apache-2.0
 * What can be asked of a debugger: where it stands, its frames, values and readers. */
#include "engine/debug/sonde-debugger-private.h"

/* ---- where it stands ----------------------------------------------------- */

SondeExecution *
sonde_debugger_get_execution (SondeDebugger *debugger)
{
  return sonde_debuggee_get_execution (&debugger->debuggee);
}

SondeExecution *
sonde_debugger_get_innermost (SondeDebugger *debugger)
{
  return sonde_debuggee_get_innermost (&debugger->debuggee);
}

SondeGraph *
sonde_debugger_get_original (SondeDebugger *debugger)
{
  return debugger->debuggee.original;
}

gboolean
sonde_debugger_has_stopped (SondeDebugger *debugger)
{
  return sonde_stop_record_has_stopped (&debugger->record);
}

void
sonde_debugger_get_stop (SondeDebugger *debugger, SondeStop *stop)
{
  sonde_stop_record_get (&debugger->record, &debugger->debuggee, stop);
  if (sonde_debugger_has_stopped (debugger))
    stop->watchpoints = debugger->watch_table.stops;
}

/* ---- frames -------------------------------------------------------------- */

GPtrArray *
sonde_debugger_get_frames (SondeDebugger *debugger)
{
  return sonde_frames_get (&debugger->debuggee, &debugger->record);
}

SondeExecution *
sonde_debugger_get_frame_execution (SondeDebugger *debugger, guint level)
{
  return sonde_frames_get_execution (&debugger->debuggee, &debugger->record, level);
}

guint
sonde_debugger_get_selected (SondeDebugger *debugger)
{
  return debugger->record.selected;
}

gboolean
sonde_debugger_select_frame (SondeDebugger *debugger, guint level, GError **error)
{
  return sonde_frames_select (&debugger->debuggee, &debugger->record, level, error);
}

SondeExecution *
sonde_debugger_get_selected_execution (SondeDebugger *debugger)
{
  return sonde_frames_get_selected (&debugger->debuggee, &debugger->record);
}

/* ---- values -------------------------------------------------------------- */

SondeGraphValue *
sonde_debugger_find_value (SondeDebugger *debugger, const char *text, SondeExecution **execution,
                           char **slice, GError **error)
{
  return sonde_value_lookup_find (&debugger->lookup, text, execution, slice, error);
}

void
sonde_debugger_source_init (SondeValueSource *source, SondeDebugger *debugger)
{
  sonde_value_source_init (source, &debugger->lookup, &debugger->previous);
}

GPtrArray *
sonde_debugger_match_values (SondeDebugger *debugger, const char *glob, GError **error)
{
  return sonde_debuggee_match_values (&debugger->debuggee, glob, error);
}

gboolean
sonde_debugger_add_probe (SondeDebugger *debugger, SondeGraphValue *value,
                          SondeProbeCallback callback, gpointer data, GError **error)
{
  return sonde_probes_add (&debugger->probes, value, callback, data, error);
}

void
sonde_debugger_remove_probes (SondeDebugger *debugger, gpointer data)
{
  sonde_probes_remove (&debugger->probes, data);
}

/* ---- the step before ----------------------------------------------------- */

gboolean
sonde_debugger_keep_previous (SondeDebugger *debugger, const char *name, GError **error)
{
  return sonde_previous_values_keep (&debugger->previous, name, error);
}

void
sonde_debugger_forget_previous (SondeDebugger *debugger)
{
  sonde_previous_values_forget (&debugger->previous);
}

SondeTensor *
sonde_debugger_get_previous (SondeDebugger *debugger, const char *name, GError **error)
{
  return sonde_previous_values_get (&debugger->previous, name, error);
}
