/* SPDX-License-Identifier: Apache-2.0
 * Numbers as decimal text: the fewest significant digits that read back as the same number, with a
 * point in every locale. */
#pragma once

#include <glib.h>

#include "data/values/sonde-dtype.h"

G_BEGIN_DECLS

#define SONDE_DECIMAL_BUFFER 40 /* bytes that a number takes at most, its end included */

/**
 * sonde_decimal_format:
 * @dtype: a type with fractions
 * @value: a number of that type
 * @buffer: of SONDE_DECIMAL_BUFFER bytes
 *
 * "0.1", "-3", "100000", "1e-30"; "nan", "inf" and "-inf". Whole numbers below 1e15 have neither
 * point nor exponent; others are as "%g" writes them. Returns: the length
 */
gsize sonde_decimal_format (SondeDtype dtype, double value, char *buffer);

G_END_DECLS
