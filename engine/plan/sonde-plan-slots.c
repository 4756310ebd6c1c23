/* SPDX-License-Identifier: Apache-2.0
 * Slots: which memory a value has, in which layout, and the reorders between them. */
#include "engine/plan/sonde-plan-build.h"

guint
sonde_plan_add_slot (SondePlan *plan, SondeGraphValue *value, SondeLayout *layout,
                     SondeStorageKind storage)
{
  SondePlanSlot *slot = g_new0 (SondePlanSlot, 1);
  guint index = plan->slots->len;

  slot->value = value;
  slot->layout = layout;
  slot->layout_fixed = TRUE;
  slot->produced_by = SONDE_NEVER;
  slot->root = slot->source = index;
  slot->storage = storage;
  slot->overwritten_by = SONDE_NEVER;
  slot->partner = SONDE_NO_SLOT;
  slot->next = slot->copy_of = SONDE_NO_SLOT;
  g_ptr_array_add (plan->slots, slot);
  return index;
}

static SondeGraphValue *
find_update (const SondePlan *plan, const SondeGraphValue *value)
{
  return g_hash_table_lookup (plan->updates, value);
}

gboolean
sonde_plan_is_static (SondePlan *plan, const SondeGraphValue *value)
{
  const SondePlanSlot *slot;

  if (plan->slot_of_value[value->id] == SONDE_NO_SLOT)
    return FALSE;

  slot = sonde_plan_slot (plan, plan->slot_of_value[value->id]);
  return slot->storage == SONDE_STORAGE_WEIGHT && find_update (plan, value) == NULL;
}

static gboolean
check_update (SondePlan *plan, SondeGraphValue *value, GError **error)
{
  SondeGraphValue *target = value->update_of, *other = find_update (plan, target);
  SondeShape a, b;

  if (other != NULL)
    {
      sonde_set_error (
          error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_INVALID,
          "Values “%s” and “%s” both update “%s”, but a parameter can have only one update",
          other->name, value->name, target->name);
      return FALSE;
    }

  if (value->producer == NULL || target->producer != NULL || target->constant == NULL)
    {
      sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_INVALID,
                       "Value “%s” updates “%s”, but the first must be produced by a node, and the "
                       "second must be a parameter or state with an initial value",
                       value->name, target->name);
      return FALSE;
    }

  if (value->type.dtype == target->type.dtype && sonde_type_get_shape (&value->type, &a)
      && sonde_type_get_shape (&target->type, &b) && sonde_shape_equal (&a, &b))
    {
      g_hash_table_insert (plan->updates, target, value);
      return TRUE;
    }

  g_autofree char *made = sonde_type_to_string (&value->type);
  g_autofree char *wanted = sonde_type_to_string (&target->type);
  sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_SHAPE,
                   "Value “%s” (%s) updates “%s” (%s), but both must have the same type and size",
                   value->name, made, target->name, wanted);
  return FALSE;
}

static gboolean
check_input (const SondeGraphValue *value, GError **error)
{
  SondeShape shape;
  g_autofree char *type = NULL;

  if (value->type.kind != SONDE_VALUE_TENSOR && value->type.kind != SONDE_VALUE_NONE)
    return TRUE;
  if (value->type.kind == SONDE_VALUE_TENSOR && sonde_type_get_shape (&value->type, &shape)
      && sonde_shape_n_elements (&shape) >= 0)
    return TRUE;

  type = sonde_type_to_string (&value->type);
  sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_SHAPE,
                   "The size of input “%s” (%s) is not known; specify its size for this run",
                   value->name, type);
  return FALSE;
}

/* Nodes that ran somewhere else read nothing any more. */
static gboolean
is_read (const SondeGraphValue *value)
{
  for (guint i = 0; i < value->users->len; i++)
    if (!sonde_node_is_recorded (g_ptr_array_index (value->users, i)))
      return TRUE;
  return FALSE;
}

static gboolean
add_source (SondePlan *plan, SondeGraphValue *value, GError **error)
{
  gboolean input = g_ptr_array_find (plan->graph->inputs, value, NULL);
  gboolean kept = value->constant != NULL && !input;
  gboolean captured = value->captures != NULL && value->captures->len > 0;
  SondeStorageKind storage = kept ? SONDE_STORAGE_WEIGHT : SONDE_STORAGE_INPUT;
  guint index;

  if (!is_read (value) && !captured && !input && !g_hash_table_contains (plan->outputs, value)
      && find_update (plan, value) == NULL)
    return TRUE;

  if (input && !plan->open_sizes && !check_input (value, error))
    return FALSE;

  if (!input && !kept)
    {
      sonde_set_error (
          error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_INVALID,
          "Value “%s” is read, but no node produces it, and it is neither an input nor a constant",
          value->name);
      return FALSE;
    }

  index = sonde_plan_add_slot (plan, value, NULL,
                               sonde_plan_is_boxed (value) ? SONDE_STORAGE_BOX : storage);
  sonde_plan_slot (plan, index)->layout_fixed = !kept;
  plan->slot_of_value[value->id] = index;
  return TRUE;
}

gboolean
sonde_plan_add_sources (SondePlan *plan, GError **error)
{
  for (guint i = 0; i < plan->graph->values->len; i++)
    {
      SondeGraphValue *value = g_ptr_array_index (plan->graph->values, i);

      plan->slot_of_value[i] = SONDE_NO_SLOT;
      if (value != NULL && value->update_of != NULL && !value->recorded
          && !check_update (plan, value, error))
        return FALSE;
    }

  for (guint i = 0; i < plan->graph->values->len; i++)
    {
      SondeGraphValue *value = g_ptr_array_index (plan->graph->values, i);

      if (value != NULL && value->producer == NULL && !add_source (plan, value, error))
        return FALSE;
    }

  return TRUE;
}

static gboolean
same_layout (const SondePlan *plan, const SondePlanSlot *slot, const SondeLayout *layout)
{
  return plan->device->klass->layout_equal (plan->device, slot->layout, layout);
}

static SondeLayout *
copy_layout (const SondePlan *plan, SondeLayout *layout)
{
  return layout != NULL ? plan->device->klass->layout_ref (plan->device, layout) : NULL;
}

/* A further slot for the value of slot @primary, in another layout. */
static guint
add_variant (SondePlan *plan, guint primary, SondeLayout *layout, SondeStorageKind storage)
{
  SondePlanSlot *slot = sonde_plan_slot (plan, primary);
  guint index = sonde_plan_add_slot (plan, slot->value, copy_layout (plan, layout), storage);

  sonde_plan_slot (plan, index)->next = slot->next;
  slot->next = index;
  if (storage == SONDE_STORAGE_WEIGHT)
    sonde_plan_slot (plan, index)->copy_of = primary;
  return index;
}

/* NULL: the device has none prepared, the step goes through its reorder(). */
static SondeKernel *
prepare_reorder (SondePlan *plan, guint from, guint to, gsize *workspace)
{
  const SondeDeviceClass *klass = plan->device->klass;
  const SondePlanSlot *source = sonde_plan_slot (plan, from), *target = sonde_plan_slot (plan, to);

  if (klass->prepare_reorder == NULL)
    return NULL;
  return klass->prepare_reorder (plan->device, &source->value->type, source->layout, target->layout,
                                 workspace, NULL);
}

/* A visible step from slot @from into a new slot, whose storage the caller may change. */
static guint
insert_reorder (SondePlan *plan, guint from, SondeLayout *layout, SondePhase phase)
{
  SondeGraphValue *value = sonde_plan_slot (plan, from)->value;
  guint index = add_variant (plan, from, layout, SONDE_STORAGE_ARENA);
  SondePlanStep *step = sonde_plan_append_step (plan, SONDE_STEP_REORDER, 1, 1);
  char *name = g_strdup_printf ("reorder(%s)", value->name);

  g_ptr_array_add (plan->names, name);
  step->input_slots[0] = from;
  step->output_slots[0] = index;
  step->info.value = value;
  step->info.name = name;
  step->info.op = "Reorder";
  step->info.phase = phase;
  step->info.implementation = "reorder";
  step->info.n_inputs = step->info.n_outputs = 1;
  step->info.inputs = step->info.outputs = &step->info.value;
  step->kernel = prepare_reorder (plan, from, index, &step->workspace_bytes);
  step->info.cost.bytes_read = sonde_plan_value_bytes (value);
  step->info.cost.bytes_written = step->info.cost.bytes_read;
  sonde_plan_slot (plan, index)->produced_by = plan->steps->len - 1;
  return index;
}

guint
sonde_plan_require_layout (SondePlan *plan, SondeGraphValue *value, SondeLayout *layout,
                           SondePhase phase)
{
  guint primary = plan->slot_of_value[value->id];
  SondePlanSlot *slot = sonde_plan_slot (plan, primary);

  if (!slot->layout_fixed)
    {
      slot->layout = copy_layout (plan, layout);
      slot->layout_fixed = TRUE;
    }

  if (same_layout (plan, slot, layout))
    return primary;

  for (guint i = slot->next; i != SONDE_NO_SLOT; i = sonde_plan_slot (plan, i)->next)
    if (same_layout (plan, sonde_plan_slot (plan, i), layout))
      return i;

  if (sonde_plan_is_static (plan, value))
    return add_variant (plan, primary, layout, SONDE_STORAGE_WEIGHT);

  return insert_reorder (plan, primary, layout, phase);
}

/* The update of a parameter must lie as the parameter does, since they change places. */
static void
add_update (SondePlan *plan, guint made, SondePhase phase)
{
  SondeGraphValue *value = sonde_plan_slot (plan, made)->value;
  guint target = plan->slot_of_value[value->update_of->id];
  SondePlanSlot *weight = sonde_plan_slot (plan, target);
  guint update = made;

  if (!weight->layout_fixed)
    {
      weight->layout = copy_layout (plan, sonde_plan_slot (plan, made)->layout);
      weight->layout_fixed = TRUE;
    }

  if (!same_layout (plan, sonde_plan_slot (plan, made), weight->layout))
    update = insert_reorder (plan, made, weight->layout, phase);

  sonde_plan_slot (plan, update)->storage = SONDE_STORAGE_UPDATE;
  sonde_plan_slot (plan, update)->partner = target;
  weight->partner = update;
}

void
sonde_plan_add_results (SondePlan *plan, SondePlanStep *step, guint step_index,
                        SondeGraphValue *const *values, SondeLayout **layouts)
{
  for (guint i = 0; i < step->n_output_slots; i++)
    {
      guint index;

      step->output_slots[i] = SONDE_NO_SLOT;
      if (values[i] == NULL)
        continue;

      index = sonde_plan_add_slot (plan, values[i], g_steal_pointer (&layouts[i]),
                                   SONDE_STORAGE_ARENA);
      if (sonde_plan_is_boxed (values[i]))
        sonde_plan_slot (plan, index)->storage = SONDE_STORAGE_BOX;
      sonde_plan_slot (plan, index)->produced_by = step_index;
      plan->slot_of_value[values[i]->id] = index;
      step->output_slots[i] = index;
    }

  for (guint i = 0; i < step->n_output_slots; i++)
    if (values[i] != NULL && values[i]->update_of != NULL)
      add_update (plan, step->output_slots[i], step->info.phase);
}
