/* SPDX-License-Identifier: Apache-2.0
 * Setting a value of a run by hand: what that did to the value, who will read it. */
#pragma once

#include "engine/debug/sonde-debugger.h"
#include "engine/types/sonde-change-results.h"

G_BEGIN_DECLS

/**
 * sonde_debugger_set:
 * @target: "VALUE" or "VALUE[slice]", see sonde_debugger_find_value()
 * @source: broadcast onto it and converted, see sonde_assign_slice()
 *
 * What was computed from the value already stays what it was, as does what the value was computed
 * from; what is computed from here on reads the new numbers. Inputs, parameters and states keep
 * them beyond this run.
 * Returns: (transfer full): a change of kind "set", not logged. Errors, with nothing changed: of
 * finding and reading the value; of the assignment; STATE for what is inside a fused step.
 */
SondeEdit *sonde_debugger_set (SondeDebugger *debugger, const char *target, SondeTensor *source,
                               GError **error);

/* "VALUE[slice] = WHAT" -> "VALUE[slice]" and "WHAT". FALSE without an “=” outside of brackets, or
 * with nothing beside it. */
gboolean sonde_edit_split (const char *text, char **target, char **what);

G_END_DECLS
