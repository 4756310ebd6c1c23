/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/profile/sonde-node-macs.h"

#include "data/base/sonde-checked.h"

/**
 * MacsRule: of one operator
 * @count: FALSE: not known
 * @first, @weight: inputs: of what is multiplied, and of the weights
 */
typedef struct _MacsRule MacsRule;
struct _MacsRule
{
  SondeOpId id;
  gboolean (*count) (const SondeNode *node, const MacsRule *rule, gint64 *macs);
  guint first, weight;
};

static gboolean
get_shape (const SondeGraphValue *value, SondeShape *shape)
{
  return value != NULL && sonde_type_get_shape (&value->type, shape)
         && sonde_shape_n_elements (shape) >= 0;
}

static gboolean
get_input (const SondeNode *node, guint index, SondeShape *shape)
{
  return get_shape (sonde_node_get_input (node, index), shape);
}

/* Elements of a [W, ...] for each entry of its first dimension. */
static gint64
row_elements (const SondeShape *shape)
{
  return shape->rank > 0 && shape->dims[0] > 0 ? sonde_shape_n_elements (shape) / shape->dims[0]
                                               : 0;
}

/* weights [Cout, Cin/g, k…] */
static gboolean
count_conv (const SondeNode *node, const MacsRule *rule, gint64 *macs)
{
  SondeShape weights, result;

  return get_input (node, rule->weight, &weights)
         && get_shape (sonde_node_get_output (node, 0), &result)
         && sonde_checked_mul (macs, sonde_shape_n_elements (&result), row_elements (&weights));
}

/* weights [Cin, Cout/g, k…] */
static gboolean
count_conv_transpose (const SondeNode *node, const MacsRule *rule, gint64 *macs)
{
  SondeShape weights, input;

  return get_input (node, rule->weight, &weights) && get_input (node, rule->first, &input)
         && sonde_checked_mul (macs, sonde_shape_n_elements (&input), row_elements (&weights));
}

/* Every element of the result is a sum over the last dimension of the first operand. */
static gboolean
count_product (const SondeNode *node, const MacsRule *rule, gint64 *macs)
{
  SondeShape left, result;

  return get_input (node, rule->first, &left) && left.rank > 0
         && get_shape (sonde_node_get_output (node, 0), &result)
         && sonde_checked_mul (macs, sonde_shape_n_elements (&result), left.dims[left.rank - 1]);
}

static gboolean
count_gemm (const SondeNode *node, const MacsRule *rule, gint64 *macs)
{
  SondeShape left, result;
  gboolean transposed = sonde_node_get_int (node, "transA", 0) != 0;

  return get_input (node, rule->first, &left) && left.rank == 2
         && get_shape (sonde_node_get_output (node, 0), &result)
         && sonde_checked_mul (macs, sonde_shape_n_elements (&result),
                               left.dims[transposed ? 0 : 1]);
}

/* x [steps, batch, C], W and R [directions, gates · hidden, …] */
static gboolean
count_recurrent (const SondeNode *node, const MacsRule *rule, gint64 *macs)
{
  SondeShape x, w, r;

  return get_input (node, rule->first, &x) && x.rank == 3 && get_input (node, rule->weight, &w)
         && get_input (node, rule->weight + 1, &r)
         && sonde_checked_mul (macs, x.dims[0] * x.dims[1],
                               sonde_shape_n_elements (&w) + sonde_shape_n_elements (&r));
}

static const MacsRule rules[] = {
  { SONDE_OP_ID_CONV, count_conv, 0, 1 },
  { SONDE_OP_ID_CONV_INTEGER, count_conv, 0, 1 },
  { SONDE_OP_ID_CONV_TRANSPOSE, count_conv_transpose, 0, 1 },
  { SONDE_OP_ID_GEMM, count_gemm, 0, 1 },
  { SONDE_OP_ID_GRU, count_recurrent, 0, 1 },
  { SONDE_OP_ID_LSTM, count_recurrent, 0, 1 },
  { SONDE_OP_ID_MATMUL, count_product, 0, 1 },
  { SONDE_OP_ID_MATMUL_INTEGER, count_product, 0, 1 },
  { SONDE_OP_ID_QLINEAR_CONV, count_conv, 0, 3 },
  { SONDE_OP_ID_QLINEAR_MATMUL, count_product, 0, 3 },
  { SONDE_OP_ID_RNN, count_recurrent, 0, 1 },
};

static const MacsRule *
find_rule (const SondeNode *node)
{
  const SondeOpClass *klass = sonde_op_of_node (node);

  for (gsize i = 0; klass != NULL && i < G_N_ELEMENTS (rules); i++)
    if (rules[i].id == klass->id)
      return &rules[i];
  return NULL;
}

gboolean
sonde_node_has_macs (const SondeNode *node)
{
  return find_rule (node) != NULL;
}

gboolean
sonde_node_count_macs (const SondeNode *node, gint64 *macs)
{
  const MacsRule *rule = find_rule (node);

  *macs = 0;
  return rule == NULL || rule->count (node, rule, macs);
}
