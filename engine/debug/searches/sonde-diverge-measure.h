/* SPDX-License-Identifier: Apache-2.0
 * How far two values are apart. */
#pragma once

#include "data/values/sonde-value.h"
#include "engine/live/sonde-compare.h"

G_BEGIN_DECLS

/* Largest difference; infinity where one side alone is NaN, or the sizes differ. NaN: cannot be
 * compared. @value, @reference: (nullable); @comparison: (out) */
double sonde_diverge_measure (SondeValue *value, SondeValue *reference,
                              SondeComparison *comparison);

G_END_DECLS
