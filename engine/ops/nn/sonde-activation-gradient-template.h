/* SPDX-License-Identifier: Apache-2.0
 * dx from dy (g) and the forward node's input or output (v), element by element in one float type;
 * included once a type with T and S (suffix) defined.
 * @a, @b: the operator's two parameters */
#define GRAD(name, expression)                                                                     \
  static void SONDE_PASTE (name, S) (gint64 n, const void *dy, const void *x_or_y, void *dx,       \
                                     double alpha, double beta)                                    \
  {                                                                                                \
    const T *g_ = dy, *v_ = x_or_y;                                                                \
    T *d_ = dx;                                                                                    \
    const T a G_GNUC_UNUSED = (T) alpha, b G_GNUC_UNUSED = (T) beta;                               \
    _Pragma ("GCC ivdep") for (gint64 i = 0; i < n; i++)                                           \
    {                                                                                              \
      const T g = g_[i], v = v_[i];                                                                \
      d_[i] = (T) (expression);                                                                    \
    }                                                                                              \
  }

/* Products in macro arguments look like pointers to the formatter. */
/* clang-format off */
GRAD (clip_grad, v < a || v > b ? 0 : g)
GRAD (elu_grad, v > 0 ? g : g * a * exp (v))
GRAD (erf_grad, g * (T) M_2_SQRTPI * exp (-v * v))
GRAD (gelu_exact_grad, g * ((T) 0.5 * (1 + erf (v * (T) M_SQRT1_2))
                            + v * (T) 0.39894228040143267794 * exp ((T) -0.5 * v * v)))
GRAD (gelu_tanh_grad, g * SONDE_PASTE (gelu_slope, S) (v))
GRAD (hard_sigmoid_grad, v * a + b > 0 && v * a + b < 1 ? g * a : 0)
GRAD (hard_swish_grad, v <= -3 ? 0 : v >= 3 ? g : g * (v * (T) (1.0 / 3) + (T) 0.5))
GRAD (leaky_relu_grad, v > 0 ? g : g * a)
GRAD (relu_grad, v <= 0 ? 0 : g)
GRAD (selu_grad, v > 0 ? g * b : g * b * a * exp (v))
GRAD (sigmoid_grad, g * v * (1 - v))
GRAD (softplus_grad, v >= 0 ? g / (1 + exp (-v)) : g * exp (v) / (1 + exp (v)))
GRAD (softsign_grad, g / ((1 + fabs (v)) * (1 + fabs (v))))
GRAD (tanh_grad, g * (1 - v * v))
/* clang-format on */

#undef GRAD
#undef T
#undef S
