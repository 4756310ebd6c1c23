/* SPDX-License-Identifier: Apache-2.0
 * A physics-informed net: u'' = −π²·sin (π·x) on [0, 1], u (0) = u (1) = 0, solved without data.
 * The net's second derivative by its input is a graph like any other; training differentiates it a
 * third time, by the weights.
 *
 *   physics-informed      prints the equation's residual as it falls and the error against u = sin
 *   (π·x) */
#include <locale.h>
#include <math.h>

#include "engine/nn/sonde-grad.h"
#include "engine/nn/sonde-layers.h"
#include "engine/nn/sonde-trainer.h"

#define N_POINTS 64
#define HIDDEN 20
#define N_STEPS 1500
#define LARGEST_ERROR 0.01

/* u (x) = x·(1 − x)·net (x) keeps both ends at 0. x, u: [N, 1] */
static SondeGraph *
build_solution (GError **error)
{
  SondeLayers *layers = sonde_layers_new ("poisson", 1);
  SondeGraphValue *x = sonde_layers_input (layers, "x", SONDE_DTYPE_F32, 2, (gint64[]){ -1, 1 }),
                  *net, *ends;
  SondeDense hidden = { .outputs = HIDDEN, .weight_initialiser = "xavier-normal:gain=1.7" };

  net = sonde_layers_dense (layers, "fc1", x, &hidden);
  net = sonde_layers_activation (layers, "tanh1", net, "tanh");
  net = sonde_layers_dense (layers, "fc2", net, &hidden);
  net = sonde_layers_activation (layers, "tanh2", net, "tanh");
  net = sonde_layers_dense (layers, "fc3", net, &(SondeDense){ .outputs = 1 });
  ends = sonde_layers_node (layers, "square", "Mul", 2, (SondeGraphValue *[]){ x, x }, 1);
  ends = sonde_layers_node (layers, "ends", "Sub", 2, (SondeGraphValue *[]){ x, ends }, 1);
  sonde_layers_output (
      layers, "u",
      sonde_layers_node (layers, "product", "Mul", 2, (SondeGraphValue *[]){ ends, net }, 1));
  return sonde_layers_finish (layers, error);
}

/* A graph of u, its second derivative, and "loss" = mean (u'' + f)², with f a further input. Each u
 * depends on its own x alone, so the gradient of their sum is the derivative at each point. */
static SondeGraph *
build_equation (GError **error)
{
  const SondeType column = { .kind = SONDE_VALUE_TENSOR,
                             .dtype = SONDE_DTYPE_F32,
                             .rank = 2,
                             .dims = { { -1, "N" }, { 1, NULL } } };
  SondeGradOptions options = { .auxiliary = &SONDE_VALUE ("u"), .n_auxiliary = 1 };
  g_autoptr (SondeGraph) u = build_solution (error);
  g_autoptr (SondeGraph) slope = NULL, graph = NULL;
  SondeGraphValue *residual, *loss;

  if (u != NULL)
    slope = sonde_grad (u, &SONDE_VALUE ("u"), 1, &SONDE_VALUE ("x"), 1, &options, error);
  if (slope != NULL)
    graph = sonde_grad (slope, &SONDE_POSITION (0), 1, &SONDE_VALUE ("x"), 1, &options, error);
  if (graph == NULL)
    return NULL;
  residual = sonde_build_binary (graph, "Add", graph->outputs->pdata[0],
                                 sonde_graph_add_input (graph, "f", &column));
  loss = sonde_build_unary (graph, "ReduceMean",
                            sonde_build_binary (graph, "Mul", residual, residual));
  sonde_node_set_int (loss->producer, "keepdims", 0);
  sonde_graph_rename_value (graph, loss, "loss");
  sonde_graph_add_output (graph, loss);
  return g_steal_pointer (&graph);
}

/* The same points in every step: x in the middle of N_POINTS parts, f = π²·sin (π·x). */
static gboolean
load (SondeBatchSource *source, gboolean test, guint epoch, guint batch, SondeTensor **inputs,
      SondeTensor **labels, GError **error)
{
  const SondeShape column = sonde_shape_make (2, N_POINTS, 1);

  inputs[0] = sonde_tensor_new (SONDE_DTYPE_F32, &column);
  inputs[1] = sonde_tensor_new (SONDE_DTYPE_F32, &column);
  for (guint i = 0; i < N_POINTS; i++)
    {
      double x = (i + 0.5) / N_POINTS;

      sonde_tensor_set_double (inputs[0], i, x);
      sonde_tensor_set_double (inputs[1], i, G_PI * G_PI * sin (G_PI * x));
    }
  return TRUE;
}

static SondeAnswer
print_step (SondeTrainerListener *listener, SondeTrainer *trainer)
{
  const SondeTrainerState *state = sonde_trainer_get_state (trainer);

  if (state->step % 250 == 0)
    g_print ("step %4" G_GUINT64_FORMAT "  mean square of the residual %.3g\n", state->step,
             state->loss);
  return SONDE_ANSWER_CONTINUE;
}

/* Largest distance of the last step's u from sin (π·x); NAN with @error. */
static double
measure_error (SondeTrainer *trainer, GError **error)
{
  SondeExecution *execution = sonde_trainer_get_execution (trainer);
  SondeGraphValue *value
      = sonde_graph_find_value (sonde_plan_get_graph (sonde_execution_get_plan (execution)), "u");
  g_autoptr (SondeTensor) u = sonde_execution_read (execution, value, error);
  double largest = u != NULL ? 0 : NAN;

  for (guint i = 0; u != NULL && i < N_POINTS; i++)
    largest
        = fmax (largest, fabs (sonde_tensor_get_double (u, i) - sin (G_PI * (i + 0.5) / N_POINTS)));
  return largest;
}

int
main (void)
{
  SondeTrainerOptions options = { .loss = "output:loss",
                                  .optimiser = "adam",
                                  .learning_rate = 0.01,
                                  .schedule = "cosine",
                                  .steps = N_STEPS,
                                  .batch = N_POINTS,
                                  .seed = 1 };
  SondeBatchSource source = { N_POINTS, 0, load };
  SondeTrainerListener listener = { .step_done = print_step };
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeGraph) equation = NULL;
  g_autoptr (SondeTrainer) trainer = NULL;
  double largest = NAN;

  setlocale (LC_ALL, "");
  equation = build_equation (&error);
  trainer = equation != NULL ? sonde_trainer_new (equation, &source, &options, &error) : NULL;
  if (trainer != NULL)
    sonde_trainer_set_listener (trainer, &listener);
  if (trainer != NULL && sonde_trainer_run (trainer, &error) == SONDE_RUN_DONE)
    largest = measure_error (trainer, &error);
  if (error != NULL)
    return g_printerr ("%s\n", error->message), 1;
  g_print ("largest error %.2g\n", largest);
  return largest < LARGEST_ERROR ? 0 : 1;
}
