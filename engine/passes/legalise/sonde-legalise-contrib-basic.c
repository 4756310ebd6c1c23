/* SPDX-License-Identifier: Apache-2.0
 * com.microsoft: activations, products and convolutions with something fused, and what is an
 * operator of the standard under another name. */
#include "engine/passes/legalise/sonde-legalise-contrib.h"
#include "engine/passes/sonde-legalise.h"

#include <math.h>
#include <string.h>

/* ---- other names --------------------------------------------------------- */

static void
become (SondeNode *node, const char *domain, const char *op)
{
  sonde_node_set_op (node, domain, op);
  node->version = *domain == '\0' ? SONDE_CURRENT_OPSET : 1;
}

/* The same operator with the same attributes. */
gboolean
sonde_contrib_rename (SondeGraph *graph, SondeNode *node, int version, GError **error)
{
  become (node, "", node->op);
  return TRUE;
}

gboolean
sonde_contrib_inverse (SondeGraph *graph, SondeNode *node, int version, GError **error)
{
  become (node, SONDE_DOMAIN, "Inverse");
  return TRUE;
}

gboolean
sonde_contrib_crop_and_resize (SondeGraph *graph, SondeNode *node, int version, GError **error)
{
  become (node, SONDE_DOMAIN, "CropAndResize");
  return TRUE;
}

gboolean
sonde_contrib_sample (SondeGraph *graph, SondeNode *node, int version, GError **error)
{
  become (node, "", "Identity");
  return TRUE;
}

gboolean
sonde_contrib_grid_sample (SondeGraph *graph, SondeNode *node, int version, GError **error)
{
  const char *mode = sonde_node_get_string (node, "mode", "bilinear");

  if (strcmp (mode, "nearest") != 0)
    sonde_node_set_string (node, "mode", strcmp (mode, "bicubic") == 0 ? "cubic" : "linear");
  become (node, "", "GridSample");
  return TRUE;
}

/* Outputs: values, where each element went, counts; in the order of first occurrence. */
gboolean
sonde_contrib_unique (SondeGraph *graph, SondeNode *node, int version, GError **error)
{
  SondeGraphValue *inverse = sonde_legalise_take_output (graph, node, 1);
  SondeGraphValue *counts = sonde_legalise_take_output (graph, node, 2);

  if (counts != NULL)
    sonde_node_set_output (graph, node, 3, counts);
  if (inverse != NULL)
    sonde_node_set_output (graph, node, 2, inverse);
  sonde_node_set_int (node, "sorted", 0);
  become (node, "", "Unique");
  return TRUE;
}

gboolean
sonde_contrib_expand_dims (SondeGraph *graph, SondeNode *node, int version, GError **error)
{
  const gint64 one[] = { 1 };
  SondeGraphValue *axis = sonde_contrib_cast (graph, operand (node, 1), SONDE_DTYPE_I64);

  sonde_node_set_input (graph, node, 1, sonde_contrib_reshape (graph, axis, 1, one));
  become (node, "", "Unsqueeze");
  return TRUE;
}

/* Operands may be lists of one element. */
gboolean
sonde_contrib_range (SondeGraph *graph, SondeNode *node, int version, GError **error)
{
  if (operand (node, 2) == NULL)
    sonde_node_set_input (graph, node, 2,
                          sonde_build_scalar (graph, sonde_legalise_dtype (node, 0), 1));
  for (guint k = 0; k < 3; k++)
    sonde_node_set_input (graph, node, k,
                          sonde_contrib_reshape (graph, operand (node, k), 0, NULL));
  become (node, "", "Range");
  return TRUE;
}

/* One-sided, along the last dimension; real and imaginary parts stand in a new last one. */
gboolean
sonde_contrib_rfft (SondeGraph *graph, SondeNode *node, int version, GError **error)
{
  SondeGraphValue *x = NULL;

  if (sonde_node_get_int (node, "signal_ndim", 1) != 1
      || sonde_node_get_int (node, "normalized", 0) != 0)
    return sonde_contrib_unsupported (
        error, "multidimensional or normalised transforms are not implemented");
  x = sonde_contrib_unsqueeze (graph, operand (node, 0), -1);
  x = emit (graph, "DFT", x, NULL, sonde_contrib_int (graph, -2));
  sonde_contrib_give (graph, node, 0, sonde_contrib_with_int (graph, x, "onesided", 1));
  return TRUE;
}

/* ---- activations --------------------------------------------------------- */

gboolean
sonde_contrib_bias_gelu (SondeGraph *graph, SondeNode *node, int version, GError **error)
{
  SondeGraphValue *x = emit (graph, "Add", operand (node, 0), operand (node, 1));

  sonde_contrib_give (graph, node, 0, emit (graph, "Gelu", x));
  return TRUE;
}

gboolean
sonde_contrib_fast_gelu (SondeGraph *graph, SondeNode *node, int version, GError **error)
{
  SondeGraphValue *x = sonde_contrib_add (graph, operand (node, 0), operand (node, 1));

  sonde_contrib_give (
      graph, node, 0,
      sonde_contrib_with_string (graph, emit (graph, "Gelu", x), "approximate", "tanh"));
  return TRUE;
}

/* x·sigmoid (α·x) */
gboolean
sonde_contrib_quick_gelu (SondeGraph *graph, SondeNode *node, int version, GError **error)
{
  sonde_node_set_float (node, "alpha", sonde_node_get_float (node, "alpha", 1.702));
  become (node, "", "Swish");
  return TRUE;
}

/* The left half of x + bias times gelu of the right half. */
gboolean
sonde_contrib_bias_split_gelu (SondeGraph *graph, SondeNode *node, int version, GError **error)
{
  SondeGraphValue *x = emit (graph, "Add", operand (node, 0), operand (node, 1));
  SondeGraphValue *left = emit (graph, "Split", x);

  sonde_node_set_int (left->producer, "axis", -1);
  (void) sonde_contrib_with_int (graph, left, "num_outputs", 2);
  sonde_contrib_give (
      graph, node, 0,
      emit (graph, "Mul", left, emit (graph, "Gelu", sonde_contrib_output (graph, left, 1))));
  return TRUE;
}

gboolean
sonde_contrib_bias_add (SondeGraph *graph, SondeNode *node, int version, GError **error)
{
  SondeGraphValue *x = emit (graph, "Add", operand (node, 0), operand (node, 1));

  sonde_contrib_give (graph, node, 0, sonde_contrib_add (graph, x, operand (node, 2)));
  return TRUE;
}

/* ---- products ------------------------------------------------------------ */

/* @batch_name: attribute that dimension 0 stands for the rows and 1 to rank − 2 for batches;
 * @turn_name: that the last two change places then */
static gboolean
arrange (SondeGraph *graph, SondeNode *node, guint k, const char *batch_name, const char *turn_name,
         SondeGraphValue **x, GError **error)
{
  gboolean batch = sonde_node_get_int (node, batch_name, 0) != 0,
           turn = sonde_node_get_int (node, turn_name, 0) != 0;
  int rank = sonde_legalise_rank (node, k);
  gint64 order[SONDE_MAX_RANK];

  *x = operand (node, k);
  if (!batch && !turn)
    return TRUE;
  if (rank < 0)
    return sonde_contrib_unsupported (
        error, "the rank of input %u is not known, so it cannot be transposed", k);
  if (rank < 2)
    return TRUE;
  for (int d = 0; d < rank; d++)
    order[d] = batch && d < rank - 1 ? (d < rank - 2 ? d + 1 : 0) : d;
  if (turn)
    {
      gint64 kept = order[rank - 1];

      order[rank - 1] = order[rank - 2];
      order[rank - 2] = kept;
    }
  *x = sonde_contrib_transpose (graph, *x, rank, order);
  return TRUE;
}

gboolean
sonde_contrib_fused_matmul (SondeGraph *graph, SondeNode *node, int version, GError **error)
{
  SondeGraphValue *a = NULL, *b = NULL, *y = NULL;
  double alpha = sonde_node_get_float (node, "alpha", 1);

  if (!arrange (graph, node, 0, "transBatchA", "transA", &a, error)
      || !arrange (graph, node, 1, "transBatchB", "transB", &b, error))
    return FALSE;
  y = emit (graph, "MatMul", a, b);
  if (alpha != 1)
    y = emit (graph, "Mul", y, sonde_build_scalar (graph, sonde_legalise_dtype (node, 0), alpha));
  y = sonde_contrib_activate (graph, y, sonde_node_get_string (node, "activation", ""),
                              sonde_node_get_float (node, "activation_alpha", NAN),
                              sonde_node_get_float (node, "activation_beta", NAN), error);
  if (y != NULL)
    sonde_contrib_give (graph, node, 0, y);
  return y != NULL;
}

static void
copy_attributes (SondeNode *to, const SondeNode *from, const char *const *names)
{
  for (; *names != NULL; names++)
    {
      const SondeAttribute *attribute = sonde_node_find_attribute (from, *names);

      if (attribute != NULL)
        sonde_node_take_attribute (to, sonde_attribute_copy (attribute));
    }
}

gboolean
sonde_contrib_fused_gemm (SondeGraph *graph, SondeNode *node, int version, GError **error)
{
  static const char *const names[] = { "alpha", "beta", "transA", "transB", NULL };
  SondeGraphValue *y
      = emit (graph, "Gemm", operand (node, 0), operand (node, 1), operand (node, 2));

  copy_attributes (y->producer, node, names);
  (void) sonde_build_infer (graph, y->producer, NULL);
  y = sonde_contrib_activate (graph, y, sonde_node_get_string (node, "activation", ""),
                              sonde_node_get_float (node, "activation_alpha", NAN),
                              sonde_node_get_float (node, "activation_beta", NAN), error);
  if (y != NULL)
    sonde_contrib_give (graph, node, 0, y);
  return y != NULL;
}

/* ---- convolution --------------------------------------------------------- */

static const char *const window_names[]
    = { "auto_pad",     "ceil_mode", "count_include_pad", "dilations", "group",
        "kernel_shape", "pads",      "storage_order",     "strides",   NULL };

/* activation (conv (x, w) + b + z) */
gboolean
sonde_contrib_fused_conv (SondeGraph *graph, SondeNode *node, int version, GError **error)
{
  SondeGraphValue *y
      = emit (graph, "Conv", operand (node, 0), operand (node, 1), operand (node, 2));

  copy_attributes (y->producer, node, window_names);
  (void) sonde_build_infer (graph, y->producer, NULL);
  y = sonde_contrib_add (graph, y, operand (node, 3));
  y = sonde_contrib_activate (graph, y, sonde_node_get_string (node, "activation", ""),
                              sonde_contrib_nth_float (node, "activation_params", 0, NAN),
                              sonde_contrib_nth_float (node, "activation_params", 1, NAN), error);
  if (y != NULL)
    sonde_contrib_give (graph, node, 0, y);
  return y != NULL;
}

static SondeGraphValue *
channels_first (SondeGraph *graph, SondeGraphValue *x)
{
  const gint64 order[] = { 0, 3, 1, 2 };

  return sonde_contrib_transpose (graph, x, 4, order);
}

static SondeGraphValue *
channels_last (SondeGraph *graph, SondeGraphValue *x)
{
  const gint64 order[] = { 0, 2, 3, 1 };

  return sonde_contrib_transpose (graph, x, 4, order);
}

/* Whether the weight lies channels last too is told by its size. */
gboolean
sonde_contrib_nhwc_conv (SondeGraph *graph, SondeNode *node, int version, GError **error)
{
  SondeGraphValue *x = operand (node, 0), *w = operand (node, 1), *y = NULL;
  gint64 group = sonde_node_get_int (node, "group", 1), channels;

  if (x->type.rank != 4 || w->type.rank != 4 || x->type.dims[3].size < 0 || group < 1)
    return sonde_contrib_unsupported (
        error,
        "needs an input [N, H, W, C] with a known number of channels and a weight of 4 dimensions");
  channels = x->type.dims[3].size / group;
  if (w->type.dims[1].size != channels && w->type.dims[3].size == channels)
    w = channels_first (graph, w);
  y = emit (graph, "Conv", channels_first (graph, x), w, operand (node, 2));
  copy_attributes (y->producer, node, window_names);
  (void) sonde_build_infer (graph, y->producer, NULL);
  y = channels_last (graph, y);
  y = sonde_contrib_add (graph, y, operand (node, 3));
  y = sonde_contrib_activate (graph, y, sonde_node_get_string (node, "activation", ""),
                              sonde_contrib_nth_float (node, "activation_params", 0, NAN),
                              sonde_contrib_nth_float (node, "activation_params", 1, NAN), error);
  if (y != NULL)
    sonde_contrib_give (graph, node, 0, y);
  return y != NULL;
}

gboolean
sonde_contrib_nhwc_max_pool (SondeGraph *graph, SondeNode *node, int version, GError **error)
{
  SondeGraphValue *y = NULL;

  if (sonde_legalise_rank (node, 0) != 4)
    return sonde_contrib_unsupported (error, "needs an input [N, H, W, C]");
  y = emit (graph, "MaxPool", channels_first (graph, operand (node, 0)));
  copy_attributes (y->producer, node, window_names);
  (void) sonde_build_infer (graph, y->producer, NULL);
  sonde_contrib_give (graph, node, 0, channels_last (graph, y));
  return TRUE;
}
