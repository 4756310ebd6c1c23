/* SPDX-License-Identifier: Apache-2.0
 * The breakpoints that an editor has set, by what set them: each of its requests replaces one of
 * these sets. What does not live here: the requests (sonde-dap-points.c), the breakpoints
 * themselves, which the session has. */
#pragma once

#include "engine/session/client/sonde-session-client.h"

G_BEGIN_DECLS

typedef enum
{
  SONDE_DAP_SET_LINES,      /* of the listing */
  SONDE_DAP_SET_NAMES,      /* "function breakpoints" */
  SONDE_DAP_SET_VALUES,     /* "data breakpoints" */
  SONDE_DAP_SET_CONDITIONS, /* "exception breakpoints" */
  SONDE_DAP_N_SETS
} SondeDapBreakpointSet;

typedef struct _SondeDapBreakpoints SondeDapBreakpoints;

SondeDapBreakpoints *sonde_dap_breakpoints_new (void);
void sonde_dap_breakpoints_free (SondeDapBreakpoints *breakpoints);

/* @label: (nullable): what the editor calls it. 0 is no id. */
void sonde_dap_breakpoints_add (SondeDapBreakpoints *breakpoints, SondeDapBreakpointSet set,
                                guint id, const char *label);
/* Empties the set. Returns: its ids, to be removed from the session. (element-type guint)
 * (transfer full) */
GArray *sonde_dap_breakpoints_steal (SondeDapBreakpoints *breakpoints, SondeDapBreakpointSet set);

/* DAP's reason of a stop; static. */
const char *sonde_dap_breakpoints_get_reason (const SondeDapBreakpoints *breakpoints,
                                              const SondeStop *stop);
/* What the editor called the condition with that id; (nullable). */
const char *sonde_dap_breakpoints_get_label (const SondeDapBreakpoints *breakpoints, guint id);

G_END_DECLS
