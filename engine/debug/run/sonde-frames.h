/* SPDX-License-Identifier: Apache-2.0
 * Where a run stands, level by level: bodies inside bodies, scopes and function calls inside
 * those. */
#pragma once

#include "engine/debug/run/sonde-stop-record.h"

G_BEGIN_DECLS

/* See sonde_debugger_get_frames() and the functions behind it. */
GPtrArray *sonde_frames_get (const SondeDebuggee *debuggee, const SondeStopRecord *record);
SondeExecution *sonde_frames_get_execution (const SondeDebuggee *debuggee,
                                            const SondeStopRecord *record, guint level);
gboolean sonde_frames_select (const SondeDebuggee *debuggee, SondeStopRecord *record, guint level,
                              GError **error);
/* Scope of the node where the selected frame stands. (transfer full) (nullable) */
char *sonde_frames_dup_selected_scope (const SondeDebuggee *debuggee,
                                       const SondeStopRecord *record);
/* The execution of the selected frame. (transfer none) (nullable) */
SondeExecution *sonde_frames_get_selected (const SondeDebuggee *debuggee,
                                           const SondeStopRecord *record);

G_END_DECLS
