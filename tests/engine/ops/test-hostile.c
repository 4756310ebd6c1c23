/* SPDX-License-Identifier: Apache-2.0
 * Nodes as a hostile file may hold them: random arity, element types, shapes, attributes; and the
 * good nodes of the table of cases with something wrong. A shape rule must refuse with a sentence
 * or give shapes that its kernel then fills exactly. Worth most under the address and
 * undefined-behaviour sanitizers. */
#include "data/base/sonde-random.h"
#include "tests/engine/ops/op-case.h"
#include "tests/support/sonde-test-gradient.h"
#include "tests/support/sonde-test-tensor.h"

#include <string.h>

#define N_TRIALS 400
#define MOST_ELEMENTS 100000
#define MOST_OPERANDS 32

typedef struct
{
  guint64 stream, index;
} Dice;

static guint64
roll (Dice *dice, guint64 sides)
{
  return sonde_random_bits (4711, dice->stream, dice->index++) % sides;
}

static const gint64 nasty[] = {
  G_MININT64, -G_GINT64_CONSTANT (1000000007),
  -3,         -2,
  -1,         0,
  0,          1,
  1,          1,
  2,          2,
  3,          4,
  7,          1000,
  G_MAXINT32, G_GINT64_CONSTANT (1) << 33,
  G_MAXINT64,
};

static gint64
roll_integer (Dice *dice)
{
  return nasty[roll (dice, G_N_ELEMENTS (nasty))];
}

static SondeShape
roll_shape (Dice *dice)
{
  static const gint64 sizes[] = { 0, 1, 1, 2, 2, 3, 4, 5 };
  SondeShape shape = { .rank = (int) roll (dice, 6) };

  for (int d = 0; d < shape.rank; d++)
    shape.dims[d] = sizes[roll (dice, G_N_ELEMENTS (sizes))];
  return shape;
}

/* Mostly the float type of the others, since a rule ends at the first type that does not fit. */
static SondeTensor *
roll_tensor (Dice *dice, SondeDtype common, const SondeShape *like)
{
  SondeDtype dtype
      = roll (dice, 8) != 0 ? common : (SondeDtype) (1 + roll (dice, SONDE_N_DTYPES - 1));
  SondeShape shape = roll (dice, 3) != 0 ? *like : roll_shape (dice);
  SondeTensor *tensor = NULL;

  if (roll (dice, 4) == 0)
    {
      dtype = SONDE_DTYPE_I64;
      shape = sonde_shape_make (1, (int) roll (dice, 5));
    }
  tensor = sonde_tensor_new (dtype, &shape);
  for (gint64 i = 0; i < sonde_tensor_n_elements (tensor) && dtype != SONDE_DTYPE_STRING; i++)
    if (dtype == SONDE_DTYPE_I64)
      ((gint64 *) (void *) tensor->data)[i] = roll_integer (dice);
    else
      sonde_tensor_set_double (tensor, i, (double) roll (dice, 9) - 4);
  return tensor;
}

static void
roll_attribute (Dice *dice, SondeNode *node, const SondeAttributeRule *rule)
{
  gint64 list[6];
  gsize n = roll (dice, 7);
  g_autoptr (SondeTensor) tensor = NULL;
  SondeShape shape;

  if (roll (dice, 2) == 0)
    return;
  for (gsize i = 0; i < n; i++)
    list[i] = roll (dice, 3) == 0 ? roll_integer (dice) : (gint64) roll (dice, 3);
  switch (rule->kind)
    {
    case SONDE_ATTRIBUTE_INT:
      sonde_node_set_int (node, rule->name,
                          roll (dice, 2) ? roll_integer (dice) : (gint64) roll (dice, 4));
      break;
    case SONDE_ATTRIBUTE_FLOAT:
      sonde_node_set_float (node, rule->name, (double) roll (dice, 5) - 2);
      break;
    case SONDE_ATTRIBUTE_INTS:
      sonde_node_set_ints (node, rule->name, list, n);
      break;
    case SONDE_ATTRIBUTE_STRING:
      sonde_node_set_string (
          node, rule->name,
          rule->choices ? rule->choices[roll (dice, g_strv_length ((char **) rule->choices))]
                        : "odd");
      break;
    case SONDE_ATTRIBUTE_TENSOR:
      shape = roll_shape (dice);
      tensor = roll_tensor (dice, SONDE_DTYPE_F32, &shape);
      sonde_node_set_tensor (node, rule->name, tensor);
      break;
    default:
      break;
    }
}

/* Outputs that would only eat memory are not worth computing. */
static gboolean
is_small (const SondeNode *node, SondeTensor **known)
{
  g_autofree SondeType *types = g_new0 (SondeType, node->outputs->len + 1);
  gboolean small = TRUE;

  if (!sonde_op_infer_node (node, known, types, NULL, NULL))
    return TRUE;
  for (guint k = 0; k < node->outputs->len; k++)
    {
      SondeShape shape;

      small &= !sonde_type_get_shape (&types[k], &shape)
               || sonde_shape_n_elements (&shape) <= MOST_ELEMENTS;
    }
  return small;
}

static void
clear_tensors (SondeTensor **tensors, guint n)
{
  for (guint k = 0; k < n; k++)
    sonde_tensor_unref (tensors[k]);
}

/* Returns: the node could be computed */
static gboolean
try_once (const SondeOpClass *row, Dice *dice)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeGraph) graph = sonde_graph_new ("hostile");
  guint n = (guint) row->min_inputs
            + (guint) roll (
                dice, (guint64) (row->max_inputs < 0 ? 3 : row->max_inputs - row->min_inputs) + 1);
  guint n_outputs
      = row->max_outputs < 0
            ? 1 + (guint) roll (dice, 4)
            : (guint) (row->min_outputs
                       + (gint64) roll (dice, (guint64) (row->max_outputs - row->min_outputs) + 1));
  SondeDtype common
      = roll (dice, 4) == 0 ? (SondeDtype) (1 + roll (dice, SONDE_N_DTYPES - 1)) : SONDE_DTYPE_F32;
  SondeShape like = roll_shape (dice);
  SondeTensor *inputs[MOST_OPERANDS] = { NULL }, *outputs[MOST_OPERANDS] = { NULL };
  SondeGraphValue *values[MOST_OPERANDS] = { NULL };
  SondeNode *node = NULL;
  gboolean good = FALSE;

  for (guint k = 0; k < n; k++)
    {
      SondeType type;

      if (k >= (guint) row->min_inputs && roll (dice, 3) == 0)
        continue;
      inputs[k] = roll_tensor (dice, common, &like);
      type = sonde_type_tensor (inputs[k]->dtype, &inputs[k]->shape);
      values[k] = sonde_graph_add_input (graph, NULL, &type);
    }
  node = sonde_graph_add_node (graph, NULL, row->domain, row->name, values, n, n_outputs);
  for (const SondeAttributeRule *rule = row->attributes; rule && rule->name; rule++)
    roll_attribute (dice, node, rule);

  if (is_small (node, inputs))
    good = sonde_op_run_reference (node, inputs, n, outputs, n_outputs, &error);
  if (error != NULL)
    g_assert_true (strlen (error->message) > 20 && g_utf8_validate (error->message, -1, NULL));
  clear_tensors (inputs, n);
  clear_tensors (outputs, n_outputs);
  return good;
}

static void
test_operator (gconstpointer data)
{
  const SondeOpClass *row = data;
  Dice dice = { sonde_random_stream (row->name), 0 };
  guint computed = 0;

  for (guint i = 0; i < N_TRIALS; i++)
    computed += try_once (row, &dice);
  g_test_message ("%u of %u could be computed", computed, N_TRIALS);
}

/* ---- good nodes with something wrong ------------------------------------- */

#define N_MUTATIONS 60

static void
mutate_attribute (Dice *dice, SondeNode *node)
{
  SondeAttribute *attribute = NULL;

  if (node->attributes->len == 0)
    return;
  attribute = node->attributes->pdata[roll (dice, node->attributes->len)];
  if (attribute->kind == SONDE_ATTRIBUTE_INT)
    attribute->u.i = roll_integer (dice);
  else if (attribute->kind == SONDE_ATTRIBUTE_INTS && attribute->n > 0 && roll (dice, 4) == 0)
    attribute->n--;
  else if (attribute->kind == SONDE_ATTRIBUTE_INTS && attribute->n > 0)
    attribute->u.ints[roll (dice, attribute->n)] = roll_integer (dice);
}

/* Another element, another size, or another rank. Returns: (transfer full) */
static SondeTensor *
mutate_tensor (Dice *dice, SondeTensor *tensor)
{
  SondeShape shape = tensor->shape;
  SondeTensor *changed = NULL;
  gint64 n;

  if (tensor->dtype == SONDE_DTYPE_STRING)
    return sonde_tensor_ref (tensor);
  if (roll (dice, 3) == 0 && shape.rank > 0)
    shape.dims[roll (dice, (guint64) shape.rank)] += (gint64) roll (dice, 3) - 1;
  else if (roll (dice, 4) == 0)
    shape = roll_shape (dice);
  for (int d = 0; d < shape.rank; d++)
    shape.dims[d] = MAX (shape.dims[d], 0);
  changed = sonde_tensor_new (roll (dice, 10) == 0 ? SONDE_DTYPE_F64 : tensor->dtype, &shape);
  n = sonde_tensor_n_elements (tensor);
  for (gint64 i = 0; i < sonde_tensor_n_elements (changed) && n > 0; i++)
    if (tensor->dtype == SONDE_DTYPE_I64 && changed->dtype == SONDE_DTYPE_I64
        && roll (dice, 2) == 0)
      ((gint64 *) (void *) changed->data)[i] = roll_integer (dice);
    else
      sonde_tensor_set_double (changed, i, sonde_tensor_get_double (tensor, i % n));
  return changed;
}

static gboolean
try_mutation (const OpCase *row, Dice *dice)
{
  g_auto (OpCaseBuilt) built = { NULL };
  SondeTensor *inputs[OP_CASE_INPUTS] = { NULL }, *outputs[OP_CASE_OUTPUTS] = { NULL };
  guint n = 0, n_outputs = 0;
  gboolean good = FALSE;

  op_case_build (row, SONDE_DTYPE_F32, &built);
  n = built.node->inputs->len;
  n_outputs = built.node->outputs->len;
  for (guint k = 0; k < n; k++)
    {
      SondeGraphValue *value = sonde_node_get_input (built.node, k);
      SondeTensor *tensor = value == NULL ? NULL
                            : value->constant != NULL
                                ? sonde_value_get_tensor (value->constant)
                                : g_hash_table_lookup (built.feeds, value->name);

      if (tensor == NULL || roll (dice, 20) == 0)
        continue;
      inputs[k] = roll (dice, 4) == 0 ? mutate_tensor (dice, tensor) : sonde_tensor_ref (tensor);
    }
  if (roll (dice, 2) == 0)
    mutate_attribute (dice, built.node);
  for (guint k = 0; k < n; k++)
    if (sonde_node_get_input (built.node, k) != NULL && inputs[k] == NULL)
      sonde_node_set_input (built.graph, built.node, k, NULL);
    else if (inputs[k] != NULL)
      sonde_node_get_input (built.node, k)->type
          = sonde_type_tensor (inputs[k]->dtype, &inputs[k]->shape);
  if (is_small (built.node, inputs))
    good = sonde_op_run_reference (built.node, inputs, n, outputs, n_outputs, NULL);
  clear_tensors (inputs, n);
  clear_tensors (outputs, n_outputs);
  return good;
}

static void
test_mutations (gconstpointer data)
{
  guint computed = 0, tried = 0;

  for (const OpCase *row = data; row->name != NULL; row++)
    {
      Dice dice = { sonde_random_stream (row->name), 0 };

      for (guint i = 0; i < N_MUTATIONS; i++, tried++)
        computed += try_mutation (row, &dice);
    }
  g_test_message ("%u of %u could be computed", computed, tried);
  g_assert_cmpuint (computed, >, tried / 10);
  g_assert_cmpuint (computed, <, tried);
}

/* Rules see nodes whose inputs nobody knows anything about, too. */
static void
test_unknown_inputs (void)
{
  gsize n = 0;
  g_autofree const SondeOpClass **rows = sonde_op_table_list (&n);

  for (gsize i = 0; i < n; i++)
    {
      g_autoptr (SondeGraph) graph = sonde_graph_new ("unknown");
      SondeGraphValue *values[MOST_OPERANDS] = { NULL };
      SondeType types[4];
      SondeNode *node = NULL;

      for (int k = 0; k < MAX (rows[i]->min_inputs, 1); k++)
        values[k] = sonde_graph_add_input (graph, NULL, NULL);
      node = sonde_graph_add_node (graph, NULL, rows[i]->domain, rows[i]->name, values,
                                   (guint) rows[i]->min_inputs, 1);
      (void) sonde_op_infer_node (node, NULL, types, NULL, NULL);
    }
}

int
main (int argc, char **argv)
{
  gsize n = 0;
  g_autofree const SondeOpClass **rows = sonde_op_table_list (&n);

  g_test_init (&argc, &argv, NULL);
  for (gsize i = 0; i < n; i++)
    {
      g_autofree char *path = g_strdup_printf ("/engine/ops/hostile/%s%s",
                                               *rows[i]->domain ? "sonde." : "", rows[i]->name);

      g_test_add_data_func (path, rows[i], test_operator);
    }
  g_test_add_func ("/engine/ops/hostile/unknown-inputs", test_unknown_inputs);
  g_test_add_data_func ("/engine/ops/hostile/mutated/elementwise", op_cases_elementwise,
                        test_mutations);
  g_test_add_data_func ("/engine/ops/hostile/mutated/gradient-elements", op_cases_gradient_elements,
                        test_mutations);
  g_test_add_data_func ("/engine/ops/hostile/mutated/gradient-linear", op_cases_gradient_linear,
                        test_mutations);
  g_test_add_data_func ("/engine/ops/hostile/mutated/gradient-move", op_cases_gradient_move,
                        test_mutations);
  g_test_add_data_func ("/engine/ops/hostile/mutated/image", op_cases_image, test_mutations);
  g_test_add_data_func ("/engine/ops/hostile/mutated/index", op_cases_index, test_mutations);
  g_test_add_data_func ("/engine/ops/hostile/mutated/machine-learning", op_cases_machine_learning,
                        test_mutations);
  g_test_add_data_func ("/engine/ops/hostile/mutated/matrix", op_cases_matrix, test_mutations);
  g_test_add_data_func ("/engine/ops/hostile/mutated/neural", op_cases_neural, test_mutations);
  g_test_add_data_func ("/engine/ops/hostile/mutated/quantise", op_cases_quantise, test_mutations);
  g_test_add_data_func ("/engine/ops/hostile/mutated/shape", op_cases_shape, test_mutations);
  g_test_add_data_func ("/engine/ops/hostile/mutated/training", op_cases_training, test_mutations);
  return g_test_run ();
}
