/* SPDX-License-Identifier: Apache-2.0
 * Functions and operators by element: plain loops over blocks. A comparison with NaN is false (but
 * !=), as C has it. */
#include "engine/live/sonde-expression-function-private.h"

#include <math.h>

#include "data/base/sonde-text.h"

/* Results may lie where an argument lay: element by element that is no dependence, which ivdep
 * says. */

/* ---- doubles ------------------------------------------------------------- */

#define REAL(name, expression)                                                                     \
  SONDE_BLOCK_TARGET static void name (const double *const *in, double *out, gsize n)              \
  {                                                                                                \
    const double *a = in[0];                                                                       \
                                                                                                   \
    _Pragma ("GCC ivdep") for (gsize i = 0; i < n; i++) out[i] = (expression);                     \
  }
#define REAL2(name, expression)                                                                    \
  SONDE_BLOCK_TARGET static void name (const double *const *in, double *out, gsize n)              \
  {                                                                                                \
    const double *a = in[0], *b = in[1];                                                           \
                                                                                                   \
    _Pragma ("GCC ivdep") for (gsize i = 0; i < n; i++) out[i] = (expression);                     \
  }
#define REAL3(name, expression)                                                                    \
  SONDE_BLOCK_TARGET static void name (const double *const *in, double *out, gsize n)              \
  {                                                                                                \
    const double *a = in[0], *b = in[1], *c = in[2];                                               \
                                                                                                   \
    _Pragma ("GCC ivdep") for (gsize i = 0; i < n; i++) out[i] = (expression);                     \
  }

/* NumPy's %: the sign of the divisor */
static double
modulo (double a, double b)
{
  double rest = fmod (a, b);

  return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}

REAL (real_negate, -a[i])
REAL (real_abs, fabs (a[i]))
REAL (real_exp, exp (a[i]))
REAL (real_log, log (a[i]))
REAL (real_log2, log2 (a[i]))
REAL (real_log10, log10 (a[i]))
REAL (real_sqrt, sqrt (a[i]))
REAL (real_sign, a[i] > 0 ? 1.0 : a[i] < 0 ? -1.0 : a[i])
REAL (real_floor, floor (a[i]))
REAL (real_ceil, ceil (a[i]))
REAL (real_round, rint (a[i]))
REAL (real_sin, sin (a[i]))
REAL (real_cos, cos (a[i]))
REAL (real_tanh, tanh (a[i]))
REAL (real_sigmoid, a[i] >= 0 ? 1 / (1 + exp (-a[i])) : exp (a[i]) / (1 + exp (a[i])))
REAL (real_relu, a[i] < 0 ? 0.0 : a[i])
REAL2 (real_add, a[i] + b[i])
REAL2 (real_subtract, a[i] - b[i])
REAL2 (real_multiply, a[i] * b[i])
REAL2 (real_divide, a[i] / b[i])
REAL2 (real_modulo, modulo (a[i], b[i]))
REAL2 (real_power, pow (a[i], b[i]))
/* NaN goes through, as in NumPy */
REAL2 (real_minimum, a[i] < b[i] || isnan (a[i]) ? a[i] : b[i])
REAL2 (real_maximum, a[i] > b[i] || isnan (a[i]) ? a[i] : b[i])
REAL3 (real_clip, a[i]<b[i] ? b[i] : a[i]> c[i] ? c[i] : a[i])
REAL3 (real_where, sonde_number_holds (a[i]) ? b[i] : c[i])

/* ---- integers: they wrap ------------------------------------------------- */

#define WHOLE(name, expression)                                                                    \
  SONDE_BLOCK_TARGET static void name (const gint64 *const *in, gint64 *out, gsize n)              \
  {                                                                                                \
    const gint64 *a = in[0];                                                                       \
                                                                                                   \
    _Pragma ("GCC ivdep") for (gsize i = 0; i < n; i++) out[i] = (expression);                     \
  }
#define WHOLE2(name, expression)                                                                   \
  SONDE_BLOCK_TARGET static void name (const gint64 *const *in, gint64 *out, gsize n)              \
  {                                                                                                \
    const gint64 *a = in[0], *b = in[1];                                                           \
                                                                                                   \
    _Pragma ("GCC ivdep") for (gsize i = 0; i < n; i++) out[i] = (expression);                     \
  }
#define WHOLE3(name, expression)                                                                   \
  SONDE_BLOCK_TARGET static void name (const gint64 *const *in, gint64 *out, gsize n)              \
  {                                                                                                \
    const gint64 *a = in[0], *b = in[1], *c = in[2];                                               \
                                                                                                   \
    _Pragma ("GCC ivdep") for (gsize i = 0; i < n; i++) out[i] = (expression);                     \
  }

WHOLE (whole_negate, (gint64) (0 - (guint64) a[i]))
WHOLE (whole_abs, a[i] < 0 ? (gint64) (0 - (guint64) a[i]) : a[i])
WHOLE (whole_sign, (a[i] > 0) - (a[i] < 0))
WHOLE (whole_same, a[i])
WHOLE (whole_relu, MAX (a[i], 0))
WHOLE2 (whole_add, (gint64) ((guint64) a[i] + (guint64) b[i]))
WHOLE2 (whole_subtract, (gint64) ((guint64) a[i] - (guint64) b[i]))
WHOLE2 (whole_multiply, (gint64) ((guint64) a[i] * (guint64) b[i]))
WHOLE2 (whole_minimum, MIN (a[i], b[i]))
WHOLE2 (whole_maximum, MAX (a[i], b[i]))
WHOLE3 (whole_clip, a[i]<b[i] ? b[i] : a[i]> c[i] ? c[i] : a[i])
WHOLE3 (whole_where, a[i] != 0 ? b[i] : c[i])

/* ---- truths -------------------------------------------------------------- */

#define TEST(name, expression)                                                                     \
  SONDE_BLOCK_TARGET static void name (const double *const *in, gint64 *out, gsize n)              \
  {                                                                                                \
    const double *a = in[0];                                                                       \
                                                                                                   \
    _Pragma ("GCC ivdep") for (gsize i = 0; i < n; i++) out[i] = (expression);                     \
  }
#define TEST2(name, expression)                                                                    \
  SONDE_BLOCK_TARGET static void name (const double *const *in, gint64 *out, gsize n)              \
  {                                                                                                \
    const double *a = in[0], *b = in[1];                                                           \
                                                                                                   \
    _Pragma ("GCC ivdep") for (gsize i = 0; i < n; i++) out[i] = (expression);                     \
  }

TEST (test_not, !sonde_number_holds (a[i]))
TEST (test_isnan, isnan (a[i]) != 0)
TEST (test_isinf, isinf (a[i]) != 0)
TEST (test_isfinite, isfinite (a[i]) != 0)
TEST2 (test_equal, a[i] == b[i])
TEST2 (test_differ, a[i] != b[i])
TEST2 (test_less, a[i] < b[i])
TEST2 (test_at_most, a[i] <= b[i])
TEST2 (test_greater, a[i] > b[i])
TEST2 (test_at_least, a[i] >= b[i])
TEST2 (test_and, sonde_number_holds (a[i]) && sonde_number_holds (b[i]))
TEST2 (test_or, sonde_number_holds (a[i]) || sonde_number_holds (b[i]))

WHOLE (whole_not, a[i] == 0)
WHOLE (whole_never, 0 * a[i])
WHOLE (whole_always, 1 | (0 & a[i]))
WHOLE2 (whole_equal, a[i] == b[i])
WHOLE2 (whole_differ, a[i] != b[i])
WHOLE2 (whole_less, a[i] < b[i])
WHOLE2 (whole_at_most, a[i] <= b[i])
WHOLE2 (whole_greater, a[i] > b[i])
WHOLE2 (whole_at_least, a[i] >= b[i])
WHOLE2 (whole_and, a[i] != 0 && b[i] != 0)
WHOLE2 (whole_or, a[i] != 0 || b[i] != 0)

/* ---- the table ----------------------------------------------------------- */

#define CALCULATE(name, n, real_kernel, whole_kernel, usage, summary)                              \
  {                                                                                                \
    .help = { name, usage, summary }, .klass = SONDE_CALL_ELEMENT, .least = n, .most = n,          \
    .real = real_kernel, .whole = whole_kernel                                                     \
  }
#define JUDGE(name, n, test_kernel, whole_kernel, usage, summary)                                  \
  {                                                                                                \
    .help = { name, usage, summary }, .klass = SONDE_CALL_ELEMENT, .least = n, .most = n,          \
    .test = test_kernel, .whole_test = whole_kernel                                                \
  }

static const SondeCallable elements[] = {
  /* operators: without a usage */
  JUDGE ("||", 2, test_or, whole_or, NULL, NULL),
  JUDGE ("&&", 2, test_and, whole_and, NULL, NULL),
  JUDGE ("!", 1, test_not, whole_not, NULL, NULL),
  JUDGE ("==", 2, test_equal, whole_equal, NULL, NULL),
  JUDGE ("!=", 2, test_differ, whole_differ, NULL, NULL),
  JUDGE ("<", 2, test_less, whole_less, NULL, NULL),
  JUDGE ("<=", 2, test_at_most, whole_at_most, NULL, NULL),
  JUDGE (">", 2, test_greater, whole_greater, NULL, NULL),
  JUDGE (">=", 2, test_at_least, whole_at_least, NULL, NULL),
  CALCULATE ("+", 2, real_add, whole_add, NULL, NULL),
  CALCULATE ("-", 2, real_subtract, whole_subtract, NULL, NULL),
  CALCULATE ("update", 2, real_subtract, whole_subtract, NULL,
             NULL), /* a form of its own: see help */
  CALCULATE ("*", 2, real_multiply, whole_multiply, NULL, NULL),
  CALCULATE ("/", 2, real_divide, NULL, NULL, NULL),
  CALCULATE ("%", 2, real_modulo, NULL, NULL, NULL),
  CALCULATE ("**", 2, real_power, NULL, NULL, NULL),
  CALCULATE ("negate", 1, real_negate, whole_negate, NULL, NULL),
  CALCULATE ("minimum", 2, real_minimum, whole_minimum, NULL, NULL), /* min and max of two */
  CALCULATE ("maximum", 2, real_maximum, whole_maximum, NULL, NULL),
  /* functions */
  CALCULATE ("abs", 1, real_abs, whole_abs, "abs(x)", N_ ("Absolute value.")),
  CALCULATE ("exp", 1, real_exp, NULL, "exp(x)", N_ ("e to the power of x.")),
  CALCULATE ("log", 1, real_log, NULL, "log(x)",
             N_ ("Natural logarithm; -inf for 0, nan for negative numbers.")),
  CALCULATE ("log2", 1, real_log2, NULL, "log2(x)", N_ ("Logarithm to base 2.")),
  CALCULATE ("log10", 1, real_log10, NULL, "log10(x)", N_ ("Logarithm to base 10.")),
  CALCULATE ("sqrt", 1, real_sqrt, NULL, "sqrt(x)", N_ ("Square root; nan for negative numbers.")),
  CALCULATE ("sign", 1, real_sign, whole_sign, "sign(x)", N_ ("Sign: -1, 0 or 1.")),
  CALCULATE ("floor", 1, real_floor, whole_same, "floor(x)", N_ ("Round down to an integer.")),
  CALCULATE ("ceil", 1, real_ceil, whole_same, "ceil(x)", N_ ("Round up to an integer.")),
  CALCULATE ("round", 1, real_round, whole_same, "round(x)",
             N_ ("Round to the nearest integer, halves to even.")),
  CALCULATE ("sin", 1, real_sin, NULL, "sin(x)", N_ ("Sine of an angle in radians.")),
  CALCULATE ("cos", 1, real_cos, NULL, "cos(x)", N_ ("Cosine of an angle in radians.")),
  CALCULATE ("tanh", 1, real_tanh, NULL, "tanh(x)", N_ ("Hyperbolic tangent.")),
  CALCULATE ("sigmoid", 1, real_sigmoid, NULL, "sigmoid(x)", N_ ("1 / (1 + exp(-x)).")),
  CALCULATE ("relu", 1, real_relu, whole_relu, "relu(x)", N_ ("max(x, 0); nan remains nan.")),
  JUDGE ("isnan", 1, test_isnan, whole_never, "isnan(x)", N_ ("True where x is nan.")),
  JUDGE ("isinf", 1, test_isinf, whole_never, "isinf(x)", N_ ("True where x is inf or -inf.")),
  JUDGE ("isfinite", 1, test_isfinite, whole_always, "isfinite(x)", N_ ("True where x is finite.")),
  CALCULATE ("clip", 3, real_clip, whole_clip, "clip(x, low, high)",
             N_ ("x limited to the range from low to high; nan remains nan.")),
  CALCULATE ("where", 3, real_where, whole_where, "where(c, a, b)",
             N_ ("a where c is true, otherwise b.")),
  { .help = { "cast", "cast(x, dtype)", N_ ("x rounded to a dtype, as in cast(x, float16).") },
    .klass = SONDE_CALL_CAST,
    .least = 2,
    .most = 2 },
};

const SondeCallable *
sonde_callable_elements (guint *n)
{
  *n = G_N_ELEMENTS (elements);
  return elements;
}
