/* SPDX-License-Identifier: Apache-2.0
 * ONNX layers as primitives: products, normalisation, reductions. */
#include <math.h>
#include <string.h>

#include "data/models/mindir/sonde-mindir-term.h"
#include "data/models/mindir/write/sonde-mindir-writer.h"

#define IN(index) sonde_mindir_in (w, node, index)
#define CALL(primitive, ...) sonde_mindir_call (w, primitive, SONDE_NAMES (__VA_ARGS__))
#define VALUE(index) sonde_node_get_input (node, index)

static int
get_rank (const SondeGraphValue *value)
{
  return value != NULL && value->type.kind == SONDE_VALUE_TENSOR ? value->type.rank : -1;
}

/* ---- products ------------------------------------------------------------ */

static const char *
multiply (SondeMindirWriter *w, const char *a, const char *b, gboolean turn_a, gboolean turn_b)
{
  return CALL ("MatMul", a, b, sonde_mindir_write_bool (w, turn_a),
               sonde_mindir_write_bool (w, turn_b));
}

static void
write_mat_mul (SondeMindirWriter *w, const SondeNode *node)
{
  const int a = get_rank (VALUE (0)), b = get_rank (VALUE (1));

  sonde_mindir_set (w, node, 0,
                    a == 2 && b == 2 ? multiply (w, IN (0), IN (1), FALSE, FALSE)
                                     : CALL ("MatMulExt", IN (0), IN (1)));
}

static const char *
scale (SondeMindirWriter *w, const SondeNode *node, const char *x, const char *name)
{
  const double factor = sonde_node_get_float (node, name, 1);

  return factor != 1 ? CALL ("Mul", x, sonde_mindir_write_number (w, factor, VALUE (0))) : x;
}

static void
write_gemm (SondeMindirWriter *w, const SondeNode *node)
{
  const char *y = multiply (w, IN (0), IN (1), sonde_node_get_int (node, "transA", 0) != 0,
                            sonde_node_get_int (node, "transB", 0) != 0);

  y = scale (w, node, y, "alpha");
  if (IN (2) != NULL)
    y = CALL ("Add", y, scale (w, node, IN (2), "beta"));
  sonde_mindir_set (w, node, 0, y);
}

/* ---- reductions ---------------------------------------------------------- */

static const char *
reduce (SondeMindirWriter *w, const char *primitive, const char *x, const GArray *axes,
        gboolean keep)
{
  const char *which = sonde_mindir_write_ints (
      w, axes != NULL ? (const gint64 *) (const void *) axes->data : NULL,
      axes != NULL ? axes->len : 0);

  if (strcmp (primitive, "ReduceSum") == 0)
    return CALL (primitive, x, which, sonde_mindir_write_bool (w, keep),
                 sonde_mindir_write_bool (w, FALSE));
  return CALL (primitive, x, which, sonde_mindir_write_bool (w, keep));
}

/* All but batch and channels. */
static void
write_global (SondeMindirWriter *w, const SondeNode *node)
{
  g_autoptr (GArray) axes = g_array_new (FALSE, FALSE, sizeof (gint64));
  const int rank = get_rank (VALUE (0));

  for (gint64 i = 2; i < rank; i++)
    g_array_append_val (axes, i);
  if (axes->len == 0)
    sonde_mindir_cannot (w, node, N_ ("the number of its dimensions is not known"));
  else
    sonde_mindir_set (w, node, 0,
                      reduce (w, sonde_mindir_writer_row (w)->text, IN (0), axes, TRUE));
}

/* The row's number: 1 of magnitudes, 2 of squares; 4 its root; 8 its logarithm; 16 of powers of e. */
static void
write_reduce (SondeMindirWriter *w, const SondeNode *node)
{
  const SondeMindirWriteRow *row = sonde_mindir_writer_row (w);
  g_autoptr (GArray) axes = sonde_mindir_known_ints (node, 1, "axes");
  const gboolean keep = sonde_node_get_int (node, "keepdims", 1) != 0;
  const char *x = IN (0);

  if (axes == NULL && (VALUE (1) != NULL || sonde_node_get_int (node, "noop_with_empty_axes", 0)))
    {
      sonde_mindir_cannot (w, node, N_ ("its dimensions are not known before the net runs"));
      return;
    }
  if (row->number & 1)
    x = CALL ("Abs", x);
  if (row->number & 2)
    x = CALL ("Mul", x, x);
  if (row->number & 16)
    x = CALL ("Exp", x);
  x = reduce (w, row->text, x, axes, keep);
  if (row->number & 4)
    x = CALL ("Sqrt", x);
  if (row->number & 8)
    x = CALL ("Log", x);
  sonde_mindir_set (w, node, 0, x);
}

static void
write_place (SondeMindirWriter *w, const SondeNode *node)
{
  const gint64 axis = sonde_node_get_int (node, "axis", 0);
  const char *y = CALL (sonde_mindir_writer_row (w)->text, IN (0), sonde_mindir_write_int (w, axis),
                        sonde_mindir_write_int (w, sonde_mindir_id_of_dtype (SONDE_DTYPE_I32)));

  y = CALL ("Cast", y, sonde_mindir_write_int (w, sonde_mindir_id_of_dtype (SONDE_DTYPE_I64)));
  if (sonde_node_get_int (node, "keepdims", 1) != 0)
    y = CALL ("ExpandDims", y, sonde_mindir_write_int (w, axis));
  sonde_mindir_set (w, node, 0, y);
}

static void
write_cumulative (SondeMindirWriter *w, const SondeNode *node)
{
  g_autoptr (GArray) axis = sonde_mindir_known_ints (node, 1, NULL);

  if (axis == NULL || axis->len != 1)
    sonde_mindir_cannot (w, node, N_ ("its dimensions are not known before the net runs"));
  else
    sonde_mindir_set (
        w, node, 0,
        CALL ("CumSum", IN (0), sonde_mindir_write_int (w, g_array_index (axis, gint64, 0)),
              sonde_mindir_write_bool (w, sonde_node_get_int (node, "exclusive", 0) != 0),
              sonde_mindir_write_bool (w, sonde_node_get_int (node, "reverse", 0) != 0)));
}

/* ---- normalisation ------------------------------------------------------- */

static void
write_batch_norm (SondeMindirWriter *w, const SondeNode *node)
{
  const char *y = CALL ("BatchNorm", IN (0), IN (1), IN (2), IN (3), IN (4),
                        sonde_mindir_write_bool (w, FALSE),
                        sonde_mindir_write_float (w, sonde_node_get_float (node, "epsilon", 1e-5)),
                        sonde_mindir_write_float (w, 0.1), sonde_mindir_write_int (w, 0));

  sonde_mindir_set (w, node, 0, sonde_mindir_item (w, y, 0));
}

static void
write_layer_norm (SondeMindirWriter *w, const SondeNode *node)
{
  const int rank = get_rank (VALUE (0));
  gint64 axis = sonde_node_get_int (node, "axis", -1);
  const char *bias = IN (2), *y;

  axis += axis < 0 ? rank : 0;
  if (rank < 1 || sonde_node_get_output (node, 1) != NULL)
    {
      sonde_mindir_cannot (w, node, N_ ("the number of its dimensions is not known"));
      return;
    }
  if (bias == NULL)
    bias = CALL ("ZerosLike", IN (1));
  y = CALL ("LayerNorm", IN (0), IN (1), bias, sonde_mindir_write_int (w, axis),
            sonde_mindir_write_int (w, axis),
            sonde_mindir_write_float (w, sonde_node_get_float (node, "epsilon", 1e-5)));
  sonde_mindir_set (w, node, 0, sonde_mindir_item (w, y, 0));
}

/* An instance is a group of one channel. */
static void
write_group_norm (SondeMindirWriter *w, const SondeNode *node)
{
  const SondeGraphValue *x = VALUE (0);
  const gint64 channels = get_rank (x) > 1 ? x->type.dims[1].size : -1;
  const gint64 groups = sonde_node_get_int (node, "num_groups", channels);
  const char *y;

  if (groups < 1)
    {
      sonde_mindir_cannot (w, node, N_ ("the number of its channels is not known"));
      return;
    }
  y = CALL ("GroupNorm", IN (0), sonde_mindir_write_int (w, groups), IN (1), IN (2),
            sonde_mindir_write_float (w, sonde_node_get_float (node, "epsilon", 1e-5)));
  sonde_mindir_set (w, node, 0, sonde_mindir_item (w, y, 0));
}

static void
write_softmax (SondeMindirWriter *w, const SondeNode *node)
{
  const gint64 axis = sonde_node_get_int (node, "axis", -1);

  sonde_mindir_set (w, node, 0, CALL ("Softmax", IN (0), sonde_mindir_write_ints (w, &axis, 1)));
}

static void
write_log_softmax (SondeMindirWriter *w, const SondeNode *node)
{
  sonde_mindir_set (w, node, 0,
                    CALL ("LogSoftmax", IN (0),
                          sonde_mindir_write_int (w, sonde_node_get_int (node, "axis", -1))));
}

/* MindSpore's alpha is that of one channel in the window. */
static void
write_lrn (SondeMindirWriter *w, const SondeNode *node)
{
  const gint64 size = MAX (sonde_node_get_int (node, "size", 1), 1);

  if (size % 2 == 0)
    {
      sonde_mindir_cannot (w, node, N_ ("its window has no middle"));
      return;
    }
  sonde_mindir_attribute_int (w, "depth_radius", (size - 1) / 2);
  sonde_mindir_attribute_float (w, "bias", sonde_node_get_float (node, "bias", 1));
  sonde_mindir_attribute_float (w, "alpha",
                                sonde_node_get_float (node, "alpha", 1e-4) / (double) size);
  sonde_mindir_attribute_float (w, "beta", sonde_node_get_float (node, "beta", 0.75));
  sonde_mindir_attribute_text (w, "norm_region", "ACROSS_CHANNELS");
  sonde_mindir_set (w, node, 0, sonde_mindir_call_old (w, "LRN", SONDE_NAMES (IN (0))));
}

const SondeMindirWriteRow sonde_mindir_write_layer_rows[] = {
  { "LRN", write_lrn, NULL, 0 },
  { "MatMul", write_mat_mul, NULL, 0 },
  { "Gemm", write_gemm, NULL, 0 },
  { "GlobalAveragePool", write_global, "ReduceMean", 0 },
  { "GlobalMaxPool", write_global, "ReduceMax", 0 },
  { "ReduceSum", write_reduce, "ReduceSum", 0 },
  { "ReduceMean", write_reduce, "ReduceMean", 0 },
  { "ReduceMax", write_reduce, "ReduceMax", 0 },
  { "ReduceMin", write_reduce, "ReduceMin", 0 },
  { "ReduceProd", write_reduce, "ReduceProd", 0 },
  { "ReduceL1", write_reduce, "ReduceSum", 1 },
  { "ReduceL2", write_reduce, "ReduceSum", 2 + 4 },
  { "ReduceSumSquare", write_reduce, "ReduceSum", 2 },
  { "ReduceLogSum", write_reduce, "ReduceSum", 8 },
  { "ReduceLogSumExp", write_reduce, "ReduceSum", 8 + 16 },
  { "ArgMax", write_place, "Argmax", 0 },
  { "ArgMin", write_place, "Argmin", 0 },
  { "CumSum", write_cumulative, NULL, 0 },
  { "BatchNormalization", write_batch_norm, NULL, 0 },
  { "LayerNormalization", write_layer_norm, NULL, 0 },
  { "GroupNormalization", write_group_norm, NULL, 0 },
  { "InstanceNormalization", write_group_norm, NULL, 0 },
  { "Softmax", write_softmax, NULL, 0 },
  { "LogSoftmax", write_log_softmax, NULL, 0 },
  { NULL, NULL, NULL, 0 },
};
