/* SPDX-License-Identifier: Apache-2.0
 * What recording costs a training of LeNet, with the default policy: milliseconds a step with and
 * without, taken in turns on the same trainer; by the clock, and of processor time, the writing
 * thread's included (on a busy machine only that means something, and only with one thread). Usage:
 * bench-recording [THREADS] */
#include <glib/gstdio.h>
#include <stdlib.h>
#include <sys/resource.h>

#include "collector/taps/sonde-training-tap.h"
#include "engine/nn/sonde-zoo.h"

#define BATCH 64
#define STEPS 200 /* of one turn */
#define TURNS 8   /* of each kind */
#define EVERY 10
#define PER_SECOND 20

typedef struct
{
  SondeBatchSource base;
  SondeTensor *images, *labels;
} Source;

/* @tap: (nullable): of this turn */
typedef struct
{
  SondeTrainerListener base;
  SondeTrainingTap *tap;
  guint left;
} Listener;

static gboolean
load (SondeBatchSource *base, gboolean test, guint epoch, guint batch, SondeTensor **inputs,
      SondeTensor **labels, GError **error)
{
  Source *source = (Source *) base;

  inputs[0] = sonde_tensor_ref (source->images);
  *labels = sonde_tensor_ref (source->labels);
  return TRUE;
}

static gboolean
get_sample (SondeTapSamples *base, guint index, SondeImage **image, SondeSampleNote *note)
{
  *image = sonde_image_new (28, 28, 1);
  note->label = (int) index;
  return TRUE;
}

static SondeAnswer
step_done (SondeTrainerListener *base, SondeTrainer *trainer)
{
  Listener *listener = (Listener *) base;

  if (listener->tap != NULL)
    sonde_training_tap_step_done (listener->tap);
  return --listener->left == 0 ? SONDE_ANSWER_PAUSE : SONDE_ANSWER_CONTINUE;
}

static void
fail (GError *error)
{
  g_printerr ("%s\n", error->message);
  exit (1);
}

/* Milliseconds a step. */
typedef struct
{
  double clock, processor;
} Cost;

static double
processor_ms (void)
{
  struct rusage usage;

  getrusage (RUSAGE_SELF, &usage);
  return (double) (usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1e3
         + (double) (usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e3;
}

static Cost
turn (SondeTrainer *trainer, Listener *listener, SondeSummaryWriter *writer,
      SondeTapSamples *samples)
{
  const double processor = processor_ms ();
  const SondeTrainingTapOptions options = {
    .every = EVERY, .per_second = PER_SECOND, .histograms = TRUE, .images = TRUE, .samples = samples
  };
  gint64 before = sonde_trainer_get_state (trainer)->training_ns;
  g_autoptr (GError) error = NULL;

  listener->tap = writer != NULL ? sonde_training_tap_new (trainer, writer, &options) : NULL;
  sonde_trainer_refresh_observers (trainer);
  listener->left = STEPS;
  if (sonde_trainer_run (trainer, &error) == SONDE_RUN_FAILED)
    fail (error);
  g_clear_pointer (&listener->tap, sonde_training_tap_free);
  if (writer != NULL)
    sonde_summary_writer_flush (writer);
  return (Cost){ (double) (sonde_trainer_get_state (trainer)->training_ns - before) / 1e6 / STEPS,
                 (processor_ms () - processor) / STEPS };
}

static int
compare (const void *a, const void *b)
{
  return (*(const double *) a > *(const double *) b) - (*(const double *) a < *(const double *) b);
}

static double
median (double *values)
{
  qsort (values, TURNS, sizeof *values, compare);
  return (values[TURNS / 2 - 1] + values[TURNS / 2]) / 2;
}

int
main (int argc, char *argv[])
{
  const SondeShape shape = sonde_shape_make (4, BATCH, 1, 28, 28),
                   flat = sonde_shape_make (1, BATCH);
  SondeTrainerOptions options = { .loss = "cross-entropy",
                                  .optimiser = "sgd",
                                  .learning_rate = 0.01,
                                  .momentum = 0.9,
                                  .steps = 1000000,
                                  .batch = BATCH,
                                  .threads = argc > 1 ? atoi (argv[1]) : 2 };
  Source source = { { .n_samples = BATCH * 100000, .load = load } };
  SondeTapSamples samples = { get_sample };
  Listener listener = { { .step_done = step_done } };
  g_autofree char *run = g_dir_make_tmp ("sonde-bench-recording-XXXXXX", NULL);
  g_autofree char *records = g_build_filename (run, "records", NULL);
  double with[2][TURNS], without[2][TURNS];
  const char *const kinds[] = { "clock", "processor" };
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeGraph) model = sonde_zoo_build ("lenet", 1, 28, 28, 10, 1, &error);
  g_autoptr (SondeTrainer) trainer = NULL;
  SondeSummaryWriter *writer;

  source.images = sonde_tensor_new (SONDE_DTYPE_F32, &shape);
  source.labels = sonde_tensor_new (SONDE_DTYPE_I64, &flat);
  for (gint64 i = 0; i < BATCH; i++)
    sonde_tensor_set_double (source.labels, i, (double) (i % 10));
  for (gint64 i = 0; i < BATCH * 784; i++)
    sonde_tensor_set_double (source.images, i,
                             (double) ((i * 31 + (i / 784 % 10) * (i % 784)) % 256) / 256);
  if (model == NULL
      || (trainer = sonde_trainer_new (model, &source.base, &options, &error)) == NULL)
    fail (error);
  writer = sonde_summary_writer_open (run, NULL, &error);
  if (writer == NULL)
    fail (error);
  sonde_trainer_set_listener (trainer, &listener.base);
  turn (trainer, &listener, NULL, NULL);
  for (guint i = 0; i < TURNS; i++)
    {
      Cost off = turn (trainer, &listener, NULL, NULL);
      Cost on = turn (trainer, &listener, writer, &samples);

      without[0][i] = off.clock;
      without[1][i] = off.processor;
      with[0][i] = on.clock;
      with[1][i] = on.processor;
    }
  for (guint k = 0; k < G_N_ELEMENTS (kinds); k++)
    {
      double off = median (without[k]), on = median (with[k]);

      g_print ("LeNet, batch %d, %d threads, %s: %.3f ms a step without recording, %.3f ms with: "
               "%+.1f %%\n",
               BATCH, options.threads, kinds[k], off, on, 100 * (on / off - 1));
    }

  {
    g_autofree char *path = g_strdup (sonde_summary_writer_get_path (writer));

    sonde_summary_writer_close (writer, NULL);
    g_remove (path);
  }
  g_rmdir (records);
  g_rmdir (run);
  sonde_tensor_unref (source.images);
  sonde_tensor_unref (source.labels);
  return 0;
}
