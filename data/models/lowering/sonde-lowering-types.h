/* SPDX-License-Identifier: Apache-2.0
 * Types of what was emitted, for formats whose files do not say them: element type, rank, and sizes as
 * far as they follow from those of the inputs; of small vectors of integers (shapes, axes) the
 * numbers themselves, where all or some of them are known. What does not live here: the shape rules
 * that a plan is made with (engine/ops). */
#pragma once

#include "data/models/lowering/sonde-lowering-numbers.h"

G_BEGIN_DECLS

/* Gives @value a type, and so everything that it was emitted from. Attributes of the nodes must be set
 * before. What cannot be told stays unknown. */
void sonde_lowering_infer (SondeLowering *lowering, SondeGraphValue *value);

G_END_DECLS
