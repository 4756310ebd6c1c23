/* SPDX-License-Identifier: Apache-2.0
 * Where a tensor is extreme, and what differs between two of them. Pure, any thread. */
#pragma once

#include "data/values/sonde-tensor.h"

G_BEGIN_DECLS

/* Numbers of elements in row-major order, the first one of equals; -1: there is none. */
typedef struct
{
  gint64 minimum, maximum; /* of finite ones */
  gint64 not_finite;       /* NaN or infinite */
} SondeTensorPlaces;

/* @tensor: any but STRING, which has none */
void sonde_tensor_find_places (const SondeTensor *tensor, SondeTensorPlaces *places);

/* @n_beyond: elements that differ by more than the tolerance, of @n; @largest: difference in size, at
 * @largest_at; -1: all are equal. NaN and NaN are equal, as are infinities of one sign; NaN and a
 * number differ beyond every tolerance. */
typedef struct
{
  gint64 n, n_beyond, largest_at;
  double largest;
} SondeTensorDifference;

/**
 * sonde_tensor_subtract:
 * @tolerance: absolute, ≥ 0
 *
 * Returns: (transfer full): @a − @b as float64. Errors: INVALID with both shapes when they differ, or for
 * STRING.
 */
SondeTensor *sonde_tensor_subtract (const SondeTensor *a, const SondeTensor *b, double tolerance,
                                    SondeTensorDifference *difference, GError **error);

G_END_DECLS
