/* SPDX-License-Identifier: Apache-2.0
 * Where a NaN or an infinity comes from: from an element back through the elements that made it, to
 * the first node that made a bad one of good ones, or to the input that was bad. What does not live
 * here: which elements an operator looks at (engine/ops/sonde-op-dependency.h). */
#pragma once

#include "engine/debug/sonde-debugger.h"
#include "engine/types/sonde-search-results.h"

G_BEGIN_DECLS

/**
 * sonde_origin_find:
 * @original: (nullable): the graph as the user wrote it, for names and for what was folded
 * @value: of @execution's plan
 * @index: (nullable): "3, 7", negative ones from the end, one number for each dimension; NULL or
 * "": the first bad element
 *
 * Where several inputs are bad, those that alone make the element bad are found by running the node
 * again with the others replaced, so that a bad element that a comparison, a mask or a division
 * takes away misleads nobody. Of several origins the earliest of the run wins. Follows at most
 * 20,000 elements.
 *
 * Values are those of the present position; what lies in fused nodes, in memory used again, in
 * folded constants and in iterations of loops that are over is computed again. Errors: STATE when
 * the element is finite or not computed yet; INVALID for a wrong index or a value without numbers;
 * of reading.
 */
SondeOrigin *sonde_origin_find (SondeExecution *execution, SondeGraph *original,
                                SondeGraphValue *value, const char *index, GError **error);

/* The same at the debugger's present position. @text: "VALUE" or "VALUE[index]" */
SondeOrigin *sonde_debugger_find_origin (SondeDebugger *debugger, const char *text, GError **error);

/* How far a search has come, in [0, 1]. Returns: TRUE: give it up */
typedef gboolean (*SondeOriginProgress) (double fraction, gpointer data);

/**
 * sonde_debugger_trace_origin:
 * @progress: (nullable)
 *
 * The same, and where the chain ends at a parameter or a state that was bad before the step began,
 * on in the step whose update made it so, as far as the debugger's history reaches: it goes there
 * and comes back to where it stood, bit for bit. What was set by hand since would be lost: then
 * sonde_debugger_find_origin() is to be asked. If the search is given up or cannot go on, the chain
 * ends where it is. Errors: as above; of coming back.
 */
SondeOrigin *sonde_debugger_trace_origin (SondeDebugger *debugger, const char *text,
                                          SondeOriginProgress progress, gpointer data,
                                          GError **error);

G_END_DECLS
