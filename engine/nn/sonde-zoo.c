/* SPDX-License-Identifier: Apache-2.0
 * Built-in models, written with the same builder calls as gradients and losses. */
#include "engine/nn/sonde-zoo.h"

#include "data/base/sonde-random.h"
#include "engine/ops/sonde-build.h"

#define ZOO_OPSET 17

/* What the builders of one model share. */
typedef struct
{
  SondeGraph *graph;
  guint64 seed;
  GError **error;
} Zoo;

/* Uniform ±1/√fan_in, PyTorch's default for Linear and Conv2d, weights and biases. */
static SondeGraphValue *
add_parameter (Zoo              *zoo,
               const char       *name,
               const SondeShape *shape,
               gint64            fan_in)
{
  g_autoptr (SondeTensor) tensor = sonde_tensor_new (SONDE_DTYPE_F32, shape);
  gint64 n = sonde_shape_n_elements (shape);
  double bound = 1.0 / sqrt ((double) fan_in);
  guint64 stream = sonde_random_stream (name);
  float *data = (float *) (void *) tensor->data;

  for (gint64 i = 0; i < n; i++)
    data[i] = (float) ((2.0 * sonde_random_uniform (zoo->seed, stream, (guint64) i) - 1.0) * bound);
  return sonde_graph_add_initialiser (zoo->graph, name, tensor, SONDE_ROLE_PARAMETER);
}

/* Infers the node and names its output. Returns NULL with zoo->error set when a size does not fit. */
static SondeGraphValue *
finish (Zoo        *zoo,
        SondeNode  *node,
        const char *output)
{
  if (!sonde_build_infer (zoo->graph, node, zoo->error))
    return NULL;
  if (output != NULL)
    sonde_graph_rename_value (zoo->graph, sonde_node_get_output (node, 0), output);
  return sonde_node_get_output (node, 0);
}

static SondeGraphValue *
add_unary (Zoo             *zoo,
           const char      *name,
           const char      *op,
           SondeGraphValue *x)
{
  return finish (zoo, sonde_graph_add_node (zoo->graph, name, "", op, &x, 1, 1), NULL);
}

static SondeGraphValue *
add_convolution (Zoo             *zoo,
                 const char      *name,
                 SondeGraphValue *x,
                 gint64           outputs,
                 gint64           kernel,
                 gint64           pad)
{
  gint64 channels = x->type.dims[1].size;
  SondeShape weight_shape = sonde_shape_make (4, (int) outputs, (int) channels, (int) kernel, (int) kernel);
  SondeShape bias_shape = sonde_shape_make (1, (int) outputs);
  g_autofree char *weight = g_strconcat (name, ".weight", NULL);
  g_autofree char *bias = g_strconcat (name, ".bias", NULL);
  SondeGraphValue *inputs[3];
  SondeNode *node;

  inputs[0] = x;
  inputs[1] = add_parameter (zoo, weight, &weight_shape, channels * kernel * kernel);
  inputs[2] = add_parameter (zoo, bias, &bias_shape, channels * kernel * kernel);
  node = sonde_graph_add_node (zoo->graph, name, "", "Conv", inputs, 3, 1);
  sonde_node_set_ints (node, "kernel_shape", (gint64[]) { kernel, kernel }, 2);
  sonde_node_set_ints (node, "pads", (gint64[]) { pad, pad, pad, pad }, 4);
  return finish (zoo, node, NULL);
}

static SondeGraphValue *
add_max_pool (Zoo             *zoo,
              const char      *name,
              SondeGraphValue *x)
{
  SondeNode *node = sonde_graph_add_node (zoo->graph, name, "", "MaxPool", &x, 1, 1);

  sonde_node_set_ints (node, "kernel_shape", (gint64[]) { 2, 2 }, 2);
  sonde_node_set_ints (node, "strides", (gint64[]) { 2, 2 }, 2);
  return finish (zoo, node, NULL);
}

/* y = x · Wᵀ + b; W is [outputs, inputs] as in PyTorch. */
static SondeGraphValue *
add_dense (Zoo             *zoo,
           const char      *name,
           SondeGraphValue *x,
           gint64           outputs,
           const char      *output_name)
{
  gint64 fan_in = x->type.dims[1].size;
  SondeShape weight_shape = sonde_shape_make (2, (int) outputs, (int) fan_in);
  SondeShape bias_shape = sonde_shape_make (1, (int) outputs);
  g_autofree char *weight = g_strconcat (name, ".weight", NULL);
  g_autofree char *bias = g_strconcat (name, ".bias", NULL);
  SondeGraphValue *inputs[3];
  SondeNode *node;

  inputs[0] = x;
  inputs[1] = add_parameter (zoo, weight, &weight_shape, fan_in);
  inputs[2] = add_parameter (zoo, bias, &bias_shape, fan_in);
  node = sonde_graph_add_node (zoo->graph, name, "", "Gemm", inputs, 3, 1);
  sonde_node_set_int (node, "transB", 1);
  return finish (zoo, node, output_name);
}

static gboolean
build_lenet (Zoo             *zoo,
             SondeGraphValue *x,
             int              classes)
{
  return (x = add_convolution (zoo, "conv1", x, 6, 5, 2)) != NULL
         && (x = add_unary (zoo, "relu1", "Relu", x)) != NULL
         && (x = add_max_pool (zoo, "pool1", x)) != NULL
         && (x = add_convolution (zoo, "conv2", x, 16, 5, 0)) != NULL
         && (x = add_unary (zoo, "relu2", "Relu", x)) != NULL
         && (x = add_max_pool (zoo, "pool2", x)) != NULL
         && (x = add_unary (zoo, "flatten", "Flatten", x)) != NULL
         && (x = add_dense (zoo, "fc1", x, 120, NULL)) != NULL
         && (x = add_unary (zoo, "relu3", "Relu", x)) != NULL
         && (x = add_dense (zoo, "fc2", x, 84, NULL)) != NULL
         && (x = add_unary (zoo, "relu4", "Relu", x)) != NULL
         && (x = add_dense (zoo, "fc3", x, classes, "logits")) != NULL
         && (sonde_graph_add_output (zoo->graph, x), TRUE);
}

static gboolean
build_mlp (Zoo             *zoo,
           SondeGraphValue *x,
           int              classes)
{
  return (x = add_unary (zoo, "flatten", "Flatten", x)) != NULL
         && (x = add_dense (zoo, "fc1", x, 64, NULL)) != NULL
         && (x = add_unary (zoo, "tanh1", "Tanh", x)) != NULL
         && (x = add_dense (zoo, "fc2", x, 32, NULL)) != NULL
         && (x = add_unary (zoo, "tanh2", "Tanh", x)) != NULL
         && (x = add_dense (zoo, "fc3", x, classes, "logits")) != NULL
         && (sonde_graph_add_output (zoo->graph, x), TRUE);
}

static const struct
{
  const char *name;
  gboolean (*build) (Zoo *zoo, SondeGraphValue *input, int classes);
} models[] = {
  { "lenet", build_lenet },
  { "mlp", build_mlp },
};

static const char *const model_names[] = { "lenet", "mlp", NULL };

const char *const *
sonde_zoo_list (void)
{
  return model_names;
}

SondeGraph *
sonde_zoo_build (const char *name,
                 int         channels,
                 int         height,
                 int         width,
                 int         classes,
                 guint64     seed,
                 GError    **error)
{
  g_autoptr (SondeGraph) graph = NULL;
  g_autofree char *names = NULL;
  SondeType type = { SONDE_VALUE_TENSOR, SONDE_DTYPE_F32, 4, { { -1, g_intern_string ("N") } } };

  type.dims[1].size = channels;
  type.dims[2].size = height;
  type.dims[3].size = width;
  for (gsize i = 0; i < G_N_ELEMENTS (models); i++)
    if (g_str_equal (models[i].name, name))
      {
        Zoo zoo;

        graph = sonde_graph_new (name);
        sonde_graph_set_opset (graph, "", ZOO_OPSET);
        zoo = (Zoo) { graph, seed, error };
        if (models[i].build (&zoo, sonde_graph_add_input (graph, "input", &type), classes))
          return g_steal_pointer (&graph);
        g_prefix_error (error, "Built-in model “%s” does not fit inputs of %d×%d×%d: ", name, channels,
                        height, width);
        return NULL;
      }
  names = g_strjoinv (", ", (char **) model_names);
  g_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_NOT_FOUND,
               "There is no built-in model “%s”; there are: %s.", name, names);
  return NULL;
}
