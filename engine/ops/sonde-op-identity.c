/* SPDX-License-Identifier: Apache-2.0
 * Nodes that change nothing: the rules that rows share as their @changes_nothing. */
#include "engine/ops/sonde-op-implement.h"

SondeValue *
sonde_fixed_value (const SondeGraphValue *value)
{
  while (value->outer != NULL)
    value = value->outer;
  return value->role == SONDE_ROLE_CONSTANT ? value->constant : NULL;
}

gboolean
sonde_identity_always (const SondeNode *node)
{
  return TRUE;
}

gboolean
sonde_identity_of_known_sizes (const SondeNode *node)
{
  SondeShape shape;

  return sonde_type_get_shape (&sonde_node_get_input (node, 0)->type, &shape);
}

gboolean
sonde_identity_of_one_input (const SondeNode *node)
{
  return node->inputs->len == 1 && sonde_identity_of_known_sizes (node);
}

gboolean
sonde_identity_input_is_all (const SondeNode *node, guint k, gint64 number)
{
  const SondeGraphValue *value = sonde_node_get_input (node, k);
  SondeTensor *tensor = value != NULL && sonde_fixed_value (value) != NULL
                            ? sonde_value_get_tensor (sonde_fixed_value (value))
                            : NULL;

  for (gint64 i = 0; tensor != NULL && i < sonde_tensor_n_elements (tensor); i++)
    if (sonde_tensor_get_int (tensor, i) != number)
      return FALSE;
  return value == NULL || tensor != NULL;
}
