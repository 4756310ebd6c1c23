/* SPDX-License-Identifier: Apache-2.0
 * Values for expressions at the debugger's current position, and copies kept from the previous
 * step. */
#pragma once

#include "engine/debug/sonde-debugger.h"
#include "engine/debug/run/sonde-value-source.h"

G_BEGIN_DECLS

/* The source of sonde_value_source_init(), from the parts of a debugger. */
void sonde_debugger_source_init (SondeValueSource *source, SondeDebugger *debugger);

/* See sonde_debuggee_match_values(). */
GPtrArray *sonde_debugger_match_values (SondeDebugger *debugger, const char *glob, GError **error);

/* ---- the previous step --------------------------------------------------- */

/**
 * sonde_debugger_keep_previous:
 * @name: of a value of the executed graph, without slice
 *
 * From here on a copy of the value is made at the end of every run, before updated parameters take
 * the place of the old, and is prev(@name) of the next run: for a parameter P what P was during
 * that step. May be called again for the same name; sonde_debugger_drop_previous() as often.
 * Errors: NOT_FOUND; MEMORY when there are too many.
 */
gboolean sonde_debugger_keep_previous (SondeDebugger *debugger, const char *name, GError **error);
/* The run does not go on from where it stood: what was kept is of no step before. */
void sonde_debugger_forget_previous (SondeDebugger *debugger);

/* The kept value. (transfer full). Errors: STATE when nothing was kept of the step before, saying
 * why. */
SondeTensor *sonde_debugger_get_previous (SondeDebugger *debugger, const char *name,
                                          GError **error);

G_END_DECLS
