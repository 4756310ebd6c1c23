/* SPDX-License-Identifier: Apache-2.0
 * DenseNet-121: Huang et al. 2016, table 1. ShuffleNet v2: Ma et al. 2018, table 5,
 * but for its split: both halves of a unit are made of all channels. */
#include "tests/bench/profile-nets.h"

#include <string.h>

#define GROWTH 32

/* ---- DenseNet-121 ------------------------------------------------------------------ */

static SondeGraphValue *
norm_and_convolve (SondeLayers *layers, SondeGraphValue *x, gint64 outputs, gint64 kernel)
{
  x = sonde_layers_batch_norm (layers, "norm", x);
  x = sonde_layers_activation (layers, "relu", x, "relu");
  return sonde_layers_convolution (
      layers, "conv", x,
      &(SondeConvolution){
          .outputs = outputs, .kernel = kernel, .pad = kernel / 2, .no_bias = TRUE });
}

static SondeGraphValue *
add_dense_layer (SondeLayers *layers, SondeGraphValue *x)
{
  SondeGraphValue *y;

  sonde_layers_open (layers, "narrow");
  y = norm_and_convolve (layers, x, 4 * GROWTH, 1);
  sonde_layers_close (layers);
  y = norm_and_convolve (layers, y, GROWTH, 3);
  return sonde_layers_concat (layers, "concat", x, y, 1);
}

static SondeGraphValue *
build_dense (SondeLayers *layers, SondeGraphValue *x)
{
  static const guint counts[] = { 6, 12, 24, 16 };
  guint place = 0;

  x = sonde_layers_convolution_block (
      layers, "stem", x,
      &(SondeConvolution){ .outputs = 2 * GROWTH, .kernel = 7, .stride = 2, .pad = 3 }, "relu");
  x = sonde_layers_max_pool (layers, "pool", x, 3, 2, 1);
  for (guint stage = 0; stage < G_N_ELEMENTS (counts); stage++)
    {
      for (guint i = 0; i < counts[stage]; i++)
        {
          sonde_layers_open_index (layers, place++);
          x = add_dense_layer (layers, x);
          sonde_layers_close (layers);
        }
      if (stage + 1 == G_N_ELEMENTS (counts))
        break;
      sonde_layers_open_index (layers, place++);
      x = norm_and_convolve (layers, x, x->type.dims[1].size / 2, 1);
      x = sonde_layers_average_pool (layers, "pool", x, 2, 2, 0);
      sonde_layers_close (layers);
    }
  x = sonde_layers_batch_norm (layers, "norm", x);
  return sonde_layers_activation (layers, "relu", x, "relu");
}

/* ---- ShuffleNet v2 ------------------------------------------------------------------ */

static SondeGraphValue *
convolve (SondeLayers *layers, const char *name, SondeGraphValue *x, gint64 outputs)
{
  return sonde_layers_convolution_block (
      layers, name, x, &(SondeConvolution){ .outputs = outputs, .kernel = 1 }, "relu");
}

static SondeGraphValue *
convolve_deep (SondeLayers *layers, const char *name, SondeGraphValue *x, gint64 stride)
{
  return sonde_layers_convolution_block (
      layers, name, x, &(SondeConvolution){ .kernel = 3, .stride = stride, .pad = 1, .groups = -1 },
      NULL);
}

/* Channels of two groups in turn. */
static SondeGraphValue *
shuffle (SondeLayers *layers, SondeGraphValue *x)
{
  const gint64 channels = x->type.dims[1].size, side = x->type.dims[2].size;
  const gint64 apart[] = { 1, 2, channels / 2, side, side }, order[] = { 0, 2, 1, 3, 4 };
  const gint64 together[] = { 1, channels, side, side };

  x = sonde_layers_reshape (layers, "apart", x, 5, apart);
  x = sonde_layers_transpose (layers, "shuffle", x, 5, order);
  return sonde_layers_reshape (layers, "together", x, 4, together);
}

static SondeGraphValue *
add_unit (SondeLayers *layers, SondeGraphValue *x, gint64 width, gint64 stride)
{
  SondeGraphValue *left = x, *y;

  if (stride > 1)
    left = convolve (layers, "left-out", convolve_deep (layers, "left", x, stride), width);
  y = convolve (layers, "in", x, width);
  y = convolve_deep (layers, "deep", y, stride);
  y = convolve (layers, "out", y, width);
  if (stride == 1)
    left = convolve (layers, "left-out", left, width);
  return shuffle (layers, sonde_layers_concat (layers, "concat", left, y, 1));
}

static SondeGraphValue *
build_shuffle (SondeLayers *layers, SondeGraphValue *x)
{
  static const guint counts[] = { 4, 8, 4 };
  guint place = 0;

  x = sonde_layers_convolution_block (
      layers, "stem", x, &(SondeConvolution){ .outputs = 24, .kernel = 3, .stride = 2, .pad = 1 },
      "relu");
  x = sonde_layers_max_pool (layers, "pool", x, 3, 2, 1);
  for (guint stage = 0; stage < G_N_ELEMENTS (counts); stage++)
    for (guint i = 0; i < counts[stage]; i++)
      {
        sonde_layers_open_index (layers, place++);
        x = add_unit (layers, x, 58 << stage, i == 0 ? 2 : 1);
        sonde_layers_close (layers);
      }
  return convolve (layers, "last", x, 1024);
}

/* ---- both ----------------------------------------------------------------------------- */

SondeGraph *
profile_net_new (const char *name)
{
  const gboolean dense = strcmp (name, "densenet121") == 0;
  const gint64 dims[] = { 1, 3, 224, 224 };
  SondeLayers *layers;
  SondeGraphValue *x;
  SondeGraph *graph;

  if (!dense && strcmp (name, "shufflenet") != 0)
    return NULL;
  layers = sonde_layers_new (name, 1);
  x = sonde_layers_input (layers, "x", SONDE_DTYPE_F32, G_N_ELEMENTS (dims), dims);
  x = dense ? build_dense (layers, x) : build_shuffle (layers, x);
  x = sonde_layers_global_average_pool (layers, "mean", x);
  x = sonde_layers_dense (layers, "fc", x, &(SondeDense){ .outputs = 1000 });
  sonde_layers_output (layers, "logits", x);
  graph = sonde_layers_finish (layers, NULL); /* takes them */
  g_assert_nonnull (graph);
  sonde_layers_for_inference (graph);
  return graph;
}
