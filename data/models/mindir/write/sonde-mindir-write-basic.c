/* SPDX-License-Identifier: Apache-2.0
 * ONNX operators, element by element, as primitives. */
#include <math.h>
#include <string.h>

#include "data/models/mindir/write/sonde-mindir-writer.h"
#include "data/models/mindir/sonde-mindir-term.h"

#define IN(index) sonde_mindir_in (w, node, index)
#define CALL(primitive, ...) sonde_mindir_call (w, primitive, SONDE_NAMES (__VA_ARGS__))
#define VALUE(index) sonde_node_get_input (node, index)

static void
write_one (SondeMindirWriter *w, const SondeNode *node)
{
  sonde_mindir_set (w, node, 0, CALL (sonde_mindir_writer_row (w)->text, IN (0)));
}

static void
write_two (SondeMindirWriter *w, const SondeNode *node)
{
  sonde_mindir_set (w, node, 0, CALL (sonde_mindir_writer_row (w)->text, IN (0), IN (1)));
}

static void
write_itself (SondeMindirWriter *w, const SondeNode *node)
{
  sonde_mindir_set (w, node, 0, IN (0));
}

/* Of any number of inputs, two by two. */
static const char *
fold (SondeMindirWriter *w, const SondeNode *node, const char *primitive)
{
  const char *sum = IN (0);

  for (guint i = 1; i < node->inputs->len; i++)
    sum = CALL (primitive, sum, IN (i));
  return sum;
}

static void
write_fold (SondeMindirWriter *w, const SondeNode *node)
{
  sonde_mindir_set (w, node, 0, fold (w, node, sonde_mindir_writer_row (w)->text));
}

static void
write_mean (SondeMindirWriter *w, const SondeNode *node)
{
  const double n = MAX (node->inputs->len, 1);

  sonde_mindir_set (
      w, node, 0,
      CALL ("Mul", fold (w, node, "Add"), sonde_mindir_write_number (w, 1 / n, VALUE (0))));
}

/* Whole numbers: towards zero, as ONNX divides. */
static void
write_divide (SondeMindirWriter *w, const SondeNode *node)
{
  const SondeGraphValue *a = VALUE (0);
  const gboolean whole = a != NULL && sonde_dtype_is_integer (a->type.dtype);

  sonde_mindir_set (w, node, 0, CALL (whole ? "TruncateDiv" : "Div", IN (0), IN (1)));
}

static void
write_mod (SondeMindirWriter *w, const SondeNode *node)
{
  const gboolean fmod = sonde_node_get_int (node, "fmod", 0) != 0;

  sonde_mindir_set (w, node, 0, CALL (fmod ? "Mod" : "FloorMod", IN (0), IN (1)));
}

static void
write_round (SondeMindirWriter *w, const SondeNode *node)
{
  sonde_mindir_set (w, node, 0, CALL ("Round", IN (0), sonde_mindir_write_int (w, 0)));
}

static const char *
clip (SondeMindirWriter *w, const char *x, const char *min, const char *max)
{
  if (min != NULL)
    x = CALL ("Maximum", x, min);
  return max != NULL ? CALL ("Minimum", x, max) : x;
}

/* Bounds of old models are attributes. */
static void
write_clip (SondeMindirWriter *w, const SondeNode *node)
{
  const char *min = IN (1), *max = IN (2);

  if (sonde_node_find_attribute (node, "min") != NULL)
    min = sonde_mindir_write_number (w, sonde_node_get_float (node, "min", 0), VALUE (0));
  if (sonde_node_find_attribute (node, "max") != NULL)
    max = sonde_mindir_write_number (w, sonde_node_get_float (node, "max", 0), VALUE (0));
  sonde_mindir_set (w, node, 0, clip (w, IN (0), min, max));
}

static void
write_cast (SondeMindirWriter *w, const SondeNode *node)
{
  const SondeGraphValue *y = sonde_node_get_output (node, 0);
  const gint64 id = y != NULL ? sonde_mindir_id_of_dtype (y->type.dtype) : 0;

  if (id == 0)
    sonde_mindir_cannot (w, node, N_ ("MindSpore has not the type that it casts to"));
  else
    sonde_mindir_set (w, node, 0, CALL ("Cast", IN (0), sonde_mindir_write_int (w, id)));
}

/* ---- activations --------------------------------------------------------- */

static void
write_gelu (SondeMindirWriter *w, const SondeNode *node)
{
  const char *mode = sonde_node_get_string (node, "approximate", "none"), *x = IN (0), *e;

  if (strcmp (mode, "tanh") == 0)
    {
      sonde_mindir_set (w, node, 0, CALL ("GeLU", x));
      return;
    }
  e = CALL ("Erf", CALL ("Mul", x, sonde_mindir_write_number (w, M_SQRT1_2, VALUE (0))));
  e = CALL ("Add", e, sonde_mindir_write_number (w, 1, VALUE (0)));
  sonde_mindir_set (
      w, node, 0, CALL ("Mul", CALL ("Mul", x, e), sonde_mindir_write_number (w, 0.5, VALUE (0))));
}

static void
write_swish (SondeMindirWriter *w, const SondeNode *node)
{
  const double alpha = sonde_node_get_float (node, "alpha", 1);
  const char *x = IN (0), *scaled = x;

  if (alpha != 1)
    scaled = CALL ("Mul", x, sonde_mindir_write_number (w, alpha, VALUE (0)));
  sonde_mindir_set (w, node, 0, CALL ("Mul", x, CALL ("Sigmoid", scaled)));
}

/* What is above zero, and the row's function of what is below. */
static void
write_leaky (SondeMindirWriter *w, const SondeNode *node)
{
  const char *x = IN (0), *zero = sonde_mindir_write_number (w, 0, VALUE (0));
  const char *slope = IN (1);

  if (slope == NULL)
    slope = sonde_mindir_write_number (w, sonde_node_get_float (node, "alpha", 0.01), VALUE (0));
  sonde_mindir_set (
      w, node, 0,
      CALL ("Add", CALL ("Maximum", x, zero), CALL ("Mul", CALL ("Minimum", x, zero), slope)));
}

static const char *
exponential_below (SondeMindirWriter *w, const SondeNode *node, double inner, double outer)
{
  const char *zero = sonde_mindir_write_number (w, 0, VALUE (0));
  const char *below = CALL ("Minimum", IN (0), zero);

  if (inner != 1)
    below = CALL ("Div", below, sonde_mindir_write_number (w, inner, VALUE (0)));
  below = CALL ("Sub", CALL ("Exp", below), sonde_mindir_write_number (w, 1, VALUE (0)));
  below = CALL ("Mul", below, sonde_mindir_write_number (w, outer, VALUE (0)));
  return CALL ("Add", CALL ("Maximum", IN (0), zero), below);
}

static void
write_elu (SondeMindirWriter *w, const SondeNode *node)
{
  const double alpha = sonde_node_get_float (node, "alpha", 1);

  sonde_mindir_set (w, node, 0,
                    exponential_below (w, node, strcmp (node->op, "Celu") == 0 ? alpha : 1, alpha));
}

static void
write_selu (SondeMindirWriter *w, const SondeNode *node)
{
  const double alpha = sonde_node_get_float (node, "alpha", 1.67326319217681884765625);
  const double gamma = sonde_node_get_float (node, "gamma", 1.05070102214813232421875);

  sonde_mindir_set (w, node, 0,
                    CALL ("Mul", exponential_below (w, node, 1, alpha),
                          sonde_mindir_write_number (w, gamma, VALUE (0))));
}

static void
write_hard_sigmoid (SondeMindirWriter *w, const SondeNode *node)
{
  const double alpha = sonde_node_get_float (node, "alpha", 0.2);
  const double beta = sonde_node_get_float (node, "beta", 0.5);
  const char *y = CALL ("Mul", IN (0), sonde_mindir_write_number (w, alpha, VALUE (0)));

  y = CALL ("Add", y, sonde_mindir_write_number (w, beta, VALUE (0)));
  sonde_mindir_set (w, node, 0,
                    clip (w, y, sonde_mindir_write_number (w, 0, VALUE (0)),
                          sonde_mindir_write_number (w, 1, VALUE (0))));
}

/* log (1 + eˣ) without overflow. */
static const char *
soften (SondeMindirWriter *w, const SondeNode *node)
{
  const char *zero = sonde_mindir_write_number (w, 0, VALUE (0));
  const char *e = CALL ("Exp", CALL ("Neg", CALL ("Abs", IN (0))));

  e = CALL ("Log", CALL ("Add", e, sonde_mindir_write_number (w, 1, VALUE (0))));
  return CALL ("Add", CALL ("Maximum", IN (0), zero), e);
}

static void
write_softplus (SondeMindirWriter *w, const SondeNode *node)
{
  sonde_mindir_set (w, node, 0, soften (w, node));
}

static void
write_mish (SondeMindirWriter *w, const SondeNode *node)
{
  sonde_mindir_set (w, node, 0, CALL ("Mul", IN (0), CALL ("Tanh", soften (w, node))));
}

static void
write_softsign (SondeMindirWriter *w, const SondeNode *node)
{
  const char *d = CALL ("Add", CALL ("Abs", IN (0)), sonde_mindir_write_number (w, 1, VALUE (0)));

  sonde_mindir_set (w, node, 0, CALL ("Div", IN (0), d));
}

static void
write_select (SondeMindirWriter *w, const SondeNode *node)
{
  sonde_mindir_set (w, node, 0, CALL ("Select", IN (0), IN (1), IN (2)));
}

/* 0 between ±lambd, the rest moves towards 0 by the bias. */
static void
write_shrink (SondeMindirWriter *w, const SondeNode *node)
{
  const double lambd = sonde_node_get_float (node, "lambd", 0.5);
  const char *bias
      = sonde_mindir_write_number (w, sonde_node_get_float (node, "bias", 0), VALUE (0));
  const char *zero = sonde_mindir_write_number (w, 0, VALUE (0));
  const char *above = CALL ("Greater", IN (0), sonde_mindir_write_number (w, lambd, VALUE (0)));
  const char *below = CALL ("Less", IN (0), sonde_mindir_write_number (w, -lambd, VALUE (0)));

  below = CALL ("Select", below, CALL ("Add", IN (0), bias), CALL ("Mul", IN (0), zero));
  sonde_mindir_set (w, node, 0, CALL ("Select", above, CALL ("Sub", IN (0), bias), below));
}

const SondeMindirWriteRow sonde_mindir_write_basic_rows[] = {
  { "Shrink", write_shrink, NULL, 0 },
  { "Abs", write_one, "Abs", 0 },
  { "Neg", write_one, "Neg", 0 },
  { "Sqrt", write_one, "Sqrt", 0 },
  { "Exp", write_one, "Exp", 0 },
  { "Log", write_one, "Log", 0 },
  { "Erf", write_one, "Erf", 0 },
  { "Sin", write_one, "Sin", 0 },
  { "Cos", write_one, "Cos", 0 },
  { "Tan", write_one, "Tan", 0 },
  { "Asin", write_one, "Asin", 0 },
  { "Acos", write_one, "ACos", 0 },
  { "Atan", write_one, "Atan", 0 },
  { "Sinh", write_one, "Sinh", 0 },
  { "Cosh", write_one, "Cosh", 0 },
  { "Asinh", write_one, "Asinh", 0 },
  { "Acosh", write_one, "Acosh", 0 },
  { "Atanh", write_one, "Atanh", 0 },
  { "Tanh", write_one, "Tanh", 0 },
  { "Sigmoid", write_one, "Sigmoid", 0 },
  { "Relu", write_one, "ReLU", 0 },
  { "Floor", write_one, "Floor", 0 },
  { "Ceil", write_one, "Ceil", 0 },
  { "Sign", write_one, "Sign", 0 },
  { "Reciprocal", write_one, "Reciprocal", 0 },
  { "Not", write_one, "LogicalNot", 0 },
  { "IsNaN", write_one, "IsNan", 0 },
  { "IsInf", write_one, "IsInf", 0 },
  { "HardSwish", write_one, "HSwish", 0 },
  { "Round", write_round, NULL, 0 },
  { "Add", write_two, "Add", 0 },
  { "Sub", write_two, "Sub", 0 },
  { "Mul", write_two, "Mul", 0 },
  { "Div", write_divide, NULL, 0 },
  { "Mod", write_mod, NULL, 0 },
  { "Pow", write_two, "Pow", 0 },
  { "Equal", write_two, "Equal", 0 },
  { "Greater", write_two, "Greater", 0 },
  { "GreaterOrEqual", write_two, "GreaterEqual", 0 },
  { "Less", write_two, "Less", 0 },
  { "LessOrEqual", write_two, "LessEqual", 0 },
  { "And", write_two, "LogicalAnd", 0 },
  { "Or", write_two, "LogicalOr", 0 },
  { "Xor", write_two, "LogicalXor", 0 },
  { "BitwiseAnd", write_two, "BitwiseAnd", 0 },
  { "BitwiseOr", write_two, "BitwiseOr", 0 },
  { "BitwiseXor", write_two, "BitwiseXor", 0 },
  { "Max", write_fold, "Maximum", 0 },
  { "Min", write_fold, "Minimum", 0 },
  { "Sum", write_fold, "Add", 0 },
  { "Mean", write_mean, NULL, 0 },
  { "Clip", write_clip, NULL, 0 },
  { "Where", write_select, NULL, 0 },
  { "Cast", write_cast, NULL, 0 },
  { "Identity", write_itself, NULL, 0 },
  { "Dropout", write_itself, NULL, 0 },
  { "Gelu", write_gelu, NULL, 0 },
  { "Swish", write_swish, NULL, 0 },
  { "LeakyRelu", write_leaky, NULL, 0 },
  { "PRelu", write_leaky, NULL, 0 },
  { "Elu", write_elu, NULL, 0 },
  { "Celu", write_elu, NULL, 0 },
  { "Selu", write_selu, NULL, 0 },
  { "HardSigmoid", write_hard_sigmoid, NULL, 0 },
  { "Softplus", write_softplus, NULL, 0 },
  { "Mish", write_mish, NULL, 0 },
  { "Softsign", write_softsign, NULL, 0 },
  { NULL, NULL, NULL, 0 },
};
