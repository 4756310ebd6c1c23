/* SPDX-License-Identifier: Apache-2.0
 * Element-wise operators on operands of one shape and layout, or with a scalar: the hot ones as loops, those
 * with a function inside through oneDNN. All others are in sonde-cpu-parts.c. */
#include "engine/devices/cpu/sonde-cpu-kernel-private.h"

/* ---- hot loops ------------------------------------------------------------------------------------ */

typedef void (*Loop) (gint64 n, const float *a, const float *b, float *y);

#define LOOP(name, expression)                                             \
  SONDE_CPU_CLONES static void name (gint64 n, const float *a_, const float *b_, float *y_) \
  {                                                                        \
    _Pragma ("GCC ivdep") for (gint64 i = 0; i < n; i++)                   \
    {                                                                      \
      const float a = a_[i], b = b_[i];                                    \
      y_[i] = (expression);                                                \
    }                                                                      \
  }                                                                        \
  SONDE_CPU_CLONES static void name##_scalar (gint64 n, const float *a_, const float *b_, float *y_) \
  {                                                                        \
    const float b = *b_;                                                   \
    _Pragma ("GCC ivdep") for (gint64 i = 0; i < n; i++)                   \
    {                                                                      \
      const float a = a_[i];                                               \
      y_[i] = (expression);                                                \
    }                                                                      \
  }

LOOP (add, a + b)
LOOP (subtract, a - b)
LOOP (multiply, a *b)
LOOP (divide, a / b)

SONDE_CPU_CLONES static void
relu_grad (gint64       n,
           const float *dy,
           const float *output,
           float       *dx)
{
#pragma GCC ivdep
  for (gint64 i = 0; i < n; i++)
    dx[i] = output[i] <= 0 ? 0 : dy[i];
}

/* NaN stays NaN, which oneDNN's does not. */
SONDE_CPU_CLONES static void
relu (gint64       n,
      const float *a,
      const float *b,
      float       *y)
{
#pragma GCC ivdep
  for (gint64 i = 0; i < n; i++)
    y[i] = a[i] < 0 ? 0 : a[i];
}

SONDE_CPU_CLONES static void
add_relu (gint64       n,
          const float *a,
          const float *b,
          float       *y)
{
#pragma GCC ivdep
  for (gint64 i = 0; i < n; i++)
    {
      const float sum = a[i] + b[i];

      y[i] = sum < 0 ? 0 : sum;
    }
}

/* @scalar: NULL: operand 1 has to be of the same size */
typedef struct
{
  const char *domain, *op;
  guint operands;
  Loop loop, scalar;
} LoopRow;

static const LoopRow loop_rows[] = {
  { "", "Relu", 1, relu, NULL },
  { "", "Add", 2, add, add_scalar },
  { "", "Sub", 2, subtract, subtract_scalar },
  { "", "Mul", 2, multiply, multiply_scalar },
  { "", "Div", 2, divide, divide_scalar },
  { SONDE_DOMAIN, "ReluGrad", 2, relu_grad, NULL },
};

typedef struct
{
  SondeKernel base;
  Loop loop;
  gboolean scalar;
  gint64 n;
} LoopKernel;

/* One call of a loop kernel. */
typedef struct
{
  const LoopKernel *kernel;
  const float *a, *b;
  float *y;
} LoopCall;

static void
loop_range (gint64   begin,
            gint64   end,
            gpointer data)
{
  const LoopCall *call = data;
  const float *b = call->b != NULL && !call->kernel->scalar ? call->b + begin : call->b;

  call->kernel->loop (end - begin, call->a + begin, b, call->y + begin);
}

static gboolean
run_loop (SondeCpuDevice          *device,
          SondeKernel             *base,
          const SondeRunArguments *arguments,
          GError                 **error)
{
  const LoopKernel *kernel = (LoopKernel *) base;
  LoopCall call = { kernel, arguments->inputs[0], NULL, arguments->outputs[0] };

  if (kernel->loop != relu)
    call.b = arguments->inputs[1];
  sonde_cpu_for (device, kernel->n, 1, loop_range, &call);
  return TRUE;
}

void
sonde_cpu_relu (SondeCpuDevice *device,
                gint64          n,
                float          *y)
{
  const LoopKernel kernel = { .loop = relu };
  LoopCall call = { &kernel, y, NULL, y };

  sonde_cpu_for (device, n, 1, loop_range, &call);
}

void
sonde_cpu_add (SondeCpuDevice *device,
               gint64          n,
               const float    *x,
               gboolean        with_relu,
               float          *y)
{
  const LoopKernel kernel = { .loop = with_relu ? add_relu : add };
  LoopCall call = { &kernel, y, x, y };

  sonde_cpu_for (device, n, 1, loop_range, &call);
}

static const LoopRow *
find_loop (const SondeNode *node)
{
  for (gsize i = 0; i < G_N_ELEMENTS (loop_rows); i++)
    if (g_str_equal (node->op, loop_rows[i].op) && g_str_equal (node->domain, loop_rows[i].domain))
      return &loop_rows[i];

  return NULL;
}

/* An operand in an opaque, dense layout decides for both. */
static SondeLayout *
choose_layout (SondeCpuDevice      *device,
               SondePrepareRequest *request,
               gboolean             second)
{
  const SondeLayout *other = second ? request->input_layouts[1] : NULL;

  if (request->input_layouts[0] == NULL && other != NULL && other->channels_last)
    sonde_cpu_want_same (device, request, 0, request->input_layouts[1]);

  return sonde_cpu_keep_layout (device, request, 0, 0);
}

static SondeKernel *
prepare_loop (SondeCpuDevice      *device,
              SondePrepareRequest *request)
{
  const LoopRow *row = find_loop (request->nodes[0]);
  SondeShape a, b, y;
  gboolean same = FALSE;
  SondeLayout *layout;
  LoopKernel *kernel;

  if (!sonde_cpu_input_f32 (request, 0, &a) || !sonde_cpu_output_f32 (request, 0, &y)
      || !sonde_shape_equal (&a, &y))
    return NULL;

  if (row->operands == 2)
    {
      if (!sonde_cpu_input_f32 (request, 1, &b))
        return NULL;

      same = sonde_shape_equal (&a, &b);
      if (!same && (row->scalar == NULL || !sonde_cpu_is_one (&b, &a)))
        return NULL;
    }

  layout = choose_layout (device, request, same);
  if (row->operands == 2)
    sonde_cpu_want_same (device, request, 1, same ? layout : NULL);

  kernel = g_new0 (LoopKernel, 1);
  kernel->base.run = run_loop;
  kernel->scalar = row->operands == 2 && !same;
  kernel->loop = kernel->scalar ? row->scalar : row->loop;
  kernel->n = sonde_shape_n_elements (&y);
  request->workspace_bytes = 0;
  request->implementation = "loop";
  return &kernel->base;
}

/* ---- oneDNN's functions ---------------------------------------------------------------------------- */

typedef struct
{
  const char *op, *function;
} FunctionRow;

static const FunctionRow function_rows[] = {
  { "Exp", "exp" },
  { "Gelu", "gelu_erf" },
  { "Sigmoid", "logistic" },
  { "Tanh", "tanh" },
};

static SondeKernel *
prepare_function (SondeCpuDevice      *device,
                  SondePrepareRequest *request)
{
  const SondeNode *node = request->nodes[0];
  const char *function = NULL;
  SondeDnnlPrimitive *primitive;
  SondeShape x, y;

  for (gsize i = 0; i < G_N_ELEMENTS (function_rows); i++)
    if (g_str_equal (node->op, function_rows[i].op))
      function = function_rows[i].function;

  if (g_str_equal (sonde_node_get_string (node, "approximate", "none"), "tanh"))
    function = "gelu_tanh";
  if (!sonde_cpu_input_f32 (request, 0, &x) || !sonde_cpu_output_f32 (request, 0, &y))
    return NULL;

  primitive = sonde_dnnl_eltwise (device->dnnl, function, sonde_shape_n_elements (&x), 0, 0);
  if (primitive == NULL)
    return NULL;

  sonde_cpu_keep_layout (device, request, 0, 0);
  return &sonde_cpu_primitive_kernel_new (request, primitive)->base;
}

const SondeCpuRow sonde_cpu_elementwise_rows[] = {
  { "", "Add", prepare_loop },
  { "", "Div", prepare_loop },
  { "", "Exp", prepare_function },
  { "", "Gelu", prepare_function },
  { "", "Mul", prepare_loop },
  { "", "Relu", prepare_loop },
  { "", "Sigmoid", prepare_function },
  { "", "Sub", prepare_loop },
  { "", "Tanh", prepare_function },
  { SONDE_DOMAIN, "ReluGrad", prepare_loop },
  { NULL, NULL, NULL },
};
