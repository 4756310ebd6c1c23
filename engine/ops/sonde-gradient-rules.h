/* SPDX-License-Identifier: Apache-2.0
 * Gradient rules that live in files of their own, apart from their rows. */
#pragma once

#include "engine/ops/sonde-op-implement.h"

G_BEGIN_DECLS

/* Short forms inside of a rule, whose context is named so. */
#define OP1(op, a) sonde_rule_unary (context, op, a)
#define OP2(op, a, b) sonde_rule_binary (context, op, a, b)

#define SONDE_GRADIENT(name)                                                                       \
  gboolean sonde_gradient_##name (SondeGradientContext *context, GError **error)

/* sonde-ops-activation-gradient-rules.c */
SONDE_GRADIENT (celu);
SONDE_GRADIENT (mish);
SONDE_GRADIENT (prelu);
SONDE_GRADIENT (shrink);
SONDE_GRADIENT (swiglu);
SONDE_GRADIENT (swish);
SONDE_GRADIENT (thresholded_relu);
SONDE_GRADIENT (elu_grad);
SONDE_GRADIENT (erf_grad);
SONDE_GRADIENT (gelu_grad);
SONDE_GRADIENT (hard_swish_grad);
SONDE_GRADIENT (linear_grad); /* the second factor's derivative is zero: ReluGrad, ClipGrad, … */
SONDE_GRADIENT (selu_grad);
SONDE_GRADIENT (sigmoid_grad);
SONDE_GRADIENT (softplus_grad);
SONDE_GRADIENT (softsign_grad);
SONDE_GRADIENT (tanh_grad);

/* sonde-ops-reduce-gradient-rules.c */
SONDE_GRADIENT (reduce_extreme);
SONDE_GRADIENT (reduce_l1);
SONDE_GRADIENT (reduce_l2);
SONDE_GRADIENT (reduce_log_sum);
SONDE_GRADIENT (reduce_log_sum_exp);
SONDE_GRADIENT (reduce_mean);
SONDE_GRADIENT (reduce_product);
SONDE_GRADIENT (reduce_sum);
SONDE_GRADIENT (reduce_sum_square);
SONDE_GRADIENT (broadcast_like);
SONDE_GRADIENT (extreme_grad);

/* sonde-ops-linear-scan.c */
SONDE_GRADIENT (linear_scan);
SONDE_GRADIENT (running_product);
SONDE_GRADIENT (running_sum);

/* sonde-ops-indexing-gradient-rules.c */
SONDE_GRADIENT (compress);
SONDE_GRADIENT (gather_elements);
SONDE_GRADIENT (gather_grad);
SONDE_GRADIENT (gather_tuples);
SONDE_GRADIENT (gather_tuples_grad);
SONDE_GRADIENT (scatter);
SONDE_GRADIENT (tensor_scatter);
SONDE_GRADIENT (tile);
SONDE_GRADIENT (tile_grad);
SONDE_GRADIENT (top);

/* sonde-ops-tensor-gradient-rules.c */
SONDE_GRADIENT (center_crop_pad);
SONDE_GRADIENT (concat_grad);
SONDE_GRADIENT (depth_to_space);
SONDE_GRADIENT (one_hot);
SONDE_GRADIENT (own_inverse);
SONDE_GRADIENT (pad);
SONDE_GRADIENT (pad_grad);
SONDE_GRADIENT (range);
SONDE_GRADIENT (slice_grad);
SONDE_GRADIENT (space_to_depth);

/* sonde-ops-sequence-gradient.c */
SONDE_GRADIENT (concat_from_sequence);
SONDE_GRADIENT (optional);
SONDE_GRADIENT (optional_get_element);
SONDE_GRADIENT (sequence_at);
SONDE_GRADIENT (sequence_construct);
SONDE_GRADIENT (sequence_erase);
SONDE_GRADIENT (sequence_insert);
SONDE_GRADIENT (split_to_sequence);

/* sonde-ops-quantize-linear-gradient-rules.c */
SONDE_GRADIENT (dequantise);
SONDE_GRADIENT (quantise);

/* files of their own */
SONDE_GRADIENT (dft);
SONDE_GRADIENT (einsum);
SONDE_GRADIENT (stft);

G_END_DECLS
