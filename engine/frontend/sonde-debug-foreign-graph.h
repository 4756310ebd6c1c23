/* SPDX-License-Identifier: Apache-2.0
 * The graph of a loop that is not the engine's: there is no model, only the nodes that ran. */
#pragma once

#include "engine/types/sonde-graph-info.h"

G_BEGIN_DECLS

/**
 * sonde_debug_foreign_graph_new:
 * @steps: (element-type SondeStepInfo): in order
 *
 * A node a step, of the domain SONDE_DOMAIN_RECORDED, in scopes of its module ("layers.0" lies in
 * "layers"). What no node before made is an input. Of several of one name the first counts.
 * Returns: (transfer full)
 */
SondeGraph *sonde_debug_foreign_graph_new (const GPtrArray *steps);

G_END_DECLS
