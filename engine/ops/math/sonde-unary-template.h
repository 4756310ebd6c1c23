/* SPDX-License-Identifier: Apache-2.0
 * Mathematical functions element by element in one float type; included once a type with T and S
 * (suffix) defined. x and y may be the same memory, which is no dependence from one element to
 * another: ivdep says so.
 * @a, @b: the operator's two parameters */
#define UNARY(name, expression)                                                                    \
  static void SONDE_PASTE (name, S) (gint64 n, const void *from, void *to, double alpha,           \
                                     double beta)                                                  \
  {                                                                                                \
    const T *x_ = from;                                                                            \
    T *y_ = to;                                                                                    \
    const T a G_GNUC_UNUSED = (T) alpha, b G_GNUC_UNUSED = (T) beta;                               \
    _Pragma ("GCC ivdep") for (gint64 i = 0; i < n; i++)                                           \
    {                                                                                              \
      const T x = x_[i];                                                                           \
      y_[i] = (T) (expression);                                                                    \
    }                                                                                              \
  }

UNARY (absolute, fabs (x))
UNARY (arc_cosine, acos (x))
UNARY (arc_hyperbolic_cosine, acosh (x))
UNARY (arc_hyperbolic_sine, asinh (x))
UNARY (arc_hyperbolic_tangent, atanh (x))
UNARY (arc_sine, asin (x))
UNARY (arc_tangent, atan (x))
UNARY (ceiling, ceil (x))
UNARY (cosine, cos (x))
UNARY (error_function, erf (x))
UNARY (exponential, exp (x))
UNARY (floor_down, floor (x))
UNARY (hyperbolic_cosine, cosh (x))
UNARY (hyperbolic_sine, sinh (x))
UNARY (logarithm, log (x))
UNARY (negate, -x)
UNARY (reciprocal, 1 / x)
UNARY (round_even, rint (x))
UNARY (sign, x > 0 ? 1 : x < 0 ? -1 : x)
UNARY (sine, sin (x))
UNARY (square_root, sqrt (x))
UNARY (tangent, tan (x))

#undef UNARY
#undef T
#undef S
