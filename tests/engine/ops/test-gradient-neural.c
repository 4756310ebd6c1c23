/* SPDX-License-Identifier: Apache-2.0
 * Gradients of the neural families against central differences: as written, with a first size that
 * is not known when the graph is differentiated, (smooth operators) of the gradient itself, and
 * with operands that do not fit; then as all cases are. */
#include "data/base/sonde-random.h"
#include "tests/engine/ops/op-cases-gradient.h"

#include <string.h>

static guint
wanted_names (const OpCase *row, const OpCaseBuilt *built, const char **names)
{
  guint n = 0;

  for (guint k = 0; k < OP_CASE_INPUTS; k++)
    if (row->gradient & (1u << k))
      names[n++] = sonde_node_get_input (built->node, k)->name;
  return n;
}

static void
judge (char *problem)
{
  if (problem != NULL)
    {
      g_test_message ("%s", problem);
      g_test_fail ();
    }
  g_free (problem);
}

static void
test_first (gconstpointer data)
{
  const OpCase *row = data;
  g_auto (OpCaseBuilt) built = { NULL };
  g_autoptr (GError) error = NULL;
  const char *names[OP_CASE_INPUTS];

  op_case_build (row, SONDE_DTYPE_F64, &built);
  sonde_pass_infer (built.graph, NULL, 0, &error);
  g_assert_no_error (error);
  judge (sonde_test_check_gradient (built.graph, built.feeds, names,
                                    wanted_names (row, &built, names)));
}

/* Rules see types only: a size that they do not know must not matter. */
static void
test_unknown (gconstpointer data)
{
  const OpCase *row = data;
  g_auto (OpCaseBuilt) built = { NULL };
  g_autoptr (GError) error = NULL;
  const char *names[OP_CASE_INPUTS];

  op_case_build (row, SONDE_DTYPE_F64, &built);
  sonde_node_get_input (built.node, 0)->type.dims[0] = (SondeDimension){ .size = -1 };
  sonde_pass_infer (built.graph, NULL, 0, &error);
  g_assert_no_error (error);
  judge (sonde_test_check_gradient (built.graph, built.feeds, names,
                                    wanted_names (row, &built, names)));
}

static void
test_second (gconstpointer data)
{
  const OpCase *row = data;
  g_auto (OpCaseBuilt) built = { NULL };
  g_autoptr (GError) error = NULL;
  const char *names[OP_CASE_INPUTS];

  op_case_build (row, SONDE_DTYPE_F64, &built);
  sonde_pass_infer (built.graph, NULL, 0, &error);
  g_assert_no_error (error);
  judge (sonde_test_check_second_gradient (built.graph, built.feeds, names,
                                           wanted_names (row, &built, names)));
}

/* ---- hostile shapes ------------------------------------------------------ */

/* Another shape of the same element type, one that the gradient's kernel was not made for. */
static SondeTensor *
bend (const SondeTensor *tensor, guint64 number)
{
  SondeShape shape = tensor->shape;

  if (shape.rank > 0 && sonde_random_bits (7, 1, number) % 4 != 0)
    shape.dims[sonde_random_bits (7, 2, number) % (guint64) shape.rank]
        = (gint64) (sonde_random_bits (7, 3, number) % 8);
  else if (shape.rank > 1)
    shape = sonde_shape_from_array (shape.rank - 1, shape.dims + 1);
  else
    shape = sonde_shape_make (2, 3, 2);
  return sonde_test_tensor_random (tensor->dtype, &shape, number, -9, 9);
}

/* Runs @node, whose operands are in @values, with one of them bent: an error or some result,
 * nothing else. */
static void
run_bent (SondeNode *node, GHashTable *values, guint64 number)
{
  guint n = node->inputs->len,
        which = (guint) (sonde_random_bits (7, sonde_random_stream (node->op), number) % n);
  g_autofree SondeTensor **inputs = g_new0 (SondeTensor *, n + 1);
  g_autofree SondeTensor **outputs = g_new0 (SondeTensor *, node->outputs->len + 1);
  g_autoptr (SondeTensor) bent = NULL;

  for (guint k = 0; k < n; k++)
    inputs[k] = sonde_node_get_input (node, k)
                    ? g_hash_table_lookup (values, sonde_node_get_input (node, k))
                    : NULL;
  if (inputs[which] == NULL)
    return;
  inputs[which] = bent = bend (inputs[which], number);
  (void) sonde_op_run_reference (node, inputs, n, outputs, node->outputs->len, NULL);
  for (guint k = 0; k < node->outputs->len; k++)
    g_clear_pointer (&outputs[k], sonde_tensor_unref);
}

static void
test_hostile (gconstpointer data)
{
  const OpCase *row = data;
  g_auto (OpCaseBuilt) built = { NULL };
  g_autoptr (GError) error = NULL;
  g_autoptr (GHashTable) values = NULL;
  const char *names[OP_CASE_INPUTS];

  op_case_build (row, SONDE_DTYPE_F64, &built);
  sonde_pass_infer (built.graph, NULL, 0, &error);
  g_assert_no_error (error);
  g_assert_null (sonde_test_check_gradient (built.graph, built.feeds, names,
                                            wanted_names (row, &built, names)));
  values = sonde_test_evaluate (built.graph, built.feeds, &error);
  g_assert_no_error (error);
  for (guint i = 0; i < built.graph->nodes->len; i++)
    {
      SondeNode *node = built.graph->nodes->pdata[i];

      if (node == NULL || strcmp (node->domain, SONDE_DOMAIN) != 0)
        continue;
      for (guint64 number = 0; number < 40; number++)
        run_bent (node, values, number);
    }
}

static void
add_case (const char *kind, const OpCase *row, void (*test) (gconstpointer data))
{
  g_autofree char *path = g_strdup_printf ("/engine/ops/gradient/%s/%s", kind, row->name);

  g_test_add_data_func (path, row, test);
}

static void
add_cases (const OpCase *table, gboolean smooth)
{
  for (const OpCase *row = table; row->name != NULL; row++)
    {
      add_case ("first", row, test_first);
      add_case ("unknown", row, test_unknown);
      add_case ("hostile", row, test_hostile);
      if (smooth)
        add_case ("second", row, test_second);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  add_cases (op_cases_gradient_image, TRUE);
  add_cases (op_cases_gradient_sampling, FALSE);
  add_cases (op_cases_gradient_norm, TRUE);
  add_cases (op_cases_gradient_recurrent, FALSE);
  add_cases (op_cases_gradient_sequence, TRUE);
  add_cases (op_cases_gradient_window, TRUE);
  add_cases (op_cases_gradient_sized, TRUE);
  op_cases_add (op_cases_gradient_image);
  op_cases_add (op_cases_gradient_norm);
  op_cases_add (op_cases_gradient_recurrent);
  op_cases_add (op_cases_gradient_sampling);
  op_cases_add (op_cases_gradient_sequence);
  op_cases_add (op_cases_gradient_window);
  return g_test_run ();
}
