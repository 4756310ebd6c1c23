/* SPDX-License-Identifier: Apache-2.0
 * float8, float4, 4- and 2-bit types: every code against its value spelt out in double, every
 * midpoint between two codes against a search over all codes. Expected values: the tables of ONNX's
 * Cast, OCP's 8-bit and MX formats. */
#include "data/values/sonde-statistics.h"

#include <math.h>
#include <string.h>

static const struct
{
  SondeDtype dtype;
  int exponent_bits, fraction_bits, bias;
  double largest;
  gboolean infinite, unsigned_zero, has_nan;
} floats[] = {
  { SONDE_DTYPE_F8E4M3FN, 4, 3, 7, 448, FALSE, FALSE, TRUE },
  { SONDE_DTYPE_F8E4M3FNUZ, 4, 3, 8, 240, FALSE, TRUE, TRUE },
  { SONDE_DTYPE_F8E5M2, 5, 2, 15, 57344, TRUE, FALSE, TRUE },
  { SONDE_DTYPE_F8E5M2FNUZ, 5, 2, 16, 57344, FALSE, TRUE, TRUE },
  { SONDE_DTYPE_F4E2M1, 2, 1, 1, 6, FALSE, FALSE, FALSE },
};

/* NaN where the code is none of a number. */
static double
value_of_code (gsize s, guint code)
{
  guint n_codes = 1u << (floats[s].exponent_bits + floats[s].fraction_bits);
  guint magnitude = code % n_codes;
  double sign = code >= n_codes ? -1 : 1;
  int exponent = (int) (magnitude >> floats[s].fraction_bits);
  guint fraction = magnitude % (1u << floats[s].fraction_bits);
  double value = exponent == 0 ? ldexp (fraction, 1 - floats[s].bias - floats[s].fraction_bits)
                               : ldexp (fraction + (1u << floats[s].fraction_bits),
                                        exponent - floats[s].bias - floats[s].fraction_bits);

  if (floats[s].unsigned_zero && code == n_codes)
    return NAN;
  if (value > floats[s].largest)
    return floats[s].infinite && fraction == 0 ? sign * INFINITY : NAN;
  return sign * value;
}

static guint
convert (SondeDtype dtype, double value, gboolean saturate)
{
  guint8 code = 0xcc;

  sonde_dtype_convert_narrow (SONDE_DTYPE_F64, &value, dtype, &code, 1, saturate,
                              SONDE_ROUND_NEAREST);
  return code;
}

static double
widen (SondeDtype dtype, guint8 code)
{
  double value = 0;

  sonde_dtype_convert (dtype, &code, SONDE_DTYPE_F64, &value, 1);
  return value;
}

static void
test_all_codes (void)
{
  for (gsize s = 0; s < G_N_ELEMENTS (floats); s++)
    for (guint code = 0; code < 2u << (floats[s].exponent_bits + floats[s].fraction_bits); code++)
      {
        double want = value_of_code (s, code), got = widen (floats[s].dtype, (guint8) code);

        g_assert_true (isnan (want) ? isnan (got)
                                    : got == want && !signbit (got) == !signbit (want));
        if (!isnan (want))
          g_assert_cmpuint (convert (floats[s].dtype, want, FALSE), ==, code);
        else if (floats[s].has_nan)
          g_assert_true (
              isnan (widen (floats[s].dtype, (guint8) convert (floats[s].dtype, want, TRUE))));
      }
}

/* Ties to the even code; the even code beyond the largest is what overflows. */
static void
test_midpoints (void)
{
  for (gsize s = 0; s < G_N_ELEMENTS (floats); s++)
    for (guint code = 0; value_of_code (s, code + 1) > value_of_code (s, code)
                         && value_of_code (s, code + 1) <= floats[s].largest;
         code++)
      {
        double low = value_of_code (s, code), high = value_of_code (s, code + 1),
               middle = (low + high) / 2;
        guint sign = 1u << (floats[s].exponent_bits + floats[s].fraction_bits);
        SondeDtype dtype = floats[s].dtype;

        g_assert_cmpuint (convert (dtype, middle, TRUE), ==, code + code % 2);
        g_assert_cmpuint (convert (dtype, nextafter (middle, 0), TRUE), ==, code);
        g_assert_cmpuint (convert (dtype, nextafter (middle, INFINITY), TRUE), ==, code + 1);
        if (code > 0)
          g_assert_cmpuint (convert (dtype, -nextafter (middle, 0), TRUE), ==, code | sign);
      }
}

static void
test_overflow (void)
{
  for (gsize s = 0; s < G_N_ELEMENTS (floats); s++)
    {
      SondeDtype dtype = floats[s].dtype;
      const double large[] = { floats[s].largest * 1.2, 1e300, INFINITY };

      for (gsize i = 0; i < G_N_ELEMENTS (large); i++)
        {
          double loose = widen (dtype, (guint8) convert (dtype, large[i], FALSE));

          g_assert_cmpfloat (widen (dtype, (guint8) convert (dtype, large[i], TRUE)), ==,
                             floats[s].largest);
          g_assert_cmpfloat (widen (dtype, (guint8) convert (dtype, -large[i], TRUE)), ==,
                             -floats[s].largest);
          g_assert_true (floats[s].infinite  ? loose == INFINITY
                         : floats[s].has_nan ? isnan (loose)
                                             : loose == floats[s].largest);
        }
      g_assert_cmpfloat (fabs (widen (dtype, (guint8) convert (dtype, -1e-30, TRUE))), ==, 0);
      g_assert_true (!!signbit (widen (dtype, (guint8) convert (dtype, -0.0, TRUE)))
                     == !floats[s].unsigned_zero);
    }
  g_assert_cmpfloat (widen (SONDE_DTYPE_F4E2M1, (guint8) convert (SONDE_DTYPE_F4E2M1, NAN, TRUE)),
                     ==, 0);
}

static guint
scale_of (double value, gboolean saturate, SondeRounding rounding)
{
  guint8 code = 0xcc;

  sonde_dtype_convert_narrow (SONDE_DTYPE_F64, &value, SONDE_DTYPE_F8E8M0, &code, 1, saturate,
                              rounding);
  return code;
}

static void
test_e8m0 (void)
{
  for (guint code = 0; code < 255; code++)
    {
      double value = ldexp (1, (int) code - 127);

      g_assert_cmpfloat (widen (SONDE_DTYPE_F8E8M0, (guint8) code), ==, value);
      for (int rounding = SONDE_ROUND_NEAREST; rounding <= SONDE_ROUND_DOWN; rounding++)
        g_assert_cmpuint (scale_of (value, FALSE, rounding), ==, code);
      if (code == 254)
        break;
      g_assert_cmpuint (scale_of (value * 1.0625, TRUE, SONDE_ROUND_UP), ==, code + 1);
      g_assert_cmpuint (scale_of (value * 1.9375, TRUE, SONDE_ROUND_DOWN), ==, code);
      g_assert_cmpuint (scale_of (value * 1.4375, TRUE, SONDE_ROUND_NEAREST), ==, code);
      g_assert_cmpuint (scale_of (value * 1.5, TRUE, SONDE_ROUND_NEAREST), ==, code + 1);
    }
  g_assert_true (isnan (widen (SONDE_DTYPE_F8E8M0, 255)));
  g_assert_cmpuint (scale_of (NAN, TRUE, SONDE_ROUND_UP), ==, 255);
  g_assert_cmpuint (scale_of (INFINITY, TRUE, SONDE_ROUND_UP), ==, 254);
  g_assert_cmpuint (scale_of (INFINITY, FALSE, SONDE_ROUND_NEAREST), ==, 255);
  g_assert_cmpuint (scale_of (3e38, TRUE, SONDE_ROUND_UP), ==, 254);
  g_assert_cmpuint (scale_of (3e38, FALSE, SONDE_ROUND_UP), ==, 255);
  g_assert_cmpuint (scale_of (0, TRUE, SONDE_ROUND_UP), ==, 0);
  g_assert_cmpuint (scale_of (0, FALSE, SONDE_ROUND_NEAREST), ==, 255);
}

static void
test_integers (void)
{
  static const struct
  {
    SondeDtype dtype;
    int min, max;
  } rows[] = { { SONDE_DTYPE_I4, -8, 7 },
               { SONDE_DTYPE_U4, 0, 15 },
               { SONDE_DTYPE_I2, -2, 1 },
               { SONDE_DTYPE_U2, 0, 3 } };

  for (gsize r = 0; r < G_N_ELEMENTS (rows); r++)
    for (int x = -40; x <= 40; x++)
      {
        int size = rows[r].max - rows[r].min + 1;
        gint32 wrapped = ((x - rows[r].min) % size + size) % size + rows[r].min, back = 0;
        float f = (float) x + (x < 0 ? -0.75f : 0.75f);
        guint64 u = (guint64) (gint64) x;
        guint8 code = 0;

        sonde_dtype_convert (SONDE_DTYPE_I32, &x, rows[r].dtype, &code, 1);
        sonde_dtype_convert (rows[r].dtype, &code, SONDE_DTYPE_I32, &back, 1);
        g_assert_cmpint (back, ==, wrapped);
        sonde_dtype_convert (SONDE_DTYPE_U64, &u, rows[r].dtype, &code, 1);
        sonde_dtype_convert (rows[r].dtype, &code, SONDE_DTYPE_I32, &back, 1);
        g_assert_cmpint (back, ==, wrapped);
        sonde_dtype_convert (SONDE_DTYPE_F32, &f, rows[r].dtype, &code, 1);
        sonde_dtype_convert (rows[r].dtype, &code, SONDE_DTYPE_I32, &back, 1);
        g_assert_cmpint (back, ==, CLAMP (x, rows[r].min, rows[r].max));
      }
}

/* A 64-bit integer just above a midpoint: rounded once, not first to double. */
static void
test_no_double_rounding (void)
{
  gint64 value = (G_GINT64_CONSTANT (17) << 50) + 1; /* between 16 and 18 · 2^50, far too large */
  /* 34817; the midpoint of e5m2's 32768 and 40960 is 36864 */
  guint64 tie = (G_GUINT64_CONSTANT (0x88) << 8) + 1;
  guint8 code = 0;

  sonde_dtype_convert_narrow (SONDE_DTYPE_I64, &value, SONDE_DTYPE_F8E5M2, &code, 1, FALSE,
                              SONDE_ROUND_NEAREST);
  g_assert_cmpuint (code, ==, 0x7c);
  sonde_dtype_convert_narrow (SONDE_DTYPE_U64, &tie, SONDE_DTYPE_F8E5M2, &code, 1, TRUE,
                              SONDE_ROUND_NEAREST);
  g_assert_cmpfloat (widen (SONDE_DTYPE_F8E5M2, code), ==, 32768);
  value = (G_GINT64_CONSTANT (1) << 62) + 1;
  sonde_dtype_convert_narrow (SONDE_DTYPE_I64, &value, SONDE_DTYPE_F8E8M0, &code, 1, TRUE,
                              SONDE_ROUND_UP);
  g_assert_cmpuint (code, ==, 127 + 63);
}

static void
test_facts (void)
{
  gint64 min = 1, max = 0;

  g_assert_cmpuint (sonde_dtype_bits (SONDE_DTYPE_I4), ==, 4);
  g_assert_cmpuint (sonde_dtype_bits (SONDE_DTYPE_U2), ==, 2);
  g_assert_cmpuint (sonde_dtype_bits (SONDE_DTYPE_F64), ==, 64);
  g_assert_cmpuint (sonde_dtype_bits (SONDE_DTYPE_STRING), ==, 0);
  for (int dtype = SONDE_DTYPE_F8E4M3FN; dtype <= SONDE_DTYPE_U2; dtype++)
    g_assert_true (sonde_dtype_is_narrow (dtype) && !sonde_dtype_is_float (dtype)
                   && !sonde_dtype_is_integer (dtype) && sonde_dtype_size (dtype) == 1);
  g_assert_true (sonde_dtype_has_fractions (SONDE_DTYPE_F4E2M1)
                 && !sonde_dtype_has_fractions (SONDE_DTYPE_U4));
  g_assert_true (sonde_dtype_get_range (SONDE_DTYPE_I2, &min, &max) && min == -2 && max == 1);
  g_assert_true (sonde_dtype_get_range (SONDE_DTYPE_U8, &min, &max) && min == 0 && max == 255);
  g_assert_true (sonde_dtype_get_range (SONDE_DTYPE_I64, &min, &max) && min == G_MININT64
                 && max == G_MAXINT64);
  g_assert_true (sonde_dtype_get_range (SONDE_DTYPE_U64, &min, &max) && min == 0
                 && max == G_MAXINT64);
  g_assert_true (sonde_dtype_get_range (SONDE_DTYPE_BOOL, &min, &max) && min == 0 && max == 1);
  g_assert_false (sonde_dtype_get_range (SONDE_DTYPE_F16, &min, &max));
}

/* What the viewers read from any tensor works on these too. */
static void
test_tensor (void)
{
  const float values[] = { 0.5f, -6, 1.5f, NAN };
  SondeShape shape = sonde_shape_make (1, 4);
  g_autoptr (SondeTensor) wide = sonde_tensor_new_from_data (SONDE_DTYPE_F32, &shape, values);
  g_autoptr (SondeTensor) narrow = sonde_tensor_cast (wide, SONDE_DTYPE_F8E5M2);
  g_autoptr (SondeTensor) half = sonde_tensor_cast (wide, SONDE_DTYPE_I4);
  g_autofree char *third = sonde_tensor_format_element (narrow, 2);
  g_autofree char *last = sonde_tensor_format_element (narrow, 3);
  g_autofree char *integer = sonde_tensor_format_element (half, 1);
  SondeStatistics statistics;

  g_assert_cmpstr (third, ==, "1.5");
  g_assert_cmpstr (last, ==, "nan");
  g_assert_cmpstr (integer, ==, "-6");
  sonde_statistics_compute (narrow, &statistics);
  g_assert_true (statistics.min == -6 && statistics.max == 1.5 && statistics.nan == 1
                 && statistics.count == 4);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/data/values/narrow/all-codes", test_all_codes);
  g_test_add_func ("/data/values/narrow/midpoints", test_midpoints);
  g_test_add_func ("/data/values/narrow/overflow", test_overflow);
  g_test_add_func ("/data/values/narrow/e8m0", test_e8m0);
  g_test_add_func ("/data/values/narrow/integers", test_integers);
  g_test_add_func ("/data/values/narrow/no-double-rounding", test_no_double_rounding);
  g_test_add_func ("/data/values/narrow/facts", test_facts);
  g_test_add_func ("/data/values/narrow/tensor", test_tensor);
  return g_test_run ();
}
