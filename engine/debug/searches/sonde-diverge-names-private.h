/* SPDX-License-Identifier: Apache-2.0
 * Names of a file and of a graph, as the files that match them write them. */
#pragma once

#include "data/graph/sonde-graph.h"

G_BEGIN_DECLS

/* "/Layer1/layer1.0/conv1/Conv_output_0" -> "/layer1/layer1/0/conv1/conv/output/0": parts in small
 * letters. (transfer full) */
char *sonde_diverge_split_name (const char *name);

/* Adds the ends of @normal ("/conv1/conv", "/conv") -> @value; NULL for an end that means several. */
void sonde_diverge_add_suffixes (GHashTable *suffixes, const char *normal, SondeGraphValue *value);

G_END_DECLS
