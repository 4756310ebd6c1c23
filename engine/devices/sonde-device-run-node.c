/* SPDX-License-Identifier: Apache-2.0
 * One node alone: plain tensors in, plain tensors out, whatever layouts its kernel wants. */
#include "engine/devices/sonde-device.h"

/* Everything one call holds on the device; freed as a whole. */
typedef struct
{
  SondeDevice *device;
  SondePrepareRequest request;
  SondeKernel *kernel;
  void **inputs;
  void **outputs;
  void *workspace;
  void *derived;
  SondeTensor *const *tensors;
  gboolean *constant, *free_layout, *derive;
} NodeRun;

static void
node_run_clear (NodeRun *run)
{
  const SondeDeviceClass *klass = run->device->klass;

  for (guint i = 0; i < run->request.n_inputs; i++)
    {
      if (run->request.input_layouts[i] != NULL)
        klass->layout_unref (run->device, run->request.input_layouts[i]);
      if (run->inputs[i] != NULL)
        klass->release (run->device, run->inputs[i]);
    }

  for (guint i = 0; i < run->request.n_outputs; i++)
    {
      if (run->request.output_layouts[i] != NULL)
        klass->layout_unref (run->device, run->request.output_layouts[i]);
      if (run->outputs[i] != NULL)
        klass->release (run->device, run->outputs[i]);
    }

  if (run->workspace != NULL)
    klass->release (run->device, run->workspace);
  if (run->derived != NULL)
    klass->release (run->device, run->derived);
  if (run->kernel != NULL)
    klass->kernel_free (run->device, run->kernel);
  g_free (run->request.input_layouts);
  g_free (run->request.output_layouts);
  g_free (run->inputs);
  g_free (run->outputs);
  g_free (run->constant);
  g_free (run->free_layout);
  g_free (run->derive);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (NodeRun, node_run_clear)

static void *
allocate_for (SondeDevice *device, const SondeGraphValue *value, const SondeLayout *layout,
              GError **error)
{
  gsize bytes = device->klass->layout_bytes (device, &value->type, layout);

  return device->klass->allocate (device, bytes, error);
}

static gboolean
fill_inputs (NodeRun *run, SondeTensor *const *inputs, GError **error)
{
  for (guint i = 0; i < run->request.n_inputs; i++)
    {
      const SondeGraphValue *value = run->request.inputs[i];
      const SondeLayout *layout = run->request.input_layouts[i];
      g_autoptr (SondeTensor) plain = NULL;

      if (value == NULL || run->derive[i])
        continue;

      g_return_val_if_fail (inputs[i] != NULL, FALSE);

      plain = sonde_tensor_contiguous (inputs[i]);
      run->inputs[i] = allocate_for (run->device, value, layout, error);
      if (run->inputs[i] == NULL
          || !run->device->klass->write_plain (run->device, &value->type, layout, plain->data,
                                               run->inputs[i], error))
        return FALSE;
    }

  return TRUE;
}

static SondeTensor *
fetch (const SondeRunArguments *arguments, guint input, GError **error)
{
  const NodeRun *run = arguments->owner;

  return sonde_tensor_contiguous (run->tensors[input]);
}

static gboolean
derive (NodeRun *run, GError **error)
{
  g_autoptr (GPtrArray) plain
      = g_ptr_array_new_with_free_func ((GDestroyNotify) sonde_tensor_unref);
  g_autofree const void **inputs = g_new0 (const void *, run->request.n_inputs + 1);

  if (run->request.derived_bytes == 0)
    return TRUE;

  for (guint i = 0; i < run->request.n_inputs; i++)
    if (run->derive[i])
      {
        SondeTensor *tensor = sonde_tensor_contiguous (run->tensors[i]);

        g_ptr_array_add (plain, tensor);
        inputs[i] = tensor->data;
      }

  run->derived = run->device->klass->allocate (run->device, run->request.derived_bytes, error);
  return run->derived != NULL
         && run->device->klass->derive (run->device, run->kernel, inputs, run->derived, error);
}

static gboolean
allocate_outputs (NodeRun *run, GError **error)
{
  for (guint i = 0; i < run->request.n_outputs; i++)
    if (run->request.outputs[i] != NULL)
      {
        run->outputs[i] = allocate_for (run->device, run->request.outputs[i],
                                        run->request.output_layouts[i], error);
        if (run->outputs[i] == NULL)
          return FALSE;
      }

  if (run->request.workspace_bytes > 0)
    run->workspace
        = run->device->klass->allocate (run->device, run->request.workspace_bytes, error);

  return run->request.workspace_bytes == 0 || run->workspace != NULL;
}

static gboolean
read_outputs (NodeRun *run, SondeTensor **outputs, GError **error)
{
  for (guint i = 0; i < run->request.n_outputs; i++)
    {
      const SondeGraphValue *value = run->request.outputs[i];
      SondeShape shape;

      outputs[i] = NULL;
      if (value == NULL)
        continue;

      sonde_type_get_shape (&value->type, &shape);
      outputs[i] = sonde_tensor_new (value->type.dtype, &shape);
      if (!run->device->klass->read_plain (run->device, &value->type,
                                           run->request.output_layouts[i], run->outputs[i],
                                           outputs[i]->data, error))
        {
          for (guint k = 0; k <= i; k++)
            g_clear_pointer (&outputs[k], sonde_tensor_unref);
          return FALSE;
        }
    }

  return TRUE;
}

gboolean
sonde_device_run_node (SondeDevice *device, SondeNode *node, SondeTensor *const *inputs,
                       guint64 seed, guint64 step, SondeTensor **outputs, GError **error)
{
  g_auto (NodeRun) run = { .device = device };
  SondeRunArguments arguments = { .seed = seed, .step = step };
  guint n_inputs = node->inputs->len, n_outputs = node->outputs->len;

  run.inputs = g_new0 (void *, n_inputs + 1);
  run.outputs = g_new0 (void *, n_outputs + 1);
  run.constant = g_new0 (gboolean, n_inputs + 1);
  run.free_layout = g_new0 (gboolean, n_inputs + 1);
  run.derive = g_new0 (gboolean, n_inputs + 1);
  run.tensors = inputs;
  for (guint i = 0; i < n_inputs; i++)
    {
      const SondeGraphValue *value = g_ptr_array_index (node->inputs, i);

      run.constant[i]
          = value != NULL && value->producer == NULL && value->constant != NULL
            && (value->role == SONDE_ROLE_PARAMETER || value->role == SONDE_ROLE_CONSTANT);
    }

  run.request = (SondePrepareRequest){
    .nodes = &node,
    .n_nodes = 1,
    .n_inputs = n_inputs,
    .inputs = (SondeGraphValue *const *) node->inputs->pdata,
    .input_layouts = g_new0 (SondeLayout *, n_inputs + 1),
    .constant_inputs = run.constant,
    .free_inputs = run.free_layout,
    .derive_inputs = device->klass->derive != NULL ? run.derive : NULL,
    .n_outputs = n_outputs,
    .outputs = (SondeGraphValue *const *) node->outputs->pdata,
    .output_layouts = g_new0 (SondeLayout *, n_outputs + 1),
  };

  run.kernel = device->klass->prepare (device, &run.request, error);
  if (run.kernel == NULL || !fill_inputs (&run, inputs, error) || !derive (&run, error)
      || !allocate_outputs (&run, error))
    return FALSE;

  arguments.inputs = run.inputs;
  arguments.outputs = run.outputs;
  arguments.workspace = run.workspace;
  arguments.derived = run.derived;
  arguments.fetch = fetch;
  arguments.owner = &run;
  if (!device->klass->run (device, run.kernel, &arguments, error)
      || !device->klass->synchronise (device, error))
    return FALSE;

  return read_outputs (&run, outputs, error);
}
