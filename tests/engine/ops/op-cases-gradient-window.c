/* SPDX-License-Identifier: Apache-2.0
 * Gradients of what slides a window: convolutions and pools. */
#include "tests/engine/ops/op-cases-gradient.h"

const OpCase op_cases_gradient_window[] = {
  { "Conv/line", "pads=[2,1] strides=[2] dilations=[2]", { "~2x2x7", "~3x2x3", "~3" }, { "2x3x3" }, 7 },
  { "Conv/groups", "group=2 pads=[1,0,0,1]", { "~2x4x3x4", "~4x2x2x3", "~4" }, { "2x4x3x3" }, 7 },
  { "Conv/depthwise-dilated", "group=2 dilations=[2,1] strides=[1,2]", { "~1x2x5x4", "~4x1x2x2" }, { "1x4x3x2" }, 3 },
  { "Conv/same-upper", "auto_pad='SAME_UPPER' strides=[2,2]", { "~1x2x4x3", "~2x2x3x2", "~2" }, { "1x2x2x2" }, 7 },
  { "Conv/same-lower", "auto_pad='SAME_LOWER' strides=[2,1]", { "~1x1x4x3", "~2x1x2x2" }, { "1x2x2x3" }, 3 },
  { "Conv/valid", "auto_pad='VALID'", { "~2x1x4", "~2x1x3", "~2" }, { "2x2x2" }, 7 },
  { "Conv/space", "strides=[1,2,1] pads=[1,0,0,0,0,1] dilations=[1,1,2]", { "~1x2x3x4x3", "~2x2x2x2x2", "~2" }, { "1x2x3x2x2" }, 7 },
  { "ConvTranspose/plain", "strides=[2,1] pads=[1,0,0,1] dilations=[1,2]", { "~2x2x2x3", "~2x3x3x2", "~3" }, { "2x3x4x4" }, 7 },
  { "ConvTranspose/groups", "group=2 output_padding=[1] strides=[2]", { "~2x4x3", "~4x2x2", "~4" }, { "2x4x7" }, 7 },
  { "ConvTranspose/space", "strides=[1,2,1]", { "~1x2x2x2x1", "~2x1x2x2x2" }, { "1x1x3x4x2" }, 3 },

  { "MaxPool/line", "kernel_shape=[3] strides=[2] pads=[1,1]", { "~2x2x7" }, { "2x2x4" }, 1 },
  { "MaxPool/ceil", "kernel_shape=[2,3] strides=[2,2] ceil_mode=1", { "~1x2x5x6" }, { "1x2x3x3" }, 1 },
  { "MaxPool/dilated", "kernel_shape=[2,2] dilations=[2,1] auto_pad='SAME_UPPER'", { "~1x1x4x4" }, { "1x1x4x4" }, 1 },
  { "MaxPool/same-lower", "kernel_shape=[2,2] strides=[2,2] auto_pad='SAME_LOWER'", { "~1x1x5x4" }, { "1x1x3x2" }, 1 },
  { "MaxPool/space-and-indices", "kernel_shape=[2,2,2] storage_order=1", { "~1x1x3x3x2" }, { "1x1x2x2x1", "i64 1x1x2x2x1" }, 1 },
  { "AveragePool/line", "kernel_shape=[3] strides=[2] pads=[1,1]", { "~2x2x7" }, { "2x2x4" }, 1 },
  { "AveragePool/include-pad", "kernel_shape=[3,2] pads=[1,0,1,1] count_include_pad=1 strides=[2,1]", { "~1x2x5x3" }, { "1x2x3x3" }, 1 },
  { "AveragePool/ceil", "kernel_shape=[3,3] strides=[2,2] ceil_mode=1 pads=[1,1,1,1]", { "~1x1x6x5" }, { "1x1x4x3" }, 1 },
  { "AveragePool/ceil-include-pad", "kernel_shape=[3] strides=[2] ceil_mode=1 pads=[1,1] count_include_pad=1", { "~1x1x6" }, { "1x1x4" }, 1 },
  { "AveragePool/dilated", "kernel_shape=[2,2] dilations=[2,1] auto_pad='SAME_LOWER'", { "~1x1x4x4" }, { "1x1x4x4" }, 1 },
  { "AveragePool/space", "kernel_shape=[2,1,2] pads=[1,0,0,0,0,1]", { "~1x1x3x2x2" }, { "1x1x3x2x2" }, 1 },
  { "LpPool/one", "kernel_shape=[2,2] p=1", { "~1x2x3x3" }, { "1x2x2x2" }, 1 },
  { "LpPool/two", "kernel_shape=[3] strides=[2] pads=[1,1]", { "~2x2x7" }, { "2x2x4" }, 1 },
  { "LpPool/three", "kernel_shape=[2,2] p=3 dilations=[2,1] ceil_mode=1 strides=[1,2]", { "~1x1x4x5" }, { "1x1x2x3" }, 1 },
  { "LpPool/five", "kernel_shape=[2,1,2] p=5 auto_pad='SAME_UPPER'", { "~1x1x2x2x2" }, { "1x1x2x2x2" }, 1 },
  { "MaxUnpool/plain", "kernel_shape=[2,2] strides=[2,2]", { "~1x2x2x1", "i64 1x2x2x1: 0 5 9 15" }, { "1x2x4x2" }, 1 },
  { "MaxUnpool/larger", "kernel_shape=[2] strides=[2]", { "~1x1x2", "i64 1x1x2: 1 2", "=i64 3: 1 1 6" }, { "1x1x6" }, 1 },
  { "MaxUnpool/padded", "kernel_shape=[2] strides=[2] pads=[1,1]", { "~1x1x2", "i64 1x1x2: 0 1" }, { "1x1x2" }, 1 },
  { "sonde.SumPool/plain", "kernel_shape=[2,2] pads=[1,0,0,1] ceil_mode=1 strides=[2,2]", { "~1x2x3x4" }, { "1x2x2x2" }, 1 },
  { NULL },
};

/* Rules that must know sizes of the window. */
const OpCase op_cases_gradient_sized[] = {
  { "ConvTranspose/same", "auto_pad='SAME_UPPER' strides=[2,2]", { "~1x1x2x3", "~1x2x3x3" }, { "1x2x4x6" }, 3 },
  { "ConvTranspose/shape", "output_shape=[6,8] strides=[2,2]", { "~1x2x3x3", "~2x1x3x3", "~1" }, { "1x1x6x8" }, 7 },
  { "CausalConvWithState/plain", NULL, { "~2x3x5", "~3x1x3", "~3" }, { "2x3x5", "2x3x2" }, 7 },
  { "CausalConvWithState/past", "activation='silu'", { "~2x2x4", "~2x1x3", "~2", "~2x2x2" }, { "2x2x4", "2x2x2" }, 15 },
  { "CausalConvWithState/without-bias", "activation='swish'", { "~1x2x4", "~2x1x2" }, { "1x2x4" }, 3 },
  { NULL },
};
