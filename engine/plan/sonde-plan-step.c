/* SPDX-License-Identifier: Apache-2.0
 * Steps as such: making one, what the outside sees of it, letting it go. */
#include "engine/plan/sonde-plan-build.h"

SondePlanStep *
sonde_plan_append_step (SondePlan *plan, SondeStepKind kind, guint n_inputs, guint n_outputs)
{
  SondePlanStep *step = g_new0 (SondePlanStep, 1);

  step->kind = kind;
  step->runner = sonde_step_runners[kind];
  step->n_input_slots = n_inputs;
  step->n_output_slots = n_outputs;
  step->input_slots = g_new (guint, n_inputs + 1);
  step->output_slots = g_new (guint, n_outputs + 1);
  g_ptr_array_add (plan->steps, step);
  return step;
}

static void
count_cost (SondeNode *const *nodes, guint n_nodes, SondeCost *total)
{
  for (guint i = 0; i < n_nodes; i++)
    {
      SondeCost cost = { 0 };

      sonde_plan_node_cost (nodes[i], &cost);
      total->flops += cost.flops;
      total->bytes_read += cost.bytes_read;
      total->bytes_written += cost.bytes_written;
    }
}

void
sonde_plan_describe_step (SondePlan *plan, SondePlanStep *step, SondeNode *const *nodes,
                          guint n_nodes, const GPtrArray *inputs, const GPtrArray *outputs,
                          const char *implementation)
{
  SondeGraphValue **values = g_new0 (SondeGraphValue *, inputs->len + outputs->len + 1);
  SondeStep *info = &step->info;
  guint n = 0;

  for (guint i = 0; i < inputs->len; i++)
    if (g_ptr_array_index (inputs, i) != NULL)
      values[n++] = g_ptr_array_index (inputs, i);
  info->inputs = values;
  info->n_inputs = n;

  for (guint i = 0; i < outputs->len; i++)
    if (g_ptr_array_index (outputs, i) != NULL)
      values[n++] = g_ptr_array_index (outputs, i);
  info->outputs = values + info->n_inputs;
  info->n_outputs = n - info->n_inputs;

  info->nodes = g_memdup2 (nodes, n_nodes * sizeof (SondeNode *));
  info->n_nodes = n_nodes;
  info->name = nodes[n_nodes - 1]->name;
  info->op = nodes[0]->op;
  info->phase = nodes[0]->phase;
  info->implementation = implementation;
  if (step->kind == SONDE_STEP_KERNEL || step->kind == SONDE_STEP_DEFERRED
      || step->kind == SONDE_STEP_CONTROL)
    count_cost (nodes, n_nodes, &info->cost);

  for (guint i = 0; i < n_nodes; i++)
    plan->step_of_node[nodes[i]->id] = plan->steps->len - 1;
}

void
sonde_plan_step_free (SondePlan *plan, SondePlanStep *step)
{
  if (step->kernel != NULL)
    plan->device->klass->kernel_free (plan->device, step->kernel);
  if (step->kind != SONDE_STEP_REORDER)
    {
      g_free ((gpointer) step->info.nodes);
      g_free ((gpointer) step->info.inputs);
    }
  g_free (step->operands);
  g_free (step->dying);
  g_free (step->stores);
  g_free (step->derive_slots);
  g_free (step->input_slots);
  g_free (step->output_slots);
  g_free (step);
}
