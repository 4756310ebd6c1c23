/* SPDX-License-Identifier: Apache-2.0
 * Evaluation by reference kernels; gradients against central differences in double. */
#include "tests/support/sonde-test-gradient.h"

#include "engine/ops/sonde-build.h"
#include "tests/support/sonde-test-tensor.h"

#include <math.h>

#define STEP 1e-5
#define TOLERANCE 1e-6

GHashTable *
sonde_test_feeds_new (void)
{
  return g_hash_table_new_full (g_str_hash, g_str_equal, g_free,
                                (GDestroyNotify) sonde_tensor_unref);
}

void
sonde_test_feeds_set (GHashTable *feeds, const char *name, SondeTensor *tensor)
{
  g_hash_table_insert (feeds, g_strdup (name), sonde_tensor_ref (tensor));
}

static void
start_values (SondeGraph *graph, GHashTable *feeds, GHashTable *values)
{
  for (guint i = 0; i < graph->values->len; i++)
    {
      SondeGraphValue *value = graph->values->pdata[i];
      SondeTensor *tensor
          = value && value->producer == NULL ? g_hash_table_lookup (feeds, value->name) : NULL;

      if (tensor != NULL)
        g_hash_table_insert (values, value, sonde_value_new_tensor (tensor));
      else if (value != NULL && value->constant != NULL)
        g_hash_table_insert (values, value, sonde_value_ref (value->constant));
    }
}

static gboolean
run_node (SondeNode *node, GHashTable *values, GError **error)
{
  guint n = node->inputs->len, n_outputs = node->outputs->len;
  g_autofree SondeValue **inputs = g_new0 (SondeValue *, n + 1);
  g_autofree SondeValue **outputs = g_new0 (SondeValue *, n_outputs + 1);

  for (guint k = 0; k < n; k++)
    {
      SondeGraphValue *value = sonde_node_get_input (node, k);

      inputs[k] = value ? g_hash_table_lookup (values, value) : NULL;
      if (value != NULL && inputs[k] == NULL)
        {
          g_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_NOT_FOUND, "“%s” has no value",
                       value->name);
          return FALSE;
        }
    }
  if (!sonde_op_run_reference_values (node, inputs, n, 0, 0, outputs, n_outputs, error))
    return FALSE;
  for (guint k = 0; k < n_outputs; k++)
    if (outputs[k] != NULL)
      g_hash_table_insert (values, sonde_node_get_output (node, k), outputs[k]);
  return TRUE;
}

/* Those of @values that are tensors. */
static GHashTable *
take_tensors (GHashTable *values)
{
  GHashTable *tensors
      = g_hash_table_new_full (NULL, NULL, NULL, (GDestroyNotify) sonde_tensor_unref);
  GHashTableIter iter;
  gpointer key, value;

  g_hash_table_iter_init (&iter, values);
  while (g_hash_table_iter_next (&iter, &key, &value))
    if (sonde_value_get_tensor (value) != NULL)
      g_hash_table_insert (tensors, key, sonde_tensor_ref (sonde_value_get_tensor (value)));
  return tensors;
}

GHashTable *
sonde_test_evaluate (SondeGraph *graph, GHashTable *feeds, GError **error)
{
  g_autoptr (GHashTable) values
      = g_hash_table_new_full (NULL, NULL, NULL, (GDestroyNotify) sonde_value_unref);
  g_autoptr (GPtrArray) order = sonde_graph_sort (graph, error);

  if (order == NULL)
    return NULL;
  start_values (graph, feeds, values);
  for (guint i = 0; i < order->len; i++)
    if (!run_node (order->pdata[i], values, error))
      return NULL;
  return take_tensors (values);
}

/* ---- gradients ----------------------------------------------------------- */

static double
evaluate_target (SondeGraph *graph, GHashTable *feeds, SondeGraphValue *target)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GHashTable) values = sonde_test_evaluate (graph, feeds, &error);

  g_assert_no_error (error);
  return sonde_tensor_get_double (g_hash_table_lookup (values, target), 0);
}

/* Σ rₖ·yₖ over the float ones of @y */
static SondeGraphValue *
build_target (SondeGraph *graph, GHashTable *values, SondeGraphValue *const *y, guint n,
              guint64 seed)
{
  SondeGraphValue *target = NULL;

  for (guint k = 0; k < n; k++)
    {
      SondeTensor *tensor = g_hash_table_lookup (values, y[k]);
      g_autoptr (SondeTensor) random = NULL;
      SondeGraphValue *sum = NULL;

      if (!sonde_dtype_is_float (tensor->dtype))
        continue;
      random = sonde_test_tensor_random (tensor->dtype, &tensor->shape, seed + k, -1, 1);
      sum = sonde_build_binary (graph, "Mul", y[k], sonde_build_constant (graph, NULL, random));
      sum = sonde_build_unary (graph, "ReduceSum", sum);
      sonde_node_set_int (sum->producer, "keepdims", 0);
      g_assert_true (sonde_build_infer (graph, sum->producer, NULL));
      target = target ? sonde_build_binary (graph, "Add", target, sum) : sum;
    }
  return target;
}

static char *
check_input (SondeGraph *forward, GHashTable *feeds, SondeGraphValue *target, const char *name,
             SondeTensor *gradient)
{
  g_autoptr (SondeTensor) plain = sonde_tensor_ref (g_hash_table_lookup (feeds, name));
  gint64 n = sonde_tensor_n_elements (plain);
  char *problem = NULL;

  if (!sonde_shape_equal (&plain->shape, &gradient->shape))
    return g_strdup_printf ("grad(%s) does not have its shape", name);
  for (gint64 i = 0; i < n && problem == NULL; i++)
    {
      g_autoptr (SondeTensor) moved = sonde_tensor_copy (plain);
      double x = sonde_tensor_get_double (plain, i), got = sonde_tensor_get_double (gradient, i);
      double above, below, want;

      sonde_test_feeds_set (feeds, name, moved);
      sonde_tensor_set_double (moved, i, x + STEP);
      above = evaluate_target (forward, feeds, target);
      sonde_tensor_set_double (moved, i, x - STEP);
      below = evaluate_target (forward, feeds, target);
      want = (above - below) / (2 * STEP);
      if (!(fabs (got - want) <= TOLERANCE * fmax (1, fabs (want))))
        problem = g_strdup_printf ("grad(%s)[%" G_GINT64_FORMAT
                                   "] is %.9g, but the difference quotient %.9g",
                                   name, i, got, want);
    }
  sonde_test_feeds_set (feeds, name, plain);
  return problem;
}

/* The gradient of @target, which @graph has already, against differences. */
static char *
check_target (SondeGraph *graph, GHashTable *feeds, SondeGraphValue *target,
              const char *const *names, guint n)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeGraph) forward = sonde_graph_copy (graph, FALSE);
  g_autoptr (GHashTable) after = NULL;
  g_autofree SondeGraphValue **inputs = g_new0 (SondeGraphValue *, n);
  g_autofree SondeGraphValue **gradients = g_new0 (SondeGraphValue *, n);

  for (guint k = 0; k < n; k++)
    inputs[k] = sonde_graph_find_value (graph, names[k]);
  if (!sonde_pass_gradient (graph, target, NULL, inputs, n, gradients, &error)
      || (after = sonde_test_evaluate (graph, feeds, &error)) == NULL)
    return g_strdup (error->message);

  for (guint k = 0; k < n; k++)
    {
      char *problem = check_input (forward, feeds, sonde_graph_find_value (forward, target->name),
                                   names[k], g_hash_table_lookup (after, gradients[k]));

      if (problem != NULL)
        return problem;
    }
  return NULL;
}

char *
sonde_test_check_gradient (SondeGraph *graph, GHashTable *feeds, const char *const *names, guint n)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GHashTable) values = sonde_test_evaluate (graph, feeds, &error);

  if (values == NULL)
    return g_strdup (error->message);
  return check_target (graph, feeds,
                       build_target (graph, values,
                                     (SondeGraphValue *const *) graph->outputs->pdata,
                                     graph->outputs->len, 77),
                       names, n);
}

char *
sonde_test_check_second_gradient (SondeGraph *graph, GHashTable *feeds, const char *const *names,
                                  guint n)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GHashTable) values = sonde_test_evaluate (graph, feeds, &error);
  g_autofree SondeGraphValue **inputs = g_new0 (SondeGraphValue *, n);
  g_autofree SondeGraphValue **gradients = g_new0 (SondeGraphValue *, n);
  SondeGraphValue *target = NULL;

  if (values == NULL)
    return g_strdup (error->message);
  target = build_target (graph, values, (SondeGraphValue *const *) graph->outputs->pdata,
                         graph->outputs->len, 77);
  for (guint k = 0; k < n; k++)
    inputs[k] = sonde_graph_find_value (graph, names[k]);
  g_clear_pointer (&values, g_hash_table_unref);
  if (!sonde_pass_gradient (graph, target, NULL, inputs, n, gradients, &error)
      || (values = sonde_test_evaluate (graph, feeds, &error)) == NULL)
    return g_strdup (error->message);
  return check_target (graph, feeds, build_target (graph, values, gradients, n, 177), names, n);
}
