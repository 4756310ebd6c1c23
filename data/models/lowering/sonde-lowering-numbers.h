/* SPDX-License-Identifier: Apache-2.0
 * The numbers of small vectors of integers, as far as they follow from what is known. */
#pragma once

#include "data/models/lowering/sonde-lowering-types.h"

G_BEGIN_DECLS

/* Of @value, an output of @node with its type. */
void sonde_lowering_infer_numbers (SondeLowering *lowering, const SondeNode *node,
                                   SondeGraphValue *value);

G_END_DECLS
