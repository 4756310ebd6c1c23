/* SPDX-License-Identifier: Apache-2.0
 * Layers: calls that append the nodes and parameters of a layer to a graph that grows. Cells nest:
 * a name opened around some layers becomes their scope ("encoder/0/attention") and the first part
 * of their parameters' names, which are PyTorch's ("encoder.0.attention.weight").
 *
 * The first problem is kept; from then on every call gives NULL, and takes NULL. So a model is
 * written as one chain and asked once, at the end, by sonde_layers_finish(). */
#pragma once

#include "engine/ops/sonde-build.h"

G_BEGIN_DECLS

typedef struct _SondeLayers SondeLayers;

/* @seed: of the initialisers. Parameters are float32. */
SondeLayers *sonde_layers_new (const char *name, guint64 seed);
/* Of parameters made from here on: F32 or F64. */
void sonde_layers_set_dtype (SondeLayers *layers, SondeDtype dtype);
/* Parameters made from here on have types and no values: a graph to count, not to run; nothing is
 * drawn or stored. */
void sonde_layers_set_outline (SondeLayers *layers);
void sonde_layers_free (SondeLayers *layers);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SondeLayers, sonde_layers_free)

/* Takes @layers. Returns: (transfer full): the graph, checked and inferred; NULL with the first
 * problem: INVALID, SHAPE naming the layer and both shapes. */
SondeGraph *sonde_layers_finish (SondeLayers *layers, GError **error);

SondeGraph *sonde_layers_get_graph (SondeLayers *layers); /* (transfer none): while it grows */
/* A problem found by the caller; INVALID. */
void sonde_layers_fail (SondeLayers *layers, const char *format, ...) G_GNUC_PRINTF (2, 3);

/* @dims: −1 is the batch, "N"; further −1 are symbols of their own. Returns: the input */
SondeGraphValue *sonde_layers_input (SondeLayers *layers, const char *name, SondeDtype dtype,
                                     int rank, const gint64 *dims);
void sonde_layers_output (SondeLayers *layers, const char *name, SondeGraphValue *value);

/* Everything until the matching close lies in scope @name: nodes are "NAME/…", parameters
 * "NAME.…". */
void sonde_layers_open (SondeLayers *layers, const char *name);
void sonde_layers_open_index (SondeLayers *layers, guint index); /* "0", "1" … */
void sonde_layers_close (SondeLayers *layers);

/* A parameter "SCOPE.NAME"; @initialiser as in sonde-initialiser.h. fans: 0: from the shape */
SondeGraphValue *sonde_layers_parameter (SondeLayers *layers, const char *name,
                                         const SondeShape *shape, const char *initialiser,
                                         gint64 fan_in, gint64 fan_out);
/* State that no gradient moves ("running_mean"). */
SondeGraphValue *sonde_layers_buffer (SondeLayers *layers, const char *name,
                                      const SondeShape *shape, double value);

/* One node of the standard's operators, named @name in the scope; attributes may be set on its
 * producer before the next call, sizes are inferred again then. @inputs: NULL entries are absent
 * inputs. @n_outputs: 1 or more. Returns: output 0 */
SondeGraphValue *sonde_layers_node (SondeLayers *layers, const char *name, const char *op,
                                    guint n_inputs, SondeGraphValue *const *inputs,
                                    guint n_outputs);

/* ---- dense, convolution, pooling ----
 * Settings structs are zero-initialised; 0 and NULL are the defaults named. Initialisers: NULL:
 * weights "torch", biases "torch", scales 1, shifts 0. */

typedef struct
{
  gint64 outputs;
  gboolean no_bias;
  const char *weight_initialiser, *bias_initialiser;
} SondeDense;

/* y = x·Wᵀ + b over the last dimension; weight [outputs, inputs]; x [N, inputs] (Gemm) or of any
 * rank (MatMul). */
SondeGraphValue *sonde_layers_dense (SondeLayers *layers, const char *name, SondeGraphValue *x,
                                     const SondeDense *dense);

/**
 * SondeConvolution:
 * @rank: spatial dimensions 1, 2, 3; 0: those of x
 * @kernel, @stride, @dilation, @pad: one number for all spatial dimensions; strides and dilations 0
 * are 1
 * @groups: 0: 1; −1: depthwise, one a channel (outputs 0: as many as inputs)
 * @transposed: ConvTranspose; weight [inputs, outputs / groups, kernel…]; @output_pad
 */
typedef struct
{
  gint64 outputs, kernel, stride, dilation, pad, groups, output_pad;
  int rank;
  gboolean transposed, no_bias;
  const char *weight_initialiser, *bias_initialiser;
} SondeConvolution;

SondeGraphValue *sonde_layers_convolution (SondeLayers *layers, const char *name,
                                           SondeGraphValue *x, const SondeConvolution *convolution);

/* @kernel in every spatial dimension; @stride 0: the kernel. Padding counts in no average. */
SondeGraphValue *sonde_layers_max_pool (SondeLayers *layers, const char *name, SondeGraphValue *x,
                                        gint64 kernel, gint64 stride, gint64 pad);
SondeGraphValue *sonde_layers_average_pool (SondeLayers *layers, const char *name,
                                            SondeGraphValue *x, gint64 kernel, gint64 stride,
                                            gint64 pad);
/* [N, C, …] -> [N, C] */
SondeGraphValue *sonde_layers_global_average_pool (SondeLayers *layers, const char *name,
                                                   SondeGraphValue *x);

/* ---- normalisation ------------------------------------------------------- */

/* weight, bias, running_mean, running_var [C]; ε 1e-5, momentum 0.1 as PyTorch (ONNX's 0.9). The
 * node has training_mode 1; sonde_layers_for_inference() turns it off. */
SondeGraphValue *sonde_layers_batch_norm (SondeLayers *layers, const char *name,
                                          SondeGraphValue *x);
SondeGraphValue *sonde_layers_layer_norm (SondeLayers *layers, const char *name, SondeGraphValue *x,
                                          int axis);
SondeGraphValue *sonde_layers_rms_norm (SondeLayers *layers, const char *name, SondeGraphValue *x);
SondeGraphValue *sonde_layers_group_norm (SondeLayers *layers, const char *name, SondeGraphValue *x,
                                          gint64 groups);
SondeGraphValue *sonde_layers_instance_norm (SondeLayers *layers, const char *name,
                                             SondeGraphValue *x);
SondeGraphValue *sonde_layers_dropout (SondeLayers *layers, const char *name, SondeGraphValue *x,
                                       double ratio);

/* ---- activations --------------------------------------------------------- */

/* "relu", "leaky-relu", "elu", "selu", "celu", "gelu", "gelu-tanh", "silu", "mish", "hard-swish",
 * "sigmoid", "hard-sigmoid", "tanh", "softplus", "softsign", "softmax", "log-softmax", "relu6",
 * "identity"; "prelu" has a parameter */
SondeGraphValue *sonde_layers_activation (SondeLayers *layers, const char *name, SondeGraphValue *x,
                                          const char *function);

/* ---- shapes and sums ----------------------------------------------------- */

SondeGraphValue *sonde_layers_add (SondeLayers *layers, const char *name, SondeGraphValue *a,
                                   SondeGraphValue *b);
SondeGraphValue *sonde_layers_concat (SondeLayers *layers, const char *name, SondeGraphValue *a,
                                      SondeGraphValue *b, int axis);
/* [N, rest] */
SondeGraphValue *sonde_layers_flatten (SondeLayers *layers, const char *name, SondeGraphValue *x);
/* 0 copies a size, −1 is what is left. */
SondeGraphValue *sonde_layers_reshape (SondeLayers *layers, const char *name, SondeGraphValue *x,
                                       int rank, const gint64 *dims);
SondeGraphValue *sonde_layers_transpose (SondeLayers *layers, const char *name, SondeGraphValue *x,
                                         int rank, const gint64 *order);
SondeGraphValue *sonde_layers_mean (SondeLayers *layers, const char *name, SondeGraphValue *x,
                                    int axis); /* the axis goes */

/* ---- sequences ----------------------------------------------------------- */

/* Rows of weight [n, size] by int64 indices of any rank; initialiser NULL: "normal". */
SondeGraphValue *sonde_layers_embedding (SondeLayers *layers, const char *name,
                                         SondeGraphValue *indices, gint64 n, gint64 size,
                                         const char *initialiser);

typedef enum
{
  SONDE_RECURRENT_RNN,
  SONDE_RECURRENT_LSTM,
  SONDE_RECURRENT_GRU,
} SondeRecurrentKind;

/* x [N, T, F] -> [N, T, units·directions], batch first. Parameters are ONNX's W [d, gates·units,
 * F], R, B, named "weight_ih", "weight_hh", "bias". @last: (out) (nullable): the last state [N,
 * units·directions]. GRU: PyTorch's form (linear_before_reset). */
SondeGraphValue *sonde_layers_recurrent (SondeLayers *layers, const char *name, SondeGraphValue *x,
                                         SondeRecurrentKind kind, gint64 units,
                                         gboolean bidirectional, SondeGraphValue **last);

/* Multi-head attention of @x over @memory (NULL: itself), both [N, T, size]; in_proj_weight
 * [3·size, size], in_proj_bias, out_proj. @mask: (nullable): added to the scores. @is_causal */
SondeGraphValue *sonde_layers_attention (SondeLayers *layers, const char *name, SondeGraphValue *x,
                                         SondeGraphValue *memory, gint64 heads,
                                         SondeGraphValue *mask, gboolean is_causal);

/* ---- cells --------------------------------------------------------------- */

/**
 * SondeTransformerBlock: pre- or post-norm encoder layer
 * @feed_forward: inner size; @activation: NULL: "relu"
 */
typedef struct
{
  gint64 heads, feed_forward;
  double dropout;
  const char *activation;
  gboolean norm_first;
} SondeTransformerBlock;

SondeGraphValue *sonde_layers_transformer_block (SondeLayers *layers, const char *name,
                                                 SondeGraphValue *x,
                                                 const SondeTransformerBlock *block);

/* Convolution without bias, batch norm, activation (NULL: none), called "0", "1", "2" in scope
 * @name. */
SondeGraphValue *sonde_layers_convolution_block (SondeLayers *layers, const char *name,
                                                 SondeGraphValue *x,
                                                 const SondeConvolution *convolution,
                                                 const char *activation);

/* BatchNormalization takes its running statistics, Dropout lets everything pass; an output of
 * BatchNormalization that was to be the next running statistic is the present one. For evaluation
 * and export, of any graph, bodies included. */
void sonde_layers_for_inference (SondeGraph *graph);

G_END_DECLS
