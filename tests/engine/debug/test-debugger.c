/* SPDX-License-Identifier: Apache-2.0
 * Breakpoints and stepping on a small inference with scopes and a folded node, and on a training
 * graph. Whatever stops where: every value must be bit-equal to that of a run nobody looked at. */
#include "engine/debug/sonde-debugger.h"

#include <string.h>

#include "engine/ops/sonde-build.h"
#include "tests/engine/plan/training-net.h"

/* ---- an inference -------------------------------------------------------- */

/*  0 enc/l0/mm   1 enc/l0/relu   2 enc/l1/mm   3 enc/l1/relu   - scale (folded)   4 head/mul   5
 *  out */
#define N_STEPS 6
static const char *const names[N_STEPS]
    = { "enc/l0/mm", "enc/l0/relu", "enc/l1/mm", "enc/l1/relu", "head/mul", "out" };

typedef struct
{
  SondeGraph *original, *graph;
  SondeDevice *device;
  SondePlan *plan;
  SondeExecution *execution;
  SondeDebugger *debugger;
} Fixture;

static SondeTensor *
make_matrix (int rows, int columns, float first)
{
  SondeShape shape = sonde_shape_make (2, rows, columns);
  SondeTensor *tensor = sonde_tensor_new (SONDE_DTYPE_F32, &shape);

  for (gint64 i = 0; i < rows * columns; i++)
    sonde_tensor_set_double (tensor, i, first + 0.37 * (double) ((i * 7) % 11) - 1.9);
  return tensor;
}

static SondeGraphValue *
add_constant (SondeGraph *graph, const char *name, int rows, int columns, float first)
{
  g_autoptr (SondeTensor) tensor = make_matrix (rows, columns, first);

  return sonde_graph_add_initialiser (graph, name, tensor, SONDE_ROLE_CONSTANT);
}

static SondeGraphValue *
add_node (SondeGraph *graph, const char *name, const char *op, SondeGraphValue *a,
          SondeGraphValue *b)
{
  SondeGraphValue *inputs[] = { a, b };

  return sonde_build_op (graph, name, "", op, b != NULL ? 2 : 1, inputs);
}

static SondeGraph *
make_graph (void)
{
  SondeGraph *graph = sonde_graph_new ("small");
  SondeShape shape = sonde_shape_make (2, 3, 4);
  SondeType type = sonde_type_tensor (SONDE_DTYPE_F32, &shape);
  SondeGraphValue *x, *h, *scale;

  sonde_graph_set_opset (graph, "", 17);
  x = sonde_graph_add_input (graph, "x", &type);
  h = add_node (graph, "enc/l0/mm", "MatMul", x, add_constant (graph, "w0", 4, 5, 0.1f));
  h = add_node (graph, "enc/l0/relu", "Relu", h, NULL);
  sonde_graph_rename_value (graph, h, "hidden");
  h = add_node (graph, "enc/l1/mm", "MatMul", h, add_constant (graph, "w1", 5, 4, 0.2f));
  h = add_node (graph, "enc/l1/relu", "Relu", h, NULL);
  scale = add_node (graph, "scale", "Mul", add_constant (graph, "a", 1, 4, 0.5f),
                    add_constant (graph, "b", 1, 4, 0.3f));
  sonde_graph_rename_value (graph, scale, "scaled");
  h = add_node (graph, "head/mul", "Mul", h, scale);
  h = add_node (graph, "out", "Softmax", h, NULL);
  sonde_graph_rename_value (graph, h, "y[0]"); /* a name with brackets */
  sonde_graph_add_output (graph, h);
  return graph;
}

static void
fixture_init (Fixture *fixture)
{
  const SondePlanOptions options = { .memory = SONDE_MEMORY_KEEP, .no_fusion = TRUE };
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeTensor) x = make_matrix (3, 4, 0.7f);

  fixture->original = make_graph ();
  fixture->graph = sonde_prepare_inference (fixture->original, &error);
  g_assert_no_error (error);
  fixture->device = sonde_device_open ("reference", 1, &error);
  g_assert_no_error (error);
  fixture->plan = sonde_plan_new (fixture->graph, fixture->device, &options, &error);
  g_assert_no_error (error);
  fixture->execution = sonde_execution_new (fixture->plan, &error);
  g_assert_no_error (error);
  sonde_execution_set_input (fixture->execution, "x", x, &error);
  g_assert_no_error (error);
  fixture->debugger = sonde_debugger_new (fixture->original);
  sonde_debugger_attach_execution (fixture->debugger, fixture->execution);
  g_assert_cmpuint (sonde_plan_get_n_steps (fixture->plan), ==, N_STEPS);
}

static void
fixture_clear (Fixture *fixture)
{
  sonde_debugger_free (fixture->debugger);
  sonde_execution_free (fixture->execution);
  sonde_plan_unref (fixture->plan);
  sonde_device_unref (fixture->device);
  sonde_graph_unref (fixture->graph);
  sonde_graph_unref (fixture->original);
}

/* ---- helpers ------------------------------------------------------------- */

static guint
add_breakpoint (SondeDebugger *debugger, const char *pattern, SondeMoment moment)
{
  const SondeBreakpointSpec spec = { .pattern = pattern, .moment = moment };
  g_autoptr (GError) error = NULL;
  const SondeBreakpoint *breakpoint = sonde_debugger_add_breakpoint (debugger, &spec, &error);

  g_assert_no_error (error);
  g_assert_nonnull (breakpoint);
  return breakpoint->id;
}

static SondeRunResult
resume (SondeDebugger *debugger, SondeExecution *execution, SondeResumeKind kind, guint64 count,
        const char *target)
{
  const SondeResume how = { .kind = kind, .count = count, .target = target };
  g_autoptr (GError) error = NULL;
  SondeRunResult result;

  sonde_debugger_resume (debugger, &how, &error);
  g_assert_no_error (error);
  result = sonde_execution_run (execution, &error);
  g_assert_no_error (error);
  if (result == SONDE_RUN_DONE)
    sonde_debugger_run_is_over (debugger);
  return result;
}

#define assert_stop(debugger, reason_, node_, position_, moment_)                                  \
  G_STMT_START                                                                                     \
  {                                                                                                \
    SondeStop stop_;                                                                               \
    sonde_debugger_get_stop ((debugger), &stop_);                                                  \
    g_assert_cmpstr (sonde_stop_reason_name (stop_.reason), ==, (reason_));                        \
    g_assert_cmpstr (stop_.node, ==, (node_));                                                     \
    g_assert_cmpuint (stop_.position, ==, (position_));                                            \
    g_assert_cmpint (stop_.moment, ==, SONDE_MOMENT_##moment_);                                    \
  }                                                                                                \
  G_STMT_END

/* Bits of every value after a run that nobody looked at. */
static GPtrArray *
read_unpaused (void)
{
  GPtrArray *values = g_ptr_array_new_with_free_func ((GDestroyNotify) sonde_tensor_unref);
  g_autoptr (GError) error = NULL;
  Fixture fixture;

  fixture_init (&fixture);
  g_assert_cmpint (sonde_execution_run (fixture.execution, &error), ==, SONDE_RUN_DONE);
  for (guint i = 0; i < fixture.graph->values->len; i++)
    {
      SondeGraphValue *value = g_ptr_array_index (fixture.graph->values, i);

      g_ptr_array_add (values, value != NULL ? sonde_execution_read (fixture.execution, value, NULL)
                                             : NULL);
    }
  fixture_clear (&fixture);
  return values;
}

/* What can be read now has the bits of @values; returns how many that are. */
static guint
compare_readable (Fixture *fixture, GPtrArray *values)
{
  guint n = 0;

  for (guint i = 0; i < fixture->graph->values->len; i++)
    {
      SondeGraphValue *value = g_ptr_array_index (fixture->graph->values, i);
      g_autoptr (SondeTensor) tensor = NULL;

      if (value == NULL || !sonde_execution_is_available (fixture->execution, value))
        continue;
      tensor = sonde_execution_read (fixture->execution, value, NULL);
      g_assert_nonnull (tensor);
      g_assert_true (sonde_tensor_equal (tensor, g_ptr_array_index (values, i)));
      n++;
    }
  return n;
}

/* ---- every position ------------------------------------------------------ */

static void
test_positions (void)
{
  g_autoptr (GPtrArray) values = read_unpaused ();

  for (guint k = 0; k < N_STEPS; k++)
    for (int after = 0; after < 2; after++)
      {
        Fixture fixture;

        fixture_init (&fixture);
        add_breakpoint (fixture.debugger, names[k],
                        after ? SONDE_MOMENT_AFTER : SONDE_MOMENT_BEFORE);
        g_assert_cmpint (
            resume (fixture.debugger, fixture.execution, SONDE_RESUME_CONTINUE, 0, NULL), ==,
            SONDE_RUN_PAUSED);
        g_assert_true (sonde_debugger_has_stopped (fixture.debugger));
        if (after)
          assert_stop (fixture.debugger, "breakpoint", names[k], k + 1, AFTER);
        else
          assert_stop (fixture.debugger, "breakpoint", names[k], k, BEFORE);
        compare_readable (&fixture, values);
        g_assert_cmpint (
            resume (fixture.debugger, fixture.execution, SONDE_RESUME_CONTINUE, 0, NULL), ==,
            SONDE_RUN_DONE);
        g_assert_cmpuint (compare_readable (&fixture, values), >=, N_STEPS);
        fixture_clear (&fixture);
      }
}

/* The position after N is the one before N's successor: one stop, both counted. */
static void
test_same_position (void)
{
  GPtrArray *list;
  SondeStop stop;
  Fixture fixture;

  fixture_init (&fixture);
  add_breakpoint (fixture.debugger, names[1], SONDE_MOMENT_AFTER);
  add_breakpoint (fixture.debugger, names[2], SONDE_MOMENT_BEFORE);
  g_assert_cmpint (resume (fixture.debugger, fixture.execution, SONDE_RESUME_CONTINUE, 0, NULL), ==,
                   SONDE_RUN_PAUSED);
  assert_stop (fixture.debugger, "breakpoint", names[1], 2, AFTER);
  sonde_debugger_get_stop (fixture.debugger, &stop);
  g_assert_cmpuint (stop.n_breakpoints, ==, 2);
  g_assert_cmpint (resume (fixture.debugger, fixture.execution, SONDE_RESUME_CONTINUE, 0, NULL), ==,
                   SONDE_RUN_DONE);
  list = sonde_debugger_get_breakpoints (fixture.debugger);
  for (guint i = 0; i < list->len; i++)
    g_assert_cmpuint (((const SondeBreakpoint *) g_ptr_array_index (list, i))->hits, ==, 1);
  fixture_clear (&fixture);
}

/* ---- names --------------------------------------------------------------- */

static void
check_pattern (const char *pattern, guint n_positions, const char *node, guint position)
{
  const SondeBreakpointSpec spec = { .pattern = pattern };
  g_autoptr (GError) error = NULL;
  const SondeBreakpoint *breakpoint;
  Fixture fixture;

  fixture_init (&fixture);
  breakpoint = sonde_debugger_add_breakpoint (fixture.debugger, &spec, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (breakpoint->n_positions, ==, n_positions);
  g_assert_cmpint (resume (fixture.debugger, fixture.execution, SONDE_RESUME_CONTINUE, 0, NULL), ==,
                   SONDE_RUN_PAUSED);
  assert_stop (fixture.debugger, "breakpoint", node, position, BEFORE);
  fixture_clear (&fixture);
}

static void
test_patterns (void)
{
  check_pattern ("hidden", 1, "enc/l0/relu", 1);
  check_pattern ("y[0]", 1, "out", 5);
  check_pattern ("enc/l1/*", 2, "enc/l1/mm", 2);
  check_pattern ("*relu", 2, "enc/l0/relu", 1);
  check_pattern ("enc/l[1]/mm", 1, "enc/l1/mm", 2);
  check_pattern ("op:Relu", 2, "enc/l0/relu", 1);
  check_pattern ("op:*max", 1, "out", 5);
  check_pattern ("scale", 1, "scale", 4); /* folded: where it would be needed */
  check_pattern ("scaled", 1, "scale", 4);
  check_pattern ("op:Mul", 1, "scale", 4); /* and head/mul, at the same position */
}

static void
check_unknown (const char *pattern, const char *said)
{
  const SondeBreakpointSpec spec = { .pattern = pattern };
  g_autoptr (GError) error = NULL;
  Fixture fixture;

  fixture_init (&fixture);
  g_assert_null (sonde_debugger_add_breakpoint (fixture.debugger, &spec, &error));
  g_assert_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_NOT_FOUND);
  g_assert_nonnull (strstr (error->message, pattern));
  g_assert_nonnull (strstr (error->message, said));
  fixture_clear (&fixture);
}

static void
test_unknown (void)
{
  check_unknown ("enc/l0/rleu", "“enc/l0/relu”");
  check_unknown ("op:softmax", "“op:Softmax”");
  check_unknown ("x", "input");
  check_unknown ("w0", "constant");
  check_unknown ("nothing like it at all", "list");
}

/* ---- counts -------------------------------------------------------------- */

static void
test_counts (void)
{
  SondeBreakpointSpec spec = { .pattern = names[3], .ignore = 1 };
  g_autoptr (GError) error = NULL;
  const SondeBreakpoint *counted;
  Fixture fixture;
  guint first, once;

  fixture_init (&fixture);
  first = add_breakpoint (fixture.debugger, names[1], SONDE_MOMENT_BEFORE);
  counted = sonde_debugger_add_breakpoint (fixture.debugger, &spec, &error);
  spec = (SondeBreakpointSpec){ .pattern = names[4], .temporary = TRUE };
  once = sonde_debugger_add_breakpoint (fixture.debugger, &spec, &error)->id;
  g_assert_true (sonde_debugger_enable_breakpoint (fixture.debugger, first, FALSE, &error));
  resume (fixture.debugger, fixture.execution, SONDE_RESUME_CONTINUE, 0, NULL);
  assert_stop (fixture.debugger, "breakpoint", names[4], 4, BEFORE);
  g_assert_cmpuint (counted->hits, ==, 1);
  g_assert_cmpuint (counted->ignore, ==, 0);
  g_assert_false (sonde_debugger_remove_breakpoint (fixture.debugger, once, &error));
  g_assert_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_NOT_FOUND);
  g_clear_error (&error);
  g_assert_cmpint (resume (fixture.debugger, fixture.execution, SONDE_RESUME_CONTINUE, 0, NULL), ==,
                   SONDE_RUN_DONE);
  resume (fixture.debugger, fixture.execution, SONDE_RESUME_CONTINUE, 0, NULL);
  assert_stop (fixture.debugger, "breakpoint", names[3], 3, BEFORE);
  g_assert_true (sonde_debugger_remove_breakpoint (fixture.debugger, 0, &error));
  g_assert_cmpuint (sonde_debugger_get_breakpoints (fixture.debugger)->len, ==, 0);
  g_assert_cmpint (resume (fixture.debugger, fixture.execution, SONDE_RESUME_CONTINUE, 0, NULL), ==,
                   SONDE_RUN_DONE);
  fixture_clear (&fixture);
}

/* ---- stepping ------------------------------------------------------------ */

static void
test_step (void)
{
  g_autoptr (GPtrArray) values = read_unpaused ();
  Fixture fixture;

  fixture_init (&fixture);
  for (guint k = 1; k < N_STEPS; k++)
    {
      g_assert_cmpint (resume (fixture.debugger, fixture.execution, SONDE_RESUME_STEP, 1, NULL), ==,
                       SONDE_RUN_PAUSED);
      assert_stop (fixture.debugger, "step", names[k], k, BEFORE);
      compare_readable (&fixture, values);
    }
  g_assert_cmpint (resume (fixture.debugger, fixture.execution, SONDE_RESUME_STEP, 1, NULL), ==,
                   SONDE_RUN_DONE);
  g_assert_cmpint (resume (fixture.debugger, fixture.execution, SONDE_RESUME_STEP, 4, NULL), ==,
                   SONDE_RUN_PAUSED);
  assert_stop (fixture.debugger, "step", names[4], 4, BEFORE);
  g_assert_cmpint (resume (fixture.debugger, fixture.execution, SONDE_RESUME_STEP, 100, NULL), ==,
                   SONDE_RUN_DONE);
  compare_readable (&fixture, values);
  fixture_clear (&fixture);
}

/* A breakpoint on the way wins, and one at the place itself is what is said. */
static void
test_step_meets_breakpoint (void)
{
  Fixture fixture;

  fixture_init (&fixture);
  add_breakpoint (fixture.debugger, names[2], SONDE_MOMENT_BEFORE);
  resume (fixture.debugger, fixture.execution, SONDE_RESUME_STEP, 4, NULL);
  assert_stop (fixture.debugger, "breakpoint", names[2], 2, BEFORE);
  resume (fixture.debugger, fixture.execution, SONDE_RESUME_STEP, 1, NULL);
  assert_stop (fixture.debugger, "step", names[3], 3, BEFORE);
  fixture_clear (&fixture);
}

static void
test_next (void)
{
  Fixture fixture;

  fixture_init (&fixture);
  resume (fixture.debugger, fixture.execution, SONDE_RESUME_NEXT, 1, NULL); /* over all of enc */
  assert_stop (fixture.debugger, "step", "head/mul", 4, BEFORE);
  resume (fixture.debugger, fixture.execution, SONDE_RESUME_NEXT, 1, NULL); /* over head */
  assert_stop (fixture.debugger, "step", "out", 5, BEFORE);
  g_assert_cmpint (resume (fixture.debugger, fixture.execution, SONDE_RESUME_NEXT, 1, NULL), ==,
                   SONDE_RUN_DONE);

  resume (fixture.debugger, fixture.execution, SONDE_RESUME_STEP, 1, NULL);
  /* inside l0: one node */
  resume (fixture.debugger, fixture.execution, SONDE_RESUME_NEXT, 1, NULL);
  assert_stop (fixture.debugger, "step", "enc/l1/mm", 2, BEFORE);
  /* over l1, not over enc */
  resume (fixture.debugger, fixture.execution, SONDE_RESUME_NEXT, 1, NULL);
  assert_stop (fixture.debugger, "step", "head/mul", 4, BEFORE);
  g_assert_cmpint (resume (fixture.debugger, fixture.execution, SONDE_RESUME_NEXT, 2, NULL), ==,
                   SONDE_RUN_DONE);
  fixture_clear (&fixture);
}

static void
check_until_error (Fixture *fixture, const char *target, int code)
{
  const SondeResume how = { .kind = SONDE_RESUME_UNTIL, .target = target };
  g_autoptr (GError) error = NULL;

  g_assert_false (sonde_debugger_resume (fixture->debugger, &how, &error));
  g_assert_error (error, SONDE_ENGINE_ERROR, code);
}

static void
test_until (void)
{
  Fixture fixture;

  fixture_init (&fixture);
  resume (fixture.debugger, fixture.execution, SONDE_RESUME_UNTIL, 0, names[0]);
  assert_stop (fixture.debugger, "until", names[0], 0, BEFORE);
  resume (fixture.debugger, fixture.execution, SONDE_RESUME_UNTIL, 0, names[3]);
  assert_stop (fixture.debugger, "until", names[3], 3, BEFORE);
  g_assert_cmpint (resume (fixture.debugger, fixture.execution, SONDE_RESUME_UNTIL, 0, names[3]),
                   ==, SONDE_RUN_DONE);
  resume (fixture.debugger, fixture.execution, SONDE_RESUME_UNTIL, 0, "scaled");
  assert_stop (fixture.debugger, "until", "scale", 4, BEFORE);
  check_until_error (&fixture, "nowhere", SONDE_ENGINE_ERROR_NOT_FOUND);
  check_until_error (&fixture, "", SONDE_ENGINE_ERROR_INVALID);
  check_until_error (&fixture, "step:x", SONDE_ENGINE_ERROR_INVALID);
  check_until_error (&fixture, "step:1", SONDE_ENGINE_ERROR_INVALID);
  check_until_error (&fixture, "phase:sideways", SONDE_ENGINE_ERROR_INVALID);
  check_until_error (&fixture, "phase:backward", SONDE_ENGINE_ERROR_NOT_FOUND);
  g_assert_cmpint (resume (fixture.debugger, fixture.execution, SONDE_RESUME_CONTINUE, 0, NULL), ==,
                   SONDE_RUN_DONE);
  fixture_clear (&fixture);
}

/* ---- interruptions ------------------------------------------------------- */

static void
test_interrupt (void)
{
  g_autoptr (GError) error = NULL;
  Fixture fixture;

  fixture_init (&fixture);
  sonde_execution_interrupt (fixture.execution);
  g_assert_cmpint (resume (fixture.debugger, fixture.execution, SONDE_RESUME_STEP, 2, NULL), ==,
                   SONDE_RUN_PAUSED);
  g_assert_false (sonde_debugger_has_stopped (fixture.debugger));
  /* goes on stepping */
  g_assert_cmpint (sonde_execution_run (fixture.execution, &error), ==, SONDE_RUN_PAUSED);
  assert_stop (fixture.debugger, "step", names[2], 2, BEFORE);

  /* a pause where a breakpoint is: it was hit, and does not stop there again */
  add_breakpoint (fixture.debugger, names[2], SONDE_MOMENT_BEFORE);
  sonde_execution_interrupt (fixture.execution);
  g_assert_cmpint (resume (fixture.debugger, fixture.execution, SONDE_RESUME_CONTINUE, 0, NULL), ==,
                   SONDE_RUN_PAUSED);
  sonde_debugger_stop_here (fixture.debugger);
  assert_stop (fixture.debugger, "pause", names[2], 2, BEFORE);
  g_assert_cmpint (resume (fixture.debugger, fixture.execution, SONDE_RESUME_CONTINUE, 0, NULL), ==,
                   SONDE_RUN_DONE);

  sonde_debugger_interrupt (fixture.debugger);
  g_assert_cmpint (resume (fixture.debugger, fixture.execution, SONDE_RESUME_CONTINUE, 0, NULL), ==,
                   SONDE_RUN_PAUSED);
  g_assert_false (sonde_debugger_has_stopped (fixture.debugger));
  sonde_debugger_stop_here (fixture.debugger);
  assert_stop (fixture.debugger, "pause", names[0], 0, BEFORE);
  fixture_clear (&fixture);
}

/* ---- values -------------------------------------------------------------- */

static void
check_value (Fixture *fixture, const char *text, const char *name, const char *slice)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *found = NULL;
  SondeExecution *execution;
  SondeGraphValue *value
      = sonde_debugger_find_value (fixture->debugger, text, &execution, &found, &error);

  g_assert_no_error (error);
  g_assert_cmpstr (value->name, ==, name);
  g_assert_true (execution == fixture->execution);
  g_assert_cmpstr (found, ==, slice);
}

static void
test_values (void)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *slice = NULL;
  SondeExecution *execution;
  Fixture fixture;

  fixture_init (&fixture);
  check_value (&fixture, "hidden", "hidden", NULL);
  check_value (&fixture, " hidden [0, :] ", "hidden", "0, :");
  check_value (&fixture, "y[0]", "y[0]", NULL);
  check_value (&fixture, "y[0][1]", "y[0]", "1");
  check_value (&fixture, "out[..., 2]", "y[0]", "..., 2"); /* a node's name */
  check_value (&fixture, "w0", "w0", NULL);
  g_assert_null (
      sonde_debugger_find_value (fixture.debugger, "hiden[0]", &execution, &slice, &error));
  g_assert_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_NOT_FOUND);
  g_assert_nonnull (strstr (error->message, "“hidden”"));
  fixture_clear (&fixture);
}

typedef struct
{
  guint calls;
  SondeTensor *tensor;
} Probed;

static void
on_probe (SondeExecution *execution, SondeGraphValue *value, gpointer data)
{
  Probed *probed = data;

  probed->calls++;
  if (execution != NULL)
    probed->tensor = sonde_execution_read (execution, value, NULL);
}

static void
test_probes (void)
{
  g_autoptr (GPtrArray) values = read_unpaused ();
  g_autoptr (GError) error = NULL;
  Probed first = { 0 }, second = { 0 }, never = { 0 };
  SondeGraphValue *hidden, *input;
  Fixture fixture;

  fixture_init (&fixture);
  hidden = sonde_graph_find_value (fixture.graph, "hidden");
  input = sonde_graph_find_value (fixture.graph, "x");
  g_assert_true (sonde_debugger_add_probe (fixture.debugger, hidden, on_probe, &first, &error));
  g_assert_true (sonde_debugger_add_probe (fixture.debugger, hidden, on_probe, &second, &error));
  g_assert_false (sonde_debugger_add_probe (fixture.debugger, input, on_probe, &never, &error));
  g_assert_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_STATE);
  sonde_debugger_remove_probes (fixture.debugger, &second);
  g_assert_cmpint (resume (fixture.debugger, fixture.execution, SONDE_RESUME_CONTINUE, 0, NULL), ==,
                   SONDE_RUN_DONE);
  g_assert_cmpuint (first.calls, ==, 1);
  g_assert_cmpuint (second.calls, ==, 0);
  g_assert_true (sonde_tensor_equal (first.tensor, g_ptr_array_index (values, hidden->id)));
  g_clear_error (&error);
  g_assert_true (sonde_debugger_add_probe (fixture.debugger, hidden, on_probe, &never, &error));
  sonde_debugger_run_is_over (fixture.debugger); /* told that it will not come */
  g_assert_cmpuint (never.calls, ==, 1);
  g_assert_null (never.tensor);
  sonde_tensor_unref (first.tensor);
  fixture_clear (&fixture);
}

/* ---- training ------------------------------------------------------------ */

typedef struct
{
  TrainingNet *net;
  SondeDevice *device;
  SondePlan *plan;
  SondeExecution *execution;
  SondeDebugger *debugger; /* (nullable) */
} Training;

static void
training_init (Training *training, gboolean debugged)
{
  const SondePlanOptions options = { .memory = SONDE_MEMORY_PLAN };
  g_autoptr (GError) error = NULL;

  training->net = training_net_new (4, 16, "sgd");
  training->device = sonde_device_open ("reference", 1, &error);
  training->plan = sonde_plan_new (training->net->graph, training->device, &options, &error);
  g_assert_no_error (error);
  training->execution = sonde_execution_new (training->plan, &error);
  g_assert_no_error (error);
  training->debugger = debugged ? sonde_debugger_new (NULL) : NULL;
  if (debugged)
    sonde_debugger_attach_execution (training->debugger, training->execution);
}

static void
training_clear (Training *training)
{
  sonde_debugger_free (training->debugger);
  sonde_execution_free (training->execution);
  sonde_plan_unref (training->plan);
  sonde_device_unref (training->device);
  training_net_free (training->net);
}

static void
set_batch (Training *training, guint32 seed)
{
  g_autoptr (SondeTensor) images = training_net_images (training->net, seed);
  g_autoptr (SondeTensor) labels = training_net_labels (training->net, seed);
  g_autoptr (SondeTensor) rate = sonde_tensor_new_f32 (0.05f);
  g_autoptr (GError) error = NULL;

  sonde_execution_set_input (training->execution, "x", images, &error);
  sonde_execution_set_input (training->execution, "labels", labels, &error);
  g_assert_no_error (error);
  if (sonde_graph_find_value (training->net->graph, "rate") != NULL)
    sonde_execution_set_input (training->execution, "rate", rate, NULL);
}

static guint
train (Training *training, guint n)
{
  g_autoptr (GError) error = NULL;
  guint stops = 0;

  for (guint i = 0; i < n; i++)
    {
      SondeRunResult result;

      set_batch (training, i + 1);
      while ((result = sonde_execution_run (training->execution, &error)) == SONDE_RUN_PAUSED)
        {
          const SondeResume on = { .kind = SONDE_RESUME_CONTINUE };

          g_assert_true (sonde_debugger_has_stopped (training->debugger));
          stops++;
          g_assert_true (sonde_debugger_resume (training->debugger, &on, &error));
        }
      g_assert_no_error (error);
      g_assert_cmpint (result, ==, SONDE_RUN_DONE);
    }
  return stops;
}

static void
assert_same_parameters (Training *a, Training *b)
{
  GPtrArray *values = a->net->graph->values;
  guint compared = 0;

  for (guint i = 0; i < values->len; i++)
    {
      SondeGraphValue *value = g_ptr_array_index (values, i);
      g_autoptr (SondeTensor) x = NULL, y = NULL;

      if (value == NULL || (value->role != SONDE_ROLE_PARAMETER && value->role != SONDE_ROLE_STATE))
        continue;
      x = sonde_execution_read (a->execution, value, NULL);
      y = sonde_execution_read (b->execution, sonde_graph_find_value (b->net->graph, value->name),
                                NULL);
      g_assert_true (x != NULL && y != NULL && sonde_tensor_equal (x, y));
      compared++;
    }
  g_assert_cmpuint (compared, >, 2);
}

/* Weights after some steps do not depend on a hundred breakpoints. */
static void
test_training_bits (void)
{
  Training plain, watched;
  guint n_steps, stops;

  training_init (&plain, FALSE);
  training_init (&watched, TRUE);
  n_steps = sonde_plan_get_n_steps (watched.plan);
  for (guint i = 0; i < 100; i++)
    add_breakpoint (watched.debugger, sonde_plan_get_step (watched.plan, i % n_steps)->name,
                    i % 3 == 0 ? SONDE_MOMENT_AFTER : SONDE_MOMENT_BEFORE);
  train (&plain, 3);
  stops = train (&watched, 3);
  g_assert_cmpuint (stops, >=, 3);
  assert_same_parameters (&plain, &watched);
  training_clear (&plain);
  training_clear (&watched);
}

/* One run of a training after the other, until the debugger stops it. */
static void
train_to_stop (Training *training, SondeResumeKind kind, guint64 count, const char *target)
{
  const SondeResume how = { .kind = kind, .count = count, .target = target };
  g_autoptr (GError) error = NULL;
  SondeRunResult result;

  g_assert_true (sonde_debugger_resume (training->debugger, &how, &error));
  for (guint i = 0; i < 100; i++)
    {
      if (!sonde_execution_is_running (training->execution))
        set_batch (training, 1);
      result = sonde_execution_run (training->execution, &error);
      g_assert_no_error (error);
      if (result == SONDE_RUN_PAUSED)
        return;
    }
  g_assert_not_reached ();
}

static void
test_training_places (void)
{
  SondeStop stop;
  Training training;
  guint n;

  training_init (&training, TRUE);
  n = sonde_plan_get_n_steps (training.plan);
  train_to_stop (&training, SONDE_RESUME_UNTIL, 0, "phase:backward");
  sonde_debugger_get_stop (training.debugger, &stop);
  g_assert_cmpint (stop.phase, ==, SONDE_PHASE_BACKWARD);
  g_assert_cmpuint (stop.step, ==, 1);
  g_assert_cmpint (sonde_plan_get_step (training.plan, stop.position - 1)->phase, ==,
                   SONDE_PHASE_FORWARD);
  train_to_stop (&training, SONDE_RESUME_UNTIL, 0, "step:4");
  assert_stop (training.debugger, "until", sonde_plan_get_step (training.plan, 0)->name, 0, BEFORE);
  sonde_debugger_get_stop (training.debugger, &stop);
  g_assert_cmpuint (stop.step, ==, 4);
  /* over two ends of a training step */
  train_to_stop (&training, SONDE_RESUME_STEP, 2 * n + 3, NULL);
  sonde_debugger_get_stop (training.debugger, &stop);
  g_assert_cmpuint (stop.step, ==, 6);
  g_assert_cmpuint (stop.position, ==, 3);
  /* over the last node: before the first of the next */
  train_to_stop (&training, SONDE_RESUME_STEP, n - 3, NULL);
  sonde_debugger_get_stop (training.debugger, &stop);
  g_assert_cmpuint (stop.step, ==, 7);
  g_assert_cmpuint (stop.position, ==, 0);
  add_breakpoint (training.debugger, sonde_plan_get_step (training.plan, n - 1)->name,
                  SONDE_MOMENT_AFTER);
  train_to_stop (&training, SONDE_RESUME_CONTINUE, 0, NULL);
  sonde_debugger_get_stop (training.debugger, &stop);
  g_assert_cmpuint (stop.position, ==, n);
  g_assert_cmpint (stop.moment, ==, SONDE_MOMENT_AFTER);
  train_to_stop (&training, SONDE_RESUME_STEP, 1, NULL); /* executes the first node of step 8 */
  sonde_debugger_get_stop (training.debugger, &stop);
  g_assert_cmpuint (stop.step, ==, 8);
  g_assert_cmpuint (stop.position, ==, 1);
  training_clear (&training);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/engine/debug/positions", test_positions);
  g_test_add_func ("/engine/debug/same-position", test_same_position);
  g_test_add_func ("/engine/debug/patterns", test_patterns);
  g_test_add_func ("/engine/debug/unknown", test_unknown);
  g_test_add_func ("/engine/debug/counts", test_counts);
  g_test_add_func ("/engine/debug/step", test_step);
  g_test_add_func ("/engine/debug/step-meets-breakpoint", test_step_meets_breakpoint);
  g_test_add_func ("/engine/debug/next", test_next);
  g_test_add_func ("/engine/debug/until", test_until);
  g_test_add_func ("/engine/debug/interrupt", test_interrupt);
  g_test_add_func ("/engine/debug/values", test_values);
  g_test_add_func ("/engine/debug/probes", test_probes);
  g_test_add_func ("/engine/debug/training/bits", test_training_bits);
  g_test_add_func ("/engine/debug/training/places", test_training_places);
  return g_test_run ();
}
