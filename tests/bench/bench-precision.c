/* SPDX-License-Identifier: Apache-2.0
 * Step time of trainings in bfloat16 beside float32, interleaved: minima in milliseconds and their
 * ratio, one and two threads. Arguments: model names; none: resnet20 and transformer-encoder. */
#include "engine/nn/sonde-trainer.h"
#include "engine/nn/sonde-zoo.h"

#define ROUNDS 12

/* Random numbers, always the same. */
typedef struct
{
  SondeBatchSource base;
  SondeTensor *input, *labels;
} Source;

static gboolean
load (SondeBatchSource *base, gboolean test, guint epoch, guint batch, SondeTensor **inputs,
      SondeTensor **labels, GError **error)
{
  Source *source = (Source *) base;

  inputs[0] = sonde_tensor_ref (source->input);
  *labels = sonde_tensor_ref (source->labels);
  return TRUE;
}

typedef struct
{
  const char *name;
  SondeZooInput input;
  guint batch;
} Case;

static const Case cases[] = {
  { "resnet20", { .channels = 3, .height = 32, .width = 32, .classes = 10 }, 64 },
  { "transformer-encoder", { .length = 64, .vocabulary = 1000, .classes = 10 }, 8 },
  { "lenet", { .channels = 1, .height = 28, .width = 28, .classes = 10 }, 64 },
  { "mlp", { .channels = 1, .height = 28, .width = 28, .classes = 10 }, 64 },
};

static void
fill (Source *source, const Case *c)
{
  g_autoptr (GRand) random = g_rand_new_with_seed (4);
  SondeShape labels = sonde_shape_make (1, (int) c->batch);
  SondeShape tokens = sonde_shape_make (2, (int) c->batch, c->input.length);
  SondeShape images
      = sonde_shape_make (4, (int) c->batch, c->input.channels, c->input.height, c->input.width);
  gboolean is_text = c->input.vocabulary > 0;

  source->base = (SondeBatchSource){ c->batch * 100000, 0, load };
  source->input = is_text ? sonde_tensor_new (SONDE_DTYPE_I64, &tokens)
                          : sonde_tensor_new (SONDE_DTYPE_F32, &images);
  source->labels = sonde_tensor_new (SONDE_DTYPE_I64, &labels);
  for (gint64 i = 0; i < sonde_tensor_n_elements (source->input); i++)
    sonde_tensor_set_double (source->input, i,
                             is_text ? g_rand_int_range (random, 0, c->input.vocabulary)
                                     : g_rand_double_range (random, -1, 1));
  for (guint i = 0; i < c->batch; i++)
    sonde_tensor_set_double (source->labels, i, g_rand_int_range (random, 0, c->input.classes));
}

static double
time_step (SondeTrainer *trainer)
{
  g_autoptr (GError) error = NULL;
  gint64 begin = g_get_monotonic_time ();

  if (sonde_trainer_run_step (trainer, &error) != SONDE_RUN_DONE)
    g_error ("%s", error->message);
  return (double) (g_get_monotonic_time () - begin) / 1e3;
}

static void
measure (const Case *c, int threads)
{
  static const SondeDtype precisions[] = { SONDE_DTYPE_F32, SONDE_DTYPE_BF16 };
  SondeTrainer *trainers[2];
  double best[2] = { G_MAXDOUBLE, G_MAXDOUBLE };
  Source source = { .input = NULL };

  fill (&source, c);
  for (guint i = 0; i < 2; i++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (SondeGraph) model = sonde_zoo_build_for (c->name, &c->input, 1, &error);
      SondeTrainerOptions options = { .learning_rate = 0.01,
                                      .momentum = 0.9,
                                      .steps = 1000000,
                                      .batch = c->batch,
                                      .threads = threads,
                                      .precision = precisions[i] };

      trainers[i]
          = model != NULL ? sonde_trainer_new (model, &source.base, &options, &error) : NULL;
      if (trainers[i] == NULL)
        g_error ("%s: %s", c->name, error->message);
      (void) time_step (trainers[i]);
    }
  for (guint round = 0; round < ROUNDS; round++)
    for (guint i = 0; i < 2; i++)
      best[i] = MIN (best[i], time_step (trainers[i]));

  g_print (
      "%-20s batch %3u, %d thread%s: f32 %8.2f ms, bf16 %8.2f ms, ratio %.3f; loss %.4f %.4f\n",
      c->name, c->batch, threads, threads == 1 ? " " : "s", best[0], best[1], best[1] / best[0],
      sonde_trainer_get_state (trainers[0])->loss, sonde_trainer_get_state (trainers[1])->loss);
  for (guint i = 0; i < 2; i++)
    sonde_trainer_free (trainers[i]);
  sonde_tensor_unref (source.input);
  sonde_tensor_unref (source.labels);
}

int
main (int argc, char **argv)
{
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    for (int threads = 1; threads <= 2; threads++)
      if (argc > 1 ? g_strv_contains ((const char *const *) argv + 1, cases[i].name) : i < 2)
        measure (&cases[i], threads);
  return 0;
}
