/* SPDX-License-Identifier: Apache-2.0
 * A kernel for types that are known only when a step runs: prepared as a plan would, with the
 * reorders that a plan makes steps of. */
#include "engine/plan/deferred/sonde-deferred-kernel.h"

#include "engine/devices/sonde-device-spans.h"
#include "engine/plan/execution/sonde-execution-storage.h"
#include "engine/plan/execution/sonde-step-meter.h"
#include "engine/plan/sonde-run-budget.h"

/* ---- preparing ----------------------------------------------------------- */

void
sonde_deferred_kernel_free (SondeDeferredKernel *kernel, SondeDevice *device)
{
  const SondeDeviceClass *klass = device->klass;

  for (guint i = 0; i < kernel->request.n_inputs; i++)
    {
      if (kernel->request.input_layouts[i] != NULL)
        klass->layout_unref (device, kernel->request.input_layouts[i]);
      if (kernel->constants[i] != NULL)
        klass->release (device, kernel->constants[i]);
    }

  for (guint i = 0; i < kernel->request.n_outputs; i++)
    if (kernel->request.output_layouts[i] != NULL)
      klass->layout_unref (device, kernel->request.output_layouts[i]);

  if (kernel->kernel != NULL)
    klass->kernel_free (device, kernel->kernel);
  g_free (kernel->request.input_layouts);
  g_free (kernel->request.output_layouts);
  g_free (kernel->constant);
  g_free (kernel->free_layout);
  g_free (kernel->constants);
  g_bytes_unref (kernel->key);
  sonde_graph_unref (kernel->graph);
  g_free (kernel);
}

static gboolean
is_empty (const SondeNode *node)
{
  for (guint i = 0; i < node->outputs->len; i++)
    {
      const SondeGraphValue *value = sonde_node_get_output (node, i);
      SondeShape shape;

      if (value != NULL && sonde_type_get_shape (&value->type, &shape)
          && sonde_shape_n_elements (&shape) != 0)
        return FALSE;
    }

  return TRUE;
}

static void
fill_request (SondeDeferredKernel *kernel, const SondePlan *plan)
{
  guint n_inputs = kernel->node->inputs->len, n_outputs = kernel->node->outputs->len;

  kernel->constants = g_new0 (void *, n_inputs + 1);
  kernel->constant = g_new0 (gboolean, n_inputs + 1);
  kernel->free_layout = g_new0 (gboolean, n_inputs + 1);
  for (guint i = 0; i < n_inputs; i++)
    {
      const SondeGraphValue *value = sonde_node_get_input (kernel->node, i);

      kernel->constant[i] = value != NULL && value->role == SONDE_ROLE_CONSTANT;
    }

  kernel->request = (SondePrepareRequest){
    .nodes = &kernel->node,
    .n_nodes = 1,
    .n_inputs = n_inputs,
    .inputs = (SondeGraphValue *const *) kernel->node->inputs->pdata,
    .input_layouts = g_new0 (SondeLayout *, n_inputs + 1),
    .constant_inputs = kernel->constant,
    .free_inputs = kernel->free_layout,
    .plain_layouts = plan->plain_layouts,
    .n_outputs = n_outputs,
    .outputs = (SondeGraphValue *const *) kernel->node->outputs->pdata,
    .output_layouts = g_new0 (SondeLayout *, n_outputs + 1),
  };
}

/* Types of values of @to from those of the same values of @from. */
static void
copy_types (SondeGraph *to, const SondeGraph *from)
{
  for (guint i = 0; i < from->values->len; i++)
    {
      const SondeGraphValue *value = g_ptr_array_index (from->values, i);

      ((SondeGraphValue *) g_ptr_array_index (to->values, i))->type = value->type;
    }
}

SondeDeferredKernel *
sonde_deferred_kernel_new (const SondeGraph *graph, const SondeNode *node, const SondePlan *plan,
                           GBytes *key, GError **error)
{
  SondeDeferredKernel *kernel = g_new0 (SondeDeferredKernel, 1);

  kernel->key = g_bytes_ref (key);
  kernel->graph = sonde_deferred_graph_new (graph, node, &kernel->node);
  copy_types (kernel->graph, graph);
  fill_request (kernel, plan);
  if (is_empty (kernel->node))
    return kernel;

  kernel->kernel = plan->device->klass->prepare (plan->device, &kernel->request, error);
  if (kernel->kernel != NULL)
    return kernel;

  sonde_deferred_kernel_free (kernel, plan->device);
  return NULL;
}

/* ---- running one --------------------------------------------------------- */

/* Memory of one run. */
typedef struct
{
  SondeDevice *device;
  GPtrArray *blocks; /* of the device, freed after the run */
  guint64 bytes;     /* of all that was taken */
  void **inputs;
  void **outputs;
} Memory;

static void
memory_clear (Memory *memory)
{
  for (guint i = 0; i < memory->blocks->len; i++)
    sonde_device_release (memory->device, "operand", g_ptr_array_index (memory->blocks, i));
  g_ptr_array_unref (memory->blocks);
  g_free (memory->inputs);
  g_free (memory->outputs);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Memory, memory_clear)

static void *
add_block (Memory *memory, const SondeType *type, const SondeLayout *layout, GError **error)
{
  SondeDevice *device = memory->device;
  const gsize bytes = device->klass->layout_bytes (device, type, layout);
  void *block = sonde_device_allocate (device, "operand", bytes, error);

  if (block == NULL)
    return NULL;
  g_ptr_array_add (memory->blocks, block);
  memory->bytes += bytes;
  return block;
}

/* The newest block, which holds constant @i, stays with @kernel. */
static void
keep_constant (Memory *memory, SondeDeferredKernel *kernel, guint i)
{
  SondeDevice *device = memory->device;
  const gsize bytes = device->klass->layout_bytes (device, &kernel->request.inputs[i]->type,
                                                   kernel->request.input_layouts[i]);

  kernel->constants[i] = g_ptr_array_steal_index (memory->blocks, memory->blocks->len - 1);
  kernel->constant_bytes += bytes;
  memory->bytes -= bytes;
}

/* The tensor of input @i where and how the kernel wants it. */
static gboolean
place_input (Memory *memory, SondeDeferredKernel *kernel, guint i, SondeTensor *tensor,
             GError **error)
{
  const SondeLayout *layout = kernel->request.input_layouts[i];
  const SondeType *type = &kernel->request.inputs[i]->type;
  SondeDevice *device = memory->device;

  if (layout == NULL && device->klass->host_memory)
    {
      memory->inputs[i] = tensor->data;
      return TRUE;
    }

  memory->inputs[i] = kernel->constants[i];
  if (memory->inputs[i] != NULL)
    return TRUE;

  memory->inputs[i] = add_block (memory, type, layout, error);
  if (memory->inputs[i] == NULL
      || !device->klass->write_plain (device, type, layout, tensor->data, memory->inputs[i], error))
    return FALSE;

  if (kernel->constant[i])
    keep_constant (memory, kernel, i);
  return TRUE;
}

/**
 * Target: where output goes, row-major
 * @tensor: a new tensor on the host, or NULL when @memory is that of a slot
 */
typedef struct
{
  SondeTensor *tensor;
  void *memory;
} Target;

static gboolean
find_target (SondeDeferredRun *run, const SondeDeferredKernel *kernel, guint k, Target *target,
             GError **error)
{
  guint slot = run->step->output_slots[k];
  const SondeType *type = &sonde_node_get_output (kernel->node, k)->type;
  SondeDevice *device = run->execution->plan->device;
  SondeShape shape;
  guint64 start;

  if (!sonde_deferred_check_output (run, k, type, error))
    return FALSE;

  if (sonde_plan_slot (run->execution->plan, slot)->storage != SONDE_STORAGE_BOX)
    {
      target->memory = run->storage->memory[slot];
      return TRUE;
    }

  sonde_type_get_shape (type, &shape);
  start = sonde_device_spans_begin (device);
  target->tensor = sonde_run_budget_allocate (run->execution->budget, type->dtype, &shape, error);
  if (target->tensor == NULL)
    {
      sonde_prefix_error (error, "node “%s” (%s): ", run->node->name, run->node->op);
      return FALSE;
    }

  sonde_device_spans_end (device, "allocate a result", start,
                          (gint64) sonde_tensor_n_bytes (target->tensor));
  target->memory = target->tensor->data;
  return TRUE;
}

static gboolean
is_direct (const Memory *memory, const SondeDeferredKernel *kernel, const Target *target, guint k)
{
  return kernel->request.output_layouts[k] == NULL
         && (memory->device->klass->host_memory || target->tensor == NULL);
}

static gboolean
place_output (Memory *memory, const SondeDeferredKernel *kernel, const Target *target, guint k,
              GError **error)
{
  if (is_direct (memory, kernel, target, k))
    memory->outputs[k] = target->memory;
  else
    memory->outputs[k] = add_block (memory, &kernel->request.outputs[k]->type,
                                    kernel->request.output_layouts[k], error);

  return memory->outputs[k] != NULL;
}

static gboolean
fetch_output (const Memory *memory, const SondeDeferredKernel *kernel, const Target *target,
              guint k, GError **error)
{
  SondeDevice *device = memory->device;
  const SondeType *type = &kernel->request.outputs[k]->type;
  const SondeLayout *layout = kernel->request.output_layouts[k];

  if (is_direct (memory, kernel, target, k))
    return TRUE;

  return target->tensor != NULL ? device->klass->read_plain (
             device, type, layout, memory->outputs[k], target->memory, error)
                                : device->klass->reorder (device, type, layout, memory->outputs[k],
                                                          NULL, target->memory, error);
}

/* Bytes of results that are not in their boxes yet. */
static guint64
count_results (const SondeDeferredKernel *kernel, const Target *targets)
{
  guint64 bytes = 0;

  for (guint k = 0; k < kernel->request.n_outputs; k++)
    bytes += targets[k].tensor != NULL ? sonde_tensor_n_bytes (targets[k].tensor) : 0;
  return bytes;
}

static gboolean
run_kernel (SondeDeferredRun *run, SondeDeferredKernel *kernel, Target *targets, GError **error)
{
  SondeExecution *execution = run->execution;
  SondeDevice *device = execution->plan->device;
  g_auto (Memory) memory = {
    .device = device,
    .blocks = g_ptr_array_new (),
    .inputs = g_new0 (void *, kernel->request.n_inputs + 1),
    .outputs = g_new0 (void *, kernel->request.n_outputs + 1),
  };
  SondeRunArguments arguments = {
    .inputs = memory.inputs,
    .outputs = memory.outputs,
    .seed = execution->run_seed,
    .step = execution->run_counter,
  };

  for (guint i = 0; i < kernel->request.n_inputs; i++)
    if (run->values[i] != NULL
        && !place_input (&memory, kernel, i, sonde_value_get_tensor (run->values[i]), error))
      return FALSE;

  for (guint k = 0; k < kernel->request.n_outputs; k++)
    if (kernel->request.outputs[k] != NULL
        && !place_output (&memory, kernel, &targets[k], k, error))
      return FALSE;

  if (!sonde_execution_grow_scratch (execution, kernel->request.workspace_bytes, error))
    return FALSE;
  sonde_run_memory_touch (run->memory, memory.bytes + count_results (kernel, targets));

  arguments.workspace = kernel->request.workspace_bytes > 0 ? execution->scratch : NULL;
  if (!sonde_execution_run_recorded (execution, kernel->kernel, kernel->request.implementation,
                                     &arguments, error)
      || !device->klass->synchronise (device, error))
    return FALSE;

  for (guint k = 0; k < kernel->request.n_outputs; k++)
    if (kernel->request.outputs[k] != NULL
        && !fetch_output (&memory, kernel, &targets[k], k, error))
      return FALSE;

  return TRUE;
}

static gboolean
compute (SondeDeferredRun *run, SondeDeferredKernel *kernel, Target *targets, GError **error)
{
  for (guint k = 0; k < kernel->node->outputs->len; k++)
    if (sonde_node_get_output (kernel->node, k) != NULL
        && !find_target (run, kernel, k, &targets[k], error))
      return FALSE;

  if (kernel->kernel != NULL && !run_kernel (run, kernel, targets, error))
    return FALSE;

  for (guint k = 0; k < kernel->node->outputs->len; k++)
    if (targets[k].tensor != NULL)
      {
        guint slot = run->step->output_slots[k];

        sonde_value_unref (run->storage->boxes[slot]);
        run->storage->boxes[slot] = sonde_value_new_tensor (targets[k].tensor);
      }

  return TRUE;
}

gboolean
sonde_deferred_kernel_run (SondeDeferredKernel *kernel, SondeDeferredRun *run, GError **error)
{
  guint n_outputs = kernel->node->outputs->len;
  g_autofree Target *targets = g_new0 (Target, n_outputs + 1);
  gboolean good = compute (run, kernel, targets, error);

  for (guint k = 0; k < n_outputs; k++)
    sonde_tensor_unref (targets[k].tensor);
  return good;
}
