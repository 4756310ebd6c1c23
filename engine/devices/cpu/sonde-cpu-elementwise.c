/* SPDX-License-Identifier: Apache-2.0
 * Element-wise operators on operands of one shape and layout, or with a scalar. The hot ones have loops
 * here; the others run the reference kernel on parts of the flat memory, several threads at a time. */
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

static gboolean
is_one (const SondeShape *shape,
        const SondeShape *result)
{
  return sonde_shape_n_elements (shape) == 1 && shape->rank <= result->rank;
}

/* Operand 1 as operand 0 lies. */
static void
want_same (SondeCpuDevice      *device,
           SondePrepareRequest *request,
           guint                k,
           SondeLayout         *layout)
{
  sonde_prepare_request_set_layout (&device->base, request, k, layout);
}

/* An operand in an opaque, dense layout decides for both. */
static SondeLayout *
choose_layout (SondeCpuDevice      *device,
               SondePrepareRequest *request,
               gboolean             second)
{
  const SondeLayout *other = second ? request->input_layouts[1] : NULL;

  if (request->input_layouts[0] == NULL && other != NULL && other->channels_last)
    want_same (device, request, 0, request->input_layouts[1]);

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
      if (!same && (row->scalar == NULL || !is_one (&b, &a)))
        return NULL;
    }

  layout = choose_layout (device, request, same);
  if (row->operands == 2)
    want_same (device, request, 1, same ? layout : NULL);

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

/* ---- the reference kernel on parts ------------------------------------------------------------------ */

#define MAX_OPERANDS 6

/* @whole: operands that every part reads as they are (scalars, absent ones) */
typedef struct
{
  SondeKernel base;
  const SondeNode *node;
  const SondeOpClass *klass;
  guint n_inputs;
  SondeDtype dtypes[MAX_OPERANDS + 1]; /* inputs, then the output; INVALID: absent */
  gboolean whole[MAX_OPERANDS + 1];
  SondeShape shapes[MAX_OPERANDS + 1]; /* of the whole ones */
  gint64 n;
} PartsKernel;

typedef struct
{
  const PartsKernel *kernel;
  const SondeRunArguments *arguments;
} PartsCall;

static SondeTensor *
wrap_part (const PartsKernel *kernel,
           guint              operand,
           void              *memory,
           gint64             begin,
           gint64             end)
{
  SondeDtype dtype = kernel->dtypes[operand];
  SondeShape part = sonde_shape_from_array (1, (gint64[]) { end - begin });
  gsize offset = kernel->whole[operand] ? 0 : (gsize) begin * sonde_dtype_size (dtype);

  if (dtype == SONDE_DTYPE_INVALID)
    return NULL;

  return sonde_tensor_new_take (dtype, kernel->whole[operand] ? &kernel->shapes[operand] : &part,
                                (guint8 *) memory + offset, NULL, NULL);
}

static void
parts_range (gint64   begin,
             gint64   end,
             gpointer data)
{
  const PartsCall *call = data;
  const PartsKernel *kernel = call->kernel;
  SondeTensor *inputs[MAX_OPERANDS];
  SondeTensor *output = wrap_part (kernel, MAX_OPERANDS, call->arguments->outputs[0], begin, end);
  SondeKernelContext context = {
    .node = kernel->node,
    .n_inputs = kernel->n_inputs,
    .inputs = inputs,
    .n_outputs = 1,
    .outputs = &output,
  };

  for (guint i = 0; i < kernel->n_inputs; i++)
    inputs[i] = wrap_part (kernel, i, call->arguments->inputs[i], begin, end);

  sonde_op_compute (kernel->klass, &context);
  for (guint i = 0; i < kernel->n_inputs; i++)
    sonde_tensor_unref (inputs[i]);
  sonde_tensor_unref (output);
}

static gboolean
run_parts (SondeCpuDevice          *device,
           SondeKernel             *base,
           const SondeRunArguments *arguments,
           GError                 **error)
{
  PartsKernel *kernel = (PartsKernel *) base;
  PartsCall call = { kernel, arguments };

  sonde_cpu_for (device, kernel->n, 1, parts_range, &call);
  return TRUE;
}

static gboolean
describe_operand (PartsKernel           *kernel,
                  guint                  operand,
                  const SondeGraphValue *value,
                  const SondeShape      *result)
{
  SondeShape *shape = &kernel->shapes[operand];

  if (value == NULL)
    return TRUE;

  kernel->dtypes[operand] = value->type.dtype;
  if (value->type.kind != SONDE_VALUE_TENSOR || !sonde_type_get_shape (&value->type, shape)
      || value->type.dtype == SONDE_DTYPE_STRING)
    return FALSE;

  kernel->whole[operand] = !sonde_shape_equal (shape, result);
  return !kernel->whole[operand] || is_one (shape, result);
}

SondeKernel *
sonde_cpu_prepare_parts (SondeCpuDevice      *device,
                         SondePrepareRequest *request)
{
  const SondeNode *node = request->nodes[0];
  const SondeOpClass *klass = sonde_op_table_find (node->domain, node->op);
  SondeShape y;
  g_autofree PartsKernel *kernel = g_new0 (PartsKernel, 1);
  gboolean single = request->n_outputs == 1 && sonde_cpu_output_f32 (request, 0, &y);
  SondeLayout *layout;

  if (klass == NULL || (klass->flags & SONDE_OP_ELEMENTWISE) == 0 || request->n_outputs != 1
      || !sonde_cpu_has_output (request, 0) || request->n_inputs > MAX_OPERANDS
      || !sonde_cpu_has_input (request, 0) || (klass->flags & (SONDE_OP_RANDOM | SONDE_OP_DYNAMIC)) != 0
      || !sonde_type_get_shape (&request->outputs[0]->type, &y) || sonde_shape_n_elements (&y) <= 0)
    return NULL;

  for (guint i = 0; i < request->n_inputs; i++)
    if (!describe_operand (kernel, i, request->inputs[i], &y))
      return NULL;

  if (kernel->whole[0] || !describe_operand (kernel, MAX_OPERANDS, request->outputs[0], &y))
    return NULL;

  for (guint i = 0; i < request->n_inputs; i++)
    single = single && (kernel->whole[i] || kernel->dtypes[i] == SONDE_DTYPE_F32);
  if (!single)
    sonde_cpu_want_plain (device, request, 0);

  layout = sonde_cpu_keep_layout (device, request, 0, 0);
  for (guint i = 1; i < request->n_inputs; i++)
    if (request->inputs[i] != NULL)
      want_same (device, request, i, kernel->whole[i] ? NULL : layout);

  kernel->base.run = run_parts;
  kernel->node = node;
  kernel->klass = klass;
  kernel->n_inputs = request->n_inputs;
  kernel->n = sonde_shape_n_elements (&y);
  request->in_place = request->in_place && kernel->dtypes[0] == kernel->dtypes[MAX_OPERANDS];
  request->workspace_bytes = 0;
  request->implementation = "reference in parts";
  return (SondeKernel *) g_steal_pointer (&kernel);
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
