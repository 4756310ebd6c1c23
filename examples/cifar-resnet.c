/* SPDX-License-Identifier: Apache-2.0
 * ResNet-20 on CIFAR-10, as far as a few steps go: a dataset from files, a schedule, the loss while
 * it falls.
 *
 *   cifar-resnet FOLDER [STEPS]      FOLDER holds CIFAR-10's binary files or a folder a class.
 *   Without FOLDER: $SONDE_SHARED
 * Status 77: there is no such folder (a test is skipped then). 26 epochs are some 78 %: sonde train
 * resnet20. */
#include <locale.h>
#include <math.h>
#include <stdlib.h>

#include "data/datasets/sonde-batches.h"
#include "engine/nn/sonde-trainer.h"
#include "engine/nn/sonde-zoo.h"

#define N_IMAGES 128
#define BATCH 32
#define N_STEPS 12
#define SKIPPED 77

typedef struct
{
  SondeBatchSource base;
  SondeBatches *batches;
} Pictures;

typedef struct
{
  SondeTrainerListener base;
  double first, last; /* losses, the last one smoothed */
} Watch;

static gboolean
load (SondeBatchSource *source, gboolean test, guint epoch, guint batch, SondeTensor **inputs,
      SondeTensor **labels, GError **error)
{
  return sonde_batches_load (((Pictures *) source)->batches, epoch, batch, &inputs[0], labels, NULL,
                             error);
}

static SondeAnswer
print_step (SondeTrainerListener *listener, SondeTrainer *trainer)
{
  const SondeTrainerState *state = sonde_trainer_get_state (trainer);
  Watch *watch = (Watch *) listener;

  watch->first = state->step == 1 ? state->loss : watch->first;
  watch->last = state->step == 1 ? state->loss : 0.7 * watch->last + 0.3 * state->loss;
  g_print ("step %3" G_GUINT64_FORMAT "  rate %.3f  loss %.4f\n", state->step, state->learning_rate,
           state->loss);
  return SONDE_ANSWER_CONTINUE;
}

static gboolean
train (Pictures *pictures, guint64 n_steps, Watch *watch, GError **error)
{
  g_autoptr (SondeGraph) model = sonde_zoo_build ("resnet20", 3, 32, 32, 10, 1, error);
  SondeTrainerOptions options = { .loss = "cross-entropy:label-smoothing=0.1",
                                  .optimiser = "sgd:momentum=0.9;nesterov=1",
                                  .learning_rate = 0.1,
                                  .weight_decay = 1e-4,
                                  .schedule = "cosine",
                                  .steps = n_steps,
                                  .batch = BATCH,
                                  .seed = 1 };
  g_autoptr (SondeTrainer) trainer
      = model != NULL ? sonde_trainer_new (model, &pictures->base, &options, error) : NULL;

  if (trainer == NULL)
    return FALSE;
  sonde_trainer_set_listener (trainer, &watch->base);
  return sonde_trainer_run (trainer, error) == SONDE_RUN_DONE;
}

/* The first images, in batches of a new order each epoch. */
static SondeBatches *
open_batches (SondeDataset *dataset, GError **error)
{
  SondeBatchesOptions options
      = { .n = MIN (N_IMAGES, dataset->n), .batch = BATCH, .shuffle = TRUE, .seed = 1 };
  g_autofree guint *samples = g_new (guint, options.n);

  /* Spread over the whole: files are sorted by class in some forms. */
  for (guint i = 0; i < options.n; i++)
    samples[i] = (guint) ((guint64) i * dataset->n / options.n);
  options.samples = samples;
  return sonde_batches_new (dataset, &options, error);
}

int
main (int argc, char *argv[])
{
  const char *shared = g_getenv ("SONDE_SHARED");
  g_autofree char *folder
      = argc > 1 ? g_strdup (argv[1])
                 : g_build_filename (shared != NULL ? shared : ".", "datasets/cifar10", NULL);
  g_autofree char *source = g_strconcat ("cifar10:", folder, NULL);
  /* decodes pictures beside this process */
  const char *helper[] = { g_getenv ("SONDE_PROGRAM"), "image-helper", NULL };
  SondeDatasetOptions options
      = { .decoder = helper[0] != NULL ? sonde_image_decoder_new (helper) : NULL };
  Watch watch = { { .step_done = print_step } };
  g_autoptr (SondeDataset) dataset = NULL;
  g_autoptr (GError) error = NULL;
  Pictures pictures = { 0 };

  setlocale (LC_ALL, "");
  if (!g_file_test (folder, G_FILE_TEST_IS_DIR))
    return g_print ("There is no folder “%s”.\n", folder), SKIPPED;
  dataset = sonde_dataset_open (source, &options, &error);
  pictures.batches = dataset != NULL ? open_batches (dataset, &error) : NULL;
  if (pictures.batches != NULL)
    {
      pictures.base = (SondeBatchSource){ MIN (N_IMAGES, dataset->n), 0, load };
      (void) train (&pictures, argc > 2 ? strtoull (argv[2], NULL, 10) : N_STEPS, &watch, &error);
      sonde_batches_free (pictures.batches);
    }
  if (error != NULL)
    return g_printerr ("%s\n", error->message), 1;
  return watch.last < watch.first ? 0 : 1;
}
