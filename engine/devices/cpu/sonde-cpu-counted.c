/* SPDX-License-Identifier: Apache-2.0
 * Operators whose reference kernel can be run in parts, on the device's threads. */
#include "engine/devices/cpu/sonde-cpu-counted.h"

/* One input or output; dtype INVALID: absent */
typedef struct
{
  SondeDtype dtype;
  SondeShape shape;
} CountedOperand;

typedef struct
{
  SondeKernel base;
  const SondeNode *node;
  const SondeOpClass *klass;
  gpointer prepared; /* by the row (nullable) */
  guint n_inputs, n_outputs;
  CountedOperand operands[]; /* inputs, then outputs */
} CountedKernel;

typedef struct
{
  const SondeOpClass *klass;
  const SondeKernelContext *context;
} CountedCall;

static void
counted_range (gint64 begin, gint64 end, gpointer data)
{
  const CountedCall *call = data;

  if (begin < end)
    call->klass->compute_part (call->context, begin, end);
}

/* An input of which only the type is looked at has no memory: one element stands for all. */
static SondeTensor *
wrap_operand (const CountedOperand *operand, void *memory)
{
  static const gint64 strides[SONDE_MAX_RANK] = { 0 };
  SondeShape one = sonde_shape_scalar ();
  g_autoptr (SondeTensor) element = NULL;

  if (operand->dtype == SONDE_DTYPE_INVALID)
    return NULL;
  if (memory != NULL)
    return sonde_tensor_new_take (operand->dtype, &operand->shape, memory, NULL, NULL);

  element = sonde_tensor_new (operand->dtype, &one);
  return sonde_tensor_view (element, &operand->shape, strides, 0);
}

static gboolean
run_counted (SondeCpuDevice *device, SondeKernel *base, const SondeRunArguments *arguments,
             GError **error)
{
  const CountedKernel *kernel = (CountedKernel *) base;
  guint n = kernel->n_inputs + kernel->n_outputs;
  g_autofree SondeTensor **tensors = g_new0 (SondeTensor *, n + 1);
  SondeKernelContext context = {
    .node = kernel->node,
    .n_inputs = kernel->n_inputs,
    .inputs = tensors,
    .n_outputs = kernel->n_outputs,
    .outputs = tensors + kernel->n_inputs,
    .seed = arguments->seed,
    .step = arguments->step,
    .prepared = kernel->prepared,
  };
  CountedCall call = { kernel->klass, &context };
  gint64 cost = 1;
  gboolean good;

  for (guint i = 0; i < kernel->n_inputs; i++)
    tensors[i] = wrap_operand (&kernel->operands[i], arguments->inputs[i]);
  for (guint i = kernel->n_inputs; i < n; i++)
    tensors[i] = wrap_operand (&kernel->operands[i], arguments->outputs[i - kernel->n_inputs]);

  good = sonde_op_check_values (kernel->klass, &context, error);
  if (good)
    {
      gint64 items = kernel->klass->count_parts (&context, &cost);

      if (items < 0)
        kernel->klass->compute (&context);
      else
        sonde_cpu_for (device, items, MAX (cost, 1), counted_range, &call);
    }
  for (guint i = 0; i < n; i++)
    sonde_tensor_unref (tensors[i]);
  return good;
}

static void
free_counted (SondeKernel *base)
{
  CountedKernel *kernel = (CountedKernel *) base;

  sonde_op_prepared_free (kernel->klass, kernel->prepared);
  g_free (kernel);
}

/* FALSE: text, or half precision that the kernel does not take as it is. */
static gboolean
describe_operand (const SondeOpClass *klass, const SondeGraphValue *value, CountedOperand *operand)
{
  const gboolean raw = sonde_op_takes_half (klass);

  if (value == NULL)
    return TRUE;

  operand->dtype = value->type.dtype;
  if (operand->dtype == SONDE_DTYPE_STRING || !sonde_type_get_shape (&value->type, &operand->shape))
    return FALSE;
  return raw || (operand->dtype != SONDE_DTYPE_F16 && operand->dtype != SONDE_DTYPE_BF16);
}

SondeKernel *
sonde_cpu_prepare_counted (SondeCpuDevice *device, SondePrepareRequest *request)
{
  const SondeNode *node = request->nodes[0];
  const SondeOpClass *klass = sonde_op_of_node (node);
  guint n = request->n_inputs + request->n_outputs;
  g_autofree CountedKernel *kernel
      = g_malloc0 (sizeof (CountedKernel) + n * sizeof (CountedOperand));

  if (klass == NULL || klass->count_parts == NULL || klass->compute_part == NULL
      || (klass->flags & (SONDE_OP_DYNAMIC | SONDE_OP_CONTROL)) != 0)
    return NULL;

  for (guint i = 0; i < n; i++)
    if (!describe_operand (klass,
                           i < request->n_inputs ? request->inputs[i]
                                                 : request->outputs[i - request->n_inputs],
                           &kernel->operands[i]))
      return NULL;

  for (guint i = 0; i < request->n_inputs; i++)
    if (request->inputs[i] != NULL)
      sonde_cpu_want_plain (device, request, i);

  kernel->base.run = run_counted;
  kernel->base.free = free_counted;
  kernel->node = node;
  kernel->klass = klass;
  kernel->prepared = sonde_op_prepare (klass, node);
  kernel->n_inputs = request->n_inputs;
  kernel->n_outputs = request->n_outputs;
  request->in_place = request->in_place && (klass->flags & SONDE_OP_IN_PLACE) != 0;
  request->workspace_bytes = 0;
  request->implementation = "reference in parts";
  return (SondeKernel *) g_steal_pointer (&kernel);
}
