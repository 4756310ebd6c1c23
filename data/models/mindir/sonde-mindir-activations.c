/* SPDX-License-Identifier: Apache-2.0
 * Activations. */
#include <string.h>

#include "data/models/mindir/sonde-mindir-build.h"

static const SondeMindirTerm *
build_same (SondeMindirCall *call)
{
  return sonde_mindir_give (call, OP1 (call, call->row->text, sonde_mindir_tensor (call, "x")));
}

/* Its parameter "alpha" is ONNX's under the same name; the row's number is a thousandth of the
 * default. */
static const SondeMindirTerm *
build_alpha (SondeMindirCall *call)
{
  SondeGraphValue *y = OP1 (call, call->row->text, sonde_mindir_tensor (call, "x"));

  sonde_node_set_float (y->producer, "alpha",
                        sonde_mindir_number (call, "alpha", call->row->number / 1000.0));
  return sonde_mindir_give (call, y);
}

static SondeGraphValue *
clip (SondeMindirCall *call, SondeGraphValue *x, double min, double max)
{
  return OP3 (call, "Clip", x, sonde_mindir_number_like (call, min, x),
              sonde_mindir_number_like (call, max, x));
}

static const SondeMindirTerm *
build_relu6 (SondeMindirCall *call)
{
  return sonde_mindir_give (call, clip (call, sonde_mindir_tensor (call, "x"), 0, 6));
}

static const SondeMindirTerm *
build_hard_tanh (SondeMindirCall *call)
{
  return sonde_mindir_give (call, clip (call, sonde_mindir_tensor (call, "x"),
                                        sonde_mindir_number (call, "min_val", -1),
                                        sonde_mindir_number (call, "max_val", 1)));
}

static const SondeMindirTerm *
build_gelu_tanh (SondeMindirCall *call)
{
  SondeGraphValue *y = OP1 (call, "Gelu", sonde_mindir_tensor (call, "x"));

  sonde_node_set_string (y->producer, "approximate", "tanh");
  return sonde_mindir_give (call, y);
}

static const SondeMindirTerm *
build_gelu (SondeMindirCall *call)
{
  const char *word = sonde_mindir_text (call, "approximate", NULL);
  const gboolean tanh
      = word != NULL ? strcmp (word, "tanh") == 0 : sonde_mindir_int (call, "approximate", 0) == 1;

  return tanh ? build_gelu_tanh (call)
              : sonde_mindir_give (call, OP1 (call, "Gelu", sonde_mindir_tensor (call, "x")));
}

static const SondeMindirTerm *
build_silu (SondeMindirCall *call)
{
  SondeGraphValue *x = sonde_mindir_tensor (call, "x");

  return sonde_mindir_give (call, OP2 (call, "Mul", x, OP1 (call, "Sigmoid", x)));
}

static const SondeMindirTerm *
build_log_sigmoid (SondeMindirCall *call)
{
  SondeGraphValue *y = OP1 (
      call, "Neg", OP1 (call, "Softplus", OP1 (call, "Neg", sonde_mindir_tensor (call, "x"))));

  return call->row->number > 1
             ? sonde_mindir_give_tuple (call, (SondeGraphValue *const[]){ y, NULL }, 2)
             : sonde_mindir_give (call, y);
}

static const SondeMindirTerm *
build_hard_sigmoid (SondeMindirCall *call)
{
  SondeGraphValue *y = OP1 (call, "HardSigmoid", sonde_mindir_tensor (call, "x"));

  sonde_node_set_float (y->producer, "alpha", 1.0 / 6);
  sonde_node_set_float (y->producer, "beta", 0.5);
  return sonde_mindir_give (call, y);
}

/* Above the threshold it is linear, which the logarithm is there to the last bit. */
static const SondeMindirTerm *
build_softplus (SondeMindirCall *call)
{
  SondeGraphValue *x = sonde_mindir_tensor (call, "x");
  const double beta = sonde_mindir_number (call, "beta", 1);

  if (beta == 1)
    return sonde_mindir_give (call, OP1 (call, "Softplus", x));
  x = OP1 (call, "Softplus", OP2 (call, "Mul", x, sonde_mindir_number_like (call, beta, x)));
  return sonde_mindir_give (call, OP2 (call, "Div", x, sonde_mindir_number_like (call, beta, x)));
}

/* A weight a channel lies along dimension 1. */
static const SondeMindirTerm *
build_prelu (SondeMindirCall *call)
{
  SondeGraphValue *x = sonde_mindir_tensor (call, "x");
  SondeGraphValue *weight = sonde_mindir_tensor (call, "weight");
  const int rank = sonde_mindir_rank (call, x);
  gint64 sizes[SONDE_MAX_RANK];

  for (int i = 0; i < rank - 1; i++)
    sizes[i] = i == 0 ? -1 : 1;
  if (rank > 2)
    weight = sonde_mindir_reshape (call, weight, sizes, (gsize) rank - 1);
  return sonde_mindir_give (call, OP2 (call, "PRelu", x, weight));
}

/* What lies between ±lambd becomes 0; the row's number says whether the rest moves towards 0. */
static const SondeMindirTerm *
build_shrink (SondeMindirCall *call)
{
  SondeGraphValue *y = OP1 (call, "Shrink", sonde_mindir_tensor (call, "x"));
  const double lambd = sonde_mindir_number (call, "lambd", 0.5);

  sonde_node_set_float (y->producer, "lambd", lambd);
  sonde_node_set_float (y->producer, "bias", call->row->number != 0 ? lambd : 0);
  return sonde_mindir_give (call, y);
}

static const SondeMindirTerm *
build_threshold (SondeMindirCall *call)
{
  SondeGraphValue *x = sonde_mindir_tensor (call, "x");
  SondeGraphValue *above
      = OP2 (call, "Greater", x, sonde_mindir_tensor_like (call, "threshold", x));

  return sonde_mindir_give (
      call, OP3 (call, "Where", above, x, sonde_mindir_tensor_like (call, "value", x)));
}

/* Two halves: one goes through the row's function and gates the other. */
static void
split_half (SondeMindirCall *call, SondeGraphValue *x, gint64 axis, SondeGraphValue *halves[2])
{
  SondeNode *node = sonde_lowering_node (call->l, "", "Split", SONDE_VALUES (x), 2);

  sonde_node_set_int (node, "axis", axis);
  sonde_node_set_int (node, "num_outputs", 2);
  halves[0] = sonde_node_get_output (node, 0);
  halves[1] = sonde_node_get_output (node, 1);
}

static const SondeMindirTerm *
build_glu (SondeMindirCall *call)
{
  SondeGraphValue *halves[2];

  split_half (call, sonde_mindir_tensor (call, "x"), sonde_mindir_int (call, "axis", -1), halves);
  return sonde_mindir_give (call, OP2 (call, "Mul", halves[0], OP1 (call, "Sigmoid", halves[1])));
}

static const SondeMindirTerm *
build_swiglu (SondeMindirCall *call)
{
  SondeGraphValue *halves[2];

  split_half (call, sonde_mindir_tensor (call, "x"), sonde_mindir_int (call, "dim", -1), halves);
  return sonde_mindir_give (
      call,
      OP2 (call, "Mul", OP2 (call, "Mul", halves[0], OP1 (call, "Sigmoid", halves[0])), halves[1]));
}

/* In inference nothing is left out. */
static const SondeMindirTerm *
build_dropout (SondeMindirCall *call)
{
  SondeGraphValue *x = sonde_mindir_tensor (call, "x");

  sonde_lowering_mark (call->l, SONDE_LOWERED_DROPPED);
  return sonde_mindir_give_tuple (call, (SondeGraphValue *const[]){ x, NULL }, 2);
}

const SondeMindirRow sonde_mindir_activation_rows[] = {
  { "ReLU", "x", build_same, "Relu", 0 },
  { "ReLU6", "x", build_relu6, NULL, 0 },
  { "Hardtanh", "x min_val max_val", build_hard_tanh, NULL, 0 },
  { "GeLU", "x", build_gelu_tanh, NULL, 0 },
  { "Gelu", "x", build_gelu_tanh, NULL, 0 },
  { "FastGeLU", "x", build_gelu_tanh, NULL, 0 },
  { "GeluExt", "x approximate", build_gelu, NULL, 0 },
  { "SiLU", "x", build_silu, NULL, 0 },
  { "HSwish", "x", build_same, "HardSwish", 0 },
  { "HSigmoid", "x", build_hard_sigmoid, NULL, 0 },
  { "Elu", "x alpha", build_alpha, "Elu", 1000 },
  { "EluExt", "x alpha", build_alpha, "Elu", 1000 },
  { "CeLU", "x alpha", build_alpha, "Celu", 1000 },
  { "LeakyReLU", "x alpha", build_alpha, "LeakyRelu", 200 },
  { "LeakyReLUExt", "x alpha", build_alpha, "LeakyRelu", 10 },
  { "Mish", "x", build_same, "Mish", 0 },
  { "MishExt", "x", build_same, "Mish", 0 },
  { "SeLU", "x", build_same, "Selu", 0 },
  { "SeLUExt", "x", build_same, "Selu", 0 },
  { "Softsign", "x", build_same, "Softsign", 0 },
  { "Softplus", "x", build_softplus, NULL, 0 },
  { "SoftplusExt", "x beta threshold", build_softplus, NULL, 0 },
  { "PReLU", "x weight", build_prelu, NULL, 0 },
  { "HShrink", "x lambd", build_shrink, NULL, 0 },
  { "SoftShrink", "x lambd", build_shrink, NULL, 1 },
  { "Threshold", "x threshold value", build_threshold, NULL, 0 },
  { "LogSigmoid", "x", build_log_sigmoid, NULL, 2 },
  { "GLU", "x axis", build_glu, NULL, 0 },
  { "Swiglu", "x dim", build_swiglu, NULL, 0 },
  { "Dropout", "x", build_dropout, NULL, 0 },
  { "DropoutExt", "x p seed offset", build_dropout, NULL, 0 },
  { "Dropout2D", "x", build_dropout, NULL, 0 },
  { "Dropout3D", "x", build_dropout, NULL, 0 },
  { NULL, NULL, NULL, NULL, 0 },
};
