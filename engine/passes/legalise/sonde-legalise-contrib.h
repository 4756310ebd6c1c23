/* SPDX-License-Identifier: Apache-2.0
 * Shared by the rules for com.microsoft: a short way to write nodes of ai.onnx, and the rules
 * themselves. What the operators mean: operator text and behaviour of ONNX Runtime 1.31. */
#pragma once

#include "engine/passes/sonde-legalise.h"

G_BEGIN_DECLS

#define sonde_contrib_unsupported(error, ...)                                                      \
  (sonde_set_error ((error), SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_UNSUPPORTED, __VA_ARGS__),     \
   FALSE)

/* Input @k of @node. (nullable) */
static inline SondeGraphValue *
operand (const SondeNode *node, guint k)
{
  return sonde_node_get_input (node, k);
}

/* Size of dimension @d; -1: not known, or no @value */
static inline gint64
size_of (const SondeGraphValue *value, int d)
{
  return value != NULL && value->type.rank > d ? value->type.dims[d].size : -1;
}

/* emit (graph, "Add", a, b): one node of ai.onnx; NULLs are absent inputs. Returns: its output 0 */
#define emit(graph, op, ...)                                                                       \
  sonde_contrib_emit ((graph), "", (op), (SondeGraphValue *[]){ __VA_ARGS__ },                     \
                      sizeof ((SondeGraphValue *[]){ __VA_ARGS__ }) / sizeof (SondeGraphValue *))
SondeGraphValue *sonde_contrib_emit (SondeGraph *graph, const char *domain, const char *op,
                                     SondeGraphValue *const *inputs, gsize n);

/* Attributes of @value's producer, and its shape again. Returns: @value */
SondeGraphValue *sonde_contrib_with_int (SondeGraph *graph, SondeGraphValue *value,
                                         const char *name, gint64 number);
SondeGraphValue *sonde_contrib_with_float (SondeGraph *graph, SondeGraphValue *value,
                                           const char *name, double number);
SondeGraphValue *sonde_contrib_with_string (SondeGraph *graph, SondeGraphValue *value,
                                            const char *name, const char *text);
SondeGraphValue *sonde_contrib_with_ints (SondeGraph *graph, SondeGraphValue *value,
                                          const char *name, const gint64 *numbers, gsize n);

/* A further output of the node that makes @value. */
SondeGraphValue *sonde_contrib_output (SondeGraph *graph, SondeGraphValue *value, guint k);
/* @value takes the place of @node's output @k, if that is named. */
void sonde_contrib_give (SondeGraph *graph, SondeNode *node, guint k, SondeGraphValue *value);

/* Short forms. */
SondeGraphValue *sonde_contrib_cast (SondeGraph *graph, SondeGraphValue *x, SondeDtype dtype);
SondeGraphValue *sonde_contrib_transpose (SondeGraph *graph, SondeGraphValue *x, int rank,
                                          const gint64 *order);
SondeGraphValue *sonde_contrib_reshape (SondeGraph *graph, SondeGraphValue *x, int rank,
                                        const gint64 *sizes);
SondeGraphValue *sonde_contrib_unsqueeze (SondeGraph *graph, SondeGraphValue *x, gint64 axis);
SondeGraphValue *sonde_contrib_int (SondeGraph *graph, gint64 number); /* int64 scalar */
/* either may be NULL */
SondeGraphValue *sonde_contrib_add (SondeGraph *graph, SondeGraphValue *a, SondeGraphValue *b);
/* Size of dimension @d of @x, as an int64 scalar. */
SondeGraphValue *sonde_contrib_size (SondeGraph *graph, SondeGraphValue *x, gint64 d);
/* The function that an attribute "activation" names, with the parameters alpha, beta (NAN: its own
 * default).
 * Returns: NULL with @error UNSUPPORTED */
SondeGraphValue *sonde_contrib_activate (SondeGraph *graph, SondeGraphValue *x, const char *name,
                                         double alpha, double beta, GError **error);
/* Known numbers of a list attribute; @fallback where it is too short. */
double sonde_contrib_nth_float (const SondeNode *node, const char *name, gsize k, double fallback);

/* The rules, by file. */
#define RULE(name)                                                                                 \
  gboolean sonde_contrib_##name (SondeGraph *graph, SondeNode *node, int version, GError **error)
RULE (bias_add);
RULE (bias_gelu);
RULE (bias_split_gelu);
RULE (crop_and_resize);
RULE (expand_dims);
RULE (fast_gelu);
RULE (fused_conv);
RULE (fused_gemm);
RULE (fused_matmul);
RULE (grid_sample);
RULE (inverse);
RULE (nhwc_conv);
RULE (nhwc_max_pool);
RULE (quick_gelu);
RULE (range);
RULE (rename);
RULE (rfft);
RULE (sample);
RULE (unique);

RULE (embed_layer_normalization);
RULE (group_norm);
RULE (layer_normalization);
RULE (simplified_layer_normalization);
RULE (skip_group_norm);
RULE (skip_layer_normalization);
RULE (skip_simplified_layer_normalization);

RULE (attention);
RULE (group_query_attention);
RULE (multi_head_attention);
RULE (quantised_attention);
RULE (rotary_embedding);

RULE (dynamic_quantise_lstm);
RULE (dynamic_quantise_matmul);
RULE (gather_block_quantised);
RULE (matmul_bits);
RULE (matmul_integer_to_float);
RULE (quantise_linear);
RULE (quantised_average_pool);
RULE (quantised_add);
RULE (quantised_mul);
RULE (quantised_concat);
RULE (quantised_conv);
RULE (quantised_gemm);
RULE (quantised_global_average_pool);
RULE (quantised_reduce_mean);
RULE (quantised_softmax);
RULE (quantised_unary);
RULE (quantised_where);
#undef RULE

/* Shared by the attentions. */

/* @bias: (nullable): what is added to the scores, or a bool mask; @past_k, @past_v: (nullable);
 * @lengths: (nullable): [B]: keys of each sequence, the last of which are those of the queries */
typedef struct
{
  SondeGraphValue *q, *k, *v, *bias, *past_k, *past_v, *lengths;
  gint64 heads, kv_heads, window;
  gboolean causal;
  double softcap;
} SondeContribAttend;

/* The standard's Attention with the attribute scale of @node. Returns: its output 0 */
SondeGraphValue *sonde_contrib_attend (SondeGraph *graph, SondeNode *node,
                                       const SondeContribAttend *what);
/* @x in three along @axis. Returns: the first part */
SondeGraphValue *sonde_contrib_split (SondeGraph *graph, SondeGraphValue *x, gint64 axis,
                                      const gint64 sizes[3]);
/* 0, 1, …, @n − 1 as [1, n] */
SondeGraphValue *sonde_contrib_count_up (SondeGraph *graph, SondeGraphValue *n);
/* How many keys there are: those of @k [B, S, H] and of @past [B, N, P, h] (nullable). */
SondeGraphValue *sonde_contrib_count_keys (SondeGraph *graph, SondeGraphValue *k,
                                           SondeGraphValue *past);
/* @x: [B, S, N·h]; @positions: [B, S] */
SondeGraphValue *sonde_contrib_rotate (SondeGraph *graph, SondeGraphValue *x,
                                       SondeGraphValue *cosines, SondeGraphValue *sines,
                                       SondeGraphValue *positions, gint64 heads,
                                       gboolean interleaved);

/* Shared by Attention and QAttention: projections [B, S, Hq + Hk + Hv] on. @mask, @past, @bias:
 * (nullable) */
gboolean sonde_contrib_attend_projected (SondeGraph *graph, SondeNode *node,
                                         SondeGraphValue *projected, SondeGraphValue *mask,
                                         SondeGraphValue *past, SondeGraphValue *bias,
                                         GError **error);
/* A·B of integers as floats: (A − a_zero)(B − b_zero)·scale + bias; zeros and bias are nullable */
SondeGraphValue *sonde_contrib_integer_product (SondeGraph *graph, SondeGraphValue *a,
                                                SondeGraphValue *b, SondeGraphValue *a_zero,
                                                SondeGraphValue *b_zero, SondeGraphValue *scale,
                                                SondeGraphValue *bias);

G_END_DECLS
