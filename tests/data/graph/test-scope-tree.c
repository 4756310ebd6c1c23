/* SPDX-License-Identifier: Apache-2.0
 * Scopes from names: what is kept of the paths, what lies where, which of them repeat each other. */
#include <string.h>

#include "data/graph/sonde-scope-tree.h"

static SondeGraphValue *
add (SondeGraph *graph, const char *name, const char *op, SondeGraphValue *input)
{
  return sonde_node_get_output (sonde_graph_add_node (graph, name, "", op, &input, 1, 1), 0);
}

/* As a tree in one line: "name(count)[children]". */
static void
append_scope (GString *text, const SondeScopeTree *tree, guint scope)
{
  const SondeGraphScope *s = sonde_scope_tree_get (tree, scope);

  g_string_append_printf (text, "%s(%u)", s->name, s->n_nodes);
  if (s->end == scope + 1)
    return;
  g_string_append_c (text, '[');
  for (guint inner = scope + 1; inner < s->end; inner = sonde_scope_tree_get (tree, inner)->end)
    {
      g_assert_cmpuint (sonde_scope_tree_get (tree, inner)->parent, ==, scope);
      g_assert_cmpuint (sonde_scope_tree_get (tree, inner)->depth, ==, s->depth + 1);
      append_scope (text, tree, inner);
    }
  g_string_append_c (text, ']');
}

static void
assert_tree (const SondeScopeTree *tree, const char *expected)
{
  g_autoptr (GString) text = g_string_new (NULL);

  append_scope (text, tree, SONDE_SCOPE_ROOT);
  g_assert_cmpstr (text->str, ==, expected);
}

static SondeScopeTree *
make_tree (const char *const *names)
{
  g_autoptr (SondeGraph) graph = sonde_graph_new ("test");
  SondeGraphValue *value = sonde_graph_add_input (graph, "x", NULL);

  for (gsize i = 0; names[i] != NULL; i++)
    value = add (graph, names[i], i % 2 == 0 ? "Relu" : "Exp", value);
  return sonde_scope_tree_new (graph, NULL);
}

static void
test_paths (void)
{
  static const struct
  {
    const char *names[8], *tree;
  } cases[] = {
    { { "a", "b" }, "(2)" },
    { { "/enc/a", "/enc/b", "c" }, "(3)[enc(2)]" },
    /* One node is no scope; one scope in another is joined with it. */
    { { "/enc/conv/Conv", "/enc/relu/Relu", "c" }, "(3)[enc(2)]" },
    { { "/a/b/x", "/a/b/y", "c" }, "(3)[a/b(2)]" },
    { { "/net/a/x", "/net/a/y", "/net/b/x", "/net/b/y" }, "(4)[a(2)b(2)]" },
    /* Modules, as Python writes them; a number with a point is none. */
    { { "layer1.0.conv1", "layer1.0.conv2", "layer1.1.conv1", "layer1.1.conv2", "fc.7" },
      "(5)[layer1(4)[layer1.0(2)layer1.1(2)]]" },
    { { "//a//x", "/a/y", "/", "b/" }, "(4)[a(2)]" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (SondeScopeTree) tree = make_tree (cases[i].names);

      assert_tree (tree, cases[i].tree);
    }
}

static void
test_places (void)
{
  g_autoptr (SondeScopeTree) tree
      = make_tree ((const char *const[]){ "/a/b/x", "/a/b/y", "/a/z", "w", NULL });
  g_autofree char *path = NULL;

  assert_tree (tree, "(4)[a(3)[b(2)]]");
  g_assert_cmpuint (tree->scope_of_node[0], ==, 2);
  g_assert_cmpuint (tree->scope_of_node[2], ==, 1);
  g_assert_cmpuint (tree->scope_of_node[3], ==, SONDE_SCOPE_ROOT);
  g_assert_true (sonde_scope_tree_contains (tree, 1, 2));
  g_assert_false (sonde_scope_tree_contains (tree, 2, 1));
  path = sonde_scope_tree_dup_path (tree, 2);
  g_assert_cmpstr (path, ==, "a/b");
}

/* Nodes that do not count are in no scope and make none. */
static void
test_counts (void)
{
  static const char *const names[] = { "/a/x", "/a/y", "/b/x", "/b/y", NULL };
  static const guint8 counts[] = { 1, 0, 1, 1 };
  g_autoptr (SondeGraph) graph = sonde_graph_new ("test");
  SondeGraphValue *value = sonde_graph_add_input (graph, "x", NULL);
  g_autoptr (SondeScopeTree) tree = NULL;

  for (gsize i = 0; names[i] != NULL; i++)
    value = add (graph, names[i], "Relu", value);
  tree = sonde_scope_tree_new (graph, counts);
  assert_tree (tree, "(3)[b(2)]");
  g_assert_cmpuint (tree->scope_of_node[1], ==, SONDE_SCOPE_NONE);
}

/* ---- repeats ------------------------------------------------------------- */

/* n layers of product, activation and sum; @odd: a layer that has another weight; -1: none */
static SondeGraph *
make_layers (guint n, int odd)
{
  SondeGraph *graph = sonde_graph_new ("layers");
  SondeGraphValue *h = sonde_graph_add_input (graph, "x", NULL);

  for (guint i = 0; i < n; i++)
    {
      SondeShape shape = sonde_shape_make (2, 4, (int) i == odd ? 8 : 4);
      g_autoptr (SondeTensor) tensor = sonde_tensor_new (SONDE_DTYPE_F32, &shape);
      g_autofree char *weight = g_strdup_printf ("layers.%u.w", i);
      g_autofree char *mul = g_strdup_printf ("/layers.%u/MatMul", i);
      g_autofree char *relu = g_strdup_printf ("/layers.%u/Relu", i);
      g_autofree char *sum = g_strdup_printf ("/layers.%u/Add", i);
      SondeGraphValue *inputs[]
          = { h, sonde_graph_add_initialiser (graph, weight, tensor, SONDE_ROLE_PARAMETER) };
      SondeGraphValue *y = sonde_node_get_output (
          sonde_graph_add_node (graph, mul, "", "MatMul", inputs, 2, 1), 0);

      y = add (graph, relu, "Relu", y);
      inputs[1] = y;
      h = sonde_node_get_output (sonde_graph_add_node (graph, sum, "", "Add", inputs, 2, 1), 0);
    }
  sonde_graph_add_output (graph, add (graph, "head", "Softmax", h));
  return graph;
}

static void
test_repeats (void)
{
  g_autoptr (SondeGraph) graph = make_layers (12, -1);
  g_autoptr (SondeScopeTree) tree = sonde_scope_tree_new (graph, NULL);
  const SondeGraphScope *fold = sonde_scope_tree_get (tree, 1);

  g_assert_cmpuint (tree->scopes->len, ==, 14);
  g_assert_cmpuint (fold->n_repeats, ==, 12);
  g_assert_cmpuint (fold->n_nodes, ==, 36);
  g_assert_cmpuint (fold->parameters, ==, 12 * 16);
  g_assert_cmpstr (fold->name, ==, "layers.0 … layers.11");
  g_assert_cmpuint (fold->end, ==, 14);
  for (guint s = 2; s < 14; s++)
    {
      g_assert_cmpuint (sonde_scope_tree_get (tree, s)->parent, ==, 1);
      g_assert_cmpuint (sonde_scope_tree_get (tree, s)->structure, ==,
                        sonde_scope_tree_get (tree, 2)->structure);
    }
  for (guint i = 0; i < 36; i++)
    g_assert_cmpuint (tree->scope_of_node[i], ==, 2 + i / 3);
}

/* Another weight is another structure, and ends the row. */
static void
test_odd_one (void)
{
  g_autoptr (SondeGraph) graph = make_layers (6, 4);
  g_autoptr (SondeScopeTree) tree = sonde_scope_tree_new (graph, NULL);

  assert_tree (tree, "(19)[layers.0 … layers.3(12)[layers.0(3)layers.1(3)layers.2(3)layers.3(3)]"
                     "layers.4(3)layers.5(3)]");
}

/* A node between two scopes keeps them apart. */
static void
test_between (void)
{
  g_autoptr (SondeScopeTree) tree = make_tree (
      (const char *const[]){ "/a/x", "/a/y", "/b/x", "/b/y", "m", "n", "/c/x", "/c/y", NULL });

  assert_tree (tree, "(8)[a(2)b(2)c(2)]");
}

static void
test_deep (void)
{
  g_autoptr (GString) name = g_string_new (NULL);
  g_autoptr (SondeGraph) graph = sonde_graph_new ("deep");
  SondeGraphValue *value = sonde_graph_add_input (graph, "x", NULL);
  g_autoptr (SondeScopeTree) tree = NULL;

  for (guint i = 0; i < 2000; i++)
    {
      g_autofree char *node = NULL;

      g_string_append (name, "/s");
      node = g_strdup_printf ("%s/n%u", name->str, i);
      value = add (graph, node, "Relu", value);
    }
  tree = sonde_scope_tree_new (graph, NULL);
  g_assert_cmpuint (sonde_scope_tree_get (tree, SONDE_SCOPE_ROOT)->n_nodes, ==, 2000);
  g_assert_cmpuint (tree->scopes->len, <, 60);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/data/graph/scope-tree/paths", test_paths);
  g_test_add_func ("/data/graph/scope-tree/places", test_places);
  g_test_add_func ("/data/graph/scope-tree/counts", test_counts);
  g_test_add_func ("/data/graph/scope-tree/repeats", test_repeats);
  g_test_add_func ("/data/graph/scope-tree/odd-one", test_odd_one);
  g_test_add_func ("/data/graph/scope-tree/between", test_between);
  g_test_add_func ("/data/graph/scope-tree/deep", test_deep);
  return g_test_run ();
}
