/* SPDX-License-Identifier: Apache-2.0
 * ATen's sums, extremes, statistics, orders along dimensions. */
#include <math.h>

#include "data/models/pt2/sonde-pt2-lower.h"

/* Which dimensions an operator works on; none given or an empty list: all. (nullable): all */
static SondeGraphValue *
get_axes (SondePt2Lowering *self, const SondeGraphValue *x)
{
  gint64 dims[SONDE_MAX_RANK];
  int n = sonde_pt2_arg_ints (self, "dim", dims, SONDE_MAX_RANK), rank = sonde_pt2_rank (self, x);

  for (int i = 0; i < n; i++)
    dims[i] = sonde_pt2_axis (self, dims[i], rank);
  return n <= 0 || rank == 0 ? NULL : sonde_lowering_ints (self->out, dims, (gsize) n);
}

static SondeGraphValue *
reduce (SondePt2Lowering *self, const char *op, SondeGraphValue *x, SondeGraphValue *axes,
        gboolean keep)
{
  SondeGraphValue *const inputs[] = { x, axes };
  SondeGraphValue *y = sonde_lowering_op (self->out, op, inputs, axes != NULL ? 2 : 1);

  sonde_node_set_int (y->producer, "keepdims", keep ? 1 : 0);
  y->type.dtype = x->type.dtype;
  return y;
}

static void
lower_reduce (SondePt2Lowering *self)
{
  SondeGraphValue *x = sonde_pt2_cast (self, sonde_pt2_self (self), sonde_pt2_out_dtype (self, 0));

  sonde_pt2_set_out (
      self, 0,
      reduce (self, self->op, x, get_axes (self, x), sonde_pt2_arg_bool (self, "keepdim", FALSE)));
}

/* any, all: of booleans, by their largest or smallest. */
static void
lower_logical (SondePt2Lowering *self)
{
  SondeGraphValue *x = sonde_pt2_cast (self, sonde_pt2_self (self), SONDE_DTYPE_BOOL), *y = NULL;

  y = reduce (self, self->op, sonde_lowering_cast (self->out, x, SONDE_DTYPE_I32),
              get_axes (self, x), sonde_pt2_arg_bool (self, "keepdim", FALSE));
  sonde_pt2_set_out (self, 0, sonde_lowering_cast (self->out, y, SONDE_DTYPE_BOOL));
}

/* How many numbers are reduced to one: −1: unknown */
static gint64
count_reduced (SondePt2Lowering *self, const SondeGraphValue *x)
{
  gint64 dims[SONDE_MAX_RANK], count = 1;
  int n = sonde_pt2_arg_ints (self, "dim", dims, SONDE_MAX_RANK), rank = sonde_pt2_rank (self, x);

  for (int i = 0; i < (n <= 0 ? rank : n); i++)
    {
      gint64 size = x->type.dims[n <= 0 ? i : sonde_pt2_axis (self, dims[i], rank)].size;

      if (size < 0)
        return -1;
      count *= size;
    }
  return count;
}

/* Σ(x − mean)² / (n − correction); the correction is 1 unless said, also as unbiased. */
static void
lower_variance (SondePt2Lowering *self)
{
  SondeGraphValue *x = sonde_pt2_self (self), *axes = get_axes (self, x), *y = NULL;
  double correction = sonde_pt2_arg_number (self, "correction",
                                            sonde_pt2_arg_bool (self, "unbiased", TRUE) ? 1 : 0);
  gint64 n = count_reduced (self, x);

  if (n < 0)
    {
      sonde_pt2_refuse (self, sonde_message_new ("the number of elements is not known"),
                        sonde_message_new ("Fix the size of the input with --shape"));
      return;
    }
  y = sonde_pt2_op2 (self, "Sub", x, reduce (self, "ReduceMean", x, axes, TRUE));
  y = reduce (self, "ReduceSumSquare", y, axes, sonde_pt2_arg_bool (self, "keepdim", FALSE));
  y = sonde_pt2_op2 (self, "Div", y, sonde_pt2_number (self, x, MAX ((double) n - correction, 0)));
  sonde_pt2_set_out (self, 0, self->op != NULL ? sonde_pt2_op (self, self->op, y) : y);
}

static void
lower_norm (SondePt2Lowering *self)
{
  SondeGraphValue *x = sonde_pt2_self (self);
  double order = sonde_pt2_arg_number (self, sonde_pt2_has (self, "ord") ? "ord" : "p", 2);

  if (order != 1 && order != 2)
    {
      sonde_pt2_refuse (self, sonde_message_new ("a norm of order %g is not read", order), NULL);
      return;
    }
  sonde_pt2_set_out (self, 0,
                     reduce (self, order == 1 ? "ReduceL1" : "ReduceL2", x, get_axes (self, x),
                             sonde_pt2_arg_bool (self, "keepdim", FALSE)));
}

/* ---- places -------------------------------------------------------------- */

static SondeGraphValue *
place_of (SondePt2Lowering *self, const char *op, SondeGraphValue *x, int axis, gboolean keep)
{
  SondeGraphValue *y = sonde_pt2_op (self, op, x);

  sonde_node_set_int (y->producer, "axis", axis);
  sonde_node_set_int (y->producer, "keepdims", keep ? 1 : 0);
  y->type.dtype = SONDE_DTYPE_I64;
  return y;
}

/* Without a dimension: of all numbers as one list. */
static void
lower_place (SondePt2Lowering *self)
{
  static const gint64 flat[] = { -1 };
  SondeGraphValue *x = sonde_pt2_self (self);
  gboolean all = !sonde_pt2_has (self, "dim");
  int axis
      = all ? 0
            : sonde_pt2_axis (self, sonde_pt2_arg_int (self, "dim", 0), sonde_pt2_rank (self, x));

  x = all ? sonde_lowering_reshape (self->out, x, flat, 1) : x;
  sonde_pt2_set_out (
      self, 0,
      place_of (self, self->op, x, axis, !all && sonde_pt2_arg_bool (self, "keepdim", FALSE)));
}

/* The largest or smallest number along a dimension, and its place. */
static void
lower_extreme (SondePt2Lowering *self)
{
  SondeGraphValue *x = sonde_pt2_self (self);
  int axis = sonde_pt2_axis (self, sonde_pt2_arg_int (self, "dim", 0), sonde_pt2_rank (self, x));
  gboolean keep = sonde_pt2_arg_bool (self, "keepdim", FALSE), largest = self->op[0] == 'M';
  const gint64 axes[] = { axis };

  sonde_pt2_set_out (self, 0,
                     reduce (self, largest ? "ReduceMax" : "ReduceMin", x,
                             sonde_lowering_ints (self->out, axes, 1), keep));
  sonde_pt2_set_out (self, 1, place_of (self, largest ? "ArgMax" : "ArgMin", x, axis, keep));
}

static void
set_top (SondePt2Lowering *self, SondeGraphValue *x, SondeGraphValue *k, gboolean largest)
{
  int axis = sonde_pt2_axis (self, sonde_pt2_arg_int (self, "dim", -1), sonde_pt2_rank (self, x));
  SondeNode *node = sonde_lowering_node (self->out, "", "TopK", SONDE_VALUES (x, k), 2);

  sonde_node_set_int (node, "axis", axis);
  sonde_node_set_int (node, "largest", largest ? 1 : 0);
  sonde_pt2_set_out (self, 0, sonde_node_get_output (node, 0));
  sonde_pt2_set_out (self, 1, sonde_node_get_output (node, 1));
}

static void
lower_top (SondePt2Lowering *self)
{
  set_top (self, sonde_pt2_self (self), sonde_pt2_size (self, "k", 1),
           sonde_pt2_arg_bool (self, "largest", TRUE));
}

static void
lower_sort (SondePt2Lowering *self)
{
  SondeGraphValue *x = sonde_pt2_self (self),
                  *size = sonde_lowering_op (self->out, "Shape", SONDE_VALUES (x));
  int axis = sonde_pt2_axis (self, sonde_pt2_arg_int (self, "dim", -1), sonde_pt2_rank (self, x));

  sonde_node_set_int (size->producer, "start", axis);
  sonde_node_set_int (size->producer, "end", axis + 1);
  set_top (self, x, size, sonde_pt2_arg_bool (self, "descending", FALSE));
}

/* ---- along a dimension --------------------------------------------------- */

static void
lower_along (SondePt2Lowering *self)
{
  SondeGraphValue *x = sonde_pt2_cast (self, sonde_pt2_self (self), sonde_pt2_out_dtype (self, 0));
  SondeGraphValue *y = sonde_pt2_op (self, self->op, x);

  sonde_node_set_int (
      y->producer, "axis",
      sonde_pt2_axis (self, sonde_pt2_arg_int (self, "dim", -1), sonde_pt2_rank (self, x)));
  sonde_pt2_set_out (self, 0, y);
}

static void
lower_cumsum (SondePt2Lowering *self)
{
  SondeGraphValue *x = sonde_pt2_cast (self, sonde_pt2_self (self), sonde_pt2_out_dtype (self, 0));
  int axis = sonde_pt2_axis (self, sonde_pt2_arg_int (self, "dim", 0), sonde_pt2_rank (self, x));

  sonde_pt2_set_out (self, 0,
                     sonde_pt2_op2 (self, "CumSum", x, sonde_lowering_int (self->out, axis)));
}

const SondePt2Row sonde_pt2_reduce_rows[] = {
  { "_log_softmax.default", lower_along, "LogSoftmax" },
  { "_softmax.default", lower_along, "Softmax" },
  { "all.default", lower_logical, "ReduceMin" },
  { "all.dim", lower_logical, "ReduceMin" },
  { "all.dims", lower_logical, "ReduceMin" },
  { "amax.default", lower_reduce, "ReduceMax" },
  { "amin.default", lower_reduce, "ReduceMin" },
  { "any.default", lower_logical, "ReduceMax" },
  { "any.dim", lower_logical, "ReduceMax" },
  { "any.dims", lower_logical, "ReduceMax" },
  { "argmax.default", lower_place, "ArgMax" },
  { "argmin.default", lower_place, "ArgMin" },
  { "cumsum.default", lower_cumsum },
  { "linalg_vector_norm.default", lower_norm },
  { "log_softmax.int", lower_along, "LogSoftmax" },
  { "logsumexp.default", lower_reduce, "ReduceLogSumExp" },
  { "max.default", lower_reduce, "ReduceMax" },
  { "max.dim", lower_extreme, "Max" },
  { "mean.default", lower_reduce, "ReduceMean" },
  { "mean.dim", lower_reduce, "ReduceMean" },
  { "min.default", lower_reduce, "ReduceMin" },
  { "min.dim", lower_extreme, "Least" },
  { "norm.ScalarOpt_dim", lower_norm },
  { "prod.default", lower_reduce, "ReduceProd" },
  { "prod.dim_int", lower_reduce, "ReduceProd" },
  { "softmax.int", lower_along, "Softmax" },
  { "sort.default", lower_sort },
  { "sort.stable", lower_sort },
  { "std.correction", lower_variance, "Sqrt" },
  { "std.dim", lower_variance, "Sqrt" },
  { "sum.default", lower_reduce, "ReduceSum" },
  { "sum.dim_IntList", lower_reduce, "ReduceSum" },
  { "topk.default", lower_top },
  { "var.correction", lower_variance },
  { "var.dim", lower_variance },
  { NULL },
};
