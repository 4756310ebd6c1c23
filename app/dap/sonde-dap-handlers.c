/* SPDX-License-Identifier: Apache-2.0
 * The table of requests. */
#include "app/dap/sonde-dap-handlers.h"

#include "app/dap/sonde-dap-evaluate.h"
#include "app/dap/sonde-dap-look.h"
#include "app/dap/sonde-dap-points.h"
#include "app/dap/sonde-dap-run.h"
#include "app/dap/sonde-dap-session.h"
#include "app/dap/sonde-dap-values.h"

static const SondeDapHandler handlers[] = {
  { "initialize", sonde_dap_initialize, FALSE, FALSE },
  { "launch", sonde_dap_launch, FALSE, FALSE },
  { "attach", sonde_dap_attach, FALSE, FALSE },
  { "configurationDone", sonde_dap_configuration_done, TRUE, FALSE },
  { "disconnect", sonde_dap_disconnect, FALSE, FALSE },
  { "terminate", sonde_dap_terminate, FALSE, FALSE },
  { "restart", sonde_dap_restart, TRUE, FALSE },
  { "threads", sonde_dap_threads, FALSE, FALSE },
  { "cancel", sonde_dap_cancel, FALSE, TRUE },
  { "setBreakpoints", sonde_dap_set_breakpoints, TRUE, FALSE },
  { "breakpointLocations", sonde_dap_breakpoint_locations, TRUE, FALSE },
  { "setFunctionBreakpoints", sonde_dap_set_function_breakpoints, TRUE, FALSE },
  { "dataBreakpointInfo", sonde_dap_data_breakpoint_info, TRUE, FALSE },
  { "setDataBreakpoints", sonde_dap_set_data_breakpoints, TRUE, FALSE },
  { "setExceptionBreakpoints", sonde_dap_set_exception_breakpoints, TRUE, FALSE },
  { "exceptionInfo", sonde_dap_exception_info, TRUE, FALSE },
  { "continue", sonde_dap_continue, TRUE, FALSE },
  { "next", sonde_dap_next, TRUE, FALSE },
  { "stepIn", sonde_dap_step_in, TRUE, FALSE },
  { "stepOut", sonde_dap_step_out, TRUE, FALSE },
  { "stepBack", sonde_dap_step_back, TRUE, FALSE },
  { "reverseContinue", sonde_dap_reverse_continue, TRUE, FALSE },
  { "pause", sonde_dap_pause, TRUE, TRUE },
  { "restartFrame", sonde_dap_restart_frame, TRUE, FALSE },
  { "gotoTargets", sonde_dap_goto_targets, TRUE, FALSE },
  { "goto", sonde_dap_goto, TRUE, FALSE },
  { "stackTrace", sonde_dap_stack_trace, TRUE, FALSE },
  { "scopes", sonde_dap_scopes, TRUE, FALSE },
  { "variables", sonde_dap_variables, TRUE, FALSE },
  { "setVariable", sonde_dap_set_variable, TRUE, FALSE },
  { "setExpression", sonde_dap_set_expression, TRUE, FALSE },
  { "evaluate", sonde_dap_evaluate, TRUE, FALSE },
  { "completions", sonde_dap_completions, TRUE, FALSE },
  { "readMemory", sonde_dap_read_memory, TRUE, FALSE },
  { "source", sonde_dap_source, TRUE, FALSE },
  { "loadedSources", sonde_dap_loaded_sources, TRUE, FALSE },
  { "modules", sonde_dap_modules, TRUE, FALSE },
};

const SondeDapHandler *
sonde_dap_handlers_find (const char *command)
{
  for (gsize i = 0; i < G_N_ELEMENTS (handlers); i++)
    if (g_str_equal (handlers[i].command, command))
      return &handlers[i];
  return NULL;
}
