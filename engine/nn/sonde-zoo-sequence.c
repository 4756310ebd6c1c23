/* SPDX-License-Identifier: Apache-2.0
 * Classifiers of sequences: tokens, or the rows of an image from top to bottom. */
#include "engine/nn/sonde-zoo-private.h"

#define LSTM_UNITS 128
#define WIDTH 64
#define HEADS 4
#define INNER 256
#define N_BLOCKS 2

/* [N, C, H, W] -> [N, H, C·W] */
static SondeGraphValue *
take_rows (SondeLayers *layers, SondeGraphValue *x, const SondeZooInput *input)
{
  x = sonde_layers_transpose (layers, "rows", x, 4, (gint64[]){ 0, 2, 1, 3 });
  return sonde_layers_reshape (
      layers, "sequence", x, 3,
      (gint64[]){ 0, input->height, (gint64) input->channels * input->width });
}

void
sonde_zoo_lstm_classifier (SondeLayers *layers, SondeGraphValue *x, const SondeZooInput *input)
{
  SondeGraphValue *last;

  if (input->vocabulary > 0)
    x = sonde_layers_embedding (layers, "embedding", x, input->vocabulary, WIDTH, NULL);
  else
    x = take_rows (layers, x, input);
  sonde_layers_recurrent (layers, "lstm", x, SONDE_RECURRENT_LSTM, LSTM_UNITS, FALSE, &last);
  x = sonde_layers_dense (layers, "fc", last, &(SondeDense){ .outputs = input->classes });
  sonde_layers_output (layers, "logits", x);
}

/* Pre-norm layers over tokens with learned places, their mean classified. */
void
sonde_zoo_transformer_encoder (SondeLayers *layers, SondeGraphValue *x, const SondeZooInput *input)
{
  const SondeTransformerBlock block = {
    .heads = HEADS, .feed_forward = INNER, .dropout = 0.1, .activation = "gelu", .norm_first = TRUE
  };
  gboolean tokens = input->vocabulary > 0;
  const SondeShape places = sonde_shape_make (2, tokens ? input->length : input->height, WIDTH);

  if (tokens)
    x = sonde_layers_embedding (layers, "embedding", x, input->vocabulary, WIDTH, NULL);
  else
    x = sonde_layers_dense (layers, "embedding", take_rows (layers, x, input),
                            &(SondeDense){ .outputs = WIDTH });
  x = sonde_layers_add (
      layers, "place", x,
      sonde_layers_parameter (layers, "positions", &places, "normal:std=0.02", 0, 0));
  sonde_layers_open (layers, "encoder");
  for (guint i = 0; i < N_BLOCKS; i++)
    {
      g_autofree char *name = g_strdup_printf ("%u", i);

      x = sonde_layers_transformer_block (layers, name, x, &block);
    }
  sonde_layers_close (layers);
  x = sonde_layers_layer_norm (layers, "norm", x, -1);
  x = sonde_layers_mean (layers, "mean", x, 1);
  x = sonde_layers_dense (layers, "fc", x, &(SondeDense){ .outputs = input->classes });
  sonde_layers_output (layers, "logits", x);
}
