/* SPDX-License-Identifier: Apache-2.0
 * The functions of the rows, a file a family. */
#pragma once

#include "data/models/tflite/sonde-tflite-lower.h"

G_BEGIN_DECLS

void sonde_tflite_build_call (SondeTfliteLower *lower);
void sonde_tflite_build_composite (SondeTfliteLower *lower);
void sonde_tflite_build_if (SondeTfliteLower *lower);
void sonde_tflite_build_while (SondeTfliteLower *lower);
void sonde_tflite_build_direct (SondeTfliteLower *lower);
void sonde_tflite_build_not_equal (SondeTfliteLower *lower);
void sonde_tflite_build_arithmetic (SondeTfliteLower *lower);
void sonde_tflite_build_add_n (SondeTfliteLower *lower);
void sonde_tflite_build_square (SondeTfliteLower *lower);
void sonde_tflite_build_squared_difference (SondeTfliteLower *lower);
void sonde_tflite_build_rsqrt (SondeTfliteLower *lower);
void sonde_tflite_build_clip (SondeTfliteLower *lower);
void sonde_tflite_build_leaky_relu (SondeTfliteLower *lower);
void sonde_tflite_build_gelu (SondeTfliteLower *lower);
void sonde_tflite_build_floor_mod (SondeTfliteLower *lower);
void sonde_tflite_build_floor_div (SondeTfliteLower *lower);
void sonde_tflite_build_right_shift (SondeTfliteLower *lower);
void sonde_tflite_build_atan2 (SondeTfliteLower *lower);
void sonde_tflite_build_cast (SondeTfliteLower *lower);
void sonde_tflite_build_bitcast (SondeTfliteLower *lower);
void sonde_tflite_build_select (SondeTfliteLower *lower);
void sonde_tflite_build_bucketize (SondeTfliteLower *lower);
void sonde_tflite_build_dequantize (SondeTfliteLower *lower);
void sonde_tflite_build_quantize (SondeTfliteLower *lower);
void sonde_tflite_build_fake_quant (SondeTfliteLower *lower);
void sonde_tflite_build_gather (SondeTfliteLower *lower);
void sonde_tflite_build_gather_nd (SondeTfliteLower *lower);
void sonde_tflite_build_embedding_lookup (SondeTfliteLower *lower);
void sonde_tflite_build_scatter_nd (SondeTfliteLower *lower);
void sonde_tflite_build_sparse_to_dense (SondeTfliteLower *lower);
void sonde_tflite_build_segment_sum (SondeTfliteLower *lower);
void sonde_tflite_build_unsorted_segment (SondeTfliteLower *lower);
void sonde_tflite_build_dynamic_update_slice (SondeTfliteLower *lower);
void sonde_tflite_build_where (SondeTfliteLower *lower);
void sonde_tflite_build_unique (SondeTfliteLower *lower);
void sonde_tflite_build_one_hot (SondeTfliteLower *lower);
void sonde_tflite_build_top_k (SondeTfliteLower *lower);
void sonde_tflite_build_arg (SondeTfliteLower *lower);
void sonde_tflite_build_non_max_suppression (SondeTfliteLower *lower);
void sonde_tflite_build_reshape (SondeTfliteLower *lower);
void sonde_tflite_build_squeeze (SondeTfliteLower *lower);
void sonde_tflite_build_expand_dims (SondeTfliteLower *lower);
void sonde_tflite_build_transpose (SondeTfliteLower *lower);
void sonde_tflite_build_shape (SondeTfliteLower *lower);
void sonde_tflite_build_rank (SondeTfliteLower *lower);
void sonde_tflite_build_repeat (SondeTfliteLower *lower);
void sonde_tflite_build_fill (SondeTfliteLower *lower);
void sonde_tflite_build_zeros_like (SondeTfliteLower *lower);
void sonde_tflite_build_range (SondeTfliteLower *lower);
void sonde_tflite_build_broadcast_args (SondeTfliteLower *lower);
void sonde_tflite_build_slice (SondeTfliteLower *lower);
void sonde_tflite_build_strided_slice (SondeTfliteLower *lower);
void sonde_tflite_build_reverse (SondeTfliteLower *lower);
void sonde_tflite_build_reverse_sequence (SondeTfliteLower *lower);
void sonde_tflite_build_pad (SondeTfliteLower *lower);
void sonde_tflite_build_mirror_pad (SondeTfliteLower *lower);
void sonde_tflite_build_concatenation (SondeTfliteLower *lower);
void sonde_tflite_build_pack (SondeTfliteLower *lower);
void sonde_tflite_build_unpack (SondeTfliteLower *lower);
void sonde_tflite_build_split (SondeTfliteLower *lower);
void sonde_tflite_build_reduce (SondeTfliteLower *lower);
void sonde_tflite_build_reduce_bool (SondeTfliteLower *lower);
void sonde_tflite_build_cumsum (SondeTfliteLower *lower);
void sonde_tflite_build_softmax (SondeTfliteLower *lower);
void sonde_tflite_build_l2_normalization (SondeTfliteLower *lower);
void sonde_tflite_build_fully_connected (SondeTfliteLower *lower);
void sonde_tflite_build_batch_matmul (SondeTfliteLower *lower);
void sonde_tflite_build_matrix_diag (SondeTfliteLower *lower);
void sonde_tflite_build_matrix_set_diag (SondeTfliteLower *lower);
void sonde_tflite_build_conv (SondeTfliteLower *lower);
void sonde_tflite_build_depthwise (SondeTfliteLower *lower);
void sonde_tflite_build_conv_3d (SondeTfliteLower *lower);
void sonde_tflite_build_transpose_conv (SondeTfliteLower *lower);
void sonde_tflite_build_conv_3d_transpose (SondeTfliteLower *lower);
void sonde_tflite_build_pool (SondeTfliteLower *lower);
void sonde_tflite_build_lrn (SondeTfliteLower *lower);
void sonde_tflite_build_resize (SondeTfliteLower *lower);
void sonde_tflite_build_depth_to_space (SondeTfliteLower *lower);
void sonde_tflite_build_space_to_batch (SondeTfliteLower *lower);
void sonde_tflite_build_batch_to_space (SondeTfliteLower *lower);
void sonde_tflite_build_sequence_lstm (SondeTfliteLower *lower);
void sonde_tflite_build_rnn (SondeTfliteLower *lower);
void sonde_tflite_build_sequence_rnn (SondeTfliteLower *lower);
void sonde_tflite_build_svdf (SondeTfliteLower *lower);
void sonde_tflite_build_var_handle (SondeTfliteLower *lower);
void sonde_tflite_build_assign_variable (SondeTfliteLower *lower);
void sonde_tflite_build_read_variable (SondeTfliteLower *lower);
void sonde_tflite_build_call_once (SondeTfliteLower *lower);

/* In integers: see SondeTfliteRow's @exact. */
gboolean sonde_tflite_exact_conv (SondeTfliteLower *lower);
gboolean sonde_tflite_exact_depthwise (SondeTfliteLower *lower);
gboolean sonde_tflite_exact_transpose_conv (SondeTfliteLower *lower);
gboolean sonde_tflite_exact_average_pool (SondeTfliteLower *lower);
gboolean sonde_tflite_exact_fully_connected (SondeTfliteLower *lower);
gboolean sonde_tflite_exact_arithmetic (SondeTfliteLower *lower);
gboolean sonde_tflite_exact_quantize (SondeTfliteLower *lower);
gboolean sonde_tflite_exact_relu (SondeTfliteLower *lower);
gboolean sonde_tflite_exact_leaky_relu (SondeTfliteLower *lower);
gboolean sonde_tflite_exact_batch_matmul (SondeTfliteLower *lower);
gboolean sonde_tflite_exact_squared_difference (SondeTfliteLower *lower);
gboolean sonde_tflite_exact_mean (SondeTfliteLower *lower);
gboolean sonde_tflite_exact_resize (SondeTfliteLower *lower);
gboolean sonde_tflite_exact_table (SondeTfliteLower *lower);
gboolean sonde_tflite_exact_softmax (SondeTfliteLower *lower);

/* Can the product, or the mean, be had in integers? All zero points of the weights must be the same;
 * @wide: also of 16 bits. */
gboolean sonde_tflite_fits_product (SondeTfliteLower *lower, int activation, gboolean wide);
gboolean sonde_tflite_fits_pool (SondeTfliteLower *lower, int activation);

/* Of a convolution in integers: the sums, @weights in ONNX's order; then the output. */
SondeGraphValue *sonde_tflite_emit_conv_integer (SondeTfliteLower *lower, SondeGraphValue *weights);
SondeGraphValue *sonde_tflite_emit_conv_output (SondeTfliteLower *lower, SondeGraphValue *sums,
                                                int activation);
/* The sums of @op, Conv or ConvTranspose, in double. */
SondeGraphValue *sonde_tflite_emit_wide_conv (SondeTfliteLower *lower, const char *op,
                                              SondeGraphValue *weights);
/* @means in double, as the numbers of output 0: halves away from zero. */
SondeGraphValue *sonde_tflite_emit_rounded (SondeTfliteLower *lower, SondeGraphValue *means,
                                            int activation);

G_END_DECLS
