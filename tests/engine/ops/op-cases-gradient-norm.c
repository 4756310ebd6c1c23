/* SPDX-License-Identifier: Apache-2.0
 * Gradients of normalisations, softmax and pools of everything: every attribute that changes a gradient. */
#include "tests/engine/ops/op-cases-gradient.h"

const OpCase op_cases_gradient_norm[] = {
  { "Softmax/rows", NULL, { "~2x3x4" }, { "2x3x4" }, 1 },
  { "Softmax/middle", "axis=1", { "~2x3x4" }, { "2x3x4" }, 1 },
  { "LogSoftmax/rows", NULL, { "~2x3x4" }, { "2x3x4" }, 1 },
  { "LogSoftmax/first", "axis=0", { "~3x4" }, { "3x4" }, 1 },

  { "RMSNormalization/last", NULL, { "~2x3x4", "+4" }, { "2x3x4" }, 3 },
  { "RMSNormalization/two-axes", "axis=1 epsilon=0.1", { "~2x3x4", "+3x4" }, { "2x3x4" }, 3 },
  { "RMSNormalization/scale-a-row", NULL, { "~2x3x4", "+3x1" }, { "2x3x4" }, 3 },
  { "LpNormalization/two", "axis=1", { "~2x3x4" }, { "2x3x4" }, 1 },
  { "LpNormalization/one", "axis=-1 p=1", { "+2x3" }, { "2x3" }, 1 },
  { "LRN/odd", "size=3 alpha=0.5 beta=0.6 bias=1.5", { "~2x5x2x2" }, { "2x5x2x2" }, 1 },
  { "LRN/even", "size=4 alpha=0.5", { "~1x5x3" }, { "1x5x3" }, 1 },
  { "LRN/wider", "size=9 alpha=1.0", { "~2x3x2" }, { "2x3x2" }, 1 },
  { "InstanceNormalization/planes", "epsilon=0.01", { "~2x3x2x3", "~3", "~3" }, { "2x3x2x3" }, 7 },
  { "InstanceNormalization/line", NULL, { "~2x3x4", "~3", "~3" }, { "2x3x4" }, 7 },
  { "GroupNormalization/channels", "num_groups=2", { "~2x4x3", "~4", "~4" }, { "2x4x3" }, 7 },
  { "GroupNormalization/planes", "num_groups=3 epsilon=0.1", { "~2x6x2x2", "~6", "~6" }, { "2x6x2x2" }, 7 },
  { "GroupNormalization/scale-a-group", "num_groups=2", { "~2x4x3", "~2", "~2" }, { "2x4x3" }, 7 },
  { "LayerNormalization/last", NULL, { "~2x3x4", "~4", "~4" }, { "2x3x4" }, 7 },
  { "LayerNormalization/axis", "axis=1 epsilon=0.1", { "~2x3x4", "~3x4", "~3x4" }, { "2x3x4" }, 7 },
  { "LayerNormalization/without-bias", "axis=0", { "~2x3", "~2x3" }, { "2x3" }, 3 },
  { "LayerNormalization/statistics", NULL, { "~3x4", "~4", "~4" }, { "3x4", "3x1", "3x1" }, 7 },
  { "BatchNormalization/inference", "epsilon=0.1", { "~2x3x2x2", "~3", "~3", "~3", "+3" }, { "2x3x2x2" }, 31 },
  { "BatchNormalization/inference-flat", NULL, { "~4x3", "~3", "~3", "~3", "+3" }, { "4x3" }, 31 },
  { "BatchNormalization/training", "training_mode=1 epsilon=0.1", { "~2x3x2x2", "~3", "~3", "~3", "+3" }, { "2x3x2x2" }, 7 },
  { "BatchNormalization/training-flat", "training_mode=1", { "~4x2", "~2", "~2", "~2", "+2" }, { "4x2" }, 7 },
  { "BatchNormalization/training-statistics", "training_mode=1 momentum=0.7", { "~2x2x3", "~2", "~2", "~2", "+2" },
    { "2x2x3", "2", "2" }, 31 },

  { "GlobalLpPool/one", "p=1", { "~2x2x2x2" }, { "2x2x1x1" }, 1 },
  { "GlobalLpPool/two", NULL, { "~2x2x2x2" }, { "2x2x1x1" }, 1 },
  { "GlobalLpPool/three", "p=3", { "~2x2x3" }, { "2x2x1" }, 1 },
  { "GlobalAveragePool/line", NULL, { "~2x2x3" }, { "2x2x1" }, 1 },
  { "GlobalAveragePool/space", NULL, { "~1x2x2x1x2" }, { "1x2x1x1x1" }, 1 },
  { "GlobalMaxPool/plane", NULL, { "~2x2x2x3" }, { "2x2x1x1" }, 1 },
  { NULL },
};
