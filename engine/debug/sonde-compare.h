/* SPDX-License-Identifier: Apache-2.0
 * How far two tensors are apart, element by element, in double: the one place that says so, for two
 * values, two runs, two devices. */
#pragma once

#include "data/values/sonde-tensor.h"

G_BEGIN_DECLS

/**
 * SondeComparison: of a tensor a with a reference b
 * @count: elements
 * @differing: of them, those that are not the same number; NaN is the same as NaN, -0 as 0
 * @nan_mismatch: of those, the ones where one is NaN and the other is not
 * @max_abs: largest |a - b|; infinity where one is infinite and the other another number. Elements
 * of
 *   @nan_mismatch are left out; so they are of the means
 * @max_rel: largest |a - b| / |b|; elements with b = 0 are left out (@max_abs has them)
 * @mean_abs: mean of |a - b|
 * @rms: square root of the mean of (a - b)²
 * @cosine: cosine of the angle between both, over the elements that are finite in both: 1 when both
 *   are zero everywhere, 0 when one of them is
 * @max_reference: largest finite |b|
 * @max_ulp: largest number of steps from one representable number to the next between a and b; NaN
 *   unless both are the same type of float, one that kernels calculate with
 * @index: row-major index of the element that is furthest off: the first of @nan_mismatch, else the
 *   first with @max_abs; -1 when nothing differs
 * @a, @b: the numbers there
 */
typedef struct
{
  guint64 count, differing, nan_mismatch;
  double max_abs, max_rel, mean_abs, rms, cosine, max_reference, max_ulp;
  gint64 index;
  double a, b;
} SondeComparison;

/**
 * sonde_compare_tensors:
 * @a, @reference: any numeric types, any strides; 64-bit integers of one type are told apart
 * exactly
 *
 * Errors: SONDE_ENGINE_ERROR_SHAPE, naming both shapes; UNSUPPORTED for strings.
 */
gboolean sonde_compare_tensors (SondeTensor *a, SondeTensor *reference, SondeComparison *comparison,
                                GError **error);

/* Row-major @index as text in brackets, "[0, 2, 1]"; "[]" for a scalar. Returns: (transfer full) */
char *sonde_compare_format_index (const SondeShape *shape, gint64 index);

G_END_DECLS
