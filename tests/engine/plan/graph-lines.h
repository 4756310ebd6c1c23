/* SPDX-License-Identifier: Apache-2.0
 * Small graphs written as lines of text, so that a table of them can be read. */
#pragma once

#include "data/graph/sonde-graph.h"

G_BEGIN_DECLS

/**
 * graph_of_lines:
 * @input: sizes of the float32 input x, "2x3"
 * @lines: (array zero-terminated=1): a node each: "op in in … > out | attribute=value…"; an input
 *   is an earlier result, "x", or a constant: "#AxB" (random), "+AxB" (the same, positive),
 *   "=number", "=number@1x1" or ":integer,integer…"; a value of an attribute is an integer, "1,2"
 *   or "1," for a list, a number with a point, or a word
 *
 * The output is y. Random numbers are the same in every call. Returns: (transfer full)
 */
SondeGraph *graph_of_lines (const char *name, const char *input, const char *const *lines);

/* Numbers from -1 to 1, the same in every call. Returns: (transfer full) */
SondeTensor *graph_lines_random (const char *shape);

G_END_DECLS
