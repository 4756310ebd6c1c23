/* SPDX-License-Identifier: Apache-2.0
 * Topological order and listing. */
#include "tests/data/graph/check-graph.h"

#include <string.h>

#include "data/base/sonde-error.h"

static SondeNode *
add (SondeGraph *graph, const char *name, const char *op, SondeGraphValue *a, SondeGraphValue *b)
{
  SondeGraphValue *inputs[] = { a, b };

  return sonde_graph_add_node (graph, name, "", op, inputs, b ? 2 : a ? 1 : 0, 1);
}

static SondeGraphValue *
out (SondeNode *node)
{
  return sonde_node_get_output (node, 0);
}

static char *
names_of (GPtrArray *order)
{
  GString *text = g_string_new (NULL);

  for (guint i = 0; i < order->len; i++)
    g_string_append_printf (text, "%s ", ((SondeNode *) order->pdata[i])->name);
  return g_string_free (text, FALSE);
}

static void
test_stable (void)
{
  g_autoptr (SondeGraph) graph = sonde_graph_new (NULL);
  SondeGraphValue *x = sonde_graph_add_input (graph, "x", NULL);
  SondeNode *a = add (graph, "a", "Relu", x, NULL);
  SondeNode *b = add (graph, "b", "Relu", x, NULL);
  SondeNode *c = add (graph, "c", "Relu", x, NULL);
  SondeNode *d = add (graph, "d", "Add", out (b), out (b));
  g_autoptr (GPtrArray) order = NULL, changed = NULL;
  g_autofree char *text = NULL, *changed_text = NULL;

  add (graph, "e", "Relu", NULL, NULL);
  order = sonde_graph_sort (graph, NULL);
  text = names_of (order);
  g_assert_cmpstr (text, ==, "a b c d e ");

  sonde_node_set_input (graph, a, 0, out (d)); /* a must wait; everything else keeps its place */
  sonde_graph_remove_node (graph, c);
  changed = sonde_graph_sort (graph, NULL);
  changed_text = names_of (changed);
  g_assert_cmpstr (changed_text, ==, "b d a e ");
}

static void
test_captures (void)
{
  g_autoptr (SondeGraph) graph = sonde_graph_new (NULL);
  SondeGraphValue *x = sonde_graph_add_input (graph, "x", NULL);
  SondeNode *branch = add (graph, "branch", "If", x, NULL);
  SondeNode *late = add (graph, "late", "Relu", x, NULL);
  SondeGraph *outer = sonde_graph_new_subgraph (graph, NULL);
  SondeGraph *inner = sonde_graph_new_subgraph (outer, NULL);
  g_autoptr (GPtrArray) order = NULL;
  g_autofree char *text = NULL;

  sonde_node_take_graph (branch, "then_branch", outer);
  sonde_node_take_graph (add (outer, "if", "If", NULL, NULL), "then_branch", inner);
  sonde_graph_capture_value (inner, out (late)->name);
  order = sonde_graph_sort (graph, NULL);
  text = names_of (order);
  g_assert_cmpstr (text, ==, "late branch ");
}

static void
test_cycle (void)
{
  g_autoptr (SondeGraph) graph = sonde_graph_new ("looped");
  g_autoptr (GError) error = NULL;
  SondeGraphValue *x = sonde_graph_add_input (graph, "x", NULL);
  SondeNode *a = add (graph, "a", "Add", x, x);
  SondeNode *b = add (graph, "b", "Relu", out (a), NULL);
  SondeNode *c = add (graph, "c", "Relu", out (b), NULL);
  g_autofree char *text = NULL;

  add (graph, "after", "Relu", out (c), NULL);
  sonde_node_set_input (graph, a, 1, out (c));
  g_assert_null (sonde_graph_sort (graph, &error));
  g_assert_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_DAMAGED);
  g_assert_nonnull (strstr (error->message, "“a” → “b” → “c”"));
  g_assert_null (strstr (error->message, "after"));
  text = sonde_graph_listing (graph, NULL);
  g_assert_nonnull (strstr (text, "after: "));

  sonde_node_set_input (graph, a, 1, out (a));
  g_clear_error (&error);
  g_assert_null (sonde_graph_sort (graph, &error));
  g_assert_nonnull (strstr (error->message, "“a” → “a”"));
}

static void
test_long_chain (void)
{
  g_autoptr (SondeGraph) graph = sonde_graph_new (NULL);
  g_autoptr (SondeGraph) copy = NULL;
  g_autoptr (GPtrArray) order = NULL;
  g_autoptr (GError) error = NULL;
  SondeGraphValue *value = sonde_graph_add_input (graph, "x", NULL);
  SondeNode *first = NULL;
  gint64 start = g_get_monotonic_time ();

  for (int i = 0; i < 100000; i++)
    {
      SondeNode *node = add (graph, NULL, "Relu", value, NULL);

      first = first ? first : node;
      value = out (node);
    }
  copy = sonde_graph_copy (graph, TRUE);
  order = sonde_graph_sort (copy, NULL);
  g_assert_cmpuint (order->len, ==, 100000);
  for (guint i = 0; i < order->len; i++)
    g_assert_cmpuint (((SondeNode *) order->pdata[i])->id, ==, i);
  g_test_message ("build, copy, sort 100,000 nodes: %.0f ms",
                  (double) (g_get_monotonic_time () - start) / 1e3);

  sonde_node_set_input (graph, first, 0, value);
  g_assert_null (sonde_graph_sort (graph, &error));
  g_assert_nonnull (strstr (error->message, "99992 more"));
  g_assert_cmpuint (strlen (error->message), <, 400);
}

/* The reverse of the order of ids, and many users of one value. */
static void
test_reversed (void)
{
  g_autoptr (SondeGraph) graph = sonde_graph_new (NULL);
  g_autoptr (GPtrArray) nodes = g_ptr_array_new (), order = NULL;
  SondeGraphValue *x = sonde_graph_add_input (graph, "x", NULL);

  for (int i = 0; i < 2000; i++)
    g_ptr_array_add (nodes, add (graph, NULL, "Add", x, x));
  for (guint i = 0; i + 1 < nodes->len; i++)
    sonde_node_set_input (graph, nodes->pdata[i], 1, out (nodes->pdata[i + 1]));
  check_graph (graph);
  order = sonde_graph_sort (graph, NULL);
  for (guint i = 0; i < order->len; i++)
    g_assert_true (order->pdata[i] == nodes->pdata[nodes->len - 1 - i]);
}

static void
test_listing (void)
{
  g_autoptr (SondeGraph) graph = sonde_graph_new ("net");
  g_autoptr (SondeTensor) shape_tensor = NULL;
  SondeShape two = sonde_shape_make (1, 2), shape = sonde_shape_make (4, 1, 6, 28, 28);
  const gint64 sizes[] = { 1, -1 }, strides[] = { 1, 1 };
  SondeGraphValue *x = sonde_graph_add_input (graph, "x", NULL);
  SondeGraphValue *w = sonde_graph_add_value (graph, "w", NULL);
  SondeGraphValue *inputs[] = { x, NULL, w };
  SondeNode *conv = sonde_graph_add_node (graph, "conv1", "", "Conv", inputs, 3, 1);
  SondeNode *branch = add (graph, "br", "If", out (conv), NULL);
  SondeNode *constant = sonde_graph_add_node (graph, "shape", "com.x", "Constant", NULL, 0, 1);
  SondeGraph *body = sonde_graph_new_subgraph (graph, "body");
  SondeFunction *function = sonde_function_new ("local", "Twice", NULL);
  SondeAttribute *reference = sonde_attribute_new ("alpha", SONDE_ATTRIBUTE_REFERENCE);
  SondeNode *twice = NULL;
  guint lines[3];
  g_autofree char *text = NULL;

  shape_tensor = sonde_tensor_new_from_data (SONDE_DTYPE_I64, &two, sizes);
  sonde_node_set_ints (conv, "strides", strides, 2);
  sonde_node_set_float (conv, "alpha", 0.1f);
  sonde_node_set_string (conv, "mode", "a\"b\n");
  out (conv)->type = sonde_type_tensor (SONDE_DTYPE_F32, &shape);
  out (conv)->type.dims[0] = (SondeDimension){ -1, g_intern_string ("N") };
  sonde_node_set_tensor (constant, "value", shape_tensor);
  sonde_node_take_graph (branch, "then_branch", body);
  sonde_graph_add_output (
      body, out (add (body, "relu", "Relu", sonde_graph_capture_value (body, "x"), NULL)));
  g_ptr_array_add (graph->functions, function);
  twice = add (function->body, "t", "Mul", sonde_graph_add_input (function->body, "a", NULL), NULL);
  reference->u.string = g_strdup ("factor");
  sonde_node_take_attribute (twice, reference);

  text = sonde_graph_listing (graph, lines);
  g_assert_cmpstr (text, ==,
                   "conv1: conv1_output_0 = Conv (x, _, w) {strides=[1, 1], alpha=0.1, "
                   "mode=\"a\\\"b\\x0a\"}  # float32 N×6×28×28\n"
                   "br: br_output_0 = If (conv1_output_0) {then_branch=graph of 1 nodes}\n"
                   "  then_branch () -> (relu_output_0):\n"
                   "    relu: relu_output_0 = Relu (x)\n"
                   "shape: shape_output_0 = com.x.Constant () {value=int64 2 [1, -1]}\n"
                   "function local.Twice (a) -> ():\n"
                   "  t: t_output_0 = Mul (a) {alpha=@factor}\n");
  g_assert_cmpuint (lines[conv->id], ==, 1);
  g_assert_cmpuint (lines[branch->id], ==, 2);
  g_assert_cmpuint (lines[constant->id], ==, 5);
}

static void
test_empty (void)
{
  g_autoptr (SondeGraph) graph = sonde_graph_new (NULL);
  g_autoptr (GPtrArray) order = sonde_graph_sort (graph, NULL);
  g_autofree char *text = sonde_graph_listing (graph, NULL);

  g_assert_cmpuint (order->len, ==, 0);
  g_assert_cmpstr (text, ==, "");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/data/graph/order/stable", test_stable);
  g_test_add_func ("/data/graph/order/captures", test_captures);
  g_test_add_func ("/data/graph/order/cycle", test_cycle);
  g_test_add_func ("/data/graph/order/long-chain", test_long_chain);
  g_test_add_func ("/data/graph/order/reversed", test_reversed);
  g_test_add_func ("/data/graph/listing", test_listing);
  g_test_add_func ("/data/graph/listing/empty", test_empty);
  return g_test_run ();
}
