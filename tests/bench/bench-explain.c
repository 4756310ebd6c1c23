/* SPDX-License-Identifier: Apache-2.0
 * What maps cost beside the passes that they need: forward and backward of the bare engine at every
 * batch size, forward alone, and methods of the gradient and CAM families, in turns, the least of
 * all rounds, per picture and pass. Maps of the last layer are held against forward passes, the
 * others against forward and backward ones. On one thread the processor's time is taken.
 * bench-explain MODEL [--threads N] [--rounds N] [--only GLOB] */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "data/base/sonde-clock.h"
#include "data/models/sonde-model-file.h"
#include "engine/nn/sonde-grad.h"
#include "engine/plan/sonde-runner.h"
#include "explain/attribution/sonde-attribution-spec.h"

#define PICTURES 64

/* One thing that is timed. @best: ns a picture */
typedef struct
{
  char *name;
  double passes, best;
  gint64 batch;     /* of the bare engine; 0: @spec */
  gboolean forward; /* beside forward passes alone */
  SondeRunner *runner;
  SondeAttributionSpec *spec;
} Case;

static double
now (int threads)
{
  return threads == 1 ? (double) clock () * (1e9 / CLOCKS_PER_SEC)
                      : (double) sonde_clock_monotonic_ns (NULL);
}

static SondeTensor *
make_inputs (SondeGraph *graph)
{
  const SondeGraphValue *input = g_ptr_array_index (graph->inputs, 0);
  SondeShape shape
      = sonde_shape_make (4, PICTURES, (int) input->type.dims[1].size,
                          (int) input->type.dims[2].size, (int) input->type.dims[3].size);
  SondeTensor *inputs = sonde_tensor_new (SONDE_DTYPE_F32, &shape);

  for (gint64 i = 0; i < sonde_tensor_n_elements (inputs); i++)
    ((float *) (void *) inputs->data)[i] = (float) ((i * 2654435761u >> 8) % 2001) / 1000.0f - 1.0f;
  return inputs;
}

static SondeTensor *
view_rows (SondeTensor *tensor, gint64 first, gint64 n)
{
  SondeShape shape = tensor->shape;

  shape.dims[0] = n;
  return sonde_tensor_view (tensor, &shape, tensor->strides, first * tensor->strides[0]);
}

/* All pictures in batches of the case. */
static void
run_engine (Case *one, SondeGraph *graph, SondeTensor *inputs, SondeTensor *seeds,
            const char *seed_name)
{
  const char *names[]
      = { ((SondeGraphValue *) g_ptr_array_index (graph->inputs, 0))->name, seed_name };
  g_autoptr (GError) error = NULL;

  for (gint64 done = 0; done < PICTURES; done += one->batch)
    {
      g_autoptr (SondeTensor) rows = view_rows (inputs, done, one->batch),
                              seed = view_rows (seeds, done, one->batch);
      g_autoptr (SondeTensor) result = NULL;
      SondeValue *values[] = { sonde_value_new_tensor (rows), sonde_value_new_tensor (seed) };
      SondeExecution *execution
          = sonde_runner_prepare (one->runner, names, values, seed_name != NULL ? 2 : 1, &error);

      if (execution == NULL || sonde_execution_run (execution, &error) != SONDE_RUN_DONE)
        g_error ("%s: %s", one->name, error->message);
      result = sonde_execution_read (
          execution,
          g_ptr_array_index (sonde_plan_get_graph (sonde_execution_get_plan (execution))->outputs,
                             0),
          &error);
      sonde_value_unref (values[0]);
      sonde_value_unref (values[1]);
    }
}

static void
run_method (Case *one, SondeExplainer *explainer, SondeTensor *inputs, SondeTensor *targets)
{
  SondeAttributionRequest request = { .inputs = inputs, .targets = targets, .spec = one->spec };
  g_auto (SondeAttributionResult) result = { 0 };
  g_autoptr (GError) error = NULL;

  if (!sonde_attribution_compute (explainer, &request, &result, &error))
    g_error ("%s: %s", one->name, error->message);
}

static void
add_engine (GArray *cases, SondeGraph *graph, SondeDevice *device, const char *what)
{
  for (gint64 batch = 1; batch <= PICTURES; batch *= 2)
    {
      Case one = { .name = g_strdup_printf ("%s, batch %d", what, (int) batch),
                   .passes = 1,
                   .best = 1e30,
                   .batch = batch,
                   .runner = sonde_runner_new (graph, device, NULL, 1) };

      g_array_append_val (cases, one);
    }
}

static void
add_method (GArray *cases, const char *text, double passes, gboolean forward)
{
  g_autoptr (GError) error = NULL;
  Case one = { .name = g_strdup (text),
               .passes = passes,
               .best = 1e30,
               .forward = forward,
               .spec = sonde_attribution_spec_parse (text, &error) };

  if (one.spec == NULL)
    g_error ("%s", error->message);
  g_array_append_val (cases, one);
}

int
main (int argc, char **argv)
{
  static const struct
  {
    const char *spec;
    double passes;
    gboolean forward;
  } methods[] = {
    { "saliency", 1 },
    { "input-x-gradient", 1 },
    { "guided-backprop", 1 },
    { "deconvolution", 1 },
    { "deeplift", 1 },
    { "lrp", 1 },
    { "lrp:rule=epsilon", 1 },
    { "integrated-gradients:steps=50", 50 },
    { "smoothgrad:samples=32", 32 },
    { "gradcam", 1, TRUE },
    { "gradcam++", 1, TRUE },
    { "layercam", 1, TRUE },
    { "hirescam", 1, TRUE },
    { "eigencam", 1, TRUE },
  };
  const char *only = NULL;
  int threads = 1, rounds = 5;
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeGraph) model = NULL, prepared = NULL, gradient = NULL;
  g_autoptr (SondeDevice) device = NULL;
  g_autoptr (SondeExplainer) explainer = NULL;
  g_autoptr (SondeTensor) inputs = NULL, seeds = NULL, targets = NULL;
  g_autoptr (GArray) cases = g_array_new (FALSE, FALSE, sizeof (Case));
  g_autofree char *seed_name = NULL;
  double best[2] = { 1e30, 1e30 };
  SondeShape shape;
  guint n_forward;

  if (argc < 2)
    return fprintf (stderr,
                    "usage: bench-explain MODEL [--threads N] [--rounds N] [--only GLOB]\n"),
           2;
  for (int i = 2; i + 1 < argc; i += 2)
    if (strcmp (argv[i], "--only") == 0)
      only = argv[i + 1];
    else
      *(strcmp (argv[i], "--threads") == 0 ? &threads : &rounds) = atoi (argv[i + 1]);
  model = sonde_model_load (NULL, argv[1], &error);
  prepared = model != NULL ? sonde_prepare_inference (model, &error) : NULL;
  gradient = prepared != NULL ? sonde_grad (prepared, &SONDE_POSITION (0), 1, &SONDE_POSITION (0),
                                            1, &(SondeGradOptions){ .give_seeds = TRUE }, &error)
                              : NULL;
  device = gradient != NULL ? sonde_device_open ("cpu", threads, &error) : NULL;
  explainer = device != NULL ? sonde_explainer_new (model, "cpu", threads, &error) : NULL;
  if (explainer == NULL)
    g_error ("%s", error->message);
  inputs = make_inputs (prepared);
  shape = sonde_shape_make (2, PICTURES,
                            (int) sonde_explainer_get_n_classes (explainer, inputs, &error));
  seeds = sonde_tensor_new (SONDE_DTYPE_F32, &shape);
  for (gint64 i = 0; i < PICTURES; i++)
    ((float *) (void *) seeds->data)[i * shape.dims[1]] = 1;
  shape.rank = 1;
  targets = sonde_tensor_new (SONDE_DTYPE_I64, &shape);
  seed_name = g_strdup_printf (
      "seed(%s)", ((SondeGraphValue *) g_ptr_array_index (prepared->outputs, 0))->name);
  add_engine (cases, prepared, device, "forward");
  n_forward = cases->len;
  add_engine (cases, gradient, device, "forward and backward");
  for (gsize k = 0; k < G_N_ELEMENTS (methods); k++)
    if (only == NULL || g_pattern_match_simple (only, methods[k].spec))
      add_method (cases, methods[k].spec, methods[k].passes, methods[k].forward);
  for (int round = 0; round <= rounds; round++)
    for (guint k = 0; k < cases->len; k++)
      {
        Case *one = &g_array_index (cases, Case, k);
        double started = now (threads);

        if (one->batch == 0)
          run_method (one, explainer, inputs, targets);
        else
          run_engine (one, k < n_forward ? prepared : gradient, inputs, seeds,
                      k < n_forward ? NULL : seed_name);
        if (round > 0) /* the first plans */
          one->best = MIN (one->best, (now (threads) - started) / PICTURES / one->passes);
      }
  for (guint k = 0; k < cases->len; k++)
    if (g_array_index (cases, Case, k).batch > 0)
      best[k >= n_forward] = MIN (best[k >= n_forward], g_array_index (cases, Case, k).best);
  printf ("batches chosen: %d forward, %d forward and backward\n",
          (int) sonde_explainer_get_batch (explainer, inputs, FALSE),
          (int) sonde_explainer_get_batch (explainer, inputs, TRUE));
  for (guint k = 0; k < cases->len; k++)
    {
      Case *one = &g_array_index (cases, Case, k);

      printf ("%-32s %9.1f us a pass  %5.2f\n", one->name, one->best / 1e3,
              one->best / best[k >= n_forward && !one->forward]);
      g_free (one->name);
      sonde_runner_free (one->runner);
      sonde_attribution_spec_free (one->spec);
    }
  return 0;
}
