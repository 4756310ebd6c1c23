/* SPDX-License-Identifier: Apache-2.0
 * Products of matrices, diagonals and triangles. */
#include <string.h>

#include "data/models/lowering/sonde-lowering-shapes.h"
#include "data/models/tensorflow/sonde-tensorflow-lower.h"

/* ---- products ------------------------------------------------------------ */

/* Input @k with its last two dimensions changed; a matrix where its rank is not known. NULL after
 * refusing */
static SondeGraphValue *
adjoin (SondeTensorflowLower *lower, guint k, int rank)
{
  gint64 order[SONDE_MAX_RANK];

  if (rank < 0)
    rank = sonde_tensorflow_need_rank (lower, k);
  if (rank < 2)
    {
      if (rank >= 0)
        sonde_lowering_fail (lower->to, SONDE_DATA_ERROR_DAMAGED, "input %u is no matrix", k);
      return NULL;
    }
  for (int i = 0; i < rank; i++)
    order[i] = i < rank - 2 ? i : 2 * rank - 3 - i;
  return sonde_lowering_transpose (lower->to, sonde_tensorflow_in (lower, k), order, rank);
}

/* MatMul turns both where it is told to: that is Gemm. */
static void
build_matmul (SondeTensorflowLower *lower)
{
  gboolean turned[] = { sonde_tensorflow_attr_bool (lower->node, "transpose_a", FALSE),
                        sonde_tensorflow_attr_bool (lower->node, "transpose_b", FALSE) };
  const char *op = turned[0] || turned[1] ? "Gemm" : "MatMul";
  SondeGraphValue *value;

  if (!sonde_tensorflow_check_rank (lower, 0, 2) || !sonde_tensorflow_check_rank (lower, 1, 2))
    return;
  value = sonde_tensorflow_op2 (lower, op, sonde_tensorflow_in (lower, 0),
                                sonde_tensorflow_in (lower, 1));
  if (turned[0])
    sonde_node_set_int (value->producer, "transA", 1);
  if (turned[1])
    sonde_node_set_int (value->producer, "transB", 1);
  sonde_tensorflow_out (lower, 0, value);
}

static void
build_batch_matmul (SondeTensorflowLower *lower)
{
  static const char *const names[] = { "adj_x", "adj_y" };
  SondeGraphValue *operands[2];

  for (guint k = 0; k < 2; k++)
    {
      operands[k] = sonde_tensorflow_attr_bool (lower->node, names[k], FALSE)
                        ? adjoin (lower, k, sonde_tensorflow_in_rank (lower, k))
                        : sonde_tensorflow_in (lower, k);
      if (operands[k] == NULL)
        return;
    }
  sonde_tensorflow_out (lower, 0, sonde_tensorflow_op2 (lower, "MatMul", operands[0], operands[1]));
}

/* ---- einsum -------------------------------------------------------------- */

#define DOTS "..."
#define N_LETTERS 128

/* What is known of an equation's letters. @sizes: by letter; @dots: dimensions that an ellipsis stands
 * for; −1: not known */
typedef struct
{
  gint64 sizes[N_LETTERS];
  int dots;
} Letters;

/* The letters of one operand, from @term up to a comma or the arrow, against its dimensions. */
static void
read_term (Letters *letters, const char *term, const SondeType *type)
{
  gsize length = strcspn (term, ",->");
  int n = 0;

  for (gsize i = 0; i < length; i++)
    n += g_ascii_isalpha (term[i]) != 0;
  if (type->rank < n)
    return;
  if (memchr (term, '.', length) != NULL)
    letters->dots = MAX (letters->dots, type->rank - n);
  n = 0;
  for (gsize i = 0; i < length; i++)
    if (g_str_has_prefix (term + i, DOTS))
      n = type->rank - (int) (length - i - strlen (DOTS));
    else if (g_ascii_isalpha (term[i]) && n >= 0 && n < type->rank)
      letters->sizes[(guchar) term[i]] = type->dims[n++].size;
}

static void
add_size (SondeType *type, gint64 size)
{
  if (type->rank < SONDE_MAX_RANK)
    type->dims[type->rank++] = (SondeDimension){ .size = size };
}

/* The sizes of the result, letter by letter. */
static void
set_einsum_type (SondeTensorflowLower *lower, SondeGraphValue *value, const char *equation)
{
  const char *term = equation, *arrow = strstr (equation, "->");
  Letters letters = { .dots = -1 };
  SondeType type = sonde_type_unknown ();

  type.kind = SONDE_VALUE_TENSOR;
  type.dtype = sonde_tensorflow_in_dtype (lower, 0);
  for (guint i = 0; i < N_LETTERS; i++)
    letters.sizes[i] = -1;
  for (guint k = 0; k < lower->n_inputs && term != NULL; k++)
    {
      read_term (&letters, term, &sonde_tensorflow_in (lower, k)->type);
      term = strchr (term, ',');
      term = term != NULL ? term + 1 : NULL;
    }
  if (arrow != NULL && (strstr (arrow, DOTS) == NULL || letters.dots >= 0))
    {
      type.rank = 0;
      for (const char *at = arrow + 2; *at != '\0'; at++)
        if (g_str_has_prefix (at, DOTS))
          for (int i = 0; i < letters.dots; i++)
            add_size (&type, -1);
        else if (g_ascii_isalpha (*at))
          add_size (&type, letters.sizes[(guchar) *at]);
    }
  value->type = type;
}

static void
build_einsum (SondeTensorflowLower *lower)
{
  g_autofree char *equation = sonde_tensorflow_attr_dup_string (lower->node, "equation");
  SondeGraphValue *value = sonde_lowering_op (lower->to, "Einsum", lower->inputs, lower->n_inputs);

  sonde_node_set_string (value->producer, "equation", equation);
  set_einsum_type (lower, value, equation);
  sonde_tensorflow_out (lower, 0, value);
}

/* ---- diagonals ----------------------------------------------------------- */

/* Size of dimension @axis, counted from the end, as a scalar. */
static SondeGraphValue *
size_of (SondeTensorflowLower *lower, guint k, gint64 axis)
{
  return sonde_tensorflow_op2 (lower, "Gather",
                               sonde_tensorflow_shape_of (lower, sonde_tensorflow_in (lower, k)),
                               sonde_lowering_int (lower->to, axis));
}

static SondeGraphValue *
count_to (SondeTensorflowLower *lower, SondeGraphValue *n)
{
  return sonde_tensorflow_op3 (lower, "Range", sonde_lowering_int (lower->to, 0), n,
                               sonde_lowering_int (lower->to, 1));
}

/* Column minus row of each element of a matrix. */
static SondeGraphValue *
emit_diagonals (SondeTensorflowLower *lower, SondeGraphValue *rows, SondeGraphValue *columns)
{
  SondeGraphValue *down = sonde_lowering_unsqueeze (lower->to, count_to (lower, rows), 1);

  return sonde_tensorflow_op2 (lower, "Sub", count_to (lower, columns), down);
}

/* Is input @k, of versions 2 and 3, the one number that version 1 means? */
static gboolean
is_plain (SondeTensorflowLower *lower, guint k, double wanted)
{
  const SondeTensor *known
      = k < lower->n_inputs ? sonde_lowering_get_constant (sonde_tensorflow_in (lower, k)) : NULL;

  return k >= lower->n_inputs
         || (known != NULL && sonde_tensor_n_elements (known) == 1
             && sonde_tensor_get_double (known, 0) == wanted);
}

static void
refuse_diagonals (SondeTensorflowLower *lower)
{
  sonde_tensorflow_refuse (lower, sonde_message_new ("it has another diagonal than the main one"),
                           NULL);
}

/* diagonal, k, rows, columns, filling */
static void
build_diag (SondeTensorflowLower *lower)
{
  SondeGraphValue *n = size_of (lower, 0, -1), *x = sonde_tensorflow_in (lower, 0), *on;

  if (!is_plain (lower, 1, 0) || !is_plain (lower, 2, -1) || !is_plain (lower, 3, -1))
    {
      refuse_diagonals (lower);
      return;
    }
  on = sonde_tensorflow_op2 (lower, "Equal", emit_diagonals (lower, n, n),
                             sonde_lowering_int (lower->to, 0));
  sonde_tensorflow_out (
      lower, 0,
      sonde_tensorflow_op3 (lower, "Where", on, sonde_lowering_unsqueeze (lower->to, x, -2),
                            lower->n_inputs > 4 ? sonde_tensorflow_in_scalar (lower, 4)
                                                : sonde_tensorflow_number (lower, x, 0)));
}

/* The diagonal, filled up to as many columns as the matrix has. */
static SondeGraphValue *
fill_columns (SondeTensorflowLower *lower, SondeGraphValue *columns)
{
  gint64 zero = 0, axis = -1;
  SondeGraphValue *missing = sonde_tensorflow_op2 (lower, "Sub", columns, size_of (lower, 1, -1));
  SondeGraphValue *pads
      = sonde_lowering_concat (lower->to,
                               SONDE_VALUES (sonde_lowering_ints (lower->to, &zero, 1),
                                             sonde_lowering_unsqueeze (lower->to, missing, 0)),
                               0);

  return sonde_lowering_op (lower->to, "Pad",
                            SONDE_VALUES (sonde_tensorflow_in (lower, 1), pads, NULL,
                                          sonde_lowering_ints (lower->to, &axis, 1)));
}

/* input, diagonal, k */
static void
build_set_diag (SondeTensorflowLower *lower)
{
  SondeGraphValue *columns = size_of (lower, 0, -1), *diagonal, *on;

  if (!is_plain (lower, 2, 0))
    {
      refuse_diagonals (lower);
      return;
    }
  diagonal = sonde_lowering_unsqueeze (lower->to, fill_columns (lower, columns), -2);
  on = sonde_tensorflow_op2 (lower, "Equal",
                             emit_diagonals (lower, size_of (lower, 0, -2), columns),
                             sonde_lowering_int (lower->to, 0));
  sonde_tensorflow_out (
      lower, 0,
      sonde_tensorflow_op3 (lower, "Where", on, diagonal, sonde_tensorflow_in (lower, 0)));
}

/* The main diagonal: what is on it, summed along rows, up to the shorter side. */
static void
build_diag_part (SondeTensorflowLower *lower)
{
  SondeGraphValue *x = sonde_tensorflow_in (lower, 0), *on, *value, *rows, *columns, *n;
  gint64 last = -1, zero = 0;

  if (!is_plain (lower, 1, 0))
    {
      refuse_diagonals (lower);
      return;
    }
  rows = size_of (lower, 0, -2);
  columns = size_of (lower, 0, -1);
  on = sonde_tensorflow_op2 (lower, "Equal", emit_diagonals (lower, rows, columns),
                             sonde_lowering_int (lower->to, 0));
  value = sonde_tensorflow_op3 (lower, "Where", on, x, sonde_tensorflow_number (lower, x, 0));
  value
      = sonde_tensorflow_op2 (lower, "ReduceSum", value, sonde_lowering_ints (lower->to, &last, 1));
  sonde_node_set_int (value->producer, "keepdims", 0);
  n = sonde_tensorflow_op2 (lower, "Min", rows, columns);
  n = sonde_lowering_unsqueeze (lower->to, n, 0);
  sonde_tensorflow_out (
      lower, 0,
      sonde_lowering_op (lower->to, "Slice",
                         SONDE_VALUES (value, sonde_lowering_ints (lower->to, &zero, 1), n,
                                       sonde_lowering_ints (lower->to, &last, 1))));
}

/* input, how many diagonals below and above the main one stay; negative: all */
static void
build_band (SondeTensorflowLower *lower)
{
  gint64 below, above;
  SondeGraphValue *x = sonde_tensorflow_in (lower, 0), *at, *in = NULL, *edge;

  if (!sonde_tensorflow_need_int (lower, 1, N_ ("the number of diagonals"), &below)
      || !sonde_tensorflow_need_int (lower, 2, N_ ("the number of diagonals"), &above))
    return;
  at = emit_diagonals (lower, size_of (lower, 0, -2), size_of (lower, 0, -1));
  if (below >= 0)
    in = sonde_tensorflow_op2 (lower, "GreaterOrEqual", at, sonde_lowering_int (lower->to, -below));
  if (above >= 0)
    {
      edge = sonde_tensorflow_op2 (lower, "LessOrEqual", at, sonde_lowering_int (lower->to, above));
      in = in != NULL ? sonde_tensorflow_op2 (lower, "And", in, edge) : edge;
    }
  sonde_tensorflow_out (lower, 0,
                        in != NULL ? sonde_tensorflow_op3 (lower, "Where", in, x,
                                                           sonde_tensorflow_number (lower, x, 0))
                                   : sonde_tensorflow_op1 (lower, "Identity", x));
}

/* ---- the table ----------------------------------------------------------- */

const SondeTensorflowRow sonde_tensorflow_matrix_rows[] = {
  { "BatchMatMul", 2, build_batch_matmul, NULL },
  { "BatchMatMulV2", 2, build_batch_matmul, NULL },
  { "BatchMatMulV3", 2, build_batch_matmul, NULL },
  { "BatchMatrixBandPart", 3, build_band, NULL },
  { "Einsum", 1, build_einsum, NULL },
  { "MatMul", 2, build_matmul, NULL },
  { "MatrixBandPart", 3, build_band, NULL },
  { "MatrixDiag", 1, build_diag, NULL },
  { "MatrixDiagPart", 1, build_diag_part, NULL },
  { "MatrixDiagPartV2", 1, build_diag_part, NULL },
  { "MatrixDiagPartV3", 1, build_diag_part, NULL },
  { "MatrixDiagV2", 1, build_diag, NULL },
  { "MatrixDiagV3", 1, build_diag, NULL },
  { "MatrixSetDiag", 2, build_set_diag, NULL },
  { "MatrixSetDiagV2", 2, build_set_diag, NULL },
  { "MatrixSetDiagV3", 2, build_set_diag, NULL },
  { "XlaEinsum", 1, build_einsum, NULL },
  { NULL, 0, NULL, NULL },
};
