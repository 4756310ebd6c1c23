/* SPDX-License-Identifier: Apache-2.0
 * How far values are apart, in one pass over float32. */
#include "engine/debug/searches/sonde-diverge-measure.h"

#include <math.h>

#include "engine/debug/searches/sonde-diverge.h"

#define LANES 16 /* numbers side by side, so that processors take them at once */

double
sonde_diverge_default_rtol (SondeDtype a, SondeDtype b)
{
  gsize bytes = MIN (sonde_dtype_size (a), sonde_dtype_size (b));

  if (a == SONDE_DTYPE_BOOL || b == SONDE_DTYPE_BOOL || sonde_dtype_is_integer (a)
      || sonde_dtype_is_integer (b))
    return 0;
  return bytes >= 8 ? 1e-10 : bytes >= 4 ? 1e-4 : 2e-2;
}

static inline void
measure_one (float a, float b, float *most, float *largest, float *odd)
{
  float difference = fabsf (a - b), size = fabsf (b);

  *most = difference > *most ? difference : *most;
  *largest = size > *largest ? size : *largest;
  *odd += difference * 0.0f; /* NaN once anything was not finite */
}

/* Of two float32 tensors of which every element is finite, in two plain loops; FALSE: not so. */
static gboolean
measure_singles (const SondeTensor *a, const SondeTensor *b, SondeComparison *comparison)
{
  const float *x = (const float *) (const void *) a->data,
              *y = (const float *) (const void *) b->data;
  gint64 n = sonde_tensor_n_elements (a), whole = n - n % LANES;
  float mosts[LANES] = { 0 }, sizes[LANES] = { 0 }, odds[LANES] = { 0 }, most = 0, largest = 0,
        odd = 0;

  if (a->dtype != SONDE_DTYPE_F32 || b->dtype != SONDE_DTYPE_F32
      || !sonde_shape_equal (&a->shape, &b->shape) || !sonde_tensor_is_contiguous (a)
      || !sonde_tensor_is_contiguous (b))
    return FALSE;
  for (gint64 i = 0; i < whole; i += LANES)
    for (guint j = 0; j < LANES; j++)
      measure_one (x[i + j], y[i + j], &mosts[j], &sizes[j], &odds[j]);
  for (gint64 i = whole; i < n; i++)
    measure_one (x[i], y[i], &mosts[0], &sizes[0], &odds[0]);
  for (guint j = 0; j < LANES; j++)
    {
      most = MAX (most, mosts[j]);
      largest = MAX (largest, sizes[j]);
      odd += odds[j];
    }
  if (!(odd == 0))
    return FALSE;
  comparison->max_reference = (double) largest;
  if (most == 0)
    return TRUE;
  for (gint64 i = 0; comparison->index < 0 && i < n; i++)
    if (fabsf (x[i] - y[i]) == most)
      comparison->index = i;
  comparison->a = (double) x[comparison->index];
  comparison->b = (double) y[comparison->index];
  comparison->max_abs = fabs (comparison->a - comparison->b);
  return TRUE;
}

double
sonde_diverge_measure (SondeValue *value, SondeValue *reference, SondeComparison *comparison)
{
  SondeTensor *a = value != NULL ? sonde_value_get_tensor (value) : NULL;
  SondeTensor *b = reference != NULL ? sonde_value_get_tensor (reference) : NULL;
  g_autoptr (GError) error = NULL;

  *comparison = (SondeComparison){ .index = -1 };
  if (a == NULL || b == NULL)
    return NAN;
  if (measure_singles (a, b, comparison))
    return comparison->max_abs;
  if (!sonde_compare_tensors (a, b, comparison, &error))
    return g_error_matches (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_SHAPE) ? INFINITY : NAN;
  return comparison->nan_mismatch > 0 ? INFINITY : comparison->max_abs;
}
