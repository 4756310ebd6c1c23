/* SPDX-License-Identifier: Apache-2.0
 * Activations element by element in one float type; included once a type with T and S (suffix)
 * defined. x and y may be the same memory, which is no dependence from one element to another:
 * ivdep says so.
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

/* Products in macro arguments look like pointers to the formatter. */
/* clang-format off */
UNARY (celu, x >= 0 ? x : a * expm1 (x / a))
UNARY (elu, x >= 0 ? x : a * expm1 (x))
UNARY (gelu_exact, x * (T) 0.5 * (1 + erf (x * (T) M_SQRT1_2)))
UNARY (gelu_tanh, x * (T) 0.5 * (1 + tanh ((T) 0.79788456080286535588
                                           * (x + (T) 0.044715 * x * x * x))))
UNARY (hard_sigmoid, x * a + b < 0 ? 0 : x * a + b > 1 ? 1 : x * a + b)
UNARY (hard_swish, x <= -3 ? 0 : x >= 3 ? x : x * (x + 3) * (T) (1.0 / 6))
UNARY (leaky_relu, x < 0 ? x * a : x)
/* tanh (softplus (x)) = 1 − 2 / (1 + (1 + eˣ)²); for x > 20 it is 1 in float64 too. */
UNARY (mish, x > 20 ? x : x * (1 - 2 / (1 + (1 + exp (x)) * (1 + exp (x)))))
UNARY (relu, x < 0 ? 0 : x)
UNARY (selu, x > 0 ? b * x : b * a * expm1 (x))
/* exp of a value ≤ 0 never overflows. */
UNARY (sigmoid, x >= 0 ? 1 / (1 + exp (-x)) : exp (x) / (1 + exp (x)))
/* a: lambd, b: bias */
UNARY (shrink, x < -a ? x + b : x > a ? x - b : 0)
UNARY (softplus, (x > 0 ? x : 0) + log1p (exp (-fabs (x))))
UNARY (softsign, x / (1 + fabs (x)))
UNARY (swish, x * (a * x >= 0 ? 1 / (1 + exp (-a * x)) : exp (a * x) / (1 + exp (a * x))))
UNARY (hyperbolic_tangent, tanh (x))
UNARY (thresholded_relu, x > a ? x : 0)
/* clang-format on */

#undef UNARY
#undef T
#undef S
