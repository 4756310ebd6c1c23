/* SPDX-License-Identifier: Apache-2.0
 * Requests that begin and end a debug session. */
#pragma once

#include "app/dap/sonde-dap-request.h"

G_BEGIN_DECLS

SondeDapHandle sonde_dap_initialize, sonde_dap_launch, sonde_dap_attach,
    sonde_dap_configuration_done, sonde_dap_disconnect, sonde_dap_terminate, sonde_dap_threads,
    sonde_dap_cancel;
/* Ends or leaves the session. */
void sonde_dap_leave (SondeDap *dap);

G_END_DECLS
