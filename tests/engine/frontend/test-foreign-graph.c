/* SPDX-License-Identifier: Apache-2.0
 * A graph made of the nodes that ran in a loop that is not the engine's. */
#include "engine/frontend/sonde-debug-foreign-graph.h"

static SondeStepInfo *
new_step (const char *name, const char *scope, const char *input, const char *output,
          const char *type)
{
  SondeStepInfo *step = g_new0 (SondeStepInfo, 1);

  step->name = g_strdup (name);
  step->op = g_strdup ("op");
  step->scope = g_strdup (scope);
  step->phase = scope == NULL ? SONDE_PHASE_OPTIMISER : SONDE_PHASE_FORWARD;
  step->inputs = g_strdupv ((char *[]){ (char *) input, NULL });
  step->outputs = g_strdupv ((char *[]){ (char *) output, NULL });
  step->types = g_strdupv ((char *[]){ (char *) type, NULL });
  return step;
}

static void
test_graph (void)
{
  g_autoptr (GPtrArray) steps
      = g_ptr_array_new_with_free_func ((GDestroyNotify) sonde_step_info_free);
  g_autoptr (SondeGraph) graph = NULL;
  g_autofree char *type = NULL;
  SondeNode *conv, *update;

  g_ptr_array_add (steps, new_step ("a.0/conv", "a.0", "a.0.weight", "a.0/conv", "float32 8×4×6"));
  g_ptr_array_add (steps, new_step ("a.0/relu", "a.0", "a.0/conv", "a.0/relu", "float32"));
  g_ptr_array_add (steps, new_step ("a.0/conv", "a.0", "a.0/relu", "again", NULL));
  g_ptr_array_add (steps, new_step ("update", NULL, "a.0.weight", "update", "strange 3×x"));
  graph = sonde_debug_foreign_graph_new (steps);
  g_assert_cmpuint (sonde_graph_count_nodes (graph), ==, 3);
  conv = sonde_graph_find_node (graph, "a.0/conv");
  g_assert_cmpstr (conv->scope, ==, "a/0");
  g_assert_true (sonde_node_is_recorded (conv));
  g_assert_cmpstr (sonde_node_get_output (conv, 0)->name, ==, "a.0/conv");
  type = sonde_type_to_string (&sonde_node_get_output (conv, 0)->type);
  g_assert_cmpstr (type, ==, "float32 8×4×6");
  g_assert_true (sonde_node_get_input (sonde_graph_find_node (graph, "a.0/relu"), 0)->producer
                 == conv);
  update = sonde_graph_find_node (graph, "update");
  g_assert_null (update->scope);
  g_assert_cmpint (update->phase, ==, SONDE_PHASE_OPTIMISER);
  g_assert_true (sonde_node_get_input (update, 0) == sonde_node_get_input (conv, 0));
  g_assert_cmpuint (graph->inputs->len, ==, 1);
}

static void
test_empty (void)
{
  g_autoptr (GPtrArray) steps = g_ptr_array_new ();
  g_autoptr (SondeGraph) graph = sonde_debug_foreign_graph_new (steps);

  g_assert_cmpuint (sonde_graph_count_nodes (graph), ==, 0);
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/engine/frontend/foreign-graph/graph", test_graph);
  g_test_add_func ("/engine/frontend/foreign-graph/empty", test_empty);
  return g_test_run ();
}
