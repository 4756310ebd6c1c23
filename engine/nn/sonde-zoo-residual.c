/* SPDX-License-Identifier: Apache-2.0
 * resnet18, resnet20, resnet50, mobilenet-v2; sizes and names as torchvision has them
 * (models/resnet.py, models/mobilenetv2.py). */
#include "engine/nn/sonde-zoo-private.h"

#define HE "he-normal:fan-out=1"
#define LAST_SCALE 4 /* channels of a bottleneck over its width */

static SondeGraphValue *
convolve (SondeLayers *layers, const char *convolution, const char *norm, SondeGraphValue *x,
          gint64 outputs, gint64 kernel, gint64 stride)
{
  const SondeConvolution settings = { .outputs = outputs,
                                      .kernel = kernel,
                                      .stride = stride,
                                      .pad = kernel / 2,
                                      .no_bias = TRUE,
                                      .weight_initialiser = HE };

  x = sonde_layers_convolution (layers, convolution, x, &settings);
  return sonde_layers_batch_norm (layers, norm, x);
}

/* What is added: x itself, or by a 1×1 convolution where the sizes differ. */
static SondeGraphValue *
shortcut (SondeLayers *layers, SondeGraphValue *x, gint64 outputs, gint64 stride)
{
  if (x == NULL || (stride == 1 && x->type.dims[1].size == outputs))
    return x;
  sonde_layers_open (layers, "downsample");
  x = convolve (layers, "0", "1", x, outputs, 1, stride);
  sonde_layers_close (layers);
  return x;
}

static SondeGraphValue *
basic_block (SondeLayers *layers, SondeGraphValue *x, gint64 width, gint64 stride)
{
  SondeGraphValue *y = convolve (layers, "conv1", "bn1", x, width, 3, stride);

  y = sonde_layers_activation (layers, "relu1", y, "relu");
  y = convolve (layers, "conv2", "bn2", y, width, 3, 1);
  y = sonde_layers_add (layers, "add", y, shortcut (layers, x, width, stride));
  return sonde_layers_activation (layers, "relu2", y, "relu");
}

static SondeGraphValue *
bottleneck (SondeLayers *layers, SondeGraphValue *x, gint64 width, gint64 stride)
{
  SondeGraphValue *y = convolve (layers, "conv1", "bn1", x, width, 1, 1);

  y = sonde_layers_activation (layers, "relu1", y, "relu");
  y = convolve (layers, "conv2", "bn2", y, width, 3, stride);
  y = sonde_layers_activation (layers, "relu2", y, "relu");
  y = convolve (layers, "conv3", "bn3", y, LAST_SCALE * width, 1, 1);
  y = sonde_layers_add (layers, "add", y, shortcut (layers, x, LAST_SCALE * width, stride));
  return sonde_layers_activation (layers, "relu3", y, "relu");
}

/**
 * Residual: a net of stages of blocks; the first block of each stage but the first halves the sizes
 * @width: of the first stage; each further one has twice as many
 * @large_stem: 7×7 with stride and a pool, from 64 pixels on
 */
typedef struct
{
  SondeGraphValue *(*block) (SondeLayers *layers, SondeGraphValue *x, gint64 width, gint64 stride);
  guint n_stages, n_blocks[4];
  gint64 width;
  gboolean large_stem;
} Residual;

static void
build_residual (SondeLayers *layers, SondeGraphValue *x, const SondeZooInput *input,
                const Residual *net)
{
  gboolean large = net->large_stem && !sonde_zoo_is_small (input);

  x = convolve (layers, "conv1", "bn1", x, net->width, large ? 7 : 3, large ? 2 : 1);
  x = sonde_layers_activation (layers, "relu", x, "relu");
  if (large)
    x = sonde_layers_max_pool (layers, "maxpool", x, 3, 2, 1);
  for (guint stage = 0; stage < net->n_stages; stage++)
    {
      g_autofree char *name = g_strdup_printf ("layer%u", stage + 1);

      sonde_layers_open (layers, name);
      for (guint i = 0; i < net->n_blocks[stage]; i++)
        {
          sonde_layers_open_index (layers, i);
          x = net->block (layers, x, net->width << stage, stage > 0 && i == 0 ? 2 : 1);
          sonde_layers_close (layers);
        }
      sonde_layers_close (layers);
    }
  x = sonde_layers_global_average_pool (layers, "avgpool", x);
  x = sonde_layers_dense (layers, "fc", x, &(SondeDense){ .outputs = input->classes });
  sonde_layers_output (layers, "logits", x);
}

void
sonde_zoo_resnet18 (SondeLayers *layers, SondeGraphValue *x, const SondeZooInput *input)
{
  build_residual (layers, x, input, &(Residual){ basic_block, 4, { 2, 2, 2, 2 }, 64, TRUE });
}

void
sonde_zoo_resnet20 (SondeLayers *layers, SondeGraphValue *x, const SondeZooInput *input)
{
  build_residual (layers, x, input, &(Residual){ basic_block, 3, { 3, 3, 3 }, 16, FALSE });
}

void
sonde_zoo_resnet50 (SondeLayers *layers, SondeGraphValue *x, const SondeZooInput *input)
{
  build_residual (layers, x, input, &(Residual){ bottleneck, 4, { 3, 4, 6, 3 }, 64, TRUE });
}

/* ---- mobilenet-v2 -------------------------------------------------------- */

#define FIRST_CHANNELS 32
#define LAST_CHANNELS 1280

/* Table 2 of the paper: expansion, channels, blocks, stride of the first. */
static const struct
{
  gint64 expansion, channels;
  guint n;
  gint64 stride;
} stages[] = {
  { 1, 16, 1, 1 }, { 6, 24, 2, 2 },  { 6, 32, 3, 2 },  { 6, 64, 4, 2 },
  { 6, 96, 3, 1 }, { 6, 160, 3, 2 }, { 6, 320, 1, 1 },
};

static SondeGraphValue *
inverted_residual (SondeLayers *layers, SondeGraphValue *x, gint64 expansion, gint64 outputs,
                   gint64 stride)
{
  gint64 inputs = x != NULL ? x->type.dims[1].size : 1;
  SondeConvolution expand
      = { .outputs = expansion * inputs, .kernel = 1, .weight_initialiser = HE };
  SondeConvolution depthwise
      = { .kernel = 3, .stride = stride, .pad = 1, .groups = -1, .weight_initialiser = HE };
  SondeGraphValue *y = x;

  sonde_layers_open (layers, "conv");
  if (expansion > 1)
    y = sonde_layers_convolution_block (layers, "0", y, &expand, "relu6");
  y = sonde_layers_convolution_block (layers, expansion > 1 ? "1" : "0", y, &depthwise, "relu6");
  y = convolve (layers, expansion > 1 ? "2" : "1", expansion > 1 ? "3" : "2", y, outputs, 1, 1);
  sonde_layers_close (layers);
  return stride == 1 && inputs == outputs ? sonde_layers_add (layers, "add", x, y) : y;
}

/* Small images: the stem and the first stage that halves do not. */
void
sonde_zoo_mobilenet_v2 (SondeLayers *layers, SondeGraphValue *x, const SondeZooInput *input)
{
  gboolean small = sonde_zoo_is_small (input);
  SondeConvolution first = { .outputs = FIRST_CHANNELS,
                             .kernel = 3,
                             .stride = small ? 1 : 2,
                             .pad = 1,
                             .weight_initialiser = HE };
  SondeConvolution last = { .outputs = LAST_CHANNELS, .kernel = 1, .weight_initialiser = HE };
  guint place = 1;

  sonde_layers_open (layers, "features");
  x = sonde_layers_convolution_block (layers, "0", x, &first, "relu6");
  for (gsize s = 0; s < G_N_ELEMENTS (stages); s++)
    for (guint i = 0; i < stages[s].n; i++)
      {
        sonde_layers_open_index (layers, place++);
        x = inverted_residual (layers, x, stages[s].expansion, stages[s].channels,
                               i > 0 || (small && s == 1) ? 1 : stages[s].stride);
        sonde_layers_close (layers);
      }
  x = sonde_layers_convolution_block (layers, "18", x, &last, "relu6");
  sonde_layers_close (layers);
  x = sonde_layers_global_average_pool (layers, "avgpool", x);
  sonde_layers_open (layers, "classifier");
  x = sonde_layers_dropout (layers, "0", x, 0.2);
  x = sonde_layers_dense (layers, "1", x,
                          &(SondeDense){ .outputs = input->classes,
                                         .weight_initialiser = "normal:std=0.01",
                                         .bias_initialiser = "zeros" });
  sonde_layers_close (layers);
  sonde_layers_output (layers, "logits", x);
}
