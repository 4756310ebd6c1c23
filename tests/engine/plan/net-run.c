/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/engine/plan/net-run.h"

void
net_run_init (NetRun *run, const char *device, const SondePlanOptions *options,
              const char *optimiser)
{
  g_autoptr (GError) error = NULL;

  run->net = training_net_new (8, 16, optimiser);
  run->device = sonde_device_open (device, 2, &error);
  g_assert_no_error (error);
  run->plan = sonde_plan_new (run->net->graph, run->device, options, &error);
  g_assert_no_error (error);
  run->execution = sonde_execution_new (run->plan, &error);
  g_assert_no_error (error);
}

void
net_run_clear (NetRun *run)
{
  sonde_execution_free (run->execution);
  sonde_plan_unref (run->plan);
  sonde_device_unref (run->device);
  training_net_free (run->net);
}

void
net_run_set_batch (NetRun *run, guint32 seed)
{
  g_autoptr (SondeTensor) images = training_net_images (run->net, seed);
  g_autoptr (SondeTensor) labels = training_net_labels (run->net, seed);
  g_autoptr (SondeTensor) rate = sonde_tensor_new_f32 (0.05f);
  g_autoptr (SondeTensor) step = sonde_tensor_new_i64 (seed);
  g_autoptr (GError) error = NULL;

  sonde_execution_set_input (run->execution, "x", images, &error);
  g_assert_no_error (error);
  sonde_execution_set_input (run->execution, "labels", labels, &error);
  g_assert_no_error (error);
  if (sonde_graph_find_value (run->net->graph, "rate") == NULL)
    return;

  sonde_execution_set_input (run->execution, "rate", rate, &error);
  g_assert_no_error (error);
  sonde_execution_set_input (run->execution, "step", step, &error);
  g_assert_no_error (error);
}

SondeTensor *
net_run_read (NetRun *run, SondeGraphValue *value)
{
  g_autoptr (GError) error = NULL;
  SondeTensor *tensor = sonde_execution_read (run->execution, value, &error);

  g_assert_no_error (error);
  return tensor;
}

double
net_run_read_loss (NetRun *run)
{
  g_autoptr (SondeTensor) loss = net_run_read (run, run->net->loss);

  return sonde_tensor_get_double (loss, 0);
}

void
net_run_finish (NetRun *run)
{
  g_autoptr (GError) error = NULL;

  g_assert_cmpint (sonde_execution_run (run->execution, &error), ==, SONDE_RUN_DONE);
  g_assert_no_error (error);
}

void
net_run_train (NetRun *run, guint steps)
{
  for (guint i = 0; i < steps; i++)
    {
      net_run_set_batch (run, i + 1);
      net_run_finish (run);
    }
}

GHashTable *
net_run_read_all (NetRun *run)
{
  GHashTable *values
      = g_hash_table_new_full (g_str_hash, g_str_equal, NULL, (GDestroyNotify) sonde_tensor_unref);
  GPtrArray *all = run->net->graph->values;

  for (guint i = 0; i < all->len; i++)
    {
      SondeGraphValue *value = g_ptr_array_index (all, i);

      if (value != NULL && sonde_execution_is_available (run->execution, value))
        g_hash_table_insert (values, value->name, net_run_read (run, value));
    }

  return values;
}

void
net_run_assert_same (GHashTable *a, GHashTable *b)
{
  GHashTableIter iter;
  gpointer name, tensor;

  g_assert_cmpuint (g_hash_table_size (a), ==, g_hash_table_size (b));
  g_hash_table_iter_init (&iter, a);
  while (g_hash_table_iter_next (&iter, &name, &tensor))
    {
      SondeTensor *other = g_hash_table_lookup (b, name);

      if (other == NULL || !sonde_tensor_equal (tensor, other))
        g_error ("value “%s” differs", (const char *) name);
    }
}
