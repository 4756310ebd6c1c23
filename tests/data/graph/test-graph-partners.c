/* SPDX-License-Identifier: Apache-2.0
 * Partners in two graphs: by name, by origin, by structure. */
#include "data/graph/sonde-graph-partners.h"

static SondeNode *
add (SondeGraph *graph, const char *name, const char *op, SondeGraphValue *a, SondeGraphValue *b)
{
  SondeGraphValue *inputs[] = { a, b };

  return sonde_graph_add_node (graph, name, "", op, inputs, b != NULL ? 2 : 1, 1);
}

/* Conv → Relu → Add (Conv + Relu) → Exp; each name begins with @prefix. */
static SondeGraph *
make_graph (const char *prefix)
{
  static const char *const ops[] = { "Conv", "Relu", "Add", "Exp" };
  SondeGraph *graph = sonde_graph_new ("test");
  SondeGraphValue *value = sonde_graph_add_input (graph, "x", NULL), *conv = NULL;

  for (gsize i = 0; i < G_N_ELEMENTS (ops); i++)
    {
      g_autofree char *name = g_strconcat (prefix, ops[i], NULL);

      value = sonde_node_get_output (
          add (graph, name, ops[i], i == 2 ? conv : value, i == 2 ? value : NULL), 0);
      conv = i == 0 ? value : conv;
    }
  sonde_graph_add_output (graph, value);
  return graph;
}

static void
assert_partner (const SondeGraph *from, SondeNode *const *of, const char *name, const char *partner)
{
  const SondeNode *found = of[sonde_graph_find_node (from, name)->id];

  g_assert_cmpstr (found != NULL ? found->name : NULL, ==, partner);
}

static void
test_names (void)
{
  g_autoptr (SondeGraph) a = make_graph (""), b = make_graph ("");
  g_autoptr (SondeGraphPartners) partners = NULL;
  SondeNode *relu = sonde_graph_find_node (a, "Relu"), *other = sonde_graph_find_node (b, "Relu");

  sonde_graph_rename_node (b, sonde_graph_find_node (b, "Exp"), "new");
  sonde_node_set_op (sonde_graph_find_node (b, "new"), "", "Log");
  sonde_node_set_float (other, "alpha", 0.5);
  partners = sonde_graph_partners_new (a, b);
  assert_partner (a, partners->of_first, "Conv", "Conv");
  assert_partner (a, partners->of_first, "Exp", NULL);
  assert_partner (b, partners->of_second, "new", NULL);
  g_assert_true (partners->of_first[relu->id] == other);
  g_assert_false (sonde_graph_partners_are_equal (relu, other));
  sonde_node_set_float (relu, "alpha", 0.5);
  g_assert_true (sonde_graph_partners_are_equal (relu, other));
}

/* A fused node is the partner of both that it came from. */
static void
test_origins (void)
{
  g_autoptr (SondeGraph) a = make_graph (""), b = sonde_graph_new ("executed");
  SondeNode *fused = add (b, "fused", "ConvRelu", sonde_graph_add_input (b, "x", NULL), NULL);
  g_autoptr (SondeGraphPartners) there = NULL, back = NULL;

  sonde_node_add_origin (fused, sonde_graph_find_node (a, "Conv"), SONDE_ORIGIN_FUSED);
  sonde_node_add_origin (fused, sonde_graph_find_node (a, "Relu"), SONDE_ORIGIN_FUSED);
  there = sonde_graph_partners_new (a, b);
  assert_partner (a, there->of_first, "Conv", "fused");
  assert_partner (a, there->of_first, "Relu", "fused");
  assert_partner (a, there->of_first, "Add", NULL);
  assert_partner (b, there->of_second, "fused", "Conv");
  back = sonde_graph_partners_new (b, a);
  assert_partner (a, back->of_second, "Relu", "fused");
}

/* No name in common. */
static void
test_structure (void)
{
  g_autoptr (SondeGraph) a = make_graph ("one_"), b = make_graph ("two_");
  g_autoptr (SondeGraphPartners) partners = sonde_graph_partners_new (a, b);

  assert_partner (a, partners->of_first, "one_Conv", "two_Conv");
  assert_partner (a, partners->of_first, "one_Relu", "two_Relu");
  assert_partner (a, partners->of_first, "one_Add", "two_Add");
  assert_partner (b, partners->of_second, "two_Exp", "one_Exp");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/data/graph/partners/names", test_names);
  g_test_add_func ("/data/graph/partners/origins", test_origins);
  g_test_add_func ("/data/graph/partners/structure", test_structure);
  return g_test_run ();
}
