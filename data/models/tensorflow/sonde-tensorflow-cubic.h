/* SPDX-License-Identifier: Apache-2.0
 * What TensorFlow's bicubic resizing weighs each element with. */
#pragma once

#include "data/values/sonde-tensor.h"

G_BEGIN_DECLS

/**
 * sonde_tensorflow_cubic_weights:
 * @in: @out: sizes of one dimension, ≥ 1
 *
 * Source: GetWeightsAndIndices of tensorflow/core/kernels/image/resize_bicubic_op.cc
 * Returns: (transfer full): float32 [@out, @in]: row i makes output i of all inputs
 */
SondeTensor *sonde_tensorflow_cubic_weights (gint64 in, gint64 out, gboolean align_corners,
                                             gboolean half_pixel);

G_END_DECLS
