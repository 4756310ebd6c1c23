/* SPDX-License-Identifier: Apache-2.0
 * Cases of losses and optimiser updates. */
#include "tests/engine/ops/op-case.h"

#define CLOSED "closed form"

const OpCase op_cases_training[] = {
  { "SoftmaxCrossEntropyLoss/mean", NULL, { "2x2: 0 0 0 1.0986122886681098", "i64 2: 0 1" }, { "scalar: 0.4904146265058631", "2x2: -0.6931471805599453 -0.6931471805599453 -1.3862943611198906 -0.2876820724517809" }, 1, CLOSED },
  { "SoftmaxCrossEntropyLoss/sum", "reduction='sum'", { "~4x5", "i64 4: 0 4 2 2" }, { "scalar" }, 1, NULL },
  { "SoftmaxCrossEntropyLoss/none", "reduction='none'", { "~3x4", "i64 3: 3 0 1" }, { "3", "3x4" }, 1, NULL },
  { "SoftmaxCrossEntropyLoss/weights", NULL, { "~3x4", "i64 3: 3 0 1", "4: 1 2 3 4" }, { "scalar" }, 1, NULL },
  { "SoftmaxCrossEntropyLoss/ignore", "ignore_index=-1", { "3x2: 0 0 5 5 0 0", "i64 3: 0 -1 1", "2: 1 3" }, { "scalar: 0.6931471805599453" }, 1, CLOSED },
  { "SoftmaxCrossEntropyLoss/ignore-sum", "ignore_index=0 reduction='sum'", { "~4x3x2", "i32 4x2: 0 1 2 0 1 1 0 2" }, { "scalar" }, 1, NULL },
  { "SoftmaxCrossEntropyLoss/pixels", NULL, { "~2x3x2x2", "i64 2x2x2: 0 1 2 0 1 2 2 1" }, { "scalar", "2x3x2x2" }, 1, NULL },
  { "SoftmaxCrossEntropyLoss/label-outside", NULL, { "1x2: 0 0", "i64 1: 7" }, { "scalar: nan" }, 0, "a finding, not an error" },
  { "NegativeLogLikelihoodLoss/mean", NULL, { "2x2: -1 -2 -3 -4", "i64 2: 0 1" }, { "scalar: 2.5" }, 1, CLOSED },
  { "NegativeLogLikelihoodLoss/weights", NULL, { "2x2: -1 -2 -3 -4", "i64 2: 0 1", "2: 1 3" }, { "scalar: 3.25" }, 1, CLOSED },
  { "NegativeLogLikelihoodLoss/none", "reduction='none' ignore_index=1", { "2x2x2: -1 -2 -3 -4 -5 -6 -7 -8", "i64 2x2: 0 1 0 0" }, { "2x2: 1 0 5 6" }, 1, CLOSED },
  { "sonde.MseLoss/mean", NULL, { "2x2: 1 2 3 4", "2x2: 1 1 1 1" }, { "scalar: 3.5" }, 3, CLOSED },
  { "sonde.MseLoss/sum", "reduction='sum'", { "2x2: 1 2 3 4", "2x2: 1 1 1 1" }, { "scalar: 14" }, 3, CLOSED },
  { "sonde.MseLoss/none", "reduction='none'", { "2: 1 3", "2: 0 1" }, { "2: 1 4" }, 3, CLOSED },

  { "sonde.CtcLoss/one-label", NULL, { "2x1x2: -0.6931471805599453 -0.6931471805599453 -1.3862943611198906 -0.2876820724517809", "i64 1x1: 1" }, { "1: 0.13353139262452263" }, 1, "of paths 11, 1b, b1 of ½·¾, ½·¼, ½·¾" },
  { "sonde.CtcLoss/repeated", "blank=2", { "~5x2x3", "i64 2x3: 0 0 1 1 -1 -1" }, { "2" }, 1, NULL },
  { "sonde.CtcLoss/empty", NULL, { "~3x1x2", "i64 1x1: -1" }, { "1" }, 1, NULL },

  { "sonde.SgdUpdate/plain", NULL, { "2: 1 2", "2: 10 20", "-", "scalar: 0.1" }, { "2: 0 0" }, 0, CLOSED },
  { "sonde.SgdUpdate/momentum", "momentum=0.5 weight_decay=0.25", { "2: 4 8", "2: 1 1", "2: 2 4", "f32 scalar: 0.5" }, { "2: 2.5 5.5", "2: 3 5" }, 0, "torch.optim.SGD's formulas: g = 2 3, v = 3 5" },
  { "sonde.SgdUpdate/first-step", "momentum=0.9", { "1: 1", "1: 2", "1: 0", "f32 scalar: 0.25" }, { "1: 0.5", "1: 2" }, 0, CLOSED },
  { "sonde.AdamUpdate/first-step", "beta1=0.5 beta2=0.75 epsilon=0.0", { "2: 1 1", "2: 4 -2", "2: 0 0", "2: 0 0", "scalar: 0.125", "i64 scalar: 1" }, { "2: 0.875 1.125", "2: 2 -1", "2: 4 1" }, 0, "the first step of Adam is lr·sign (g)" },
  { "sonde.AdamUpdate/second-step", "beta1=0.5 beta2=0.75 epsilon=1.0", { "1: 1", "1: 4", "1: 2", "1: 3", "scalar: 0.75", "i64 scalar: 2" }, { "1: 0.3723382868", "1: 3", "1: 6.25" }, 0, "1 − 3/(2.5/√(7/16) + 1)" },
  { "sonde.AdamUpdate/decay", "beta1=0.5 beta2=0.75 epsilon=0.0 weight_decay=0.5", { "1: 2", "1: 3", "1: 0", "1: 0", "scalar: 0.125", "i64 scalar: 1" }, { "1: 1.875", "1: 2", "1: 4" }, 0, "g = 3 + 0.5·2 = 4" },
  { "sonde.AdamUpdate/decoupled", "beta1=0.5 beta2=0.75 epsilon=0.0 weight_decay=0.5 decoupled=1", { "1: 2", "1: 4", "1: 0", "1: 0", "scalar: 0.125", "i64 scalar: 1" }, { "1: 1.75", "1: 2", "1: 4" }, 0, "w = 2·(1 − 0.0625) − 0.125" },
  { "sonde.SgdUpdate/nesterov", "momentum=0.5 nesterov=1", { "1: 4", "1: 2", "1: 4", "f32 scalar: 0.5" }, { "1: 2", "1: 4" }, 0, "v = 4, w −= 0.5·(2 + 0.5·4)" },
  { "sonde.SgdUpdate/dampening", "momentum=0.5 dampening=0.75", { "1: 4", "1: 2", "1: 4", "f32 scalar: 0.5", "i64 scalar: 2" }, { "1: 2.75", "1: 2.5" }, 0, "v = 2 + 0.25·2" },
  { "sonde.RmsPropUpdate/plain", "alpha=0.75 epsilon=0.0", { "1: 1", "1: 2", "1: 0", "-", "-", "f32 scalar: 0.125", "i64 scalar: 1" }, { "1: 0.75", "1: 1" }, 0, "s = 1" },
  { "sonde.RmsPropUpdate/centred", "alpha=0.5 epsilon=0.0 momentum=0.5", { "1: 1", "1: 4", "1: 0", "1: 2", "1: 0", "f32 scalar: 0.125", "i64 scalar: 1" }, { "1: 0.625", "1: 8", "1: 3", "1: 2" }, 0, "s = 8, m = 2, √(8 − 4) = 2, v = 1 + 2" },
  { "sonde.AdagradUpdate/plain", "rate_decay=1.0 epsilon=0.0", { "1: 1", "1: 3", "1: 16", "f32 scalar: 0.5", "i64 scalar: 2" }, { "1: 0.85", "1: 25" }, 0, "w −= 0.25·3/5" },
  { "sonde.AdadeltaUpdate/plain", "rho=0.75 epsilon=1.0", { "1: 1", "1: 2", "1: 0", "1: 3", "f32 scalar: 1", "i64 scalar: 1" }, { "1: -1.8284271247461903", "1: 1", "1: 4.25" }, 0, "u = √(4/2)·2" },
  { "sonde.LionUpdate/plain", "beta1=0.5 beta2=0.75 weight_decay=0.5", { "1: 2", "1: 1", "1: -3", "f32 scalar: 0.25", "i64 scalar: 1" }, { "1: 2", "1: -2" }, 0, "w = 2·0.875 + 0.25" },
  { "sonde.AdamDirection/plain", "beta1=0.5 beta2=0.75 epsilon=0.0 weight_decay=0.5", { "1: 2", "1: 4", "1: 0", "1: 0", "f32 scalar: 1", "i64 scalar: 1" }, { "1: 2", "1: 2", "1: 4" }, 0, "4/4 + 0.5·2" },
  { "sonde.TrustRatio/plain", "coefficient=0.5 weight_decay=1.0 epsilon=1.0", { "f32 scalar: 4", "f32 scalar: 3" }, { "f32 scalar: 0.25" }, 0, "2/(3 + 4 + 1)" },
  { "sonde.TrustRatio/zero", "coefficient=0.5", { "f32 scalar: 0", "f32 scalar: 3" }, { "f32 scalar: 1" }, 0, CLOSED },
  { "sonde.GlobalNorm/two", NULL, { "2: 1 2", "1x2: 4 10" }, { "f32 scalar: 11" }, 0, CLOSED },
  { NULL },
};
