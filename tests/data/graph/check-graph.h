/* SPDX-License-Identifier: Apache-2.0
 * What must be true of every graph at every moment. */
#pragma once

#include "data/graph/sonde-graph.h"

/* Asserts ids, names, producers, exact lists of users and captures; also in subgraphs. */
void check_graph (SondeGraph *graph);
