/* SPDX-License-Identifier: Apache-2.0
 * Any element-wise operator: its reference kernel on parts of the flat memory, several threads at a
 * time. */
#include "engine/devices/cpu/sonde-cpu-counted.h"

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
wrap_part (const PartsKernel *kernel, guint operand, void *memory, gint64 begin, gint64 end)
{
  SondeDtype dtype = kernel->dtypes[operand];
  SondeShape part = sonde_shape_from_array (1, (gint64[]){ end - begin });
  gsize offset = kernel->whole[operand] ? 0 : (gsize) begin * sonde_dtype_size (dtype);

  if (dtype == SONDE_DTYPE_INVALID)
    return NULL;

  return sonde_tensor_new_take (dtype, kernel->whole[operand] ? &kernel->shapes[operand] : &part,
                                (guint8 *) memory + offset, NULL, NULL);
}

static void
parts_range (gint64 begin, gint64 end, gpointer data)
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
run_parts (SondeCpuDevice *device, SondeKernel *base, const SondeRunArguments *arguments,
           GError **error)
{
  PartsKernel *kernel = (PartsKernel *) base;
  PartsCall call = { kernel, arguments };

  sonde_cpu_for (device, kernel->n, 1, parts_range, &call);
  return TRUE;
}

static gboolean
describe_operand (PartsKernel *kernel, guint operand, const SondeGraphValue *value,
                  const SondeShape *result)
{
  SondeShape *shape = &kernel->shapes[operand];

  if (value == NULL)
    return TRUE;

  kernel->dtypes[operand] = value->type.dtype;
  if (value->type.kind != SONDE_VALUE_TENSOR || !sonde_type_get_shape (&value->type, shape)
      || value->type.dtype == SONDE_DTYPE_STRING)
    return FALSE;

  kernel->whole[operand] = !sonde_shape_equal (shape, result);
  return !kernel->whole[operand] || sonde_cpu_is_one (shape, result);
}

static SondeKernel *
prepare_elementwise (SondeCpuDevice *device, SondePrepareRequest *request)
{
  const SondeNode *node = request->nodes[0];
  const SondeOpClass *klass = sonde_op_of_node (node);
  SondeShape y;
  g_autofree PartsKernel *kernel = g_new0 (PartsKernel, 1);
  gboolean single = request->n_outputs == 1 && sonde_cpu_output_f32 (request, 0, &y);
  SondeLayout *layout;

  if (klass == NULL || (klass->flags & SONDE_OP_ELEMENTWISE) == 0 || request->n_outputs != 1
      || !sonde_cpu_has_output (request, 0) || request->n_inputs > MAX_OPERANDS
      || !sonde_cpu_has_input (request, 0)
      || (klass->flags & (SONDE_OP_RANDOM | SONDE_OP_DYNAMIC)) != 0
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
      sonde_cpu_want_same (device, request, i, kernel->whole[i] ? NULL : layout);

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

SondeKernel *
sonde_cpu_prepare_parts (SondeCpuDevice *device, SondePrepareRequest *request)
{
  SondeKernel *kernel = prepare_elementwise (device, request);

  return kernel != NULL ? kernel : sonde_cpu_prepare_counted (device, request);
}
