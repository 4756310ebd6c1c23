/* SPDX-License-Identifier: Apache-2.0
 * Watchpoints: a condition, or an expression, over values, looked at right after the step that
 * makes them, in one pass. What conditions mean is sonde-condition.h, what expressions mean
 * sonde-expression.h.
 *
 * Watches and breakpoints share ids: sonde_debugger_enable_breakpoint(), _ignore_breakpoint() and
 * _remove_breakpoint() work on both. Same threads as sonde-debugger.h. */
#pragma once

#include "engine/live/sonde-watch-table.h"
#include "engine/debug/sonde-debugger.h"

G_BEGIN_DECLS

/**
 * sonde_debugger_add_watches:
 * @text: "preset NAME [key=value…] [on PATTERN] [inputs] [nostop]", "preset recommended [nostop]",
 *   or "EXPRESSION [on PATTERN] [inputs] [nostop]". PATTERN is the name of a value, or of a node,
 *   meaning its first output (its weights, for conditions on weights), a glob over both, "op:TYPE",
 *   "scope:SCOPE", "kind:weight|gradient|activation|update|state|input|output|tensor". With it, x
 *   in an expression is each of these values.
 *
 * Several come of "preset recommended", else one.
 * Returns: (element-type SondeWatch) (transfer container). Errors: NOT_FOUND with the nearest name,
 * also when nothing matches; INVALID; MEMORY when there are too many; STATE when nothing is open.
 */
GPtrArray *sonde_debugger_add_watches (SondeDebugger *debugger, const char *text, GError **error);

/* In order of ids. (element-type SondeWatch) (transfer none) */
GPtrArray *sonde_debugger_get_watches (SondeDebugger *debugger);

/* The last hits, and what could not be checked, oldest first. @id 0: of all.
 * (element-type SondeWatchHit) (transfer container) */
GPtrArray *sonde_debugger_get_watch_hits (SondeDebugger *debugger, guint id);

/**
 * sonde_debugger_recheck:
 * @step: 0: the present one
 *
 * Looks at what is there now with all enabled watches, and tells what they meet or could not check,
 * without counting it. Of an earlier step: what was kept of the values that were watched in it.
 * Returns: (element-type SondeWatchHit) (transfer full). Errors: STATE when nothing is kept of
 * @step.
 */
GPtrArray *sonde_debugger_recheck (SondeDebugger *debugger, guint64 step, GError **error);
/* The same, but where not enough was kept of an earlier step that the run can go back to, that step
 * runs again to its end, is looked at, and the run comes back to where it stands, bit for bit
 * (prev() is forgotten). It has to stand. */
GPtrArray *sonde_debugger_recheck_again (SondeDebugger *debugger, guint64 step, GError **error);

G_END_DECLS
