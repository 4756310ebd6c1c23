/* SPDX-License-Identifier: Apache-2.0
 * If, Loop and Scan: results, looking and pausing inside bodies, loops that nobody wants to wait
 * for. */
#include "data/arrays/sonde-npz.h"
#include "data/models/sonde-model-file.h"
#include "engine/ops/sonde-build.h"
#include "engine/plan/sonde-execution.h"
#include "tests/engine/plan/plan-fixture.h"

#include <math.h>
#include <string.h>

/* ---- building ------------------------------------------------------------ */

static SondeType
scalar_type (SondeDtype dtype)
{
  SondeShape scalar = sonde_shape_scalar ();

  return sonde_type_tensor (dtype, &scalar);
}

static SondeType
list_type (SondeDtype dtype, gint64 n)
{
  SondeShape shape = sonde_shape_make (1, n);

  return sonde_type_tensor (dtype, &shape);
}

static SondeGraphValue *
constant (SondeGraph *graph, SondeTensor *tensor) /* (transfer full) */
{
  SondeGraphValue *value = sonde_build_constant (graph, NULL, tensor);

  sonde_tensor_unref (tensor);
  return value;
}

static SondeTensor *
truth (gboolean value)
{
  SondeShape scalar = sonde_shape_scalar ();
  guint8 byte = value ? 1 : 0;

  return sonde_tensor_new_from_data (SONDE_DTYPE_BOOL, &scalar, &byte);
}

static SondeTensor *
floats (gint64 n, const float *values)
{
  SondeShape shape = sonde_shape_make (1, n);

  return sonde_tensor_new_from_data (SONDE_DTYPE_F32, &shape, values);
}

/* A body with the inputs of a Loop and one carried value. */
static SondeGraph *
loop_body (SondeGraph *graph, SondeGraphValue **iteration, SondeGraphValue **condition,
           SondeGraphValue **carried)
{
  SondeGraph *body = sonde_graph_new_subgraph (graph, "body");
  SondeType number = scalar_type (SONDE_DTYPE_I64), yes = scalar_type (SONDE_DTYPE_BOOL);

  *iteration = sonde_graph_add_input (body, "iteration", &number);
  *condition = sonde_graph_add_input (body, "condition", &yes);
  *carried = carried != NULL ? sonde_graph_add_input (body, "carried", NULL) : NULL;
  return body;
}

static SondeNode *
add_loop (SondeGraph *graph, const char *name, SondeGraphValue *trips, SondeGraphValue *initial,
          SondeGraph *body, guint n_outputs)
{
  SondeGraphValue *inputs[] = { trips, NULL, initial };
  SondeNode *node = sonde_graph_add_node (graph, name, "", "Loop", inputs, 3, n_outputs);

  sonde_node_take_graph (node, "body", body);
  return node;
}

/* "n": int64 → Loop, n times: y ← w·y + i; scan output y. "w" is a parameter, captured. */
static SondeGraph *
geometric_graph (void)
{
  SondeGraph *graph = sonde_graph_new ("geometric"), *body;
  SondeType number = scalar_type (SONDE_DTYPE_I64);
  SondeGraphValue *n, *y, *i, *condition, *carried, *w;
  g_autoptr (SondeTensor) two = sonde_tensor_new_f32 (2), one = sonde_tensor_new_f32 (1);
  SondeNode *loop;

  sonde_graph_set_opset (graph, "", 28);
  n = sonde_graph_add_input (graph, "n", &number);
  sonde_graph_add_initialiser (graph, "w", two, SONDE_ROLE_PARAMETER);
  body = loop_body (graph, &i, &condition, &carried);
  w = sonde_graph_capture_value (body, "w");
  i = sonde_build_unary (body, "Cast", i);
  sonde_node_set_int (i->producer, "to", 1);
  y = sonde_build_binary (body, "Mul", carried, w);
  sonde_graph_rename_value (body, y, "product");
  y = sonde_build_binary (body, "Add", y, i);
  sonde_graph_rename_value (body, y, "sum");
  sonde_graph_add_output (body, condition);
  sonde_graph_add_output (body, y);
  sonde_graph_add_output (body, y);
  loop = add_loop (graph, "loop", n, sonde_build_constant (graph, "start", one), body, 2);
  sonde_graph_rename_value (graph, sonde_node_get_output (loop, 0), "last");
  sonde_graph_rename_value (graph, sonde_node_get_output (loop, 1), "all");
  y = sonde_build_unary (graph, "Neg", sonde_node_get_output (loop, 0));
  sonde_graph_rename_value (graph, y, "negative");
  sonde_graph_add_output (graph, y);
  sonde_graph_add_output (graph, sonde_node_get_output (loop, 1));
  return graph;
}

/* ---- running ------------------------------------------------------------- */

static SondeGraphValue *
find (SondeExecution *execution, const char *name)
{
  return sonde_graph_find_value (sonde_plan_get_graph (sonde_execution_get_plan (execution)), name);
}

static SondeTensor *
read_named (SondeExecution *execution, const char *name)
{
  g_autoptr (GError) error = NULL;
  SondeTensor *tensor = sonde_execution_read (execution, find (execution, name), &error);

  g_assert_no_error (error);
  return tensor;
}

static double
read_number (SondeExecution *execution, const char *name)
{
  g_autoptr (SondeTensor) tensor = read_named (execution, name);

  g_assert_cmpint (sonde_tensor_n_elements (tensor), ==, 1);
  return sonde_tensor_get_double (tensor, 0);
}

/* The sequence of the geometric graph. */
static double
geometric (gint64 n, double w)
{
  double y = 1;

  for (gint64 i = 0; i < n; i++)
    y = w * y + (double) i;
  return y;
}

/* ---- results ------------------------------------------------------------- */

static void
test_loop (void)
{
  const char *const devices[] = { "cpu", "reference" };

  for (guint d = 0; d < 2; d++)
    for (guint keep = 0; keep < 2; keep++)
      {
        const SondePlanOptions options = { .memory = keep ? SONDE_MEMORY_KEEP : SONDE_MEMORY_PLAN };
        g_autoptr (SondeGraph) graph = geometric_graph ();
        g_autoptr (SondeExecution) execution = plan_fixture_start (graph, devices[d], &options);

        for (gint64 n = 0; n < 12; n++)
          {
            g_autoptr (SondeTensor) all = NULL;

            plan_fixture_give (execution, "n", sonde_tensor_new_i64 (n));
            plan_fixture_run (execution);
            g_assert_cmpfloat (read_number (execution, "negative"), ==, -geometric (n, 2));
            all = read_named (execution, "all");
            g_assert_cmpint (all->shape.dims[0], ==, n);
            for (gint64 i = 0; i < n; i++)
              g_assert_cmpfloat (sonde_tensor_get_double (all, i), ==, geometric (i + 1, 2));
          }
      }
}

/* A parameter that bodies capture is the one that was written last. */
static void
test_parameter (void)
{
  g_autoptr (SondeGraph) graph = geometric_graph ();
  g_autoptr (SondeExecution) execution = plan_fixture_start (graph, "cpu", NULL);
  const float weights[] = { 2, 3, 0.5f };

  for (guint i = 0; i < 3; i++)
    {
      g_autoptr (SondeTensor) w = sonde_tensor_new_f32 (weights[i]);
      g_autoptr (GError) error = NULL;

      if (i > 0)
        sonde_execution_write (execution, find (execution, "w"), w, &error);
      g_assert_no_error (error);
      plan_fixture_give (execution, "n", sonde_tensor_new_i64 (5));
      plan_fixture_run (execution);
      g_assert_cmpfloat (read_number (execution, "last"), ==, geometric (5, weights[i]));
    }
}

/* carried ← Concat (carried, carried[:1]): a new size in every iteration. */
static void
test_growing (void)
{
  g_autoptr (SondeGraph) graph = sonde_graph_new ("growing");
  SondeGraph *body;
  SondeType number = scalar_type (SONDE_DTYPE_I64);
  SondeGraphValue *n, *i, *condition, *carried, *inputs[2], *y;
  static const float start_values[] = { 1, 2 };
  g_autoptr (SondeExecution) execution = NULL;

  sonde_graph_set_opset (graph, "", 28);
  n = sonde_graph_add_input (graph, "n", &number);
  body = loop_body (graph, &i, &condition, &carried);
  i = sonde_build_unary (body, "Cast", i);
  sonde_node_set_int (i->producer, "to", 1);
  inputs[0] = carried;
  inputs[1] = sonde_build_binary (body, "Unsqueeze", i, constant (body, sonde_tensor_new_i64 (0)));
  y = sonde_build_op (body, NULL, "", "Concat", 2, inputs);
  sonde_node_set_int (y->producer, "axis", 0);
  sonde_graph_add_output (body, condition);
  sonde_graph_add_output (body, y);
  y = sonde_node_get_output (
      add_loop (graph, "loop", n, constant (graph, floats (2, start_values)), body, 1), 0);
  sonde_graph_rename_value (graph, y, "y");
  sonde_graph_add_output (graph, y);
  execution = plan_fixture_start (graph, "cpu", NULL);

  for (guint round = 0; round < 2; round++)
    {
      g_autoptr (SondeTensor) result = NULL;

      plan_fixture_give (execution, "n", sonde_tensor_new_i64 (30));
      plan_fixture_run (execution);
      result = read_named (execution, "y");
      g_assert_cmpint (result->shape.dims[0], ==, 32);
      g_assert_cmpfloat (sonde_tensor_get_double (result, 0), ==, 1);
      g_assert_cmpfloat (sonde_tensor_get_double (result, 1), ==, 2);
      for (gint64 k = 0; k < 30; k++)
        g_assert_cmpfloat (sonde_tensor_get_double (result, k + 2), ==, k);
    }
}

static SondeGraph *
branch (SondeGraph *graph, const char *op, const char *captured, gint64 axis)
{
  SondeGraph *body = sonde_graph_new_subgraph (graph, op);
  SondeGraphValue *x = sonde_graph_capture_value (body, captured);
  SondeGraphValue *y
      = axis < 0 ? sonde_build_unary (body, op, x)
                 : sonde_build_binary (body, op, x, constant (body, sonde_tensor_new_i64 (axis)));

  sonde_graph_add_output (body, y);
  return body;
}

/* Branches of different ranks, one of which cannot run with this input. */
static void
test_if (void)
{
  g_autoptr (SondeGraph) graph = sonde_graph_new ("if");
  SondeType x_type = list_type (SONDE_DTYPE_F32, 3),
            condition_type = scalar_type (SONDE_DTYPE_BOOL);
  static const float x[] = { 1, 2, 3 };
  g_autoptr (SondeExecution) execution = NULL;
  g_autoptr (SondeTensor) y = NULL;
  g_autoptr (GError) error = NULL;
  SondeGraphValue *condition;
  SondeNode *node;

  sonde_graph_set_opset (graph, "", 28);
  sonde_graph_add_input (graph, "x", &x_type);
  condition = sonde_graph_add_input (graph, "condition", &condition_type);
  node = sonde_graph_add_node (graph, "choose", "", "If", &condition, 1, 1);
  sonde_node_take_graph (node, "else_branch", branch (graph, "Neg", "x", -1));
  sonde_node_take_graph (node, "then_branch", branch (graph, "Squeeze", "x", 0));
  sonde_graph_rename_value (graph, sonde_node_get_output (node, 0), "y");
  sonde_graph_add_output (graph, sonde_node_get_output (node, 0));
  execution = plan_fixture_start (graph, "cpu", NULL);

  plan_fixture_give (execution, "x", floats (3, x));
  plan_fixture_give (execution, "condition", truth (FALSE));
  plan_fixture_run (execution);
  y = read_named (execution, "y");
  g_assert_cmpfloat (sonde_tensor_get_double (y, 2), ==, -3);
  plan_fixture_give (execution, "condition", truth (TRUE));
  g_assert_cmpint (sonde_execution_run (execution, &error), ==, SONDE_RUN_FAILED);
  g_assert_nonnull (error);
  g_assert_nonnull (strstr (error->message, "choose"));
  g_assert_nonnull (strstr (error->message, "Squeeze"));
  plan_fixture_give (execution, "condition", truth (FALSE));
  plan_fixture_run (execution);
}

/* ---- inside -------------------------------------------------------------- */

/**
 * Watcher: pauses before and after steps of bodies
 * @n_outer, @n_inner: calls for steps of the outermost execution and of bodies
 * @begins: runs of bodies
 */
typedef struct
{
  SondeObserver observer;
  gboolean pause;
  guint n_outer, n_inner, begins, ends;
  guint limit;
} Watcher;

static guint
want_all (SondeObserver *observer, SondeExecution *execution, guint step)
{
  g_assert_cmpuint (step, <, sonde_plan_get_n_steps (sonde_execution_get_plan (execution)));
  return SONDE_WANT_BEFORE | SONDE_WANT_AFTER;
}

static SondeAnswer
count_step (SondeObserver *observer, SondeExecution *execution, guint step)
{
  Watcher *watcher = (Watcher *) observer;
  SondeExecution *parent = sonde_execution_get_parent (execution);

  if (parent != NULL)
    {
      g_assert_true (sonde_execution_get_inner (parent) == execution);
      g_assert_cmpstr (sonde_execution_get_node (execution)->name, ==, "loop");
      g_assert_cmpstr (sonde_execution_get_body_name (execution), ==, "body");
      watcher->n_inner++;
      if (watcher->n_inner == watcher->limit)
        sonde_execution_interrupt (parent);
    }
  else
    watcher->n_outer++;
  return watcher->pause ? SONDE_ANSWER_PAUSE : SONDE_ANSWER_CONTINUE;
}

static SondeAnswer
count_begin (SondeObserver *observer, SondeExecution *execution)
{
  Watcher *watcher = (Watcher *) observer;

  g_assert_cmpint (sonde_execution_get_iteration (execution), ==, watcher->begins);
  watcher->begins++;
  return SONDE_ANSWER_CONTINUE;
}

static SondeAnswer
count_end (SondeObserver *observer, SondeExecution *execution)
{
  ((Watcher *) observer)->ends++;
  return SONDE_ANSWER_CONTINUE;
}

static Watcher
watcher_new (gboolean nested, gboolean pause)
{
  return (Watcher){
    .observer = { .wants = want_all,
                  .before = count_step,
                  .after = count_step,
                  .nested = nested,
                  .body_begins = count_begin,
                  .body_ends = count_end },
    .pause = pause,
  };
}

static void
test_observers (void)
{
  g_autoptr (SondeGraph) graph = geometric_graph ();
  g_autoptr (SondeExecution) execution = plan_fixture_start (graph, "cpu", NULL);
  Watcher inside = watcher_new (TRUE, FALSE), outside = watcher_new (FALSE, FALSE);
  guint n_steps = sonde_plan_get_n_steps (sonde_execution_get_plan (execution));
  SondeExecution *inner;

  sonde_execution_add_observer (execution, &inside.observer);
  sonde_execution_add_observer (execution, &outside.observer);
  plan_fixture_give (execution, "n", sonde_tensor_new_i64 (4));
  plan_fixture_run (execution);
  g_assert_cmpuint (inside.n_outer, ==, 2 * n_steps);
  g_assert_cmpuint (outside.n_outer, ==, 2 * n_steps);
  g_assert_cmpuint (outside.n_inner, ==, 0);
  g_assert_cmpuint (outside.begins, ==, 0);
  g_assert_cmpuint (inside.begins, ==, 4);
  g_assert_cmpuint (inside.ends, ==, 4);

  /* After the run the last iteration can be read; an observer added now is told of it too. */
  inner = sonde_execution_find_inner (execution, sonde_graph_find_node (graph, "loop"));
  g_assert_nonnull (inner);
  g_assert_null (sonde_execution_get_inner (execution));
  g_assert_cmpuint (inside.n_inner, ==,
                    4 * 2 * sonde_plan_get_n_steps (sonde_execution_get_plan (inner)));
  g_assert_cmpfloat (read_number (inner, "sum"), ==, geometric (4, 2));
  g_assert_cmpfloat (read_number (inner, "product"), ==, 2 * geometric (3, 2));
  g_assert_cmpint (sonde_execution_get_iteration (inner), ==, 3);

  sonde_execution_remove_observer (execution, &inside.observer);
  inside.n_inner = inside.n_outer = 0;
  plan_fixture_run (execution);
  g_assert_cmpuint (inside.n_inner + inside.n_outer, ==, 0);
  inside.begins = 0;
  sonde_execution_add_observer (execution, &inside.observer);
  plan_fixture_run (execution);
  g_assert_cmpuint (inside.n_inner, >, 0);
}

/* Pausing before and after every step of every iteration changes nothing. */
static void
test_pauses (void)
{
  g_autoptr (SondeGraph) graph = geometric_graph ();
  g_autoptr (SondeExecution) execution = plan_fixture_start (graph, "cpu", NULL);
  Watcher watcher = watcher_new (TRUE, TRUE);
  g_autoptr (GError) error = NULL;
  guint pauses = 0, inside = 0;
  SondeRunResult result;

  sonde_execution_add_observer (execution, &watcher.observer);
  plan_fixture_give (execution, "n", sonde_tensor_new_i64 (5));
  while ((result = sonde_execution_run (execution, &error)) == SONDE_RUN_PAUSED)
    {
      SondeExecution *inner = sonde_execution_get_inner (execution);

      pauses++;
      g_assert_true (sonde_execution_is_running (execution));
      if (inner == NULL)
        continue;

      inside++;
      g_assert_true (sonde_execution_get_parent (inner) == execution);
      if (sonde_execution_is_available (inner, find (inner, "sum")))
        g_assert_cmpfloat (read_number (inner, "sum"), ==,
                           geometric (sonde_execution_get_iteration (inner) + 1, 2));
      /* A look at what a body would need again must not disturb it. */
      g_assert_false (sonde_execution_is_available (execution, find (execution, "last")));
    }

  g_assert_cmpint (result, ==, SONDE_RUN_DONE);
  g_assert_cmpuint (inside, ==, watcher.n_inner);
  g_assert_cmpuint (pauses, ==, watcher.n_inner + watcher.n_outer);
  g_assert_cmpfloat (read_number (execution, "negative"), ==, -geometric (5, 2));

  /* Given up inside, and run again. */
  watcher.begins = 0;
  for (guint i = 0; i < 8; i++)
    g_assert_cmpint (sonde_execution_run (execution, &error), ==, SONDE_RUN_PAUSED);
  sonde_execution_abandon (execution);
  g_assert_null (sonde_execution_get_inner (execution));
  watcher.pause = FALSE;
  watcher.begins = 0;
  plan_fixture_run (execution);
  g_assert_cmpfloat (read_number (execution, "negative"), ==, -geometric (5, 2));
}

static void
test_interrupt_inside (void)
{
  g_autoptr (SondeGraph) graph = geometric_graph ();
  g_autoptr (SondeExecution) execution = plan_fixture_start (graph, "cpu", NULL);
  Watcher watcher = watcher_new (TRUE, FALSE);
  g_autoptr (GError) error = NULL;

  sonde_execution_add_observer (execution, &watcher.observer);
  watcher.limit = 11;
  plan_fixture_give (execution, "n", sonde_tensor_new_i64 (9));
  g_assert_cmpint (sonde_execution_run (execution, &error), ==, SONDE_RUN_PAUSED);
  g_assert_cmpuint (watcher.n_inner, <, 13);
  g_assert_cmpint (sonde_execution_run (execution, &error), ==, SONDE_RUN_DONE);
  g_assert_cmpfloat (read_number (execution, "last"), ==, geometric (9, 2));
}

/* ---- loops without end --------------------------------------------------- */

/* Forever: a body without a step, or one that collects. */
static SondeGraph *
endless_graph (gboolean collects)
{
  SondeGraph *graph = sonde_graph_new ("endless"), *body;
  SondeGraphValue *i, *condition, *carried, *y;
  SondeNode *loop;

  sonde_graph_set_opset (graph, "", 28);
  body = loop_body (graph, &i, &condition, &carried);
  sonde_graph_add_output (body, condition);
  sonde_graph_add_output (body, carried);
  if (collects)
    sonde_graph_add_output (body, i);
  y = constant (graph, sonde_tensor_new_f32 (1));
  loop = add_loop (graph, "endless", constant (graph, sonde_tensor_new_i64 (G_MAXINT64)), y, body,
                   collects ? 2 : 1);
  sonde_graph_add_output (graph, sonde_node_get_output (loop, 0));
  return graph;
}

typedef struct
{
  SondeExecution *execution;
  _Atomic gboolean over;
} Interrupter;

static gpointer
keep_interrupting (gpointer data)
{
  Interrupter *interrupter = data;

  while (!interrupter->over)
    {
      sonde_execution_interrupt (interrupter->execution);
      g_thread_yield ();
    }
  return NULL;
}

static void
test_endless (void)
{
  g_autoptr (SondeGraph) graph = endless_graph (FALSE);
  g_autoptr (SondeExecution) execution = plan_fixture_start (graph, "cpu", NULL);
  Interrupter interrupter = { .execution = execution };
  g_autoptr (GThread) thread = g_thread_new ("interrupter", keep_interrupting, &interrupter);
  g_autoptr (GError) error = NULL;

  for (guint i = 0; i < 10; i++)
    g_assert_cmpint (sonde_execution_run (execution, &error), ==, SONDE_RUN_PAUSED);
  interrupter.over = TRUE;
  g_thread_join (g_steal_pointer (&thread));
  sonde_execution_abandon (execution);
}

static void
test_collects_too_much (void)
{
  g_autoptr (SondeGraph) graph = endless_graph (TRUE);
  g_autoptr (SondeExecution) execution = plan_fixture_start (graph, "cpu", NULL);
  g_autoptr (GError) error = NULL;

  sonde_execution_set_memory_limit (execution, 1 << 16);
  for (guint i = 0; i < 3; i++)
    {
      g_assert_cmpint (sonde_execution_run (execution, &error), ==, SONDE_RUN_FAILED);
      g_assert_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_MEMORY);
      g_assert_nonnull (strstr (error->message, "endless"));
      g_assert_nonnull (strstr (error->message, "iteration"));
      g_clear_error (&error);
    }
}

/* Ifs in each other, @depth of them. */
static void
add_nested (SondeGraph *graph, guint depth)
{
  SondeGraphValue *condition = constant (graph, truth (TRUE));
  SondeNode *node = sonde_graph_add_node (graph, NULL, "", "If", &condition, 1, 1);
  static const char *const names[] = { "then_branch", "else_branch" };

  for (guint i = 0; i < 2; i++)
    {
      SondeGraph *body = sonde_graph_new_subgraph (graph, names[i]);

      if (i == 0 && depth > 1)
        add_nested (body, depth - 1);
      else
        sonde_graph_add_output (body, constant (body, sonde_tensor_new_f32 (1)));
      sonde_node_take_graph (node, names[i], body);
    }
  sonde_graph_add_output (graph, sonde_node_get_output (node, 0));
}

static void
test_depth (void)
{
  const guint depths[] = { 30, 40 };

  for (guint i = 0; i < 2; i++)
    {
      g_autoptr (SondeGraph) graph = sonde_graph_new ("deep"), prepared = NULL;
      g_autoptr (GError) error = NULL;

      sonde_graph_set_opset (graph, "", 28);
      add_nested (graph, depths[i]);
      prepared = sonde_prepare_inference (graph, &error);
      if (depths[i] > 32)
        {
          g_assert_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_INVALID);
          g_assert_nonnull (strstr (error->message, "deep"));
          continue;
        }

      g_assert_no_error (error);
      {
        g_autoptr (SondeExecution) execution = plan_fixture_start (prepared, "cpu", NULL);
        g_autoptr (SondeTensor) y = NULL;

        plan_fixture_run (execution);
        y = sonde_execution_read (execution, prepared->outputs->pdata[0], &error);
        g_assert_no_error (error);
        g_assert_cmpfloat (sonde_tensor_get_double (y, 0), ==, 1);
      }
    }
}

/* ---- a model from a file ------------------------------------------------- */

static char *
shared_file (const char *file)
{
  const char *shared = g_getenv ("SONDE_SHARED");

  return g_build_filename (shared != NULL ? shared : "", "models", "control-flow", file, NULL);
}

static SondeTensor *
stored (SondeNamedTensors *tensors, const char *name, guint number)
{
  g_autofree char *key = g_strdup_printf ("%s#%u", name, number);
  SondeTensor *tensor = sonde_named_tensors_lookup (tensors, key);

  g_assert_nonnull (tensor);
  return tensor;
}

static void
compare (SondeExecution *execution, SondeNamedTensors *outputs, const char *name, guint number)
{
  g_autoptr (SondeTensor) ours = read_named (execution, name);
  SondeTensor *theirs = stored (outputs, name, number);

  g_assert_cmpint (sonde_tensor_n_elements (ours), ==, sonde_tensor_n_elements (theirs));
  g_assert_true (sonde_tensor_n_elements (ours) == 0
                 || sonde_shape_equal (&ours->shape, &theirs->shape));
  for (gint64 i = 0; i < sonde_tensor_n_elements (ours); i++)
    g_assert_cmpfloat_with_epsilon (sonde_tensor_get_double (ours, i),
                                    sonde_tensor_get_double (theirs, i), 1e-5);
}

static void
test_model (void)
{
  g_autofree char *model_path = shared_file ("control-flow.onnx"),
                  *inputs_path = shared_file ("inputs.npz");
  g_autofree char *outputs_path = shared_file ("outputs.npz");
  g_autoptr (SondeNamedTensors) inputs = NULL, outputs = NULL;
  g_autoptr (SondeGraph) original = NULL;
  g_autoptr (GError) error = NULL;

  if (!g_file_test (model_path, G_FILE_TEST_EXISTS))
    {
      g_test_skip ("no reference folder");
      return;
    }

  original = sonde_model_load (NULL, model_path, &error);
  g_assert_no_error (error);
  inputs = sonde_npz_read (NULL, inputs_path, &error);
  g_assert_no_error (error);
  outputs = sonde_npz_read (NULL, outputs_path, &error);
  g_assert_no_error (error);

  for (guint k = 0; k < 4; k++)
    for (guint keep = 0; keep < 2; keep++)
      {
        g_autoptr (SondeGraph) graph = sonde_prepare_inference (original, &error);
        SondeTensor *x = stored (inputs, "x", k);
        SondeBinding binding = { "x", sonde_type_tensor (x->dtype, &x->shape) };
        const SondePlanOptions options = { .memory = keep ? SONDE_MEMORY_KEEP : SONDE_MEMORY_PLAN,
                                           .bindings = &binding,
                                           .n_bindings = 1 };
        g_autoptr (SondeExecution) execution = NULL;

        g_assert_no_error (error);
        execution = plan_fixture_start (graph, "cpu", &options);
        for (guint round = 0; round < 2; round++)
          {
            plan_fixture_give (execution, "x", sonde_tensor_ref (x));
            plan_fixture_give (execution, "trip", sonde_tensor_ref (stored (inputs, "trip", k)));
            plan_fixture_run (execution);
            compare (execution, outputs, "y", k);
            compare (execution, outputs, "trace", k);
            compare (execution, outputs, "trace_sum", k);
          }
      }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/engine/plan/control/loop", test_loop);
  g_test_add_func ("/engine/plan/control/parameter", test_parameter);
  g_test_add_func ("/engine/plan/control/growing", test_growing);
  g_test_add_func ("/engine/plan/control/if", test_if);
  g_test_add_func ("/engine/plan/control/observers", test_observers);
  g_test_add_func ("/engine/plan/control/pauses", test_pauses);
  g_test_add_func ("/engine/plan/control/interrupt", test_interrupt_inside);
  g_test_add_func ("/engine/plan/control/endless", test_endless);
  g_test_add_func ("/engine/plan/control/collects-too-much", test_collects_too_much);
  g_test_add_func ("/engine/plan/control/depth", test_depth);
  g_test_add_func ("/engine/plan/control/model", test_model);
  return g_test_run ();
}
