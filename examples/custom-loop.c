/* SPDX-License-Identifier: Apache-2.0
 * A training loop of your own: a small net learns which of two spirals a point lies on. The graph
 * of loss and gradients comes from sonde_value_and_grad(); what happens to the parameters is plain
 * C below.
 *
 *   custom-loop      prints the loss as it falls, ends with status 1 when it did not */
#include <locale.h>
#include <math.h>

#include "engine/nn/sonde-grad.h"
#include "engine/nn/sonde-layers.h"
#include "engine/nn/sonde-loss.h"

#define N_POINTS 200
#define HIDDEN 32
#define N_STEPS 500
#define LEARNING_RATE 1.0

static const char *const parameters[]
    = { "fc1.weight", "fc1.bias", "fc2.weight", "fc2.bias", "fc3.weight", "fc3.bias" };

/* x [N, 2] -> dense, tanh, dense, tanh, dense [N, 1]; "loss" against "labels" [N, 1] */
static SondeGraph *
build_net (GError **error)
{
  SondeLayers *layers = sonde_layers_new ("spirals", 1);
  SondeGraphValue *x = sonde_layers_input (layers, "x", SONDE_DTYPE_F32, 2, (gint64[]){ -1, 2 });
  SondeGraphValue *labels
      = sonde_layers_input (layers, "labels", SONDE_DTYPE_F32, 2, (gint64[]){ -1, 1 });
  g_autoptr (SondeLoss) loss = sonde_loss_new ("bce", NULL, error);

  x = sonde_layers_dense (layers, "fc1", x, &(SondeDense){ .outputs = HIDDEN });
  x = sonde_layers_activation (layers, "tanh1", x, "tanh");
  x = sonde_layers_dense (layers, "fc2", x, &(SondeDense){ .outputs = HIDDEN });
  x = sonde_layers_activation (layers, "tanh2", x, "tanh");
  x = sonde_layers_dense (layers, "fc3", x, &(SondeDense){ .outputs = 1 });
  if (x != NULL)
    sonde_layers_output (layers, "loss",
                         sonde_loss_build (loss, sonde_layers_get_graph (layers), x, labels, NULL));
  return sonde_layers_finish (layers, error);
}

/* Two arms, half a turn apart. */
static void
make_points (SondeTensor *x, SondeTensor *labels)
{
  for (guint i = 0; i < N_POINTS; i++)
    {
      double radius = 0.2 + 1.8 * (i / 2) / (N_POINTS / 2), angle = 2.5 * radius + (i % 2) * G_PI;

      sonde_tensor_set_double (x, 2 * i, radius * cos (angle));
      sonde_tensor_set_double (x, 2 * i + 1, radius * sin (angle));
      sonde_tensor_set_double (labels, i, i % 2);
    }
}

/* p = p − η·g */
static gboolean
update (SondeExecution *execution, SondeGraphValue *parameter, SondeGraphValue *gradient,
        GError **error)
{
  g_autoptr (SondeTensor) p = sonde_execution_read (execution, parameter, error);
  g_autoptr (SondeTensor) g = p != NULL ? sonde_execution_read (execution, gradient, error) : NULL;

  if (g == NULL)
    return FALSE;
  for (gint64 i = 0; i < sonde_tensor_n_elements (p); i++)
    sonde_tensor_set_double (
        p, i, sonde_tensor_get_double (p, i) - LEARNING_RATE * sonde_tensor_get_double (g, i));
  return sonde_execution_write (execution, parameter, p, error);
}

/* The graph's outputs are the loss, then the gradients. */
static gboolean
train (SondeExecution *execution, double *loss, GError **error)
{
  SondeGraph *graph = sonde_plan_get_graph (sonde_execution_get_plan (execution));

  for (guint step = 0; step <= N_STEPS; step++)
    {
      g_autoptr (SondeTensor) value = NULL;

      if (sonde_execution_run (execution, error) == SONDE_RUN_DONE)
        value = sonde_execution_read (execution, graph->outputs->pdata[0], error);
      if (value == NULL)
        return FALSE;
      *loss = sonde_tensor_get_double (value, 0);
      if (step % 100 == 0)
        g_print ("step %3u  loss %.4f\n", step, *loss);
      for (guint k = 0; k < G_N_ELEMENTS (parameters); k++)
        if (!update (execution, sonde_graph_find_value (graph, parameters[k]),
                     graph->outputs->pdata[1 + k], error))
          return FALSE;
    }
  return TRUE;
}

/* The graph of loss and gradients, planned for all points at once. */
static SondeExecution *
prepare (SondeTensor *x, SondeTensor *labels, GError **error)
{
  g_autoptr (SondeGraph) net = build_net (error);
  g_autoptr (SondeDevice) device = sonde_device_open ("cpu", 0, error);
  SondeBinding bindings[] = { { "x", sonde_type_tensor (SONDE_DTYPE_F32, &x->shape) },
                              { "labels", sonde_type_tensor (SONDE_DTYPE_F32, &labels->shape) } };
  SondePlanOptions options = { .bindings = bindings, .n_bindings = G_N_ELEMENTS (bindings) };
  SondeValueRef wanted[G_N_ELEMENTS (parameters)];
  g_autoptr (SondeGraph) graph = NULL;
  g_autoptr (SondePlan) plan = NULL;
  g_autoptr (SondeExecution) execution = NULL;

  for (guint k = 0; k < G_N_ELEMENTS (parameters); k++)
    wanted[k] = SONDE_VALUE (parameters[k]);
  if (net != NULL && device != NULL)
    graph = sonde_value_and_grad (net, &SONDE_VALUE ("loss"), 1, wanted, G_N_ELEMENTS (wanted),
                                  NULL, error);
  plan = graph != NULL ? sonde_plan_new (graph, device, &options, error) : NULL;
  execution = plan != NULL ? sonde_execution_new (plan, error) : NULL;
  if (execution == NULL || !sonde_execution_set_input (execution, "x", x, error)
      || !sonde_execution_set_input (execution, "labels", labels, error))
    return NULL;
  return g_steal_pointer (&execution);
}

int
main (void)
{
  const SondeShape points = sonde_shape_make (2, N_POINTS, 2),
                   column = sonde_shape_make (2, N_POINTS, 1);
  g_autoptr (SondeTensor) x = sonde_tensor_new (SONDE_DTYPE_F32, &points);
  g_autoptr (SondeTensor) labels = sonde_tensor_new (SONDE_DTYPE_F32, &column);
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeExecution) execution = NULL;
  double loss = NAN;

  setlocale (LC_ALL, "");
  make_points (x, labels);
  execution = prepare (x, labels, &error);
  if (execution == NULL || !train (execution, &loss, &error))
    return g_printerr ("%s\n", error->message), 1;
  return loss < 0.1 ? 0 : 1;
}
