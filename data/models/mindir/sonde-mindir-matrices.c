/* SPDX-License-Identifier: Apache-2.0
 * Products of matrices. */
#include <string.h>

#include "data/models/mindir/sonde-mindir-window.h"

/* ---- with turned sides --------------------------------------------------- */

/* Both have two dimensions: what ONNX has an operator for. */
static SondeGraphValue *
multiply_flat (SondeMindirCall *call, SondeGraphValue *a, SondeGraphValue *b, SondeGraphValue *bias,
               gboolean turn_a, gboolean turn_b)
{
  SondeGraphValue *y = OP3 (call, "Gemm", a, b, bias);

  if (bias == NULL)
    sonde_node_set_input (sonde_lowering_get_graph (call->l), y->producer, 2, NULL);
  if (turn_a)
    sonde_node_set_int (y->producer, "transA", 1);
  if (turn_b)
    sonde_node_set_int (y->producer, "transB", 1);
  return sonde_mindir_typed (y, a->type.dtype, 2);
}

static SondeGraphValue *
multiply (SondeMindirCall *call, SondeGraphValue *a, SondeGraphValue *b, gboolean turn_a,
          gboolean turn_b)
{
  if (turn_a)
    a = sonde_mindir_swap_last (call, a, sonde_mindir_rank (call, a));
  if (turn_b)
    b = sonde_mindir_swap_last (call, b, sonde_mindir_rank (call, b));
  return OP2 (call, "MatMul", a, b);
}

static const SondeMindirTerm *
build_mat_mul (SondeMindirCall *call)
{
  SondeGraphValue *a = sonde_mindir_tensor (call, "x"), *b = sonde_mindir_tensor (call, "y");
  const gboolean turn_a = sonde_mindir_flag (call, "transpose_a", FALSE);
  const gboolean turn_b = sonde_mindir_flag (call, "transpose_b", FALSE);

  if (!turn_a && !turn_b)
    return sonde_mindir_give (call, OP2 (call, "MatMul", a, b));
  if (call->row->number == 2) /* of two dimensions, whatever else is known of them */
    return sonde_mindir_give (call, multiply_flat (call, a, b, NULL, turn_a, turn_b));
  return sonde_mindir_give (call, multiply (call, a, b, turn_a, turn_b));
}

/* The weight is [out, in]. */
static const SondeMindirTerm *
build_dense (SondeMindirCall *call)
{
  SondeGraphValue *x = sonde_mindir_tensor (call, "x"), *w = sonde_mindir_tensor (call, "weight");
  SondeGraphValue *bias = sonde_mindir_tensor_or_null (call, "bias"), *y;

  if (x->type.rank == 2 && w->type.rank == 2)
    return sonde_mindir_give (call, multiply_flat (call, x, w, bias, FALSE, TRUE));
  y = multiply (call, x, w, FALSE, TRUE);
  return sonde_mindir_give (call, bias != NULL ? OP2 (call, "Add", y, bias) : y);
}

/* ---- sums of products ---------------------------------------------------- */

static SondeGraphValue *
scale (SondeMindirCall *call, SondeGraphValue *x, const char *name)
{
  const double factor = sonde_mindir_number (call, name, 1);

  return factor != 1 ? OP2 (call, "Mul", x, sonde_mindir_number_like (call, factor, x)) : x;
}

/* beta · x + alpha · a b; the row's number says whether a batch of products is summed up. */
static const SondeMindirTerm *
build_add_product (SondeMindirCall *call)
{
  SondeGraphValue *x = scale (call, sonde_mindir_tensor (call, "x"), "beta");
  SondeGraphValue *y
      = OP2 (call, "MatMul", sonde_mindir_tensor (call, "a"), sonde_mindir_tensor (call, "b"));
  const gint64 first = 0;

  if (call->row->number != 0)
    {
      y = OP2 (call, "ReduceSum", y, sonde_lowering_ints (call->l, &first, 1));
      sonde_node_set_int (y->producer, "keepdims", 0);
    }
  return sonde_mindir_give (call, OP2 (call, "Add", x, scale (call, y, "alpha")));
}

static const SondeMindirTerm *
build_outer (SondeMindirCall *call)
{
  SondeGraphValue *a = sonde_mindir_unsqueeze (call, sonde_mindir_tensor (call, "x"), 1);

  return sonde_mindir_give (call, OP2 (call, "Mul", a, sonde_mindir_tensor (call, "y")));
}

/* ---- biases -------------------------------------------------------------- */

gboolean
sonde_mindir_is_channels_last (SondeMindirCall *call)
{
  static const char *const names[] = { "data_format", "format" };

  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    {
      const char *word = sonde_mindir_text (call, names[i], NULL);

      if (word != NULL)
        return strcmp (word, "NHWC") == 0;
      if (sonde_mindir_has (call, names[i]))
        return sonde_mindir_int (call, names[i], 0) == 1;
    }
  return FALSE;
}

SondeGraphValue *
sonde_mindir_add_bias (SondeMindirCall *call, SondeGraphValue *x, SondeGraphValue *bias, int rank)
{
  gint64 sizes[SONDE_MAX_RANK];

  if (bias == NULL)
    return x;
  for (int i = 0; i < rank - 1; i++)
    sizes[i] = i == 0 ? -1 : 1;
  if (rank > 2)
    bias = sonde_mindir_reshape (call, bias, sizes, (gsize) rank - 1);
  return OP2 (call, "Add", x, bias);
}

static const SondeMindirTerm *
build_bias_add (SondeMindirCall *call)
{
  SondeGraphValue *x = sonde_mindir_tensor (call, "x"), *bias = sonde_mindir_tensor (call, "bias");

  if (sonde_mindir_is_channels_last (call))
    return sonde_mindir_give (call, OP2 (call, "Add", x, bias));
  return sonde_mindir_give (call,
                            sonde_mindir_add_bias (call, x, bias, sonde_mindir_rank (call, x)));
}

const SondeMindirRow sonde_mindir_matrix_rows[] = {
  { "MatMul", "x y transpose_a transpose_b", build_mat_mul, NULL, 2 },
  { "BatchMatMul", "x y transpose_a transpose_b", build_mat_mul, NULL, 0 },
  { "MatMulExt", "x y", build_mat_mul, NULL, 0 },
  { "BatchMatMulExt", "x y", build_mat_mul, NULL, 0 },
  { "Mm", "x y", build_mat_mul, NULL, 0 },
  { "Mv", "x y", build_mat_mul, NULL, 0 },
  { "Dot", "x y", build_mat_mul, NULL, 0 },
  { "Dense", "x weight bias", build_dense, NULL, 0 },
  { "Addmm", "x a b beta alpha", build_add_product, NULL, 0 },
  { "Addmv", "x a b beta alpha", build_add_product, NULL, 0 },
  { "Baddbmm", "x a b beta alpha", build_add_product, NULL, 0 },
  { "Addbmm", "x a b beta alpha", build_add_product, NULL, 1 },
  { "Outer", "x y", build_outer, NULL, 0 },
  { "Ger", "x y", build_outer, NULL, 0 },
  { "BiasAdd", "x bias data_format", build_bias_add, NULL, 0 },
  { NULL, NULL, NULL, NULL, 0 },
};
