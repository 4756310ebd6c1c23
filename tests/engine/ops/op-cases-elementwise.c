/* SPDX-License-Identifier: Apache-2.0
 * Cases of elementwise operators. Sources: "closed form": worked by hand or with 20 digits from the
 * definition. */
#include "tests/engine/ops/op-case.h"

#define CLOSED "closed form"

const OpCase op_cases_elementwise[] = {
  /* one input */
  { "Abs/floats", NULL, { "4: -1.5 0 2 -inf" }, { "4: 1.5 0 2 inf" }, 0, CLOSED },
  { "Abs/integers", NULL, { "i8 3: -5 0 -128" }, { "i8 3: 5 0 -128" }, 0, "NumPy wraps" },
  { "Abs/gradient", NULL, { "4: -1.5 0.5 2 -3" }, { "4" }, 1, NULL },
  { "Ceil/values", NULL, { "3: -1.5 1.2 2" }, { "3: -1 2 2" }, 0, CLOSED },
  { "Cos/values", NULL, { "3: 0 1 3.14159265358979" }, { "3: 1 0.5403023058681398 -1" }, 1, CLOSED },
  { "Erf/values", NULL, { "3: 0 0.5 -2" }, { "3: 0 0.5204998778130465 -0.9953222650189527" }, 1, "Abramowitz and Stegun, table 7.1" },
  { "Exp/values", NULL, { "3: 0 1 -2" }, { "3: 1 2.718281828459045 0.1353352832366127" }, 1, CLOSED },
  { "Floor/values", NULL, { "3: -1.5 1.2 2" }, { "3: -2 1 2" }, 0, CLOSED },
  { "Log/values", NULL, { "3: 1 2.718281828459045 0.5" }, { "3: 0 1 -0.6931471805599453" }, 1, CLOSED },
  { "Neg/floats", NULL, { "2x2: 1 -2 0 nan" }, { "2x2: -1 2 0 nan" }, 0, CLOSED },
  { "Neg/integers", NULL, { "i32 3: 1 -2147483648 0" }, { "i32 3: -1 -2147483648 0" }, 0, "NumPy wraps" },
  { "Neg/gradient", NULL, { "~2x3" }, { "2x3" }, 1, NULL },
  { "Reciprocal/values", NULL, { "3: 1 -2 0.5" }, { "3: 1 -0.5 2" }, 1, CLOSED },
  { "Round/to-even", NULL, { "5: 0.5 1.5 2.5 -0.5 1.2" }, { "5: 0 2 2 0 1" }, 0, CLOSED },
  { "Sign/floats", NULL, { "3: -3 0 2" }, { "3: -1 0 1" }, 0, CLOSED },
  { "Sin/values", NULL, { "3: 0 1 -1.5" }, { "3: 0 0.8414709848078965 -0.9974949866040544" }, 1, CLOSED },
  { "Sqrt/values", NULL, { "3: 1 2 9" }, { "3: 1 1.4142135623730951 3" }, 1, CLOSED },

  /* activations */
  { "Elu/values", "alpha=2.0", { "3: -1 0.5 2" }, { "3: -1.2642411176571153 0.5 2" }, 1, CLOSED },
  { "Gelu/exact", NULL, { "3: -1 0.5 2" }, { "3: -0.15865525393145707 0.34573123063700656 1.9544997361036416" }, 1, "x·Φ(x)" },
  { "Gelu/tanh", "approximate='tanh'", { "3: -1 0.5 2" }, { "3: -0.15880800939172324 0.34571400982514394 1.954597694087775" }, 1, CLOSED },
  { "HardSigmoid/values", "alpha=0.5 beta=0.6", { "3: -3 0 3" }, { "3: 0 0.6 1" }, 0, CLOSED },
  { "HardSigmoid/gradient", NULL, { "~4" }, { "4" }, 1, NULL },
  { "HardSwish/values", NULL, { "5: -4 -1 0 1 4" }, { "5: 0 -0.3333333333333333 0 0.6666666666666666 4" }, 1, CLOSED },
  { "LeakyRelu/values", "alpha=0.1", { "3: -1 0.5 2" }, { "3: -0.1 0.5 2" }, 1, CLOSED },
  { "LeakyRelu/default", NULL, { "1: -1" }, { "1: -0.01" }, 0, CLOSED },
  { "Relu/values", NULL, { "4: -1 0 2 nan" }, { "4: 0 0 2 nan" }, 0, CLOSED },
  { "Relu/integers", NULL, { "i32 3: -7 0 7" }, { "i32 3: 0 0 7" }, 0, CLOSED },
  { "Relu/gradient", NULL, { "~3x5" }, { "3x5" }, 1, NULL },
  { "Selu/values", NULL, { "2: -1 2" }, { "2: -1.1113307412864784 2.1014020442962646" }, 1, CLOSED },
  { "Sigmoid/values", NULL, { "4: 0 2 -2 -100" }, { "4: 0.5 0.8807970779778823 0.11920292202211755 3.720075976020836e-44" }, 1, CLOSED },
  { "Softplus/values", NULL, { "4: 0 2 -2 100" }, { "4: 0.6931471805599453 2.1269280110429727 0.1269280110429726 100" }, 1, CLOSED },
  { "Softsign/values", NULL, { "3: 0 1 -3" }, { "3: 0 0.5 -0.75" }, 0, CLOSED },
  { "Softsign/gradient", NULL, { "3: 0.5 1 -3" }, { "3" }, 1, NULL },
  { "Tanh/values", NULL, { "3: 0 0.5 -2" }, { "3: 0 0.46211715726000973 -0.9640275800758169" }, 1, CLOSED },
  { "Clip/both", NULL, { "5: -3 -1 0 1 3", "scalar: -1", "scalar: 2" }, { "5: -1 -1 0 1 2" }, 0, CLOSED },
  { "Clip/upper", NULL, { "3: -3 0 3", "-", "scalar: 2" }, { "3: -3 0 2" }, 0, CLOSED },
  { "Clip/none", NULL, { "3: -3 0 3" }, { "3: -3 0 3" }, 1, CLOSED },
  { "Clip/integers", NULL, { "u8 3: 0 100 200", "u8 scalar: 10", "u8 scalar: 150" }, { "u8 3: 10 100 150" }, 0, CLOSED },
  { "Clip/gradient", NULL, { "5: -3 -0.9 0 1 3", "scalar: -1", "scalar: 2" }, { "5" }, 1, NULL },

  /* arithmetic */
  { "Add/same-shape", NULL, { "2x2: 1 2 3 4", "2x2: 10 20 30 40" }, { "2x2: 11 22 33 44" }, 3, CLOSED },
  { "Add/row", NULL, { "2x3: 1 2 3 4 5 6", "3: 10 20 30" }, { "2x3: 11 22 33 14 25 36" }, 3, CLOSED },
  { "Add/column", NULL, { "2x3: 1 2 3 4 5 6", "2x1: 10 20" }, { "2x3: 11 12 13 24 25 26" }, 3, CLOSED },
  { "Add/scalar", NULL, { "scalar: 1", "2x2: 1 2 3 4" }, { "2x2: 2 3 4 5" }, 3, CLOSED },
  { "Add/outer", NULL, { "3x1: 1 2 3", "1x2: 10 20" }, { "3x2: 11 21 12 22 13 23" }, 3, CLOSED },
  { "Add/channels", NULL, { "~2x3x2x2", "3x1x1: 1 2 3" }, { "2x3x2x2" }, 3, NULL },
  { "Add/empty", NULL, { "0x3:", "3: 1 2 3" }, { "0x3:" }, 0, CLOSED },
  { "Add/integers", NULL, { "u8 3: 250 1 2", "u8 scalar: 10" }, { "u8 3: 4 11 12" }, 0, "NumPy wraps" },
  { "Sub/row", NULL, { "2x2: 1 2 3 4", "2: 1 1" }, { "2x2: 0 1 2 3" }, 3, CLOSED },
  { "Sub/integers", NULL, { "i64 2: 5 -5", "i64 2: 7 7" }, { "i64 2: -2 -12" }, 0, CLOSED },
  { "Mul/column", NULL, { "2x2: 1 2 3 4", "2x1: 10 100" }, { "2x2: 10 20 300 400" }, 3, CLOSED },
  { "Mul/same-value", NULL, { "~2x2", "~2x2" }, { "2x2" }, 3, NULL },
  { "Div/row", NULL, { "2x2: 1 2 3 4", "2: 2 4" }, { "2x2: 0.5 0.5 1.5 1" }, 3, CLOSED },
  { "Div/integers", NULL, { "i32 4: 7 -7 7 -2147483648", "i32 4: 2 2 0 -1" }, { "i32 4: 3 -3 0 -2147483648" }, 0, "C truncates; x/0 is 0 here" },
  { "Pow/values", NULL, { "3: 2 3 4", "3: 2 0.5 -1" }, { "3: 4 1.7320508075688772 0.25" }, 3, CLOSED },
  { "Pow/integer-exponent", NULL, { "3: 2 3 -4", "i64 scalar: 3" }, { "3: 8 27 -64" }, 1, CLOSED },
  { "Pow/integers", NULL, { "i32 3: 2 3 -4", "i32 3: 5 0 3" }, { "i32 3: 32 1 -64" }, 0, CLOSED },
  { "Sum/three", NULL, { "2: 1 2", "2x1: 10 20", "scalar: 100" }, { "2x2: 111 112 121 122" }, 7, CLOSED },
  { "Sum/one", NULL, { "2: 1 2" }, { "2: 1 2" }, 1, CLOSED },
  { "Mean/two", NULL, { "2: 1 2", "2: 3 6" }, { "2: 2 4" }, 3, CLOSED },
  { "Max/two", NULL, { "3: 1 5 nan", "3: 3 2 1" }, { "3: 3 5 nan" }, 0, CLOSED },
  { "Max/gradient", NULL, { "~2x3", "~3", "~1" }, { "2x3" }, 7, NULL },
  { "Min/two", NULL, { "3: 1 5 2", "scalar: 3" }, { "3: 1 3 2" }, 3, CLOSED },

  /* comparison, choice */
  { "Equal/floats", NULL, { "3: 1 2 nan", "3: 1 3 nan" }, { "bool 3: 1 0 0" }, 0, CLOSED },
  { "Equal/bool", NULL, { "bool 2: 1 0", "bool scalar: 1" }, { "bool 2: 1 0" }, 0, CLOSED },
  { "Greater/values", NULL, { "3: 1 2 3", "scalar: 2" }, { "bool 3: 0 0 1" }, 0, CLOSED },
  { "GreaterOrEqual/values", NULL, { "3: 1 2 3", "scalar: 2" }, { "bool 3: 0 1 1" }, 0, CLOSED },
  { "Less/unsigned", NULL, { "u64 2: 1 18446744073709551615", "u64 scalar: 2" }, { "bool 2: 1 0" }, 0, CLOSED },
  { "LessOrEqual/values", NULL, { "3: 1 2 3", "scalar: 2" }, { "bool 3: 1 1 0" }, 0, CLOSED },
  { "And/values", NULL, { "bool 4: 0 0 1 1", "bool 4: 0 1 0 1" }, { "bool 4: 0 0 0 1" }, 0, CLOSED },
  { "Or/values", NULL, { "bool 4: 0 0 1 1", "bool 4: 0 1 0 1" }, { "bool 4: 0 1 1 1" }, 0, CLOSED },
  { "Xor/values", NULL, { "bool 4: 0 0 1 1", "bool 4: 0 1 0 1" }, { "bool 4: 0 1 1 0" }, 0, CLOSED },
  { "Not/values", NULL, { "bool 2: 0 1" }, { "bool 2: 1 0" }, 0, CLOSED },
  { "Where/broadcast", NULL, { "bool 2x1: 1 0", "2: 1 2", "2x2: 10 20 30 40" }, { "2x2: 1 2 30 40" }, 6, CLOSED },

  /* gradients' own kernels at their borders, where differences say nothing */
  { "sonde.ReluGrad/border", NULL, { "3: 5 5 5", "3: 0 1 0" }, { "3: 0 5 0" }, 0, "PyTorch's threshold_backward" },
  { "sonde.ClipGrad/border", NULL, { "3: 5 5 5", "3: -1 0 2", "scalar: -1", "scalar: 2" }, { "3: 5 5 5" }, 0, "PyTorch's clamp_backward" },
  { NULL },
};
