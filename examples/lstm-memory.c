/* SPDX-License-Identifier: Apache-2.0
 * An LSTM learns to remember: of a sequence of tokens only the first says the class, the others are
 * noise. A model of layers, batches made by a function, the trainer.
 *
 *   lstm-memory      prints the loss as it falls; status 1 when it did not learn to remember */
#include <locale.h>

#include "data/base/sonde-random.h"
#include "engine/nn/sonde-layers.h"
#include "engine/nn/sonde-trainer.h"

#define N_CLASSES 4
#define N_TOKENS 10 /* 0 to 3 say a class, the others nothing */
#define LENGTH 8
#define BATCH 32
#define N_STEPS 250

static SondeGraph *
build_model (GError **error)
{
  SondeLayers *layers = sonde_layers_new ("memory", 1);
  SondeGraphValue *x
      = sonde_layers_input (layers, "tokens", SONDE_DTYPE_I64, 2, (gint64[]){ -1, LENGTH });
  SondeGraphValue *last;

  x = sonde_layers_embedding (layers, "embedding", x, N_TOKENS, 8, NULL);
  sonde_layers_recurrent (layers, "lstm", x, SONDE_RECURRENT_LSTM, 16, FALSE, &last);
  x = sonde_layers_dense (layers, "fc", last, &(SondeDense){ .outputs = N_CLASSES });
  sonde_layers_output (layers, "logits", x);
  return sonde_layers_finish (layers, error);
}

/* A number below @n: of the sequence's stream, the same in every run. */
static gint64
draw (guint64 stream, guint64 sequence, guint place, guint n)
{
  return (gint64) (sonde_random_uniform (1, stream, sequence * LENGTH + place) * n);
}

/* Every batch is new; those of the test come from a stream of their own. */
static gboolean
load (SondeBatchSource *source, gboolean test, guint epoch, guint batch, SondeTensor **inputs,
      SondeTensor **labels, GError **error)
{
  const SondeShape tokens = sonde_shape_make (2, BATCH, LENGTH),
                   classes = sonde_shape_make (1, BATCH);
  guint64 stream = sonde_random_stream (test ? "test" : "train");

  inputs[0] = sonde_tensor_new (SONDE_DTYPE_I64, &tokens);
  *labels = sonde_tensor_new (SONDE_DTYPE_I64, &classes);
  for (guint i = 0; i < BATCH; i++)
    {
      gint64 *sequence = (gint64 *) (void *) inputs[0]->data + i * LENGTH;
      guint64 number = (guint64) batch * BATCH + i;

      sequence[0] = draw (stream, number, 0, N_CLASSES);
      for (guint t = 1; t < LENGTH; t++)
        sequence[t] = N_CLASSES + draw (stream, number, t, N_TOKENS - N_CLASSES);
      ((gint64 *) (void *) (*labels)->data)[i] = sequence[0];
    }
  return TRUE;
}

static SondeAnswer
print_step (SondeTrainerListener *listener, SondeTrainer *trainer)
{
  const SondeTrainerState *state = sonde_trainer_get_state (trainer);

  if (state->step % 50 == 0)
    g_print ("step %3" G_GUINT64_FORMAT "  loss %.4f  right %.0f %%\n", state->step, state->loss,
             100 * state->accuracy);
  return SONDE_ANSWER_CONTINUE;
}

int
main (void)
{
  SondeTrainerOptions options = { .loss = "cross-entropy",
                                  .optimiser = "adam",
                                  .learning_rate = 0.02,
                                  .clip = "norm:1",
                                  .epochs = 1,
                                  .batch = BATCH,
                                  .seed = 1 };
  SondeBatchSource source = { N_STEPS * BATCH, 4 * BATCH, load };
  SondeTrainerListener listener = { .step_done = print_step };
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeGraph) model = NULL;
  g_autoptr (SondeTrainer) trainer = NULL;
  double accuracy;

  setlocale (LC_ALL, "");
  model = build_model (&error);
  trainer = model != NULL ? sonde_trainer_new (model, &source, &options, &error) : NULL;
  if (trainer != NULL)
    sonde_trainer_set_listener (trainer, &listener);
  if (trainer == NULL || sonde_trainer_run (trainer, &error) != SONDE_RUN_DONE)
    return g_printerr ("%s\n", error->message), 1;
  accuracy = sonde_trainer_get_state (trainer)->test_accuracy;
  g_print ("of sequences it has not seen: %.0f %% right\n", 100 * accuracy);
  return accuracy > 0.95 ? 0 : 1;
}
