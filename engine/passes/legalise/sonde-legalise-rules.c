/* SPDX-License-Identifier: Apache-2.0
 * What changed between opset versions, one rule a change. Source: the operator change log of
 * ONNX. */
#include "engine/passes/sonde-legalise.h"

#include <string.h>

#define unsupported(error, ...)                                                                    \
  (sonde_set_error ((error), SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_UNSUPPORTED, __VA_ARGS__),     \
   FALSE)

/* ---- attributes became inputs -------------------------------------------- */

static gboolean
axes_to_input (SondeGraph *graph, SondeNode *node, int version, GError **error)
{
  sonde_legalise_move_ints (graph, node, "axes", 1);
  return TRUE;
}

static gboolean
clip_limits (SondeGraph *graph, SondeNode *node, int version, GError **error)
{
  sonde_legalise_move_float (graph, node, "min", 1);
  sonde_legalise_move_float (graph, node, "max", 2);
  return TRUE;
}

/* Version 18 must say how many parts; before it the number of outputs did. */
static gboolean
split_sizes (SondeGraph *graph, SondeNode *node, int version, GError **error)
{
  if (version < 13)
    sonde_legalise_move_ints (graph, node, "split", 1);
  if (sonde_node_get_input (node, 1) == NULL)
    sonde_node_set_int (node, "num_outputs", node->outputs->len);
  return TRUE;
}

static gboolean
pad_sizes (SondeGraph *graph, SondeNode *node, int version, GError **error)
{
  sonde_legalise_move_ints (graph, node, version < 2 ? "paddings" : "pads", 1);
  sonde_legalise_move_float (graph, node, "value", 2);
  return TRUE;
}

static gboolean
slice_bounds (SondeGraph *graph, SondeNode *node, int version, GError **error)
{
  sonde_legalise_move_ints (graph, node, "starts", 1);
  sonde_legalise_move_ints (graph, node, "ends", 2);
  sonde_legalise_move_ints (graph, node, "axes", 3);
  return TRUE;
}

static gboolean
reshape_target (SondeGraph *graph, SondeNode *node, int version, GError **error)
{
  sonde_legalise_move_ints (graph, node, "shape", 1);
  return TRUE;
}

/* Repeats along one axis were two inputs, tiles and axis. */
static gboolean
tile_repeats (SondeGraph *graph, SondeNode *node, int version, GError **error)
{
  return unsupported (error, "the form with inputs tiles and axis is not implemented");
}

/* ---- attributes that went away ------------------------------------------- */

static gboolean
drop_consumed (SondeGraph *graph, SondeNode *node, int version, GError **error)
{
  (void) sonde_node_remove_attribute (node, "consumed_inputs");
  return TRUE;
}

/* Until 10 the mask was of the input's type. */
static void
keep_mask_type (SondeGraph *graph, SondeNode *node)
{
  SondeDtype dtype = sonde_legalise_dtype (node, 0);
  SondeGraphValue *mask = sonde_legalise_take_output (graph, node, 1);
  SondeGraphValue *bits = NULL;
  SondeNode *cast = NULL;

  if (mask == NULL)
    return;
  bits = sonde_graph_add_value (graph, NULL, NULL);
  sonde_node_set_output (graph, node, 1, bits);
  cast = sonde_legalise_add_node (graph, "Cast", bits, NULL, mask);
  sonde_node_set_int (cast, "to",
                      dtype == SONDE_DTYPE_F64   ? 11
                      : dtype == SONDE_DTYPE_F16 ? 10
                                                 : 1);
}

/* Until 6 is_test chose; from 7 on there is no training form until 12. */
static gboolean
dropout_ratio (SondeGraph *graph, SondeNode *node, int version, GError **error)
{
  SondeShape scalar = sonde_shape_scalar ();
  g_autoptr (SondeTensor) yes = sonde_tensor_new (SONDE_DTYPE_BOOL, &scalar);

  yes->data[0] = 1;
  sonde_legalise_move_float (graph, node, "ratio", 1);
  if (version < 7 && sonde_node_get_int (node, "is_test", 0) == 0)
    sonde_node_set_input (graph, node, 2, sonde_build_constant (graph, "training_mode", yes));
  (void) sonde_node_remove_attribute (node, "is_test");
  (void) sonde_node_remove_attribute (node, "consumed_inputs");
  if (version < 10)
    keep_mask_type (graph, node);
  return TRUE;
}

/* Before 7 is_test chose; from 7 to 13 more than one output meant training. */
static gboolean
batch_normalization_mode (SondeGraph *graph, SondeNode *node, int version, GError **error)
{
  gboolean training
      = version < 7 ? sonde_node_get_int (node, "is_test", 0) == 0 : node->outputs->len > 1;

  if (sonde_node_get_int (node, "spatial", 1) == 0)
    return unsupported (error, "spatial = 0 is not implemented");
  (void) sonde_node_remove_attribute (node, "is_test");
  (void) sonde_node_remove_attribute (node, "spatial");
  (void) sonde_node_remove_attribute (node, "consumed_inputs");
  if (training)
    sonde_node_set_int (node, "training_mode", 1);
  return TRUE;
}

static gboolean
gemm_broadcast (SondeGraph *graph, SondeNode *node, int version, GError **error)
{
  (void) sonde_node_remove_attribute (node, "broadcast");
  return TRUE;
}

static const char *const cast_names[] = {
  [1] = "FLOAT",   [2] = "UINT8",   [3] = "INT8",    [4] = "UINT16", [5] = "INT16",
  [6] = "INT32",   [7] = "INT64",   [8] = "STRING",  [9] = "BOOL",   [10] = "FLOAT16",
  [11] = "DOUBLE", [12] = "UINT32", [13] = "UINT64",
};

static gboolean
cast_number (SondeGraph *graph, SondeNode *node, int version, GError **error)
{
  g_autofree char *name = g_strdup (sonde_node_get_string (node, "to", NULL));

  if (name == NULL)
    return TRUE;
  for (gsize i = 1; i < G_N_ELEMENTS (cast_names); i++)
    if (strcmp (cast_names[i], name) == 0)
      {
        sonde_node_set_int (node, "to", (gint64) i);
        return TRUE;
      }
  return unsupported (error, "casts to “%s”, which is not implemented", name);
}

static gboolean
concat_axis (SondeGraph *graph, SondeNode *node, int version, GError **error)
{
  if (sonde_node_find_attribute (node, "axis") == NULL)
    sonde_node_set_int (node, "axis", 1);
  return TRUE;
}

/* ---- broadcasting before version 7 --------------------------------------- */

/* B's dimensions lay on A's from @axis on: ones are appended to B. */
static gboolean
align_operand (SondeGraph *graph, SondeNode *node, int version, GError **error)
{
  SondeAttribute *attribute = sonde_node_find_attribute (node, "axis");
  gint64 axis = sonde_node_get_int (node, "axis", 0);
  int a = sonde_legalise_rank (node, 0), b = sonde_legalise_rank (node, 1);
  gint64 axes[SONDE_MAX_RANK];
  gsize n = 0;

  (void) sonde_node_remove_attribute (node, "broadcast");
  (void) sonde_node_remove_attribute (node, "consumed_inputs");
  if (attribute == NULL)
    return TRUE;
  (void) sonde_node_remove_attribute (node, "axis");
  if (a < 0 || b < 0)
    return unsupported (
        error,
        "its legacy broadcasting by axis needs the ranks of both inputs, which are not known");
  if (axis < 0)
    axis += a;
  if (axis < 0 || axis > a - b)
    return unsupported (error, "axis and the ranks of its inputs do not match");
  for (int d = (int) axis + b; d < a; d++, n++)
    axes[n] = b + (gint64) n;
  if (n > 0)
    sonde_node_set_input (graph, node, 1,
                          sonde_build_binary (graph, "Unsqueeze", sonde_node_get_input (node, 1),
                                              sonde_build_ints (graph, axes, n)));
  return TRUE;
}

/* A slope for each channel, before slopes were broadcast as everything else. */
static gboolean
prelu_channels (SondeGraph *graph, SondeNode *node, int version, GError **error)
{
  int rank = sonde_legalise_rank (node, 0), slope_rank = sonde_legalise_rank (node, 1);
  SondeGraphValue *slope = sonde_node_get_input (node, 1);
  gint64 axes[SONDE_MAX_RANK];
  gsize n = 0;

  (void) sonde_node_remove_attribute (node, "consumed_inputs");
  if (slope_rank == 0 || (slope_rank == 1 && slope->type.dims[0].size == 1))
    return TRUE;
  if (rank < 0 || slope_rank != 1)
    return unsupported (error, "its slope must be a list, and the rank of its input must be known");
  for (int d = 2; d < rank; d++, n++)
    axes[n] = d - 1;
  if (n > 0)
    sonde_node_set_input (
        graph, node, 1,
        sonde_build_binary (graph, "Unsqueeze", slope, sonde_build_ints (graph, axes, n)));
  return TRUE;
}

/* ---- Softmax over several dimensions ------------------------------------- */

/* Before 13 the input was taken as a matrix, [before axis, from axis on], with rows normalised: one
 * axis in today's sense only when it is the last one. */
static gboolean
softmax_rows (SondeGraph *graph, SondeNode *node, int version, GError **error)
{
  gint64 axis = sonde_node_get_int (node, "axis", 1);
  SondeGraphValue *x = sonde_node_get_input (node, 0);
  int rank = sonde_legalise_rank (node, 0);
  SondeGraphValue *y = NULL, *flat = NULL, *shape = NULL;
  SondeNode *matrix = NULL;

  sonde_node_set_int (node, "axis", -1);
  if (axis == -1 || (rank > 0 && (axis == rank - 1 || axis == -1)))
    return TRUE;
  matrix = sonde_legalise_add_node (graph, "Flatten", x, NULL, NULL);
  sonde_node_set_int (matrix, "axis", axis);
  shape = sonde_node_get_output (sonde_legalise_add_node (graph, "Shape", x, NULL, NULL), 0);
  y = sonde_legalise_take_output (graph, node, 0);
  flat = sonde_graph_add_value (graph, NULL, NULL);
  sonde_node_set_input (graph, node, 0, sonde_node_get_output (matrix, 0));
  sonde_node_set_output (graph, node, 0, flat);
  node->origin_kind = SONDE_ORIGIN_LEGALISED;
  (void) sonde_legalise_add_node (graph, "Reshape", flat, shape, y);
  return TRUE;
}

/* ---- the table ----------------------------------------------------------- */

/* Opset 8: a batch dimension in front of everything, and lengths. */
static gboolean
batch_scan (SondeGraph *graph, SondeNode *node, int version, GError **error)
{
  sonde_node_set_op (node, SONDE_DOMAIN, "BatchScan");
  node->version = 1;
  return TRUE;
}

const SondeLegalisation sonde_legalisations_common[] = {
  { "Abs", 6, drop_consumed },
  { "Add", 7, align_operand },
  { "And", 7, align_operand },
  { "BatchNormalization", 14, batch_normalization_mode },
  { "Cast", 6, cast_number },
  { "Ceil", 6, drop_consumed },
  { "Clip", 6, drop_consumed },
  { "Clip", 11, clip_limits },
  { "Concat", 4, concat_axis },
  { "Div", 7, align_operand },
  { "Dropout", 12, dropout_ratio },
  { "Elu", 6, drop_consumed },
  { "Equal", 7, align_operand },
  { "Exp", 6, drop_consumed },
  { "Floor", 6, drop_consumed },
  { "Gemm", 7, gemm_broadcast },
  { "Greater", 7, align_operand },
  { "HardSigmoid", 6, drop_consumed },
  { "Hardmax", 13, softmax_rows },
  { "LeakyRelu", 6, drop_consumed },
  { "Less", 7, align_operand },
  { "Log", 6, drop_consumed },
  { "LogSoftmax", 13, softmax_rows },
  { "Max", 6, drop_consumed },
  { "Mean", 6, drop_consumed },
  { "Min", 6, drop_consumed },
  { "Mul", 7, align_operand },
  { "Neg", 6, drop_consumed },
  { "Or", 7, align_operand },
  { "Pad", 11, pad_sizes },
  { "PRelu", 7, prelu_channels },
  { "Pow", 7, align_operand },
  { "Reciprocal", 6, drop_consumed },
  { "ReduceMax", 18, axes_to_input },
  { "ReduceMean", 18, axes_to_input },
  { "ReduceMin", 18, axes_to_input },
  { "ReduceSum", 13, axes_to_input },
  { "Relu", 6, drop_consumed },
  { "Reshape", 5, drop_consumed },
  { "Reshape", 5, reshape_target },
  { "Scan", 9, batch_scan },
  { "Selu", 6, drop_consumed },
  { "Sigmoid", 6, drop_consumed },
  { "Slice", 10, slice_bounds },
  { "Softmax", 13, softmax_rows },
  { "Split", 18, split_sizes },
  { "Sqrt", 6, drop_consumed },
  { "Squeeze", 13, axes_to_input },
  { "Sub", 7, align_operand },
  { "Sum", 6, drop_consumed },
  { "Tanh", 6, drop_consumed },
  { "Tile", 6, tile_repeats },
  { "Unsqueeze", 13, axes_to_input },
  { "Xor", 7, align_operand },
  { NULL },
};
