/* SPDX-License-Identifier: Apache-2.0
 * The numbers of small vectors of integers, as far as they follow from what is known. */
#pragma once

#include "data/models/lowering/sonde-lowering.h"

G_BEGIN_DECLS

#define SONDE_LOWERING_UNKNOWN G_MININT64 /* a number that is computed when the model runs */
#define SONDE_LOWERING_MAX_NUMBERS 64

/**
 * sonde_lowering_get_numbers:
 * @numbers: (out) (array): room for SONDE_LOWERING_MAX_NUMBERS; SONDE_LOWERING_UNKNOWN among them
 *
 * Of a value of integers or booleans with rank 0 or 1: a constant, or what was inferred.
 * Returns: how many there are, −1 when nothing is known
 */
int sonde_lowering_get_numbers (SondeLowering *lowering, SondeGraphValue *value, gint64 *numbers);

/* Finds the numbers of @value, an output of @node with its type. */
void sonde_lowering_infer_numbers (SondeLowering *lowering, const SondeNode *node,
                                   SondeGraphValue *value);

G_END_DECLS
