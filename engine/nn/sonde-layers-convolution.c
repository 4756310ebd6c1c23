/* SPDX-License-Identifier: Apache-2.0
 * Dense layers, convolutions, pooling. */
#include "engine/nn/sonde-layers-private.h"

#define MOST_SPATIAL 3
#define DEFAULT_INITIALISER "torch"

/* ---- dense --------------------------------------------------------------- */

SondeGraphValue *
sonde_layers_apply_dense (SondeLayers *layers, const char *name, SondeGraphValue *x,
                          SondeGraphValue *weight, SondeGraphValue *bias)
{
  SondeGraphValue *inputs[] = { x, weight, bias };
  SondeGraphValue *turned, *product;
  SondeNode *node;

  if (layers->error != NULL)
    return NULL;
  if (x->type.rank == 2)
    {
      node = sonde_layers_add_node (layers, name, "Gemm", bias != NULL ? 3 : 2, inputs, 1);
      sonde_node_set_int (node, "transB", 1);
      return sonde_layers_done (layers, node);
    }
  sonde_layers_open (layers, name);
  turned = sonde_layers_transpose (layers, "transpose", weight, 2, (gint64[]){ 1, 0 });
  product
      = sonde_layers_done (layers, sonde_layers_add_node (layers, "product", "MatMul", 2,
                                                          (SondeGraphValue *[]){ x, turned }, 1));
  if (bias != NULL)
    product = sonde_layers_add (layers, "sum", product, bias);
  sonde_layers_close (layers);
  return product;
}

SondeGraphValue *
sonde_layers_dense (SondeLayers *layers, const char *name, SondeGraphValue *x,
                    const SondeDense *dense)
{
  const char *weight_initialiser = dense->weight_initialiser,
             *bias_initialiser = dense->bias_initialiser;
  SondeGraphValue *weight, *bias = NULL;
  SondeShape weight_shape, bias_shape = sonde_shape_make (1, dense->outputs);
  gint64 inputs;

  if (!sonde_layers_begin_rank (layers, name, x, 2, SONDE_MAX_RANK))
    return NULL;
  if (dense->outputs <= 0)
    return sonde_layers_refuse (layers, name, SONDE_ENGINE_ERROR_INVALID,
                                "it has %" PRIi64 " outputs.", dense->outputs);
  inputs = sonde_layers_need_size (layers, name, x, -1);
  if (inputs == 0)
    return NULL;
  weight_shape = sonde_shape_make (2, dense->outputs, inputs);
  sonde_layers_open (layers, name);
  weight = sonde_layers_parameter (
      layers, "weight", &weight_shape,
      weight_initialiser != NULL ? weight_initialiser : DEFAULT_INITIALISER, 0, 0);
  if (!dense->no_bias)
    bias = sonde_layers_parameter (
        layers, "bias", &bias_shape,
        bias_initialiser != NULL ? bias_initialiser : DEFAULT_INITIALISER, inputs, 0);
  sonde_layers_close (layers);
  return sonde_layers_apply_dense (layers, name, x, weight, bias);
}

/* ---- convolution --------------------------------------------------------- */

static void
set_all (SondeNode *node, const char *attribute, int n, gint64 value)
{
  gint64 values[2 * MOST_SPATIAL];

  for (int i = 0; i < n; i++)
    values[i] = value;
  sonde_node_set_ints (node, attribute, values, (gsize) n);
}

/* What is not the standard's default is said. */
static void
set_window (SondeNode *node, int rank, gint64 kernel, gint64 stride, gint64 pad)
{
  set_all (node, "kernel_shape", rank, kernel);
  if (stride != 1)
    set_all (node, "strides", rank, stride);
  if (pad != 0)
    set_all (node, "pads", 2 * rank, pad);
}

/* The weight's shape: [outputs, inputs / groups, kernel…], the first two exchanged when
 * transposed. */
static gboolean
shape_weight (SondeLayers *layers, const char *name, const SondeGraphValue *x,
              const SondeConvolution *convolution, gint64 groups, SondeShape *shape)
{
  gint64 inputs = sonde_layers_need_size (layers, name, x, 1), outputs;

  if (inputs == 0)
    return FALSE;
  if (groups < 0)
    groups = inputs;
  outputs = convolution->groups < 0 && convolution->outputs == 0 ? inputs : convolution->outputs;
  if (outputs <= 0 || convolution->kernel <= 0 || inputs % groups != 0 || outputs % groups != 0)
    {
      sonde_layers_refuse (layers, name, SONDE_ENGINE_ERROR_INVALID,
                           "groups = %" PRIi64 " and kernel = %" PRIi64 " do not fit %" PRIi64
                           " input and %" PRIi64 " output channels.",
                           groups, convolution->kernel, inputs, outputs);
      return FALSE;
    }
  shape->rank = x->type.rank;
  shape->dims[0] = convolution->transposed ? inputs : outputs;
  shape->dims[1] = (convolution->transposed ? outputs : inputs) / groups;
  for (int d = 2; d < shape->rank; d++)
    shape->dims[d] = convolution->kernel;
  return TRUE;
}

static SondeNode *
add_convolution (SondeLayers *layers, const char *name, SondeGraphValue *const *inputs,
                 const SondeConvolution *convolution, gint64 groups)
{
  int rank = inputs[0]->type.rank - 2;
  SondeNode *node
      = sonde_layers_add_node (layers, name, convolution->transposed ? "ConvTranspose" : "Conv",
                               inputs[2] != NULL ? 3 : 2, inputs, 1);

  set_window (node, rank, convolution->kernel, MAX (convolution->stride, 1), convolution->pad);
  if (convolution->dilation > 1)
    set_all (node, "dilations", rank, convolution->dilation);
  if (groups != 1)
    sonde_node_set_int (node, "group", groups);
  if (convolution->output_pad != 0)
    set_all (node, "output_padding", rank, convolution->output_pad);
  return node;
}

SondeGraphValue *
sonde_layers_convolution (SondeLayers *layers, const char *name, SondeGraphValue *x,
                          const SondeConvolution *convolution)
{
  const char *weight_initialiser = convolution->weight_initialiser,
             *bias_initialiser = convolution->bias_initialiser;
  gint64 groups = convolution->groups == 0 ? 1 : convolution->groups;
  int least = convolution->rank > 0 ? convolution->rank + 2 : 3;
  int most = convolution->rank > 0 ? convolution->rank + 2 : MOST_SPATIAL + 2;
  SondeGraphValue *inputs[3] = { x };
  SondeShape shape, bias_shape;
  gint64 outputs;

  if (!sonde_layers_begin_rank (layers, name, x, least, most)
      || !shape_weight (layers, name, x, convolution, groups, &shape))
    return NULL;
  if (groups < 0)
    groups = x->type.dims[1].size;
  outputs = convolution->transposed ? shape.dims[1] * groups : shape.dims[0];
  bias_shape = sonde_shape_make (1, outputs);
  sonde_layers_open (layers, name);
  inputs[1] = sonde_layers_parameter (
      layers, "weight", &shape,
      weight_initialiser != NULL ? weight_initialiser : DEFAULT_INITIALISER, 0, 0);
  if (!convolution->no_bias)
    inputs[2]
        = sonde_layers_parameter (layers, "bias", &bias_shape,
                                  bias_initialiser != NULL ? bias_initialiser : DEFAULT_INITIALISER,
                                  sonde_shape_n_elements (&shape) / shape.dims[0], 0);
  sonde_layers_close (layers);
  if (layers->error != NULL)
    return NULL;
  return sonde_layers_done (layers, add_convolution (layers, name, inputs, convolution, groups));
}

SondeGraphValue *
sonde_layers_convolution_block (SondeLayers *layers, const char *name, SondeGraphValue *x,
                                const SondeConvolution *convolution, const char *activation)
{
  SondeConvolution plain = *convolution;

  plain.no_bias = TRUE;
  sonde_layers_open (layers, name);
  x = sonde_layers_convolution (layers, "0", x, &plain);
  x = sonde_layers_batch_norm (layers, "1", x);
  if (activation != NULL)
    x = sonde_layers_activation (layers, "2", x, activation);
  sonde_layers_close (layers);
  return x;
}

/* ---- pooling ------------------------------------------------------------- */

static SondeGraphValue *
pool (SondeLayers *layers, const char *name, const char *op, SondeGraphValue *x, gint64 kernel,
      gint64 stride, gint64 pad)
{
  SondeNode *node;

  if (!sonde_layers_begin_rank (layers, name, x, 3, MOST_SPATIAL + 2))
    return NULL;
  if (kernel <= 0 || stride < 0 || pad < 0 || pad >= kernel)
    return sonde_layers_refuse (layers, name, SONDE_ENGINE_ERROR_INVALID,
                                "kernel %" PRIi64 ", stride %" PRIi64 " and padding %" PRIi64
                                " are not a valid window.",
                                kernel, stride, pad);
  node = sonde_layers_add_node (layers, name, op, 1, &x, 1);
  set_window (node, x->type.rank - 2, kernel, stride > 0 ? stride : kernel, pad);
  return sonde_layers_done (layers, node);
}

SondeGraphValue *
sonde_layers_max_pool (SondeLayers *layers, const char *name, SondeGraphValue *x, gint64 kernel,
                       gint64 stride, gint64 pad)
{
  return pool (layers, name, "MaxPool", x, kernel, stride, pad);
}

SondeGraphValue *
sonde_layers_average_pool (SondeLayers *layers, const char *name, SondeGraphValue *x, gint64 kernel,
                           gint64 stride, gint64 pad)
{
  return pool (layers, name, "AveragePool", x, kernel, stride, pad);
}

SondeGraphValue *
sonde_layers_global_average_pool (SondeLayers *layers, const char *name, SondeGraphValue *x)
{
  if (!sonde_layers_begin_rank (layers, name, x, 3, MOST_SPATIAL + 2))
    return NULL;
  sonde_layers_open (layers, name);
  x = sonde_layers_done (layers,
                         sonde_layers_add_node (layers, "mean", "GlobalAveragePool", 1, &x, 1));
  x = sonde_layers_flatten (layers, "flatten", x);
  sonde_layers_close (layers);
  return x;
}
