/* SPDX-License-Identifier: Apache-2.0
 * ResNet-50: He et al. 2015, table 1, with the stride in the 3×3 convolution as torchvision has
 * it. */
#include "tests/bench/resnet-net.h"

#include "engine/ops/sonde-build.h"

#include <math.h>

typedef struct
{
  SondeGraph *graph;
  guint32 random;
} Builder;

static float
next_random (Builder *builder)
{
  builder->random = builder->random * 1664525u + 1013904223u;
  return (float) (builder->random >> 8) / (float) (1 << 24) - 0.5f;
}

static SondeGraphValue *
add_weight (Builder *builder, SondeShape shape, float scale, float offset)
{
  g_autoptr (SondeTensor) tensor = sonde_tensor_new (SONDE_DTYPE_F32, &shape);
  float *data = (float *) (void *) tensor->data;

  for (gint64 i = 0; i < sonde_tensor_n_elements (tensor); i++)
    data[i] = next_random (builder) * scale + offset;
  return sonde_graph_add_initialiser (builder->graph, NULL, tensor, SONDE_ROLE_PARAMETER);
}

static SondeGraphValue *
add_node (Builder *builder, const char *op, guint n, SondeGraphValue *const *inputs)
{
  return sonde_build_op (builder->graph, NULL, "", op, n, inputs);
}

static SondeGraphValue *
add_relu (Builder *builder, SondeGraphValue *x)
{
  return add_node (builder, "Relu", 1, &x);
}

/* Convolution without bias, then batch normalisation. */
static SondeGraphValue *
add_conv (Builder *builder, SondeGraphValue *x, int outputs, int kernel, int stride)
{
  int inputs = (int) x->type.dims[1].size;
  gint64 strides[] = { stride, stride }, half = kernel / 2, pads[] = { half, half, half, half };
  SondeShape channels = sonde_shape_make (1, outputs);
  SondeGraphValue *conv[] = {
    x,
    add_weight (builder, sonde_shape_make (4, outputs, inputs, kernel, kernel),
                sqrtf (24.0f / (float) (inputs * kernel * kernel)), 0),
  };
  SondeGraphValue *y = add_node (builder, "Conv", 2, conv);
  SondeGraphValue *norm[] = {
    y,
    add_weight (builder, channels, 0.2f, 0.5f),
    add_weight (builder, channels, 0.2f, 0),
    add_weight (builder, channels, 0.2f, 0),
    add_weight (builder, channels, 0.2f, 1),
  };

  sonde_node_set_ints (y->producer, "strides", strides, 2);
  sonde_node_set_ints (y->producer, "pads", pads, 4);
  g_assert_true (sonde_build_infer (builder->graph, y->producer, NULL));
  return add_node (builder, "BatchNormalization", 5, norm);
}

static SondeGraphValue *
add_block (Builder *builder, SondeGraphValue *x, int width, int stride)
{
  SondeGraphValue *short_cut = x, *y;

  if (stride != 1 || x->type.dims[1].size != 4 * width)
    short_cut = add_conv (builder, x, 4 * width, 1, stride);

  y = add_relu (builder, add_conv (builder, x, width, 1, 1));
  y = add_relu (builder, add_conv (builder, y, width, 3, stride));
  y = add_conv (builder, y, 4 * width, 1, 1);
  return add_relu (builder, add_node (builder, "Add", 2, (SondeGraphValue *[]){ y, short_cut }));
}

SondeGraph *
resnet_net_new (guint batch, guint side)
{
  static const int counts[] = { 3, 4, 6, 3 };
  Builder builder = { sonde_graph_new ("resnet50"), 1 };
  SondeShape shape = sonde_shape_make (4, (int) batch, 3, (int) side, (int) side);
  SondeType type = sonde_type_tensor (SONDE_DTYPE_F32, &shape);
  gint64 kernel[] = { 3, 3 }, strides[] = { 2, 2 }, pads[] = { 1, 1, 1, 1 };
  SondeGraphValue *x;

  sonde_graph_set_opset (builder.graph, "", 21);
  x = sonde_graph_add_input (builder.graph, "x", &type);
  x = add_relu (&builder, add_conv (&builder, x, 64, 7, 2));
  x = add_node (&builder, "MaxPool", 1, &x);
  sonde_node_set_ints (x->producer, "kernel_shape", kernel, 2);
  sonde_node_set_ints (x->producer, "strides", strides, 2);
  sonde_node_set_ints (x->producer, "pads", pads, 4);
  g_assert_true (sonde_build_infer (builder.graph, x->producer, NULL));

  for (int stage = 0; stage < 4; stage++)
    for (int i = 0; i < counts[stage]; i++)
      x = add_block (&builder, x, 64 << stage, stage > 0 && i == 0 ? 2 : 1);

  x = add_node (&builder, "GlobalAveragePool", 1, &x);
  x = add_node (&builder, "Flatten", 1, &x);
  x = add_node (
      &builder, "Gemm", 3,
      (SondeGraphValue *[]){ x, add_weight (&builder, sonde_shape_make (2, 2048, 1000), 0.05f, 0),
                             add_weight (&builder, sonde_shape_make (1, 1000), 0.05f, 0) });
  sonde_graph_add_output (builder.graph, x);
  return builder.graph;
}
