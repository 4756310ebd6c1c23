/* SPDX-License-Identifier: Apache-2.0
 * The table of built-in models and their inputs. */
#include "engine/nn/sonde-zoo-private.h"

#include "data/base/sonde-text.h"

#define IMAGE_NET                                                                                  \
  {                                                                                                \
    3, 224, 224, 0, 0, 1000                                                                        \
  }
#define CIFAR                                                                                      \
  {                                                                                                \
    3, 32, 32, 0, 0, 10                                                                            \
  }
#define MNIST                                                                                      \
  {                                                                                                \
    1, 28, 28, 0, 0, 10                                                                            \
  }
#define TOKENS                                                                                     \
  {                                                                                                \
    0, 0, 0, 32, 1000, 2                                                                           \
  }

typedef struct
{
  SondeZooModel model;
  SondeZooBuild build;
} Row;

static const Row rows[] = {
  { { "mlp", N_ ("dense layers of 64, 32 and the classes, with tanh"), "cross-entropy", FALSE,
      FALSE, MNIST },
    sonde_zoo_mlp },
  { { "lenet", N_ ("LeNet-5 with ReLU and max pooling (LeCun et al. 1998)"), "cross-entropy", FALSE,
      FALSE, MNIST },
    sonde_zoo_lenet },
  { { "alexnet", N_ ("five convolutions, three dense layers (Krizhevsky 2014)"), "cross-entropy",
      FALSE, FALSE, IMAGE_NET },
    sonde_zoo_alexnet },
  { { "vgg11", N_ ("eight 3×3 convolutions, three dense layers (Simonyan and Zisserman 2014)"),
      "cross-entropy", FALSE, FALSE, IMAGE_NET },
    sonde_zoo_vgg11 },
  { { "resnet18", N_ ("residual network of 8 basic blocks (He et al. 2015)"), "cross-entropy",
      FALSE, FALSE, IMAGE_NET },
    sonde_zoo_resnet18 },
  { { "resnet20",
      N_ ("residual network for CIFAR, 9 blocks of 16, 32, 64 channels, 1×1 projections (He et al. "
          "2015)"),
      "cross-entropy", FALSE, FALSE, CIFAR },
    sonde_zoo_resnet20 },
  { { "resnet50",
      N_ ("residual network of 16 bottleneck blocks, stride in the 3×3 convolution (He et al. "
          "2015)"),
      "cross-entropy", FALSE, FALSE, IMAGE_NET },
    sonde_zoo_resnet50 },
  { { "mobilenet-v2", N_ ("inverted residuals with depthwise convolutions (Sandler et al. 2018)"),
      "cross-entropy", FALSE, FALSE, IMAGE_NET },
    sonde_zoo_mobilenet_v2 },
  { { "unet",
      N_ ("a class per pixel, skip connections between levels (Ronneberger et al. 2015)"),
      "cross-entropy",
      FALSE,
      FALSE,
      { 3, 128, 128, 0, 0, 2 },
      .label_rank = 2 },
    sonde_zoo_unet },
  { { "lstm-classifier", N_ ("LSTM of 128 units over tokens or image rows, last state"),
      "cross-entropy", TRUE, FALSE, TOKENS },
    sonde_zoo_lstm_classifier },
  { { "transformer-encoder", N_ ("two encoder layers of width 64 over tokens or image rows, mean"),
      "cross-entropy", TRUE, FALSE, TOKENS },
    sonde_zoo_transformer_encoder },
  { { "autoencoder", N_ ("dense layers of 256, 64, 256 that reconstruct the input"), "mse", FALSE,
      TRUE, MNIST },
    sonde_zoo_autoencoder },
};

static const char *const names[] = {
  "mlp",
  "lenet",
  "alexnet",
  "vgg11",
  "resnet18",
  "resnet20",
  "resnet50",
  "mobilenet-v2",
  "unet",
  "lstm-classifier",
  "transformer-encoder",
  "autoencoder",
  NULL,
};
G_STATIC_ASSERT (G_N_ELEMENTS (names) == G_N_ELEMENTS (rows) + 1);

const char *const *
sonde_zoo_list (void)
{
  return names;
}

static const Row *
find_row (const char *name, GError **error)
{
  g_autofree char *list = NULL;

  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    if (g_str_equal (rows[i].model.name, name))
      return &rows[i];
  list = g_strjoinv (", ", (char **) names);
  sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_NOT_FOUND,
                   "There is no built-in model “%s”; the available ones are: %s.", name, list);
  return NULL;
}

const SondeZooModel *
sonde_zoo_find (const char *name)
{
  const Row *row = find_row (name, NULL);

  return row != NULL ? &row->model : NULL;
}

static gboolean
takes_tokens (const Row *row, const SondeZooInput *input)
{
  return row->model.takes_sequences && input->vocabulary > 0;
}

static gboolean
check_input (const Row *row, const SondeZooInput *input, GError **error)
{
  gboolean fits = takes_tokens (row, input)
                      ? input->length > 0
                      : input->channels > 0 && input->height > 0 && input->width > 0;

  if (!fits)
    sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_SHAPE, "its input is empty.");
  else if (input->classes <= 0 && !row->model.labels_are_input)
    sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_SHAPE,
                     "there are no classes to predict.");
  else
    return TRUE;
  return FALSE;
}

static SondeGraph *
build (const Row *row, const SondeZooInput *input, guint64 seed, gboolean outline, GError **error)
{
  SondeLayers *layers = sonde_layers_new (row->model.name, seed);
  SondeGraphValue *x;

  if (outline)
    sonde_layers_set_outline (layers);
  if (takes_tokens (row, input))
    x = sonde_layers_input (layers, "input", SONDE_DTYPE_I64, 2, (gint64[]){ -1, input->length });
  else
    x = sonde_layers_input (layers, "input", SONDE_DTYPE_F32, 4,
                            (gint64[]){ -1, input->channels, input->height, input->width });
  row->build (layers, x, input);
  return sonde_layers_finish (layers, error);
}

static SondeGraph *
build_named (const char *name, const SondeZooInput *input, guint64 seed, gboolean outline,
             GError **error)
{
  const Row *row = find_row (name, error);
  SondeGraph *graph = NULL;

  if (row == NULL)
    return NULL;
  if (check_input (row, input, error))
    graph = build (row, input, seed, outline, error);
  if (graph == NULL && takes_tokens (row, input))
    sonde_prefix_error (
        error,
        "The built-in model “%s” does not fit sequences of %d tokens from a vocabulary of %d: ",
        name, input->length, input->vocabulary);
  else if (graph == NULL)
    sonde_prefix_error (error, "The built-in model “%s” does not fit inputs of %d×%d×%d: ", name,
                        input->channels, input->height, input->width);
  return graph;
}

SondeGraph *
sonde_zoo_build_for (const char *name, const SondeZooInput *input, guint64 seed, GError **error)
{
  return build_named (name, input, seed, FALSE, error);
}

SondeGraph *
sonde_zoo_outline (const char *name, const SondeZooInput *input, GError **error)
{
  return build_named (name, input, 0, TRUE, error);
}

SondeGraph *
sonde_zoo_build (const char *name, int channels, int height, int width, int classes, guint64 seed,
                 GError **error)
{
  SondeZooInput input = { channels, height, width, 0, 0, classes };

  return sonde_zoo_build_for (name, &input, seed, error);
}
