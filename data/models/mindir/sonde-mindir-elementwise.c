/* SPDX-License-Identifier: Apache-2.0
 * Primitives of one tensor, element by element, and of two. */
#include <math.h>
#include <string.h>

#include "data/models/mindir/sonde-mindir-build.h"

/* ---- one tensor ---------------------------------------------------------- */

/* The operator of the row's text. */
static const SondeMindirTerm *
build_same (SondeMindirCall *call)
{
  return sonde_mindir_give (call, OP1 (call, call->row->text, sonde_mindir_tensor (call, "x")));
}

static const SondeMindirTerm *
build_itself (SondeMindirCall *call)
{
  return sonde_mindir_give (call, sonde_mindir_tensor (call, "x"));
}

static const SondeMindirTerm *
build_square (SondeMindirCall *call)
{
  SondeGraphValue *x = sonde_mindir_tensor (call, "x");

  return sonde_mindir_give (call, OP2 (call, "Mul", x, x));
}

static const SondeMindirTerm *
build_rsqrt (SondeMindirCall *call)
{
  return sonde_mindir_give (
      call, OP1 (call, "Reciprocal", OP1 (call, "Sqrt", sonde_mindir_tensor (call, "x"))));
}

static const SondeMindirTerm *
build_log1p (SondeMindirCall *call)
{
  SondeGraphValue *x = sonde_mindir_tensor (call, "x");

  return sonde_mindir_give (
      call, OP1 (call, "Log", OP2 (call, "Add", x, sonde_mindir_number_like (call, 1, x))));
}

static const SondeMindirTerm *
build_expm1 (SondeMindirCall *call)
{
  SondeGraphValue *x = sonde_mindir_tensor (call, "x");

  return sonde_mindir_give (
      call, OP2 (call, "Sub", OP1 (call, "Exp", x), sonde_mindir_number_like (call, 1, x)));
}

static const SondeMindirTerm *
build_erfc (SondeMindirCall *call)
{
  SondeGraphValue *x = sonde_mindir_tensor (call, "x");

  return sonde_mindir_give (
      call, OP2 (call, "Sub", sonde_mindir_number_like (call, 1, x), OP1 (call, "Erf", x)));
}

static SondeGraphValue *
scale (SondeMindirCall *call, SondeGraphValue *x, double factor)
{
  return factor != 1 ? OP2 (call, "Mul", x, sonde_mindir_number_like (call, factor, x)) : x;
}

static SondeGraphValue *
shift (SondeMindirCall *call, SondeGraphValue *x, double by)
{
  return by != 0 ? OP2 (call, "Add", x, sonde_mindir_number_like (call, by, x)) : x;
}

/* base^(scale · x + shift), a base below zero is e. */
static const SondeMindirTerm *
build_exp (SondeMindirCall *call)
{
  SondeGraphValue *x = sonde_mindir_tensor (call, "x");
  const double base = sonde_mindir_number (call, "base", -1);

  x = shift (call, scale (call, x, sonde_mindir_number (call, "scale", 1)),
             sonde_mindir_number (call, "shift", 0));
  return sonde_mindir_give (call, OP1 (call, "Exp", scale (call, x, base > 0 ? log (base) : 1)));
}

static const SondeMindirTerm *
build_log (SondeMindirCall *call)
{
  SondeGraphValue *x = sonde_mindir_tensor (call, "x");
  const double base = sonde_mindir_number (call, "base", -1);

  x = shift (call, scale (call, x, sonde_mindir_number (call, "scale", 1)),
             sonde_mindir_number (call, "shift", 0));
  return sonde_mindir_give (call,
                            scale (call, OP1 (call, "Log", x), base > 0 ? 1 / log (base) : 1));
}

static const SondeMindirTerm *
build_log_base (SondeMindirCall *call)
{
  SondeGraphValue *x = sonde_mindir_tensor (call, "x");

  return sonde_mindir_give (call, scale (call, OP1 (call, "Log", x), 1 / log (call->row->number)));
}

static const SondeMindirTerm *
build_exp2 (SondeMindirCall *call)
{
  SondeGraphValue *x = sonde_mindir_tensor (call, "x");

  return sonde_mindir_give (call, OP1 (call, "Exp", scale (call, x, G_LN2)));
}

static const SondeMindirTerm *
build_is_finite (SondeMindirCall *call)
{
  SondeGraphValue *x = sonde_mindir_tensor (call, "x");

  return sonde_mindir_give (
      call, OP1 (call, "Not", OP2 (call, "Or", OP1 (call, "IsInf", x), OP1 (call, "IsNaN", x))));
}

static const SondeMindirTerm *
build_round (SondeMindirCall *call)
{
  SondeGraphValue *x = sonde_mindir_tensor (call, "x");
  const double factor = pow (10, (double) sonde_mindir_int (call, "decimals", 0));

  return sonde_mindir_give (call,
                            scale (call, OP1 (call, "Round", scale (call, x, factor)), 1 / factor));
}

static const SondeMindirTerm *
build_trunc (SondeMindirCall *call)
{
  SondeGraphValue *x = sonde_mindir_tensor (call, "x");

  return sonde_mindir_give (
      call, OP2 (call, "Mul", OP1 (call, "Sign", x), OP1 (call, "Floor", OP1 (call, "Abs", x))));
}

/* The type is a number of MindSpore's own. */
static const SondeMindirTerm *
build_cast (SondeMindirCall *call)
{
  SondeGraphValue *x = sonde_mindir_tensor (call, "x");
  SondeDtype dtype = sonde_mindir_output_dtype (call, 0);

  if (sonde_mindir_has (call, "dtype"))
    dtype = sonde_mindir_dtype_of_id (sonde_mindir_int (call, "dtype", 0));
  if (dtype == SONDE_DTYPE_INVALID)
    return sonde_mindir_refuse (call, N_ ("the type that it casts to is not known"), NULL);
  if (x->type.dtype == dtype)
    return sonde_mindir_give (call, x);
  return sonde_mindir_give (call, sonde_mindir_cast (call, x, dtype));
}

const SondeMindirRow sonde_mindir_elementwise_rows[] = {
  { "Abs", "x", build_same, "Abs", 0 },
  { "Neg", "x", build_same, "Neg", 0 },
  { "Sqrt", "x", build_same, "Sqrt", 0 },
  { "Rsqrt", "x", build_rsqrt, NULL, 0 },
  { "Exp", "x base scale shift", build_exp, NULL, 0 },
  { "Exp2", "x", build_exp2, NULL, 0 },
  { "Log", "x base scale shift", build_log, NULL, 0 },
  { "Log2", "x", build_log_base, NULL, 2 },
  { "Log10", "x", build_log_base, NULL, 10 },
  { "Erf", "x", build_same, "Erf", 0 },
  { "Erfc", "x", build_erfc, NULL, 0 },
  { "Sin", "x", build_same, "Sin", 0 },
  { "Cos", "x", build_same, "Cos", 0 },
  { "Tan", "x", build_same, "Tan", 0 },
  { "Asin", "x", build_same, "Asin", 0 },
  { "ACos", "x", build_same, "Acos", 0 },
  { "Atan", "x", build_same, "Atan", 0 },
  { "Sinh", "x", build_same, "Sinh", 0 },
  { "Cosh", "x", build_same, "Cosh", 0 },
  { "Asinh", "x", build_same, "Asinh", 0 },
  { "Acosh", "x", build_same, "Acosh", 0 },
  { "Atanh", "x", build_same, "Atanh", 0 },
  { "Tanh", "x", build_same, "Tanh", 0 },
  { "Sigmoid", "x", build_same, "Sigmoid", 0 },
  { "Floor", "x", build_same, "Floor", 0 },
  { "Ceil", "x", build_same, "Ceil", 0 },
  { "Sign", "x", build_same, "Sign", 0 },
  { "Square", "x", build_square, NULL, 0 },
  { "Reciprocal", "x", build_same, "Reciprocal", 0 },
  { "Inv", "x", build_same, "Reciprocal", 0 },
  { "Log1p", "x", build_log1p, NULL, 0 },
  { "Expm1", "x", build_expm1, NULL, 0 },
  { "LogicalNot", "x", build_same, "Not", 0 },
  { "BitwiseNot", "x", build_same, "BitwiseNot", 0 },
  { "Invert", "x", build_same, "BitwiseNot", 0 },
  { "IsFinite", "x", build_is_finite, NULL, 0 },
  { "IsInf", "x", build_same, "IsInf", 0 },
  { "IsNan", "x", build_same, "IsNaN", 0 },
  { "Round", "x decimals", build_round, NULL, 0 },
  { "Rint", "x", build_same, "Round", 0 },
  { "Trunc", "x", build_trunc, NULL, 0 },
  { "Cast", "x dtype", build_cast, NULL, 0 },
  { "Contiguous", "x", build_itself, NULL, 0 },
  { "Copy", "x", build_itself, NULL, 0 },
  { "Clone", "x", build_itself, NULL, 0 },
  { NULL, NULL, NULL, NULL, 0 },
};
