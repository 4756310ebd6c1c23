/* SPDX-License-Identifier: Apache-2.0
 * Requests with expressions and commands that a person typed, and edits. */
#pragma once

#include "app/dap/sonde-dap-request.h"

G_BEGIN_DECLS

SondeDapHandle sonde_dap_evaluate, sonde_dap_completions, sonde_dap_set_variable,
    sonde_dap_set_expression;

G_END_DECLS
