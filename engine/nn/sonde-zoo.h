/* SPDX-License-Identifier: Apache-2.0
 * Built-in models, as graphs with initialised parameters. */
#pragma once

#include "engine/ops/sonde-op.h"

G_BEGIN_DECLS

/**
 * SondeZooInput: what a model is built for
 * @channels, @height, @width: of images [N, C, H, W], float32
 * @length, @vocabulary: of token sequences [N, length], int64, each token < @vocabulary. For models
 *   that take sequences; with 0 they take the rows of an image as a sequence
 * @classes: size of the output
 */
typedef struct
{
  int channels, height, width;
  int length, vocabulary;
  int classes;
} SondeZooInput;

/**
 * SondeZooModel: a row of the table
 * @description: one line
 * @loss: that fits, as in sonde-loss.h
 * @takes_sequences: @length and @vocabulary count; all take images
 * @labels_are_input: it reconstructs its input: labels are the input itself
 * @label_rank: 0: a class for each sample; 2: for each pixel
 * @usual: what it is known for, and what `sonde train --list` counts
 */
typedef struct
{
  const char *name;
  const char *description;
  const char *loss;
  gboolean takes_sequences, labels_are_input;
  SondeZooInput usual;
  int label_rank;
} SondeZooModel;

/* (array zero-terminated=1): names */
const char *const *sonde_zoo_list (void);
/* Returns: (nullable): the row of that name */
const SondeZooModel *sonde_zoo_find (const char *name);

/**
 * sonde_zoo_build_for:
 * @seed: of the initialisers
 *
 * Input "input", output "logits" [N, classes] (unet: [N, classes, H, W]; autoencoder:
 * "reconstruction", of the input's shape). Parameter names are PyTorch's (torchvision's where it
 * has the model), sizes too where the input is the usual one. Images under 64 pixels get the stems
 * that are usual for CIFAR: 3×3 without stride. The graph is the training form: BatchNormalization
 * and Dropout are on (sonde_layers_for_inference()).
 *
 * Errors: NOT_FOUND listing the names there are; SHAPE naming the layer that does not fit.
 */
SondeGraph *sonde_zoo_build_for (const char *name, const SondeZooInput *input, guint64 seed,
                                 GError **error);

/* The same without values of parameters: to be counted (sonde-model-summary.h), not to be run. */
SondeGraph *sonde_zoo_outline (const char *name, const SondeZooInput *input, GError **error);

/* For images [N, channels, height, width]. */
SondeGraph *sonde_zoo_build (const char *name, int channels, int height, int width, int classes,
                             guint64 seed, GError **error);

G_END_DECLS
