/* SPDX-License-Identifier: Apache-2.0
 * Numbers into a slice of a tensor, as NumPy's x[slice] = y, but nothing is lost silently. */
#pragma once

#include "data/values/sonde-tensor.h"

G_BEGIN_DECLS

/**
 * SondeAssignment: what an assignment did
 * @count: elements of the slice
 * @changed: of them, those whose bits are others now
 * @truncated: numbers with a fraction that an integer type lost (counted in the source, before
 * broadcasting)
 */
typedef struct
{
  guint64 count, changed, truncated;
} SondeAssignment;

/**
 * sonde_assign_slice:
 * @whole: contiguous, held by the caller alone; changed in place
 * @slice: (nullable): as sonde_tensor_slice()
 * @source: broadcast onto the slice; its numbers are converted to @whole's type
 *
 * Errors, with @whole untouched: INVALID for the slice, and for a number that the type cannot hold
 * (beyond its range; NaN or infinity in integers; other than 0 and 1 in bool), naming number, place
 * and range; SHAPE naming both shapes; UNSUPPORTED where one is strings and the other numbers.
 */
gboolean sonde_assign_slice (SondeTensor *whole, const char *slice, SondeTensor *source,
                             SondeAssignment *assignment, GError **error);

/* "3", "-1.5e3", "0x10", "inf", "-inf", "nan", "true", "false" as a scalar: int64 or uint64 where
 * it is an integer, bool, else float64. NULL when @text is none of these. Returns: (transfer full)
 * (nullable) */
SondeTensor *sonde_assign_parse_number (const char *text);

G_END_DECLS
