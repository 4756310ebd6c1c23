/* SPDX-License-Identifier: Apache-2.0
 * Reductions, and what orders or counts along a dimension. */
#include <string.h>

#include "data/models/mindir/sonde-mindir-build.h"

/* ---- reductions ---------------------------------------------------------- */

static const char *
pick (SondeMindirCall *call, const char *one, const char *other)
{
  return sonde_mindir_has (call, one) ? one : other;
}

/* Sums of whole numbers and truth values are counted in the type of the output. */
static SondeGraphValue *
take_summable (SondeMindirCall *call)
{
  SondeGraphValue *x = sonde_mindir_tensor (call, "x");

  if (sonde_mindir_has (call, "dtype"))
    return sonde_mindir_cast (call, x,
                              sonde_mindir_dtype_of_id (sonde_mindir_int (call, "dtype", 0)));
  return sonde_mindir_cast_to_output (call, x, 0);
}

static const SondeMindirTerm *
build_reduce (SondeMindirCall *call)
{
  SondeGraphValue *x = take_summable (call);
  g_autoptr (GArray) axes = sonde_mindir_ints (call, pick (call, "axis", "dim"));
  const gboolean keep = sonde_mindir_flag (call, pick (call, "keep_dims", "keepdim"), FALSE);

  if ((axes == NULL || axes->len == 0) && sonde_mindir_flag (call, "skip_mode", FALSE))
    return sonde_mindir_give (call, x);
  return sonde_mindir_give (call, sonde_mindir_reduce (call, call->row->text, x, axes, keep));
}

/* All or any of truth values: their smallest or largest. */
static const SondeMindirTerm *
build_reduce_truth (SondeMindirCall *call)
{
  SondeGraphValue *x = sonde_mindir_cast (call, sonde_mindir_tensor (call, "x"), SONDE_DTYPE_I32);
  g_autoptr (GArray) axes = sonde_mindir_ints (call, "axis");
  const gboolean keep = sonde_mindir_flag (call, "keep_dims", FALSE);

  x = sonde_mindir_reduce (call, call->row->text, x, axes, keep);
  return sonde_mindir_give (call, sonde_mindir_cast (call, x, SONDE_DTYPE_BOOL));
}

static const SondeMindirTerm *
build_reduce_all (SondeMindirCall *call)
{
  return sonde_mindir_give (
      call,
      sonde_mindir_reduce (call, call->row->text, sonde_mindir_tensor (call, "x"), NULL, FALSE));
}

/* ‖x‖ of order 1 and 2. */
static const SondeMindirTerm *
build_norm (SondeMindirCall *call)
{
  const double p = sonde_mindir_number (call, "p", 2);
  g_autoptr (GArray) axes = sonde_mindir_ints (call, "dim");

  if (p != 1 && p != 2)
    return sonde_mindir_refuse (call, N_ ("only norms of order 1 and 2 have a counterpart"), NULL);
  return sonde_mindir_give (call, sonde_mindir_reduce (call, p == 1 ? "ReduceL1" : "ReduceL2",
                                                       sonde_mindir_tensor (call, "x"), axes,
                                                       sonde_mindir_flag (call, "keepdim", FALSE)));
}

/* ---- places of the largest ----------------------------------------------- */

static SondeGraphValue *
find_place (SondeMindirCall *call, SondeGraphValue *x, const char *op, gint64 axis, gboolean keep,
            SondeDtype dtype)
{
  SondeGraphValue *place = OP1 (call, op, x);

  sonde_node_set_int (place->producer, "axis", axis);
  sonde_node_set_int (place->producer, "keepdims", keep);
  return sonde_mindir_cast (call, sonde_mindir_typed (place, SONDE_DTYPE_I64, -1), dtype);
}

static const SondeMindirTerm *
build_place (SondeMindirCall *call)
{
  SondeDtype dtype = sonde_mindir_output_dtype (call, 0);

  if (sonde_mindir_has (call, "output_type"))
    dtype = sonde_mindir_dtype_of_id (sonde_mindir_int (call, "output_type", 0));
  if (dtype == SONDE_DTYPE_INVALID)
    dtype = SONDE_DTYPE_I32;
  return sonde_mindir_give (call,
                            find_place (call, sonde_mindir_tensor (call, "x"), call->row->text,
                                        sonde_mindir_int (call, "axis", -1), FALSE, dtype));
}

/* Without a dimension, of all elements in a row. */
static const SondeMindirTerm *
build_place_ext (SondeMindirCall *call)
{
  SondeGraphValue *x = sonde_mindir_tensor (call, "x");
  const gint64 all = -1;

  if (!sonde_mindir_has (call, "dim"))
    return sonde_mindir_give (call, find_place (call, sonde_mindir_reshape (call, x, &all, 1),
                                                call->row->text, 0, FALSE, SONDE_DTYPE_I64));
  return sonde_mindir_give (
      call, find_place (call, x, call->row->text, sonde_mindir_int (call, "dim", 0),
                        sonde_mindir_flag (call, "keepdim", FALSE), SONDE_DTYPE_I64));
}

/* A pair of place and value, or, with a number in the row, of value and place. */
static const SondeMindirTerm *
build_place_and_value (SondeMindirCall *call)
{
  SondeGraphValue *x = sonde_mindir_tensor (call, "x");
  const gint64 axis = sonde_mindir_int (call, pick (call, "axis", "dim"), 0);
  const gboolean keep = sonde_mindir_flag (call, pick (call, "keep_dims", "keepdim"), FALSE);
  g_autofree char *reduce = g_strconcat ("Reduce", call->row->text, NULL);
  g_autofree char *place = g_strconcat ("Arg", call->row->text, NULL);
  g_autoptr (GArray) axes = g_array_new (FALSE, FALSE, sizeof (gint64));
  const guint first = call->row->number != 0 ? 1 : 0;
  SondeGraphValue *pair[2];
  SondeDtype places;

  g_array_append_val (axes, axis);
  places = sonde_mindir_output_dtype (call, first);
  pair[first] = find_place (call, x, place, axis, keep,
                            places != SONDE_DTYPE_INVALID ? places : SONDE_DTYPE_I64);
  pair[1 - first] = sonde_mindir_reduce (call, reduce, x, axes, keep);
  return sonde_mindir_give_tuple (call, pair, 2);
}

/* ---- deviation ----------------------------------------------------------- */

static double
count_elements (const SondeGraphValue *x, const GArray *axes)
{
  double n = 1;

  for (guint i = 0; axes != NULL && i < axes->len; i++)
    n *= (double) sonde_mindir_size (x, g_array_index (axes, gint64, i));
  for (gint64 i = 0; (axes == NULL || axes->len == 0) && i < x->type.rank; i++)
    n *= (double) sonde_mindir_size (x, i);
  return n;
}

/* Σ (x − mean)² / (n − correction); the row's number: 1 its root, 2 a pair with the mean, 3 both. */
static const SondeMindirTerm *
build_deviation (SondeMindirCall *call)
{
  SondeGraphValue *x = sonde_mindir_tensor (call, "x"), *mean, *far, *spread;
  g_autoptr (GArray) axes = sonde_mindir_ints (call, pick (call, "axis", "dim"));
  const gboolean keep = sonde_mindir_flag (call, pick (call, "keep_dims", "keepdim"), FALSE);
  const double correction
      = (double) sonde_mindir_int (call, pick (call, "unbiased", "correction"), 1);
  const double n = count_elements (x, axes);

  if (n < 1)
    return sonde_mindir_refuse (call, N_ ("the size of its input is not known"),
                                N_ ("export the model with fixed sizes"));
  mean = sonde_mindir_reduce (call, "ReduceMean", x, axes, TRUE);
  far = OP2 (call, "Sub", x, mean);
  spread = sonde_mindir_reduce (call, "ReduceMean", OP2 (call, "Mul", far, far), axes, keep);
  spread = OP2 (call, "Mul", spread, sonde_mindir_number_like (call, n / (n - correction), x));
  if (call->row->number & 1)
    spread = OP1 (call, "Sqrt", spread);
  if ((call->row->number & 2) == 0)
    return sonde_mindir_give (call, spread);
  if (!keep)
    mean = sonde_mindir_reduce (call, "ReduceMean", x, axes, FALSE);
  return sonde_mindir_give_tuple (call, (SondeGraphValue *const[]){ spread, mean }, 2);
}

const SondeMindirRow sonde_mindir_reduction_rows[] = {
  { "ReduceStd", "x axis unbiased keep_dims", build_deviation, NULL, 3 },
  { "Std", "x dim correction keepdim", build_deviation, NULL, 1 },
  { "StdMean", "x dim correction keepdim", build_deviation, NULL, 3 },
  { "Var", "x dim correction keepdim", build_deviation, NULL, 0 },
  { "VarMean", "x dim correction keepdim", build_deviation, NULL, 2 },
  { "ReduceSum", "x axis keep_dims skip_mode", build_reduce, "ReduceSum", 0 },
  { "ReduceMean", "x axis keep_dims", build_reduce, "ReduceMean", 0 },
  { "ReduceMax", "x axis keep_dims", build_reduce, "ReduceMax", 0 },
  { "ReduceMin", "x axis keep_dims", build_reduce, "ReduceMin", 0 },
  { "ReduceProd", "x axis keep_dims", build_reduce, "ReduceProd", 0 },
  { "ReduceAll", "x axis keep_dims", build_reduce_truth, "ReduceMin", 0 },
  { "ReduceAny", "x axis keep_dims", build_reduce_truth, "ReduceMax", 0 },
  { "SumExt", "x dim keepdim dtype", build_reduce, "ReduceSum", 0 },
  { "MeanExt", "x dim keepdim dtype", build_reduce, "ReduceMean", 0 },
  { "ProdExt", "x dim keepdim dtype", build_reduce, "ReduceProd", 0 },
  { "LogSumExp", "x dim keepdim", build_reduce, "ReduceLogSumExp", 0 },
  { "Max", "x", build_reduce_all, "ReduceMax", 0 },
  { "Min", "x", build_reduce_all, "ReduceMin", 0 },
  { "Norm", "x p dim keepdim dtype", build_norm, NULL, 0 },
  { "Argmax", "x axis output_type", build_place, "ArgMax", 0 },
  { "Argmin", "x axis output_type", build_place, "ArgMin", 0 },
  { "ArgMaxExt", "x dim keepdim", build_place_ext, "ArgMax", 0 },
  { "ArgMinExt", "x dim keepdim", build_place_ext, "ArgMin", 0 },
  { "ArgMaxWithValue", "x axis keep_dims", build_place_and_value, "Max", 0 },
  { "ArgMinWithValue", "x axis keep_dims", build_place_and_value, "Min", 0 },
  { "MaxDim", "x dim keepdim", build_place_and_value, "Max", 1 },
  { "MinDim", "x dim keepdim", build_place_and_value, "Min", 1 },
  { NULL, NULL, NULL, NULL, 0 },
};

/* ---- running sums -------------------------------------------------------- */

static const SondeMindirTerm *
build_running_sum (SondeMindirCall *call)
{
  SondeGraphValue *x = take_summable (call), *y;
  SondeGraphValue *axis
      = sonde_lowering_int (call->l, sonde_mindir_int (call, pick (call, "axis", "dim"), 0));

  y = OP2 (call, "CumSum", x, axis);
  if (sonde_mindir_flag (call, "exclusive", FALSE))
    sonde_node_set_int (y->producer, "exclusive", 1);
  if (sonde_mindir_flag (call, "reverse", FALSE))
    sonde_node_set_int (y->producer, "reverse", 1);
  return sonde_mindir_give (call, y);
}

/* ---- sorting ------------------------------------------------------------- */

static const SondeMindirTerm *
find_top (SondeMindirCall *call, SondeGraphValue *x, SondeGraphValue *k, gint64 axis,
          gboolean largest, gboolean sorted, SondeDtype places)
{
  SondeNode *node = sonde_lowering_node (call->l, "", "TopK", SONDE_VALUES (x, k), 2);
  SondeGraphValue *pair[2] = { sonde_node_get_output (node, 0), sonde_node_get_output (node, 1) };

  sonde_node_set_int (node, "axis", axis);
  sonde_node_set_int (node, "largest", largest);
  sonde_node_set_int (node, "sorted", sorted);
  sonde_mindir_typed (pair[0], x->type.dtype, x->type.rank);
  pair[1] = sonde_mindir_cast (call, sonde_mindir_typed (pair[1], SONDE_DTYPE_I64, x->type.rank),
                               places);
  return sonde_mindir_give_tuple (call, pair, 2);
}

static SondeGraphValue *
take_count (SondeMindirCall *call)
{
  SondeGraphValue *k = sonde_mindir_tensor (call, "k");
  const gint64 one = 1;

  return sonde_mindir_reshape (call, sonde_mindir_cast (call, k, SONDE_DTYPE_I64), &one, 1);
}

static const SondeMindirTerm *
build_top (SondeMindirCall *call)
{
  return find_top (call, sonde_mindir_tensor (call, "x"), take_count (call),
                   sonde_mindir_int (call, "dim", -1), sonde_mindir_flag (call, "largest", TRUE),
                   sonde_mindir_flag (call, "sorted", TRUE),
                   call->row->number != 0 ? SONDE_DTYPE_I64 : SONDE_DTYPE_I32);
}

/* As many of the largest as there are. */
static const SondeMindirTerm *
build_sort (SondeMindirCall *call)
{
  SondeGraphValue *x = sonde_mindir_tensor (call, "x");
  const gint64 axis = sonde_mindir_int (call, pick (call, "axis", "dim"), -1);
  SondeGraphValue *k
      = OP2 (call, "Gather", OP1 (call, "Shape", x), sonde_mindir_ints1 (call, axis));

  return find_top (call, x, k, axis, sonde_mindir_flag (call, "descending", FALSE), TRUE,
                   call->row->number != 0 ? SONDE_DTYPE_I64 : SONDE_DTYPE_I32);
}

const SondeMindirRow sonde_mindir_order_rows[] = {
  { "CumSum", "x axis exclusive reverse", build_running_sum, NULL, 0 },
  { "CumsumExt", "x dim dtype", build_running_sum, NULL, 0 },
  { "TopK", "x k sorted", build_top, NULL, 0 },
  { "TopkExt", "x k dim largest sorted", build_top, NULL, 1 },
  { "Sort", "x axis descending", build_sort, NULL, 0 },
  { "SortExt", "x dim descending stable", build_sort, NULL, 1 },
  { NULL, NULL, NULL, NULL, 0 },
};
