/* SPDX-License-Identifier: Apache-2.0
 * Multiplications with additions of one node. */
#pragma once

#include "engine/ops/sonde-op.h"

G_BEGIN_DECLS

/* Whether the operator multiplies matrices or convolves. */
gboolean sonde_node_has_macs (const SondeNode *node);

/**
 * sonde_node_count_macs:
 * @macs: (out): as SondeNodeCost.macs describes; 0 for other operators
 *
 * Of a node in its current form (sonde_pass_legalise()).
 * Returns: FALSE when a size it needs is not known, or the product is beyond 64 bits.
 */
gboolean sonde_node_count_macs (const SondeNode *node, gint64 *macs);

G_END_DECLS
