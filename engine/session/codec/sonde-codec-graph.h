/* SPDX-License-Identifier: Apache-2.0
 * What runs, in messages: the graph, its listing, steps of the plan, values. */
#pragma once

#include "engine/session/codec/sonde-codec.h"

G_BEGIN_DECLS

#define SONDE_SESSION_REQUESTS_GRAPH(X)                                                            \
  X (GRAPH, graph, SONDE_NEEDS_OPEN)                                                               \
  X (LISTING, listing, SONDE_NEEDS_OPEN)                                                           \
  X (STEPS, steps, SONDE_NEEDS_OPEN)                                                               \
  X (VALUES, values, SONDE_NEEDS_OPEN)

/* Errors: MEMORY. */
gboolean sonde_codec_write_graph (SondeSessionAnswer *answer, GBytes *bytes, GError **error);
/* @lines: (array length=n_lines) (nullable) */
void sonde_codec_write_listing (SondeSessionAnswer *answer, const char *text, const guint *lines,
                                guint n_lines);
/* (element-type SondeStepInfo) */
void sonde_codec_write_steps (SondeSessionAnswer *answer, const GPtrArray *steps);
/* (element-type SondeValueInfo) */
void sonde_codec_write_values (SondeSessionAnswer *answer, const GPtrArray *values);

G_END_DECLS
