/* SPDX-License-Identifier: Apache-2.0
 * The builders of the built-in models: each appends its layers behind the input and names the
 * output. */
#pragma once

#include "engine/nn/sonde-layers.h"
#include "engine/nn/sonde-zoo.h"

G_BEGIN_DECLS

#define SONDE_ZOO_SMALL 64 /* images of fewer pixels get the stem of CIFAR */

static inline gboolean
sonde_zoo_is_small (const SondeZooInput *input)
{
  return MIN (input->height, input->width) < SONDE_ZOO_SMALL;
}

/* @x: the input as declared; sequences have their own */
typedef void (*SondeZooBuild) (SondeLayers *layers, SondeGraphValue *x, const SondeZooInput *input);

void sonde_zoo_mlp (SondeLayers *layers, SondeGraphValue *x, const SondeZooInput *input);
void sonde_zoo_lenet (SondeLayers *layers, SondeGraphValue *x, const SondeZooInput *input);
void sonde_zoo_autoencoder (SondeLayers *layers, SondeGraphValue *x, const SondeZooInput *input);
void sonde_zoo_alexnet (SondeLayers *layers, SondeGraphValue *x, const SondeZooInput *input);
void sonde_zoo_vgg11 (SondeLayers *layers, SondeGraphValue *x, const SondeZooInput *input);
void sonde_zoo_resnet18 (SondeLayers *layers, SondeGraphValue *x, const SondeZooInput *input);
void sonde_zoo_resnet20 (SondeLayers *layers, SondeGraphValue *x, const SondeZooInput *input);
void sonde_zoo_resnet50 (SondeLayers *layers, SondeGraphValue *x, const SondeZooInput *input);
void sonde_zoo_mobilenet_v2 (SondeLayers *layers, SondeGraphValue *x, const SondeZooInput *input);
void sonde_zoo_unet (SondeLayers *layers, SondeGraphValue *x, const SondeZooInput *input);
void sonde_zoo_lstm_classifier (SondeLayers *layers, SondeGraphValue *x,
                                const SondeZooInput *input);
void sonde_zoo_transformer_encoder (SondeLayers *layers, SondeGraphValue *x,
                                    const SondeZooInput *input);

G_END_DECLS
