/* SPDX-License-Identifier: Apache-2.0
 * Gradient of ai.onnx.preview.training: first and second derivatives against closed forms, and what
 * is refused. */
#include "engine/ops/sonde-build.h"
#include "tests/support/sonde-test-gradient.h"
#include "tests/support/sonde-test-tensor.h"

#include <string.h>

#define DOMAIN "ai.onnx.preview.training"

/* [3] of float64 */
static SondeGraphValue *
add_input (SondeGraph *graph, const char *name)
{
  SondeShape shape = sonde_shape_make (1, 3);
  SondeType type = sonde_type_tensor (SONDE_DTYPE_F64, &shape);

  return sonde_graph_add_input (graph, name, &type);
}

/* d(@y)/d(x) under the name @result. */
static SondeNode *
add_gradient (SondeGraph *graph, const char *name, const char *y, const char *result)
{
  SondeGraphValue *x = sonde_graph_find_value (graph, "x");
  SondeNode *node = sonde_graph_add_node (graph, name, DOMAIN, "Gradient", &x, 1, 1);
  SondeAttribute *xs = sonde_attribute_new ("xs", SONDE_ATTRIBUTE_STRINGS);

  xs->n = 1;
  xs->u.strings = g_new0 (char *, 2);
  xs->u.strings[0] = g_strdup ("x");
  sonde_node_take_attribute (node, xs);
  sonde_node_set_string (node, "y", y);
  sonde_graph_rename_value (graph, sonde_node_get_output (node, 0), result);
  sonde_graph_add_output (graph, sonde_node_get_output (node, 0));
  return node;
}

/* y = x³ */
static SondeGraph *
new_cube (void)
{
  SondeGraph *graph = sonde_graph_new ("cube");
  SondeGraphValue *x = add_input (graph, "x"), *y = NULL;

  sonde_graph_set_opset (graph, "", 17);
  sonde_graph_set_opset (graph, DOMAIN, 1);
  y = sonde_build_binary (graph, "Mul", sonde_build_binary (graph, "Mul", x, x), x);
  sonde_graph_rename_value (graph, y, "y");
  sonde_graph_add_output (graph, y);
  return graph;
}

static void
assert_value (SondeGraph *graph, GHashTable *values, const char *name, const char *want)
{
  g_autoptr (SondeTensor) tensor = sonde_test_tensor (SONDE_DTYPE_F64, want);

  sonde_test_assert_close (g_hash_table_lookup (values, sonde_graph_find_value (graph, name)),
                           tensor, 1e-12, 1e-12, name);
}

/* 3x², 6x */
static void
test_derivatives (void)
{
  g_autoptr (SondeGraph) graph = new_cube ();
  g_autoptr (SondeTensor) x = sonde_test_tensor (SONDE_DTYPE_F64, "3: 1 -2 0.5");
  g_autoptr (GHashTable) feeds = sonde_test_feeds_new (), values = NULL;
  g_autoptr (GError) error = NULL;

  (void) add_gradient (graph, "first", "y", "dy");
  (void) add_gradient (graph, "second", "dy", "ddy");
  sonde_pass_legalise (graph, &error);
  g_assert_no_error (error);
  sonde_pass_expand_gradient (graph, &error);
  g_assert_no_error (error);
  g_assert_null (sonde_graph_find_node (graph, "first"));
  sonde_test_feeds_set (feeds, "x", x);
  values = sonde_test_evaluate (graph, feeds, &error);
  g_assert_no_error (error);
  assert_value (graph, values, "y", "3: 1 -8 0.125");
  assert_value (graph, values, "dy", "3: 3 12 0.75");
  assert_value (graph, values, "ddy", "3: 6 -12 3");
}

static void
assert_refused (SondeGraph *graph, int code, const char *sentence)
{
  g_autoptr (GError) error = NULL;

  g_assert_true (sonde_pass_legalise (graph, NULL));
  g_assert_false (sonde_pass_expand_gradient (graph, &error));
  g_assert_error (error, SONDE_ENGINE_ERROR, code);
  if (strstr (error->message, sentence) == NULL)
    g_error ("“%s” lacks “%s”", error->message, sentence);
}

static void
test_refused (void)
{
  g_autoptr (SondeGraph) unknown = new_cube (), other = new_cube ();
  SondeNode *node = NULL;

  (void) add_gradient (unknown, "first", "nothing", "dy");
  assert_refused (unknown, SONDE_ENGINE_ERROR_INVALID, "needs a value y");
  node = add_gradient (other, "first", "y", "dy");
  sonde_node_set_input (other, node, 0, add_input (other, "elsewhere"));
  assert_refused (other, SONDE_ENGINE_ERROR_UNSUPPORTED, "must be the value “x” itself");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/engine/passes/expand-gradient/derivatives", test_derivatives);
  g_test_add_func ("/engine/passes/expand-gradient/refused", test_refused);
  return g_test_run ();
}
