/* SPDX-License-Identifier: Apache-2.0
 * Requests for variables and memory, and values in other answers. */
#pragma once

#include "app/dap/sonde-dap-request.h"

G_BEGIN_DECLS

SondeDapHandle sonde_dap_variables, sonde_dap_read_memory;
/* Replies with a value: members @member ("value" or "result"), type, variablesReference … */
void sonde_dap_reply_value (SondeDapRequest *request, const char *member, const char *name);
/* The same of statistics that are there. */
void sonde_dap_reply_statistics (SondeDapRequest *request, const char *member, const char *name,
                                 SondeSessionReply *reply);

G_END_DECLS
