/* SPDX-License-Identifier: Apache-2.0
 * Two graphs are the same model. */
#pragma once

#include "data/graph/sonde-graph.h"

/* Asserts equal order, names, types, roles, constants (bit by bit), attributes, subgraphs,
 * functions, opsets, metadata, documentation, phases and origins. */
void compare_models (SondeGraph *a, SondeGraph *b);

/* A graph with one of everything that can be written. (transfer full) */
SondeGraph *make_rich_model (void);
