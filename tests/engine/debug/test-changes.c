/* SPDX-License-Identifier: Apache-2.0
 * A run changed on the way and a fresh run of what was changed beforehand: every value is equal,
 * bit for bit, wherever the change was made. Branches stand where they were left. */
#include "engine/debug/changes/sonde-changes.h"

#include <string.h>

#include "tests/engine/plan/graph-lines.h"

static const char *const lines[] = {
  "Relu x > r",
  "MaxPool r > p | kernel_shape=2,2 strides=2,2",
  "LeakyRelu p > l | alpha=0.1",
  "Sigmoid l > s",
  "Identity s > i",
  "Transpose i > t | perm=0,1,3,2",
  "Softmax t > q | axis=-1",
  "Reshape q :2,-1 > f",
  "MatMul f #27x5 > m",
  "Add m #5 > y",
  NULL,
};

static SondeGraph *
make_model (void)
{
  SondeGraph *graph = graph_of_lines ("model", "2x3x6x6", lines);

  for (guint i = 0; i < graph->nodes->len; i++)
    {
      SondeNode *node = g_ptr_array_index (graph->nodes, i);

      g_autofree char *name = g_strdup_printf ("node-%s", sonde_node_get_output (node, 0)->name);

      sonde_graph_rename_node (graph, node, name);
    }
  return graph;
}

typedef struct
{
  SondeGraph *original;
  SondeExecution *execution, *current;
  SondeDebugger *debugger;
  SondeChanges *changes;
} Fixture;

static SondeExecution *
start (SondeGraph *model, GError **error)
{
  g_autoptr (SondeGraph) graph = sonde_prepare_editable_inference (model, error);
  const SondePlanOptions keep = { .memory = SONDE_MEMORY_KEEP, .no_fusion = TRUE };
  g_autoptr (SondeDevice) device = sonde_device_open ("cpu", 1, NULL);
  g_autoptr (SondePlan) plan = graph != NULL ? sonde_plan_new (graph, device, &keep, error) : NULL;
  SondeExecution *execution = plan != NULL ? sonde_execution_new (plan, error) : NULL;
  g_autoptr (SondeTensor) x = graph_lines_random ("2x3x6x6");

  if (execution != NULL)
    sonde_execution_set_input (execution, "x", x, NULL);
  return execution;
}

static void
adopt (SondeExecution *execution, SondeGraph *original, gpointer data)
{
  ((Fixture *) data)->current = execution;
}

static void
fixture_init (Fixture *fixture)
{
  g_autoptr (GError) error = NULL;

  fixture->original = make_model ();
  fixture->execution = fixture->current = start (fixture->original, &error);
  g_assert_no_error (error);
  fixture->debugger = sonde_debugger_new (fixture->original);
  sonde_debugger_attach_execution (fixture->debugger, fixture->execution);
  fixture->changes = sonde_changes_new (fixture->debugger, fixture->original, adopt, fixture);
}

static void
fixture_clear (Fixture *fixture)
{
  sonde_changes_free (fixture->changes);
  g_assert_true (fixture->current == fixture->execution);
  sonde_debugger_free (fixture->debugger);
  sonde_execution_free (fixture->execution);
  sonde_graph_unref (fixture->original);
}

static void
run_to (SondeExecution *execution, guint position)
{
  g_autoptr (GError) error = NULL;

  g_assert_cmpint (sonde_execution_run_to (execution, position, &error), ==, SONDE_RUN_PAUSED);
}

static guint
n_steps_of (SondeExecution *execution)
{
  return sonde_plan_get_n_steps (sonde_execution_get_plan (execution));
}

static SondeTensor *
read_named (SondeExecution *execution, const char *name)
{
  g_autoptr (GError) error = NULL;
  SondeGraph *graph = sonde_plan_get_graph (sonde_execution_get_plan (execution));
  SondeTensor *tensor
      = sonde_execution_read (execution, sonde_graph_find_value (graph, name), &error);

  g_assert_no_error (error);
  return tensor;
}

static void
assert_equal_runs (SondeExecution *one, SondeExecution *other)
{
  static const char *const names[] = { "r", "p", "l", "s", "i", "t", "q", "f", "m", "y" };

  run_to (one, n_steps_of (one));
  run_to (other, n_steps_of (other));
  for (gsize i = 0; i < G_N_ELEMENTS (names); i++)
    {
      g_autoptr (SondeTensor) a = read_named (one, names[i]), b = read_named (other, names[i]);

      if (!sonde_tensor_equal (a, b))
        g_error ("“%s” differs", names[i]);
    }
}

typedef struct
{
  const char *node, *key, *value;
} Row;

static const Row rows[] = {
  { "node-l", "alpha", "0.75" },
  { "node-q", "axis", "1" },
  { "node-t", "perm", "[0, 1, 2, 3]" },
  { "node-p", "pads", "[0,0,0,0]" },
  { "node-r", NULL, NULL },
  { "node-s", NULL, NULL },
  { "l", NULL, NULL },
  { "node-q", NULL, NULL },
  { "p", "storage_order", "1" },
};

static void
test_changed_nodes (void)
{
  for (gsize row = 0; row < G_N_ELEMENTS (rows); row++)
    for (guint position = 0;; position++)
      {
        g_autoptr (SondeNodeChange) change
            = sonde_node_change_new (rows[row].node, rows[row].key, rows[row].value);
        g_autoptr (SondeGraph) changed = NULL;
        g_autoptr (SondeExecution) fresh = NULL;
        g_autoptr (GError) error = NULL;
        g_autoptr (SondeEdit) edit = NULL;
        g_autoptr (SondeMessage) note = NULL;
        Fixture fixture;

        fixture_init (&fixture);
        if (position > n_steps_of (fixture.execution))
          {
            fixture_clear (&fixture);
            break;
          }
        run_to (fixture.execution, position);
        changed = sonde_graph_copy (fixture.original, FALSE);
        g_assert_true (sonde_node_change_apply (change, changed, &error));
        fresh = start (changed, &error);
        g_assert_no_error (error);
        edit = sonde_changes_change_node (fixture.changes, change, &note, &error);
        g_assert_no_error (error);
        g_assert_nonnull (note);
        g_assert_true (fixture.current != fixture.execution);
        /* inserted steps */
        g_assert_cmpuint (sonde_execution_get_position (fixture.current), <=, position + 1);
        assert_equal_runs (fixture.current, fresh);
        fixture_clear (&fixture);
      }
}

/* What was set before the change is there after it. */
static void
test_kept_edits (void)
{
  g_autoptr (SondeNodeChange) change = sonde_node_change_new ("node-q", "axis", "1");
  g_autoptr (SondeGraph) changed = NULL;
  g_autoptr (SondeExecution) fresh = NULL;
  g_autoptr (SondeTensor) number = sonde_tensor_new_f32 (0.25f), whole = NULL;
  g_autoptr (SondeEdit) set = NULL, input = NULL, edit = NULL;
  g_autoptr (SondeMessage) note = NULL;
  Fixture fixture;

  fixture_init (&fixture);
  input = sonde_debugger_set (fixture.debugger, "x[0, 0]", number, NULL);
  run_to (fixture.execution, 5);
  set = sonde_debugger_set (fixture.debugger, "l[1]", number, NULL);
  g_assert_nonnull (set);
  edit = sonde_changes_change_node (fixture.changes, change, &note, NULL);
  g_assert_nonnull (edit);
  changed = sonde_graph_copy (fixture.original, FALSE);
  sonde_node_change_apply (change, changed, NULL);
  fresh = start (changed, NULL);
  whole = read_named (fixture.execution, "x");
  sonde_execution_set_input (fresh, "x", whole, NULL);
  run_to (fresh, 5);
  sonde_tensor_unref (whole);
  whole = read_named (fixture.execution, "l");
  sonde_execution_write (
      fresh, sonde_graph_find_value (sonde_plan_get_graph (sonde_execution_get_plan (fresh)), "l"),
      whole, NULL);
  assert_equal_runs (fixture.current, fresh);
  fixture_clear (&fixture);
}

static void
assert_refused (const char *node, const char *key, const char *value, int code, const char *said)
{
  g_autoptr (SondeNodeChange) change = sonde_node_change_new (node, key, value);
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeMessage) note = NULL;
  Fixture fixture;

  fixture_init (&fixture);
  run_to (fixture.execution, 3);
  g_assert_null (sonde_changes_change_node (fixture.changes, change, &note, &error));
  g_assert_error (error, SONDE_ENGINE_ERROR, code);
  if (strstr (error->message, said) == NULL)
    g_error ("“%s” is not “%s”", error->message, said);
  g_assert_true (fixture.current == fixture.execution);
  g_assert_cmpuint (sonde_execution_get_position (fixture.current), ==, 3);
  g_assert_cmpuint (sonde_changes_get_branches (fixture.changes)->len, ==, 1);
  fixture_clear (&fixture);
}

static void
test_refused (void)
{
  assert_refused ("nowhere", "axis", "1", SONDE_ENGINE_ERROR_NOT_FOUND, "nowhere");
  assert_refused ("node-q", "axes", "1", SONDE_ENGINE_ERROR_NOT_FOUND, "axis");
  assert_refused ("node-q", "axis", "one", SONDE_ENGINE_ERROR_INVALID, "an integer");
  assert_refused ("node-q", "axis", "7", SONDE_ENGINE_ERROR_SHAPE, "node-q");
  assert_refused ("node-t", "perm", "[0, 1]", SONDE_ENGINE_ERROR_SHAPE, "node-t");
  assert_refused ("node-p", "strides", "[1, 1]", SONDE_ENGINE_ERROR_SHAPE, "MatMul");
  assert_refused ("node-m", NULL, NULL, SONDE_ENGINE_ERROR_SHAPE, "2×27");
}

static void
test_branches (void)
{
  g_autoptr (SondeTensor) number = sonde_tensor_new_f32 (-1.f), plain = NULL, other = NULL;
  g_autoptr (SondeEdit) edit = NULL;
  g_autoptr (GError) error = NULL;
  Fixture fixture;

  fixture_init (&fixture);
  run_to (fixture.execution, n_steps_of (fixture.execution));
  plain = read_named (fixture.execution, "y");
  sonde_execution_abandon (fixture.execution);
  run_to (fixture.execution, 4);
  g_assert_true (sonde_changes_branch (fixture.changes, "before", &error));
  g_assert_cmpuint (sonde_changes_get_current (fixture.changes), ==, 2);
  edit = sonde_debugger_set (fixture.debugger, "l", number, &error);
  g_assert_no_error (error);
  run_to (fixture.current, n_steps_of (fixture.current));
  other = read_named (fixture.current, "y");
  g_assert_false (sonde_tensor_equal (plain, other));
  sonde_tensor_unref (other);
  g_assert_true (sonde_changes_switch (fixture.changes, "before", &error));
  g_assert_cmpuint (sonde_execution_get_position (fixture.current), ==, 4);
  g_assert_true (sonde_debugger_get_execution (fixture.debugger) == fixture.current);
  run_to (fixture.current, n_steps_of (fixture.current));
  other = read_named (fixture.current, "y");
  g_assert_true (sonde_tensor_equal (plain, other));
  g_assert_false (sonde_changes_branch (fixture.changes, "before", &error));
  g_assert_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_INVALID);
  g_clear_error (&error);
  g_assert_false (sonde_changes_switch (fixture.changes, "9", &error));
  g_assert_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_NOT_FOUND);
  g_assert_true (sonde_changes_switch (fixture.changes, "2", NULL));
  fixture_clear (&fixture);
}

/* Edits of views and of a state that branches are made of. */
static void
test_branch_of_views (void)
{
  g_autoptr (SondeTensor) number = sonde_tensor_new_f32 (2.f), a = NULL, b = NULL;
  g_autoptr (SondeEdit) edit = NULL;
  g_autoptr (SondeExecution) copy = NULL;
  Fixture fixture;

  fixture_init (&fixture);
  run_to (fixture.execution, n_steps_of (fixture.execution) - 2);
  edit = sonde_debugger_set (fixture.debugger, "q", number, NULL);
  g_assert_nonnull (edit);
  copy = sonde_execution_branch (fixture.execution, NULL);
  a = read_named (fixture.execution, "f");
  b = read_named (copy, "f");
  g_assert_true (sonde_tensor_equal (a, b));
  g_assert_cmpfloat (sonde_tensor_get_double (a, 0), !=, 2);
  assert_equal_runs (fixture.execution, copy);
  fixture_clear (&fixture);
}

static void
test_parse (void)
{
  g_autoptr (SondeNodeChange) change
      = sonde_node_change_parse_attribute ("enc.l0.conv.strides = [2, 2]", NULL);
  static const char *const wrong[] = { "", "a.b", "a = 1", ".b = 1", "a. = 1", "a.b = " };

  g_assert_cmpstr (change->node, ==, "enc.l0.conv");
  g_assert_cmpstr (change->key, ==, "strides");
  g_assert_cmpstr (change->value, ==, "[2, 2]");
  for (gsize i = 0; i < G_N_ELEMENTS (wrong); i++)
    {
      g_autoptr (GError) error = NULL;

      g_assert_null (sonde_node_change_parse_attribute (wrong[i], &error));
      g_assert_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_INVALID);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/engine/debug/changes/nodes", test_changed_nodes);
  g_test_add_func ("/engine/debug/changes/kept-edits", test_kept_edits);
  g_test_add_func ("/engine/debug/changes/refused", test_refused);
  g_test_add_func ("/engine/debug/changes/branches", test_branches);
  g_test_add_func ("/engine/debug/changes/branch-of-views", test_branch_of_views);
  g_test_add_func ("/engine/debug/changes/parse", test_parse);
  return g_test_run ();
}
