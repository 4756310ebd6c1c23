/* SPDX-License-Identifier: Apache-2.0
 * ATen's products of matrices, attention, normalisation over features, embeddings. */
#include <math.h>

#include "data/models/pt2/sonde-pt2-lower.h"

/* ---- products ------------------------------------------------------------ */

/* The last two dimensions change places. */
static SondeGraphValue *
transpose_last (SondePt2Lowering *self, SondeGraphValue *value)
{
  int rank = sonde_pt2_rank (self, value);
  gint64 order[SONDE_MAX_RANK];

  for (int i = 0; i < rank; i++)
    order[i] = i < rank - 2 ? i : 2 * rank - 3 - i;
  return rank < 2 ? value : sonde_lowering_transpose (self->out, value, order, rank);
}

/* x · weightᵀ + bias; weight is [out, in] */
static void
lower_linear (SondePt2Lowering *self)
{
  SondeGraphValue *x = sonde_pt2_needed (self, "input"), *y = NULL;
  SondeGraphValue *weight = sonde_pt2_needed (self, "weight"),
                  *bias = sonde_pt2_tensor (self, "bias");
  SondeGraphValue *const inputs[] = { x, weight, bias };

  if (x->type.rank == 2 && weight->type.rank == 2)
    {
      y = sonde_lowering_op (self->out, "Gemm", inputs, bias != NULL ? 3 : 2);
      sonde_node_set_int (y->producer, "transB", 1);
    }
  else
    {
      y = sonde_pt2_op2 (self, "MatMul", x, transpose_last (self, weight));
      if (bias != NULL)
        y = sonde_pt2_op2 (self, "Add", y, bias);
    }
  sonde_pt2_set_out (self, 0, y);
}

/* beta · self + alpha · a @ b */
static void
set_sum_of_product (SondePt2Lowering *self, const char *a, const char *b)
{
  SondeGraphValue *x = sonde_pt2_needed (self, "self");
  SondeGraphValue *y
      = sonde_pt2_op2 (self, "MatMul", sonde_pt2_needed (self, a), sonde_pt2_needed (self, b));
  double alpha = sonde_pt2_arg_number (self, "alpha", 1),
         beta = sonde_pt2_arg_number (self, "beta", 1);

  if (alpha != 1)
    y = sonde_pt2_op2 (self, "Mul", y, sonde_pt2_number (self, x, alpha));
  if (beta != 1)
    x = sonde_pt2_op2 (self, "Mul", x, sonde_pt2_number (self, x, beta));
  sonde_pt2_set_out (self, 0, beta == 0 ? y : sonde_pt2_op2 (self, "Add", y, x));
}

static void
lower_addmm (SondePt2Lowering *self)
{
  set_sum_of_product (self, "mat1", "mat2");
}

static void
lower_baddbmm (SondePt2Lowering *self)
{
  set_sum_of_product (self, "batch1", "batch2");
}

/* Under whatever names the second operand has. */
static void
lower_product (SondePt2Lowering *self)
{
  static const char *const names[] = { "mat2", "other", "tensor", "vec" };
  const char *second = "other";

  for (gsize i = 0; i < G_N_ELEMENTS (names); i++)
    if (sonde_pt2_has (self, names[i]))
      second = names[i];
  sonde_pt2_set_out (self, 0,
                     sonde_pt2_op2 (self, "MatMul", sonde_pt2_needed (self, "self"),
                                    sonde_pt2_needed (self, second)));
}

static void
lower_einsum (SondePt2Lowering *self)
{
  g_autoptr (GPtrArray) tensors = sonde_pt2_tensors (self, "tensors");
  SondeGraphValue *y = NULL;

  if (tensors->len == 0 || sonde_lowering_has_failed (self->out))
    {
      sonde_pt2_refuse (self, sonde_message_new ("it has no tensors"), NULL);
      return;
    }
  y = sonde_lowering_op (self->out, "Einsum", (SondeGraphValue *const *) tensors->pdata,
                         tensors->len);
  sonde_node_set_string (y->producer, "equation", sonde_pt2_arg_text (self, "equation", ""));
  sonde_pt2_set_out (self, 0, y);
}

/* ---- attention ----------------------------------------------------------- */

/* 0 where a place may be looked at, −∞ elsewhere: a mask of booleans as a summand. */
static SondeGraphValue *
mask_as_summand (SondePt2Lowering *self, SondeGraphValue *mask, const SondeGraphValue *like)
{
  if (mask->type.dtype != SONDE_DTYPE_BOOL)
    return mask;
  return sonde_lowering_op (self->out, "Where",
                            SONDE_VALUES (mask, sonde_pt2_number (self, like, 0),
                                          sonde_pt2_number (self, like, -INFINITY)));
}

/* The lower triangle of the last two dimensions of @scores, counted from the upper left corner. */
static SondeGraphValue *
causal_summand (SondePt2Lowering *self, SondeGraphValue *scores, const SondeGraphValue *like)
{
  SondeGraphValue *shape = sonde_pt2_op (self, "Shape", scores), *ones = NULL;

  shape = sonde_lowering_slice (self->out, shape, 0, -2, G_MAXINT64, 1);
  ones = sonde_lowering_op (
      self->out, "Expand",
      SONDE_VALUES (sonde_lowering_number (self->out, SONDE_DTYPE_BOOL, 1), shape));
  ones = sonde_lowering_op (self->out, "Trilu", SONDE_VALUES (ones));
  sonde_node_set_int (ones->producer, "upper", 0);
  ones->type.dtype = SONDE_DTYPE_BOOL;
  return mask_as_summand (self, ones, like);
}

/* softmax(q · kᵀ · scale + mask) · v */
static SondeGraphValue *
attend (SondePt2Lowering *self, SondeGraphValue *q, SondeGraphValue *k, SondeGraphValue *v,
        SondeGraphValue *mask)
{
  int rank = sonde_pt2_rank (self, q);
  gint64 width = rank > 0 ? q->type.dims[rank - 1].size : -1;
  double scale = sonde_pt2_arg_number (self, "scale", width > 0 ? 1 / sqrt ((double) width) : 1);
  SondeGraphValue *scores = NULL;

  scores = sonde_pt2_op2 (self, "MatMul",
                          sonde_pt2_op2 (self, "Mul", q, sonde_pt2_number (self, q, scale)),
                          transpose_last (self, k));
  if (mask != NULL)
    scores = sonde_pt2_op2 (self, "Add", scores, mask_as_summand (self, mask, q));
  if (sonde_pt2_arg_bool (self, "is_causal", FALSE))
    scores = sonde_pt2_op2 (self, "Add", scores, causal_summand (self, scores, q));
  scores = sonde_pt2_op (self, "Softmax", scores);
  sonde_node_set_int (scores->producer, "axis", -1);
  return sonde_pt2_op2 (self, "MatMul", scores, v);
}

/* Each head of @x as often as it has heads of @q to serve, one behind the other. */
static SondeGraphValue *
repeat_heads (SondePt2Lowering *self, SondeGraphValue *x, const SondeGraphValue *q)
{
  const int rank = sonde_pt2_rank (self, x), all = sonde_pt2_rank (self, q);
  const gint64 heads = rank > 2 ? x->type.dims[rank - 3].size : -1;
  const gint64 wanted = all > 2 ? q->type.dims[all - 3].size : -1;
  g_autofree gint64 *places = NULL;
  SondeGraphValue *y;

  if (heads < 1 || wanted < heads || wanted % heads != 0 || wanted > G_MAXINT16)
    {
      sonde_lowering_fail (self->out, SONDE_DATA_ERROR_DAMAGED,
                           "%" PRId64 " heads of queries cannot be grouped over %" PRId64, wanted,
                           heads);
      return x;
    }
  if (heads == wanted)
    return x;
  places = g_new (gint64, wanted);
  for (gint64 i = 0; i < wanted; i++)
    places[i] = i / (wanted / heads);
  y = sonde_pt2_op2 (self, "Gather", x, sonde_lowering_ints (self->out, places, (gsize) wanted));
  sonde_node_set_int (y->producer, "axis", rank - 3);
  y->type = x->type;
  y->type.dims[rank - 3].size = wanted;
  return y;
}

static void
lower_attention (SondePt2Lowering *self)
{
  SondeGraphValue *q = sonde_pt2_needed (self, "query");
  SondeGraphValue *k = sonde_pt2_needed (self, "key"), *v = sonde_pt2_needed (self, "value");

  if (sonde_pt2_arg_bool (self, "enable_gqa", FALSE))
    {
      k = repeat_heads (self, k, q);
      v = repeat_heads (self, v, q);
    }
  sonde_pt2_set_out (self, 0, attend (self, q, k, v, sonde_pt2_tensor (self, "attn_mask")));
}

/* ---- normalisation ------------------------------------------------------- */

static SondeGraphValue *
ones_or (SondePt2Lowering *self, SondeGraphValue *value, const SondeGraphValue *like, gint64 n,
         double number)
{
  const SondeShape shape = { 1, { n } };
  g_autoptr (SondeTensor) tensor = NULL;

  if (value != NULL)
    return value;
  tensor = sonde_tensor_new (like->type.dtype, &shape);
  for (gint64 i = 0; i < n; i++)
    sonde_tensor_set_double (tensor, i, number);
  return sonde_lowering_constant (self->out, NULL, tensor);
}

/* Over the last dimensions, those of normalized_shape. */
static void
lower_layer_norm (SondePt2Lowering *self)
{
  SondeGraphValue *x = sonde_pt2_needed (self, "input"), *y = NULL;
  SondeGraphValue *bias = sonde_pt2_tensor (self, "bias"),
                  *scale = sonde_pt2_tensor (self, "weight");
  SondeGraphValue *inputs[3] = { x, scale, bias };
  gint64 sizes[SONDE_MAX_RANK];
  int n = sonde_pt2_arg_ints (self, "normalized_shape", sizes, SONDE_MAX_RANK);

  if (scale == NULL)
    {
      scale = sonde_pt2_number (self, x, 1);
      inputs[1] = sonde_lowering_op (
          self->out, "Expand",
          SONDE_VALUES (scale, sonde_lowering_ints (self->out, sizes, (gsize) MAX (n, 0))));
    }
  y = sonde_lowering_op (self->out, "LayerNormalization", inputs, bias != NULL ? 3 : 2);
  sonde_node_set_int (y->producer, "axis", -MAX (n, 1));
  sonde_node_set_float (y->producer, "epsilon", sonde_pt2_arg_number (self, "eps", 1e-5));
  sonde_pt2_set_out (self, 0, y);
}

static void
lower_group_norm (SondePt2Lowering *self)
{
  SondeGraphValue *x = sonde_pt2_needed (self, "input"), *y = NULL;
  gint64 channels = x->type.rank > 1 ? x->type.dims[1].size : 1;
  gint64 groups = sonde_pt2_arg_int (self, "num_groups", sonde_pt2_arg_int (self, "group", 1));

  y = sonde_lowering_op (
      self->out, "GroupNormalization",
      SONDE_VALUES (x, ones_or (self, sonde_pt2_tensor (self, "weight"), x, MAX (channels, 1), 1),
                    ones_or (self, sonde_pt2_tensor (self, "bias"), x, MAX (channels, 1), 0)));
  sonde_node_set_int (y->producer, "num_groups", groups);
  sonde_node_set_float (y->producer, "epsilon", sonde_pt2_arg_number (self, "eps", 1e-5));
  sonde_pt2_set_out (self, 0, y);
}

static void
lower_instance_norm (SondePt2Lowering *self)
{
  SondeGraphValue *x = sonde_pt2_needed (self, "input"), *y = NULL;
  gint64 channels = x->type.rank > 1 ? MAX (x->type.dims[1].size, 1) : 1;

  y = sonde_lowering_op (
      self->out, "InstanceNormalization",
      SONDE_VALUES (x, ones_or (self, sonde_pt2_tensor (self, "weight"), x, channels, 1),
                    ones_or (self, sonde_pt2_tensor (self, "bias"), x, channels, 0)));
  sonde_node_set_float (y->producer, "epsilon", sonde_pt2_arg_number (self, "eps", 1e-5));
  sonde_pt2_set_out (self, 0, y);
}

/* x / √(mean x² + eps) · weight */
static void
lower_rms_norm (SondePt2Lowering *self)
{
  SondeGraphValue *x = sonde_pt2_needed (self, "input"), *y = NULL;
  SondeGraphValue *weight = sonde_pt2_tensor (self, "weight");
  gint64 sizes[SONDE_MAX_RANK], axes[SONDE_MAX_RANK];
  int n = MAX (sonde_pt2_arg_ints (self, "normalized_shape", sizes, SONDE_MAX_RANK), 1);

  for (int i = 0; i < n; i++)
    axes[i] = i - n;
  y = sonde_pt2_op2 (self, "ReduceMean", sonde_pt2_op2 (self, "Mul", x, x),
                     sonde_lowering_ints (self->out, axes, (gsize) n));
  y = sonde_pt2_op2 (self, "Add", y,
                     sonde_pt2_number (self, x, sonde_pt2_arg_number (self, "eps", 1.1920929e-7)));
  y = sonde_pt2_op2 (self, "Div", x, sonde_pt2_op (self, "Sqrt", y));
  sonde_pt2_set_out (self, 0, weight != NULL ? sonde_pt2_op2 (self, "Mul", y, weight) : y);
}

/* Statistics of training; in training itself those of the batch are used, which inference must not. */
static void
lower_batch_norm (SondePt2Lowering *self)
{
  SondeGraphValue *x = sonde_pt2_needed (self, "input"), *y = NULL;
  SondeGraphValue *mean = sonde_pt2_tensor (self, "running_mean");
  SondeGraphValue *variance = sonde_pt2_tensor (self, "running_var");
  gint64 channels = mean != NULL && mean->type.rank == 1 ? mean->type.dims[0].size : 1;

  if (sonde_pt2_arg_bool (self, "training", FALSE) || mean == NULL || variance == NULL)
    {
      sonde_pt2_refuse (
          self, sonde_message_new ("it normalises each batch by that batch's own statistics"),
          sonde_message_new ("Export the program after model.eval()"));
      return;
    }
  y = sonde_lowering_op (
      self->out, "BatchNormalization",
      SONDE_VALUES (x, ones_or (self, sonde_pt2_tensor (self, "weight"), mean, channels, 1),
                    ones_or (self, sonde_pt2_tensor (self, "bias"), mean, channels, 0), mean,
                    variance));
  sonde_node_set_float (y->producer, "epsilon", sonde_pt2_arg_number (self, "eps", 1e-5));
  sonde_pt2_set_out (self, 0, y);
}

/* By the mean and variance of all but the channels; what instance normalisation is decomposed to. */
static void
lower_batch_statistics (SondePt2Lowering *self)
{
  SondeGraphValue *x = sonde_pt2_needed (self, "input"), *y = NULL, *variance = NULL, *axes = NULL;
  SondeGraphValue *weight = sonde_pt2_tensor (self, "weight"),
                  *bias = sonde_pt2_tensor (self, "bias");
  int rank = sonde_pt2_rank (self, x);
  gint64 others[SONDE_MAX_RANK], column[SONDE_MAX_RANK];
  gsize n = 0;

  for (int i = 0; i < rank; i++)
    {
      column[i] = i == 0 ? -1 : 1;
      if (i != 1)
        others[n++] = i;
    }
  axes = sonde_lowering_ints (self->out, others, n);
  y = sonde_pt2_op2 (self, "Sub", x, sonde_pt2_op2 (self, "ReduceMean", x, axes));
  variance = sonde_pt2_op2 (self, "ReduceMean", sonde_pt2_op2 (self, "Mul", y, y), axes);
  variance = sonde_pt2_op2 (self, "Add", variance,
                            sonde_pt2_number (self, x, sonde_pt2_arg_number (self, "eps", 1e-5)));
  y = sonde_pt2_op2 (self, "Div", y, sonde_pt2_op (self, "Sqrt", variance));
  if (weight != NULL)
    y = sonde_pt2_op2 (self, "Mul", y,
                       sonde_lowering_reshape (self->out, weight, column, rank - 1));
  if (bias != NULL)
    y = sonde_pt2_op2 (self, "Add", y, sonde_lowering_reshape (self->out, bias, column, rank - 1));
  sonde_pt2_set_out (self, 0, y);
}

/* ---- embeddings ---------------------------------------------------------- */

static void
lower_embedding (SondePt2Lowering *self)
{
  sonde_pt2_set_out (self, 0,
                     sonde_pt2_op2 (self, "Gather", sonde_pt2_needed (self, "weight"),
                                    sonde_pt2_needed (self, "indices")));
}

static void
lower_one_hot (SondePt2Lowering *self)
{
  static const gint64 values[] = { 0, 1 };
  gint64 classes = sonde_pt2_arg_int (self, "num_classes", -1);
  SondeGraphValue *y = NULL;

  if (classes < 1)
    {
      sonde_pt2_refuse (self, sonde_message_new ("the number of classes depends on the values"),
                        NULL);
      return;
    }
  y = sonde_lowering_op (self->out, "OneHot",
                         SONDE_VALUES (sonde_pt2_needed (self, "self"),
                                       sonde_lowering_int (self->out, classes),
                                       sonde_lowering_ints (self->out, values, 2)));
  sonde_pt2_set_out (self, 0, y);
}

const SondePt2Row sonde_pt2_matrix_rows[] = {
  { "_native_batch_norm_legit.no_stats", lower_batch_statistics },
  { "_native_batch_norm_legit_no_training.default", lower_batch_norm },
  { "_scaled_dot_product_flash_attention_for_cpu.default", lower_attention },
  { "addmm.default", lower_addmm },
  { "baddbmm.default", lower_baddbmm },
  { "batch_norm.default", lower_batch_norm },
  { "bmm.default", lower_product },
  { "dot.default", lower_product },
  { "einsum.default", lower_einsum },
  { "embedding.default", lower_embedding },
  { "group_norm.default", lower_group_norm },
  { "instance_norm.default", lower_instance_norm },
  { "layer_norm.default", lower_layer_norm },
  { "linear.default", lower_linear },
  { "matmul.default", lower_product },
  { "mm.default", lower_product },
  { "mv.default", lower_product },
  { "native_group_norm.default", lower_group_norm },
  { "native_layer_norm.default", lower_layer_norm },
  { "one_hot.default", lower_one_hot },
  { "rms_norm.default", lower_rms_norm },
  { "scaled_dot_product_attention.default", lower_attention },
  { NULL },
};
