/* SPDX-License-Identifier: Apache-2.0
 * Requests for breakpoints, on lines, names and values, and for exception filters. */
#pragma once

#include "app/dap/sonde-dap-request.h"

G_BEGIN_DECLS

/* Member "exceptionBreakpointFilters" of the capabilities. */
void sonde_dap_append_exception_filters (JsonBuilder *body);
SondeDapHandle sonde_dap_set_breakpoints, sonde_dap_set_function_breakpoints,
    sonde_dap_data_breakpoint_info, sonde_dap_set_data_breakpoints,
    sonde_dap_set_exception_breakpoints, sonde_dap_exception_info, sonde_dap_breakpoint_locations;

G_END_DECLS
