/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "data/base/sonde-error.h"
#include "data/values/sonde-tensor-compare.h"

static SondeTensor *
make (const float *values, gint64 n)
{
  SondeShape shape = sonde_shape_make (1, n);

  return sonde_tensor_new_from_data (SONDE_DTYPE_F32, &shape, values);
}

static void
test_places (void)
{
  const float values[] = { 2, -3, 7, NAN, -3, INFINITY, 7 };
  g_autoptr (SondeTensor) all = make (values, 7), none = make (&values[3], 1),
                          empty = make (values, 0);
  SondeTensorPlaces places;

  sonde_tensor_find_places (all, &places);
  g_assert_cmpint (places.minimum, ==, 1);
  g_assert_cmpint (places.maximum, ==, 2);
  g_assert_cmpint (places.not_finite, ==, 3);
  sonde_tensor_find_places (none, &places);
  g_assert_cmpint (places.minimum, ==, -1);
  g_assert_cmpint (places.maximum, ==, -1);
  g_assert_cmpint (places.not_finite, ==, 0);
  sonde_tensor_find_places (empty, &places);
  g_assert_cmpint (places.not_finite, ==, -1);
}

static void
test_difference (void)
{
  const float first[] = { 1, 2, NAN, INFINITY, 5, 6 }, second[] = { 1, 2.5f, NAN, INFINITY, 4, 6 },
              third[] = { 1, 2, 0, -INFINITY, 5, NAN };
  g_autoptr (SondeTensor) a = make (first, 6), b = make (second, 6), c = make (third, 6),
                          shorter = make (first, 5), rest = NULL, other = NULL, same = NULL;
  g_autoptr (GError) error = NULL;
  SondeTensorDifference difference;

  rest = sonde_tensor_subtract (a, b, 0.75, &difference, &error);
  g_assert_no_error (error);
  g_assert_cmpint (difference.n, ==, 6);
  g_assert_cmpint (difference.n_beyond, ==, 1);
  g_assert_cmpfloat (difference.largest, ==, 1);
  g_assert_cmpint (difference.largest_at, ==, 4);
  g_assert_cmpfloat (sonde_tensor_get_double (rest, 1), ==, -0.5);
  g_assert_cmpfloat (sonde_tensor_get_double (rest, 2), ==, 0);
  g_assert_cmpfloat (sonde_tensor_get_double (rest, 3), ==, 0);
  same = sonde_tensor_subtract (a, a, 0, &difference, &error);
  g_assert_cmpint (difference.n_beyond, ==, 0);
  g_assert_cmpint (difference.largest_at, ==, -1);
  other = sonde_tensor_subtract (a, c, 1e9, &difference, &error);
  g_assert_cmpint (difference.n_beyond, ==, 3);
  g_assert_cmpint (difference.largest_at, ==, 2);
  g_assert_true (isnan (difference.largest));
  g_assert_null (sonde_tensor_subtract (a, shorter, 0, &difference, &error));
  g_assert_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_INVALID);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/data/values/tensor-compare/places", test_places);
  g_test_add_func ("/data/values/tensor-compare/difference", test_difference);
  return g_test_run ();
}
