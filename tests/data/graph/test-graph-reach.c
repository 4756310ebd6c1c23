/* SPDX-License-Identifier: Apache-2.0
 * Parts of a graph: upstream, downstream, between two nodes, and cut out. */
#include "data/graph/sonde-graph-reach.h"

static SondeGraphValue *
add (SondeGraph *graph, const char *name, SondeGraphValue *a, SondeGraphValue *b)
{
  SondeGraphValue *inputs[] = { a, b };

  return sonde_node_get_output (sonde_graph_add_node (graph, name, "", b != NULL ? "Add" : "Relu",
                                                      inputs, b != NULL ? 2 : 1, 1),
                                0);
}

/* x → a → b → d → e, a → c (weight) → d, c → f; e and f leave it. */
static SondeGraph *
make_graph (void)
{
  SondeGraph *graph = sonde_graph_new ("test");
  SondeShape shape = sonde_shape_make (1, 4);
  SondeType type = sonde_type_tensor (SONDE_DTYPE_F32, &shape);
  g_autoptr (SondeTensor) tensor = sonde_tensor_new (SONDE_DTYPE_F32, &shape);
  SondeGraphValue *weight = sonde_graph_add_initialiser (graph, "w", tensor, SONDE_ROLE_PARAMETER);
  SondeGraphValue *a = add (graph, "a", sonde_graph_add_input (graph, "x", &type), NULL);
  SondeGraphValue *b = add (graph, "b", a, NULL), *c = add (graph, "c", a, weight);
  SondeGraphValue *d = add (graph, "d", b, c);

  sonde_graph_set_opset (graph, "", 17);
  sonde_graph_add_output (graph, add (graph, "e", d, NULL));
  sonde_graph_add_output (graph, add (graph, "f", c, NULL));
  return graph;
}

static void
assert_nodes (const SondeGraph *graph, const guint8 *set, const char *expected)
{
  g_autoptr (GString) text = g_string_new (NULL);

  for (guint i = 0; i < graph->nodes->len; i++)
    if (set[i])
      g_string_append (text, ((SondeNode *) g_ptr_array_index (graph->nodes, i))->name);
  g_assert_cmpstr (text->str, ==, expected);
}

static void
test_reach (void)
{
  g_autoptr (SondeGraph) graph = make_graph ();
  SondeNode *a = sonde_graph_find_node (graph, "a"), *c = sonde_graph_find_node (graph, "c");
  SondeNode *e = sonde_graph_find_node (graph, "e"), *f = sonde_graph_find_node (graph, "f");
  g_autofree guint8 *up = sonde_graph_find_upstream (graph, e);
  g_autofree guint8 *down = sonde_graph_find_downstream (graph, c);
  g_autofree guint8 *ways = sonde_graph_find_between (graph, a, e);
  g_autofree guint8 *way = sonde_graph_find_between (graph, c, e);

  assert_nodes (graph, up, "abcde");
  assert_nodes (graph, down, "cdef");
  assert_nodes (graph, ways, "abcde");
  assert_nodes (graph, way, "cde");
  g_assert_null (sonde_graph_find_between (graph, e, a));
  g_assert_null (sonde_graph_find_between (graph, f, e));
}

/* What a node's body reads of the graph around it leads to the node. */
static void
test_captures (void)
{
  g_autoptr (SondeGraph) graph = sonde_graph_new ("outer");
  SondeGraphValue *x = sonde_graph_add_input (graph, "x", NULL);
  SondeGraphValue *a = add (graph, "a", x, NULL);
  SondeNode *loop = sonde_graph_add_node (graph, "if", "", "If", &x, 1, 1);
  SondeGraph *body = sonde_graph_new_subgraph (graph, "body");
  g_autofree guint8 *up = NULL, *down = NULL;

  sonde_graph_add_output (body,
                          add (body, "inner", sonde_graph_capture_value (body, a->name), NULL));
  sonde_node_take_graph (loop, "then_branch", body);
  up = sonde_graph_find_upstream (graph, loop);
  down = sonde_graph_find_downstream (graph, a->producer);
  assert_nodes (graph, up, "aif");
  assert_nodes (graph, down, "aif");
}

static void
assert_values (const GPtrArray *values, const char *expected)
{
  g_autoptr (GString) text = g_string_new (NULL);

  for (guint i = 0; i < values->len; i++)
    g_string_append_printf (text, "%s ", ((SondeGraphValue *) g_ptr_array_index (values, i))->name);
  g_assert_cmpstr (text->str, ==, expected);
}

static void
test_extract (void)
{
  g_autoptr (SondeGraph) graph = make_graph (), part = NULL;
  guint8 nodes[8] = { 0 };
  const SondeGraphValue *input;

  nodes[sonde_graph_find_node (graph, "c")->id] = nodes[sonde_graph_find_node (graph, "d")->id] = 1;
  part = sonde_graph_extract (graph, nodes);
  g_assert_cmpuint (sonde_graph_count_nodes (part), ==, 2);
  assert_values (part->inputs, "a_output_0 b_output_0 ");
  assert_values (part->outputs, "c_output_0 d_output_0 ");
  input = g_ptr_array_index (part->inputs, 0);
  g_assert_cmpint (input->role, ==, SONDE_ROLE_INPUT);
  g_assert_nonnull (sonde_graph_find_value (part, "w")->constant);
  g_assert_null (sonde_graph_find_value (part, "x"));
  g_assert_cmpint (sonde_graph_get_opset (part, ""), ==, 17);
  g_assert_cmpuint (sonde_graph_count_nodes (graph), ==, 6); /* as it was */
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/data/graph/reach/reach", test_reach);
  g_test_add_func ("/data/graph/reach/captures", test_captures);
  g_test_add_func ("/data/graph/reach/extract", test_extract);
  return g_test_run ();
}
