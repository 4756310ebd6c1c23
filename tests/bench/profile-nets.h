/* SPDX-License-Identifier: Apache-2.0
 * Nets with many short nodes, with random weights, as the overhead of a recording is told of. */
#pragma once

#include "engine/nn/sonde-layers.h"

G_BEGIN_DECLS

/* "densenet121" or "shufflenet" (v2, × 1.0), for an image of 224 × 224, ready for inference; NULL for another
 * name. (transfer full) */
SondeGraph *profile_net_new (const char *name);

G_END_DECLS
