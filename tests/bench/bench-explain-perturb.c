/* SPDX-License-Identifier: Apache-2.0
 * What explanations of changed pictures cost beside the passes that they need: time of a method
 * over passes × the time of one forward row at the best batch. On one thread, in processor time, so
 * that a busy machine tells the same; interleaved; the least of all rounds.
 * bench-explain-perturb [MODEL.onnx of pictures 3×32×32] */
#include "data/base/sonde-random.h"
#include "data/models/sonde-model-file.h"
#include "engine/nn/sonde-zoo.h"
#include "engine/plan/sonde-runner.h"
#include "explain/attribution/sonde-attribution-spec.h"
#include "explain/counterfactual/sonde-occlusion-settings.h"
#include "explain/metrics/sonde-deletion.h"
#include "explain/metrics/sonde-map-order.h"
#include "explain/sonde-network-score.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#define ROUNDS 5
#define PICTURES 2

static const gint64 batches[] = { 1, 4, 8, 16, 32, 64, 128 };

/* Passes; the others are one a row. */
static const struct
{
  const char *spec;
  gint64 passes;
} methods[] = {
  { "occlusion:window=4x4:stride=2x2", 226 },
  { "rise:samples=256", 257 },
  { "feature-ablation:grid=8x8", 65 },
  { "shapley:grid=2x3", 64 },
  { "kernelshap:grid=8x8:samples=256", 258 },
  { "lime:grid=8x8:samples=256", 258 },
  { "scorecam", 0 },
};

static double
now (void)
{
  struct timespec time;

  clock_gettime (CLOCK_PROCESS_CPUTIME_ID, &time);
  return (double) time.tv_sec * 1e9 + (double) time.tv_nsec;
}

static SondeTensor *
make_pictures (gint64 n, gint64 side)
{
  SondeShape shape = sonde_shape_make (4, n, 3, side, side);
  SondeTensor *pictures = sonde_tensor_new (SONDE_DTYPE_F32, &shape);

  for (gint64 i = 0; i < sonde_tensor_n_elements (pictures); i++)
    ((float *) (void *) pictures->data)[i] = (float) sonde_random_normal (1, 2, (guint64) i);
  return pictures;
}

/* ns a row of a forward pass of @inputs. */
static double
time_forward (SondeRunner *runner, const char *name, SondeTensor *inputs)
{
  g_autoptr (SondeValue) value = sonde_value_new_tensor (inputs);
  SondeExecution *execution = sonde_runner_prepare (runner, &name, &value, 1, NULL);
  double started;

  sonde_execution_run (execution, NULL);
  started = now ();
  sonde_execution_run (execution, NULL);
  return (now () - started) / (double) inputs->shape.dims[0];
}

static double
time_method (SondeExplainer *explainer, SondeTensor *inputs, SondeTensor *targets, const char *spec)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeAttributionSpec) parsed = sonde_attribution_spec_parse (spec, &error);
  g_auto (SondeAttributionResult) result = { 0 };
  SondeAttributionRequest request = { .inputs = inputs, .targets = targets, .spec = parsed };
  double started = now ();

  if (!sonde_attribution_compute (explainer, &request, &result, &error))
    g_error ("%s: %s", spec, error->message);
  return (now () - started);
}

/* The two that ask for scores themselves. @passes: (out): rows that they needed */
typedef double (*TimeAsker) (SondeExplainer *explainer, SondeTensor *picture, gint64 *passes);

static double
time_deletion (SondeExplainer *explainer, SondeTensor *picture, gint64 *passes)
{
  SondeNetworkScore score = { .explainer = explainer, .batch = 32 };
  SondeShape plane = sonde_shape_make (2, picture->shape.dims[1], picture->shape.dims[2]);
  g_autoptr (SondeTensor) base = sonde_tensor_new (SONDE_DTYPE_F32, &picture->shape),
                          map = sonde_tensor_new (SONDE_DTYPE_F32, &plane);
  g_autofree guint *order = NULL;
  double curve[65], started;

  memcpy (map->data, picture->data, sonde_tensor_n_bytes (map));
  order = sonde_map_order (map);
  started = now ();
  sonde_deletion_curve (picture, base, order, 64, sonde_network_score, &score, curve, NULL);
  *passes = (gint64) score.n_rows;
  return now () - started;
}

/* Down to a third of the picture's score. */
static double
time_hoc (SondeExplainer *explainer, SondeTensor *picture, gint64 *passes)
{
  SondeNetworkScore score = { .explainer = explainer };
  g_autoptr (GError) error = NULL;
  double threshold = 0, started, spent;
  SondeOcclusionSettings settings = { .goal = SONDE_OCCLUSION_DESTROY,
                                      .n_layers = 3,
                                      .windows = { 16, 8, 4 },
                                      .strides = { 3, 1, 1 },
                                      .thresholds = &threshold,
                                      .n_thresholds = 1 };
  SondeShape shape = sonde_shape_make (4, 1, picture->shape.dims[0], picture->shape.dims[1],
                                       picture->shape.dims[2]);
  g_autoptr (SondeTensor) mask = sonde_occlusion_mask_new ("auto", picture, NULL, &error),
                          one = sonde_tensor_reshape (picture, &shape);
  g_autoptr (GPtrArray) results = NULL;

  sonde_network_score (one, &threshold, &score, &error);
  threshold /= 3;
  score.n_rows = 0;
  started = now ();
  results = sonde_hierarchical_occlusion_run (picture, mask, &settings, sonde_network_score, &score,
                                              &error);
  spent = now () - started;
  if (results == NULL)
    g_error ("%s", error->message);
  *passes = (gint64) score.n_rows;
  return spent;
}

static const struct
{
  const char *name;
  TimeAsker time;
} askers[] = { { "deletion curve", time_deletion }, { "hierarchical occlusion", time_hoc } };

static void
measure_askers (SondeExplainer *explainer, SondeTensor *pictures, double row)
{
  SondeShape shape = sonde_shape_make (3, pictures->shape.dims[1], pictures->shape.dims[2],
                                       pictures->shape.dims[3]);
  SondeShape one = pictures->shape;
  g_autoptr (SondeTensor) first = NULL, picture = NULL;

  one.dims[0] = 1;
  first = sonde_tensor_view (pictures, &one, pictures->strides, 0);
  picture = sonde_tensor_reshape (first, &shape);
  for (gsize k = 0; k < G_N_ELEMENTS (askers); k++)
    {
      double best = G_MAXDOUBLE;
      gint64 passes = 0;

      for (int round = -1; round < ROUNDS; round++)
        {
          double ns = askers[k].time (explainer, picture, &passes);

          best = round >= 0 ? MIN (best, ns) : best;
        }
      printf ("%-36s %5d passes  %8.2f ms  %.3f x passes x forward\n", askers[k].name, (int) passes,
              best * 1e-6, best / ((double) passes * row));
    }
}

static void
measure (SondeGraph *model)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeExplainer) explainer = sonde_explainer_new (model, "cpu", 1, &error);
  g_autoptr (SondeGraph) prepared = sonde_prepare_inference (model, &error);
  SondeDevice *device = sonde_device_open ("cpu", 1, &error);
  g_autoptr (SondeRunner) runner
      = sonde_runner_new (prepared, device, NULL, G_N_ELEMENTS (batches));
  SondeGraphValue *input = g_ptr_array_index (prepared->inputs, 0);
  g_autoptr (SondeTensor) pictures = make_pictures (PICTURES, 32), targets = NULL;
  SondeShape shape = sonde_shape_make (1, PICTURES);
  double row = G_MAXDOUBLE, times[G_N_ELEMENTS (methods)];
  gint64 best = 0;

  targets = sonde_tensor_new (SONDE_DTYPE_I64, &shape);
  for (gsize m = 0; m < G_N_ELEMENTS (methods); m++)
    times[m] = G_MAXDOUBLE;
  for (int round = -1; round < ROUNDS; round++)
    {
      for (gsize b = 0; b < G_N_ELEMENTS (batches); b++)
        {
          g_autoptr (SondeTensor) inputs = make_pictures (batches[b], 32);
          double ns = time_forward (runner, input->name, inputs);

          best = round >= 0 && ns < row ? batches[b] : best;
          row = round >= 0 ? MIN (row, ns) : row;
        }
      for (gsize m = 0; m < G_N_ELEMENTS (methods); m++)
        {
          double ns = time_method (explainer, pictures, targets, methods[m].spec);

          times[m] = round >= 0 ? MIN (times[m], ns) : times[m];
        }
    }
  printf ("forward: %.0f us a row at batch %d (ours: %d)\n", row * 1e-3, (int) best,
          (int) sonde_explainer_get_batch (explainer, pictures, FALSE));
  for (gsize m = 0; m < G_N_ELEMENTS (methods); m++)
    if (methods[m].passes > 0)
      printf ("%-36s %5d passes  %8.2f ms  %.3f x passes x forward\n", methods[m].spec,
              (int) methods[m].passes * PICTURES, times[m] * 1e-6,
              times[m] / ((double) (methods[m].passes * PICTURES) * row));
    else
      printf ("%-36s               %8.2f ms\n", methods[m].spec, times[m] * 1e-6);
  measure_askers (explainer, pictures, row);
  sonde_device_unref (device);
}

int
main (int argc, char *argv[])
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeGraph) model = NULL;

  model = argc > 1 ? sonde_model_load (NULL, argv[1], &error)
                   : sonde_zoo_build ("resnet20", 3, 32, 32, 10, 1, &error);
  if (model == NULL)
    g_error ("%s", error->message);
  measure (model);
  return 0;
}
