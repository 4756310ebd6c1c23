/* SPDX-License-Identifier: Apache-2.0
 * The hand-built training graph. */
#include "tests/engine/plan/training-net.h"

#include "engine/ops/sonde-build.h"

#include <math.h>

SondeTensor *
random_f32 (const SondeShape *shape, double bound, guint32 seed)
{
  g_autoptr (GRand) random = g_rand_new_with_seed (seed);
  SondeTensor *tensor = sonde_tensor_new (SONDE_DTYPE_F32, shape);

  for (gint64 i = 0; i < sonde_tensor_n_elements (tensor); i++)
    sonde_tensor_set_double (tensor, i, g_rand_double_range (random, -bound, bound));
  return tensor;
}

static SondeGraphValue *
add_parameter (TrainingNet *net, const char *name, const SondeShape *shape, gint64 fan_in)
{
  g_autoptr (SondeTensor) tensor
      = random_f32 (shape, 1 / sqrt ((double) fan_in), 100 + net->parameters->len);
  SondeGraphValue *value
      = sonde_graph_add_initialiser (net->graph, name, tensor, SONDE_ROLE_PARAMETER);

  g_ptr_array_add (net->parameters, value);
  return value;
}

static SondeGraphValue *
add_layer (TrainingNet *net, const char *name, const char *op, SondeGraphValue *x,
           SondeShape weight, gint64 padding)
{
  gint64 pads[] = { padding, padding, padding, padding };
  SondeShape bias = sonde_shape_make (1, (int) weight.dims[0]);
  g_autofree char *weight_name = g_strconcat (name, ".weight", NULL);
  g_autofree char *bias_name = g_strconcat (name, ".bias", NULL);
  gint64 fan_in = sonde_shape_n_elements (&weight) / weight.dims[0];
  SondeGraphValue *inputs[] = {
    x,
    add_parameter (net, weight_name, &weight, fan_in),
    add_parameter (net, bias_name, &bias, fan_in),
  };
  SondeGraphValue *y = sonde_build_op (net->graph, name, "", op, 3, inputs);

  if (g_str_equal (op, "Conv"))
    sonde_node_set_ints (y->producer, "pads", pads, 4);
  else
    sonde_node_set_int (y->producer, "transB", 1);

  g_assert_true (sonde_build_infer (net->graph, y->producer, NULL));
  return y;
}

static SondeGraphValue *
add_pool (TrainingNet *net, SondeGraphValue *x)
{
  gint64 two[] = { 2, 2 };
  SondeGraphValue *y = sonde_build_unary (net->graph, "MaxPool", x);

  sonde_node_set_ints (y->producer, "kernel_shape", two, 2);
  sonde_node_set_ints (y->producer, "strides", two, 2);
  g_assert_true (sonde_build_infer (net->graph, y->producer, NULL));
  return y;
}

static SondeGraphValue *
add_state (TrainingNet *net, SondeGraphValue *parameter, const char *what)
{
  SondeShape shape;
  g_autofree char *name = g_strdup_printf ("state(%s, %s)", parameter->name, what);
  g_autoptr (SondeTensor) zeros = NULL;
  SondeGraphValue *state;

  sonde_type_get_shape (&parameter->type, &shape);
  zeros = sonde_tensor_new (SONDE_DTYPE_F32, &shape);
  state = sonde_graph_add_initialiser (net->graph, name, zeros, SONDE_ROLE_PARAMETER);
  state->role = SONDE_ROLE_STATE;
  return state;
}

static void
add_update (TrainingNet *net, SondeGraphValue *parameter, SondeGraphValue *gradient,
            SondeGraphValue *rate, SondeGraphValue *step, const char *optimiser)
{
  gboolean adam = g_str_equal (optimiser, "adam");
  SondeGraphValue *first = add_state (net, parameter, adam ? "m" : "momentum");
  SondeGraphValue *second = adam ? add_state (net, parameter, "v") : NULL;
  SondeGraphValue *sgd[] = { parameter, gradient, first, rate };
  SondeGraphValue *adams[] = { parameter, gradient, first, second, rate, step };
  SondeGraphValue *targets[] = { parameter, first, second };
  SondeNode *node
      = sonde_graph_add_node (net->graph, NULL, SONDE_DOMAIN, adam ? "AdamUpdate" : "SgdUpdate",
                              adam ? adams : sgd, adam ? 6 : 4, adam ? 3 : 2);

  node->phase = SONDE_PHASE_OPTIMISER;
  if (!adam)
    sonde_node_set_float (node, "momentum", 0.9);
  g_assert_true (sonde_build_infer (net->graph, node, NULL));

  for (guint i = 0; i < node->outputs->len; i++)
    {
      SondeGraphValue *made = sonde_node_get_output (node, i);
      g_autofree char *name = g_strconcat (targets[i]->name, "'", NULL);

      made->update_of = targets[i];
      sonde_graph_rename_value (net->graph, made, name);
    }
}

static void
add_training (TrainingNet *net, const char *optimiser)
{
  SondeShape scalar = sonde_shape_scalar ();
  SondeType rate_type = sonde_type_tensor (SONDE_DTYPE_F32, &scalar);
  SondeType step_type = sonde_type_tensor (SONDE_DTYPE_I64, &scalar);
  SondeGraphValue *rate = sonde_graph_add_input (net->graph, "rate", &rate_type);
  SondeGraphValue *step = sonde_graph_add_input (net->graph, "step", &step_type);
  guint n = net->parameters->len;
  g_autofree SondeGraphValue **gradients = g_new0 (SondeGraphValue *, n);
  g_autoptr (GError) error = NULL;

  sonde_pass_gradient (net->graph, net->loss, NULL,
                       (SondeGraphValue *const *) net->parameters->pdata, n, gradients, &error);
  g_assert_no_error (error);
  for (guint i = 0; i < n; i++)
    add_update (net, g_ptr_array_index (net->parameters, i), gradients[i], rate, step, optimiser);
}

TrainingNet *
training_net_new (guint batch, guint side, const char *optimiser)
{
  TrainingNet *net = g_new0 (TrainingNet, 1);
  SondeShape images = sonde_shape_make (4, (int) batch, 1, (int) side, (int) side);
  SondeShape labels = sonde_shape_make (1, (int) batch);
  SondeType images_type = sonde_type_tensor (SONDE_DTYPE_F32, &images);
  SondeType labels_type = sonde_type_tensor (SONDE_DTYPE_I64, &labels);
  int rest = ((int) side / 2 - 4) / 2;
  SondeGraphValue *x, *target;

  net->graph = sonde_graph_new ("lenet");
  sonde_graph_set_opset (net->graph, "", 21);
  net->parameters = g_ptr_array_new ();
  net->batch = batch;
  net->side = side;
  x = sonde_graph_add_input (net->graph, "x", &images_type);
  target = sonde_graph_add_input (net->graph, "labels", &labels_type);
  x = add_pool (net, sonde_build_unary (
                         net->graph, "Relu",
                         add_layer (net, "conv1", "Conv", x, sonde_shape_make (4, 6, 1, 5, 5), 2)));
  x = add_pool (net, sonde_build_unary (net->graph, "Relu",
                                        add_layer (net, "conv2", "Conv", x,
                                                   sonde_shape_make (4, 16, 6, 5, 5), 0)));
  x = sonde_build_unary (net->graph, "Flatten", x);
  x = sonde_build_unary (
      net->graph, "Relu",
      add_layer (net, "fc1", "Gemm", x, sonde_shape_make (2, 120, 16 * rest * rest), 0));
  x = sonde_build_unary (net->graph, "Relu",
                         add_layer (net, "fc2", "Gemm", x, sonde_shape_make (2, 84, 120), 0));
  net->logits = add_layer (net, "fc3", "Gemm", x, sonde_shape_make (2, 10, 84), 0);
  sonde_graph_rename_value (net->graph, net->logits, "logits");
  net->loss = sonde_build_op (net->graph, "loss", "", "SoftmaxCrossEntropyLoss", 2,
                              (SondeGraphValue *[]){ net->logits, target });
  sonde_graph_add_output (net->graph, net->loss);
  sonde_graph_add_output (net->graph, net->logits);
  if (optimiser != NULL)
    add_training (net, optimiser);
  return net;
}

void
training_net_free (TrainingNet *net)
{
  sonde_graph_unref (net->graph);
  g_ptr_array_unref (net->parameters);
  g_free (net);
}

SondeTensor *
training_net_images (const TrainingNet *net, guint32 seed)
{
  SondeShape shape = sonde_shape_make (4, (int) net->batch, 1, (int) net->side, (int) net->side);

  return random_f32 (&shape, 1, seed);
}

SondeTensor *
training_net_labels (const TrainingNet *net, guint32 seed)
{
  g_autoptr (GRand) random = g_rand_new_with_seed (seed);
  SondeShape shape = sonde_shape_make (1, (int) net->batch);
  SondeTensor *labels = sonde_tensor_new (SONDE_DTYPE_I64, &shape);

  for (guint i = 0; i < net->batch; i++)
    sonde_tensor_set_double (labels, i, g_rand_int_range (random, 0, 10));
  return labels;
}
