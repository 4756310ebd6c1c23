/* SPDX-License-Identifier: Apache-2.0
 * Functions of one float32 operand, element by element, whatever its dense layout. Formulas:
 * engine/ops/math/sonde-unary-template.h and sonde-activation-template.h. */
#include "engine/devices/cpu/elementwise/sonde-cpu-chain.h"
#include "engine/devices/cpu/sonde-cpu-math.h"
#include "engine/ops/math/sonde-unary-private.h"

/* ---- loops --------------------------------------------------------------- */

/* x and y may be the same memory, element for element: ivdep. */
#define LOOP(name, expression)                                                                     \
  SONDE_CPU_CLONES static void name (gint64 n, const float *from, float *to, float alpha,          \
                                     float beta)                                                   \
  {                                                                                                \
    _Pragma ("GCC ivdep") for (gint64 i = 0; i < n; i++)                                           \
    {                                                                                              \
      const float x = from[i];                                                                     \
      to[i] = (expression);                                                                        \
    }                                                                                              \
  }

/* x · tanh (log (1 + eˣ)), which is x · (e² + 2e) / (e² + 2e + 2). */
SONDE_CPU_MATH float
smooth_step (float x)
{
  const float e = sonde_cpu_exp (x > 20 ? 20 : x);
  const float z = e * (e + 2);

  return x > 20 ? x : x * z / (z + 2);
}

LOOP (absolute, fabsf (x))
LOOP (clip, (x < alpha ? alpha : x) > beta ? beta : (x < alpha ? alpha : x))
LOOP (elu, x >= 0 ? x : alpha * sonde_cpu_expm1 (x))
LOOP (error_function, sonde_cpu_erf (x))
LOOP (exponential, sonde_cpu_exp (x))
LOOP (gelu_exact, x * 0.5f * (1 + sonde_cpu_erf (x * (float) M_SQRT1_2)))
LOOP (gelu_tanh, x * 0.5f * (1 + sonde_cpu_tanh (0.797884561f * (x + 0.044715f * x * x * x))))
LOOP (hard_sigmoid, x *alpha + beta < 0 ? 0 : x * alpha + beta > 1 ? 1 : x * alpha + beta)
LOOP (hard_swish, x <= -3 ? 0 : x >= 3 ? x : x * (x + 3) * (float) (1.0 / 6))
LOOP (leaky_relu, x < 0 ? x * alpha : x)
LOOP (linear, x *alpha + beta)
LOOP (logarithm, sonde_cpu_log (x))
LOOP (mish, smooth_step (x))
LOOP (negate, -x)
LOOP (reciprocal, 1 / x)
LOOP (relu, x < 0 ? 0 : x)
LOOP (selu, x > 0 ? beta * x : beta * alpha * sonde_cpu_expm1 (x))
LOOP (sigmoid, sonde_cpu_sigmoid (x))
LOOP (softplus, (x > 0 ? x : 0) + sonde_cpu_log1p (sonde_cpu_exp (-fabsf (x))))
LOOP (softsign, x / (1 + fabsf (x)))
LOOP (square_root, sqrtf (x))
LOOP (swish, x *sonde_cpu_sigmoid (alpha *x))
LOOP (hyperbolic_tangent, sonde_cpu_tanh (x))

/**
 * UnaryFunction: of an operator
 * @cost: as sonde_cpu_for() counts it
 * @name: (nullable): oneDNN's name of it; @loses: it may lose NaN there
 * @alpha, @beta: names of attributes, NULL for none, and their defaults
 */
typedef struct
{
  SondeCpuUnaryLoop loop;
  gint64 cost;
  const char *name;
  gboolean loses;
  const char *alpha, *beta;
  double default_alpha, default_beta;
} UnaryFunction;

/* ---- kernels ------------------------------------------------------------- */

static SondeKernel *prepare_unary (SondeCpuDevice *device, SondePrepareRequest *request);

gboolean
sonde_cpu_find_unary (const SondeNode *node, SondeCpuUnary *unary)
{
  const SondeCpuRow *row = sonde_cpu_find_row (node);
  const UnaryFunction *function;

  if (row == NULL || row->prepare != prepare_unary)
    return FALSE;

  function = row->data;
  *unary = (SondeCpuUnary){ .loop = function->loop,
                            .cost = function->cost,
                            .name = function->name,
                            .loses = function->loses,
                            .alpha = (float) function->default_alpha,
                            .beta = (float) function->default_beta };
  if (function->alpha != NULL)
    unary->alpha = (float) sonde_node_get_float (node, function->alpha, function->default_alpha);
  if (function->beta != NULL)
    unary->beta = (float) sonde_node_get_float (node, function->beta, function->default_beta);
  unary->clip = sonde_node_is (node, SONDE_OP_ID_CLIP);
  if (sonde_node_is (node, SONDE_OP_ID_GELU)
      && g_str_equal (sonde_node_get_string (node, "approximate", "none"), "tanh"))
    {
      unary->loop = gelu_tanh;
      unary->name = "gelu_tanh";
    }
  return TRUE;
}

typedef struct
{
  const char *function;
  SondeCpuUnaryLoop loop;
} FunctionLoop;

static const FunctionLoop function_loops[] = {
  { "clip", clip },           { "elu", elu },
  { "exp", exponential },     { "gelu_erf", gelu_exact },
  { "gelu_tanh", gelu_tanh }, { "hardswish", hard_swish },
  { "linear", linear },       { "log", logarithm },
  { "logistic", sigmoid },    { "mish", mish },
  { "relu", leaky_relu },     { "sqrt", square_root },
  { "swish", swish },         { "tanh", hyperbolic_tangent },
};

gboolean
sonde_cpu_find_function (const char *function, float alpha, float beta, SondeCpuUnary *unary)
{
  for (gsize i = 0; i < G_N_ELEMENTS (function_loops); i++)
    if (g_str_equal (function, function_loops[i].function))
      {
        *unary = (SondeCpuUnary){
          .loop = function_loops[i].loop, .alpha = alpha, .beta = beta, .cost = 1
        };
        if (g_str_equal (function, "relu") && alpha == 0)
          unary->loop = relu; /* −∞ · 0 is no number; addresses of clones are not compared */
        return TRUE;
      }

  return FALSE;
}

typedef struct
{
  SondeKernel base;
  SondeCpuUnary unary;
  guint n_inputs;
  gint64 n;
} UnaryKernel;

typedef struct
{
  SondeCpuUnary unary;
  const float *x;
  float *y;
} UnaryCall;

static void
unary_range (gint64 begin, gint64 end, gpointer data)
{
  const UnaryCall *call = data;

  call->unary.loop (end - begin, call->x + begin, call->y + begin, call->unary.alpha,
                    call->unary.beta);
}

static gboolean
run_unary (SondeCpuDevice *device, SondeKernel *base, const SondeRunArguments *arguments,
           GError **error)
{
  const UnaryKernel *kernel = (UnaryKernel *) base;
  UnaryCall call = { kernel->unary, arguments->inputs[0], arguments->outputs[0] };

  if (kernel->unary.clip && kernel->n_inputs > 1 && arguments->inputs[1] != NULL)
    call.unary.alpha = *(const float *) arguments->inputs[1];
  if (kernel->unary.clip && kernel->n_inputs > 2 && arguments->inputs[2] != NULL)
    call.unary.beta = *(const float *) arguments->inputs[2];

  sonde_cpu_for (device, kernel->n, kernel->unary.cost, unary_range, &call);
  return TRUE;
}

/* Clip (x, low?, high?) and functions of x alone. */
static SondeKernel *
prepare_unary (SondeCpuDevice *device, SondePrepareRequest *request)
{
  SondeCpuUnary unary;
  UnaryKernel *kernel;
  SondeShape x, y, limit;

  for (guint k = 1; k < request->n_inputs; k++)
    if (request->inputs[k] != NULL
        && (!sonde_cpu_input_f32 (request, k, &limit) || sonde_shape_n_elements (&limit) != 1))
      return NULL;

  if (!sonde_cpu_find_unary (request->nodes[0], &unary) || !sonde_cpu_input_f32 (request, 0, &x)
      || !sonde_cpu_output_f32 (request, 0, &y) || !sonde_shape_equal (&x, &y))
    return NULL;

  sonde_cpu_keep_layout (device, request, 0, 0);
  for (guint k = 1; k < request->n_inputs; k++)
    if (request->inputs[k] != NULL)
      sonde_cpu_want_plain (device, request, k);
  kernel = g_new0 (UnaryKernel, 1);
  kernel->base.run = run_unary;
  kernel->unary = unary;
  kernel->n_inputs = request->n_inputs;
  kernel->n = sonde_shape_n_elements (&y);
  request->workspace_bytes = 0;
  request->implementation = "loop";
  return &kernel->base;
}

#define ROW(op, ...)                                                                               \
  {                                                                                                \
    "", op, prepare_unary, &(const UnaryFunction) { __VA_ARGS__ }                                  \
  }

const SondeCpuRow sonde_cpu_unary_rows[] = {
  ROW ("Abs", absolute, 1),
  ROW ("Clip", clip, 1, "clip", TRUE, NULL, NULL, -INFINITY, INFINITY),
  ROW ("Elu", elu, 4, "elu", TRUE, "alpha", NULL, 1, 0),
  ROW ("Erf", error_function, 4),
  ROW ("Exp", exponential, 4),
  ROW ("Gelu", gelu_exact, 4, "gelu_erf", TRUE),
  ROW ("HardSigmoid", hard_sigmoid, 1, "hardsigmoid", TRUE, "alpha", "beta", 0.2, 0.5),
  ROW ("HardSwish", hard_swish, 1, "hardswish", TRUE),
  ROW ("LeakyRelu", leaky_relu, 1, "relu", FALSE, "alpha", NULL, 0.01, 0),
  ROW ("Log", logarithm, 4),
  ROW ("Mish", mish, 4, "mish", TRUE),
  ROW ("Neg", negate, 1),
  ROW ("Reciprocal", reciprocal, 1),
  ROW ("Relu", relu, 1, "relu", TRUE),
  ROW ("Selu", selu, 4, NULL, FALSE, "alpha", "gamma", SONDE_SELU_ALPHA, SONDE_SELU_GAMMA),
  ROW ("Sigmoid", sigmoid, 4, "logistic", TRUE),
  ROW ("Softplus", softplus, 4),
  ROW ("Softsign", softsign, 1),
  ROW ("Sqrt", square_root, 1),
  ROW ("Swish", swish, 4, "swish", TRUE, "alpha", NULL, 1, 0),
  ROW ("Tanh", hyperbolic_tangent, 4, "tanh", TRUE),
  { NULL, NULL, NULL, NULL },
};
