/* SPDX-License-Identifier: Apache-2.0
 * Shapes: sizes of the dimensions, outermost first. A plain struct on the stack. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

#define SONDE_MAX_RANK                                                                             \
  16 /* more is refused with SONDE_DATA_ERROR_LIMIT where it comes from input */

/**
 * SondeShape:
 * @rank: number of dimensions, 0 for a scalar
 * @dims: sizes, ≥ 0; entries from @rank on are undefined
 */
typedef struct
{
  int rank;
  gint64 dims[SONDE_MAX_RANK];
} SondeShape;

SondeShape sonde_shape_scalar (void);

/* sonde_shape_make (3, 2, 4, 5): rank first, then that many sizes of any integer type */
#define sonde_shape_make(rank, ...) sonde_shape_from_array ((rank), (const gint64[]){ __VA_ARGS__ })

SondeShape sonde_shape_from_array (int rank, const gint64 *dims);

/* Product of the sizes (1 for a scalar), or -1 when it overflows 2^40 or a size is negative. */
gint64 sonde_shape_n_elements (const SondeShape *shape);

gboolean sonde_shape_equal (const SondeShape *a, const SondeShape *b);

/* NumPy's broadcasting of two shapes. Returns FALSE when they do not fit. */
gboolean sonde_shape_broadcast (const SondeShape *a, const SondeShape *b, SondeShape *result);

/* "2×3×4", "scalar" for rank 0. Returns: (transfer full) */
char *sonde_shape_to_string (const SondeShape *shape);

/* Place of the element number @index in row-major order: "[1, 0, 2]", "[]" for rank 0. (transfer
 * full) */
char *sonde_shape_format_index (const SondeShape *shape, gint64 index);

G_END_DECLS
