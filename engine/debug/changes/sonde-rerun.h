/* SPDX-License-Identifier: Apache-2.0
 * One node of a run once more, beside it, under another condition. */
#pragma once

#include "engine/live/sonde-difference.h"
#include "engine/debug/changes/sonde-edit.h"

G_BEGIN_DECLS

/**
 * sonde_debugger_rerun:
 * @note: (out) (transfer full): how it was computed, a sentence
 * @edits: (out) (transfer full) (element-type SondeEdit): with @take: of kind "take", not logged;
 * else empty
 *
 * With the inputs as they are now, random numbers of the run, subgraphs too. Where the node has not
 * run, it is compared with what the run will make of it.
 * Returns: (transfer full) (element-type SondeDifference): one for each output that is a tensor: a:
 * computed again, b: of the run. Errors: NOT_FOUND for node and device; INVALID for the
 * precision; STATE for inputs that are
 * not there; UNSUPPORTED, SHAPE.
 */
GPtrArray *sonde_debugger_rerun (SondeDebugger *debugger, const SondeRerunOptions *options,
                                 SondeMessage **note, GPtrArray **edits, GError **error);

/* It has a subgraph: its step cannot run beside a run that may stand in it
 * (sonde_execution_run_alone()). */
gboolean sonde_node_has_body (const SondeNode *node);

G_END_DECLS
