/* SPDX-License-Identifier: Apache-2.0 */
#include "data/values/sonde-tensor-compare.h"

#include <math.h>

#include "data/base/sonde-error.h"

void
sonde_tensor_find_places (const SondeTensor *tensor, SondeTensorPlaces *places)
{
  gint64 n = tensor->dtype == SONDE_DTYPE_STRING ? 0 : sonde_tensor_n_elements (tensor);
  double least = INFINITY, most = -INFINITY;

  *places = (SondeTensorPlaces){ -1, -1, -1 };
  for (gint64 i = 0; i < n; i++)
    {
      double value = sonde_tensor_get_double (tensor, i);

      if (!isfinite (value))
        {
          places->not_finite = places->not_finite < 0 ? i : places->not_finite;
          continue;
        }
      if (value < least)
        places->minimum = i;
      if (value > most)
        places->maximum = i;
      least = fmin (least, value);
      most = fmax (most, value);
    }
}

static gboolean
check (const SondeTensor *a, const SondeTensor *b, GError **error)
{
  g_autofree char *first = NULL, *second = NULL;

  if (a->dtype != SONDE_DTYPE_STRING && b->dtype != SONDE_DTYPE_STRING
      && sonde_shape_equal (&a->shape, &b->shape))
    return TRUE;
  first = sonde_tensor_describe (a);
  second = sonde_tensor_describe (b);
  sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_INVALID,
                   "%s and %s have no difference", first, second);
  return FALSE;
}

static double
subtract (double x, double y)
{
  return x == y || (isnan (x) && isnan (y)) ? 0 : x - y;
}

/* NaN is larger than any number. */
static gboolean
is_larger (double size, double than)
{
  return isnan (size) ? !isnan (than) : size > than;
}

SondeTensor *
sonde_tensor_subtract (const SondeTensor *a, const SondeTensor *b, double tolerance,
                       SondeTensorDifference *difference, GError **error)
{
  SondeTensor *result;
  gint64 n;

  if (!check (a, b, error))
    return NULL;
  n = sonde_tensor_n_elements (a);
  *difference = (SondeTensorDifference){ .n = n, .largest_at = -1 };
  result = sonde_tensor_new (SONDE_DTYPE_F64, &a->shape);
  for (gint64 i = 0; i < n; i++)
    {
      double rest = subtract (sonde_tensor_get_double (a, i), sonde_tensor_get_double (b, i));

      sonde_tensor_set_double (result, i, rest);
      difference->n_beyond += !(fabs (rest) <= tolerance);
      if (!is_larger (fabs (rest), difference->largest))
        continue;
      difference->largest = fabs (rest);
      difference->largest_at = i;
    }
  return result;
}
