/* SPDX-License-Identifier: Apache-2.0
 * Which part of a value is fetched for an image: never more than a screen can show. */
#pragma once

#include "data/values/sonde-shape.h"

G_BEGIN_DECLS

#define SONDE_DISPLAY_MAX_ELEMENTS 262144 /* of one image */

/**
 * sonde_display_slice_of_shape:
 * @is_data: activations: the first of the batch; FALSE: parameters, all of it
 * @channels_last: the last dimension numbers the tiles
 *
 * NumPy's basic indexing, with steps where there is too much: "0, :64, ::2, ::2". "" is everything.
 * (transfer full)
 */
char *sonde_display_slice_of_shape (const SondeShape *shape, gboolean is_data,
                                    gboolean channels_last);

/* "0, 3, 64:128, 0:64": rows [@row, @row + @n_rows) of a value whose last dimension goes across and
 * whose others number the rows; all of them lie in one plane of the last two dimensions. (transfer
 * full) */
char *sonde_display_slice_of_rows (const SondeShape *shape, gint64 row, gint64 n_rows,
                                   gint64 column, gint64 n_columns);

G_END_DECLS
