/* SPDX-License-Identifier: Apache-2.0
 * com.microsoft: normalisation with sums fused in front of it, and the simplified form, which is
 * RMSNormalization. */
#include "engine/passes/legalise/sonde-legalise-contrib.h"
#include "engine/passes/sonde-legalise.h"

static SondeGraphValue *
normalise (SondeGraph *graph, SondeNode *node, SondeGraphValue *x, SondeGraphValue *scale,
           SondeGraphValue *bias, double epsilon)
{
  SondeGraphValue *y = emit (graph, "LayerNormalization", x, scale, bias);

  sonde_node_set_int (y->producer, "axis", sonde_node_get_int (node, "axis", -1));
  return sonde_contrib_with_float (graph, y, "epsilon",
                                   sonde_node_get_float (node, "epsilon", epsilon));
}

/* 1 / sqrt (mean (x²) + ε) over the last dimensions. */
static SondeGraphValue *
inverse_rms (SondeGraph *graph, SondeNode *node, SondeGraphValue *x, double epsilon)
{
  gint64 axis = sonde_node_get_int (node, "axis", -1), axes[SONDE_MAX_RANK];
  gsize n = 0;
  SondeGraphValue *mean = NULL;

  x = sonde_contrib_cast (graph, x, SONDE_DTYPE_F32);
  for (gint64 d = axis < 0 ? axis + MAX (x->type.rank, 1) : axis;
       d < MAX (x->type.rank, 1) && d >= 0; d++)
    axes[n++] = d;
  mean = emit (graph, "ReduceMean", emit (graph, "Mul", x, x),
               n > 0 ? sonde_build_ints (graph, axes, n) : NULL);
  mean = emit (graph, "Add", mean, sonde_build_scalar (graph, SONDE_DTYPE_F32, epsilon));
  return emit (graph, "Reciprocal", emit (graph, "Sqrt", mean));
}

static void
give_simplified (SondeGraph *graph, SondeNode *node, SondeGraphValue *x, SondeGraphValue *scale,
                 double epsilon, guint inverse_at)
{
  SondeGraphValue *y = emit (graph, "RMSNormalization", x, scale);

  epsilon = sonde_node_get_float (node, "epsilon", epsilon);
  sonde_node_set_int (y->producer, "axis", sonde_node_get_int (node, "axis", -1));
  (void) sonde_contrib_with_float (graph, y, "epsilon", epsilon);
  if (sonde_node_get_output (node, inverse_at) != NULL)
    sonde_contrib_give (graph, node, inverse_at, inverse_rms (graph, node, x, epsilon));
  sonde_contrib_give (graph, node, 0, y);
}

gboolean
sonde_contrib_layer_normalization (SondeGraph *graph, SondeNode *node, int version, GError **error)
{
  sonde_node_set_op (node, "", node->op);
  node->version = SONDE_CURRENT_OPSET;
  return TRUE;
}

gboolean
sonde_contrib_simplified_layer_normalization (SondeGraph *graph, SondeNode *node, int version,
                                              GError **error)
{
  give_simplified (graph, node, operand (node, 0), operand (node, 1), 1e-5, 1);
  return TRUE;
}

/* (input, skip, gamma, beta?, bias?) → y, mean, inverse std, input + skip + bias */
gboolean
sonde_contrib_skip_layer_normalization (SondeGraph *graph, SondeNode *node, int version,
                                        GError **error)
{
  SondeGraphValue *x = emit (graph, "Add", operand (node, 0), operand (node, 1)), *y = NULL;

  x = sonde_contrib_add (graph, x, operand (node, 4));
  y = normalise (graph, node, x, operand (node, 2), operand (node, 3), 1e-12);
  for (guint k = 1; k < 3; k++)
    if (sonde_node_get_output (node, k) != NULL)
      sonde_contrib_give (graph, node, k, sonde_contrib_output (graph, y, k));
  sonde_contrib_give (graph, node, 3, x);
  sonde_contrib_give (graph, node, 0, y);
  return TRUE;
}

/* (input, skip, gamma, bias?) → y, mean, inverse std, input + skip + bias */
gboolean
sonde_contrib_skip_simplified_layer_normalization (SondeGraph *graph, SondeNode *node, int version,
                                                   GError **error)
{
  SondeGraphValue *x = emit (graph, "Add", operand (node, 0), operand (node, 1));

  if (sonde_node_get_output (node, 1) != NULL)
    return sonde_contrib_unsupported (error, "its output of means is not implemented");
  x = sonde_contrib_add (graph, x, operand (node, 3));
  give_simplified (graph, node, x, operand (node, 2), 1e-12, 2);
  sonde_contrib_give (graph, node, 3, x);
  return TRUE;
}

/* ---- EmbedLayerNormalization --------------------------------------------- */

enum
{
  INPUT_IDS,
  INPUT_SEGMENTS,
  INPUT_WORDS,
  INPUT_POSITIONS,
  INPUT_SEGMENT_ROWS,
  INPUT_GAMMA,
  INPUT_BETA,
  INPUT_MASK,
  INPUT_POSITION_IDS,
};

/* Rows of positions 0 to S − 1, or those that are named. */
static SondeGraphValue *
position_rows (SondeGraph *graph, SondeNode *node)
{
  SondeGraphValue *rows = operand (node, INPUT_POSITIONS),
                  *ids = operand (node, INPUT_POSITION_IDS);
  const gint64 zero = 0, one = 1;
  SondeGraphValue *length = NULL;

  if (ids != NULL)
    return emit (graph, "Gather", rows, ids);
  length = sonde_contrib_reshape (graph, sonde_contrib_size (graph, operand (node, INPUT_IDS), 1),
                                  1, &one);
  return emit (graph, "Slice", rows, sonde_build_ints (graph, &zero, 1), length,
               sonde_build_ints (graph, &zero, 1));
}

/* How many words of each sequence count; zeros without a mask. */
static SondeGraphValue *
count_words (SondeGraph *graph, SondeNode *node)
{
  SondeGraphValue *mask = operand (node, INPUT_MASK), *ids = operand (node, INPUT_IDS);
  const gint64 one = 1;
  SondeGraphValue *x = mask != NULL ? mask : emit (graph, "Sub", ids, ids);

  x = emit (graph, "ReduceSum", x, sonde_build_ints (graph, &one, 1));
  return sonde_contrib_cast (graph, sonde_contrib_with_int (graph, x, "keepdims", 0),
                             SONDE_DTYPE_I32);
}

gboolean
sonde_contrib_embed_layer_normalization (SondeGraph *graph, SondeNode *node, int version,
                                         GError **error)
{
  SondeGraphValue *x
      = emit (graph, "Gather", operand (node, INPUT_WORDS), operand (node, INPUT_IDS));
  SondeGraphValue *segments = operand (node, INPUT_SEGMENTS),
                  *rows = operand (node, INPUT_SEGMENT_ROWS);

  x = emit (graph, "Add", x, position_rows (graph, node));
  if (segments != NULL && rows != NULL)
    x = emit (graph, "Add", x, emit (graph, "Gather", rows, segments));
  if (sonde_node_get_output (node, 1) != NULL)
    sonde_contrib_give (graph, node, 1, count_words (graph, node));
  sonde_contrib_give (
      graph, node, 0,
      normalise (graph, node, x, operand (node, INPUT_GAMMA), operand (node, INPUT_BETA), 1e-12));
  sonde_contrib_give (graph, node, 2, x);
  return TRUE;
}

/* ---- GroupNorm ----------------------------------------------------------- */

/* Of @x, which may have something added to @node's input 0. */
static void
give_group_norm (SondeGraph *graph, SondeNode *node, SondeGraphValue *x)
{
  const gint64 first[] = { 0, 3, 1, 2 }, last[] = { 0, 2, 3, 1 };
  gboolean turned = sonde_node_get_int (node, "channels_last", 1) != 0;
  SondeDtype dtype = sonde_legalise_dtype (node, 0);
  SondeGraphValue *y = NULL;

  if (turned)
    x = sonde_contrib_transpose (graph, x, 4, first);
  y = emit (graph, "GroupNormalization", x, sonde_contrib_cast (graph, operand (node, 1), dtype),
            sonde_contrib_cast (graph, operand (node, 2), dtype));
  sonde_node_set_float (y->producer, "epsilon", sonde_node_get_float (node, "epsilon", 1e-5));
  (void) sonde_contrib_with_int (graph, y, "num_groups", sonde_node_get_int (node, "groups", 1));
  if (sonde_node_get_int (node, "activation", 0) != 0)
    y = emit (graph, "Swish", y);
  sonde_contrib_give (graph, node, 0, turned ? sonde_contrib_transpose (graph, y, 4, last) : y);
}

gboolean
sonde_contrib_group_norm (SondeGraph *graph, SondeNode *node, int version, GError **error)
{
  give_group_norm (graph, node, operand (node, 0));
  return TRUE;
}

/* (x, gamma, beta, skip, bias?) → y, x + skip + bias; the skip may be one row a sample, [N, C]. */
gboolean
sonde_contrib_skip_group_norm (SondeGraph *graph, SondeNode *node, int version, GError **error)
{
  const gint64 middle[] = { 1, 2 }, spatial[] = { 2, 3 };
  gboolean turned = sonde_node_get_int (node, "channels_last", 1) != 0;
  SondeGraphValue *skip = operand (node, 3), *bias = operand (node, 4), *x = NULL;

  if (skip->type.rank == 2)
    skip = emit (graph, "Unsqueeze", skip, sonde_build_ints (graph, turned ? middle : spatial, 2));
  if (bias != NULL && !turned)
    bias = emit (graph, "Unsqueeze", bias, sonde_build_ints (graph, middle, 2));
  x = sonde_contrib_add (graph, emit (graph, "Add", operand (node, 0), skip), bias);
  give_group_norm (graph, node, x);
  sonde_contrib_give (graph, node, 1, x);
  return TRUE;
}
