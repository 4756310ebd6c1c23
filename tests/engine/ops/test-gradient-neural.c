/* SPDX-License-Identifier: Apache-2.0
 * Gradients of the neural families against central differences: as written, with a first size that is not known
 * when the graph is differentiated, and (smooth operators) of the gradient itself. */
#include "tests/engine/ops/op-cases-gradient.h"

static guint
wanted_names (const OpCase      *row,
              const OpCaseBuilt *built,
              const char       **names)
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
  judge (sonde_test_check_gradient (built.graph, built.feeds, names, wanted_names (row, &built, names)));
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
  sonde_node_get_input (built.node, 0)->type.dims[0] = (SondeDimension) { .size = -1 };
  sonde_pass_infer (built.graph, NULL, 0, &error);
  g_assert_no_error (error);
  judge (sonde_test_check_gradient (built.graph, built.feeds, names, wanted_names (row, &built, names)));
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
  judge (sonde_test_check_second_gradient (built.graph, built.feeds, names, wanted_names (row, &built, names)));
}

static void
add_case (const char   *kind,
          const OpCase *row,
          void (*test) (gconstpointer data))
{
  g_autofree char *path = g_strdup_printf ("/engine/ops/gradient/%s/%s", kind, row->name);

  g_test_add_data_func (path, row, test);
}

static void
add_cases (const OpCase *table,
           gboolean      smooth)
{
  for (const OpCase *row = table; row->name != NULL; row++)
    {
      add_case ("first", row, test_first);
      add_case ("unknown", row, test_unknown);
      if (smooth)
        add_case ("second", row, test_second);
    }
}

int
main (int    argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  add_cases (op_cases_gradient_image, FALSE);
  add_cases (op_cases_gradient_sampling, FALSE);
  add_cases (op_cases_gradient_norm, FALSE);
  add_cases (op_cases_gradient_recurrent, FALSE);
  add_cases (op_cases_gradient_sequence, FALSE);
  add_cases (op_cases_gradient_window, FALSE);
  return g_test_run ();
}
