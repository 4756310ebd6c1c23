/* SPDX-License-Identifier: Apache-2.0
 * Two tensors, a block at a time. Blocks without a difference, which most are, cost three sums. */
#include "engine/live/sonde-compare.h"

#include "engine/ops/sonde-engine-error.h"

#include <math.h>
#include <string.h>

#define BLOCK 1024
#define LANES 8

/* Sums by lane, so that the processor may do several at once and the result is the same
 * everywhere. */
typedef struct
{
  double dot[LANES], aa[LANES], bb[LANES];
  double sum_abs, sum_squares;
  guint64 n_means;
} Sums;

/* The number of @value among the representable ones of @dtype, 0 for zero; @value is one of
 * them. */
static gint64
ordinal (SondeDtype dtype, double value)
{
  double magnitude = fabs (value);
  gint64 bits = 0;

  if (dtype == SONDE_DTYPE_F64)
    memcpy (&bits, &magnitude, sizeof bits);
  else if (dtype == SONDE_DTYPE_F16)
    bits = sonde_f16_from_f32 ((float) magnitude);
  else
    {
      float single = (float) magnitude;
      guint32 word;

      memcpy (&word, &single, sizeof word);
      bits = dtype == SONDE_DTYPE_BF16 ? word >> 16 : word;
    }
  return value < 0 ? -bits : bits;
}

static void
note_difference (SondeComparison *result, Sums *sums, SondeDtype dtype, gint64 index, double a,
                 double b, double distance)
{
  result->differing++;
  sums->sum_abs += distance;
  sums->sum_squares += distance * distance;
  if (distance > result->max_abs)
    {
      result->max_abs = distance;
      if (result->nan_mismatch == 0)
        {
          result->index = index;
          result->a = a;
          result->b = b;
        }
    }
  if (b != 0 && distance / fabs (b) > result->max_rel)
    result->max_rel = distance / fabs (b);
  if (dtype != SONDE_DTYPE_INVALID)
    result->max_ulp
        = fmax (result->max_ulp, fabs ((double) ordinal (dtype, a) - (double) ordinal (dtype, b)));
}

static void
note_nan (SondeComparison *result, gint64 index, double a, double b)
{
  result->differing++;
  if (result->nan_mismatch++ > 0)
    return;
  result->index = index;
  result->a = a;
  result->b = b;
}

/* Whether every number of the block is finite in both; then the sums of products are added. */
static gboolean
add_products (Sums *sums, const double *a, const double *b, gsize n)
{
  Sums part = { 0 };
  double check = 0;

  for (gsize i = 0; i + LANES <= n; i += LANES)
    for (guint k = 0; k < LANES; k++)
      {
        part.dot[k] += a[i + k] * b[i + k];
        part.aa[k] += a[i + k] * a[i + k];
        part.bb[k] += b[i + k] * b[i + k];
      }
  for (gsize i = n / LANES * LANES; i < n; i++)
    {
      part.dot[0] += a[i] * b[i];
      part.aa[0] += a[i] * a[i];
      part.bb[0] += b[i] * b[i];
    }
  for (guint k = 0; k < LANES; k++)
    check += part.aa[k] + part.bb[k];
  if (!isfinite (check))
    return FALSE;
  for (guint k = 0; k < LANES; k++)
    {
      sums->dot[k] += part.dot[k];
      sums->aa[k] += part.aa[k];
      sums->bb[k] += part.bb[k];
    }
  return TRUE;
}

static void
add_finite_products (Sums *sums, const double *a, const double *b, gsize n)
{
  for (gsize i = 0; i < n; i++)
    if (isfinite (a[i]) && isfinite (b[i]))
      {
        sums->dot[0] += a[i] * b[i];
        sums->aa[0] += a[i] * a[i];
        sums->bb[0] += b[i] * b[i];
      }
}

/* @dtype: of both, when they are the same float; @first: index of the block's first element */
static void
add_block (SondeComparison *result, Sums *sums, SondeDtype dtype, gint64 first, const double *a,
           const double *b, gsize n)
{
  double largest = 0;

  if (!add_products (sums, a, b, n))
    add_finite_products (sums, a, b, n);
  for (gsize i = 0; i < n; i++)
    largest = fabs (b[i]) > largest && !isinf (b[i]) ? fabs (b[i]) : largest;
  result->max_reference = MAX (result->max_reference, largest);
  for (gsize i = 0; i < n; i++)
    {
      if (a[i] == b[i])
        continue;
      if (isnan (a[i]) || isnan (b[i]))
        {
          if (isnan (a[i]) != isnan (b[i]))
            note_nan (result, first + (gint64) i, a[i], b[i]);
          sums->n_means--;
          continue;
        }
      note_difference (result, sums, dtype, first + (gint64) i, a[i], b[i], fabs (a[i] - b[i]));
    }
  sums->n_means += n;
}

static double
cosine_of (const Sums *sums)
{
  double dot = 0, aa = 0, bb = 0;

  for (guint k = 0; k < LANES; k++)
    {
      dot += sums->dot[k];
      aa += sums->aa[k];
      bb += sums->bb[k];
    }
  if (aa == 0 || bb == 0)
    return aa == bb ? 1 : 0;
  return CLAMP (dot / sqrt (aa) / sqrt (bb), -1, 1);
}

/* Doubles hold no 64-bit integer beyond 2^53: such that look alike there are counted here. */
static void
add_exact_integers (SondeComparison *result, const SondeTensor *a, const SondeTensor *b)
{
  const guint64 *left = (const guint64 *) a->data, *right = (const guint64 *) b->data;

  for (guint64 i = 0; i < result->count; i++)
    {
      double apart = a->dtype == SONDE_DTYPE_I64 ? fabs ((double) (gint64) (left[i] - right[i]))
                     : left[i] > right[i]        ? (double) (left[i] - right[i])
                                                 : (double) (right[i] - left[i]);

      if (left[i] == right[i]
          || sonde_tensor_get_double (a, (gint64) i) != sonde_tensor_get_double (b, (gint64) i))
        continue;
      result->differing++;
      if (apart <= result->max_abs)
        continue;
      result->max_abs = apart;
      result->index = (gint64) i;
      result->a = sonde_tensor_get_double (a, (gint64) i);
      result->b = sonde_tensor_get_double (b, (gint64) i);
    }
}

static gboolean
check_pair (SondeTensor *a, SondeTensor *reference, GError **error)
{
  g_autofree char *left = NULL, *right = NULL;
  gboolean strings = a->dtype == SONDE_DTYPE_STRING || reference->dtype == SONDE_DTYPE_STRING;

  if (!strings && sonde_shape_equal (&a->shape, &reference->shape))
    return TRUE;
  left = sonde_tensor_describe (a);
  right = sonde_tensor_describe (reference);
  if (strings)
    sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_UNSUPPORTED,
                     "Strings cannot be compared as numbers: one is %s, the other %s.", left,
                     right);
  else
    sonde_set_error (
        error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_SHAPE,
        "Values of different shapes cannot be compared: one is %s, the other %s; take a "
        "slice of one.",
        left, right);
  return FALSE;
}

gboolean
sonde_compare_tensors (SondeTensor *a, SondeTensor *reference, SondeComparison *comparison,
                       GError **error)
{
  double left[BLOCK], right[BLOCK];
  g_autoptr (SondeTensor) plain_a = NULL, plain_b = NULL;
  Sums sums = { 0 };
  SondeDtype dtype;
  gsize size_a, size_b;

  if (!check_pair (a, reference, error))
    return FALSE;
  plain_a = sonde_tensor_contiguous (a);
  plain_b = sonde_tensor_contiguous (reference);
  size_a = sonde_dtype_size (a->dtype);
  size_b = sonde_dtype_size (reference->dtype);
  dtype = a->dtype == reference->dtype && sonde_dtype_is_float (a->dtype) ? a->dtype
                                                                          : SONDE_DTYPE_INVALID;
  *comparison = (SondeComparison){ .index = -1,
                                   .count = (guint64) sonde_tensor_n_elements (a),
                                   .max_ulp = dtype != SONDE_DTYPE_INVALID ? 0 : NAN };
  for (guint64 at = 0; at < comparison->count; at += BLOCK)
    {
      gsize n = (gsize) MIN (BLOCK, comparison->count - at);

      sonde_dtype_convert (a->dtype, plain_a->data + at * size_a, SONDE_DTYPE_F64, left, n);
      sonde_dtype_convert (reference->dtype, plain_b->data + at * size_b, SONDE_DTYPE_F64, right,
                           n);
      add_block (comparison, &sums, dtype, (gint64) at, left, right, n);
    }
  if (a->dtype == reference->dtype && (a->dtype == SONDE_DTYPE_I64 || a->dtype == SONDE_DTYPE_U64))
    add_exact_integers (comparison, plain_a, plain_b);
  comparison->mean_abs = sums.n_means > 0 ? sums.sum_abs / (double) sums.n_means : 0;
  comparison->rms = sums.n_means > 0 ? sqrt (sums.sum_squares / (double) sums.n_means) : 0;
  comparison->cosine = comparison->differing > 0 ? cosine_of (&sums) : 1;
  return TRUE;
}

char *
sonde_compare_format_index (const SondeShape *shape, gint64 index)
{
  gint64 at[SONDE_MAX_RANK];
  GString *text = g_string_new ("[");

  for (int d = shape->rank; d > 0; d--)
    {
      at[d - 1] = index % MAX (shape->dims[d - 1], 1);
      index /= MAX (shape->dims[d - 1], 1);
    }
  for (int d = 0; d < (int) shape->rank; d++)
    g_string_append_printf (text, "%s%" PRIi64, d > 0 ? ", " : "", at[d]);
  g_string_append_c (text, ']');
  return g_string_free (text, FALSE);
}
