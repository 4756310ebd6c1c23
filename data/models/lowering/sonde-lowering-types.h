/* SPDX-License-Identifier: Apache-2.0
 * Types of what was emitted, for formats whose files do not say them: element type, rank, and sizes as
 * far as they follow from those of the inputs; of small vectors of integers (shapes, axes) the
 * numbers themselves, where all or some of them are known. What does not live here: the shape rules
 * that a plan is made with (engine/ops). */
#pragma once

#include "data/models/lowering/sonde-lowering.h"

G_BEGIN_DECLS

#define SONDE_LOWERING_UNKNOWN G_MININT64 /* a number that is computed when the model runs */
#define SONDE_LOWERING_MAX_NUMBERS 64

/* Gives @value a type, and so everything that it was emitted from. Attributes of the nodes must be set
 * before. What cannot be told stays unknown. */
void sonde_lowering_infer (SondeLowering *lowering, SondeGraphValue *value);

/**
 * sonde_lowering_get_numbers:
 * @numbers: (out) (array): room for SONDE_LOWERING_MAX_NUMBERS; SONDE_LOWERING_UNKNOWN among them
 *
 * Of a value of integers or booleans with rank 0 or 1: a constant, or what was inferred.
 * Returns: how many there are, −1 when nothing is known
 */
int sonde_lowering_get_numbers (SondeLowering *lowering, SondeGraphValue *value, gint64 *numbers);

G_END_DECLS
