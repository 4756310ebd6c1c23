/* SPDX-License-Identifier: Apache-2.0
 * Calls of functions: what stands in their place afterwards, and what is refused. */
#include "tests/support/sonde-test-gradient.h"
#include "tests/support/sonde-test-tensor.h"

#include <string.h>

#define DOMAIN "test"

/* A function with inputs x0 … and one node: y = OP (inputs). */
static SondeFunction *
add_function (SondeGraph *graph, const char *name, const char *domain, const char *op,
              guint n_inputs)
{
  SondeFunction *function = sonde_function_new (DOMAIN, name, NULL);
  SondeGraph *body = function->body;
  SondeNode *node = NULL;

  g_ptr_array_add (graph->functions, function);
  sonde_graph_set_opset (body, "", 17);
  for (guint k = 0; k < n_inputs; k++)
    {
      g_autofree char *input = g_strdup_printf ("x%u", k);

      sonde_graph_add_input (body, input, NULL);
    }
  node = sonde_graph_add_node (body, op, domain, op, (SondeGraphValue **) body->inputs->pdata,
                               n_inputs, 1);
  sonde_graph_rename_value (body, sonde_node_get_output (node, 0), "y");
  sonde_graph_add_output (body, sonde_node_get_output (node, 0));
  return function;
}

static SondeGraph *
new_graph (void)
{
  SondeGraph *graph = sonde_graph_new ("main");
  g_autoptr (SondeTensor) like = sonde_test_tensor (SONDE_DTYPE_F32, "[0, 0, 0]");
  SondeType type = sonde_type_tensor (like->dtype, &like->shape);

  sonde_graph_set_opset (graph, "", 17);
  sonde_graph_set_opset (graph, DOMAIN, 1);
  sonde_graph_add_input (graph, "x", &type);
  return graph;
}

static SondeNode *
add_call (SondeGraph *graph, const char *name, const char *op, const char *input)
{
  SondeGraphValue *x = sonde_graph_find_value (graph, input);

  return sonde_graph_add_node (graph, name, DOMAIN, op, &x, 1, 1);
}

static SondeNode *
body_node (SondeFunction *function)
{
  return function->body->nodes->pdata[0];
}

static void
refer (SondeNode *node, const char *name, const char *to)
{
  SondeAttribute *attribute = sonde_attribute_new (name, SONDE_ATTRIBUTE_REFERENCE);

  attribute->u.string = g_strdup (to);
  attribute->reference_kind = SONDE_ATTRIBUTE_FLOAT;
  sonde_node_take_attribute (node, attribute);
}

static void
assert_refused (SondeGraph *graph, const char *sentence)
{
  g_autoptr (GError) error = NULL;

  g_assert_false (sonde_pass_inline (graph, &error));
  g_assert_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_INVALID);
  g_assert_nonnull (strstr (error->message, sentence));
}

/* Two levels: names, scopes, origins, versions. */
static void
test_names (void)
{
  g_autoptr (SondeGraph) original = new_graph (), graph = NULL;
  SondeFunction *inner = add_function (original, "Inner", "", "Relu", 1);
  SondeNode *call = NULL, *node = NULL;
  g_autoptr (GError) error = NULL;

  sonde_graph_set_opset (inner->body, "", 13);
  body_node (inner)->version = 13;
  (void) add_function (original, "Outer", DOMAIN, "Inner", 1);
  call = add_call (original, "/block/call", "Outer", "x");
  sonde_graph_rename_value (original, sonde_node_get_output (call, 0), "result");
  sonde_graph_add_output (original, sonde_node_get_output (call, 0));
  graph = sonde_graph_copy (original, TRUE);
  g_assert_true (sonde_pass_inline (graph, &error));
  g_assert_no_error (error);

  g_assert_cmpuint (sonde_graph_count_nodes (graph), ==, 1);
  g_assert_cmpuint (graph->functions->len, ==, 0);
  node = sonde_graph_find_node (graph, "/block/call/Inner/Relu");
  g_assert_nonnull (node);
  g_assert_cmpstr (node->op, ==, "Relu");
  g_assert_cmpint (node->version, ==, 13);
  g_assert_cmpstr (node->scope, ==, "block/call/Inner");
  g_assert_cmpint (node->origin_kind, ==, SONDE_ORIGIN_DECOMPOSED);
  g_assert_cmpuint (node->origins->len, ==, 1);
  g_assert_cmpstr (node->origins->pdata[0], ==, "/block/call");
  g_assert_true (sonde_node_get_output (node, 0) == sonde_graph_find_value (graph, "result"));
}

/* The caller's value, the default, none. */
static void
test_attributes (void)
{
  g_autoptr (SondeGraph) graph = new_graph ();
  SondeFunction *function = add_function (graph, "Leak", "", "LeakyRelu", 1);
  SondeFunction *plain = add_function (graph, "Plain", "", "LeakyRelu", 1);
  SondeAttribute *fallback = sonde_attribute_new ("slope", SONDE_ATTRIBUTE_FLOAT);
  SondeNode *given = add_call (graph, "given", "Leak", "x");
  g_autoptr (GError) error = NULL;

  fallback->u.f = 0.25;
  g_ptr_array_add (function->defaults, fallback);
  refer (body_node (function), "alpha", "slope");
  refer (body_node (plain), "alpha", "slope");
  sonde_node_set_float (given, "slope", 0.5);
  (void) add_call (graph, "default", "Leak", "x");
  (void) add_call (graph, "none", "Plain", "x");
  g_assert_true (sonde_pass_inline (graph, &error));
  g_assert_no_error (error);
  g_assert_cmpfloat (
      sonde_node_get_float (sonde_graph_find_node (graph, "given/LeakyRelu"), "alpha", 0), ==, 0.5);
  g_assert_cmpfloat (
      sonde_node_get_float (sonde_graph_find_node (graph, "default/LeakyRelu"), "alpha", 0), ==,
      0.25);
  g_assert_null (
      sonde_node_find_attribute (sonde_graph_find_node (graph, "none/LeakyRelu"), "alpha"));
}

static void
test_wrong_attribute (void)
{
  g_autoptr (SondeGraph) graph = new_graph ();
  SondeFunction *function = add_function (graph, "Leak", "", "LeakyRelu", 1);
  SondeNode *call = add_call (graph, "call", "Leak", "x");

  refer (body_node (function), "alpha", "slope");
  sonde_node_set_int (call, "slope", 1);
  assert_refused (graph, "of a kind other than");
}

/* An input left out is absent inside; one that is handed on becomes Identity. */
static void
test_absent_input (void)
{
  g_autoptr (SondeGraph) graph = new_graph ();
  SondeFunction *function = add_function (graph, "Limit", "", "Clip", 3);
  SondeNode *call = add_call (graph, "call", "Limit", "x"), *clip = NULL, *identity = NULL;
  SondeGraphValue *same = sonde_graph_add_value (graph, "same", NULL);
  g_autoptr (GError) error = NULL;

  sonde_graph_add_output (function->body, function->body->inputs->pdata[0]);
  sonde_node_set_output (graph, call, 1, same);
  g_assert_true (sonde_pass_inline (graph, &error));
  g_assert_no_error (error);
  clip = sonde_graph_find_node (graph, "call/Clip");
  g_assert_nonnull (sonde_node_get_input (clip, 0));
  g_assert_null (sonde_node_get_input (clip, 1));
  g_assert_null (sonde_node_get_input (clip, 2));
  identity = same->producer;
  g_assert_cmpstr (identity->op, ==, "Identity");
  g_assert_true (sonde_node_get_input (identity, 0) == sonde_graph_find_value (graph, "x"));
}

/* y = If (c) then { Inner (outer) } else { outer }, in a function: captures lead to the caller's
 * values. */
static void
test_subgraph (void)
{
  g_autoptr (SondeGraph) graph = new_graph ();
  SondeFunction *function = sonde_function_new (DOMAIN, "Choose", NULL);
  SondeGraph *body = function->body, *then = NULL, *otherwise = NULL;
  SondeGraphValue *inputs[2] = { NULL }, *captured = NULL;
  SondeNode *node = NULL, *inside = NULL;
  g_autoptr (GError) error = NULL;

  (void) add_function (graph, "Inner", "", "Neg", 1);
  g_ptr_array_add (graph->functions, function);
  sonde_graph_set_opset (body, "", 17);
  inputs[0] = sonde_graph_add_input (body, "c", NULL);
  (void) sonde_graph_add_input (body, "outer", NULL);
  node = sonde_graph_add_node (body, "if", "", "If", inputs, 1, 1);
  sonde_graph_add_output (body, sonde_node_get_output (node, 0));
  then = sonde_graph_new_subgraph (body, "then");
  captured = sonde_graph_capture_value (then, "outer");
  sonde_graph_add_output (
      then, sonde_node_get_output (
                sonde_graph_add_node (then, "n", DOMAIN, "Inner", &captured, 1, 1), 0));
  sonde_node_take_graph (node, "then_branch", then);
  otherwise = sonde_graph_new_subgraph (body, "else");
  sonde_graph_add_output (otherwise, sonde_graph_capture_value (otherwise, "outer"));
  sonde_node_take_graph (node, "else_branch", otherwise);
  inputs[0] = inputs[1] = sonde_graph_find_value (graph, "x");
  (void) sonde_graph_add_node (graph, "call", DOMAIN, "Choose", inputs, 2, 1);

  g_assert_true (sonde_pass_inline (graph, &error));
  g_assert_no_error (error);
  node = sonde_graph_find_node (graph, "call/if");
  then = sonde_node_get_graph (node, "then_branch");
  inside = sonde_graph_find_node (then, "call/n/Neg");
  g_assert_nonnull (inside);
  g_assert_true (sonde_node_get_input (inside, 0)->outer == sonde_graph_find_value (graph, "x"));
  g_assert_true (then->outputs->pdata[0] == sonde_node_get_output (inside, 0));
  otherwise = sonde_node_get_graph (node, "else_branch");
  g_assert_true (((SondeGraphValue *) otherwise->outputs->pdata[0])->outer
                 == sonde_graph_find_value (graph, "x"));
}

/* Sonde's own operator wins in the standard's domain, the function in the user's. */
static void
test_own_operator_wins (void)
{
  g_autoptr (SondeGraph) graph = new_graph ();
  SondeFunction *relu = add_function (graph, "Relu", "", "Neg", 1);
  SondeGraphValue *x = sonde_graph_find_value (graph, "x");
  g_autoptr (GError) error = NULL;

  (void) add_function (graph, "Relu", "", "Neg", 1);
  g_free (relu->domain);
  relu->domain = g_strdup ("");
  (void) sonde_graph_add_node (graph, "standard", "", "Relu", &x, 1, 1);
  (void) add_call (graph, "own", "Relu", "x");
  g_assert_true (sonde_pass_inline (graph, &error));
  g_assert_no_error (error);
  g_assert_nonnull (sonde_graph_find_node (graph, "standard"));
  g_assert_nonnull (sonde_graph_find_node (graph, "own/Neg"));
}

static void
test_cycle (void)
{
  g_autoptr (SondeGraph) graph = new_graph ();

  (void) add_function (graph, "A", DOMAIN, "B", 1);
  (void) add_function (graph, "B", DOMAIN, "A", 1);
  (void) add_call (graph, "call", "A", "x");
  assert_refused (graph, "A → B → A");
}

static void
test_depth (void)
{
  g_autoptr (SondeGraph) graph = new_graph ();

  for (guint i = 0; i < 150; i++)
    {
      g_autofree char *name = g_strdup_printf ("F%u", i);
      g_autofree char *next = g_strdup_printf ("F%u", i + 1);

      (void) add_function (graph, name, DOMAIN, next, 1);
    }
  (void) add_function (graph, "F150", "", "Relu", 1);
  (void) add_call (graph, "call", "F0", "x");
  assert_refused (graph, "more than 100 deep");
}

/* Each function calls the next ten times: ten to the thirtieth nodes. */
static void
test_blow_up (void)
{
  g_autoptr (SondeGraph) graph = new_graph ();

  for (guint i = 0; i < 30; i++)
    {
      g_autofree char *name = g_strdup_printf ("F%u", i);
      g_autofree char *next = g_strdup_printf ("F%u", i + 1);
      SondeFunction *function = add_function (graph, name, DOMAIN, next, 1);
      SondeGraphValue *x = function->body->inputs->pdata[0];

      for (guint k = 0; k < 9; k++)
        (void) sonde_graph_add_node (function->body, NULL, DOMAIN, next, &x, 1, 1);
    }
  (void) add_function (graph, "F30", "", "Relu", 1);
  (void) add_call (graph, "call", "F0", "x");
  assert_refused (graph, "more than 200000 nodes");
}

static void
test_arity (void)
{
  g_autoptr (SondeGraph) graph = new_graph ();
  SondeNode *call = NULL;

  (void) add_function (graph, "One", "", "Relu", 1);
  call = add_call (graph, "call", "One", "x");
  sonde_node_set_input (graph, call, 1, sonde_graph_find_value (graph, "x"));
  assert_refused (graph, "has 2 inputs, but the function “One” takes 1");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/engine/passes/inline/names", test_names);
  g_test_add_func ("/engine/passes/inline/attributes", test_attributes);
  g_test_add_func ("/engine/passes/inline/wrong-attribute", test_wrong_attribute);
  g_test_add_func ("/engine/passes/inline/absent-input", test_absent_input);
  g_test_add_func ("/engine/passes/inline/subgraph", test_subgraph);
  g_test_add_func ("/engine/passes/inline/own-operator-wins", test_own_operator_wins);
  g_test_add_func ("/engine/passes/inline/cycle", test_cycle);
  g_test_add_func ("/engine/passes/inline/depth", test_depth);
  g_test_add_func ("/engine/passes/inline/blow-up", test_blow_up);
  g_test_add_func ("/engine/passes/inline/arity", test_arity);
  return g_test_run ();
}
