/* SPDX-License-Identifier: Apache-2.0
 * What a model consists of: nodes, parameters, operators, and the operators without a kernel. */
#pragma once

#include "data/graph/sonde-graph.h"

G_BEGIN_DECLS

/**
 * SondeModelCensus: counts over a model and all its subgraphs
 * @n_nodes: nodes, those of functions not included
 * @n_parameters: elements of all parameters
 * @ops: (element-type utf8): names of the operators, each once, sorted; "DOMAIN.OP" outside of the
 *   default domain
 * @unsupported: (element-type utf8): those of @ops that cannot be executed, sorted
 * @counts: name -> number of nodes
 */
typedef struct
{
  guint n_nodes;
  guint64 n_parameters;
  GPtrArray *ops, *unsupported;
  GHashTable *counts;
} SondeModelCensus;

SondeModelCensus *sonde_model_census_new (const SondeGraph *model);
void sonde_model_census_free (SondeModelCensus *census);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SondeModelCensus, sonde_model_census_free)

/* Number of nodes of the operator @name. */
guint sonde_model_census_get_count (const SondeModelCensus *census, const char *name);

G_END_DECLS
