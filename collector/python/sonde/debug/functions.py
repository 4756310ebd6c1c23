# SPDX-License-Identifier: Apache-2.0
"""What ATen's operators are called in programs, and what is noise among them."""

# Operator: what programs call. An operator is also called by its own name, without "_" at both ends.
CALLED = {
    "addmm": ["linear"], "mm": ["linear", "matmul"], "bmm": ["matmul"], "baddbmm": ["matmul"],
    "convolution": ["conv1d", "conv2d", "conv3d", "conv_transpose1d", "conv_transpose2d", "conv_transpose3d"],
    "convolution_backward": ["conv1d", "conv2d", "conv3d"],
    "native_batch_norm": ["batch_norm"], "_native_batch_norm_legit": ["batch_norm"], "cudnn_batch_norm": ["batch_norm"],
    "_native_batch_norm_legit_functional": ["batch_norm"], "_batch_norm_with_update": ["batch_norm"],
    "native_layer_norm": ["layer_norm"], "native_group_norm": ["group_norm"], "_fused_rms_norm": ["rms_norm"],
    "native_dropout": ["dropout"], "bernoulli_": ["dropout"],
    "max_pool2d_with_indices": ["max_pool2d"], "max_pool3d_with_indices": ["max_pool3d"], "avg_pool2d": ["avg_pool2d"],
    "_adaptive_avg_pool2d": ["adaptive_avg_pool2d"],
    "nll_loss_forward": ["nll_loss", "cross_entropy"], "nll_loss2d_forward": ["nll_loss", "cross_entropy"],
    "_log_softmax": ["log_softmax", "cross_entropy"], "hardtanh": ["relu6"],
    "_scaled_dot_product_flash_attention": ["scaled_dot_product_attention"],
    "_scaled_dot_product_flash_attention_for_cpu": ["scaled_dot_product_attention"],
    "_scaled_dot_product_efficient_attention": ["scaled_dot_product_attention"],
    "_scaled_dot_product_cudnn_attention": ["scaled_dot_product_attention"],
    "_scaled_dot_product_fused_attention_overrideable": ["scaled_dot_product_attention"],
    "_safe_softmax": ["softmax", "scaled_dot_product_attention"],  # only there is it called, where it is made of smaller operators
    "mkldnn_rnn_layer": ["lstm"], "_thnn_fused_lstm_cell": ["lstm"], "_cudnn_rnn": ["lstm", "gru", "rnn"],
    "_to_copy": ["to"], "_unsafe_view": ["view", "matmul"], "t": ["transpose"],
}

# Neither listed nor stopped at: what autograd and tracing do for themselves.
HIDDEN = {"detach", "detach_", "lift_fresh", "lift_fresh_copy", "alias", "lift", "_record_function_enter_new", "_record_function_exit",
          "_record_function_enter", "record_stream",
          # Memory without numbers yet.
          "empty", "empty_like", "empty_strided", "empty_permuted", "new_empty", "new_empty_strided"}
# The numbers of what they are given, though their schemas do not say so.
VIEWS = {"_unsafe_view", "_reshape_alias"}
ACTIVATIONS = {"relu", "relu_", "gelu", "silu", "silu_", "sigmoid", "sigmoid_", "tanh", "tanh_", "leaky_relu", "elu", "hardtanh",
               "hardswish", "hardsigmoid", "mish", "_softmax", "_log_softmax", "softplus"}


def names_of(op):
    """What op:NAME may say for an operator, beside its own name."""
    names = list(CALLED.get(op, ()))
    plain = op.strip("_")
    if plain and plain != op:
        names.append(plain)
    return names
