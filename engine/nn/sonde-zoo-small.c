/* SPDX-License-Identifier: Apache-2.0
 * The small ones: mlp, lenet, autoencoder. */
#include "engine/nn/sonde-zoo-private.h"

static SondeGraphValue *
dense (SondeLayers *layers, const char *name, SondeGraphValue *x, gint64 outputs)
{
  return sonde_layers_dense (layers, name, x, &(SondeDense){ .outputs = outputs });
}

void
sonde_zoo_mlp (SondeLayers *layers, SondeGraphValue *x, const SondeZooInput *input)
{
  x = sonde_layers_flatten (layers, "flatten", x);
  x = dense (layers, "fc1", x, 64);
  x = sonde_layers_activation (layers, "tanh1", x, "tanh");
  x = dense (layers, "fc2", x, 32);
  x = sonde_layers_activation (layers, "tanh2", x, "tanh");
  x = dense (layers, "fc3", x, input->classes);
  sonde_layers_output (layers, "logits", x);
}

/* The layers of ../shared/models/lenet-mnist; fc1 takes what the pools leave. */
void
sonde_zoo_lenet (SondeLayers *layers, SondeGraphValue *x, const SondeZooInput *input)
{
  x = sonde_layers_convolution (layers, "conv1", x,
                                &(SondeConvolution){ .outputs = 6, .kernel = 5, .pad = 2 });
  x = sonde_layers_activation (layers, "relu1", x, "relu");
  x = sonde_layers_max_pool (layers, "pool1", x, 2, 0, 0);
  x = sonde_layers_convolution (layers, "conv2", x,
                                &(SondeConvolution){ .outputs = 16, .kernel = 5 });
  x = sonde_layers_activation (layers, "relu2", x, "relu");
  x = sonde_layers_max_pool (layers, "pool2", x, 2, 0, 0);
  x = sonde_layers_flatten (layers, "flatten", x);
  x = dense (layers, "fc1", x, 120);
  x = sonde_layers_activation (layers, "relu3", x, "relu");
  x = dense (layers, "fc2", x, 84);
  x = sonde_layers_activation (layers, "relu4", x, "relu");
  x = dense (layers, "fc3", x, input->classes);
  sonde_layers_output (layers, "logits", x);
}

void
sonde_zoo_autoencoder (SondeLayers *layers, SondeGraphValue *x, const SondeZooInput *input)
{
  gint64 size = (gint64) input->channels * input->height * input->width;

  sonde_layers_open (layers, "encoder");
  x = sonde_layers_flatten (layers, "flatten", x);
  x = dense (layers, "0", x, 256);
  x = sonde_layers_activation (layers, "1", x, "relu");
  x = dense (layers, "2", x, 64);
  sonde_layers_close (layers);
  sonde_layers_open (layers, "decoder");
  x = sonde_layers_activation (layers, "0", x, "relu");
  x = dense (layers, "1", x, 256);
  x = sonde_layers_activation (layers, "2", x, "relu");
  x = dense (layers, "3", x, size);
  x = sonde_layers_reshape (layers, "picture", x, 4,
                            (gint64[]){ 0, input->channels, input->height, input->width });
  sonde_layers_close (layers);
  sonde_layers_output (layers, "reconstruction", x);
}
