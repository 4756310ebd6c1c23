/* SPDX-License-Identifier: Apache-2.0
 * An execution as what is debugged. */
#include "engine/debug/sonde-debugger.h"

static SondeExecution *
execution_itself (gpointer data)
{
  return data;
}

static void
execution_add (gpointer data, SondeObserver *observer)
{
  sonde_execution_add_observer (data, observer);
}

static void
execution_remove (gpointer data, SondeObserver *observer)
{
  sonde_execution_remove_observer (data, observer);
}

static void
execution_refresh (gpointer data)
{
  sonde_execution_refresh_observers (data);
}

static const SondeDebuggerTarget execution_target = {
  .get_execution = execution_itself,
  .add_observer = execution_add,
  .remove_observer = execution_remove,
  .refresh_observers = execution_refresh,
};

void
sonde_debugger_attach_execution (SondeDebugger *debugger, SondeExecution *execution)
{
  sonde_debugger_attach (debugger, &execution_target, execution);
}
