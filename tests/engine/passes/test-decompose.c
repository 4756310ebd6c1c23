/* SPDX-License-Identifier: Apache-2.0
 * Operators that become what they consist of: the result is the same, names stay, and what has a form
 * of its own is not touched. */
#include "engine/passes/sonde-passes.h"

#include <string.h>

/* y = LpNormalization (x), z = Relu (y); both are outputs. */
static SondeGraph *
new_graph (void)
{
  SondeGraph *graph = sonde_graph_new ("norm");
  SondeShape shape = sonde_shape_make (2, 2, 3);
  SondeType type = sonde_type_tensor (SONDE_DTYPE_F64, &shape);
  SondeGraphValue *x = sonde_graph_add_input (graph, "x", &type);
  SondeNode *norm = sonde_graph_add_node (graph, "norm", "", "LpNormalization", &x, 1, 1);
  SondeGraphValue *y = sonde_node_get_output (norm, 0);
  SondeNode *relu = sonde_graph_add_node (graph, "relu", "", "Relu", &y, 1, 1);

  sonde_graph_set_opset (graph, "", 22);
  sonde_graph_rename_value (graph, y, "y");
  sonde_graph_rename_value (graph, sonde_node_get_output (relu, 0), "z");
  sonde_graph_add_output (graph, y);
  sonde_graph_add_output (graph, sonde_node_get_output (relu, 0));
  g_assert_true (sonde_pass_infer (graph, NULL, 0, NULL));
  return graph;
}

static guint
count (const SondeGraph *graph, const char *op)
{
  guint n = 0;

  for (guint i = 0; i < graph->nodes->len; i++)
    {
      const SondeNode *node = graph->nodes->pdata[i];

      n += node != NULL && strcmp (node->op, op) == 0 ? 1 : 0;
    }
  return n;
}

static gboolean
stays_always (const char *domain, const char *op)
{
  return TRUE;
}

static gboolean
stays_but_norm (const char *domain, const char *op)
{
  return strcmp (op, "LpNormalization") != 0;
}

static void
test_taken_apart (void)
{
  g_autoptr (SondeGraph) graph = new_graph ();
  g_autoptr (GError) error = NULL;
  const SondeGraphValue *y;

  g_assert_true (sonde_pass_decompose (graph, stays_but_norm, &error));
  g_assert_no_error (error);
  g_assert_cmpuint (count (graph, "LpNormalization"), ==, 0);
  y = sonde_graph_find_value (graph, "y");
  g_assert_true (y == graph->outputs->pdata[0]);
  g_assert_nonnull (y->producer);
  g_assert_cmpstr (y->producer->origins->pdata[0], ==, "norm");
  g_assert_true (sonde_node_get_input (sonde_graph_find_node (graph, "relu"), 0) == y);
  g_assert_true (sonde_pass_infer (graph, NULL, 0, &error));
}

static void
test_left_alone (void)
{
  g_autoptr (SondeGraph) graph = new_graph ();

  g_assert_true (sonde_pass_decompose (graph, stays_always, NULL));
  g_assert_cmpuint (count (graph, "LpNormalization"), ==, 1);
  g_assert_cmpuint (sonde_graph_count_nodes (graph), ==, 2);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/engine/passes/decompose/taken-apart", test_taken_apart);
  g_test_add_func ("/engine/passes/decompose/left-alone", test_left_alone);
  return g_test_run ();
}
