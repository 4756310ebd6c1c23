/* SPDX-License-Identifier: Apache-2.0
 * The operators' table of cases, and rules about the table itself. */
#include "tests/engine/ops/op-case.h"

#include <string.h>

/* Every row of the operators' table stands in the table of cases. */
static void
test_every_operator (void)
{
  const OpCase *const tables[] = { op_cases_elementwise,
                                   op_cases_gradient_elements,
                                   op_cases_gradient_linear,
                                   op_cases_gradient_move,
                                   op_cases_image,
                                   op_cases_index,
                                   op_cases_machine_learning,
                                   op_cases_matrix,
                                   op_cases_neural,
                                   op_cases_quantise,
                                   op_cases_shape,
                                   op_cases_training };
  g_autoptr (GHashTable) seen = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  gsize n = 0;
  g_autofree const SondeOpClass **rows = sonde_op_table_list (&n);

  for (gsize t = 0; t < G_N_ELEMENTS (tables); t++)
    for (const OpCase *row = tables[t]; row->name != NULL; row++)
      g_hash_table_add (seen, g_strndup (row->name, strcspn (row->name, "/")));
  for (gsize i = 0; i < n; i++)
    {
      g_autofree char *name
          = g_strconcat (rows[i]->domain, *rows[i]->domain != '\0' ? "." : "", rows[i]->name, NULL);

      /* Gradients' kernels are covered by the gradients of the forward operators. */
      if (!g_str_has_suffix (name, "Grad") && !g_str_has_prefix (name, "sonde.ConvGrad")
          && (rows[i]->flags & SONDE_OP_CONTROL) == 0 /* only a plan runs these */
          && rows[i]->compute != NULL                 /* those on values have tests of their own */
          && !g_hash_table_contains (seen, name))
        {
          g_test_message ("no case for %s", name);
          g_test_fail ();
        }
    }
}

static void
test_table_is_sound (void)
{
  gsize n = 0;
  g_autofree const SondeOpClass **rows = sonde_op_table_list (&n);

  g_assert_cmpuint (n, >, 100);
  for (gsize i = 0; i < n; i++)
    {
      g_assert_true (sonde_op_table_find (rows[i]->domain, rows[i]->name) == rows[i]);
      g_assert_nonnull (rows[i]->infer);
      g_assert_true (rows[i]->compute != NULL || rows[i]->compute_values != NULL
                     || rows[i]->decompose != NULL || (rows[i]->flags & SONDE_OP_CONTROL) != 0);
      g_assert_cmpint (rows[i]->min_outputs, >=, 1);
    }
  g_assert_null (sonde_op_table_find ("", "Nonsense"));
  g_assert_nonnull (sonde_op_table_find ("ai.onnx", "Relu"));
}

/* An index that is only known while the network runs cannot be an error any more: it makes NaN. One
 * that is known before is refused. */
/* Nothing that passes and searches go by is left out of a row: what is not said would be lost
 * without a word. */
static void
test_facts (void)
{
  gsize n = 0;
  g_autofree const SondeOpClass **rows = sonde_op_table_list (&n);

  for (gsize i = 0; i < n; i++)
    {
      const SondeOpClass *row = rows[i];
      const guint leading = row->typing & SONDE_TYPING_ALL;

      g_test_message ("%s.%s", row->domain, row->name);
      g_assert_true (row->reach.rule != NULL || (row->flags & SONDE_OP_ELEMENTWISE) != 0);
      g_assert_true (row->typing == SONDE_TYPING_OWN || row->typing == SONDE_TYPING_UNIFORM
                     || row->typing == SONDE_TYPING_LEADING (leading));
      if (row->typing == SONDE_TYPING_LEADING (leading))
        {
          g_assert_cmpuint (leading, >, 0);
          g_assert_true (leading == SONDE_TYPING_ALL || row->max_inputs < 0
                         || (int) leading <= row->max_inputs);
        }
      if (row->traits & SONDE_TRAIT_PERMUTES)
        g_assert_true (row->traits & SONDE_TRAIT_MOVES);
      if (row->traits
          & (SONDE_TRAIT_AUTOCAST | SONDE_TRAIT_AUTOCAST_ALL | SONDE_TRAIT_AUTOCAST_TRAINING))
        g_assert_cmpuint (row->typing, ==, SONDE_TYPING_UNIFORM);
      g_assert_cmpuint (row->attribution, <, SONDE_N_ATTRIBUTION_CLASSES);
      for (const SondeOpCause *cause = row->causes; cause != NULL && cause->message != NULL;
           cause++)
        {
          g_assert_nonnull (cause->explains);
          g_assert_nonnull (strstr (cause->message, "%s"));
          g_assert_cmpint ((int) cause->input, <, row->max_inputs);
        }
      g_assert_true (sonde_op_table_find (row->domain, row->name) == row);
    }
}

/* Every identity is that of one row, or asking for it would say no of every node. */
static void
test_identities (void)
{
  const SondeOpClass *owners[SONDE_N_OP_IDS] = { NULL };
  gsize n = 0;
  g_autofree const SondeOpClass **rows = sonde_op_table_list (&n);

  for (gsize i = 0; i < n; i++)
    if (rows[i]->id != SONDE_OP_ID_NONE)
      {
        if (owners[rows[i]->id] != NULL)
          g_error ("%s and %s have one identity", owners[rows[i]->id]->name, rows[i]->name);
        owners[rows[i]->id] = rows[i];
      }
  for (guint id = SONDE_OP_ID_NONE + 1; id < SONDE_N_OP_IDS; id++)
    if (owners[id] == NULL)
      g_error ("identity %u is that of no operator", id);
  g_assert_cmpstr (owners[SONDE_OP_ID_CONV]->name, ==, "Conv");
  g_assert_cmpstr (owners[SONDE_OP_ID_MAX_POOL_GRAD]->domain, ==, SONDE_DOMAIN);
}

/* The first output of an operator of float32 operands, computed by its reference. @second:
 * (nullable): input 1 */
static SondeTensor *
compute (const SondeOpClass *row, SondeTensor *first, SondeTensor *second)
{
  static const gint64 window[] = { 2, 2 };
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeGraph) graph = sonde_graph_new ("trait");
  SondeTensor *inputs[] = { first, second }, *output = NULL;
  SondeGraphValue *values[2];
  const guint n_inputs = second != NULL ? 2 : 1;
  SondeNode *node;

  for (guint k = 0; k < n_inputs; k++)
    values[k] = sonde_graph_add_initialiser (graph, NULL, inputs[k], SONDE_ROLE_CONSTANT);
  node = sonde_graph_add_node (graph, "n", row->domain, row->name, values, n_inputs, 1);
  if (g_str_equal (row->name, "MaxPool") || g_str_equal (row->name, "AveragePool"))
    sonde_node_set_ints (node, "kernel_shape", window, 2);
  sonde_op_run_reference (node, inputs, n_inputs, &output, 1, &error);
  g_assert_no_error (error);
  return output;
}

static double
least_of (const SondeTensor *tensor)
{
  double least = G_MAXDOUBLE;

  for (gint64 i = 0; i < sonde_tensor_n_elements (tensor); i++)
    least = MIN (least, sonde_tensor_get_double (tensor, i));
  return least;
}

/* What @row reads besides the tensor [1, 2, 4, 4]. (nullable) (transfer full) */
static SondeTensor *
make_second (const SondeOpClass *row)
{
  return row->min_inputs < 2
             ? NULL
             : sonde_test_tensor (SONDE_DTYPE_I64,
                                  g_str_equal (row->name, "Reshape") ? "1: -1" : "1: 0");
}

/* What rows say of signs and of the order of operands is so. */
static void
test_traits (void)
{
  const SondeShape shape = sonde_shape_make (4, 1, 2, 4, 4);
  g_autoptr (SondeTensor) any = sonde_test_tensor_random (SONDE_DTYPE_F32, &shape, 1, -3.0, 3.0),
                          other = sonde_test_tensor_random (SONDE_DTYPE_F32, &shape, 2, -3.0, 3.0),
                          positive
                          = sonde_test_tensor_random (SONDE_DTYPE_F32, &shape, 3, 0.0, 3.0);
  guint n_checked = 0;
  gsize n = 0;
  g_autofree const SondeOpClass **rows = sonde_op_table_list (&n);

  for (gsize i = 0; i < n; i++)
    {
      const guint traits = rows[i]->traits;
      g_autoptr (SondeTensor) second = make_second (rows[i]), result = NULL, swapped = NULL;

      g_test_message ("%s", rows[i]->name);
      if (traits & SONDE_TRAIT_COMMUTES)
        {
          result = compute (rows[i], any, other);
          swapped = compute (rows[i], other, any);
          sonde_test_assert_close (result, swapped, 0, 0, rows[i]->name);
        }
      else if (traits & (SONDE_TRAIT_POSITIVE | SONDE_TRAIT_KEEPS_POSITIVE))
        {
          result = compute (rows[i], traits & SONDE_TRAIT_POSITIVE ? any : positive, second);
          g_assert_cmpfloat (least_of (result), >=, 0.0);
        }
      n_checked += result != NULL;
    }
  g_assert_cmpuint (n_checked, >=, 20);
}

/* The row that a node keeps goes with its operator. */
static void
test_row_of_node (void)
{
  g_autoptr (SondeGraph) graph = sonde_graph_new ("row");
  SondeGraphValue *x = sonde_graph_add_value (graph, "x", NULL);
  SondeNode *node = sonde_graph_add_node (graph, "n", "ai.onnx", "Relu", &x, 1, 1);

  g_assert_true (sonde_op_of_node (node) == sonde_op_table_find ("", "Relu"));
  g_assert_true (sonde_node_is (node, SONDE_OP_ID_RELU));
  g_assert_false (sonde_node_is (NULL, SONDE_OP_ID_RELU));
  sonde_node_set_op (node, "", "Tanh");
  g_assert_true (sonde_op_of_node (node) == sonde_op_table_find ("", "Tanh"));
  sonde_node_set_op (node, "nobody", "knows");
  g_assert_null (sonde_op_of_node (node));
  g_assert_false (sonde_node_is (node, SONDE_OP_ID_RELU));
  sonde_node_set_op (node, SONDE_DOMAIN, "ReluGrad");
  g_assert_true (sonde_op_of_node (node) == sonde_op_table_find (SONDE_DOMAIN, "ReluGrad"));
}

static void
test_gather_outside (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeGraph) graph = sonde_graph_new ("gather");
  g_autoptr (SondeTensor) x = sonde_test_tensor (SONDE_DTYPE_F32, "2: 1 2");
  g_autoptr (SondeTensor) indices = sonde_test_tensor (SONDE_DTYPE_I64, "3: 1 5 -9");
  g_autoptr (SondeTensor) y = sonde_test_tensor (SONDE_DTYPE_F32, "3: 0");
  g_autoptr (SondeTensor) want = sonde_test_tensor (SONDE_DTYPE_F32, "3: 2 nan nan");
  SondeType types[] = { sonde_type_tensor (x->dtype, &x->shape),
                        sonde_type_tensor (indices->dtype, &indices->shape) };
  SondeGraphValue *values[] = { sonde_graph_add_input (graph, "x", &types[0]),
                                sonde_graph_add_input (graph, "i", &types[1]) };
  SondeNode *node = sonde_graph_add_node (graph, "pick", "", "Gather", values, 2, 1);
  SondeTensor *inputs[] = { x, indices };
  SondeTensor *outputs[] = { y };
  SondeKernelContext context = { node, 2, inputs, 1, outputs, 0, 0 };

  sonde_op_compute (sonde_op_table_find ("", "Gather"), &context);
  sonde_test_assert_close (y, want, 0, 0, "y");
  outputs[0] = NULL;
  g_assert_false (sonde_op_run_reference (node, inputs, 2, outputs, 1, &error));
  g_assert_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_SHAPE);
  g_assert_nonnull (strstr (error->message, "node “pick” (Gather): index 5"));
}

typedef struct
{
  const char *op, *attributes, *a, *b, *message;
} RefusedCase;

/* Sentences that a user reads: node, what does not fit, both types. */
static const RefusedCase refused[] = {
  { "Add", "", "2x3", "4x3",
    "sizes 2 and 4 differ and neither is 1 (inputs: “a” float32 2×3, “b” float32 4×3)" },
  { "Add", "int", "2", "2", "input 1 is int64, but input 0 is float32: insert a Cast" },
  { "MatMul", "", "2x3", "4x5", "the left one has 3 columns, but the right one 4 rows" },
  { "Gemm", "", "2x3", "4x5", "A has 3 columns, but B has 4 rows" },
  { "Gemm", "", "2x3x1", "3x5", "input 0 has 3 dimensions, but must have 2" },
  { "Conv", "", "1x3x8x8", "4x2x3x3",
    "the input has 3 channels, but the weight takes 2 in 1 groups" },
  { "Conv", "", "1x2x2x2", "4x2x3x3", "a window of 3 does not fit size 2 with padding 0 and 0" },
  { "Conv", "", "8x8", "3x3", "input and weight must both be [N, C, …]" },
  { "Concat", "axis", "2x3", "3x4", "input 1 has size 3 in dimension 0, where input 0 has 2" },
  { "Reshape", "int", "2x3", "1", "6 elements do not fit a shape of" },
};

static void
test_refused (gconstpointer data)
{
  const RefusedCase *row = data;
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeGraph) graph = sonde_graph_new ("refused");
  g_autoptr (SondeTensor) a = sonde_test_tensor (SONDE_DTYPE_F32, row->a);
  gboolean integers = strcmp (row->attributes, "int") == 0;
  g_autofree char *b_text = g_strconcat (row->b, ": 5", NULL);
  g_autoptr (SondeTensor) b
      = sonde_test_tensor (integers ? SONDE_DTYPE_I64 : SONDE_DTYPE_F32, b_text);
  SondeType types[]
      = { sonde_type_tensor (a->dtype, &a->shape), sonde_type_tensor (b->dtype, &b->shape) };
  SondeGraphValue *values[] = { sonde_graph_add_input (graph, "a", &types[0]),
                                sonde_graph_add_input (graph, "b", &types[1]) };
  SondeNode *node = sonde_graph_add_node (graph, "n", "", row->op, values, 2, 1);
  SondeTensor *inputs[] = { a, b };
  SondeTensor *outputs[] = { NULL };

  if (strcmp (row->attributes, "axis") == 0)
    sonde_node_set_int (node, "axis", 1);
  g_assert_false (sonde_op_run_reference (node, inputs, 2, outputs, 1, &error));
  g_assert_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_SHAPE);
  g_assert_true (g_str_has_prefix (error->message, "node “n” ("));
  if (strstr (error->message, row->message) == NULL)
    g_error ("“%s” does not say “%s”", error->message, row->message);
}

static void
add_refused (void)
{
  for (gsize i = 0; i < G_N_ELEMENTS (refused); i++)
    {
      g_autofree char *path = g_strdup_printf ("/engine/ops/refused/%s-%s-%s", refused[i].op,
                                               refused[i].a, refused[i].b);

      g_test_add_data_func (path, &refused[i], test_refused);
    }
}

/* Half precision goes through float32 and is rounded once. */
static void
test_half (void)
{
  g_autoptr (SondeGraph) graph = sonde_graph_new ("half");
  g_autoptr (SondeTensor) x = sonde_test_tensor (SONDE_DTYPE_F16, "4: 1 2 -3 65504");
  g_autoptr (SondeTensor) y = sonde_test_tensor (SONDE_DTYPE_F16, "4: 0.5 1 1 65504");
  g_autoptr (SondeTensor) want = sonde_test_tensor (SONDE_DTYPE_F16, "4: 1.5 3 -2 inf");
  SondeType type = sonde_type_tensor (x->dtype, &x->shape);
  SondeGraphValue *values[]
      = { sonde_graph_add_input (graph, "x", &type), sonde_graph_add_input (graph, "y", &type) };
  SondeNode *node = sonde_graph_add_node (graph, "sum", "", "Add", values, 2, 1);
  SondeTensor *inputs[] = { x, y };
  SondeTensor *outputs[] = { NULL };

  g_assert_true (sonde_op_run_reference (node, inputs, 2, outputs, 1, NULL));
  sonde_test_assert_close (outputs[0], want, 0, 0, "sum");
  sonde_tensor_unref (outputs[0]);
}

typedef struct
{
  const char *name; /* of a row of the table of cases */
  const OpCase *table;
  double flops;
} CostCase;

/* Multiply and add count as two. */
static const CostCase costs[] = {
  { "Add/row", op_cases_elementwise, 6 },
  { "Relu/gradient", op_cases_elementwise, 15 },
  { "Gemm/wide", op_cases_matrix, 2 * 3 * 5 * 37 },
  { "MatMul/broadcast", op_cases_matrix, 2 * 2 * 5 * 3 * 2 * 4 },
  { "Conv/uneven-pads", op_cases_matrix, 2.0 * (2 * 3 * 3 * 4) * (2 * 3 * 2) },
  { "Conv/depthwise", op_cases_matrix, 2.0 * (2 * 6 * 4 * 4) * (1 * 3 * 3) },
  { "MaxPool/gradient", op_cases_matrix, 2 * 2 * 2 * 3 * 4 },
  { "ReduceSum/rows", op_cases_matrix, 6 },
  { "sonde.SgdUpdate/momentum", op_cases_training, 12 },
};

static void
test_costs (void)
{
  for (gsize i = 0; i < G_N_ELEMENTS (costs); i++)
    {
      const OpCase *row = costs[i].table;
      g_auto (OpCaseBuilt) built = { NULL };
      SondeType inputs[OP_CASE_INPUTS], outputs[OP_CASE_OUTPUTS];
      SondeInferContext context = { .inputs = inputs, .outputs = outputs };
      SondeCost cost = { 0 };

      while (strcmp (row->name, costs[i].name) != 0)
        row++;
      op_case_build (row, SONDE_DTYPE_F32, &built);
      g_assert_true (sonde_pass_infer (built.graph, NULL, 0, NULL));
      context.node = built.node;
      context.n_inputs = built.node->inputs->len;
      context.n_outputs = built.node->outputs->len;
      for (guint k = 0; k < context.n_inputs; k++)
        inputs[k] = sonde_node_get_input (built.node, k)->type;
      for (guint k = 0; k < context.n_outputs; k++)
        outputs[k] = sonde_node_get_output (built.node, k)->type;
      sonde_op_table_find (built.node->domain, built.node->op)->cost (&context, &cost);
      g_assert_cmpfloat (cost.flops, ==, costs[i].flops);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/engine/ops/table/sound", test_table_is_sound);
  g_test_add_func ("/engine/ops/table/facts", test_facts);
  g_test_add_func ("/engine/ops/table/identities", test_identities);
  g_test_add_func ("/engine/ops/table/traits", test_traits);
  g_test_add_func ("/engine/ops/table/row-of-node", test_row_of_node);
  g_test_add_func ("/engine/ops/table/every-operator", test_every_operator);
  g_test_add_func ("/engine/ops/gather-outside", test_gather_outside);
  g_test_add_func ("/engine/ops/half-precision", test_half);
  g_test_add_func ("/engine/ops/costs", test_costs);
  add_refused ();
  op_cases_add (op_cases_elementwise);
  op_cases_add (op_cases_gradient_elements);
  op_cases_add (op_cases_gradient_linear);
  op_cases_add (op_cases_gradient_move);
  op_cases_add (op_cases_image);
  op_cases_add (op_cases_index);
  op_cases_add (op_cases_machine_learning);
  op_cases_add (op_cases_matrix);
  op_cases_add (op_cases_neural);
  op_cases_add (op_cases_quantise);
  op_cases_add (op_cases_shape);
  op_cases_add (op_cases_training);
  return g_test_run ();
}
