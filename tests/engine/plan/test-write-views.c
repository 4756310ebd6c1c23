/* SPDX-License-Identifier: Apache-2.0
 * Values that share memory, one of them written at every position: what was computed stays, what is
 * computed later reads what was written, and the run after that is as if nothing had been. */
#include "tests/engine/plan/graph-lines.h"
#include "tests/engine/plan/plan-fixture.h"

#include <string.h>

/* What the nodes make; u is a view of the parameter "weight". */
static const char *const names[] = { "r", "v", "s", "e", "w", "u", "m", "f", "a", "y" };

typedef struct
{
  SondeGraph *graph;
  SondeExecution *execution;
  SondeTensor *plain[G_N_ELEMENTS (names)];
} Fixture;

static SondeGraph *
make_graph (void)
{
  static const char *const lines[] = {
    "Relu x > r",
    "Reshape r :4,3 > v",
    "Sigmoid r > s",
    "Exp v > e",
    "Reshape v :3,4 > w",
    "Reshape #3x4 :4,3 > u",
    "Mul e u > m",
    "Reshape m :3,4 > f",
    "Add s w > a",
    "Add a f > y",
    NULL,
  };
  SondeGraph *graph = graph_of_lines ("views", "3x4", lines);
  SondeNode *node = sonde_graph_find_value (graph, "u")->producer;
  SondeGraphValue *weight = sonde_node_get_input (node, 0);

  weight->role = SONDE_ROLE_PARAMETER;
  sonde_graph_rename_value (graph, weight, "weight");
  return graph;
}

static SondeTensor *
read_value (Fixture *fixture, const char *name)
{
  g_autoptr (GError) error = NULL;
  SondeTensor *tensor = sonde_execution_read (
      fixture->execution, sonde_graph_find_value (fixture->graph, name), &error);

  g_assert_no_error (error);
  return tensor;
}

static void
fixture_init (Fixture *fixture, const char *device)
{
  const SondePlanOptions keep = { .memory = SONDE_MEMORY_KEEP, .no_fusion = TRUE };

  fixture->graph = make_graph ();
  fixture->execution = plan_fixture_start (fixture->graph, device, &keep);
  plan_fixture_give (fixture->execution, "x", graph_lines_random ("3x4"));
  plan_fixture_run (fixture->execution);
  for (gsize i = 0; i < G_N_ELEMENTS (names); i++)
    fixture->plain[i] = read_value (fixture, names[i]);
}

static void
fixture_clear (Fixture *fixture)
{
  for (gsize i = 0; i < G_N_ELEMENTS (names); i++)
    sonde_tensor_unref (fixture->plain[i]);
  sonde_execution_free (fixture->execution);
  sonde_graph_unref (fixture->graph);
}

static guint
made_by (Fixture *fixture, const char *name)
{
  SondeGraphValue *value = sonde_graph_find_value (fixture->graph, name);

  return (guint) sonde_plan_find_step (sonde_execution_get_plan (fixture->execution),
                                       value->producer);
}

/* The bytes of @from with the shape of @like. */
static gboolean
same_bytes (const SondeTensor *from, const SondeTensor *like)
{
  return memcmp (from->data, like->data, sonde_tensor_n_bytes (from)) == 0;
}

/* Writes @written before step @position: everything made before is what it was, everything after of
 * the views shows what it is a view of. */
static void
check_position (Fixture *fixture, const char *written, guint position)
{
  g_autoptr (SondeTensor) old = read_value (fixture, written), half = sonde_tensor_copy (old),
                          now = NULL;
  g_autoptr (GError) error = NULL;

  for (gint64 i = 0; i < 12; i++)
    sonde_tensor_set_double (half, i, 0.5 + 0.01 * (double) i);
  sonde_execution_run_to (fixture->execution, position, &error);
  g_assert_true (sonde_execution_write (
      fixture->execution, sonde_graph_find_value (fixture->graph, written), half, &error));
  g_assert_no_error (error);
  for (gsize i = 0; i < G_N_ELEMENTS (names); i++)
    if (made_by (fixture, names[i]) < position && !g_str_equal (names[i], written))
      {
        g_autoptr (SondeTensor) kept = read_value (fixture, names[i]);

        g_assert_true (sonde_tensor_equal (kept, fixture->plain[i]));
      }
  plan_fixture_run (fixture->execution);
  now = read_value (fixture, written);
  g_assert_true (sonde_tensor_equal (now, half));
  for (gsize i = 0; i < G_N_ELEMENTS (names); i++)
    {
      SondeNode *node = sonde_graph_find_value (fixture->graph, names[i])->producer;
      SondeGraphValue *from = sonde_node_get_input (node, 0);
      gboolean is_view = strcmp (node->op, "Reshape") == 0;
      g_autoptr (SondeTensor) value = read_value (fixture, names[i]), source = NULL;

      if (made_by (fixture, names[i]) < position && !g_str_equal (names[i], written))
        g_assert_true (sonde_tensor_equal (value, fixture->plain[i]));
      else if (is_view && !g_str_equal (names[i], written))
        {
          source = read_value (fixture, from->name);
          g_assert_true (same_bytes (source, value));
        }
    }
  if (g_str_equal (written, "weight"))
    g_assert_true (sonde_execution_write (
        fixture->execution, sonde_graph_find_value (fixture->graph, "weight"), old, NULL));
}

static void
check_undone (Fixture *fixture)
{
  plan_fixture_run (fixture->execution);
  for (gsize i = 0; i < G_N_ELEMENTS (names); i++)
    {
      g_autoptr (SondeTensor) value = read_value (fixture, names[i]);

      g_assert_true (sonde_tensor_equal (value, fixture->plain[i]));
    }
}

static void
test_values (gconstpointer device)
{
  static const char *const written[] = { "r", "v", "w", "f", "e" };
  Fixture fixture;
  guint n_steps;

  fixture_init (&fixture, device);
  n_steps = sonde_plan_get_n_steps (sonde_execution_get_plan (fixture.execution));
  for (gsize i = 0; i < G_N_ELEMENTS (written); i++)
    for (guint position = made_by (&fixture, written[i]) + 1; position <= n_steps; position++)
      {
        check_position (&fixture, written[i], position);
        check_undone (&fixture);
      }
  fixture_clear (&fixture);
}

/* Inputs and weights that have views: theirs stays from run to run. */
static void
test_sources (gconstpointer device)
{
  Fixture fixture;
  guint n_steps;

  fixture_init (&fixture, device);
  n_steps = sonde_plan_get_n_steps (sonde_execution_get_plan (fixture.execution));
  for (guint position = 0; position <= n_steps; position++)
    {
      check_position (&fixture, "weight", position); /* puts back what it was */
      check_undone (&fixture);
    }
  fixture_clear (&fixture);
}

/* Back to before it was written: all is as if it had not been. */
static void
check_back (Fixture *fixture, const char *written, guint position, guint back)
{
  SondeGraphValue *value = sonde_graph_find_value (fixture->graph, written);
  g_autoptr (SondeTensor) half = sonde_tensor_copy (fixture->plain[0]), tensor = NULL;
  guint n_steps = sonde_plan_get_n_steps (sonde_execution_get_plan (fixture->execution));
  g_autoptr (GError) error = NULL;

  tensor = sonde_tensor_reshape (
      half, &((SondeShape){ 2, { value->type.dims[0].size, value->type.dims[1].size } }));
  sonde_execution_run_to (fixture->execution, position, &error);
  sonde_execution_write (fixture->execution, value, tensor, &error);
  sonde_execution_run_to (fixture->execution, n_steps, &error);
  sonde_execution_go_back (fixture->execution, back, &error);
  g_assert_no_error (error);
  for (gsize i = 0; i < G_N_ELEMENTS (names); i++)
    if (made_by (fixture, names[i]) < back)
      {
        g_autoptr (SondeTensor) now = read_value (fixture, names[i]);

        g_assert_true (sonde_tensor_equal (now, fixture->plain[i]));
      }
  check_undone (fixture); /* goes on from there */
}

static void
test_back (gconstpointer device)
{
  static const char *const written[] = { "r", "v", "w", "f", "e", "weight" };
  Fixture fixture;
  guint n_steps;

  fixture_init (&fixture, device);
  n_steps = sonde_plan_get_n_steps (sonde_execution_get_plan (fixture.execution));
  for (gsize i = 0; i < G_N_ELEMENTS (written); i++)
    for (guint position = i < 5 ? made_by (&fixture, written[i]) + 1 : 0; position <= n_steps;
         position++)
      for (guint back = 0; back < position; back++)
        check_back (&fixture, written[i], position, back);
  fixture_clear (&fixture);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_data_func ("/engine/plan/write-views/values/reference", "reference", test_values);
  g_test_add_data_func ("/engine/plan/write-views/values/cpu", "cpu", test_values);
  g_test_add_data_func ("/engine/plan/write-views/sources/reference", "reference", test_sources);
  g_test_add_data_func ("/engine/plan/write-views/sources/cpu", "cpu", test_sources);
  g_test_add_data_func ("/engine/plan/write-views/back/reference", "reference", test_back);
  g_test_add_data_func ("/engine/plan/write-views/back/cpu", "cpu", test_back);
  return g_test_run ();
}
