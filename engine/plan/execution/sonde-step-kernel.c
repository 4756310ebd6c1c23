/* SPDX-License-Identifier: Apache-2.0
 * The runners of plain steps: a kernel that was prepared with the plan, a reorder, nothing. */
#include "engine/plan/execution/sonde-execution-storage.h"
#include "engine/plan/execution/sonde-step-meter.h"
#include "engine/plan/execution/sonde-step-runner.h"

#define STACK_POINTERS 64

static SondeTensor *
fetch (const SondeRunArguments *arguments, guint input, GError **error)
{
  SondeExecution *execution = (SondeExecution *) arguments->owner;
  const SondePlanStep *step = arguments->call;
  g_autoptr (SondeValue) value
      = sonde_execution_download (execution, step->derive_slots[input], &execution->storage, error);

  return value != NULL ? sonde_tensor_contiguous (sonde_value_get_tensor (value)) : NULL;
}

static gboolean
run_kernel (SondeExecution *execution, const SondePlanStep *step, void **memory, gboolean beside,
            GError **error)
{
  SondeDevice *device = execution->plan->device;
  guint n = step->n_input_slots + step->n_output_slots;
  void *stack[STACK_POINTERS];
  g_autofree void **heap = n > STACK_POINTERS ? g_new (void *, n) : NULL;
  void **pointers = heap != NULL ? heap : stack;
  SondeRunArguments arguments = {
    .inputs = pointers,
    .outputs = pointers + step->n_input_slots,
    .workspace = (guint8 *) execution->arena + step->workspace_offset,
    .derived = (guint8 *) execution->own + step->derived_offset,
    .fetch = fetch,
    .owner = execution,
    .call = step,
    .seed = execution->run_seed,
    .step = execution->run_counter,
  };

  if (beside)
    {
      if (!sonde_execution_grow_scratch (execution, step->workspace_bytes, error))
        return FALSE;
      arguments.workspace = execution->scratch;
    }

  for (guint i = 0; i < step->n_input_slots; i++)
    pointers[i] = step->input_slots[i] != SONDE_NO_SLOT ? memory[step->input_slots[i]] : NULL;

  for (guint i = 0; i < step->n_output_slots; i++)
    pointers[step->n_input_slots + i]
        = step->output_slots[i] != SONDE_NO_SLOT ? memory[step->output_slots[i]] : NULL;

  return G_LIKELY (execution->root->recorded.log == NULL)
             ? device->klass->run (device, step->kernel, &arguments, error)
             : sonde_execution_run_recorded (execution, step->kernel, step->info.implementation,
                                             &arguments, error);
}

static gboolean
run_reorder (SondeExecution *execution, guint from, guint to, void **memory, GError **error)
{
  SondeDevice *device = execution->plan->device;
  const SondePlanSlot *source = sonde_plan_slot (execution->plan, from);
  const SondePlanSlot *target = sonde_plan_slot (execution->plan, to);

  return device->klass->reorder (device, &source->value->type, source->layout, memory[from],
                                 target->layout, memory[to], error);
}

static SondeRunResult
finish (const SondePlanStep *step, guint index, gboolean good, GError **error)
{
  if (good)
    return SONDE_RUN_DONE;

  sonde_prefix_error (error, "Step %u, “%s” (%s): ", index, step->info.name, step->info.op);
  return SONDE_RUN_FAILED;
}

static SondeRunResult
run_kernel_step (SondeExecution *execution, guint index, const SondeStorage *storage,
                 gboolean beside, GError **error)
{
  const SondePlanStep *step = sonde_plan_step (execution->plan, index);

  return finish (step, index, run_kernel (execution, step, storage->memory, beside, error), error);
}

static SondeRunResult
run_reorder_step (SondeExecution *execution, guint index, const SondeStorage *storage,
                  gboolean beside, GError **error)
{
  const SondePlanStep *step = sonde_plan_step (execution->plan, index);
  gboolean good = step->kernel != NULL
                      ? run_kernel (execution, step, storage->memory, beside, error)
                      : run_reorder (execution, step->input_slots[0], step->output_slots[0],
                                     storage->memory, error);

  return finish (step, index, good, error);
}

static SondeRunResult
run_idle_step (SondeExecution *execution, guint index, const SondeStorage *storage, gboolean beside,
               GError **error)
{
  return SONDE_RUN_DONE;
}

const SondeStepRunner sonde_kernel_runner = { .run = run_kernel_step };
const SondeStepRunner sonde_reorder_runner = { .run = run_reorder_step };
const SondeStepRunner sonde_idle_runner = { .run = run_idle_step };
