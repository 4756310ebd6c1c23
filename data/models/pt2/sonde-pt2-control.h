/* SPDX-License-Identifier: Apache-2.0
 * cond, while_loop, map and scan of PyTorch: If, Loop, Scan. */
#pragma once

#include "data/models/pt2/sonde-pt2-lower.h"

G_BEGIN_DECLS

/* FALSE, and nothing done, when @target, that of the open node, is none of them. */
gboolean sonde_pt2_lower_control (SondePt2Lowering *self, const char *target);

G_END_DECLS
