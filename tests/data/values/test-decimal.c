/* SPDX-License-Identifier: Apache-2.0
 * Shortest decimals: known numbers, and a comparison with trying every number of digits. */
#include <math.h>
#include <string.h>

#include "data/values/sonde-decimal.h"

static void
assert_text (SondeDtype dtype, double value, const char *expected)
{
  char text[SONDE_DECIMAL_BUFFER];

  g_assert_cmpuint (sonde_decimal_format (dtype, value, text), ==, strlen (expected));
  g_assert_cmpstr (text, ==, expected);
}

static void
test_known (void)
{
  assert_text (SONDE_DTYPE_F32, 0.1f, "0.1");
  assert_text (SONDE_DTYPE_F32, -1.0f / 3, "-0.33333334");
  assert_text (SONDE_DTYPE_F32, 16777216.0f, "16777216");
  assert_text (SONDE_DTYPE_F32, 100000, "100000");
  assert_text (SONDE_DTYPE_F32, 123456.5f, "123456.5");
  assert_text (SONDE_DTYPE_F32, 1e-30f, "1e-30");
  assert_text (SONDE_DTYPE_F32, 0.0001f, "0.0001");
  assert_text (SONDE_DTYPE_F32, 0.00001f, "1e-05");
  assert_text (SONDE_DTYPE_F32, 0x1.fffffep127f, "3.4028235e+38");
  assert_text (SONDE_DTYPE_F32, 0x1p-126f, "1.1754944e-38");
  assert_text (SONDE_DTYPE_F32, 0x1p-149f, "1e-45");
  assert_text (SONDE_DTYPE_F32, 0x1p90f, "1.23794004e+27");
  assert_text (SONDE_DTYPE_F32, -0.0f, "-0");
  assert_text (SONDE_DTYPE_F64, 0.1, "0.1");
  assert_text (SONDE_DTYPE_F64, 1.0 / 3, "0.3333333333333333");
  assert_text (SONDE_DTYPE_F64, 0x1p-1074, "5e-324");
  assert_text (SONDE_DTYPE_F64, 1e22, "1e+22");
  assert_text (SONDE_DTYPE_BF16, 0.10009765625, "0.1");
  assert_text (SONDE_DTYPE_F16, 0.0999755859375, "0.1");
  assert_text (SONDE_DTYPE_F32, NAN, "nan");
  assert_text (SONDE_DTYPE_F64, -INFINITY, "-inf");
}

/* The shortest "%g" that reads back. */
static void
format_slowly (float value, char *text)
{
  for (int digits = 1; digits <= 9; digits++)
    {
      char format[8];

      g_snprintf (format, sizeof format, "%%.%dg", digits);
      g_ascii_formatd (text, SONDE_DECIMAL_BUFFER, format, (double) value);
      if ((float) g_ascii_strtod (text, NULL) == value)
        return;
    }
}

static void
compare (guint32 bits)
{
  char text[SONDE_DECIMAL_BUFFER], slow[SONDE_DECIMAL_BUFFER];
  float value;

  memcpy (&value, &bits, sizeof value);
  if (!isfinite (value) || (fabs ((double) value) < 1e15 && value == rintf (value)))
    return;
  sonde_decimal_format (SONDE_DTYPE_F32, (double) value, text);
  format_slowly (value, slow);
  g_assert_cmpstr (text, ==, slow);
}

/* Numbers of all magnitudes; those beside powers of two and of ten. */
static void
test_float32 (void)
{
  for (guint i = 0; i < 200000; i++)
    compare (g_test_rand_int ());
  for (guint32 exponent = 0; exponent < 255; exponent++)
    for (int step = -3; step <= 3; step++)
      compare ((exponent << 23) + (guint32) step);
  for (int power = -45; power <= 38; power++)
    {
      float value = (float) pow (10, power);
      guint32 bits;

      memcpy (&bits, &value, sizeof bits);
      for (int step = -5; step <= 5; step++)
        compare (bits + (guint32) step);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/data/values/decimal/known", test_known);
  g_test_add_func ("/data/values/decimal/float32", test_float32);
  return g_test_run ();
}
