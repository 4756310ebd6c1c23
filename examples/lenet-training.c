/* SPDX-License-Identifier: Apache-2.0
 * LeNet learns drawn glyphs: a dataset, batches, a built-in model, the trainer.
 *
 *   lenet-training      prints the model as a table, then a line an epoch; status 1 when it learned
 *   too little */
#include <locale.h>

#include "data/datasets/sonde-batches.h"
#include "engine/nn/sonde-model-summary.h"
#include "engine/nn/sonde-trainer.h"
#include "engine/nn/sonde-zoo.h"

#define N_EPOCHS 4

/* What the trainer asks for batches. */
typedef struct
{
  SondeBatchSource base;
  SondeBatches *train, *test;
} Glyphs;

static gboolean
load (SondeBatchSource *source, gboolean test, guint epoch, guint batch, SondeTensor **inputs,
      SondeTensor **labels, GError **error)
{
  Glyphs *glyphs = (Glyphs *) source;

  return sonde_batches_load (test ? glyphs->test : glyphs->train, epoch, batch, &inputs[0], labels,
                             NULL, error);
}

static void
print_epoch (SondeTrainerListener *listener, SondeTrainer *trainer)
{
  const SondeTrainerState *state = sonde_trainer_get_state (trainer);

  g_print ("step %4" G_GUINT64_FORMAT "  loss %.4f  test accuracy %.1f %%\n", state->step,
           state->test_loss, 100 * state->test_accuracy);
}

static gboolean
print_table (SondeGraph *model, GError **error)
{
  g_autoptr (SondeModelSummary) summary = sonde_model_summary_new (model, NULL, 0, error);
  g_autofree char *text = summary != NULL ? sonde_model_summary_to_text (summary) : NULL;

  if (text != NULL)
    g_print ("%s\n", text);
  return text != NULL;
}

static gboolean
train (Glyphs *glyphs, double *accuracy, GError **error)
{
  g_autoptr (SondeGraph) model = sonde_zoo_build ("lenet", 1, 28, 28, 10, 1, error);
  SondeTrainerOptions options = { .loss = "cross-entropy",
                                  .optimiser = "adam",
                                  .learning_rate = 0.004,
                                  .epochs = N_EPOCHS,
                                  .batch = 32,
                                  .seed = 1 };
  SondeTrainerListener listener = { .evaluated = print_epoch };
  g_autoptr (SondeTrainer) trainer = NULL;

  if (model == NULL || !print_table (model, error))
    return FALSE;
  trainer = sonde_trainer_new (model, &glyphs->base, &options, error);
  if (trainer == NULL)
    return FALSE;
  sonde_trainer_set_listener (trainer, &listener);
  if (sonde_trainer_run (trainer, error) != SONDE_RUN_DONE)
    return FALSE;
  *accuracy = sonde_trainer_get_state (trainer)->test_accuracy;
  return TRUE;
}

/* 1,000 glyphs to learn from, 200 to be tested with. */
static gboolean
open_glyphs (SondeDataset **dataset, Glyphs *glyphs, GError **error)
{
  SondeDatasetOptions options = { .seed = 1, .count = 1200 };
  SondeSplitPart split = { 0 };

  *dataset = sonde_dataset_open ("glyphs", &options, error);
  if (*dataset == NULL || !sonde_dataset_split (*dataset, 0, 1000, 200, &split, error))
    return FALSE;
  glyphs->train = sonde_batches_new (
      *dataset,
      &(SondeBatchesOptions){
          .samples = split.train, .n = split.n_train, .batch = 32, .shuffle = TRUE, .seed = 1 },
      error);
  glyphs->test = sonde_batches_new (
      *dataset, &(SondeBatchesOptions){ .samples = split.test, .n = split.n_test, .batch = 32 },
      error);
  glyphs->base = (SondeBatchSource){ split.n_train, split.n_test, load };
  sonde_split_part_clear (&split);
  return glyphs->train != NULL && glyphs->test != NULL;
}

int
main (void)
{
  g_autoptr (SondeDataset) dataset = NULL;
  g_autoptr (GError) error = NULL;
  Glyphs glyphs = { 0 };
  double accuracy = 0;

  setlocale (LC_ALL, "");
  if (open_glyphs (&dataset, &glyphs, &error))
    (void) train (&glyphs, &accuracy, &error);
  g_clear_pointer (&glyphs.train, sonde_batches_free);
  g_clear_pointer (&glyphs.test, sonde_batches_free);
  if (error != NULL)
    return g_printerr ("%s\n", error->message), 1;
  return accuracy > 0.5 ? 0 : 1;
}
