/* SPDX-License-Identifier: Apache-2.0
 * Requests for the stack, its scopes and the listing. */
#pragma once

#include "app/dap/sonde-dap-request.h"

G_BEGIN_DECLS

SondeDapHandle sonde_dap_stack_trace, sonde_dap_scopes, sonde_dap_source, sonde_dap_loaded_sources,
    sonde_dap_modules;

G_END_DECLS
