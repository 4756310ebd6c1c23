/* SPDX-License-Identifier: Apache-2.0
 * What lowers quantised operators to integers: scales, sums without zero points, and the steps of the
 * output. */
#pragma once

#include "data/models/tflite/sonde-tflite-lower.h"

G_BEGIN_DECLS

/* One scale, above zero, for the whole tensor of 8 bits; @wide: or 16. */
gboolean sonde_tflite_is_plain (const SondeTfliteTensor *tensor, gboolean wide);
float sonde_tflite_scale_of (const SondeTfliteTensor *tensor);
gint64 sonde_tflite_zero_of (const SondeTfliteTensor *tensor);

/* One of the functions that operators have built in, whose range is known. */
gboolean sonde_tflite_knows_activation (int activation);

/* A real multiplier as a number of 31 bits and a shift. */
void sonde_tflite_split_multiplier (double real, gint32 *multiplier, gint32 *shift);

/* Input @k in the chosen layout, its zero point taken off, as int32. */
SondeGraphValue *sonde_tflite_emit_offset (SondeTfliteLower *lower, guint k);
/* @value less the zero point of @tensor, in double, in which every sum of these is exact. */
SondeGraphValue *sonde_tflite_emit_wide (SondeTfliteLower *lower, SondeGraphValue *value,
                                         const SondeTfliteTensor *tensor);
/* Sums of products of inputs 0 and 1, as @a and @b: int32, or int64 where there are 16 bits. */
SondeGraphValue *sonde_tflite_emit_product (SondeTfliteLower *lower, SondeGraphValue *a,
                                            SondeGraphValue *b);
/* @sums (int32, int64) times @reals, in int32; @reals: one, or one for each place along @axis. */
SondeGraphValue *sonde_tflite_emit_scale (SondeTfliteLower *lower, SondeGraphValue *sums,
                                          const double *reals, guint n, gint64 axis);
/* The same, in the steps of output 0, within the range of @activation. */
SondeGraphValue *sonde_tflite_emit_scaled (SondeTfliteLower *lower, SondeGraphValue *sums,
                                           const double *reals, guint n, gint64 axis,
                                           int activation);
/* Into the steps of output 0 by a multiplier and shift that are known. */
SondeGraphValue *sonde_tflite_emit_multiplied (SondeTfliteLower *lower, SondeGraphValue *sums,
                                               gint32 multiplier, gint32 shift);

G_END_DECLS
