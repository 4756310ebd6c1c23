/* SPDX-License-Identifier: Apache-2.0
 * The table of cases, differentiated, planned and run on the cpu device, against the reference
 * kernels node by node: gradients are made of ordinary nodes, which every plan must run. */
#include "tests/engine/ops/op-cases-gradient.h"
#include "tests/engine/plan/plan-fixture.h"

#include <string.h>

/* Names of the gradients of the first float output. */
static GPtrArray *
differentiate (const OpCase *row, OpCaseBuilt *built)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GPtrArray) inputs = g_ptr_array_new ();
  g_autofree SondeGraphValue **gradients = g_new0 (SondeGraphValue *, OP_CASE_INPUTS);
  GPtrArray *names = g_ptr_array_new_with_free_func (g_free);
  SondeGraphValue *target = NULL;

  for (guint k = 0; k < built->graph->outputs->len && target == NULL; k++)
    if (sonde_dtype_is_float (((SondeGraphValue *) built->graph->outputs->pdata[k])->type.dtype))
      target = built->graph->outputs->pdata[k];
  for (guint k = 0; k < OP_CASE_INPUTS; k++)
    if (row->gradient & (1u << k))
      g_ptr_array_add (inputs, sonde_node_get_input (built->node, k));
  g_assert_nonnull (target);
  sonde_pass_gradient (built->graph, target, NULL, (SondeGraphValue **) inputs->pdata, inputs->len,
                       gradients, &error);
  g_assert_no_error (error);
  for (guint k = 0; k < inputs->len; k++)
    {
      g_ptr_array_add (names, g_strdup (gradients[k]->name));
      sonde_graph_add_output (built->graph, gradients[k]);
    }
  return names;
}

static void
give_all (SondeExecution *execution, GHashTable *feeds)
{
  GHashTableIter iter;
  gpointer name, tensor;

  g_hash_table_iter_init (&iter, feeds);
  while (g_hash_table_iter_next (&iter, &name, &tensor))
    plan_fixture_give (execution, name, sonde_tensor_ref (tensor));
}

static void
test_case (gconstpointer data)
{
  const OpCase *row = data;
  g_auto (OpCaseBuilt) built = { NULL };
  g_autoptr (GError) error = NULL;
  g_autoptr (GPtrArray) names = NULL;
  g_autoptr (GHashTable) values = NULL;
  g_autoptr (SondeExecution) execution = NULL;
  SondeGraph *planned = NULL;

  op_case_build (row, SONDE_DTYPE_F32, &built);
  sonde_pass_infer (built.graph, NULL, 0, &error);
  g_assert_no_error (error);
  names = differentiate (row, &built);
  values = sonde_test_evaluate (built.graph, built.feeds, &error);
  g_assert_no_error (error);
  execution = plan_fixture_start (built.graph, "cpu", NULL);
  give_all (execution, built.feeds);
  plan_fixture_run (execution);
  planned = sonde_plan_get_graph (sonde_execution_get_plan (execution));
  for (guint k = 0; k < names->len; k++)
    {
      SondeTensor *want
          = g_hash_table_lookup (values, sonde_graph_find_value (built.graph, names->pdata[k]));
      g_autoptr (SondeTensor) got = sonde_execution_read (
          execution, sonde_graph_find_value (planned, names->pdata[k]), &error);

      g_assert_no_error (error);
      sonde_test_assert_close (got, want, 1e-4, 1e-4, (const char *) names->pdata[k]);
    }
}

static void
add_cases (const char *table, const OpCase *cases)
{
  for (const OpCase *row = cases; row->name != NULL; row++)
    {
      g_autofree char *path = g_strdup_printf ("/engine/plan/gradients/%s/%s", table, row->name);

      /* random numbers depend on the step that the plan counts */
      if ((row->gradient & ~OP_CASE_TWICE) != 0 && !g_str_has_prefix (row->name, "Dropout"))
        g_test_add_data_func (path, row, test_case);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  add_cases ("elementwise", op_cases_elementwise);
  add_cases ("gradient-elements", op_cases_gradient_elements);
  add_cases ("gradient-linear", op_cases_gradient_linear);
  add_cases ("gradient-move", op_cases_gradient_move);
  add_cases ("gradient-image", op_cases_gradient_image);
  add_cases ("gradient-norm", op_cases_gradient_norm);
  add_cases ("gradient-recurrent", op_cases_gradient_recurrent);
  add_cases ("gradient-sampling", op_cases_gradient_sampling);
  add_cases ("gradient-sequence", op_cases_gradient_sequence);
  add_cases ("gradient-window", op_cases_gradient_window);
  add_cases ("matrix", op_cases_matrix);
  add_cases ("shape", op_cases_shape);
  return g_test_run ();
}
