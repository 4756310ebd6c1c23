/* SPDX-License-Identifier: Apache-2.0
 * Matrices as a whole: Det, sonde.Cofactor (its derivative), sonde.Inverse (com.microsoft has it).
 * Gaussian elimination with partial pivoting in float64. */
#include "engine/ops/math/sonde-cofactor.h"
#include "engine/ops/sonde-op-dependency-rules.h"
#include "engine/ops/sonde-gradient-rules.h"

#include <math.h>

/* Row of the largest entry at or below the diagonal in @column. */
static gint64
find_pivot (const double *matrix, gint64 n, gint64 column)
{
  gint64 best = column;

  for (gint64 row = column + 1; row < n; row++)
    if (fabs (matrix[row * n + column]) > fabs (matrix[best * n + column]))
      best = row;
  return best;
}

static void
swap_rows (double *matrix, gint64 width, gint64 a, gint64 b)
{
  for (gint64 i = 0; i < width && a != b; i++)
    {
      double kept = matrix[a * width + i];

      matrix[a * width + i] = matrix[b * width + i];
      matrix[b * width + i] = kept;
    }
}

/* to −= factor·from */
static void
subtract_row (double *to, const double *from, double factor, gint64 n)
{
  for (gint64 i = 0; i < n; i++)
    to[i] -= factor * from[i];
}

/* Destroys @matrix. */
static double
determinant (double *matrix, gint64 n)
{
  double product = 1;

  for (gint64 k = 0; k < n; k++)
    {
      gint64 pivot = find_pivot (matrix, n, k);
      double head = matrix[pivot * n + k];

      if (head == 0)
        return 0;
      swap_rows (matrix, n, k, pivot);
      product *= pivot != k ? -head : head;
      for (gint64 row = k + 1; row < n; row++)
        subtract_row (matrix + row * n + k, matrix + k * n + k, matrix[row * n + k] / head, n - k);
    }
  return product;
}

/* Destroys @matrix; a singular one gives what division by zero gives. */
static void
invert (double *matrix, double *inverse, gint64 n)
{
  for (gint64 i = 0; i < n * n; i++)
    inverse[i] = i / n == i % n;
  for (gint64 k = 0; k < n; k++)
    {
      gint64 pivot = find_pivot (matrix, n, k);
      double factor;

      swap_rows (matrix, n, k, pivot);
      swap_rows (inverse, n, k, pivot);
      factor = 1 / matrix[k * n + k];
      for (gint64 i = 0; i < n; i++)
        {
          matrix[k * n + i] *= factor;
          inverse[k * n + i] *= factor;
        }
      for (gint64 row = 0; row < n; row++)
        {
          double head = matrix[row * n + k];

          if (row == k)
            continue;
          subtract_row (matrix + row * n, matrix + k * n, head, n);
          subtract_row (inverse + row * n, inverse + k * n, head, n);
        }
    }
}

static gboolean
check_square (SondeInferContext *context, GError **error)
{
  const SondeType *x = &context->inputs[0];

  if (!sonde_infer_need_float (context, 0, error))
    return FALSE;
  if (!sonde_infer_ready (context, 1))
    return TRUE;
  if (x->rank < 2
      || (x->dims[x->rank - 1].size >= 0 && x->dims[x->rank - 2].size >= 0
          && x->dims[x->rank - 1].size != x->dims[x->rank - 2].size))
    return sonde_infer_fail (error, "the input must be square matrices, [*, M, M]");
  return TRUE;
}

static gboolean
infer_determinant (SondeInferContext *context, GError **error)
{
  if (!check_square (context, error))
    return FALSE;
  if (!sonde_infer_ready (context, 1))
    return TRUE;
  context->outputs[0] = context->inputs[0];
  context->outputs[0].rank -= 2;
  return TRUE;
}

static gboolean
infer_inverse (SondeInferContext *context, GError **error)
{
  context->outputs[0] = context->inputs[0];
  return check_square (context, error);
}

static void
compute_determinant (const SondeKernelContext *context)
{
  SondeTensor *x = context->inputs[0], *y = context->outputs[0];
  gint64 n = x->shape.dims[x->shape.rank - 1];
  g_autofree double *matrix = g_new (double, n *n + 1);

  for (gint64 i = 0; i < sonde_tensor_n_elements (y); i++)
    {
      double result;

      sonde_dtype_convert (x->dtype, x->data + (gsize) (i * n * n) * sonde_dtype_size (x->dtype),
                           SONDE_DTYPE_F64, matrix, (gsize) (n * n));
      result = determinant (matrix, n);
      sonde_tensor_set_double (y, i, result);
    }
}

static void
compute_inverse (const SondeKernelContext *context)
{
  SondeTensor *x = context->inputs[0], *y = context->outputs[0];
  gint64 n = x->shape.dims[x->shape.rank - 1];
  gsize size = sonde_dtype_size (x->dtype);
  g_autofree double *matrix = g_new (double, n *n + 1), *inverse = g_new (double, n *n + 1);

  for (gint64 at = 0; n > 0 && at < sonde_tensor_n_elements (x); at += n * n)
    {
      sonde_dtype_convert (x->dtype, x->data + (gsize) at * size, SONDE_DTYPE_F64, matrix,
                           (gsize) (n * n));
      invert (matrix, inverse, n);
      sonde_dtype_convert (SONDE_DTYPE_F64, inverse, y->dtype, y->data + (gsize) at * size,
                           (gsize) (n * n));
    }
}

static gboolean
infer_cofactor (SondeInferContext *context, GError **error)
{
  return infer_inverse (context, error);
}

static void
compute_cofactor (const SondeKernelContext *context)
{
  SondeTensor *x = context->inputs[0], *y = context->outputs[0];
  gint64 n = x->shape.dims[x->shape.rank - 1];
  gsize size = sonde_dtype_size (x->dtype);
  g_autofree double *matrix = g_new (double, n *n + 1), *cofactors = g_new (double, n *n + 1);

  for (gint64 at = 0; n > 0 && at < sonde_tensor_n_elements (x); at += n * n)
    {
      sonde_dtype_convert (x->dtype, x->data + (gsize) at * size, SONDE_DTYPE_F64, matrix,
                           (gsize) (n * n));
      sonde_cofactor_compute (matrix, n, cofactors);
      sonde_dtype_convert (SONDE_DTYPE_F64, cofactors, y->dtype, y->data + (gsize) at * size,
                           (gsize) (n * n));
    }
}

/* d det X is the matrix of cofactors. */
static gboolean
gradient_determinant (SondeGradientContext *context, GError **error)
{
  const gint64 last[] = { -2, -1 };
  SondeGraphValue *dy
      = OP2 ("Unsqueeze", sonde_rule_dy (context), sonde_build_ints (context->graph, last, 2));

  context->input_gradients[0]
      = OP2 ("Mul", dy, sonde_rule_own (context, "Cofactor", sonde_rule_x (context, 0), NULL));
  return TRUE;
}

/* C = det X · W with W = X⁻ᵀ: dX = ⟨dC, W⟩·C − C·dCᵀ·W, not for singular matrices */
static gboolean
gradient_cofactor (SondeGradientContext *context, GError **error)
{
  const gint64 last[] = { -2, -1 };
  SondeGraphValue *dc = sonde_rule_dy (context), *c = sonde_rule_y (context, 0);
  SondeGraphValue *w = sonde_rule_flip (
      context, sonde_rule_own (context, "Inverse", sonde_rule_x (context, 0), NULL));
  SondeGraphValue *product
      = OP2 ("ReduceSum", OP2 ("Mul", dc, w), sonde_build_ints (context->graph, last, 2));

  context->input_gradients[0]
      = OP2 ("Sub", OP2 ("Mul", product, c),
             OP2 ("MatMul", c, OP2 ("MatMul", sonde_rule_flip (context, dc), w)));
  return TRUE;
}

/* dX = −Yᵀ·dY·Yᵀ */
static gboolean
gradient_inverse (SondeGradientContext *context, GError **error)
{
  SondeGraphValue *y = sonde_rule_flip (context, sonde_rule_y (context, 0));

  context->input_gradients[0]
      = OP1 ("Neg", OP2 ("MatMul", y, OP2 ("MatMul", sonde_rule_dy (context), y)));
  return TRUE;
}

#define ROW(set, label, opset, base, ...)                                                          \
  {                                                                                                \
    .domain = set, .name = label, .since = opset, .min_inputs = 1, .max_inputs = 1,                \
    .min_outputs = 1, .max_outputs = 1, .family = SONDE_FAMILY_MATRIX, .infer = infer_##base,      \
    .compute = compute_##base, .gradient = gradient_##base, __VA_ARGS__                            \
  }

const SondeOpClass sonde_ops_det_inverse[] = {
  ROW ("", "Det", 11, determinant, .reach = { sonde_reach_leading, 1 }, .typing = SONDE_TYPING_OWN),
  ROW (SONDE_DOMAIN, "Cofactor", 1, cofactor, .reach = { sonde_reach_everything, 0 },
       .typing = SONDE_TYPING_OWN),
  ROW (SONDE_DOMAIN, "Inverse", 1, inverse, .reach = { sonde_reach_everything, 0 },
       .typing = SONDE_TYPING_OWN),
  { .name = NULL },
};
