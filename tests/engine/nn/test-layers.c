/* SPDX-License-Identifier: Apache-2.0
 * Layers: shapes, names of nodes and parameters, gradients by differences in double, what inference
 * turns off, refusals. */
#include "engine/nn/sonde-layers.h"

#include <math.h>
#include <string.h>

#include "tests/support/sonde-test-gradient.h"
#include "tests/support/sonde-test-tensor.h"

/* ---- each layer ---------------------------------------------------------- */

typedef SondeGraphValue *(*Make) (SondeLayers *layers, SondeGraphValue *x);

#define LAYER(name, call)                                                                          \
  static SondeGraphValue *make_##name (SondeLayers *layers, SondeGraphValue *x) { return call; }
#define ACTIVATION(name, function) LAYER (name, sonde_layers_activation (layers, "a", x, function))
#define CONVOLUTION(name, ...)                                                                     \
  LAYER (name, sonde_layers_convolution (layers, "c", x, &(SondeConvolution){ __VA_ARGS__ }))

LAYER (dense, sonde_layers_dense (layers, "fc", x, &(SondeDense){ .outputs = 4 }))
LAYER (plain_dense,
       sonde_layers_dense (layers, "fc", x, &(SondeDense){ .outputs = 4, .no_bias = TRUE }))
CONVOLUTION (convolution, .outputs = 4, .kernel = 3, .stride = 2, .pad = 1)
CONVOLUTION (dilated, .outputs = 2, .kernel = 3, .dilation = 2, .groups = 2, .pad = 2)
CONVOLUTION (depthwise, .kernel = 3, .groups = -1, .no_bias = TRUE)
CONVOLUTION (transposed, .outputs = 3, .kernel = 3, .stride = 2, .pad = 1, .output_pad = 1,
             .transposed = TRUE)
LAYER (block,
       sonde_layers_convolution_block (layers, "b", x,
                                       &(SondeConvolution){ .outputs = 3, .kernel = 3 }, "tanh"))
LAYER (max_pool, sonde_layers_max_pool (layers, "p", x, 2, 0, 0))
LAYER (average_pool, sonde_layers_average_pool (layers, "p", x, 3, 2, 1))
LAYER (global_pool, sonde_layers_global_average_pool (layers, "p", x))
LAYER (batch_norm, sonde_layers_batch_norm (layers, "n", x))
LAYER (layer_norm, sonde_layers_layer_norm (layers, "n", x, -2))
LAYER (rms_norm, sonde_layers_rms_norm (layers, "n", x))
LAYER (group_norm, sonde_layers_group_norm (layers, "n", x, 2))
LAYER (instance_norm, sonde_layers_instance_norm (layers, "n", x))
LAYER (dropout, sonde_layers_dropout (layers, "d", x, 0.5))
LAYER (add, sonde_layers_add (layers, "s", x, x))
LAYER (concat,
       sonde_layers_concat (layers, "s", x, sonde_layers_activation (layers, "t", x, "tanh"), 1))
LAYER (flatten, sonde_layers_flatten (layers, "f", x))
LAYER (reshape, sonde_layers_reshape (layers, "r", x, 3, (gint64[]){ 0, -1, 2 }))
LAYER (transpose, sonde_layers_transpose (layers, "t", x, 3, (gint64[]){ 0, 2, 1 }))
LAYER (mean, sonde_layers_mean (layers, "m", x, 1))
LAYER (rnn, sonde_layers_recurrent (layers, "r", x, SONDE_RECURRENT_RNN, 3, FALSE, NULL))
LAYER (gru, sonde_layers_recurrent (layers, "r", x, SONDE_RECURRENT_GRU, 3, FALSE, NULL))
LAYER (lstm, sonde_layers_recurrent (layers, "r", x, SONDE_RECURRENT_LSTM, 3, TRUE, NULL))
LAYER (attention, sonde_layers_attention (layers, "a", x, NULL, 2, NULL, FALSE))
LAYER (causal, sonde_layers_attention (layers, "a", x, NULL, 2, NULL, TRUE))
LAYER (encoder, sonde_layers_transformer_block (layers, "e", x,
                                                &(SondeTransformerBlock){ .heads = 2,
                                                                          .feed_forward = 5,
                                                                          .activation = "gelu" }))
LAYER (pre_norm, sonde_layers_transformer_block (layers, "e", x,
                                                 &(SondeTransformerBlock){ .heads = 1,
                                                                           .feed_forward = 3,
                                                                           .activation = "silu",
                                                                           .norm_first = TRUE }))
ACTIVATION (relu, "relu")
ACTIVATION (leaky_relu, "leaky-relu")
ACTIVATION (elu, "elu")
ACTIVATION (selu, "selu")
ACTIVATION (gelu, "gelu")
ACTIVATION (gelu_tanh, "gelu-tanh")
ACTIVATION (silu, "silu")
ACTIVATION (mish, "mish")
ACTIVATION (hard_swish, "hard-swish")
ACTIVATION (sigmoid, "sigmoid")
ACTIVATION (hard_sigmoid, "hard-sigmoid")
ACTIVATION (tanh, "tanh")
ACTIVATION (softplus, "softplus")
ACTIVATION (softsign, "softsign")
ACTIVATION (softmax, "softmax")
ACTIVATION (log_softmax, "log-softmax")
ACTIVATION (relu6, "relu6")
ACTIVATION (identity, "identity")

static SondeGraphValue *
make_last (SondeLayers *layers, SondeGraphValue *x)
{
  SondeGraphValue *last;

  sonde_layers_recurrent (layers, "r", x, SONDE_RECURRENT_LSTM, 3, TRUE, &last);
  return last;
}

/* Queries of one sequence over another, with numbers added to the scores. */
static SondeGraphValue *
make_cross (SondeLayers *layers, SondeGraphValue *x)
{
  SondeShape shape = sonde_shape_make (2, 3, 6);
  SondeGraphValue *memory = sonde_layers_concat (
      layers, "both", x, sonde_layers_activation (layers, "other", x, "tanh"), 1);
  SondeGraphValue *mask = sonde_layers_parameter (layers, "mask", &shape, "normal", 0, 0);

  memory = sonde_layers_reshape (layers, "memory", memory, 3, (gint64[]){ 0, 6, 4 });
  x = sonde_layers_reshape (layers, "queries", x, 3, (gint64[]){ 0, 3, 4 });
  return sonde_layers_attention (layers, "a", x, memory, 2, mask, FALSE);
}

#define IMAGE                                                                                      \
  4, { -1, 2, 5, 5 }
#define SEQUENCE                                                                                   \
  3, { -1, 3, 4 }
#define ROWS                                                                                       \
  2, { -1, 6 }

/**
 * Case: @parameters: "NAME sizes" of each parameter and buffer, in order; @output: type; sizes for
 * two samples
 */
static const struct
{
  const char *name;
  Make make;
  int rank;
  gint64 dims[5];
  const char *parameters, *output;
} cases[] = {
  { "dense", make_dense, ROWS, "fc.weight 4×6, fc.bias 4", "2×4" },
  { "dense/of-sequence", make_dense, SEQUENCE, "fc.weight 4×4, fc.bias 4", "2×3×4" },
  { "dense/no-bias", make_plain_dense, SEQUENCE, "fc.weight 4×4", "2×3×4" },
  { "convolution/1-d", make_convolution, 3, { -1, 2, 5 }, "c.weight 4×2×3, c.bias 4", "2×4×3" },
  { "convolution/2-d", make_convolution, IMAGE, "c.weight 4×2×3×3, c.bias 4", "2×4×3×3" },
  { "convolution/3-d",
    make_convolution,
    5,
    { -1, 1, 3, 3, 3 },
    "c.weight 4×1×3×3×3, c.bias 4",
    "2×4×2×2×2" },
  { "convolution/dilated", make_dilated, IMAGE, "c.weight 2×1×3×3, c.bias 2", "2×2×5×5" },
  { "convolution/depthwise", make_depthwise, IMAGE, "c.weight 2×1×3×3", "2×2×3×3" },
  { "convolution/transposed", make_transposed, IMAGE, "c.weight 2×3×3×3, c.bias 3", "2×3×10×10" },
  { "convolution-block", make_block, IMAGE,
    "b.0.weight 3×2×3×3, b.1.weight 3, b.1.bias 3, b.1.running_mean 3, b.1.running_var 3",
    "2×3×3×3" },
  { "max-pool", make_max_pool, IMAGE, "", "2×2×2×2" },
  { "average-pool", make_average_pool, IMAGE, "", "2×2×3×3" },
  { "global-average-pool", make_global_pool, IMAGE, "", "2×2" },
  { "batch-norm", make_batch_norm, IMAGE, "n.weight 2, n.bias 2, n.running_mean 2, n.running_var 2",
    "2×2×5×5" },
  { "layer-norm", make_layer_norm, SEQUENCE, "n.weight 3×4, n.bias 3×4", "2×3×4" },
  { "rms-norm", make_rms_norm, SEQUENCE, "n.weight 4", "2×3×4" },
  { "group-norm", make_group_norm, 3, { -1, 4, 3 }, "n.weight 4, n.bias 4", "2×4×3" },
  { "instance-norm", make_instance_norm, IMAGE, "n.weight 2, n.bias 2", "2×2×5×5" },
  { "dropout", make_dropout, ROWS, "", "2×6" },
  { "add", make_add, ROWS, "", "2×6" },
  { "concat", make_concat, ROWS, "", "2×12" },
  { "flatten", make_flatten, IMAGE, "", "2×50" },
  { "reshape", make_reshape, ROWS, "", "2×3×2" },
  { "transpose", make_transpose, SEQUENCE, "", "2×4×3" },
  { "mean", make_mean, SEQUENCE, "", "2×4" },
  { "rnn", make_rnn, SEQUENCE, "r.weight_ih 1×3×4, r.weight_hh 1×3×3, r.bias 1×6", "2×3×3" },
  { "gru", make_gru, SEQUENCE, "r.weight_ih 1×9×4, r.weight_hh 1×9×3, r.bias 1×18", "2×3×3" },
  { "lstm", make_lstm, SEQUENCE, "r.weight_ih 2×12×4, r.weight_hh 2×12×3, r.bias 2×24", "2×3×6" },
  { "lstm/last", make_last, SEQUENCE, "r.weight_ih 2×12×4, r.weight_hh 2×12×3, r.bias 2×24",
    "2×6" },
  { "attention", make_attention, SEQUENCE,
    "a.in_proj_weight 12×4, a.in_proj_bias 12, a.out_proj.weight 4×4, a.out_proj.bias 4", "2×3×4" },
  { "attention/causal", make_causal, SEQUENCE,
    "a.in_proj_weight 12×4, a.in_proj_bias 12, a.out_proj.weight 4×4, a.out_proj.bias 4", "2×3×4" },
  { "attention/cross",
    make_cross,
    2,
    { -1, 12 },
    "mask 3×6, a.in_proj_weight 12×4, a.in_proj_bias 12, a.out_proj.weight 4×4, a.out_proj.bias 4",
    "2×3×4" },
  { "transformer-block", make_encoder, SEQUENCE,
    "e.self_attn.in_proj_weight 12×4, e.self_attn.in_proj_bias 12, e.self_attn.out_proj.weight "
    "4×4, e.self_attn.out_proj.bias 4, "
    "e.norm1.weight 4, e.norm1.bias 4, e.linear1.weight 5×4, e.linear1.bias 5, e.linear2.weight "
    "4×5, e.linear2.bias 4, "
    "e.norm2.weight 4, e.norm2.bias 4",
    "2×3×4" },
  { "transformer-block/pre-norm", make_pre_norm, SEQUENCE,
    "e.norm1.weight 4, e.norm1.bias 4, e.self_attn.in_proj_weight 12×4, e.self_attn.in_proj_bias "
    "12, e.self_attn.out_proj.weight 4×4, "
    "e.self_attn.out_proj.bias 4, e.norm2.weight 4, e.norm2.bias 4, e.linear1.weight 3×4, "
    "e.linear1.bias 3, e.linear2.weight 4×3, "
    "e.linear2.bias 4",
    "2×3×4" },
  { "activation/relu", make_relu, ROWS, "", "2×6" },
  { "activation/leaky-relu", make_leaky_relu, ROWS, "", "2×6" },
  { "activation/elu", make_elu, ROWS, "", "2×6" },
  { "activation/selu", make_selu, ROWS, "", "2×6" },
  { "activation/gelu", make_gelu, ROWS, "", "2×6" },
  { "activation/gelu-tanh", make_gelu_tanh, ROWS, "", "2×6" },
  { "activation/silu", make_silu, ROWS, "", "2×6" },
  { "activation/mish", make_mish, ROWS, "", "2×6" },
  { "activation/hard-swish", make_hard_swish, ROWS, "", "2×6" },
  { "activation/sigmoid", make_sigmoid, ROWS, "", "2×6" },
  { "activation/hard-sigmoid", make_hard_sigmoid, ROWS, "", "2×6" },
  { "activation/tanh", make_tanh, ROWS, "", "2×6" },
  { "activation/softplus", make_softplus, ROWS, "", "2×6" },
  { "activation/softsign", make_softsign, ROWS, "", "2×6" },
  { "activation/softmax", make_softmax, ROWS, "", "2×6" },
  { "activation/log-softmax", make_log_softmax, ROWS, "", "2×6" },
  { "activation/relu6", make_relu6, ROWS, "", "2×6" },
  { "activation/identity", make_identity, ROWS, "", "2×6" },
};

static SondeGraph *
build_case (gsize i)
{
  g_autoptr (GError) error = NULL;
  SondeLayers *layers = sonde_layers_new (cases[i].name, 5);
  SondeGraph *graph;

  sonde_layers_set_dtype (layers, SONDE_DTYPE_F64);
  sonde_layers_output (layers, "y",
                       cases[i].make (layers, sonde_layers_input (layers, "x", SONDE_DTYPE_F64,
                                                                  cases[i].rank, cases[i].dims)));
  graph = sonde_layers_finish (layers, &error);
  g_assert_no_error (error);
  return graph;
}

static char *
list_parameters (SondeGraph *graph, GPtrArray *names)
{
  GString *text = g_string_new (NULL);

  for (guint i = 0; i < graph->values->len; i++)
    {
      SondeGraphValue *value = g_ptr_array_index (graph->values, i);
      g_autofree char *shape = NULL;

      if (value->role != SONDE_ROLE_PARAMETER && value->role != SONDE_ROLE_STATE)
        continue;
      shape = sonde_shape_to_string (&sonde_value_get_tensor (value->constant)->shape);
      g_string_append_printf (text, "%s%s %s", text->len > 0 ? ", " : "", value->name, shape);
      if (value->role == SONDE_ROLE_PARAMETER)
        g_ptr_array_add (names, value->name);
    }
  return g_string_free (text, FALSE);
}

static void
check_type (SondeGraph *graph, GHashTable *feeds, gsize i)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GHashTable) values = sonde_test_evaluate (graph, feeds, &error);
  SondeTensor *y;
  g_autofree char *shape = NULL;

  g_assert_no_error (error);
  y = g_hash_table_lookup (values, sonde_graph_find_value (graph, "y"));
  shape = sonde_shape_to_string (&y->shape);
  g_assert_cmpint (y->dtype, ==, SONDE_DTYPE_F64);
  g_assert_cmpstr (shape, ==, cases[i].output);
}

/* Graph, names, output; then the gradients with respect to the input and every parameter. */
static void
test_case (gconstpointer data)
{
  gsize i = GPOINTER_TO_SIZE (data);
  g_autoptr (SondeGraph) graph = build_case (i);
  g_autoptr (GHashTable) feeds = sonde_test_feeds_new ();
  g_autoptr (GPtrArray) names = g_ptr_array_new (),
                        problems
                        = g_ptr_array_new_with_free_func ((GDestroyNotify) sonde_message_free);
  g_autofree char *parameters = NULL, *problem = NULL;
  SondeShape shape = sonde_shape_from_array (cases[i].rank, cases[i].dims);
  g_autoptr (SondeTensor) x = NULL;

  g_ptr_array_add (names, (char *) "x");
  parameters = list_parameters (graph, names);
  g_assert_cmpstr (parameters, ==, cases[i].parameters);
  g_assert_true (sonde_pass_check (graph, problems));
  shape.dims[0] = 2;
  x = sonde_test_tensor_random (SONDE_DTYPE_F64, &shape, 3, -2, 2);
  sonde_test_feeds_set (feeds, "x", x);
  for (guint k = 1; k < names->len; k++)
    sonde_test_feeds_set (
        feeds, names->pdata[k],
        sonde_value_get_tensor (sonde_graph_find_value (graph, names->pdata[k])->constant));
  check_type (graph, feeds, i);
  if (strcmp (cases[i].name, "dropout") == 0)
    return; /* its gradient's name is another random stream: tests/engine/ops */
  problem
      = sonde_test_check_gradient (graph, feeds, (const char *const *) names->pdata, names->len);
  g_assert_cmpstr (problem, ==, NULL);
}

/* ---- scopes, embedding, opsets ------------------------------------------- */

static void
test_scopes (void)
{
  g_autoptr (GError) error = NULL;
  SondeLayers *layers = sonde_layers_new ("scopes", 1);
  SondeGraphValue *x = sonde_layers_input (layers, "x", SONDE_DTYPE_F32, 2, (gint64[]){ -1, 3 });
  g_autoptr (SondeGraph) graph = NULL;
  SondeNode *node;

  sonde_layers_open (layers, "encoder");
  sonde_layers_open_index (layers, 7);
  x = sonde_layers_dense (layers, "fc", x, &(SondeDense){ .outputs = 2 });
  sonde_layers_close (layers);
  sonde_layers_close (layers);
  sonde_layers_output (layers, "y", x);
  graph = sonde_layers_finish (layers, &error);
  g_assert_no_error (error);
  node = sonde_graph_find_node (graph, "encoder/7/fc");
  g_assert_nonnull (node);
  g_assert_cmpstr (node->scope, ==, "encoder/7");
  g_assert_nonnull (sonde_graph_find_value (graph, "encoder.7.fc.weight"));
  g_assert_cmpstr (((SondeGraphValue *) graph->inputs->pdata[0])->type.dims[0].symbol, ==, "N");
}

static void
test_embedding (void)
{
  g_autoptr (GError) error = NULL;
  SondeLayers *layers = sonde_layers_new ("embedding", 1);
  SondeGraphValue *x = sonde_layers_input (layers, "x", SONDE_DTYPE_I64, 2, (gint64[]){ -1, 3 });
  g_autoptr (GHashTable) feeds = sonde_test_feeds_new (), values = NULL;
  SondeShape shape = sonde_shape_make (2, 1, 3);
  g_autoptr (SondeTensor) indices
      = sonde_tensor_new_from_data (SONDE_DTYPE_I64, &shape, (gint64[]){ 4, 0, 4 });
  g_autoptr (SondeGraph) graph = NULL;
  SondeTensor *weight, *y;

  sonde_layers_output (layers, "y", sonde_layers_embedding (layers, "e", x, 5, 2, NULL));
  graph = sonde_layers_finish (layers, &error);
  g_assert_no_error (error);
  sonde_test_feeds_set (feeds, "x", indices);
  values = sonde_test_evaluate (graph, feeds, &error);
  g_assert_no_error (error);
  y = g_hash_table_lookup (values, sonde_graph_find_value (graph, "y"));
  weight = sonde_value_get_tensor (sonde_graph_find_value (graph, "e.weight")->constant);
  for (gint64 i = 0; i < 6; i++)
    g_assert_cmpfloat (
        sonde_tensor_get_double (y, i), ==,
        sonde_tensor_get_double (weight, ((gint64 *) (void *) indices->data)[i / 2] * 2 + i % 2));
}

/* A graph asks for the oldest version of the operators that has what it uses. */
static void
test_opset (void)
{
  static const struct
  {
    Make make;
    int opset;
  } wanted[] = { { make_tanh, 17 }, { make_gelu, 20 }, { make_attention, 23 } };

  for (gsize i = 0; i < G_N_ELEMENTS (wanted); i++)
    {
      SondeLayers *layers = sonde_layers_new ("opset", 1);
      SondeGraphValue *x
          = sonde_layers_input (layers, "x", SONDE_DTYPE_F32, 3, (gint64[]){ -1, 3, 4 });
      g_autoptr (SondeGraph) graph = NULL;

      sonde_layers_output (layers, "y", wanted[i].make (layers, x));
      graph = sonde_layers_finish (layers, NULL);
      g_assert_cmpint (sonde_graph_get_opset (graph, ""), ==, wanted[i].opset);
      g_assert_cmpint (((SondeNode *) graph->nodes->pdata[0])->version, ==, wanted[i].opset);
    }
}

/* Attributes that are set behind sonde_layers_node() count. */
static void
test_node (void)
{
  g_autoptr (GError) error = NULL;
  SondeLayers *layers = sonde_layers_new ("node", 1);
  SondeGraphValue *x = sonde_layers_input (layers, "x", SONDE_DTYPE_F32, 2, (gint64[]){ -1, 6 });
  g_autoptr (SondeGraph) graph = NULL;
  SondeGraphValue *y = sonde_layers_node (layers, "parts", "Split", 1, &x, 2);

  sonde_node_set_int (y->producer, "axis", 1);
  y = sonde_layers_add (layers, "sum", y, sonde_node_get_output (y->producer, 1));
  sonde_layers_output (layers, "y", y);
  graph = sonde_layers_finish (layers, &error);
  g_assert_no_error (error);
  g_assert_cmpint (((SondeGraphValue *) graph->outputs->pdata[0])->type.dims[1].size, ==, 3);
}

/* ---- inference ----------------------------------------------------------- */

/* y = (x − running mean) / √(running variance + ε), whatever the batch; dropout lets everything
 * pass. */
static void
test_inference (void)
{
  g_autoptr (GError) error = NULL;
  SondeLayers *layers = sonde_layers_new ("inference", 1);
  SondeGraphValue *x = sonde_layers_input (layers, "x", SONDE_DTYPE_F64, 3, (gint64[]){ -1, 2, 3 });
  g_autoptr (GHashTable) feeds = sonde_test_feeds_new (), values = NULL;
  SondeShape shape = sonde_shape_make (3, 2, 2, 3), channels = sonde_shape_make (1, 2);
  g_autoptr (SondeTensor) input = sonde_test_tensor_random (SONDE_DTYPE_F64, &shape, 1, -1, 1);
  g_autoptr (SondeTensor) mean
      = sonde_tensor_new_from_data (SONDE_DTYPE_F64, &channels, (double[]){ 0.5, -2 });
  g_autoptr (SondeTensor) variance
      = sonde_tensor_new_from_data (SONDE_DTYPE_F64, &channels, (double[]){ 4, 0.25 });
  g_autoptr (SondeGraph) graph = NULL;
  SondeTensor *y;

  sonde_layers_set_dtype (layers, SONDE_DTYPE_F64);
  x = sonde_layers_dropout (layers, "d", sonde_layers_batch_norm (layers, "n", x), 0.5);
  sonde_layers_output (layers, "y", x);
  graph = sonde_layers_finish (layers, &error);
  g_assert_no_error (error);
  sonde_layers_for_inference (graph);
  sonde_test_feeds_set (feeds, "x", input);
  sonde_test_feeds_set (feeds, "n.running_mean", mean);
  sonde_test_feeds_set (feeds, "n.running_var", variance);
  values = sonde_test_evaluate (graph, feeds, &error);
  g_assert_no_error (error);
  y = g_hash_table_lookup (values, sonde_graph_find_value (graph, "y"));
  for (gint64 i = 0; i < 12; i++)
    {
      gint64 channel = i / 3 % 2;

      g_assert_cmpfloat_with_epsilon (
          sonde_tensor_get_double (y, i),
          (sonde_tensor_get_double (input, i) - sonde_tensor_get_double (mean, channel))
              / sqrt (sonde_tensor_get_double (variance, channel) + 1e-5),
          1e-12);
    }
  g_assert_null (sonde_graph_find_value (graph, "d/training_mode"));
}

/* ---- refusals ------------------------------------------------------------ */

LAYER (deep_dense,
       sonde_layers_dense (layers, "deep", sonde_layers_dense (layers, "fc", x, &(SondeDense){ 0 }),
                           &(SondeDense){ .outputs = 2 }))
CONVOLUTION (unequal_groups, .outputs = 4, .kernel = 3, .groups = 4)
CONVOLUTION (large_kernel, .outputs = 4, .kernel = 9)
CONVOLUTION (no_kernel, .outputs = 4)
CONVOLUTION (other_rank, .rank = 3, .outputs = 4, .kernel = 3)
LAYER (no_pool, sonde_layers_max_pool (layers, "p", x, 2, 0, 2))
LAYER (no_groups, sonde_layers_group_norm (layers, "n", x, 4))
LAYER (no_axis, sonde_layers_layer_norm (layers, "n", x, 9))
LAYER (all_dropped, sonde_layers_dropout (layers, "d", x, 1))
LAYER (no_function, sonde_layers_activation (layers, "a", x, "rellu"))
LAYER (no_input, sonde_layers_flatten (layers, "f", NULL))
LAYER (too_many_heads,
       sonde_layers_attention (layers, "a",
                               sonde_layers_reshape (layers, "r", x, 3, (gint64[]){ 0, 5, 10 }),
                               NULL, 3, NULL, FALSE))
LAYER (no_initialiser,
       sonde_layers_dense (layers, "fc", x,
                           &(SondeDense){ .outputs = 2, .weight_initialiser = "hee" }))
LAYER (twice, sonde_layers_batch_norm (layers, "n", sonde_layers_batch_norm (layers, "n", x)))
LAYER (unlike, sonde_layers_add (layers, "s", x, sonde_layers_flatten (layers, "f", x)))

static SondeGraphValue *
make_own (SondeLayers *layers, SondeGraphValue *x)
{
  sonde_layers_open (layers, "stage");
  sonde_layers_fail (layers, "Width %d is odd.", 3);
  sonde_layers_close (layers);
  return x;
}

static SondeGraphValue *
make_open (SondeLayers *layers, SondeGraphValue *x)
{
  sonde_layers_open (layers, "stage");
  return sonde_layers_flatten (layers, "f", x);
}

static const struct
{
  Make make;
  int code;
  const char *message; /* a part */
} refusals[] = {
  { make_deep_dense, SONDE_ENGINE_ERROR_INVALID, "Layer “fc”: it has 0 outputs." },
  { make_unequal_groups, SONDE_ENGINE_ERROR_INVALID,
    "groups = 4 and kernel = 3 do not fit 2 input and 4 output channels" },
  { make_large_kernel, SONDE_ENGINE_ERROR_SHAPE, "“c”" },
  { make_no_kernel, SONDE_ENGINE_ERROR_INVALID, "kernel = 0" },
  { make_other_rank, SONDE_ENGINE_ERROR_SHAPE, "must have 5 dimensions" },
  { make_no_pool, SONDE_ENGINE_ERROR_INVALID, "padding 2 are not a valid window" },
  { make_no_groups, SONDE_ENGINE_ERROR_INVALID, "2 channels cannot be divided into 4 groups" },
  { make_no_axis, SONDE_ENGINE_ERROR_INVALID, "has no axis 9" },
  { make_all_dropped, SONDE_ENGINE_ERROR_INVALID, "the dropout ratio is 1" },
  { make_no_function, SONDE_ENGINE_ERROR_INVALID,
    "no activation “rellu”; the available ones are: relu, " },
  { make_no_input, SONDE_ENGINE_ERROR_INVALID, "Layer “f”: it has no input." },
  { make_too_many_heads, SONDE_ENGINE_ERROR_INVALID, "3 heads cannot share a width of 10" },
  { make_no_initialiser, SONDE_ENGINE_ERROR_INVALID,
    "Parameter “fc.weight”: There is no initialiser “hee”" },
  { make_twice, SONDE_ENGINE_ERROR_INVALID, "there is a value “n.weight” already" },
  { make_unlike, SONDE_ENGINE_ERROR_SHAPE, "“s”" },
  { make_rnn, SONDE_ENGINE_ERROR_SHAPE,
    "its input “x” is float32 N×2×5×5, but must have 3 dimensions." },
  { make_own, SONDE_ENGINE_ERROR_INVALID, "Layer “stage”: Width 3 is odd." },
  { make_open, SONDE_ENGINE_ERROR_INVALID, "The scope was not closed." },
};

static void
test_refusals (void)
{
  for (gsize i = 0; i < G_N_ELEMENTS (refusals); i++)
    {
      g_autoptr (GError) error = NULL;
      SondeLayers *layers = sonde_layers_new ("refused", 1);
      SondeGraphValue *x
          = sonde_layers_input (layers, "x", SONDE_DTYPE_F32, 4, (gint64[]){ -1, 2, 5, 5 });

      sonde_layers_output (layers, "y", refusals[i].make (layers, x));
      g_assert_null (sonde_layers_finish (layers, &error));
      g_assert_error (error, SONDE_ENGINE_ERROR, refusals[i].code);
      if (strstr (error->message, refusals[i].message) == NULL)
        g_error ("“%s” does not say “%s”", error->message, refusals[i].message);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *path = g_strdup_printf ("/engine/nn/layers/%s", cases[i].name);

      g_test_add_data_func (path, GSIZE_TO_POINTER (i), test_case);
    }
  g_test_add_func ("/engine/nn/layers/scopes", test_scopes);
  g_test_add_func ("/engine/nn/layers/embedding", test_embedding);
  g_test_add_func ("/engine/nn/layers/opset", test_opset);
  g_test_add_func ("/engine/nn/layers/node", test_node);
  g_test_add_func ("/engine/nn/layers/inference", test_inference);
  g_test_add_func ("/engine/nn/layers/refusals", test_refusals);
  return g_test_run ();
}
