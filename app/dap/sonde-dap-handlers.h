/* SPDX-License-Identifier: Apache-2.0
 * The table of the requests that the adapter answers. */
#pragma once

#include "app/dap/sonde-dap-request.h"

G_BEGIN_DECLS

/**
 * SondeDapHandler:
 * @command: the request
 * @session: something must be open
 * @at_once: it does not wait for the request before it
 */
typedef struct
{
  const char *command;
  SondeDapHandle *handle;
  gboolean session, at_once;
} SondeDapHandler;

/* (transfer none) (nullable): NULL for an unknown request */
const SondeDapHandler *sonde_dap_handlers_find (const char *command);

G_END_DECLS
