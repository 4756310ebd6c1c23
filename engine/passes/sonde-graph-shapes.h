/* SPDX-License-Identifier: Apache-2.0
 * Shapes that a model file did not write down. */
#pragma once

#include "data/graph/sonde-graph.h"

G_BEGIN_DECLS

/* Infers the types of values that have none, as far as that goes; nodes stay as written. Any
 * thread; nobody else may use @graph meanwhile. */
void sonde_graph_shapes_complete (SondeGraph *graph);

G_END_DECLS
