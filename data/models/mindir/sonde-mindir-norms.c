/* SPDX-License-Identifier: Apache-2.0
 * Normalisation, softmax. */
#include <string.h>

#include "data/models/mindir/sonde-mindir-window.h"

/* ---- over the batch ------------------------------------------------------ */

static const SondeMindirTerm *
build_batch_norm (SondeMindirCall *call)
{
  const gboolean last = sonde_mindir_is_channels_last (call);
  SondeGraphValue *x = sonde_mindir_tensor (call, "x"), *y;
  SondeGraphValue *mean = sonde_mindir_tensor (call, "mean");
  SondeGraphValue *variance = sonde_mindir_tensor (call, "variance");

  if (sonde_mindir_flag (call, "is_training", FALSE))
    return sonde_mindir_refuse (call, N_ ("it takes mean and variance of the batch"),
                                N_ ("call net.set_train (False) and export the model again"));
  if (last)
    x = sonde_lowering_channels_first (call->l, x);
  y = sonde_lowering_op (call->l, "BatchNormalization",
                         SONDE_VALUES (x, sonde_mindir_tensor (call, "scale"),
                                       sonde_mindir_tensor (call, "bias"), mean, variance));
  sonde_node_set_float (y->producer, "epsilon", sonde_mindir_number (call, "epsilon", 1e-5));
  sonde_mindir_typed (y, x->type.dtype, x->type.rank);
  if (last)
    y = sonde_lowering_channels_last (call->l, y);
  return sonde_mindir_give_tuple (
      call, (SondeGraphValue *const[]){ y, mean, variance, mean, variance }, 5);
}

/* ---- over trailing dimensions -------------------------------------------- */

/* Mean and the reciprocal of the deviation are outputs only where something reads them: more than one
 * output keeps operators from being fused. */
static const SondeMindirTerm *
normalise (SondeMindirCall *call, SondeGraphValue *x, SondeGraphValue *scale, SondeGraphValue *bias,
           gint64 axis, double epsilon)
{
  const gboolean more = sonde_mindir_reads_item (call, 1);
  SondeNode *node = sonde_lowering_node (call->l, "", "LayerNormalization",
                                         SONDE_VALUES (x, scale, bias), more ? 3 : 1);

  sonde_node_set_int (node, "axis", axis);
  sonde_node_set_float (node, "epsilon", epsilon);
  return sonde_mindir_give_tuple (
      call,
      (SondeGraphValue *const[]){ sonde_node_get_output (node, 0),
                                  more ? sonde_node_get_output (node, 1) : NULL,
                                  more ? sonde_node_get_output (node, 2) : NULL },
      3);
}

static const SondeMindirTerm *
build_layer_norm (SondeMindirCall *call)
{
  const gint64 axis = sonde_mindir_int (call, "begin_norm_axis", 1);
  SondeGraphValue *x = sonde_mindir_tensor (call, "x"),
                  *gamma = sonde_mindir_tensor (call, "gamma");

  if (sonde_mindir_int (call, "begin_params_axis", axis) != axis
      && gamma->type.rank != x->type.rank - (axis < 0 ? x->type.rank + axis : axis))
    return sonde_mindir_refuse (
        call, N_ ("its parameters begin at another dimension than the normalisation"), NULL);
  return normalise (call, x, gamma, sonde_mindir_tensor_or_null (call, "beta"), axis,
                    sonde_mindir_number (call, "epsilon", 1e-7));
}

static const SondeMindirTerm *
build_layer_norm_ext (SondeMindirCall *call)
{
  g_autoptr (GArray) shape = sonde_mindir_ints (call, "normalized_shape");
  SondeGraphValue *x = sonde_mindir_tensor (call, "x");
  SondeGraphValue *scale = sonde_mindir_tensor_or_null (call, "weight");
  SondeShape sizes = { .rank = 0 };
  g_autoptr (SondeTensor) ones = NULL;

  if (shape == NULL || shape->len == 0 || shape->len > SONDE_MAX_RANK)
    return sonde_mindir_refuse (call, N_ ("the shape that it normalises is not known"), NULL);
  for (guint i = 0; i < shape->len; i++)
    sizes.dims[sizes.rank++] = CLAMP (g_array_index (shape, gint64, i), 0, G_MAXUINT16);
  if (scale == NULL)
    scale = OP2 (call, "Expand", sonde_mindir_number_like (call, 1, x),
                 sonde_lowering_ints (call->l, sizes.dims, shape->len));
  return normalise (call, x, scale, sonde_mindir_tensor_or_null (call, "bias"),
                    -(gint64) shape->len, sonde_mindir_number (call, "eps", 1e-5));
}

static const SondeMindirTerm *
build_rms_norm (SondeMindirCall *call)
{
  SondeGraphValue *x = sonde_mindir_tensor (call, "x"),
                  *gamma = sonde_mindir_tensor (call, "gamma");
  SondeGraphValue *mean, *factor;
  g_autoptr (GArray) axes = g_array_new (FALSE, FALSE, sizeof (gint64));

  for (gint64 i = -MAX (gamma->type.rank, 1); i < 0; i++)
    g_array_append_val (axes, i);
  mean = sonde_mindir_reduce (call, "ReduceMean", OP2 (call, "Mul", x, x), axes, TRUE);
  mean = OP2 (call, "Add", mean,
              sonde_mindir_number_like (call, sonde_mindir_number (call, "epsilon", 1e-6), x));
  factor = OP1 (call, "Reciprocal", OP1 (call, "Sqrt", mean));
  return sonde_mindir_give_tuple (
      call,
      (SondeGraphValue *const[]){ OP2 (call, "Mul", OP2 (call, "Mul", x, factor), gamma), factor },
      2);
}

/* ---- over groups and instances ------------------------------------------- */

static const SondeMindirTerm *
build_group_norm (SondeMindirCall *call)
{
  SondeGraphValue *x = sonde_mindir_tensor (call, "x"), *y;
  SondeGraphValue *scale = sonde_mindir_tensor_or_null (call, "weight");
  SondeGraphValue *bias = sonde_mindir_tensor_or_null (call, "bias");
  const gint64 channels = sonde_mindir_size (x, 1);

  if ((scale == NULL || bias == NULL) && channels < 0)
    return sonde_mindir_refuse (call, N_ ("the number of its channels is not known"), NULL);
  if (sonde_mindir_reads_item (call, 1))
    return sonde_mindir_refuse (call, N_ ("mean and deviation of the groups are read"), NULL);
  if (scale == NULL)
    scale = OP2 (call, "Expand", sonde_mindir_number_like (call, 1, x),
                 sonde_mindir_ints1 (call, channels));
  if (bias == NULL)
    bias = OP2 (call, "Expand", sonde_mindir_number_like (call, 0, x),
                sonde_mindir_ints1 (call, channels));
  y = OP3 (call, "GroupNormalization", x, scale, bias);
  sonde_node_set_int (y->producer, "num_groups", sonde_mindir_int (call, "num_groups", 1));
  sonde_node_set_float (y->producer, "epsilon", sonde_mindir_number (call, "eps", 1e-5));
  return sonde_mindir_give_tuple (call, (SondeGraphValue *const[]){ y, NULL, NULL }, 3);
}

static const SondeMindirTerm *
build_instance_norm (SondeMindirCall *call)
{
  SondeGraphValue *y
      = OP3 (call, "InstanceNormalization", sonde_mindir_tensor (call, "x"),
             sonde_mindir_tensor (call, "gamma"), sonde_mindir_tensor (call, "beta"));

  sonde_node_set_float (y->producer, "epsilon", sonde_mindir_number (call, "epsilon", 1e-5));
  return sonde_mindir_give_tuple (call, (SondeGraphValue *const[]){ y, NULL, NULL }, 3);
}

/* x / √max (Σ x², epsilon) */
static const SondeMindirTerm *
build_l2 (SondeMindirCall *call)
{
  SondeGraphValue *x = sonde_mindir_tensor (call, "x");
  g_autoptr (GArray) axes = sonde_mindir_ints (call, "axis");
  SondeGraphValue *sum
      = sonde_mindir_reduce (call, "ReduceSum", OP2 (call, "Mul", x, x), axes, TRUE);
  SondeGraphValue *least
      = sonde_mindir_number_like (call, sonde_mindir_number (call, "epsilon", 1e-4), x);

  return sonde_mindir_give (
      call, OP2 (call, "Div", x, OP1 (call, "Sqrt", OP2 (call, "Max", sum, least))));
}

/* ONNX divides alpha by the number of channels in the window. */
static const SondeMindirTerm *
build_lrn (SondeMindirCall *call)
{
  const gint64 size = 2 * sonde_mindir_int (call, "depth_radius", 5) + 1;
  SondeGraphValue *y = OP1 (call, "LRN", sonde_mindir_tensor (call, "x"));

  sonde_node_set_int (y->producer, "size", size);
  sonde_node_set_float (y->producer, "alpha",
                        sonde_mindir_number (call, "alpha", 1) * (double) size);
  sonde_node_set_float (y->producer, "beta", sonde_mindir_number (call, "beta", 0.5));
  sonde_node_set_float (y->producer, "bias", sonde_mindir_number (call, "bias", 1));
  return sonde_mindir_give (call, y);
}

/* ---- softmax ------------------------------------------------------------- */

static SondeGraphValue *
soften_several (SondeMindirCall *call, SondeGraphValue *x, const GArray *axes)
{
  SondeGraphValue *e = OP1 (
      call, "Exp", OP2 (call, "Sub", x, sonde_mindir_reduce (call, "ReduceMax", x, axes, TRUE)));

  return OP2 (call, "Div", e, sonde_mindir_reduce (call, "ReduceSum", e, axes, TRUE));
}

static const SondeMindirTerm *
build_softmax (SondeMindirCall *call)
{
  SondeGraphValue *x = sonde_mindir_tensor (call, "x"), *y;
  g_autoptr (GArray) axes = sonde_mindir_ints (call, "axis");

  if (axes != NULL && axes->len > 1)
    return sonde_mindir_give (call, soften_several (call, x, axes));
  y = OP1 (call, call->row->text, x);
  sonde_node_set_int (y->producer, "axis",
                      axes != NULL && axes->len == 1 ? g_array_index (axes, gint64, 0) : -1);
  return sonde_mindir_give (
      call, sonde_mindir_cast_to_output (call, sonde_mindir_typed (y, x->type.dtype, -1), 0));
}

const SondeMindirRow sonde_mindir_normalisation_rows[] = {
  { "BatchNorm", "x scale bias mean variance is_training epsilon momentum data_format",
    build_batch_norm, NULL, 0 },
  { "BatchNormExt", "x scale bias mean variance is_training momentum epsilon", build_batch_norm,
    NULL, 0 },
  { "LayerNorm", "x gamma beta begin_norm_axis begin_params_axis epsilon", build_layer_norm, NULL,
    0 },
  { "LayerNormExt", "x normalized_shape weight bias eps", build_layer_norm_ext, NULL, 0 },
  { "RmsNorm", "x gamma epsilon", build_rms_norm, NULL, 0 },
  { "GroupNorm", "x num_groups weight bias eps", build_group_norm, NULL, 0 },
  { "InstanceNorm", "x gamma beta mean variance", build_instance_norm, NULL, 0 },
  { "L2Normalize", "x axis epsilon", build_l2, NULL, 0 },
  { "LRN", "x depth_radius bias alpha beta", build_lrn, NULL, 0 },
  { "Softmax", "x axis", build_softmax, "Softmax", 0 },
  { "LogSoftmax", "x axis", build_softmax, "LogSoftmax", 0 },
  { "LogSoftmaxExt", "x axis dtype", build_softmax, "LogSoftmax", 0 },
  { NULL, NULL, NULL, NULL, 0 },
};
