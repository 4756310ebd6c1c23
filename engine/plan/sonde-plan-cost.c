/* SPDX-License-Identifier: Apache-2.0
 * What is known of a value and a node before the run: sizes, and what a node costs by its row's own
 * rule, else by the bytes it touches. */
#include "engine/plan/sonde-plan-build.h"

double
sonde_plan_value_bytes (const SondeGraphValue *value)
{
  SondeShape shape;

  if (value == NULL || !sonde_type_get_shape (&value->type, &shape))
    return 0;

  return (double) MAX (sonde_shape_n_elements (&shape), 0) * sonde_dtype_size (value->type.dtype);
}

static void
count_bytes (const SondeNode *node, const SondeOpClass *klass, SondeCost *cost)
{
  for (guint i = 0; i < node->inputs->len; i++)
    if (i >= 32 || (klass->shape_only & (1u << i)) == 0)
      cost->bytes_read += sonde_plan_value_bytes (g_ptr_array_index (node->inputs, i));

  for (guint i = 0; i < node->outputs->len; i++)
    cost->bytes_written += sonde_plan_value_bytes (g_ptr_array_index (node->outputs, i));
}

static SondeTensor *
known_tensor (const SondeGraphValue *value)
{
  return value != NULL && value->producer == NULL && value->constant != NULL
             ? sonde_value_get_tensor (value->constant)
             : NULL;
}

void
sonde_plan_node_cost (const SondeNode *node, SondeCost *cost)
{
  const SondeOpClass *klass = sonde_op_of_node (node);
  guint n_inputs = node->inputs->len, n_outputs = node->outputs->len;
  g_autofree SondeType *types = g_new0 (SondeType, n_inputs + n_outputs + 1);
  g_autofree SondeTensor **known = g_new0 (SondeTensor *, n_inputs + n_outputs + 1);
  SondeInferContext context = {
    .node = node,
    .n_inputs = n_inputs,
    .inputs = types,
    .known = known,
    .n_outputs = n_outputs,
    .outputs = types + n_inputs,
    .known_outputs = known + n_inputs,
  };

  *cost = (SondeCost){ 0 };
  if (klass == NULL)
    return;

  for (guint i = 0; i < n_inputs + n_outputs; i++)
    {
      const SondeGraphValue *value = i < n_inputs ? g_ptr_array_index (node->inputs, i)
                                                  : g_ptr_array_index (node->outputs, i - n_inputs);

      types[i] = value != NULL ? value->type : sonde_type_unknown ();
      if (i < n_inputs)
        known[i] = known_tensor (value);
    }

  if (klass->cost != NULL)
    klass->cost (&context, cost);
  else
    count_bytes (node, klass, cost);
}

gboolean
sonde_plan_is_boxed (const SondeGraphValue *value)
{
  const SondeType *type = &value->type;
  SondeShape shape;

  return type->kind != SONDE_VALUE_TENSOR || type->dtype == SONDE_DTYPE_INVALID
         || type->dtype == SONDE_DTYPE_STRING || !sonde_type_get_shape (type, &shape)
         || sonde_shape_n_elements (&shape) < 0;
}
