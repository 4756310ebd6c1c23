/* SPDX-License-Identifier: Apache-2.0
 * Arithmetic, comparison and logic of broadcast operands. Formulas:
 * engine/ops/math/sonde-ops-arithmetic.c and sonde-ops-comparison.c; the bits are the same. Gradients of activations:
 * sonde-activation-gradient-template.h. */
#include "engine/devices/cpu/elementwise/sonde-cpu-chain.h"
#include "engine/devices/cpu/sonde-cpu-epilogue.h"
#include "engine/devices/cpu/sonde-cpu-math.h"

#include <math.h>
#include <string.h>

/* ---- loops --------------------------------------------------------------- */

/* One row of a, b → c; the steps that occur are loops of their own, so that they become vectors. c
 * may be a's or b's memory, element for element: ivdep. */
#define ROW(expression)                                                                            \
  if (a_step == 1 && b_step == 1)                                                                  \
    _Pragma ("GCC ivdep") for (gint64 i = 0; i < n; i++)                                           \
    {                                                                                              \
      const Source x = a[i], y G_GNUC_UNUSED = b[i];                                               \
      c[i] = (Target) (expression);                                                                \
    }                                                                                              \
  else if (a_step == 1 && b_step == 0)                                                             \
    {                                                                                              \
      const Source y G_GNUC_UNUSED = b[0];                                                         \
      _Pragma ("GCC ivdep") for (gint64 i = 0; i < n; i++)                                         \
      {                                                                                            \
        const Source x = a[i];                                                                     \
        c[i] = (Target) (expression);                                                              \
      }                                                                                            \
    }                                                                                              \
  else if (a_step == 0 && b_step == 1)                                                             \
    {                                                                                              \
      const Source x = a[0];                                                                       \
      _Pragma ("GCC ivdep") for (gint64 i = 0; i < n; i++)                                         \
      {                                                                                            \
        const Source y G_GNUC_UNUSED = b[i];                                                       \
        c[i] = (Target) (expression);                                                              \
      }                                                                                            \
    }                                                                                              \
  else                                                                                             \
    for (gint64 i = 0; i < n; i++)                                                                 \
      {                                                                                            \
        const Source x = a[i * a_step], y G_GNUC_UNUSED = b[i * b_step];                           \
        c[i] = (Target) (expression);                                                              \
      }

#define BLOCK(clones, name, T, R, expression)                                                      \
  clones static void name (const SondeCpuGrid *grid, gint64 m, gint64 n, guint8 *const *operands,  \
                           gconstpointer data)                                                     \
  {                                                                                                \
    typedef T Source;                                                                              \
    typedef R Target;                                                                              \
    const gint64 a_step = grid->steps[0], b_step = grid->steps[1];                                 \
    for (gint64 r = 0; r < m; r++)                                                                 \
      {                                                                                            \
        const T *a = (const T *) (const void *) operands[0] + r * grid->rows[0];                   \
        const T *b = (const T *) (const void *) operands[1] + r * grid->rows[1];                   \
        R *c = (R *) (void *) operands[2] + r * grid->rows[2];                                     \
        ROW (expression)                                                                           \
      }                                                                                            \
  }

BLOCK (SONDE_CPU_CLONES, add_f32, float, float, x + y)
BLOCK (SONDE_CPU_CLONES, subtract_f32, float, float, x - y)
BLOCK (SONDE_CPU_CLONES, multiply_f32, float, float, x *y)
BLOCK (SONDE_CPU_CLONES, divide_f32, float, float, x / y)
BLOCK (SONDE_CPU_CLONES, maximum_f32, float, float, x > y || x != x ? x : y)
BLOCK (SONDE_CPU_CLONES, minimum_f32, float, float, x < y || x != x ? x : y)
BLOCK (SONDE_CPU_CLONES, leaky_f32, float, float, x < 0 ? x * y : x)
BLOCK (, power_f32, float, float, y == 2 ? x * x : y == 1 ? x : powf (x, y))
BLOCK (SONDE_CPU_CLONES, square_f32, float, float, x *x)
BLOCK (SONDE_CPU_CLONES, root_f32, float, float, x == -INFINITY ? INFINITY : sqrtf (x) + 0)

/* x·d/dy of y/2·(1 + tanh (k·(y + 0.044715·y³))), k = √(2/π) */
SONDE_CPU_MATH float
gelu_tanh_slope (float x, float y)
{
  const float k = 0.797884561f, c = 0.044715f, t = sonde_cpu_tanh (k * (y + c * y * y * y));

  return x * (0.5f * (1 + t) + 0.5f * y * (1 - t * t) * k * (1 + 3 * c * y * y));
}

/* x: what comes back; y: the forward operand, of sigmoid and tanh the result. */
BLOCK (SONDE_CPU_CLONES, relu_grad_f32, float, float, y <= 0 ? 0 : x)
BLOCK (SONDE_CPU_CLONES, sigmoid_grad_f32, float, float, x *y *(1 - y))
BLOCK (SONDE_CPU_CLONES, tanh_grad_f32, float, float, x *(1 - y * y))
BLOCK (SONDE_CPU_CLONES, erf_grad_f32, float, float, x * 1.12837917f * sonde_cpu_exp (-y * y))
BLOCK (SONDE_CPU_CLONES, gelu_tanh_grad_f32, float, float, gelu_tanh_slope (x, y))
BLOCK (SONDE_CPU_CLONES, gelu_grad_f32, float, float,
       x *(0.5f * (1 + sonde_cpu_erf (y * 0.707106781f))
           + y * 0.398942280f * sonde_cpu_exp (-0.5f * y * y)))

BLOCK (SONDE_CPU_CLONES, equal_f32, float, guint8, x == y)
BLOCK (SONDE_CPU_CLONES, greater_f32, float, guint8, x > y)
BLOCK (SONDE_CPU_CLONES, less_f32, float, guint8, x < y)
BLOCK (SONDE_CPU_CLONES, greater_or_equal_f32, float, guint8, x >= y)
BLOCK (SONDE_CPU_CLONES, less_or_equal_f32, float, guint8, x <= y)

/* Integers wrap; x / 0 is 0 and the smallest / −1 itself. */
#define INTEGERS(suffix, T, U)                                                                     \
  BLOCK (, add_##suffix, T, T, (U) x + (U) y)                                                      \
  BLOCK (, subtract_##suffix, T, T, (U) x - (U) y)                                                 \
  BLOCK (, multiply_##suffix, T, T, (U) x *(U) y)                                                  \
  BLOCK (, divide_##suffix, T, T, y == 0 ? (U) 0 : y == -1 ? (U) 0 - (U) x : (U) (x / y))          \
  BLOCK (, maximum_##suffix, T, T, x > y ? x : y)                                                  \
  BLOCK (, minimum_##suffix, T, T, x < y ? x : y)                                                  \
  BLOCK (, equal_##suffix, T, guint8, x == y)                                                      \
  BLOCK (, greater_##suffix, T, guint8, x > y)                                                     \
  BLOCK (, less_##suffix, T, guint8, x < y)                                                        \
  BLOCK (, greater_or_equal_##suffix, T, guint8, x >= y)                                           \
  BLOCK (, less_or_equal_##suffix, T, guint8, x <= y)
INTEGERS (i32, gint32, guint32)
INTEGERS (i64, gint64, guint64)

BLOCK (, and_bool, guint8, guint8, (x != 0) & (y != 0))
BLOCK (, or_bool, guint8, guint8, (x != 0) | (y != 0))
BLOCK (, xor_bool, guint8, guint8, (x != 0) ^ (y != 0))
BLOCK (, equal_bool, guint8, guint8, (x != 0) == (y != 0))

/* ---- which loop ---------------------------------------------------------- */

/* What an operator wants besides its loop. */
typedef enum
{
  PLAIN,
  POWER,    /* another loop for exponents 2 and 1/2 */
  MEAN,     /* divided by the number of operands at last */
  GELU_GRAD /* a loop for each form */
} Special;

/**
 * BinaryFunction: of an operator
 * @goes_on: the float32 loop may go on from operand to operand (sonde_cpu_find_loop())
 */
typedef struct
{
  SondeCpuBlock f32, i32, i64, boolean;
  gboolean goes_on;
  Special special;
} BinaryFunction;

#define NUMBERS(name) .f32 = name##_f32, .i32 = name##_i32, .i64 = name##_i64

static SondeCpuBlock
find_block (const BinaryFunction *function, const SondeNode *node, SondeDtype dtype)
{
  if (function->special == GELU_GRAD && dtype == SONDE_DTYPE_F32
      && g_str_equal (sonde_node_get_string (node, "approximate", "none"), "tanh"))
    return gelu_tanh_grad_f32;
  return dtype == SONDE_DTYPE_F32    ? function->f32
         : dtype == SONDE_DTYPE_I32  ? function->i32
         : dtype == SONDE_DTYPE_I64  ? function->i64
         : dtype == SONDE_DTYPE_BOOL ? function->boolean
                                     : NULL;
}

static SondeKernel *prepare_binary (SondeCpuDevice *device, SondePrepareRequest *request);

/* Of @node's operator, or NULL. */
static const BinaryFunction *
find_function (const SondeNode *node)
{
  const SondeCpuRow *row = sonde_cpu_find_row (node);

  return row != NULL && row->prepare == prepare_binary ? row->data : NULL;
}

/* ---- kernels ------------------------------------------------------------- */

/**
 * BinaryKernel: y = a ∘ b, then y = y ∘ c for each further input
 * @power: the block depends on the exponent, where that is one number
 * @mean: y is at last divided by the number of inputs
 * @grids: one fewer than inputs
 */
typedef struct
{
  SondeKernel base;
  SondeCpuBlock block;
  gboolean power, mean;
  guint n_grids;
  SondeCpuGrid mean_grid;
  SondeCpuGrid grids[];
} BinaryKernel;

static SondeCpuBlock
choose_power (const SondeCpuGrid *grid, const float *exponent)
{
  if (grid->steps[1] != 0 || grid->rows[1] != 0 || grid->loop.rank > 2)
    return power_f32;

  return *exponent == 2 ? square_f32 : *exponent == 0.5f ? root_f32 : power_f32;
}

SondeCpuBlock
sonde_cpu_find_binary (const SondeNode *node)
{
  const BinaryFunction *function = find_function (node);
  float exponent;

  if (function == NULL || function->special == MEAN || node->inputs->len != 2
      || node->domain[0] != '\0' || sonde_node_get_input (node, 0) == NULL
      || sonde_node_get_input (node, 1) == NULL)
    return NULL;
  if (function->special != POWER)
    return function->f32;
  if (!sonde_cpu_read_scalar (sonde_node_get_input (node, 1), &exponent))
    return NULL;
  return exponent == 2 ? square_f32 : exponent == 0.5f ? root_f32 : power_f32;
}

SondeCpuBlock
sonde_cpu_find_loop (const SondeNode *node)
{
  const BinaryFunction *function = find_function (node);

  return function != NULL && function->goes_on ? find_block (function, node, SONDE_DTYPE_F32)
                                               : NULL;
}

static gboolean
run_binary (SondeCpuDevice *device, SondeKernel *base, const SondeRunArguments *arguments,
            GError **error)
{
  const BinaryKernel *kernel = (BinaryKernel *) base;
  guint8 *operands[] = { arguments->inputs[0], NULL, arguments->outputs[0] };
  SondeCpuBlock block
      = kernel->power ? choose_power (&kernel->grids[0], arguments->inputs[1]) : kernel->block;
  float count = (float) kernel->n_grids + 1;

  for (guint k = 0; k < kernel->n_grids; k++)
    {
      operands[1] = arguments->inputs[k + 1];
      sonde_cpu_grid_run (device, &kernel->grids[k], operands, block, NULL);
      operands[0] = operands[2];
    }

  operands[1] = (guint8 *) &count;
  if (kernel->mean)
    sonde_cpu_grid_run (device, &kernel->mean_grid, operands, divide_f32, NULL);
  return TRUE;
}

static gboolean
get_shapes (const SondePrepareRequest *request, SondeDtype dtype, SondeShape *shapes)
{
  for (guint k = 0; k < request->n_inputs; k++)
    if (!sonde_cpu_has_input (request, k) || request->inputs[k]->type.dtype != dtype
        || !sonde_type_get_shape (&request->inputs[k]->type, &shapes[k]))
      return FALSE;

  return sonde_cpu_has_output (request, 0)
         && sonde_type_get_shape (&request->outputs[0]->type, &shapes[request->n_inputs])
         && sonde_shape_n_elements (&shapes[request->n_inputs]) > 0;
}

/* The first of several operands has to fill the result already when the others are added. */
static void
fill_grids (BinaryKernel *kernel, guint n, const SondeShape *shapes, SondeDtype from, SondeDtype to,
            gboolean channels_last)
{
  const gsize sizes[] = { sonde_dtype_size (from), sonde_dtype_size (from), sonde_dtype_size (to) };
  SondeShape operands[3] = { shapes[0], shapes[0], shapes[n] };

  for (guint k = 0; k + 1 < n; k++)
    {
      operands[1] = shapes[k + 1];
      sonde_cpu_grid_init (&kernel->grids[k], 3, operands, sizes, channels_last);
      operands[0] = shapes[n];
    }

  operands[1] = sonde_shape_scalar ();
  sonde_cpu_grid_init (&kernel->mean_grid, 3, operands, sizes, channels_last);
}

static SondeKernel *
prepare_binary (SondeCpuDevice *device, SondePrepareRequest *request)
{
  const BinaryFunction *function = find_function (request->nodes[0]);
  guint n = request->n_inputs;
  g_autofree SondeShape *shapes = g_new (SondeShape, n + 1);
  SondeCpuBlock block;
  SondeDtype dtype;
  BinaryKernel *kernel;

  if (n < 2 || !sonde_cpu_has_input (request, 0))
    return NULL;

  dtype = request->inputs[0]->type.dtype;
  block = find_block (function, request->nodes[0], dtype);
  if (block == NULL || !get_shapes (request, dtype, shapes))
    return NULL;

  kernel = g_malloc0 (sizeof (BinaryKernel) + (n - 1) * sizeof (SondeCpuGrid));
  kernel->base.run = run_binary;
  kernel->block = block;
  kernel->n_grids = n - 1;
  kernel->power = function->special == POWER;
  kernel->mean = function->special == MEAN;
  fill_grids (kernel, n, shapes, dtype, request->outputs[0]->type.dtype,
              sonde_cpu_grid_layouts (device, request, n));
  request->in_place = request->in_place && dtype == request->outputs[0]->type.dtype;
  if (n == 2 && sonde_shape_equal (&shapes[1], &shapes[2]))
    request->in_place_inputs |= 2;
  request->workspace_bytes = 0;
  request->implementation = "loop";
  return &kernel->base;
}

#define OPERATOR(domain, op, ...)                                                                  \
  {                                                                                                \
    domain, op, prepare_binary, &(const BinaryFunction) { __VA_ARGS__ }                            \
  }

const SondeCpuRow sonde_cpu_binary_rows[] = {
  OPERATOR ("", "Add", NUMBERS (add), .goes_on = TRUE),
  OPERATOR ("", "And", .boolean = and_bool),
  OPERATOR ("", "Div", NUMBERS (divide), .goes_on = TRUE),
  OPERATOR ("", "Equal", NUMBERS (equal), .boolean = equal_bool),
  OPERATOR ("", "Greater", NUMBERS (greater)),
  OPERATOR ("", "GreaterOrEqual", NUMBERS (greater_or_equal)),
  OPERATOR ("", "Less", NUMBERS (less)),
  OPERATOR ("", "LessOrEqual", NUMBERS (less_or_equal)),
  OPERATOR ("", "Max", NUMBERS (maximum), .goes_on = TRUE),
  OPERATOR ("", "Mean", .f32 = add_f32, .special = MEAN),
  OPERATOR ("", "Min", NUMBERS (minimum), .goes_on = TRUE),
  OPERATOR ("", "Mul", NUMBERS (multiply), .goes_on = TRUE),
  OPERATOR ("", "Or", .boolean = or_bool),
  OPERATOR ("", "PRelu", .f32 = leaky_f32, .goes_on = TRUE),
  OPERATOR ("", "Pow", .f32 = power_f32, .special = POWER),
  OPERATOR ("", "Sub", NUMBERS (subtract), .goes_on = TRUE),
  OPERATOR ("", "Sum", NUMBERS (add), .goes_on = TRUE),
  OPERATOR ("", "Xor", .boolean = xor_bool),
  OPERATOR (SONDE_DOMAIN, "ErfGrad", .f32 = erf_grad_f32),
  OPERATOR (SONDE_DOMAIN, "GeluGrad", .f32 = gelu_grad_f32, .goes_on = TRUE, .special = GELU_GRAD),
  OPERATOR (SONDE_DOMAIN, "ReluGrad", .f32 = relu_grad_f32, .goes_on = TRUE),
  OPERATOR (SONDE_DOMAIN, "SigmoidGrad", .f32 = sigmoid_grad_f32),
  OPERATOR (SONDE_DOMAIN, "TanhGrad", .f32 = tanh_grad_f32),
  { NULL, NULL, NULL, NULL },
};
