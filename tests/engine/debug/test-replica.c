/* SPDX-License-Identifier: Apache-2.0
 * Second executions of a training step: bit-equal under the same conditions, close under others,
 * from wherever the first one stands. */
#include "engine/live/sonde-compare.h"
#include "engine/debug/searches/sonde-replica.h"

#include <math.h>

#include "tests/engine/plan/training-net.h"

typedef struct
{
  TrainingNet *net;
  SondeDevice *device;
  SondePlan *plan;
  SondeExecution *execution;
} Fixture;

static void
set_batch (Fixture *fixture, guint32 seed)
{
  g_autoptr (SondeTensor) images = training_net_images (fixture->net, seed),
                          labels = training_net_labels (fixture->net, seed);
  g_autoptr (GError) error = NULL;
  SondeShape scalar = { 0 };
  g_autoptr (SondeTensor) rate = sonde_tensor_new (SONDE_DTYPE_F32, &scalar);

  sonde_tensor_set_double (rate, 0, 0.05);
  sonde_execution_set_input (fixture->execution, "x", images, &error);
  g_assert_no_error (error);
  sonde_execution_set_input (fixture->execution, "labels", labels, &error);
  g_assert_no_error (error);
  sonde_execution_set_input (fixture->execution, "rate", rate, &error);
  g_assert_no_error (error);
}

static void
set_up (Fixture *fixture, gconstpointer data)
{
  g_autoptr (GError) error = NULL;
  SondePlanOptions options = { .memory = SONDE_MEMORY_KEEP };

  fixture->net = training_net_new (4, 16, "sgd");
  fixture->device = sonde_device_open ("cpu", 1, &error);
  g_assert_no_error (error);
  fixture->plan = sonde_plan_new (fixture->net->graph, fixture->device, &options, &error);
  g_assert_no_error (error);
  fixture->execution = sonde_execution_new (fixture->plan, &error);
  g_assert_no_error (error);
  set_batch (fixture, 3);
}

static void
tear_down (Fixture *fixture, gconstpointer data)
{
  sonde_execution_free (fixture->execution);
  sonde_plan_unref (fixture->plan);
  sonde_device_unref (fixture->device);
  training_net_free (fixture->net);
}

static void
run_whole (Fixture *fixture)
{
  g_autoptr (GError) error = NULL;

  g_assert_cmpint (sonde_execution_run (fixture->execution, &error), ==, SONDE_RUN_DONE);
  g_assert_no_error (error);
}

/* Largest difference relative to the largest number, over all floats that nodes of the original
 * make. */
static double
compare_all (Fixture *fixture, SondeReplica *replica, guint *n)
{
  double worst = 0;

  *n = 0;
  for (guint i = 0; i < fixture->net->graph->values->len; i++)
    {
      SondeGraphValue *value = g_ptr_array_index (fixture->net->graph->values, i);
      g_autoptr (GError) error = NULL;
      g_autoptr (SondeTensor) tensor = NULL;
      g_autoptr (SondeValue) other = NULL;
      SondeComparison comparison;

      if (value == NULL || value->producer == NULL || value->type.dtype != SONDE_DTYPE_F32
          || !sonde_execution_is_available (fixture->execution, value))
        continue;
      tensor = sonde_execution_read (fixture->execution, value, &error);
      g_assert_no_error (error);
      other = sonde_replica_read (replica, value->name, &error);
      g_assert_no_error (error);
      sonde_compare_tensors (sonde_value_get_tensor (other), tensor, &comparison, &error);
      g_assert_no_error (error);
      g_assert_cmpuint (comparison.nan_mismatch, ==, 0);
      worst = MAX (worst, comparison.max_abs / MAX (comparison.max_reference, 1e-30));
      (*n)++;
    }
  return worst;
}

static SondeReplica *
replicate (Fixture *fixture, const SondeReplicaOptions *options)
{
  g_autoptr (GError) error = NULL;
  SondeReplica *replica = sonde_replica_new (fixture->execution, options, &error);

  g_assert_no_error (error);
  sonde_replica_run (replica, G_MAXUINT, NULL, NULL, &error);
  g_assert_no_error (error);
  return replica;
}

/* The step that ran last, although its parameters are no longer there. */
static void
test_same (Fixture *fixture, gconstpointer data)
{
  SondeReplicaOptions options = { 0 };
  guint n;

  for (guint round = 0; round < 3; round++)
    {
      g_autoptr (SondeReplica) replica = NULL;

      set_batch (fixture, 5 + round);
      run_whole (fixture);
      replica = replicate (fixture, &options);
      g_assert_cmpfloat (compare_all (fixture, replica, &n), ==, 0);
      g_assert_cmpuint (n, >, 30);
    }
}

/* What is written before a run counts, in it and behind it. */
static void
test_parameters (Fixture *fixture, gconstpointer data)
{
  SondeReplicaOptions options = { 0 };
  SondeGraphValue *parameter = g_ptr_array_index (fixture->net->parameters, 0);
  g_autoptr (GHashTable) parameters = g_hash_table_new (g_str_hash, g_str_equal);
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeTensor) old = sonde_execution_read (fixture->execution, parameter, &error);
  g_autoptr (SondeTensor) tensor = sonde_tensor_copy (old);
  g_autoptr (SondeReplica) written = NULL, other = NULL;
  guint n;

  sonde_tensor_set_double (tensor, 0, 0.75);
  sonde_execution_write (fixture->execution, parameter, tensor, &error);
  g_assert_no_error (error);
  run_whole (fixture);
  written = replicate (fixture, &options);
  g_assert_cmpfloat (compare_all (fixture, written, &n), ==, 0);
  g_hash_table_insert (parameters, parameter->name, old);
  options.parameters = parameters;
  other = replicate (fixture, &options);
  g_assert_cmpfloat (compare_all (fixture, other, &n), >, 0);
}

static void
test_conditions (Fixture *fixture, gconstpointer data)
{
  static const struct
  {
    SondeReplicaOptions options;
    double least, most;
  } cases[] = {
    { { .device = "reference" }, 0, 1e-4 },
    { { .threads = 2 }, 0, 1e-4 },
    { { .precision = SONDE_DTYPE_F64 }, 1e-12, 1e-4 },
    { { .precision = SONDE_DTYPE_BF16 }, 1e-4, 0.9 },
    { { .precision = SONDE_DTYPE_F16 }, 1e-6, 0.2 },
  };

  run_whole (fixture);
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (SondeReplica) replica = NULL;
      double worst;
      guint n;

      replica = replicate (fixture, &cases[i].options);
      worst = compare_all (fixture, replica, &n);
      g_test_message ("case %u: %g", (guint) i, worst);
      g_assert_cmpfloat (worst, >=, cases[i].least);
      g_assert_cmpfloat (worst, <=, cases[i].most);
    }
}

/* An optimised run has fewer values, and those are the same. */
static void
test_optimised (Fixture *fixture, gconstpointer data)
{
  SondeReplicaOptions options = { .form = SONDE_REPLICA_OPTIMISED };
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeReplica) replica = NULL;
  g_autoptr (SondeValue) mine = NULL, theirs = NULL;
  SondeComparison comparison;

  run_whole (fixture);
  replica = replicate (fixture, &options);
  mine = sonde_replica_read (replica, fixture->net->loss->name, &error);
  g_assert_no_error (error);
  theirs = sonde_execution_read_value (fixture->execution, fixture->net->loss, &error);
  g_assert_no_error (error);
  sonde_compare_tensors (sonde_value_get_tensor (mine), sonde_value_get_tensor (theirs),
                         &comparison, &error);
  g_assert_no_error (error);
  g_assert_cmpfloat (comparison.max_abs, <, 1e-5);
}

/* From every position: what was computed and edited is there, and what follows is the same. */
static void
test_branch (Fixture *fixture, gconstpointer data)
{
  guint n_steps = sonde_plan_get_n_steps (fixture->plan), n;

  for (guint k = 0; k <= n_steps; k += 5)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (SondeReplica) replica = NULL;

      sonde_execution_abandon (fixture->execution);
      g_assert_cmpint (sonde_execution_run_to (fixture->execution, k, &error), ==,
                       SONDE_RUN_PAUSED);
      if (k > 0
          && sonde_plan_get_step (fixture->plan, k - 1)->outputs[0]->type.dtype == SONDE_DTYPE_F32)
        {
          SondeGraphValue *last = sonde_plan_get_step (fixture->plan, k - 1)->outputs[0];
          g_autoptr (SondeTensor) edited = sonde_execution_read (fixture->execution, last, &error);

          g_assert_no_error (error);
          sonde_tensor_set_double (edited, 0, 0.125);
          if (!sonde_execution_write (fixture->execution, last, edited, &error))
            g_clear_error (&error);
        }
      replica = sonde_replica_new_branch (fixture->execution, &error);
      g_assert_no_error (error);
      sonde_replica_run (replica, G_MAXUINT, NULL, NULL, &error);
      g_assert_no_error (error);
      g_assert_cmpuint (sonde_execution_get_position (fixture->execution), ==, k);
      sonde_execution_run_to (fixture->execution, n_steps, &error);
      g_assert_no_error (error);
      g_assert_cmpfloat (compare_all (fixture, replica, &n), ==, 0);
    }
}

/* Each step alone on what it read gives what it gave, on what was doubled something else. */
static void
test_alone (Fixture *fixture, gconstpointer data)
{
  guint n_steps = sonde_plan_get_n_steps (fixture->plan), n_other = 0;
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeReplica) before = NULL;

  sonde_execution_run_to (fixture->execution, n_steps, &error);
  g_assert_no_error (error);
  before = sonde_replica_new_branch (fixture->execution, &error);
  for (guint k = 0; k < n_steps; k++)
    {
      const SondeStep *step = sonde_plan_get_step (fixture->plan, k);
      g_autoptr (GHashTable) forced
          = g_hash_table_new_full (NULL, NULL, NULL, (GDestroyNotify) sonde_value_unref);
      g_autofree SondeValue **outputs = g_new0 (SondeValue *, step->n_outputs + 1);

      for (guint i = 0; i < step->n_inputs; i++)
        if (step->inputs[i]->type.dtype == SONDE_DTYPE_F32 && step->inputs[i]->producer != NULL)
          {
            g_autoptr (SondeTensor) tensor
                = sonde_execution_read (fixture->execution, step->inputs[i], &error);

            for (gint64 j = 0; j < sonde_tensor_n_elements (tensor); j++)
              sonde_tensor_set_double (tensor, j, 1.5 + sonde_tensor_get_double (tensor, j));
            g_hash_table_insert (forced, step->inputs[i], sonde_value_new_tensor (tensor));
          }
      sonde_execution_run_alone (fixture->execution, k, forced, outputs, &error);
      g_assert_no_error (error);
      for (guint i = 0; i < step->n_outputs; i++)
        {
          g_autoptr (SondeTensor) now
              = sonde_execution_read (fixture->execution, step->outputs[i], &error);

          n_other += !sonde_tensor_equal (now, sonde_value_get_tensor (outputs[i]));
          sonde_value_unref (outputs[i]);
        }
      g_hash_table_remove_all (forced);
      sonde_execution_run_alone (fixture->execution, k, forced, outputs, &error);
      g_assert_no_error (error);
      for (guint i = 0; i < step->n_outputs; i++)
        {
          g_autoptr (SondeTensor) now
              = sonde_execution_read (fixture->execution, step->outputs[i], &error);

          g_assert_true (sonde_tensor_equal (now, sonde_value_get_tensor (outputs[i])));
          sonde_value_unref (outputs[i]);
        }
    }
  g_assert_cmpuint (n_other, >, n_steps / 2);
  g_assert_cmpfloat (compare_all (fixture, before, &n_other), ==, 0);
}

static gboolean
tick (guint step, guint n_steps, gpointer data)
{
  return step == 7;
}

static void
test_give_up (Fixture *fixture, gconstpointer data)
{
  SondeReplicaOptions options = { 0 };
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeReplica) replica = sonde_replica_new (fixture->execution, &options, &error);

  g_assert_no_error (error);
  g_assert_false (sonde_replica_run (replica, G_MAXUINT, tick, NULL, &error));
  g_assert_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_STATE);
  g_assert_cmpuint (sonde_execution_get_position (sonde_replica_get_execution (replica)), ==, 7);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
#define ADD(name, function)                                                                        \
  g_test_add ("/debug/replica/" name, Fixture, NULL, set_up, function, tear_down)
  ADD ("same", test_same);
  ADD ("parameters", test_parameters);
  ADD ("conditions", test_conditions);
  ADD ("optimised", test_optimised);
  ADD ("branch", test_branch);
  ADD ("alone", test_alone);
  ADD ("give-up", test_give_up);
  return g_test_run ();
}
