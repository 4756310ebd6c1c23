/* SPDX-License-Identifier: Apache-2.0
 * Helpers of the fast kernels: looking at a request, answering it, kernels of one primitive. */
#include "engine/devices/cpu/sonde-cpu-kernel.h"

static gboolean
is_f32 (const SondeGraphValue *value, SondeShape *shape)
{
  return value != NULL && value->type.dtype == SONDE_DTYPE_F32
         && sonde_type_get_shape (&value->type, shape) && sonde_shape_n_elements (shape) > 0;
}

gboolean
sonde_cpu_has_input (const SondePrepareRequest *request, guint k)
{
  return k < request->n_inputs && request->inputs[k] != NULL;
}

gboolean
sonde_cpu_has_output (const SondePrepareRequest *request, guint k)
{
  return k < request->n_outputs && request->outputs[k] != NULL;
}

gboolean
sonde_cpu_input_f32 (const SondePrepareRequest *request, guint k, SondeShape *shape)
{
  return k < request->n_inputs && is_f32 (request->inputs[k], shape);
}

gboolean
sonde_cpu_output_f32 (const SondePrepareRequest *request, guint k, SondeShape *shape)
{
  return k < request->n_outputs && is_f32 (request->outputs[k], shape);
}

int
sonde_cpu_find_input (const SondePrepareRequest *request, guint node, guint k)
{
  const SondeGraphValue *value = sonde_node_get_input (request->nodes[node], k);

  if (value == NULL)
    return -1;

  for (guint i = 0; i < request->n_inputs; i++)
    if (request->inputs[i] == value)
      return (int) i;

  return -1;
}

gboolean
sonde_cpu_find_convolution (const SondePrepareRequest *request, int inputs[3])
{
  SondeShape shape;

  for (guint i = 0; i < 3; i++)
    {
      inputs[i] = sonde_cpu_find_input (request, 0, i);
      if (inputs[i] >= 0 && !sonde_cpu_input_f32 (request, (guint) inputs[i], &shape))
        return FALSE;
    }

  return inputs[0] >= 0 && inputs[1] >= 0 && inputs[0] != inputs[1] && inputs[0] != inputs[2]
         && inputs[1] != inputs[2] && sonde_cpu_output_f32 (request, 0, &shape);
}

gboolean
sonde_cpu_lies_channels_last (const SondePrepareRequest *request, guint k)
{
  const SondeLayout *layout = request->input_layouts[k];
  SondeLayout *channels_last;
  SondeShape shape;

  if (layout != NULL || !sonde_type_get_shape (&request->inputs[k]->type, &shape))
    return layout != NULL && layout->channels_last;

  channels_last = shape.rank >= 3 && shape.rank <= 5
                      ? sonde_dnnl_channels_last (request->inputs[k]->type.dtype, &shape)
                      : NULL;
  if (channels_last == NULL)
    return shape.rank >= 3 && shape.rank <= 5;

  sonde_layout_unref (channels_last);
  return FALSE;
}

void
sonde_cpu_want_plain (SondeCpuDevice *device, SondePrepareRequest *request, guint k)
{
  sonde_prepare_request_set_layout (&device->base, request, k, NULL);
}

gboolean
sonde_cpu_want_channels_last (SondeCpuDevice *device, SondePrepareRequest *request, guint k)
{
  SondeShape shape;
  SondeLayout *layout;

  if (request->plain_layouts || !sonde_type_get_shape (&request->inputs[k]->type, &shape))
    {
      sonde_cpu_want_plain (device, request, k);
      return FALSE;
    }

  layout = sonde_dnnl_channels_last (request->inputs[k]->type.dtype, &shape);
  sonde_prepare_request_set_layout (&device->base, request, k, layout);
  sonde_layout_unref (layout);
  return TRUE;
}

void
sonde_cpu_give_channels_last (SondePrepareRequest *request, guint k)
{
  SondeShape shape;

  if (!request->plain_layouts && sonde_type_get_shape (&request->outputs[k]->type, &shape))
    request->output_layouts[k] = sonde_dnnl_channels_last (request->outputs[k]->type.dtype, &shape);
}

SondeLayout *
sonde_cpu_keep_layout (SondeCpuDevice *device, SondePrepareRequest *request, guint input,
                       guint output)
{
  SondeLayout *layout = request->input_layouts[input];

  if (layout != NULL && !layout->channels_last)
    {
      sonde_cpu_want_plain (device, request, input);
      layout = NULL;
    }

  request->output_layouts[output] = layout != NULL ? sonde_layout_ref (layout) : NULL;
  return layout;
}

gboolean
sonde_cpu_is_one (const SondeShape *shape, const SondeShape *result)
{
  return sonde_shape_n_elements (shape) == 1 && shape->rank <= result->rank;
}

void
sonde_cpu_want_same (SondeCpuDevice *device, SondePrepareRequest *request, guint k,
                     SondeLayout *layout)
{
  sonde_prepare_request_set_layout (&device->base, request, k, layout);
}

static gboolean
run_primitive (SondeCpuDevice *device, SondeKernel *base, const SondeRunArguments *arguments,
               GError **error)
{
  SondeCpuPrimitiveKernel *kernel = (SondeCpuPrimitiveKernel *) base;
  void *memory[SONDE_DNNL_N_ARGUMENTS] = { 0 };

  for (int i = 0; i < SONDE_DNNL_N_ARGUMENTS; i++)
    {
      int operand = kernel->operand[i];

      if (operand != G_MAXINT)
        memory[i] = operand >= 0 ? arguments->inputs[operand] : arguments->outputs[-1 - operand];
    }

  return sonde_dnnl_primitive_run (device->dnnl, kernel->primitive, memory, arguments->workspace,
                                   error);
}

static void
free_primitive (SondeKernel *base)
{
  sonde_dnnl_primitive_free (((SondeCpuPrimitiveKernel *) base)->primitive);
  g_free (base);
}

SondeCpuPrimitiveKernel *
sonde_cpu_primitive_kernel_new (SondePrepareRequest *request, SondeDnnlPrimitive *primitive)
{
  SondeCpuPrimitiveKernel *kernel = g_new0 (SondeCpuPrimitiveKernel, 1);

  kernel->base.run = run_primitive;
  kernel->base.free = free_primitive;
  kernel->primitive = primitive;
  for (int i = 0; i < SONDE_DNNL_N_ARGUMENTS; i++)
    kernel->operand[i] = G_MAXINT;
  kernel->operand[SONDE_DNNL_SRC] = 0;
  kernel->operand[SONDE_DNNL_DST] = -1;
  request->workspace_bytes = sonde_dnnl_primitive_get_workspace (primitive);
  request->implementation = sonde_dnnl_primitive_get_implementation (primitive);
  return kernel;
}
