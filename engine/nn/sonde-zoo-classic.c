/* SPDX-License-Identifier: Apache-2.0
 * alexnet and vgg11, sizes and names as torchvision has them (models/alexnet.py, models/vgg.py),
 * and unet. */
#include "engine/nn/sonde-zoo-private.h"

#define WIDE 4096  /* of the dense layers */
#define NARROW 512 /* of small images */

/* Dense layers @first and @second of width @width, then the classes, called by their places in
 * "classifier". */
static SondeGraphValue *
classify (SondeLayers *layers, SondeGraphValue *x, const SondeZooInput *input,
          gboolean dropout_first)
{
  gint64 width = sonde_zoo_is_small (input) ? NARROW : WIDE;
  guint place = 0;

  x = sonde_layers_flatten (layers, "flatten", x);
  sonde_layers_open (layers, "classifier");
  for (guint i = 0; i < 2; i++)
    {
      g_autofree char *dense = g_strdup_printf ("%u", place + (dropout_first ? 1 : 0));
      g_autofree char *relu = g_strdup_printf ("%u", place + (dropout_first ? 2 : 1));
      g_autofree char *dropout = g_strdup_printf ("%u", place + (dropout_first ? 0 : 2));

      if (dropout_first)
        x = sonde_layers_dropout (layers, dropout, x, 0.5);
      x = sonde_layers_dense (layers, dense, x, &(SondeDense){ .outputs = width });
      x = sonde_layers_activation (layers, relu, x, "relu");
      if (!dropout_first)
        x = sonde_layers_dropout (layers, dropout, x, 0.5);
      place += 3;
    }
  x = sonde_layers_dense (layers, "6", x, &(SondeDense){ .outputs = input->classes });
  sonde_layers_close (layers);
  return x;
}

/* A convolution, or a pool where @outputs is 0, at its place in "features". */
typedef struct
{
  guint place;
  gint64 outputs, kernel, stride, pad;
} Feature;

static SondeGraphValue *
add_features (SondeLayers *layers, SondeGraphValue *x, const Feature *features, guint n)
{
  sonde_layers_open (layers, "features");
  for (guint i = 0; i < n && x != NULL; i++)
    {
      const Feature *feature = &features[i];
      g_autofree char *name = g_strdup_printf ("%u", feature->place),
                      *relu = g_strdup_printf ("%u", feature->place + 1);
      SondeConvolution convolution = { .outputs = feature->outputs,
                                       .kernel = feature->kernel,
                                       .stride = feature->stride,
                                       .pad = feature->pad };

      if (feature->outputs > 0)
        {
          x = sonde_layers_convolution (layers, name, x, &convolution);
          x = sonde_layers_activation (layers, relu, x, "relu");
        }
      /* Small images are pooled as often as there is something to pool. */
      else if (x->type.dims[2].size >= feature->kernel && x->type.dims[3].size >= feature->kernel)
        x = sonde_layers_max_pool (layers, name, x, feature->kernel, feature->stride, 0);
    }
  sonde_layers_close (layers);
  return x;
}

void
sonde_zoo_alexnet (SondeLayers *layers, SondeGraphValue *x, const SondeZooInput *input)
{
  gboolean small = sonde_zoo_is_small (input);
  const Feature features[] = {
    small ? (Feature){ 0, 64, 3, 1, 1 } : (Feature){ 0, 64, 11, 4, 2 },
    { 2, 0, 3, 2, 0 },
    { 3, 192, 5, 1, 2 },
    { 5, 0, 3, 2, 0 },
    { 6, 384, 3, 1, 1 },
    { 8, 256, 3, 1, 1 },
    { 10, 256, 3, 1, 1 },
    { 12, 0, 3, 2, 0 },
  };

  x = add_features (layers, x, features, G_N_ELEMENTS (features));
  sonde_layers_output (layers, "logits", classify (layers, x, input, TRUE));
}

void
sonde_zoo_vgg11 (SondeLayers *layers, SondeGraphValue *x, const SondeZooInput *input)
{
  static const Feature features[] = {
    { 0, 64, 3, 1, 1 },   { 2, 0, 2, 2, 0 },   { 3, 128, 3, 1, 1 },  { 5, 0, 2, 2, 0 },
    { 6, 256, 3, 1, 1 },  { 8, 256, 3, 1, 1 }, { 10, 0, 2, 2, 0 },   { 11, 512, 3, 1, 1 },
    { 13, 512, 3, 1, 1 }, { 15, 0, 2, 2, 0 },  { 16, 512, 3, 1, 1 }, { 18, 512, 3, 1, 1 },
    { 20, 0, 2, 2, 0 },
  };

  x = add_features (layers, x, features, G_N_ELEMENTS (features));
  sonde_layers_output (layers, "logits", classify (layers, x, input, FALSE));
}

/* ---- unet ---------------------------------------------------------------- */

#define UNET_WIDTH 32
#define UNET_LEVELS 4

static SondeGraphValue *
convolve_twice (SondeLayers *layers, const char *part, guint level, SondeGraphValue *x,
                gint64 outputs)
{
  const SondeConvolution convolution
      = { .outputs = outputs, .kernel = 3, .pad = 1, .weight_initialiser = "he-normal" };

  sonde_layers_open (layers, part);
  sonde_layers_open_index (layers, level);
  x = sonde_layers_convolution_block (layers, "0", x, &convolution, "relu");
  x = sonde_layers_convolution_block (layers, "1", x, &convolution, "relu");
  sonde_layers_close (layers);
  sonde_layers_close (layers);
  return x;
}

/* A pool for each time that the sizes can be halved, four at most; as many transposed convolutions
 * back. */
void
sonde_zoo_unet (SondeLayers *layers, SondeGraphValue *x, const SondeZooInput *input)
{
  SondeGraphValue *skips[UNET_LEVELS];
  gint64 width = UNET_WIDTH;
  guint level = 0;

  while (level < UNET_LEVELS && (input->height >> level) % 2 == 0
         && (input->width >> level) % 2 == 0)
    {
      g_autofree char *pool = g_strdup_printf ("pool%u", level);

      skips[level] = convolve_twice (layers, "down", level, x, width);
      x = sonde_layers_max_pool (layers, pool, skips[level], 2, 0, 0);
      width *= 2;
      level++;
    }
  x = convolve_twice (layers, "down", level, x, width);
  while (level-- > 0)
    {
      g_autofree char *up = g_strdup_printf ("widen%u", level),
                      *join = g_strdup_printf ("join%u", level);

      width /= 2;
      x = sonde_layers_convolution (
          layers, up, x,
          &(SondeConvolution){ .outputs = width, .kernel = 2, .stride = 2, .transposed = TRUE });
      x = sonde_layers_concat (layers, join, skips[level], x, 1);
      x = convolve_twice (layers, "up", level, x, width);
    }
  x = sonde_layers_convolution (layers, "classify", x,
                                &(SondeConvolution){ .outputs = input->classes, .kernel = 1 });
  sonde_layers_output (layers, "logits", x);
}
