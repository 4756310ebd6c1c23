/* SPDX-License-Identifier: Apache-2.0
 * Reading and writing the values of a run, updates of parameters, statistics, and parameters that two
 * runs share. */
#include <string.h>

#include "tests/engine/plan/net-run.h"

/* ---- reading and writing ------------------------------------------------- */

static SondeGraphValue *
output_of (const NetRun *fixture, const char *node)
{
  SondeNode *found = sonde_graph_find_node (fixture->net->graph, node);

  g_assert_nonnull (found);
  return sonde_node_get_output (found, 0);
}

static void
test_not_computed_yet (void)
{
  g_autoptr (GError) error = NULL;
  SondeGraphValue *value;
  NetRun fixture;

  net_run_init (&fixture, "cpu", NULL, "sgd");
  value = output_of (&fixture, "fc1");
  g_assert_false (sonde_execution_is_available (fixture.execution, value));
  g_assert_null (sonde_execution_read (fixture.execution, value, &error));
  g_assert_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_STATE);
  g_assert_nonnull (strstr (error->message, value->name));
  g_assert_nonnull (strstr (error->message, "fc1"));
  net_run_clear (&fixture);
}

/* During a run P and P' are both there; afterwards both names mean the new one. */
static void
test_updates (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeTensor) old = NULL, during = NULL, made = NULL, after = NULL, again = NULL;
  SondeGraphValue *parameter, *update;
  NetRun fixture;

  net_run_init (&fixture, "cpu", NULL, "sgd");
  parameter = g_ptr_array_index (fixture.net->parameters, 2);
  update = sonde_graph_find_value (fixture.net->graph, "conv2.weight'");
  old = net_run_read (&fixture, parameter);
  net_run_set_batch (&fixture, 1);
  sonde_execution_run_to (fixture.execution, sonde_plan_get_n_steps (fixture.plan), &error);
  during = net_run_read (&fixture, parameter);
  made = net_run_read (&fixture, update);
  g_assert_true (sonde_tensor_equal (old, during));
  g_assert_false (sonde_tensor_equal (old, made));
  net_run_finish (&fixture);
  after = net_run_read (&fixture, parameter);
  again = net_run_read (&fixture, update);
  g_assert_true (sonde_tensor_equal (made, after));
  g_assert_true (sonde_tensor_equal (made, again));
  net_run_clear (&fixture);
}

static void
test_write_parameter (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeTensor) zeros = NULL, back = NULL, logits = NULL;
  SondeGraphValue *weight;
  SondeShape shape = sonde_shape_make (2, 10, 84);
  NetRun fixture;

  /* Inference: the weight is held in the layout of its reader, and may be in several. */
  net_run_init (&fixture, "cpu", NULL, NULL);
  net_run_set_batch (&fixture, 1);
  net_run_finish (&fixture);
  weight = sonde_graph_find_value (fixture.net->graph, "fc3.weight");
  zeros = sonde_tensor_new (SONDE_DTYPE_F32, &shape);
  sonde_execution_write (fixture.execution, weight, zeros, &error);
  g_assert_no_error (error);
  back = net_run_read (&fixture, weight);
  g_assert_true (sonde_tensor_equal (zeros, back));
  net_run_finish (&fixture);
  logits = net_run_read (&fixture, fixture.net->logits);
  /* Only the bias is left: every row is the same. */
  g_assert_cmpfloat (sonde_tensor_get_double (logits, 3), ==, sonde_tensor_get_double (logits, 13));
  net_run_clear (&fixture);
}

/* An edit of a computed value at a pause is what the rest of the run sees. */
static void
test_write_value (void)
{
  const SondePlanOptions keep = { .memory = SONDE_MEMORY_KEEP };
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeTensor) zeros = NULL, logits = NULL;
  SondeGraphValue *value;
  SondeShape shape = sonde_shape_make (2, 8, 84);
  NetRun fixture;
  int step;

  net_run_init (&fixture, "cpu", &keep, "sgd");
  value = output_of (&fixture, "fc2");
  zeros = sonde_tensor_new (SONDE_DTYPE_F32, &shape);
  g_assert_false (sonde_execution_write (fixture.execution, value, zeros, &error));
  g_assert_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_STATE);
  g_clear_error (&error);

  net_run_set_batch (&fixture, 1);
  step = sonde_plan_find_step (fixture.plan, value->producer);
  g_assert_cmpint (step, >, 0);
  sonde_execution_run_to (fixture.execution, (guint) step + 1, &error);
  sonde_execution_write (fixture.execution, value, zeros, &error);
  g_assert_no_error (error);
  net_run_finish (&fixture);
  logits = net_run_read (&fixture, fixture.net->logits);
  g_assert_cmpfloat (sonde_tensor_get_double (logits, 3), ==, sonde_tensor_get_double (logits, 13));
  net_run_clear (&fixture);
}

static void
test_statistics (void)
{
  NetRun fixture;
  GPtrArray *all;

  net_run_init (&fixture, "cpu", NULL, "sgd");
  net_run_set_batch (&fixture, 1);
  net_run_finish (&fixture);
  all = fixture.net->graph->values;
  for (guint i = 0; i < all->len; i++)
    {
      g_autoptr (SondeTensor) tensor = net_run_read (&fixture, g_ptr_array_index (all, i));
      SondeStatistics expected, statistics;
      g_autoptr (GError) error = NULL;

      sonde_statistics_compute (tensor, &expected);
      sonde_execution_read_statistics (fixture.execution, g_ptr_array_index (all, i), &statistics,
                                       &error);
      g_assert_no_error (error);
      g_assert_cmpint (statistics.count, ==, expected.count);
      g_assert_cmpint (statistics.zeros, ==, expected.zeros);
      g_assert_cmpfloat (statistics.max, ==, expected.max);
      g_assert_cmpfloat_with_epsilon (statistics.mean, expected.mean, 1e-9);
    }

  net_run_clear (&fixture);
}

static void
test_share (void)
{
  g_autoptr (GError) error = NULL;
  NetRun training, evaluation;
  double before;

  net_run_init (&training, "cpu", NULL, "sgd");
  net_run_init (&evaluation, "cpu", NULL, NULL);
  net_run_set_batch (&evaluation, 1);
  net_run_finish (&evaluation);
  before = net_run_read_loss (&evaluation);
  net_run_train (&training, 3);
  sonde_execution_share_parameters (evaluation.execution, training.execution, &error);
  g_assert_no_error (error);
  net_run_finish (&evaluation);
  net_run_set_batch (&training, 1);
  net_run_finish (&training);
  g_assert_cmpfloat (net_run_read_loss (&evaluation), !=, before);
  g_assert_cmpfloat_with_epsilon (net_run_read_loss (&evaluation), net_run_read_loss (&training),
                                  1e-6);

  g_assert_false (
      sonde_execution_share_parameters (training.execution, evaluation.execution, &error));
  g_assert_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_NOT_FOUND);
  net_run_clear (&training);
  net_run_clear (&evaluation);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/engine/plan/value/not-computed-yet", test_not_computed_yet);
  g_test_add_func ("/engine/plan/value/updates", test_updates);
  g_test_add_func ("/engine/plan/value/write-parameter", test_write_parameter);
  g_test_add_func ("/engine/plan/value/write-value", test_write_value);
  g_test_add_func ("/engine/plan/value/statistics", test_statistics);
  g_test_add_func ("/engine/plan/value/share", test_share);
  return g_test_run ();
}
