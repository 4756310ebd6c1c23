/* SPDX-License-Identifier: Apache-2.0
 * One row an operator, by its number in the schema. */
#include "data/models/tflite/sonde-tflite-builders.h"

#define MOVES .moves = TRUE
#define EXACT(name) .exact = sonde_tflite_exact_##name

/* clang-format off */
static const SondeTfliteRow rows[] = {
  { 0, 2, 1, sonde_tflite_build_arithmetic, EXACT (arithmetic) }, /* ADD */
  { 1, 1, 1, sonde_tflite_build_pool, EXACT (average_pool) }, /* AVERAGE_POOL_2D */
  { 2, 1, 1, sonde_tflite_build_concatenation }, /* CONCATENATION */
  { 3, 2, 1, sonde_tflite_build_conv, EXACT (conv) }, /* CONV_2D */
  { 4, 2, 1, sonde_tflite_build_depthwise, EXACT (depthwise) }, /* DEPTHWISE_CONV_2D */
  { 5, 1, 1, sonde_tflite_build_depth_to_space, MOVES }, /* DEPTH_TO_SPACE */
  { 6, 1, 1, sonde_tflite_build_dequantize }, /* DEQUANTIZE */
  { 7, 2, 1, sonde_tflite_build_embedding_lookup, MOVES }, /* EMBEDDING_LOOKUP */
  { 8, 1, 1, sonde_tflite_build_direct }, /* FLOOR */
  { 9, 2, 1, sonde_tflite_build_fully_connected, EXACT (fully_connected) }, /* FULLY_CONNECTED */
  { 11, 1, 1, sonde_tflite_build_l2_normalization }, /* L2_NORMALIZATION */
  { 12, 1, 1, sonde_tflite_build_pool }, /* L2_POOL_2D */
  { 13, 1, 1, sonde_tflite_build_lrn }, /* LOCAL_RESPONSE_NORMALIZATION */
  { 14, 1, 1, sonde_tflite_build_direct, EXACT (table) }, /* LOGISTIC */
  { 17, 1, 1, sonde_tflite_build_pool }, /* MAX_POOL_2D */
  { 18, 2, 1, sonde_tflite_build_arithmetic, EXACT (arithmetic) }, /* MUL */
  { 19, 1, 1, sonde_tflite_build_direct, EXACT (relu) }, /* RELU */
  { 20, 1, 1, sonde_tflite_build_clip, EXACT (relu) }, /* RELU_N1_TO_1 */
  { 21, 1, 1, sonde_tflite_build_clip, EXACT (relu) }, /* RELU6 */
  { 22, 1, 1, sonde_tflite_build_reshape, MOVES }, /* RESHAPE */
  { 23, 2, 1, sonde_tflite_build_resize, EXACT (resize) }, /* RESIZE_BILINEAR */
  { 24, 5, 1, sonde_tflite_build_rnn }, /* RNN */
  { 25, 1, 1, sonde_tflite_build_softmax, EXACT (softmax) }, /* SOFTMAX */
  { 26, 1, 1, sonde_tflite_build_depth_to_space, MOVES }, /* SPACE_TO_DEPTH */
  { 27, 3, 1, sonde_tflite_build_svdf }, /* SVDF */
  { 28, 1, 1, sonde_tflite_build_direct, EXACT (table) }, /* TANH */
  { 31, 0, 0, sonde_tflite_build_call, MOVES }, /* CALL */
  { 34, 2, 1, sonde_tflite_build_pad, MOVES }, /* PAD */
  { 35, 5, 1, sonde_tflite_build_sequence_rnn }, /* UNIDIRECTIONAL_SEQUENCE_RNN */
  { 36, 2, 1, sonde_tflite_build_gather, MOVES }, /* GATHER */
  { 37, 3, 1, sonde_tflite_build_batch_to_space, MOVES }, /* BATCH_TO_SPACE_ND */
  { 38, 3, 1, sonde_tflite_build_space_to_batch }, /* SPACE_TO_BATCH_ND */
  { 39, 2, 1, sonde_tflite_build_transpose, MOVES }, /* TRANSPOSE */
  { 40, 2, 1, sonde_tflite_build_reduce, EXACT (mean) }, /* MEAN */
  { 41, 2, 1, sonde_tflite_build_arithmetic, EXACT (arithmetic) }, /* SUB */
  { 42, 2, 1, sonde_tflite_build_arithmetic }, /* DIV */
  { 43, 1, 1, sonde_tflite_build_squeeze, MOVES }, /* SQUEEZE */
  { 44, 1, 1, sonde_tflite_build_sequence_lstm }, /* UNIDIRECTIONAL_SEQUENCE_LSTM */
  { 45, 4, 1, sonde_tflite_build_strided_slice, MOVES }, /* STRIDED_SLICE */
  { 47, 1, 1, sonde_tflite_build_direct, EXACT (table) }, /* EXP */
  { 48, 2, 2, sonde_tflite_build_top_k, MOVES }, /* TOPK_V2 */
  { 49, 2, 1, sonde_tflite_build_split, MOVES }, /* SPLIT */
  { 50, 1, 1, sonde_tflite_build_softmax }, /* LOG_SOFTMAX */
  { 53, 1, 1, sonde_tflite_build_cast, MOVES }, /* CAST */
  { 54, 2, 1, sonde_tflite_build_direct }, /* PRELU */
  { 55, 2, 1, sonde_tflite_build_direct }, /* MAXIMUM */
  { 56, 2, 1, sonde_tflite_build_arg, MOVES }, /* ARG_MAX */
  { 57, 2, 1, sonde_tflite_build_direct }, /* MINIMUM */
  { 58, 2, 1, sonde_tflite_build_direct }, /* LESS */
  { 59, 1, 1, sonde_tflite_build_direct }, /* NEG */
  { 60, 3, 1, sonde_tflite_build_pad, MOVES }, /* PADV2 */
  { 61, 2, 1, sonde_tflite_build_direct }, /* GREATER */
  { 62, 2, 1, sonde_tflite_build_direct }, /* GREATER_EQUAL */
  { 63, 2, 1, sonde_tflite_build_direct }, /* LESS_EQUAL */
  { 64, 3, 1, sonde_tflite_build_select }, /* SELECT */
  { 65, 3, 1, sonde_tflite_build_slice, MOVES }, /* SLICE */
  { 66, 1, 1, sonde_tflite_build_direct }, /* SIN */
  { 67, 3, 1, sonde_tflite_build_transpose_conv, EXACT (transpose_conv) }, /* TRANSPOSE_CONV */
  { 68, 4, 1, sonde_tflite_build_sparse_to_dense }, /* SPARSE_TO_DENSE */
  { 69, 2, 1, sonde_tflite_build_repeat, MOVES }, /* TILE */
  { 70, 2, 1, sonde_tflite_build_expand_dims, MOVES }, /* EXPAND_DIMS */
  { 71, 2, 1, sonde_tflite_build_direct }, /* EQUAL */
  { 72, 2, 1, sonde_tflite_build_not_equal }, /* NOT_EQUAL */
  { 73, 1, 1, sonde_tflite_build_direct, EXACT (table) }, /* LOG */
  { 74, 2, 1, sonde_tflite_build_reduce }, /* SUM */
  { 75, 1, 1, sonde_tflite_build_direct, EXACT (table) }, /* SQRT */
  { 76, 1, 1, sonde_tflite_build_rsqrt, EXACT (table) }, /* RSQRT */
  { 77, 1, 1, sonde_tflite_build_shape, MOVES }, /* SHAPE */
  { 78, 2, 1, sonde_tflite_build_direct }, /* POW */
  { 79, 2, 1, sonde_tflite_build_arg, MOVES }, /* ARG_MIN */
  { 80, 1, 1, sonde_tflite_build_fake_quant }, /* FAKE_QUANT */
  { 81, 2, 1, sonde_tflite_build_reduce }, /* REDUCE_PROD */
  { 82, 2, 1, sonde_tflite_build_reduce }, /* REDUCE_MAX */
  { 83, 1, 1, sonde_tflite_build_pack, MOVES }, /* PACK */
  { 84, 2, 1, sonde_tflite_build_direct }, /* LOGICAL_OR */
  { 85, 4, 1, sonde_tflite_build_one_hot }, /* ONE_HOT */
  { 86, 2, 1, sonde_tflite_build_direct }, /* LOGICAL_AND */
  { 87, 1, 1, sonde_tflite_build_direct }, /* LOGICAL_NOT */
  { 88, 1, 1, sonde_tflite_build_unpack, MOVES }, /* UNPACK */
  { 89, 2, 1, sonde_tflite_build_reduce }, /* REDUCE_MIN */
  { 90, 2, 1, sonde_tflite_build_floor_div }, /* FLOOR_DIV */
  { 91, 2, 1, sonde_tflite_build_reduce_bool }, /* REDUCE_ANY */
  { 92, 1, 1, sonde_tflite_build_square }, /* SQUARE */
  { 93, 1, 1, sonde_tflite_build_zeros_like }, /* ZEROS_LIKE */
  { 94, 2, 1, sonde_tflite_build_fill, MOVES }, /* FILL */
  { 95, 2, 1, sonde_tflite_build_floor_mod }, /* FLOOR_MOD */
  { 96, 3, 1, sonde_tflite_build_range }, /* RANGE */
  { 97, 2, 1, sonde_tflite_build_resize, MOVES }, /* RESIZE_NEAREST_NEIGHBOR */
  { 98, 1, 1, sonde_tflite_build_leaky_relu, EXACT (leaky_relu) }, /* LEAKY_RELU */
  { 99, 2, 1, sonde_tflite_build_squared_difference, EXACT (squared_difference) }, /* SQUARED_DIFFERENCE */
  { 100, 2, 1, sonde_tflite_build_mirror_pad, MOVES }, /* MIRROR_PAD */
  { 101, 1, 1, sonde_tflite_build_direct }, /* ABS */
  { 102, 3, 1, sonde_tflite_build_split, MOVES }, /* SPLIT_V */
  { 103, 1, 2, sonde_tflite_build_unique }, /* UNIQUE */
  { 104, 1, 1, sonde_tflite_build_direct }, /* CEIL */
  { 105, 2, 1, sonde_tflite_build_reverse, MOVES }, /* REVERSE_V2 */
  { 106, 1, 1, sonde_tflite_build_add_n }, /* ADD_N */
  { 107, 2, 1, sonde_tflite_build_gather_nd, MOVES }, /* GATHER_ND */
  { 108, 1, 1, sonde_tflite_build_direct }, /* COS */
  { 109, 1, 1, sonde_tflite_build_where }, /* WHERE */
  { 110, 1, 1, sonde_tflite_build_rank, MOVES }, /* RANK */
  { 111, 1, 1, sonde_tflite_build_direct, EXACT (table) }, /* ELU */
  { 112, 2, 1, sonde_tflite_build_reverse_sequence, MOVES }, /* REVERSE_SEQUENCE */
  { 113, 1, 1, sonde_tflite_build_matrix_diag }, /* MATRIX_DIAG */
  { 114, 1, 1, sonde_tflite_build_quantize, EXACT (quantize) }, /* QUANTIZE */
  { 115, 2, 1, sonde_tflite_build_matrix_set_diag }, /* MATRIX_SET_DIAG */
  { 116, 1, 1, sonde_tflite_build_direct }, /* ROUND */
  { 117, 1, 1, sonde_tflite_build_direct, EXACT (table) }, /* HARD_SWISH */
  { 118, 1, 0, sonde_tflite_build_if, MOVES }, /* IF */
  { 119, 1, 1, sonde_tflite_build_while, MOVES }, /* WHILE */
  { 120, 5, 2, sonde_tflite_build_non_max_suppression }, /* NON_MAX_SUPPRESSION_V4 */
  { 121, 6, 3, sonde_tflite_build_non_max_suppression }, /* NON_MAX_SUPPRESSION_V5 */
  { 122, 3, 1, sonde_tflite_build_scatter_nd }, /* SCATTER_ND */
  { 123, 3, 1, sonde_tflite_build_direct }, /* SELECT_V2 */
  { 125, 2, 1, sonde_tflite_build_segment_sum }, /* SEGMENT_SUM */
  { 126, 2, 1, sonde_tflite_build_batch_matmul, EXACT (batch_matmul) }, /* BATCH_MATMUL */
  { 128, 2, 1, sonde_tflite_build_cumsum }, /* CUMSUM */
  { 129, 0, 0, sonde_tflite_build_call_once, MOVES }, /* CALL_ONCE */
  { 130, 2, 1, sonde_tflite_build_repeat, MOVES }, /* BROADCAST_TO */
  { 132, 2, 1, sonde_tflite_build_conv_3d }, /* CONV_3D */
  { 140, 2, 1, sonde_tflite_build_reduce_bool }, /* REDUCE_ALL */
  { 141, 3, 1, sonde_tflite_build_conv_3d_transpose }, /* CONV_3D_TRANSPOSE */
  { 142, 0, 1, sonde_tflite_build_var_handle, MOVES }, /* VAR_HANDLE */
  { 143, 1, 1, sonde_tflite_build_read_variable, MOVES }, /* READ_VARIABLE */
  { 144, 2, 0, sonde_tflite_build_assign_variable, MOVES }, /* ASSIGN_VARIABLE */
  { 145, 2, 1, sonde_tflite_build_broadcast_args }, /* BROADCAST_ARGS */
  { 147, 1, 1, sonde_tflite_build_bucketize }, /* BUCKETIZE */
  { 150, 1, 1, sonde_tflite_build_gelu, EXACT (table) }, /* GELU */
  { 151, 3, 1, sonde_tflite_build_dynamic_update_slice, MOVES }, /* DYNAMIC_UPDATE_SLICE */
  { 152, 1, 1, sonde_tflite_build_clip }, /* RELU_0_TO_1 */
  { 153, 3, 1, sonde_tflite_build_unsorted_segment }, /* UNSORTED_SEGMENT_PROD */
  { 154, 3, 1, sonde_tflite_build_unsorted_segment }, /* UNSORTED_SEGMENT_MAX */
  { 155, 3, 1, sonde_tflite_build_unsorted_segment }, /* UNSORTED_SEGMENT_SUM */
  { 156, 2, 1, sonde_tflite_build_atan2 }, /* ATAN2 */
  { 157, 3, 1, sonde_tflite_build_unsorted_segment }, /* UNSORTED_SEGMENT_MIN */
  { 158, 1, 1, sonde_tflite_build_direct }, /* SIGN */
  { 159, 1, 1, sonde_tflite_build_bitcast, MOVES }, /* BITCAST */
  { 160, 2, 1, sonde_tflite_build_direct }, /* BITWISE_XOR */
  { 161, 2, 1, sonde_tflite_build_right_shift }, /* RIGHT_SHIFT */
  { 206, 0, 0, sonde_tflite_build_composite, MOVES }, /* STABLEHLO_COMPOSITE */
};
/* clang-format on */

const SondeTfliteRow *
sonde_tflite_row_find (int code)
{
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    if (rows[i].code == code)
      return &rows[i];
  return NULL;
}
