/* SPDX-License-Identifier: Apache-2.0
 * Breakpoints with conditions, hit conditions, texts, scopes and phases, and values of the step
 * before, on a training graph and on a small inference. */
#include <math.h>
#include <string.h>

#include "engine/debug/sonde-debugger-source.h"
#include "engine/ops/sonde-build.h"
#include "tests/engine/debug/nested-net.h"
#include "tests/engine/plan/training-net.h"

/* ---- fixtures ------------------------------------------------------------ */

typedef struct
{
  TrainingNet *net; /* (nullable) */
  SondeGraph *graph;
  SondeDevice *device;
  SondePlan *plan;
  SondeExecution *execution;
  SondeDebugger *debugger;
  GPtrArray *lines; /* (element-type utf8): what breakpoints said */
} Fixture;

static void
note_line (const SondeLogLine *line, gpointer data)
{
  Fixture *fixture = data;

  g_ptr_array_add (fixture->lines,
                   g_strdup_printf ("%u %s %s %" G_GUINT64_FORMAT ": %s", line->breakpoint,
                                    line->node, sonde_moment_name (line->moment), line->step,
                                    line->text));
}

static void
fixture_start (Fixture *fixture)
{
  const SondePlanOptions options = { .memory = SONDE_MEMORY_KEEP, .no_fusion = TRUE };
  g_autoptr (GError) error = NULL;

  fixture->device = sonde_device_open ("reference", 1, &error);
  fixture->plan = sonde_plan_new (fixture->graph, fixture->device, &options, &error);
  g_assert_no_error (error);
  fixture->execution = sonde_execution_new (fixture->plan, &error);
  g_assert_no_error (error);
  fixture->debugger = sonde_debugger_new (NULL);
  fixture->lines = g_ptr_array_new_with_free_func (g_free);
  sonde_debugger_attach_execution (fixture->debugger, fixture->execution);
  sonde_debugger_set_log_callback (fixture->debugger, note_line, fixture);
}

static void
fixture_clear (Fixture *fixture)
{
  sonde_debugger_free (fixture->debugger);
  sonde_execution_free (fixture->execution);
  sonde_plan_unref (fixture->plan);
  sonde_device_unref (fixture->device);
  if (fixture->net != NULL)
    training_net_free (fixture->net);
  else
    sonde_graph_unref (fixture->graph);
  g_ptr_array_unref (fixture->lines);
}

/* x -> a/one -> a/two -> b/one -> a/last, each adding 1 */
static void
inference_init (Fixture *fixture)
{
  static const char *const names[] = { "a/one", "a/two", "b/one", "a/last" };
  SondeShape shape = sonde_shape_make (1, 3);
  SondeType type = sonde_type_tensor (SONDE_DTYPE_F32, &shape);
  g_autoptr (SondeTensor) ones = sonde_tensor_new (SONDE_DTYPE_F32, &shape),
                          x = sonde_tensor_new (SONDE_DTYPE_F32, &shape);
  g_autoptr (GError) error = NULL;
  SondeGraphValue *value, *one;

  memset (fixture, 0, sizeof *fixture);
  fixture->graph = sonde_graph_new ("chain");
  sonde_graph_set_opset (fixture->graph, "", 17);
  for (gint64 i = 0; i < 3; i++)
    {
      sonde_tensor_set_double (ones, i, 1);
      sonde_tensor_set_double (x, i, (double) i);
    }
  value = sonde_graph_add_input (fixture->graph, "x", &type);
  one = sonde_graph_add_initialiser (fixture->graph, "ones", ones, SONDE_ROLE_CONSTANT);
  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    {
      SondeGraphValue *inputs[] = { value, one };
      g_autofree char *name = g_strdup_printf ("v%u", i);

      value = sonde_build_op (fixture->graph, names[i], "", "Add", 2, inputs);
      sonde_graph_rename_value (fixture->graph, value, name);
    }
  sonde_graph_add_output (fixture->graph, value);
  fixture_start (fixture);
  sonde_execution_set_input (fixture->execution, "x", x, &error);
  g_assert_no_error (error);
}

static void
training_init (Fixture *fixture)
{
  memset (fixture, 0, sizeof *fixture);
  fixture->net = training_net_new (4, 16, "sgd");
  fixture->graph = fixture->net->graph;
  fixture_start (fixture);
}

static const SondeBreakpoint *
add (Fixture *fixture, const SondeBreakpointSpec *spec)
{
  g_autoptr (GError) error = NULL;
  const SondeBreakpoint *breakpoint
      = sonde_debugger_add_breakpoint (fixture->debugger, spec, &error);

  g_assert_no_error (error);
  return breakpoint;
}

static void
set_batch (Fixture *fixture)
{
  g_autoptr (SondeTensor) images = training_net_images (fixture->net, 1),
                          labels = training_net_labels (fixture->net, 1);
  g_autoptr (SondeTensor) rate = sonde_tensor_new_f32 (0.05f);

  g_assert_true (sonde_execution_set_input (fixture->execution, "x", images, NULL));
  g_assert_true (sonde_execution_set_input (fixture->execution, "labels", labels, NULL));
  if (sonde_graph_find_value (fixture->graph, "rate") != NULL)
    sonde_execution_set_input (fixture->execution, "rate", rate, NULL);
}

/* Up to @n runs; TRUE when it stopped. */
static gboolean
go_on (Fixture *fixture, guint n, SondeStop *stop)
{
  const SondeResume how = { .kind = SONDE_RESUME_CONTINUE };
  g_autoptr (GError) error = NULL;
  SondeRunResult result = SONDE_RUN_DONE;

  g_assert_true (sonde_debugger_resume (fixture->debugger, &how, &error));
  for (guint i = 0; i < n && result == SONDE_RUN_DONE; i++)
    {
      if (fixture->net != NULL && !sonde_execution_is_running (fixture->execution))
        set_batch (fixture);
      result = sonde_execution_run (fixture->execution, &error);
      g_assert_no_error (error);
    }
  if (stop != NULL)
    sonde_debugger_get_stop (fixture->debugger, stop);
  return result == SONDE_RUN_PAUSED;
}

static double
number_of (Fixture *fixture, const char *text, GError **error)
{
  g_autoptr (SondeExpression) expression = sonde_expression_parse (text, error);
  g_auto (SondeExpressionResult) result = { 0 };
  SondeValueSource source;

  sonde_debugger_source_init (&source, fixture->debugger);
  if (expression == NULL || !sonde_expression_evaluate (expression, &source.source, &result, error))
    return NAN;
  return result.number;
}

/* ---- conditions ---------------------------------------------------------- */

static void
test_condition (void)
{
  const SondeBreakpointSpec never
      = { .pattern = "a/two", .either = TRUE, .condition = "max(v1) > 100" };
  const SondeBreakpointSpec holds
      = { .pattern = "b/one", .either = TRUE, .condition = "max(v2) == 5 && nan(v2) == 0" };
  const SondeBreakpointSpec early
      = { .pattern = "a/last", .either = TRUE, .condition = "v2[0] == 3" };
  Fixture fixture;
  SondeStop stop;

  inference_init (&fixture);
  /* it reads what is made there */
  g_assert_cmpint (add (&fixture, &never)->moment, ==, SONDE_MOMENT_AFTER);
  add (&fixture, &holds);
  g_assert_cmpint (add (&fixture, &early)->moment, ==, SONDE_MOMENT_BEFORE);
  g_assert_true (go_on (&fixture, 1, &stop));
  g_assert_cmpstr (stop.node, ==, "b/one");
  g_assert_cmpint (stop.moment, ==, SONDE_MOMENT_AFTER);
  g_assert_cmpuint (stop.n_breakpoints, ==, 2); /* before a/last is the same place */
  g_assert_null (stop.condition_error);
  g_assert_false (go_on (&fixture, 1, NULL));
  fixture_clear (&fixture);
}

/* What is unknown does not stop and is noted; what cannot be evaluated stops and is said. */
static void
test_no_answer (void)
{
  const SondeBreakpointSpec unknown = { .pattern = "a/one", .condition = "max(v3) > 0" };
  const SondeBreakpointSpec broken = { .pattern = "b/one", .condition = "any(x > x[0:2])" };
  const SondeBreakpointSpec wrong = { .pattern = "b/one", .condition = "max(v9) > 0" };
  const SondeBreakpointSpec torn = { .pattern = "b/one", .condition = "max(v3 > 0" };
  g_autoptr (GError) error = NULL;
  const SondeBreakpoint *first;
  Fixture fixture;
  SondeStop stop;

  inference_init (&fixture);
  g_assert_null (sonde_debugger_add_breakpoint (fixture.debugger, &wrong, &error));
  g_assert_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_NOT_FOUND);
  g_clear_error (&error);
  g_assert_null (sonde_debugger_add_breakpoint (fixture.debugger, &torn, &error));
  g_assert_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_INVALID);
  first = add (&fixture, &unknown);
  add (&fixture, &broken);
  g_assert_true (go_on (&fixture, 1, &stop));
  g_assert_cmpstr (stop.node, ==, "b/one");
  g_assert_nonnull (strstr (sonde_message_get_english (stop.condition_error), "do not fit"));
  g_assert_nonnull (strstr (sonde_message_get_english (first->note), "v3"));
  g_assert_cmpuint (first->hits, ==, 1);
  g_assert_false (go_on (&fixture, 1, &stop));
  g_assert_null (stop.condition_error);
  fixture_clear (&fixture);
}

static void
test_hits (void)
{
  const SondeBreakpointSpec third = { .pattern = "v1", .condition = "hits % 3 == 0" };
  const SondeBreakpointSpec twice
      = { .pattern = "v2", .condition = "step > 3", .hit_condition = "hits >= 2", .ignore = 1 };
  Fixture fixture;
  SondeStop stop;

  inference_init (&fixture);
  add (&fixture, &third);
  add (&fixture, &twice);
  g_assert_true (go_on (&fixture, 20, &stop));
  g_assert_cmpuint (stop.step, ==, 3);
  g_assert_cmpstr (stop.node, ==, "a/two");
  g_assert_true (go_on (&fixture, 20, &stop));
  g_assert_cmpuint (stop.step, ==, 6); /* first the breakpoint before it */
  g_assert_cmpstr (stop.node, ==, "a/two");
  g_assert_true (go_on (&fixture, 20, &stop));
  /* holds at 4, 5, 6; stops from 5; the first of them is ignored */
  g_assert_cmpuint (stop.step, ==, 6);
  g_assert_cmpstr (stop.node, ==, "b/one");
  fixture_clear (&fixture);
}

static void
test_log (void)
{
  const SondeBreakpointSpec spec = {
    .pattern = "v1", .either = TRUE, .log = "{{hit}} {hits}: max {max(v1)} of {v1} {v3} {step == 1}"
  };
  const SondeBreakpointSpec open = { .pattern = "v1", .log = "max {max(v1)" };
  g_autoptr (GError) error = NULL;
  Fixture fixture;

  inference_init (&fixture);
  g_assert_null (sonde_debugger_add_breakpoint (fixture.debugger, &open, &error));
  g_assert_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_INVALID);
  add (&fixture, &spec);
  g_assert_false (go_on (&fixture, 2, NULL));
  g_assert_cmpuint (fixture.lines->len, ==, 2);
  g_assert_true (g_str_has_prefix (g_ptr_array_index (fixture.lines, 0),
                                   "1 a/two after 1: {hit} 1: max 4 of [2, 3, 4] {"));
  g_assert_true (g_str_has_suffix (g_ptr_array_index (fixture.lines, 0), "} true"));
  g_assert_true (g_str_has_prefix (g_ptr_array_index (fixture.lines, 1),
                                   "1 a/two after 2: {hit} 2: max 4 of [2, 3, 4] "));
  fixture_clear (&fixture);
}

/* Inside of bodies: once an iteration, over the values of that iteration. */
static void
test_in_body (void)
{
  const SondeBreakpointSpec spec
      = { .pattern = "mul", .either = TRUE, .condition = "hits == 4 && v_mul == 2 * n_y" };
  g_autoptr (GError) error = NULL;
  const SondeBreakpoint *breakpoint;
  SondeStop stop;
  NestedNet net;

  nested_net_init (&net, "loops");
  breakpoint = sonde_debugger_add_breakpoint (net.debugger, &spec, &error);
  g_assert_no_error (error);
  g_assert_cmpint (breakpoint->moment, ==, SONDE_MOMENT_AFTER);
  g_assert_cmpint (nested_net_resume (&net, SONDE_RESUME_CONTINUE, 0, NULL, NULL), ==,
                   SONDE_RUN_PAUSED);
  sonde_debugger_get_stop (net.debugger, &stop);
  g_assert_cmpstr (stop.node, ==, "mul");
  g_assert_null (stop.condition_error);
  g_assert_cmpuint (stop.n_iterations, ==, 2);
  g_assert_cmpuint (stop.iterations[0], ==, 1); /* the fourth of two times three */
  g_assert_cmpuint (stop.iterations[1], ==, 1);
  g_assert_cmpint (nested_net_resume (&net, SONDE_RESUME_CONTINUE, 0, NULL, NULL), ==,
                   SONDE_RUN_DONE);
  nested_net_clear (&net);
}

/* ---- scopes and phases --------------------------------------------------- */

static void
check_places (Fixture *fixture, const char *pattern, SondeMoment moment, const char *const *nodes)
{
  const SondeBreakpointSpec spec = { .pattern = pattern, .moment = moment };
  SondeStop stop;

  add (fixture, &spec);
  for (guint i = 0; nodes[i] != NULL; i++)
    {
      g_assert_true (go_on (fixture, 1, &stop));
      g_assert_cmpstr (stop.node, ==, nodes[i]);
    }
  g_assert_false (go_on (fixture, 1, NULL));
  sonde_debugger_run_is_over (fixture->debugger);
  g_assert_true (sonde_debugger_remove_breakpoint (fixture->debugger, 0, NULL));
}

static void
test_scopes (void)
{
  const SondeBreakpointSpec none = { .pattern = "scope:c" };
  g_autoptr (GError) error = NULL;
  Fixture fixture;

  inference_init (&fixture);
  check_places (&fixture, "scope:a", SONDE_MOMENT_BEFORE,
                (const char *const[]){ "a/one", "a/last", NULL });
  check_places (&fixture, "scope:a", SONDE_MOMENT_AFTER,
                (const char *const[]){ "a/two", "a/last", NULL });
  check_places (&fixture, "scope:[ab]", SONDE_MOMENT_BEFORE,
                (const char *const[]){ "a/one", "b/one", "a/last", NULL });
  check_places (&fixture, "phase:forward", SONDE_MOMENT_AFTER,
                (const char *const[]){ "a/last", NULL });
  g_assert_null (sonde_debugger_add_breakpoint (fixture.debugger, &none, &error));
  g_assert_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_NOT_FOUND);
  g_assert_nonnull (strstr (error->message, "scope:c"));
  fixture_clear (&fixture);
}

static void
test_phases (void)
{
  const SondeBreakpointSpec spec = { .pattern = "phase:optimiser" };
  Fixture fixture;
  SondeStop stop;

  training_init (&fixture);
  add (&fixture, &spec);
  for (guint i = 1; i < 4; i++)
    {
      g_assert_true (go_on (&fixture, 2, &stop));
      g_assert_cmpint (stop.phase, ==, SONDE_PHASE_OPTIMISER);
      g_assert_cmpuint (stop.step, ==, i);
      g_assert_cmpint (sonde_plan_get_step (fixture.plan, stop.position - 1)->phase, !=,
                       SONDE_PHASE_OPTIMISER);
    }
  fixture_clear (&fixture);
}

/* ---- the step before ----------------------------------------------------- */

static void
test_previous (void)
{
  Fixture fixture;
  g_autoptr (GError) error = NULL;
  SondeGraphValue *parameter, *last;
  g_autofree char *read = NULL, *update = NULL, *difference = NULL, *moved = NULL;
  double updated, before;
  SondeBreakpointSpec spec = { .moment = SONDE_MOMENT_AFTER };

  training_init (&fixture);
  parameter = g_ptr_array_index (fixture.net->parameters, 0);
  last = sonde_plan_get_step (fixture.plan, sonde_plan_get_n_steps (fixture.plan) - 1)->outputs[0];
  read = g_strdup_printf ("mean(prev(\"%s\"))", parameter->name);
  update = g_strdup_printf ("l2(update(%s))", parameter->name);
  difference = g_strdup_printf ("l2(\"%s\" - prev(\"%s\"))", parameter->name, parameter->name);
  spec.pattern = last->name;
  add (&fixture, &spec);

  g_assert_true (go_on (&fixture, 1, NULL)); /* step 1, after its last node */
  updated = number_of (&fixture, update, &error);
  g_assert_no_error (error);
  g_assert_cmpfloat (updated, >, 0);
  g_assert_true (isnan (number_of (&fixture, read, &error))); /* there was none */
  g_assert_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_STATE);
  g_clear_error (&error);
  moved = g_strdup_printf ("mean(\"%s\")", parameter->name);
  before = number_of (&fixture, moved, &error);

  g_assert_true (go_on (&fixture, 2, NULL)); /* step 2 */
  g_assert_cmpfloat (number_of (&fixture, read, &error), ==, before);
  g_assert_cmpfloat (fabs (number_of (&fixture, difference, &error) - updated), <=, 1e-6 * updated);
  g_assert_no_error (error);
  number_of (&fixture, "max(prev(nosuch))", &error);
  g_assert_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_NOT_FOUND);
  g_clear_error (&error);
  sonde_debugger_forget_previous (fixture.debugger);
  number_of (&fixture, read, &error);
  g_assert_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_STATE);
  fixture_clear (&fixture);
}

/* A condition keeps what it needs from the beginning, so that it is known in the second step. */
static void
test_previous_in_condition (void)
{
  const SondeBreakpointSpec spec
      = { .pattern = "loss", .either = TRUE, .condition = "loss < prev(loss)" };
  Fixture fixture;
  SondeStop stop;

  training_init (&fixture);
  g_assert_cmpint (add (&fixture, &spec)->moment, ==, SONDE_MOMENT_AFTER);
  g_assert_true (go_on (&fixture, 20, &stop));
  g_assert_cmpuint (stop.step, >=, 2);
  g_assert_true (number_of (&fixture, "loss", NULL) < number_of (&fixture, "prev(loss)", NULL));
  fixture_clear (&fixture);
}

/* Without having been asked for: the run before was stopped in; nothing is kept of runs that nobody
 * looks into. */
static void
test_previous_of_all (void)
{
  const SondeBreakpointSpec spec
      = { .pattern = "loss", .moment = SONDE_MOMENT_AFTER, .condition = "hits < 3 || hits == 5" };
  g_autoptr (GError) error = NULL;
  Fixture fixture;
  double first;

  training_init (&fixture);
  add (&fixture, &spec);
  g_assert_true (go_on (&fixture, 1, NULL));
  first = number_of (&fixture, "loss", &error);
  g_assert_true (go_on (&fixture, 2, NULL));
  g_assert_cmpfloat (number_of (&fixture, "prev(loss)", &error), ==, first);
  g_assert_cmpfloat (number_of (&fixture, "count(prev(conv1))", &error), >, 0); /* a node's name */
  g_assert_no_error (error);
  g_assert_true (go_on (&fixture, 9, NULL));        /* step 5 */
  number_of (&fixture, "sum(prev(conv1))", &error); /* was not asked for before step 5's stop */
  g_assert_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_STATE);
  fixture_clear (&fixture);
}

static void
test_globs (void)
{
  Fixture fixture;
  g_autoptr (GError) error = NULL;
  g_autoptr (GPtrArray) weights = NULL, gradients = NULL, exact = NULL, none = NULL, ops = NULL,
                        activations = NULL;

  training_init (&fixture);
  g_assert_false (go_on (&fixture, 1, NULL));
  weights = sonde_debugger_match_values (fixture.debugger, "kind:weight", &error);
  g_assert_no_error (error);
  g_assert_cmpuint (weights->len, ==, fixture.net->parameters->len);
  gradients = sonde_debugger_match_values (fixture.debugger, "kind:gradient", &error);
  g_assert_no_error (error);
  g_assert_cmpuint (gradients->len, >=, weights->len);
  exact = sonde_debugger_match_values (fixture.debugger, "loss", &error);
  g_assert_no_error (error);
  g_assert_cmpuint (exact->len, ==, 1);
  ops = sonde_debugger_match_values (fixture.debugger, "op:Relu", &error);
  g_assert_no_error (error);
  g_assert_cmpuint (ops->len, >=, 1);
  activations = sonde_debugger_match_values (fixture.debugger, "kind:activation", &error);
  g_assert_no_error (error);
  for (guint i = 0; i < activations->len; i++) /* as in watches: no convolutions, no sums */
    {
      const SondeGraphValue *value = g_ptr_array_index (activations, i);

      g_assert_cmpstr (value->producer->op, ==, "Relu");
    }
  g_assert_cmpuint (activations->len, ==, ops->len);
  g_assert_null (sonde_debugger_match_values (fixture.debugger, "kind:nose", &error));
  g_assert_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_NOT_FOUND);
  g_clear_error (&error);
  none = sonde_debugger_match_values (fixture.debugger, "nosuch*", &error);
  g_assert_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_NOT_FOUND);
  g_clear_error (&error);
  g_assert_cmpfloat (number_of (&fixture, "nan(*)", &error), ==, 0);
  g_assert_no_error (error);
  g_assert_cmpfloat (number_of (&fixture, "absmax(\"kind:gradient\")", &error), >, 0);
  g_assert_cmpfloat (number_of (&fixture, "count(\"kind:weight\")", &error), >, 100);
  g_assert_no_error (error);
  fixture_clear (&fixture);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/conditions/condition", test_condition);
  g_test_add_func ("/conditions/no-answer", test_no_answer);
  g_test_add_func ("/conditions/hits", test_hits);
  g_test_add_func ("/conditions/log", test_log);
  g_test_add_func ("/conditions/in-body", test_in_body);
  g_test_add_func ("/conditions/scopes", test_scopes);
  g_test_add_func ("/conditions/phases", test_phases);
  g_test_add_func ("/conditions/previous", test_previous);
  g_test_add_func ("/conditions/previous-in-condition", test_previous_in_condition);
  g_test_add_func ("/conditions/previous-of-all", test_previous_of_all);
  g_test_add_func ("/conditions/globs", test_globs);
  return g_test_run ();
}
