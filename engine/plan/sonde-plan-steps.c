/* SPDX-License-Identifier: Apache-2.0
 * Groups of nodes -> prepared steps: asks the device for a kernel, inserts the reorders it wants,
 * gives the results their slots. */
#include "engine/plan/sonde-plan-build.h"

/* The outer values of a group while its kernel is prepared. */
typedef struct
{
  SondePlan *plan;
  SondePrepareRequest request;
  GPtrArray *inputs, *outputs; /* (element-type SondeGraphValue) */
  gboolean *constant, *free_layout, *unread, *derive;
  SondeKernel *kernel;
} Group;

static void
unref_layouts (SondePlan *plan, SondeLayout **layouts, guint n)
{
  for (guint i = 0; i < n && layouts != NULL; i++)
    if (layouts[i] != NULL)
      plan->device->klass->layout_unref (plan->device, layouts[i]);

  g_free (layouts);
}

static void
group_clear (Group *group)
{
  unref_layouts (group->plan, group->request.input_layouts, group->inputs->len);
  unref_layouts (group->plan, group->request.output_layouts, group->outputs->len);
  if (group->kernel != NULL)
    group->plan->device->klass->kernel_free (group->plan->device, group->kernel);
  g_ptr_array_unref (group->inputs);
  g_ptr_array_unref (group->outputs);
  g_free (group->constant);
  g_free (group->free_layout);
  g_free (group->unread);
  g_free (group->derive);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Group, group_clear)

static gboolean
made_inside (SondeNode *const *nodes, guint n_nodes, const SondeGraphValue *value)
{
  for (guint i = 0; i < n_nodes; i++)
    if (value->producer == nodes[i])
      return TRUE;

  return FALSE;
}

/* Whether anything outside the group reads @value. */
static gboolean
read_outside (const SondePlan *plan, SondeNode *const *nodes, guint n_nodes,
              const SondeGraphValue *value)
{
  for (guint i = 0; i < value->users->len; i++)
    {
      gboolean inside = FALSE;

      for (guint k = 0; k < n_nodes; k++)
        inside = inside || g_ptr_array_index (value->users, i) == nodes[k];
      if (!inside)
        return TRUE;
    }

  return plan->stays[value->id] || value->update_of != NULL;
}

static void
collect_values (Group *group, SondeNode *const *nodes, guint n_nodes)
{
  for (guint i = 0; i < n_nodes; i++)
    {
      for (guint k = 0; k < nodes[i]->inputs->len; k++)
        {
          SondeGraphValue *value = g_ptr_array_index (nodes[i]->inputs, k);
          gboolean take = n_nodes == 1
                          || (value != NULL && !made_inside (nodes, n_nodes, value)
                              && !g_ptr_array_find (group->inputs, value, NULL));

          if (take)
            g_ptr_array_add (group->inputs, value);
        }

      for (guint k = 0; k < nodes[i]->outputs->len; k++)
        {
          SondeGraphValue *value = g_ptr_array_index (nodes[i]->outputs, k);

          if (n_nodes == 1
              || (value != NULL
                  && (i == n_nodes - 1 || read_outside (group->plan, nodes, n_nodes, value))))
            g_ptr_array_add (group->outputs, value);
        }
    }
}

static void
describe_inputs (Group *group, const SondeOpClass *klass)
{
  SondePlan *plan = group->plan;

  for (guint i = 0; i < group->inputs->len; i++)
    {
      SondeGraphValue *value = g_ptr_array_index (group->inputs, i);
      SondePlanSlot *slot;

      group->unread[i] = value == NULL
                         || (group->request.n_nodes == 1 && klass != NULL && i < 32
                             && (klass->shape_only & (1u << i)) != 0);
      if (value == NULL)
        continue;

      slot = sonde_plan_slot (plan, plan->slot_of_value[value->id]);
      group->constant[i] = sonde_plan_is_static (plan, value);
      group->free_layout[i] = !slot->layout_fixed;
      if (slot->layout != NULL)
        group->request.input_layouts[i]
            = plan->device->klass->layout_ref (plan->device, slot->layout);
    }
}

static gboolean
is_view (Group *group, const SondeOpClass *klass)
{
  SondePlan *plan = group->plan;
  SondeGraphValue *input, *output;
  const SondePlanSlot *slot;

  /* KEEP gives every value its own memory, so that each can be written without touching another. */
  if (plan->memory == SONDE_MEMORY_KEEP || group->request.n_nodes != 1
      || (klass->flags & SONDE_OP_VIEW) == 0 || group->inputs->len == 0)
    return FALSE;

  input = g_ptr_array_index (group->inputs, 0);
  output = group->outputs->len > 0 ? g_ptr_array_index (group->outputs, 0) : NULL;
  if (input == NULL || output == NULL || output->update_of != NULL || group->outputs->len > 1
      || input->type.dtype != output->type.dtype)
    return FALSE;

  /* A parameter that is updated changes places at the end of the run and would take its views
   * along. */
  slot = sonde_plan_slot (plan, plan->slot_of_value[input->id]);
  if (slot->layout != NULL && sonde_plan_slot (plan, slot->source) != slot)
    return FALSE; /* a view in a layout of the device, which knows what to do with it */
  return !(slot->storage == SONDE_STORAGE_WEIGHT && !sonde_plan_is_static (plan, input))
         && input->update_of == NULL;
}

/* The result of one node lies in the memory of its input, in a layout that the device knows. */
static gboolean
is_device_view (Group *group)
{
  SondePlan *plan = group->plan;
  const SondeDeviceClass *klass = plan->device->klass;
  const SondeGraphValue *input
      = group->inputs->len > 0 ? g_ptr_array_index (group->inputs, 0) : NULL;
  const SondePlanSlot *slot;

  if (klass->find_view == NULL || plan->memory == SONDE_MEMORY_KEEP || plan->plain_layouts
      || plan->no_fusion || group->request.n_nodes != 1 || input == NULL
      || group->outputs->len != 1)
    return FALSE;

  slot = sonde_plan_slot (plan, plan->slot_of_value[input->id]);
  if (slot->storage != SONDE_STORAGE_ARENA || slot->layout == NULL)
    return FALSE;

  group->request.output_layouts[0]
      = klass->find_view (plan->device, group->request.nodes[0], slot->layout);
  return group->request.output_layouts[0] != NULL;
}

/* @layout: (nullable): of the input, which the result shows */
static void
add_view (Group *group, SondeNode *const *nodes, SondeLayout *layout)
{
  SondePlan *plan = group->plan;
  SondeGraphValue *input = g_ptr_array_index (group->inputs, 0);
  guint from = sonde_plan_require_layout (plan, input, layout, nodes[0]->phase), to;
  SondePlanStep *step = sonde_plan_append_step (plan, SONDE_STEP_VIEW, 1, 1);

  step->input_slots[0] = from;
  sonde_plan_describe_step (plan, step, nodes, 1, group->inputs, group->outputs, "view");
  sonde_plan_add_results (plan, step, plan->steps->len - 1,
                          (SondeGraphValue *const *) group->outputs->pdata,
                          group->request.output_layouts);
  to = step->output_slots[0];
  sonde_plan_slot (plan, to)->root = sonde_plan_slot (plan, from)->root;
  sonde_plan_slot (plan, to)->source = sonde_plan_slot (plan, from)->source;
}

/* The weights that the step's kernel only reads to derive something from them. */
static void
note_derived (const Group *group, SondePlanStep *step)
{
  step->derived_bytes = group->request.derived_bytes;
  step->derive_slots = g_new (guint, group->inputs->len + 1);
  for (guint i = 0; i < group->inputs->len; i++)
    {
      const SondeGraphValue *value = g_ptr_array_index (group->inputs, i);

      step->derive_slots[i]
          = group->derive[i] ? group->plan->slot_of_value[value->id] : SONDE_NO_SLOT;
    }
}

static void
add_kernel (Group *group, SondeNode *const *nodes, guint n_nodes)
{
  SondePlan *plan = group->plan;
  guint n_inputs = group->inputs->len;
  g_autofree guint *slots = g_new (guint, n_inputs + 1);
  SondePlanStep *step;

  for (guint i = 0; i < n_inputs; i++)
    slots[i] = group->unread[i] || group->derive[i]
                   ? SONDE_NO_SLOT
                   : sonde_plan_require_layout (plan, g_ptr_array_index (group->inputs, i),
                                                group->request.input_layouts[i], nodes[0]->phase);

  step = sonde_plan_append_step (plan, SONDE_STEP_KERNEL, n_inputs, group->outputs->len);
  for (guint i = 0; i < n_inputs; i++)
    step->input_slots[i] = slots[i];

  step->kernel = g_steal_pointer (&group->kernel);
  step->in_place = group->request.in_place ? group->request.in_place_inputs : 0;
  step->in_place_output = group->request.in_place_output;
  if (group->request.derived_bytes > 0)
    note_derived (group, step);
  step->workspace_bytes = group->request.workspace_bytes;
  sonde_plan_describe_step (plan, step, nodes, n_nodes, group->inputs, group->outputs,
                            group->request.implementation);
  sonde_plan_add_results (plan, step, plan->steps->len - 1,
                          (SondeGraphValue *const *) group->outputs->pdata,
                          group->request.output_layouts);
}

/* Nothing has to be computed: every result has a size of zero. */
static gboolean
is_empty (const Group *group)
{
  for (guint i = 0; i < group->outputs->len; i++)
    {
      const SondeGraphValue *value = g_ptr_array_index (group->outputs, i);
      SondeShape shape;

      if (value != NULL
          && (!sonde_type_get_shape (&value->type, &shape) || sonde_shape_n_elements (&shape) != 0))
        return FALSE;
    }

  return TRUE;
}

static void
add_empty (Group *group, SondeNode *const *nodes, guint n_nodes)
{
  SondePlan *plan = group->plan;
  SondePlanStep *step = sonde_plan_append_step (plan, SONDE_STEP_EMPTY, 0, group->outputs->len);

  sonde_plan_describe_step (plan, step, nodes, n_nodes, group->inputs, group->outputs, "empty");
  sonde_plan_add_results (plan, step, plan->steps->len - 1,
                          (SondeGraphValue *const *) group->outputs->pdata,
                          group->request.output_layouts);
}

gboolean
sonde_plan_add_group (SondePlan *plan, SondeNode *const *nodes, guint n_nodes, GError **error)
{
  const SondeOpClass *klass = sonde_op_of_node (nodes[0]);
  g_auto (Group) group = {
    .plan = plan,
    .inputs = g_ptr_array_new (),
    .outputs = g_ptr_array_new (),
  };

  collect_values (&group, nodes, n_nodes);
  group.constant = g_new0 (gboolean, group.inputs->len + 1);
  group.free_layout = g_new0 (gboolean, group.inputs->len + 1);
  group.unread = g_new0 (gboolean, group.inputs->len + 1);
  group.derive = g_new0 (gboolean, group.inputs->len + 1);
  group.request = (SondePrepareRequest){
    .nodes = nodes,
    .n_nodes = n_nodes,
    .n_inputs = group.inputs->len,
    .inputs = (SondeGraphValue *const *) group.inputs->pdata,
    .input_layouts = g_new0 (SondeLayout *, group.inputs->len + 1),
    .constant_inputs = group.constant,
    .free_inputs = group.free_layout,
    .plain_layouts = plan->plain_layouts,
    .derive_inputs = plan->device->klass->derive != NULL ? group.derive : NULL,
    .n_outputs = group.outputs->len,
    .outputs = (SondeGraphValue *const *) group.outputs->pdata,
    .output_layouts = g_new0 (SondeLayout *, group.outputs->len + 1),
    .in_place = klass != NULL && (klass->flags & SONDE_OP_IN_PLACE) != 0,
    .in_place_inputs = 1,
  };

  describe_inputs (&group, klass);
  if (is_device_view (&group))
    {
      add_view (&group, nodes, group.request.input_layouts[0]);
      return TRUE;
    }

  if (klass != NULL && is_view (&group, klass))
    {
      add_view (&group, nodes, NULL);
      return TRUE;
    }

  if (klass != NULL && is_empty (&group))
    {
      add_empty (&group, nodes, n_nodes);
      return TRUE;
    }

  group.kernel = plan->device->klass->prepare (plan->device, &group.request, error);
  if (group.kernel == NULL)
    return FALSE;

  add_kernel (&group, nodes, n_nodes);
  return TRUE;
}

void
sonde_plan_add_recorded (SondePlan *plan, SondeNode *node)
{
  SondePlanStep *step = sonde_plan_append_step (plan, SONDE_STEP_RECORDED, 0, 0);

  sonde_plan_describe_step (plan, step, &node, 1, node->inputs, node->outputs, "recorded");
}
