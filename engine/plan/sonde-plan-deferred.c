/* SPDX-License-Identifier: Apache-2.0
 * Deferred steps: nodes whose kernel can only be chosen when their inputs are there, because a size
 * depends on values or because something is no tensor of numbers. Their results have static slots
 * again where their sizes are known all the same. */
#include "engine/plan/sonde-plan-build.h"

static gboolean
any_boxed (const GPtrArray *values)
{
  for (guint i = 0; i < values->len; i++)
    if (g_ptr_array_index (values, i) != NULL
        && sonde_plan_is_boxed (g_ptr_array_index (values, i)))
      return TRUE;

  return FALSE;
}

gboolean
sonde_plan_is_deferred (const SondeNode *node)
{
  const SondeOpClass *klass = sonde_op_of_node (node);

  if (klass == NULL)
    return FALSE;

  return (klass->flags & SONDE_OP_CONTROL) != 0
         || (klass->compute == NULL && klass->compute_values != NULL) || any_boxed (node->inputs)
         || any_boxed (node->outputs);
}

static void
add_captures (const SondeGraph *body, GPtrArray *operands, guint first)
{
  for (guint i = 0; i < body->values->len; i++)
    {
      const SondeGraphValue *value = g_ptr_array_index (body->values, i);
      gboolean known = FALSE;

      if (value == NULL || value->outer == NULL)
        continue;

      for (guint k = first; k < operands->len; k++)
        known = known || g_ptr_array_index (operands, k) == value->outer;
      if (!known)
        g_ptr_array_add (operands, value->outer);
    }
}

/* The inputs of @node, then the outer values that its subgraphs read, each once. */
static GPtrArray *
list_operands (const SondeNode *node)
{
  GPtrArray *operands = g_ptr_array_copy (node->inputs, NULL, NULL);

  for (guint i = 0; i < node->attributes->len; i++)
    {
      const SondeAttribute *attribute = g_ptr_array_index (node->attributes, i);

      if (attribute->kind == SONDE_ATTRIBUTE_GRAPH)
        add_captures (attribute->u.graph, operands, node->inputs->len);
      for (gsize k = 0; attribute->kind == SONDE_ATTRIBUTE_GRAPHS && k < attribute->n; k++)
        add_captures (attribute->u.graphs[k], operands, node->inputs->len);
    }

  return operands;
}

/* Where operand @k is found when the step runs. */
static guint
find_operand (SondePlan *plan, const SondeNode *node, SondeGraphValue *value, guint k)
{
  const SondeOpClass *klass = sonde_op_of_node (node);
  gboolean unread = klass->compute != NULL && k < node->inputs->len && k < 32
                    && (klass->shape_only & (1u << k)) != 0;

  if (value == NULL || (value->constant != NULL && value->role == SONDE_ROLE_CONSTANT))
    return SONDE_NO_SLOT;

  if (sonde_plan_is_boxed (value))
    return plan->slot_of_value[value->id];

  return unread ? SONDE_NO_SLOT : sonde_plan_require_layout (plan, value, NULL, node->phase);
}

void
sonde_plan_add_deferred (SondePlan *plan, SondeNode *node)
{
  const SondeOpClass *klass = sonde_op_of_node (node);
  g_autoptr (GPtrArray) operands = list_operands (node);
  g_autofree guint *slots = g_new (guint, operands->len + 1);
  g_autofree SondeLayout **layouts = g_new0 (SondeLayout *, node->outputs->len + 1);
  SondePlanStep *step;

  for (guint k = 0; k < operands->len; k++)
    slots[k] = find_operand (plan, node, g_ptr_array_index (operands, k), k);

  step = sonde_plan_append_step (
      plan, (klass->flags & SONDE_OP_CONTROL) != 0 ? SONDE_STEP_CONTROL : SONDE_STEP_DEFERRED,
      operands->len, node->outputs->len);
  step->klass = klass;
  step->operands = g_new0 (SondeGraphValue *, operands->len + 1);
  for (guint k = 0; k < operands->len; k++)
    {
      step->input_slots[k] = slots[k];
      step->operands[k] = g_ptr_array_index (operands, k);
    }

  sonde_plan_describe_step (plan, step, &node, 1, operands, node->outputs, "deferred");
  sonde_plan_add_results (plan, step, plan->steps->len - 1,
                          (SondeGraphValue *const *) node->outputs->pdata, layouts);
}

static void
add_dying (SondePlanStep *step, guint slot)
{
  step->dying = g_renew (guint, step->dying, step->n_dying + 1);
  step->dying[step->n_dying++] = slot;
}

void
sonde_plan_end_boxes (SondePlan *plan)
{
  for (guint i = 0; i < plan->slots->len; i++)
    {
      SondePlanSlot *slot = sonde_plan_slot (plan, i);

      if (slot->storage != SONDE_STORAGE_BOX || slot->produced_by == SONDE_NEVER
          || slot->last_use + 1 >= plan->steps->len)
        continue;

      slot->overwritten_by = slot->last_use + 1;
      add_dying (sonde_plan_step (plan, slot->last_use + 1), i);
    }
}
