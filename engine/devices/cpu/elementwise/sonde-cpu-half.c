/* SPDX-License-Identifier: Apache-2.0
 * Nodes of float16 and bfloat16: a counterpart in float32 gets the fast kernel, operands are upcast
 * before it and its results rounded once. Constant ones are upcast once. */
#include "engine/devices/cpu/elementwise/sonde-cpu-half.h"

#include "engine/ops/sonde-op-implement.h"

#define ALIGNMENT 64
#define MOST_OPERANDS 16

/**
 * HalfOperand:
 * @dtype: of the outside; INVALID: absent
 * @half: there is a float32 copy, @n elements at @offset of the workspace, or of what was derived
 * @layout: (nullable): owned; what the inner kernel wants of a derived operand
 */
typedef struct
{
  SondeDtype dtype;
  gboolean half, derived;
  gint64 n;
  gsize offset, bytes;
  SondeLayout *layout;
  SondeType type; /* of the counterpart */
} HalfOperand;

/**
 * HalfKernel:
 * @graph: of the counterpart node, which the inner kernel may keep
 * @workspace: where the inner kernel's begins
 */
typedef struct
{
  SondeKernel base;
  SondeGraph *graph;
  SondeKernel *inner;
  guint n_inputs, n_outputs;
  gsize workspace;
  HalfOperand *operands; /* inputs, then outputs */
} HalfKernel;

/* ---- running ------------------------------------------------------------- */

typedef struct
{
  SondeDtype from, to;
  const guint8 *x;
  guint8 *y;
} ConvertCall;

static void
convert_range (gint64 begin, gint64 end, gpointer data)
{
  const ConvertCall *call = data;

  sonde_cpu_convert (call->from, call->x + (gsize) begin * sonde_dtype_size (call->from), call->to,
                     call->y + (gsize) begin * sonde_dtype_size (call->to), (gsize) (end - begin));
}

static gboolean
run_half (SondeCpuDevice *device, SondeKernel *base, const SondeRunArguments *arguments,
          GError **error)
{
  const HalfKernel *kernel = (HalfKernel *) base;
  guint n = kernel->n_inputs + kernel->n_outputs;
  void *pointers[MOST_OPERANDS];
  guint8 *workspace = arguments->workspace;
  SondeRunArguments inner = *arguments;

  for (guint k = 0; k < n; k++)
    {
      const HalfOperand *operand = &kernel->operands[k];
      ConvertCall call = { operand->dtype, SONDE_DTYPE_F32, NULL, workspace + operand->offset };

      pointers[k]
          = k < kernel->n_inputs ? arguments->inputs[k] : arguments->outputs[k - kernel->n_inputs];
      if (!operand->half || pointers[k] == NULL)
        {
          if (operand->derived)
            pointers[k] = (guint8 *) arguments->derived + operand->offset;
          continue;
        }

      call.x = pointers[k];
      pointers[k] = operand->derived ? (guint8 *) arguments->derived + operand->offset : call.y;
      if (k < kernel->n_inputs && !operand->derived)
        sonde_cpu_for (device, operand->n, 1, convert_range, &call);
    }

  inner.inputs = pointers;
  inner.outputs = pointers + kernel->n_inputs;
  inner.workspace = workspace + kernel->workspace;
  inner.derived = NULL;
  if (!kernel->inner->run (device, kernel->inner, &inner, error))
    return FALSE;

  for (guint k = kernel->n_inputs; k < n; k++)
    if (kernel->operands[k].half && arguments->outputs[k - kernel->n_inputs] != NULL)
      {
        ConvertCall call = { SONDE_DTYPE_F32, kernel->operands[k].dtype, pointers[k],
                             arguments->outputs[k - kernel->n_inputs] };

        sonde_cpu_for (device, kernel->operands[k].n, 1, convert_range, &call);
      }

  return TRUE;
}

static gboolean
derive_half (SondeCpuDevice *device, SondeKernel *base, const void *const *inputs, void *derived,
             GError **error)
{
  const HalfKernel *kernel = (HalfKernel *) base;

  for (guint k = 0; k < kernel->n_inputs; k++)
    {
      const HalfOperand *operand = &kernel->operands[k];
      guint8 *target = (guint8 *) derived + operand->offset;
      g_autofree float *plain = NULL;

      if (!operand->derived)
        continue;

      plain = g_new (float, operand->n);
      sonde_cpu_convert (operand->dtype, inputs[k], SONDE_DTYPE_F32, plain, (gsize) operand->n);
      if (!device->base.klass->write_plain (&device->base, &operand->type, operand->layout, plain,
                                            target, error))
        return FALSE;
    }

  return TRUE;
}

static void
free_half (SondeKernel *base)
{
  HalfKernel *kernel = (HalfKernel *) base;

  if (kernel->inner != NULL && kernel->inner->free != NULL)
    kernel->inner->free (kernel->inner);
  else
    g_free (kernel->inner);
  for (guint k = 0; k < kernel->n_inputs + kernel->n_outputs; k++)
    sonde_layout_unref (kernel->operands[k].layout);
  g_free (kernel->operands);
  if (kernel->graph != NULL)
    sonde_graph_unref (kernel->graph);
  g_free (kernel);
}

/* ---- the counterpart in float32 -------------------------------------------- */

static gboolean
is_half (const SondeGraphValue *value)
{
  return value != NULL
         && (value->type.dtype == SONDE_DTYPE_F16 || value->type.dtype == SONDE_DTYPE_BF16);
}

static gboolean
has_halves (const SondePrepareRequest *request)
{
  const SondeOpClass *klass = sonde_op_of_node (request->nodes[0]);
  gboolean half = FALSE;

  for (guint k = 0; k < request->n_inputs; k++)
    half = half || is_half (request->inputs[k]);
  for (guint k = 0; k < request->n_outputs; k++)
    half = half || is_half (request->outputs[k]);

  return half && request->n_nodes == 1 && klass != NULL && klass->compute != NULL
         && (klass->flags & (SONDE_OP_RANDOM | SONDE_OP_DYNAMIC)) == 0 && klass->shape_only == 0
         && !sonde_op_takes_half (klass);
}

static SondeType
float_type (const SondeGraphValue *value)
{
  SondeType type = value->type;

  if (is_half (value))
    type.dtype = SONDE_DTYPE_F32;
  return type;
}

static SondeNode *
make_counterpart (const SondePrepareRequest *request, SondeGraph *graph)
{
  const SondeNode *node = request->nodes[0];
  g_autofree SondeGraphValue **inputs = g_new0 (SondeGraphValue *, request->n_inputs + 1);
  SondeNode *counterpart;

  for (guint k = 0; k < request->n_inputs; k++)
    {
      const SondeGraphValue *value = request->inputs[k];
      SondeType type;

      if (value == NULL)
        continue;

      type = float_type (value);
      if (!is_half (value) && value->constant != NULL && value->role == SONDE_ROLE_CONSTANT)
        inputs[k] = sonde_graph_add_initialiser (
            graph, NULL, sonde_value_get_tensor (value->constant), SONDE_ROLE_CONSTANT);
      else
        inputs[k] = sonde_graph_add_input (graph, NULL, &type);
    }

  counterpart = sonde_graph_add_node (graph, NULL, node->domain, node->op, inputs,
                                      request->n_inputs, request->n_outputs);
  sonde_rule_copy_attributes (counterpart, node);
  for (guint k = 0; k < request->n_outputs; k++)
    if (request->outputs[k] != NULL)
      sonde_node_get_output (counterpart, k)->type = float_type (request->outputs[k]);
  return counterpart;
}

/* ---- preparing ----------------------------------------------------------- */

/* A dense layout of floats as one of halves, and the other way round. Returns: (transfer full)
 * (nullable) */
static SondeLayout *
layout_for (SondeDtype dtype, const SondeGraphValue *value, const SondeLayout *layout)
{
  SondeShape shape;

  if (layout == NULL || !layout->channels_last || !sonde_type_get_shape (&value->type, &shape))
    return NULL;
  return sonde_dnnl_channels_last (dtype, &shape);
}

static gsize
reserve (gsize *end, gsize bytes)
{
  gsize offset = *end;

  *end = (offset + bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
  return offset;
}

static void
describe (HalfOperand *operand, const SondeGraphValue *value)
{
  SondeShape shape;

  if (value == NULL)
    return;

  operand->dtype = value->type.dtype;
  operand->half = is_half (value);
  operand->type = float_type (value);
  if (sonde_type_get_shape (&value->type, &shape))
    operand->n = sonde_shape_n_elements (&shape);
  operand->bytes = (gsize) operand->n * sizeof (float);
}

/* Whether the outside can give and take what the inner kernel asks for. */
static gboolean
can_agree (const HalfKernel *kernel, const SondePrepareRequest *request,
           const SondePrepareRequest *inner)
{
  for (guint k = 0; k < request->n_inputs; k++)
    if (kernel->operands[k].half && inner->input_layouts[k] != NULL
        && !inner->input_layouts[k]->channels_last
        && (request->derive_inputs == NULL || !request->constant_inputs[k]))
      return FALSE;

  for (guint k = 0; k < request->n_outputs; k++)
    if (inner->output_layouts[k] != NULL && !inner->output_layouts[k]->channels_last)
      return FALSE;

  return TRUE;
}

static void
agree_inputs (SondeCpuDevice *device, HalfKernel *kernel, SondePrepareRequest *request,
              const SondePrepareRequest *inner, gsize *derived, gsize *workspace)
{
  for (guint k = 0; k < request->n_inputs; k++)
    {
      HalfOperand *operand = &kernel->operands[k];
      SondeLayout *wanted = inner->input_layouts[k];

      if (!operand->half)
        {
          if (request->inputs[k] != NULL)
            sonde_prepare_request_set_layout (&device->base, request, k, wanted);
          continue;
        }

      operand->derived = request->derive_inputs != NULL && request->constant_inputs[k];
      if (operand->derived)
        {
          operand->layout = wanted != NULL ? sonde_layout_ref (wanted) : NULL;
          operand->offset = reserve (
              derived, device->base.klass->layout_bytes (&device->base, &operand->type, wanted));
          request->derive_inputs[k] = TRUE;
        }
      else
        {
          SondeLayout *layout = layout_for (operand->dtype, request->inputs[k], wanted);

          operand->offset = reserve (workspace, operand->bytes);
          sonde_prepare_request_set_layout (&device->base, request, k, layout);
          sonde_layout_unref (layout);
        }
    }
}

static void
agree (SondeCpuDevice *device, HalfKernel *kernel, SondePrepareRequest *request,
       const SondePrepareRequest *inner)
{
  gsize derived = 0, workspace = 0;

  agree_inputs (device, kernel, request, inner, &derived, &workspace);
  for (guint k = 0; k < request->n_outputs; k++)
    {
      HalfOperand *operand = &kernel->operands[request->n_inputs + k];

      if (request->outputs[k] == NULL)
        continue;

      request->output_layouts[k]
          = layout_for (operand->dtype, request->outputs[k], inner->output_layouts[k]);
      if (operand->half)
        operand->offset = reserve (&workspace, operand->bytes);
    }

  kernel->workspace = reserve (&workspace, inner->workspace_bytes);
  request->workspace_bytes = workspace;
  request->derived_bytes = derived;
  request->in_place = FALSE;
  request->implementation = inner->implementation;
  if (derived > 0)
    kernel->base.derive = derive_half;
}

static void
clear_inner (SondePrepareRequest *inner)
{
  for (guint k = 0; k < inner->n_inputs; k++)
    sonde_layout_unref (inner->input_layouts[k]);
  for (guint k = 0; k < inner->n_outputs; k++)
    sonde_layout_unref (inner->output_layouts[k]);
  g_free (inner->input_layouts);
  g_free (inner->output_layouts);
}

static HalfKernel *
half_kernel_new (const SondePrepareRequest *request)
{
  HalfKernel *kernel = g_new0 (HalfKernel, 1);

  kernel->base.run = run_half;
  kernel->base.free = free_half;
  kernel->n_inputs = request->n_inputs;
  kernel->n_outputs = request->n_outputs;
  kernel->operands = g_new0 (HalfOperand, request->n_inputs + request->n_outputs + 1);
  kernel->graph = sonde_graph_new ("counterpart");
  for (guint k = 0; k < request->n_inputs; k++)
    describe (&kernel->operands[k], request->inputs[k]);
  for (guint k = 0; k < request->n_outputs; k++)
    describe (&kernel->operands[request->n_inputs + k], request->outputs[k]);
  return kernel;
}

SondeKernel *
sonde_cpu_prepare_half (SondeCpuDevice *device, SondePrepareRequest *request)
{
  SondePrepareRequest inner = *request;
  SondeKernel *blocks = sonde_cpu_prepare_half_blocks (device, request);
  HalfKernel *kernel;
  SondeNode *counterpart;

  if (blocks != NULL)
    return blocks;

  if (!has_halves (request) || request->n_inputs + request->n_outputs > MOST_OPERANDS)
    return NULL;

  kernel = half_kernel_new (request);
  counterpart = make_counterpart (request, kernel->graph);
  inner.nodes = &counterpart;
  inner.inputs = (SondeGraphValue *const *) counterpart->inputs->pdata;
  inner.outputs = (SondeGraphValue *const *) counterpart->outputs->pdata;
  inner.derive_inputs = NULL;
  inner.in_place = FALSE;
  inner.workspace_bytes = inner.derived_bytes = 0;
  inner.input_layouts = g_new0 (SondeLayout *, request->n_inputs + 1);
  inner.output_layouts = g_new0 (SondeLayout *, request->n_outputs + 1);
  for (guint k = 0; k < request->n_inputs; k++)
    if (request->inputs[k] != NULL)
      inner.input_layouts[k] = layout_for (kernel->operands[k].type.dtype, request->inputs[k],
                                           request->input_layouts[k]);

  kernel->inner = sonde_cpu_prepare_row (device, &inner);
  if (kernel->inner != NULL && can_agree (kernel, request, &inner))
    {
      agree (device, kernel, request, &inner);
      clear_inner (&inner);
      return &kernel->base;
    }

  clear_inner (&inner);
  free_half (&kernel->base);
  return NULL;
}
