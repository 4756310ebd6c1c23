/* SPDX-License-Identifier: Apache-2.0
 * Each pass on small graphs made for it. */
#include "engine/ops/sonde-build.h"
#include "tests/support/sonde-test-gradient.h"
#include "tests/support/sonde-test-tensor.h"

#include <string.h>

static SondeGraphValue *
add_input (SondeGraph *graph, const char *name, const char *shape)
{
  g_autoptr (SondeTensor) like = sonde_test_tensor (SONDE_DTYPE_F32, shape);
  SondeType type = sonde_type_tensor (like->dtype, &like->shape);

  return sonde_graph_add_input (graph, name, &type);
}

/* [N, …]: the first size is the symbol N. */
static SondeGraphValue *
add_batch_input (SondeGraph *graph, const char *name, const char *shape)
{
  SondeGraphValue *value = add_input (graph, name, shape);

  value->type.dims[0].size = -1;
  value->type.dims[0].symbol = g_intern_string ("N");
  return value;
}

static SondeGraphValue *
add_parameter (SondeGraph *graph, const char *name, const char *text)
{
  g_autoptr (SondeTensor) tensor = sonde_test_tensor (SONDE_DTYPE_F32, text);

  return sonde_graph_add_initialiser (graph, name, tensor, SONDE_ROLE_PARAMETER);
}

static SondeGraphValue *
add_old (SondeGraph *graph, const char *op, int version, SondeGraphValue *a, SondeGraphValue *b)
{
  SondeGraphValue *inputs[] = { a, b };
  SondeNode *node = sonde_graph_add_node (graph, op, "", op, inputs, b ? 2 : 1, 1);

  node->version = version;
  return sonde_node_get_output (node, 0);
}

static char *
type_text (const SondeGraphValue *value)
{
  return sonde_type_to_string (&value->type);
}

static void
assert_type (const SondeGraphValue *value, const char *want)
{
  g_autofree char *got = type_text (value);

  g_assert_cmpstr (got, ==, want);
}

/* ---- check --------------------------------------------------------------- */

static void
test_check_problems (void)
{
  g_autoptr (SondeGraph) graph = sonde_graph_new ("bad");
  g_autoptr (GPtrArray) problems
      = g_ptr_array_new_with_free_func ((GDestroyNotify) sonde_message_free);
  SondeGraphValue *x = add_input (graph, "x", "2x2");
  SondeGraphValue *lost = sonde_graph_add_value (graph, "lost", NULL);
  SondeGraphValue *y = NULL;
  const char *const wanted[] = {
    "node “r” (Relu) has 2 inputs, but may have at most 1",
    "node “g” (Gemm) has an attribute “colour”, which the operator does not have",
    "node “g” (Gemm) has a string for “alpha”, but it must be a float",
    "node “c” (Concat) lacks the attribute “axis”",
    "node “p” (MaxPool) has strides = 0, but it must be from 1 to 2147483647",
    "node “u” (Blur) has an operator that is not implemented",
    "node “r” (Relu) reads “lost”, which no node produces",
  };
  SondeGraphValue *pair[] = { x, lost };

  sonde_graph_add_node (graph, "r", "", "Relu", pair, 2, 1);
  pair[1] = x;
  sonde_graph_add_node (graph, "g", "", "Gemm", pair, 2, 1);
  sonde_node_set_int (sonde_graph_find_node (graph, "g"), "colour", 3);
  sonde_node_set_string (sonde_graph_find_node (graph, "g"), "alpha", "much");
  sonde_graph_add_node (graph, "c", "", "Concat", pair, 2, 1);
  sonde_graph_add_node (graph, "p", "", "MaxPool", pair, 1, 1);
  sonde_node_set_ints (sonde_graph_find_node (graph, "p"), "kernel_shape", (gint64[]){ 2, 2 }, 2);
  sonde_node_set_ints (sonde_graph_find_node (graph, "p"), "strides", (gint64[]){ 1, 0 }, 2);
  y = sonde_node_get_output (sonde_graph_add_node (graph, "u", "", "Blur", pair, 1, 1), 0);
  sonde_graph_add_output (graph, y);

  g_assert_false (sonde_pass_check (graph, problems));
  for (gsize i = 0; i < G_N_ELEMENTS (wanted); i++)
    {
      gboolean found = FALSE;

      for (guint k = 0; k < problems->len; k++)
        {
          g_autofree char *text = sonde_message_dup_english (problems->pdata[k]);

          found |= strcmp (text, wanted[i]) == 0;
        }
      if (!found)
        {
          g_test_message ("missing: %s", wanted[i]);
          g_test_fail ();
        }
    }
  g_assert_cmpuint (problems->len, ==, G_N_ELEMENTS (wanted));
}

static void
test_check_cycle (void)
{
  g_autoptr (SondeGraph) graph = sonde_graph_new ("cycle");
  g_autoptr (GPtrArray) problems
      = g_ptr_array_new_with_free_func ((GDestroyNotify) sonde_message_free);
  SondeGraphValue *x = add_input (graph, "x", "2");
  SondeGraphValue *a = sonde_build_binary (graph, "Add", x, x);
  SondeGraphValue *b = sonde_build_unary (graph, "Relu", a);
  g_autofree char *text = NULL;

  g_assert_true (sonde_pass_check (graph, problems));
  sonde_node_set_input (graph, a->producer, 1, b);
  g_assert_false (sonde_pass_check (graph, problems));
  g_assert_cmpuint (problems->len, ==, 1);
  text = sonde_message_dup_english (problems->pdata[0]);
  g_assert_nonnull (strstr (text, "Relu"));
}

/* A graph with a million mistakes makes a readable list. */
static void
test_check_limit (void)
{
  g_autoptr (SondeGraph) graph = sonde_graph_new ("many");
  g_autoptr (GPtrArray) problems
      = g_ptr_array_new_with_free_func ((GDestroyNotify) sonde_message_free);
  SondeGraphValue *x = add_input (graph, "x", "2");

  for (int i = 0; i < 1500; i++)
    sonde_graph_add_node (graph, NULL, "", "Nonsense", &x, 1, 1);
  g_assert_false (sonde_pass_check (graph, problems));
  g_assert_cmpuint (problems->len, ==, 1000);
}

/* ---- legalise ------------------------------------------------------------ */

static void
test_legalise_unknown (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeGraph) graph = sonde_graph_new ("unknown");
  SondeGraphValue *x = add_input (graph, "x", "2");

  sonde_graph_set_opset (graph, "", 17);
  sonde_graph_set_opset (graph, "acme", 2);
  sonde_graph_add_node (graph, NULL, "", "Blur", &x, 1, 1);
  sonde_graph_add_node (graph, NULL, "acme", "Sparkle", &x, 1, 1);
  sonde_graph_add_node (graph, NULL, "", "Blur", &x, 1, 1);
  g_assert_false (sonde_pass_legalise (graph, &error));
  g_assert_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_UNSUPPORTED);
  g_assert_cmpstr (error->message, ==,
                   "operators that are not implemented: Blur (version 17), 2 nodes; "
                   "acme.Sparkle (version 2), 1 node");
}

/* The node gets its new form, says so, and its version is the current one. */
static void
test_legalise_clip (void)
{
  g_autoptr (SondeGraph) graph = sonde_graph_new ("clip");
  g_autoptr (SondeGraph) executed = NULL;
  SondeGraphValue *y = NULL;
  SondeNode *node = NULL;

  sonde_graph_set_opset (graph, "", 6);
  y = add_old (graph, "Clip", 6, add_input (graph, "x", "2"), NULL);
  sonde_node_set_float (y->producer, "max", 6);
  executed = sonde_graph_copy (graph, TRUE);
  g_assert_true (sonde_pass_legalise (executed, NULL));
  node = sonde_graph_find_node (executed, "Clip");
  g_assert_cmpuint (node->inputs->len, ==, 3);
  g_assert_null (node->inputs->pdata[1]);
  g_assert_cmpfloat (sonde_tensor_get_double (
                         sonde_value_get_tensor (sonde_node_get_input (node, 2)->constant), 0),
                     ==, 6);
  g_assert_cmpuint (node->attributes->len, ==, 0);
  g_assert_cmpint (node->origin_kind, ==, SONDE_ORIGIN_LEGALISED);
  g_assert_cmpstr (node->origins->pdata[0], ==, "Clip");
  g_assert_cmpint (node->version, >=, 21);
  g_assert_cmpint (sonde_graph_get_opset (executed, ""), >=, 21);
  g_assert_nonnull (sonde_node_find_attribute (sonde_graph_find_node (graph, "Clip"), "max"));
}

/* Softmax of version 11 over [2, 2, 2] with axis 1 normalises four elements together. */
static void
test_legalise_softmax (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeGraph) graph = sonde_graph_new ("softmax");
  g_autoptr (GHashTable) feeds = sonde_test_feeds_new ();
  g_autoptr (GHashTable) values = NULL;
  g_autoptr (SondeTensor) x = sonde_test_tensor (SONDE_DTYPE_F32, "2x2x2: 0 0 0 0 5 5 5 5");
  g_autoptr (SondeTensor) want = sonde_test_tensor (SONDE_DTYPE_F32, "2x2x2: 0.25");
  SondeGraphValue *y = add_old (graph, "Softmax", 11, add_input (graph, "x", "2x2x2"), NULL);

  sonde_graph_rename_value (graph, y, "y");
  sonde_graph_add_output (graph, y);
  sonde_test_feeds_set (feeds, "x", x);
  g_assert_true (sonde_pass_legalise (graph, &error));
  g_assert_true (sonde_pass_infer (graph, NULL, 0, &error));
  values = sonde_test_evaluate (graph, feeds, &error);
  g_assert_no_error (error);
  g_assert_true (sonde_graph_find_value (graph, "y") == graph->outputs->pdata[0]);
  sonde_test_assert_close (g_hash_table_lookup (values, sonde_graph_find_value (graph, "y")), want,
                           1e-6, 0, "y");
  g_assert_cmpuint (sonde_graph_count_nodes (graph), ==, 4);
}

/* ---- infer --------------------------------------------------------------- */

/* Symbols go through; a binding makes numbers of them, and another one other numbers. */
static void
test_infer_symbols (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeGraph) graph = sonde_graph_new ("symbols");
  SondeGraphValue *x = add_batch_input (graph, "x", "1x3x4");
  SondeGraphValue *flat = sonde_build_unary (graph, "Flatten", x);
  SondeGraphValue *y
      = sonde_build_binary (graph, "MatMul", flat, add_parameter (graph, "w", "12x5: 1"));
  SondeBinding binding = { "x", sonde_type_unknown () };

  g_assert_true (sonde_pass_infer (graph, NULL, 0, &error));
  assert_type (y, "float32 N×5");
  for (int n = 2; n < 4; n++)
    {
      SondeShape shape = sonde_shape_make (3, n, 3, 4);
      g_autofree char *want = g_strdup_printf ("float32 %d×5", n);
      SondeShape got;

      binding.type = sonde_type_tensor (SONDE_DTYPE_F32, &shape);
      g_assert_true (sonde_pass_infer (graph, &binding, 1, &error));
      g_assert_true (sonde_type_get_shape (&y->type, &got));
      g_assert_cmpint (got.dims[0], ==, n);
    }
  binding.type.dims[1].size = 7;
  g_assert_false (sonde_pass_infer (graph, &binding, 1, &error));
  g_assert_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_SHAPE);
  g_assert_nonnull (strstr (error->message, "input “x” is float32 3×7×4, but the model takes"));
}

/* A file that calls two sizes N which are not the same is wrong about the name only. */
static void
test_infer_false_symbol (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeGraph) graph = sonde_graph_new ("false");
  SondeGraphValue *x = add_batch_input (graph, "x", "1x3"),
                  *y = add_batch_input (graph, "y", "1x4");
  SondeGraphValue *left = sonde_build_unary (graph, "Relu", x),
                  *right = sonde_build_unary (graph, "Relu", y);
  SondeShape shape = sonde_shape_make (2, 2, 3), other = sonde_shape_make (2, 5, 4), got;
  SondeBinding bindings[] = { { "x", sonde_type_tensor (SONDE_DTYPE_F32, &shape) },
                              { "y", sonde_type_tensor (SONDE_DTYPE_F32, &other) } };

  g_test_expect_message (NULL, G_LOG_LEVEL_MESSAGE,
                         "*input “y”: dimension 0 is declared as “N”*2 elsewhere, and is 5*");
  g_assert_true (sonde_pass_infer (graph, bindings, 2, &error));
  g_test_assert_expected_messages ();
  g_assert_no_error (error);
  g_assert_true (sonde_type_get_shape (&left->type, &got));
  g_assert_cmpint (got.dims[0], ==, 2);
  g_assert_true (sonde_type_get_shape (&right->type, &got));
  g_assert_cmpint (got.dims[0], ==, 5);
}

/* So is one that declares another size of an output than its node makes. */
static void
test_infer_false_output (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeGraph) graph = sonde_graph_new ("false");
  SondeGraphValue *y = sonde_build_unary (graph, "Relu", add_batch_input (graph, "x", "1x3"));
  SondeShape shape = sonde_shape_make (2, 4, 3), declared = sonde_shape_make (2, 1, 3), got;
  SondeBinding binding = { "x", sonde_type_tensor (SONDE_DTYPE_F32, &shape) };

  sonde_graph_rename_value (graph, y, "y");
  y->type = sonde_type_tensor (SONDE_DTYPE_F32, &declared);
  sonde_graph_add_output (graph, y);
  g_test_expect_message (NULL, G_LOG_LEVEL_MESSAGE,
                         "*output “y”: dimension 0 is declared as 1 and is 4*");
  g_assert_true (sonde_pass_infer (graph, &binding, 1, &error));
  g_test_assert_expected_messages ();
  g_assert_no_error (error);
  g_assert_true (sonde_type_get_shape (&y->type, &got));
  g_assert_cmpint (got.dims[0], ==, 4);
}

/* The sum of two sizes called N is not called N. */
static void
test_infer_sum_of_symbols (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeGraph) graph = sonde_graph_new ("sum");
  SondeGraphValue *x = add_batch_input (graph, "x", "1x3");
  SondeGraphValue *twice = sonde_build_binary (graph, "Concat", x, x);
  SondeBinding binding = { "x", sonde_type_unknown () };

  sonde_node_set_int (twice->producer, "axis", 0);
  for (int n = 2; n < 4; n++)
    {
      SondeShape shape = sonde_shape_make (2, n, 3), got;

      binding.type = sonde_type_tensor (SONDE_DTYPE_F32, &shape);
      g_assert_true (sonde_pass_infer (graph, &binding, 1, &error));
      g_assert_true (sonde_type_get_shape (&twice->type, &got));
      g_assert_cmpint (got.dims[0], ==, 2 * n);
    }
}

/* x -> Shape -> Gather -> Concat -> Reshape: what exporters write for x.view (n, -1). */
static void
test_infer_computed_shape (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeGraph) graph = sonde_graph_new ("computed");
  SondeGraphValue *x = add_batch_input (graph, "x", "1x3x4");
  gint64 zero = 0, rest = -1;
  SondeGraphValue *parts[2], *shape = NULL, *y = NULL;
  SondeShape three = sonde_shape_make (3, 3, 3, 4);
  SondeBinding binding = { "x", sonde_type_tensor (SONDE_DTYPE_F32, &three) };

  parts[0] = sonde_build_binary (graph, "Gather", sonde_build_unary (graph, "Shape", x),
                                 sonde_build_ints (graph, &zero, 1));
  parts[1] = sonde_build_ints (graph, &rest, 1);
  shape = sonde_build_op (graph, NULL, "", "Concat", 2, parts);
  sonde_node_set_int (shape->producer, "axis", 0);
  y = sonde_build_binary (graph, "Reshape", x, shape);
  g_assert_true (sonde_pass_infer (graph, NULL, 0, &error));
  g_assert_cmpint (y->type.rank, ==, 2);
  g_assert_true (sonde_pass_infer (graph, &binding, 1, &error));
  g_assert_cmpint (y->type.dims[0].size, ==, 3);
  g_assert_cmpint (y->type.dims[1].size, ==, 12);
}

static void
test_infer_error (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeGraph) graph = sonde_graph_new ("error");
  SondeGraphValue *pair[] = { add_input (graph, "a", "2x3"), add_input (graph, "b", "4x3") };

  sonde_graph_add_node (graph, "join", "", "Add", pair, 2, 1);
  g_assert_false (sonde_pass_infer (graph, NULL, 0, &error));
  g_assert_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_SHAPE);
  g_assert_cmpstr (error->message, ==,
                   "node “join” (Add): float32 2×3 and float32 4×3 do not broadcast: sizes 2 and 4 "
                   "differ and neither "
                   "is 1 (inputs: “a” float32 2×3, “b” float32 4×3)");
}

/* A file may ask for anything: sizes that multiply past counting are refused, not taken. */
static void
test_infer_huge (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeGraph) graph = sonde_graph_new ("huge");
  gint64 sizes[] = { G_GINT64_CONSTANT (1) << 40, G_GINT64_CONSTANT (1) << 40 };

  sonde_graph_add_node (graph, "huge", "", "ConstantOfShape",
                        (SondeGraphValue *[]){ sonde_build_ints (graph, sizes, 2) }, 1, 1);
  g_assert_false (sonde_pass_infer (graph, NULL, 0, &error));
  g_assert_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_SHAPE);
}

/* ---- fold, prune --------------------------------------------------------- */

static void
test_fold (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeGraph) graph = sonde_graph_new ("fold");
  SondeGraphValue *x = add_input (graph, "x", "2");
  SondeGraphValue *two = sonde_build_scalar (graph, SONDE_DTYPE_F32, 2);
  SondeGraphValue *four = sonde_build_binary (graph, "Mul", two, two);
  SondeGraphValue *root = sonde_build_unary (graph, "Sqrt", four);
  SondeGraphValue *w = sonde_build_unary (graph, "Neg", add_parameter (graph, "w", "2: 1"));
  SondeGraphValue *y
      = sonde_build_binary (graph, "Mul", sonde_build_binary (graph, "Add", x, root), w);

  sonde_graph_add_output (graph, y);
  sonde_graph_rename_value (graph, root, "root");
  g_assert_true (sonde_pass_fold (graph, &error));
  root = sonde_graph_find_value (graph, "root");
  g_assert_null (root->producer);
  g_assert_cmpint (root->role, ==, SONDE_ROLE_CONSTANT);
  g_assert_cmpfloat (sonde_tensor_get_double (sonde_value_get_tensor (root->constant), 0), ==, 2);
  g_assert_nonnull (w->producer); /* a parameter changes while it is trained */
  g_assert_cmpuint (sonde_graph_count_nodes (graph), ==, 3);
}

static void
test_prune (void)
{
  g_autoptr (SondeGraph) graph = sonde_graph_new ("prune");
  g_autoptr (GPtrArray) names = g_ptr_array_new ();
  SondeGraphValue *x = add_input (graph, "x", "2");
  SondeGraphValue *y = sonde_build_unary (graph, "Relu", x);
  SondeGraphValue *w = add_parameter (graph, "w", "2: 1");
  SondeGraphValue *update = sonde_build_unary (graph, "Neg", w);
  SondeGraphValue *dead
      = sonde_build_binary (graph, "Add", y, sonde_build_scalar (graph, SONDE_DTYPE_F32, 1));

  sonde_graph_rename_value (graph, dead, "dead");
  sonde_build_binary (graph, "Mul", dead, dead);
  sonde_graph_add_output (graph, y);
  update->update_of = w;
  g_ptr_array_add (names, (char *) "dead");
  g_ptr_array_add (names, (char *) "was never there");
  sonde_pass_dce_keeping (graph, names); /* its reader goes */
  g_assert_cmpuint (sonde_graph_count_nodes (graph), ==, 3);
  g_assert_nonnull (sonde_graph_find_value (graph, "dead"));
  sonde_pass_dce (graph);
  g_assert_cmpuint (sonde_graph_count_nodes (graph), ==, 2);
  g_assert_null (sonde_graph_find_value (graph, "dead"));
  g_assert_null (sonde_graph_find_value (graph, "constant"));
  g_assert_nonnull (sonde_graph_find_value (graph, "w"));
  sonde_pass_dce (graph);
  g_assert_cmpuint (sonde_graph_count_nodes (graph), ==, 2);
}

/* ---- gradient ------------------------------------------------------------ */

static SondeGraphValue *
sum_all (SondeGraph *graph, SondeGraphValue *x)
{
  SondeGraphValue *sum = sonde_build_unary (graph, "ReduceSum", x);

  sonde_node_set_int (sum->producer, "keepdims", 0);
  g_assert_true (sonde_build_infer (graph, sum->producer, NULL));
  return sum;
}

/* y = x·x + x, a residual and a shared operand: three paths into x. */
static void
test_gradient_paths (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeGraph) graph = sonde_graph_new ("paths");
  g_autoptr (GHashTable) feeds = sonde_test_feeds_new ();
  g_autoptr (GHashTable) values = NULL;
  g_autoptr (SondeTensor) x_tensor = sonde_test_tensor (SONDE_DTYPE_F32, "3: 1 2 -3");
  g_autoptr (SondeTensor) want = sonde_test_tensor (SONDE_DTYPE_F32, "3: 3 5 -5");
  SondeGraphValue *x = add_input (graph, "x", "3"), *gradient = NULL;
  SondeGraphValue *loss = sum_all (
      graph, sonde_build_binary (graph, "Add", sonde_build_binary (graph, "Mul", x, x), x));

  sonde_graph_rename_value (graph, loss, "loss");
  g_assert_true (sonde_pass_gradient (graph, loss, NULL, &x, 1, &gradient, &error));
  g_assert_cmpstr (gradient->name, ==, "grad(x)");
  g_assert_nonnull (sonde_graph_find_value (graph, "grad(loss)"));
  g_assert_true (sonde_pass_infer (graph, NULL, 0, &error));
  sonde_test_feeds_set (feeds, "x", x_tensor);
  values = sonde_test_evaluate (graph, feeds, &error);
  g_assert_no_error (error);
  sonde_test_assert_close (g_hash_table_lookup (values, gradient), want, 0, 0, "grad(x)");
}

/* Phase, name and origin of every new node; the forward ones stay as they are. */
static void
test_gradient_provenance (void)
{
  g_autoptr (SondeGraph) graph = sonde_graph_new ("provenance");
  SondeGraphValue *x = add_batch_input (graph, "x", "1x4");
  SondeGraphValue *w = add_parameter (graph, "w", "4x3: 1"),
                  *b = add_parameter (graph, "b", "3: 0");
  SondeGraphValue *inputs[] = { x, w, b }, *wanted[] = { w, b }, *gradients[2];
  SondeNode *gemm = sonde_graph_add_node (graph, "fc", "", "Gemm", inputs, 3, 1);
  guint first;
  g_autofree char *text = NULL;

  g_assert_true (sonde_build_infer (graph, gemm, NULL));
  inputs[0] = sum_all (graph, sonde_build_unary (graph, "Tanh", sonde_node_get_output (gemm, 0)));
  first = graph->nodes->len;
  g_assert_true (sonde_pass_gradient (graph, inputs[0], NULL, wanted, 2, gradients, NULL));
  for (guint id = 0; id < graph->nodes->len; id++)
    {
      SondeNode *node = graph->nodes->pdata[id];

      g_assert_cmpint (node->phase, ==, id < first ? SONDE_PHASE_FORWARD : SONDE_PHASE_BACKWARD);
      g_assert_cmpint (node->origin_kind == SONDE_ORIGIN_GRADIENT, ==, id >= first);
    }
  g_assert_cmpstr (gradients[0]->name, ==, "grad(w)");
  g_assert_cmpstr (gradients[1]->name, ==, "grad(b)");
  text = sonde_node_describe_origin (gradients[0]->producer);
  g_assert_cmpstr (text, ==, "gradient of fc, input 1");
  g_assert_cmpstr (gradients[1]->producer->op, ==, "ReduceSum");
  assert_type (gradients[0], "float32 4×3");
  assert_type (gradients[1], "float32 3");
  /* Nobody wants d/dx, so nothing computes it. */
  g_assert_null (sonde_graph_find_value (graph, "grad(x)"));
}

/* Both operands of Add get the same gradient; each wanted one has a name of its own. */
static void
test_gradient_names (void)
{
  g_autoptr (SondeGraph) graph = sonde_graph_new ("names");
  SondeGraphValue *wanted[] = { add_input (graph, "a", "2"), add_input (graph, "b", "2"), NULL },
                  *gradients[3];
  SondeGraphValue *sum = sonde_build_binary (graph, "Add", wanted[0], wanted[1]);

  sonde_graph_rename_value (graph, sum, "sum");
  wanted[2] = sum;
  g_assert_true (
      sonde_pass_gradient (graph, sum_all (graph, sum), NULL, wanted, 3, gradients, NULL));
  g_assert_cmpstr (gradients[0]->name, ==, "grad(a)");
  g_assert_cmpstr (gradients[1]->name, ==, "grad(b)");
  g_assert_cmpstr (gradients[2]->name, ==, "grad(sum)");
}

static void
test_gradient_zero (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeGraph) graph = sonde_graph_new ("zero");
  SondeGraphValue *wanted[] = { add_input (graph, "x", "2"), add_input (graph, "other", "2x3") },
                  *gradients[2];
  SondeGraphValue *loss = sum_all (graph, sonde_build_unary (graph, "Floor", wanted[0]));
  SondeTensor *zeros = NULL;

  g_assert_true (sonde_pass_gradient (graph, loss, NULL, wanted, 2, gradients, &error));
  g_assert_cmpstr (gradients[1]->name, ==, "grad(other)");
  zeros = sonde_value_get_tensor (gradients[1]->constant);
  g_assert_cmpint (sonde_tensor_n_elements (zeros), ==, 6);
  g_assert_cmpfloat (sonde_tensor_get_double (zeros, 5), ==, 0);
}

/* The first operator on the path that has no rule is named. */
static void
test_gradient_unsupported (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeGraph) graph = sonde_graph_new ("unsupported");
  SondeGraphValue *x = add_input (graph, "x", "2"), *gradient = NULL;
  SondeGraphValue *bits = sonde_build_unary (graph, "BitCast", x);

  sonde_node_set_int (bits->producer, "to", 1);
  g_assert_true (sonde_build_infer (graph, bits->producer, NULL));
  sonde_graph_rename_node (graph, bits->producer, "bits");
  g_assert_false (
      sonde_pass_gradient (graph, sum_all (graph, bits), NULL, &x, 1, &gradient, &error));
  g_assert_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_UNSUPPORTED);
  g_assert_nonnull (strstr (error->message, "node “bits”: the operator BitCast has no gradient"));
}

/* With a seed the target may have any shape. */
static void
test_gradient_seed (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeGraph) graph = sonde_graph_new ("seed");
  g_autoptr (GHashTable) feeds = sonde_test_feeds_new ();
  g_autoptr (GHashTable) values = NULL;
  g_autoptr (SondeTensor) x_tensor = sonde_test_tensor (SONDE_DTYPE_F32, "2: 1 2");
  g_autoptr (SondeTensor) seed_tensor = sonde_test_tensor (SONDE_DTYPE_F32, "2: 10 100");
  g_autoptr (SondeTensor) want = sonde_test_tensor (SONDE_DTYPE_F32, "2: 20 400");
  SondeGraphValue *x = add_input (graph, "x", "2"), *seed = add_input (graph, "seed", "2"),
                  *gradient = NULL;

  g_assert_true (sonde_pass_gradient (graph, sonde_build_binary (graph, "Mul", x, x), seed, &x, 1,
                                      &gradient, &error));
  sonde_test_feeds_set (feeds, "x", x_tensor);
  sonde_test_feeds_set (feeds, "seed", seed_tensor);
  values = sonde_test_evaluate (graph, feeds, &error);
  g_assert_no_error (error);
  sonde_test_assert_close (g_hash_table_lookup (values, gradient), want, 0, 0, "grad(x)");
}

/* One graph of gradients serves every batch size. */
static void
test_gradient_symbolic_batch (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeGraph) graph = sonde_graph_new ("batch");
  SondeGraphValue *x = add_batch_input (graph, "x", "1x4"),
                  *w = add_parameter (graph, "w", "4x3: 1 2 3 4 5 6 7 8 9 1 2 3");
  SondeGraphValue *shift = add_parameter (graph, "shift", "1x3: 1"), *gradients[2],
                  *wanted[] = { w, shift };
  SondeGraphValue *y
      = sonde_build_binary (graph, "Add", sonde_build_binary (graph, "MatMul", x, w), shift);
  SondeGraphValue *mean
      = sonde_build_unary (graph, "ReduceMean", sonde_build_unary (graph, "Flatten", y));

  g_assert_true (sonde_pass_gradient (graph, mean, NULL, wanted, 2, gradients, &error));
  for (int n = 1; n < 4; n++)
    {
      SondeShape shape = sonde_shape_make (2, n, 4);
      g_autoptr (SondeTensor) ones = sonde_tensor_new (SONDE_DTYPE_F32, &shape);
      g_autoptr (SondeTensor) want = sonde_test_tensor (SONDE_DTYPE_F32, "1x3: 0.33333333");
      SondeBinding binding = { "x", sonde_type_tensor (SONDE_DTYPE_F32, &shape) };
      g_autoptr (GHashTable) feeds = sonde_test_feeds_new ();
      g_autoptr (GHashTable) values = NULL;

      g_assert_true (sonde_pass_infer (graph, &binding, 1, &error));
      assert_type (gradients[0], "float32 4×3");
      sonde_test_feeds_set (feeds, "x", ones);
      values = sonde_test_evaluate (graph, feeds, &error);
      g_assert_no_error (error);
      sonde_test_assert_close (g_hash_table_lookup (values, gradients[1]), want, 1e-6, 0,
                               "grad(shift)");
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/engine/passes/check/problems", test_check_problems);
  g_test_add_func ("/engine/passes/check/cycle", test_check_cycle);
  g_test_add_func ("/engine/passes/check/limit", test_check_limit);
  g_test_add_func ("/engine/passes/legalise/unknown", test_legalise_unknown);
  g_test_add_func ("/engine/passes/legalise/clip", test_legalise_clip);
  g_test_add_func ("/engine/passes/legalise/softmax", test_legalise_softmax);
  g_test_add_func ("/engine/passes/infer/symbols", test_infer_symbols);
  g_test_add_func ("/engine/passes/infer/false-symbol", test_infer_false_symbol);
  g_test_add_func ("/engine/passes/infer/false-output", test_infer_false_output);
  g_test_add_func ("/engine/passes/infer/sum-of-symbols", test_infer_sum_of_symbols);
  g_test_add_func ("/engine/passes/infer/computed-shape", test_infer_computed_shape);
  g_test_add_func ("/engine/passes/infer/error", test_infer_error);
  g_test_add_func ("/engine/passes/infer/huge", test_infer_huge);
  g_test_add_func ("/engine/passes/fold", test_fold);
  g_test_add_func ("/engine/passes/prune", test_prune);
  g_test_add_func ("/engine/passes/gradient/paths", test_gradient_paths);
  g_test_add_func ("/engine/passes/gradient/provenance", test_gradient_provenance);
  g_test_add_func ("/engine/passes/gradient/names", test_gradient_names);
  g_test_add_func ("/engine/passes/gradient/zero", test_gradient_zero);
  g_test_add_func ("/engine/passes/gradient/unsupported", test_gradient_unsupported);
  g_test_add_func ("/engine/passes/gradient/seed", test_gradient_seed);
  g_test_add_func ("/engine/passes/gradient/symbolic-batch", test_gradient_symbolic_batch);
  return g_test_run ();
}
