/* SPDX-License-Identifier: Apache-2.0
 * Values by the names that a user gives them: in the selected frame, then outwards, then in bodies
 * that have run. */
#pragma once

#include "engine/debug/run/sonde-frames.h"

G_BEGIN_DECLS

/* Embedded in the debugger; both are lent. */
typedef struct
{
  const SondeDebuggee *debuggee;
  const SondeStopRecord *record;
} SondeValueLookup;

/* See sonde_debugger_find_value(). */
SondeGraphValue *sonde_value_lookup_find (const SondeValueLookup *lookup, const char *text,
                                          SondeExecution **execution, char **slice, GError **error);

G_END_DECLS
