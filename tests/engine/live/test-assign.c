/* SPDX-License-Identifier: Apache-2.0
 * Numbers into slices: numbers of texts, broadcasting, ranges of types, refusals that change
 * nothing. */
#include "engine/live/sonde-assign.h"

#include "engine/ops/sonde-engine-error.h"

#include <math.h>
#include <string.h>

static SondeTensor *
counted (SondeDtype dtype)
{
  SondeShape shape = { .rank = 2, .dims = { 3, 4 } };
  SondeTensor *tensor = sonde_tensor_new (dtype, &shape);

  for (gint64 i = 0; i < 12; i++)
    sonde_tensor_set_double (tensor, i, dtype == SONDE_DTYPE_BOOL ? (double) (i % 2) : (double) i);
  return tensor;
}

static void
assert_number (const char *text, SondeDtype dtype, double number)
{
  g_autoptr (SondeTensor) tensor = sonde_assign_parse_number (text);

  g_assert_nonnull (tensor);
  g_assert_cmpint (tensor->dtype, ==, dtype);
  if (isnan (number))
    g_assert_true (isnan (sonde_tensor_get_double (tensor, 0)));
  else
    g_assert_cmpfloat (sonde_tensor_get_double (tensor, 0), ==, number);
}

static void
test_numbers (void)
{
  static const char *const none[] = { "", "x", "1 2", "1.5x", "--1", "1e", "0x", " 1", "file:a" };
  g_autoptr (SondeTensor) exact = sonde_assign_parse_number ("9007199254740993");

  assert_number ("3", SONDE_DTYPE_I64, 3);
  assert_number ("-7", SONDE_DTYPE_I64, -7);
  assert_number ("0x10", SONDE_DTYPE_I64, 16);
  assert_number ("18446744073709551615", SONDE_DTYPE_U64, 18446744073709551616.0);
  assert_number ("1e5", SONDE_DTYPE_F64, 1e5);
  assert_number ("-.5", SONDE_DTYPE_F64, -0.5);
  assert_number ("inf", SONDE_DTYPE_F64, INFINITY);
  assert_number ("-inf", SONDE_DTYPE_F64, -INFINITY);
  assert_number ("nan", SONDE_DTYPE_F64, NAN);
  assert_number ("true", SONDE_DTYPE_BOOL, 1);
  assert_number ("99999999999999999999999", SONDE_DTYPE_F64, 1e23);
  g_assert_cmpint (sonde_tensor_get_int (exact, 0), ==, G_GINT64_CONSTANT (9007199254740993));
  for (gsize i = 0; i < G_N_ELEMENTS (none); i++)
    g_assert_null (sonde_assign_parse_number (none[i]));
}

static void
test_broadcasting (void)
{
  g_autoptr (SondeTensor) x = counted (SONDE_DTYPE_F32), row = NULL, column = NULL, deep = NULL;
  const float four[] = { 10, 20, 30, 40 }, three[] = { 7, 8, 9 };
  SondeShape row_shape = { .rank = 1, .dims = { 4 } },
             column_shape = { .rank = 2, .dims = { 3, 1 } };
  SondeShape deep_shape = { .rank = 3, .dims = { 1, 1, 4 } };
  SondeAssignment done;
  g_autoptr (GError) error = NULL;

  row = sonde_tensor_new_from_data (SONDE_DTYPE_F32, &row_shape, four);
  column = sonde_tensor_new_from_data (SONDE_DTYPE_F32, &column_shape, three);
  deep = sonde_tensor_new_from_data (SONDE_DTYPE_F32, &deep_shape, four);
  g_assert_true (sonde_assign_slice (x, "1", row, &done, NULL));
  g_assert_cmpuint (done.count, ==, 4);
  g_assert_cmpuint (done.changed, ==, 4);
  g_assert_cmpfloat (sonde_tensor_get_double (x, 6), ==, 30);
  g_assert_cmpfloat (sonde_tensor_get_double (x, 3), ==, 3);
  g_assert_true (sonde_assign_slice (x, ":, ::-2", column, &done, NULL));
  g_assert_cmpuint (done.count, ==, 6);
  g_assert_cmpfloat (sonde_tensor_get_double (x, 1), ==, 7);
  g_assert_cmpfloat (sonde_tensor_get_double (x, 3), ==, 7);
  g_assert_cmpfloat (sonde_tensor_get_double (x, 11), ==, 9);
  g_assert_cmpfloat (sonde_tensor_get_double (x, 10), ==, 10);
  g_assert_true (sonde_assign_slice (x, NULL, deep, &done, NULL));
  g_assert_cmpfloat (sonde_tensor_get_double (x, 11), ==, 40);
  g_assert_true (sonde_assign_slice (x, "2, 3", deep, &done, &error) == FALSE);
  g_assert_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_SHAPE);
  g_clear_error (&error);
  g_assert_false (sonde_assign_slice (x, ":, :2", row, &done, &error));
  g_assert_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_SHAPE);
  g_clear_error (&error);
  g_assert_false (sonde_assign_slice (x, "9", row, &done, &error));
  g_assert_nonnull (strstr (error->message, "9"));
}

static void
check_fit (SondeDtype dtype, const char *number, double expected)
{
  g_autoptr (SondeTensor) x = counted (dtype), before = sonde_tensor_copy (x),
                          source = sonde_assign_parse_number (number);
  g_autoptr (GError) error = NULL;
  SondeAssignment done;
  gboolean fits = sonde_assign_slice (x, "0, 2", source, &done, &error);

  if (expected == -12345) /* is refused */
    {
      g_assert_false (fits);
      g_assert_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_INVALID);
      g_assert_nonnull (strstr (error->message, sonde_dtype_name (dtype)));
      g_assert_true (sonde_tensor_equal (x, before));
      return;
    }
  g_assert_no_error (error);
  if (isnan (expected))
    g_assert_true (isnan (sonde_tensor_get_double (x, 2)));
  else
    g_assert_cmpfloat (sonde_tensor_get_double (x, 2), ==, expected);
}

#define REFUSED -12345

static void
test_ranges (void)
{
  check_fit (SONDE_DTYPE_U8, "255", 255);
  check_fit (SONDE_DTYPE_U8, "256", REFUSED);
  check_fit (SONDE_DTYPE_U8, "-1", REFUSED);
  check_fit (SONDE_DTYPE_U8, "nan", REFUSED);
  check_fit (SONDE_DTYPE_I32, "inf", REFUSED);
  check_fit (SONDE_DTYPE_I32, "2.75", 2);
  check_fit (SONDE_DTYPE_I8, "-128.5", -128);
  check_fit (SONDE_DTYPE_I8, "-129", REFUSED);
  check_fit (SONDE_DTYPE_I64, "1e30", REFUSED);
  check_fit (SONDE_DTYPE_U64, "18446744073709551615", 18446744073709551616.0);
  check_fit (SONDE_DTYPE_I64, "18446744073709551615", REFUSED);
  check_fit (SONDE_DTYPE_BOOL, "1", 1);
  check_fit (SONDE_DTYPE_BOOL, "true", 1);
  check_fit (SONDE_DTYPE_BOOL, "2", REFUSED);
  check_fit (SONDE_DTYPE_F32, "1e39", REFUSED);
  check_fit (SONDE_DTYPE_F32, "inf", INFINITY);
  check_fit (SONDE_DTYPE_F32, "nan", NAN);
  check_fit (SONDE_DTYPE_F16, "65504", 65504);
  check_fit (SONDE_DTYPE_F16, "70000", REFUSED);
  check_fit (SONDE_DTYPE_BF16, "-inf", -INFINITY);
  check_fit (SONDE_DTYPE_F64, "1e300", 1e300);
  check_fit (SONDE_DTYPE_F8E4M3FN, "448", 448);
  check_fit (SONDE_DTYPE_F8E4M3FN, "1000", REFUSED);
  check_fit (SONDE_DTYPE_F8E4M3FN, "inf", REFUSED);
  check_fit (SONDE_DTYPE_F8E5M2, "inf", INFINITY);
  check_fit (SONDE_DTYPE_I4, "7", 7);
  check_fit (SONDE_DTYPE_I4, "8", REFUSED);
}

static void
test_counts (void)
{
  g_autoptr (SondeTensor) x = counted (SONDE_DTYPE_I16), fractions = NULL, words = NULL;
  const double numbers[] = { 0, 1.5, 2, 3.25 };
  SondeShape four = { .rank = 1, .dims = { 4 } };
  g_autoptr (GError) error = NULL;
  SondeAssignment done;

  fractions = sonde_tensor_new_from_data (SONDE_DTYPE_F64, &four, numbers);
  words = sonde_tensor_new (SONDE_DTYPE_STRING, &four);
  g_assert_true (sonde_assign_slice (x, "0", fractions, &done, NULL));
  g_assert_cmpuint (done.truncated, ==, 2);
  g_assert_cmpuint (done.changed, ==, 0);
  g_assert_false (sonde_assign_slice (x, "0", words, &done, &error));
  g_assert_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_UNSUPPORTED);
}

/* What does not fit is named with its place and the range of the type. */
static void
test_refusals (void)
{
  static const struct
  {
    SondeDtype dtype;
    const char *number, *text;
  } rows[] = {
    { SONDE_DTYPE_U8, "256", "256 cannot be a uint8: that holds 0 to 255; nothing was changed." },
    { SONDE_DTYPE_U64, "-1",
      "-1 cannot be a uint64: that holds 0 to 18446744073709551615; nothing was changed." },
    { SONDE_DTYPE_BOOL, "2", "2 cannot be a bool: that holds 0 and 1; nothing was changed." },
    { SONDE_DTYPE_F16, "70000",
      "70000 cannot be a float16: that holds -65504 to 65504, inf, -inf and nan; nothing was "
      "changed." },
  };
  const double numbers[] = { 0, 1, 300, 2 };
  const SondeShape four = { .rank = 1, .dims = { 4 } };
  g_autoptr (SondeTensor) x = counted (SONDE_DTYPE_U8),
                          several = sonde_tensor_new_from_data (SONDE_DTYPE_F64, &four, numbers);
  g_autoptr (GError) error = NULL;
  SondeAssignment done;

  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autoptr (SondeTensor) target = counted (rows[i].dtype),
                              source = sonde_assign_parse_number (rows[i].number);

      g_assert_false (sonde_assign_slice (target, "0, 2", source, &done, &error));
      g_assert_cmpstr (error->message, ==, rows[i].text);
      g_clear_error (&error);
    }
  g_assert_false (sonde_assign_slice (x, "0", several, &done, &error));
  g_assert_cmpstr (error->message, ==,
                   "300 at [2] cannot be a uint8: that holds 0 to 255; nothing was changed.");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/engine/debug/assign/numbers", test_numbers);
  g_test_add_func ("/engine/debug/assign/refusals", test_refusals);
  g_test_add_func ("/engine/debug/assign/broadcasting", test_broadcasting);
  g_test_add_func ("/engine/debug/assign/ranges", test_ranges);
  g_test_add_func ("/engine/debug/assign/counts", test_counts);
  return g_test_run ();
}
