/* SPDX-License-Identifier: Apache-2.0
 * What an initialiser is to training: the file does not say, its readers do. */
#include "data/graph/sonde-graph.h"

/* Float inputs that training does not move. */
static const struct
{
  const char *op;
  guint input;
  SondeValueRole role;
} untrained[] = {
  { "BatchNormalization", 3, SONDE_ROLE_STATE },  { "BatchNormalization", 4, SONDE_ROLE_STATE },
  { "Resize", 1, SONDE_ROLE_CONSTANT },           { "Resize", 2, SONDE_ROLE_CONSTANT },
  { "Upsample", 1, SONDE_ROLE_CONSTANT },         { "QuantizeLinear", 1, SONDE_ROLE_CONSTANT },
  { "DequantizeLinear", 1, SONDE_ROLE_CONSTANT },
};

static SondeValueRole
role_by_use (const SondeNode *node, const SondeGraphValue *value)
{
  for (guint i = 0; i < G_N_ELEMENTS (untrained); i++)
    if (*node->domain == '\0' && g_str_equal (node->op, untrained[i].op)
        && sonde_node_get_input (node, untrained[i].input) == value)
      return untrained[i].role;
  return SONDE_ROLE_PARAMETER;
}

/* State wins over parameter, parameter over constant. */
static SondeValueRole
role_by_users (const SondeGraphValue *value)
{
  SondeValueRole role = SONDE_ROLE_CONSTANT;

  for (guint i = 0; i < value->users->len; i++)
    {
      SondeValueRole use = role_by_use (value->users->pdata[i], value);

      if (use == SONDE_ROLE_STATE)
        return use;
      if (use == SONDE_ROLE_PARAMETER)
        role = use;
    }
  for (guint i = 0; value->captures != NULL && i < value->captures->len; i++)
    {
      SondeValueRole use = role_by_users (value->captures->pdata[i]);

      if (use != SONDE_ROLE_CONSTANT)
        role = use;
    }
  return role;
}

SondeValueRole
sonde_graph_initialiser_role (const SondeGraphValue *value)
{
  const SondeTensor *tensor = sonde_value_get_tensor (value->constant);

  if (tensor == NULL || !sonde_dtype_is_float (tensor->dtype) || tensor->shape.rank == 0)
    return SONDE_ROLE_CONSTANT;
  return role_by_users (value);
}
