/* SPDX-License-Identifier: Apache-2.0
 * Element types: all 65536 patterns of both short floats against arithmetic in double, and all
 * pairs of the conversion table against a plain reference. */
#include "data/values/sonde-dtype.h"

#include <math.h>
#include <string.h>

/* Source: IEEE 754-2008, 3.4; the value spelt out from sign, exponent and fraction. */
static double
value_of_bits (guint bits, int exponent_bits, int fraction_bits)
{
  int bias = (1 << (exponent_bits - 1)) - 1;
  int exponent = (int) (bits >> fraction_bits) & ((1 << exponent_bits) - 1);
  guint fraction = bits & ((1u << fraction_bits) - 1);
  double sign = bits >> (exponent_bits + fraction_bits) != 0 ? -1 : 1;

  if (exponent == (1 << exponent_bits) - 1)
    return fraction != 0 ? NAN : sign * INFINITY;
  if (exponent == 0)
    return sign * ldexp (fraction, 1 - bias - fraction_bits);
  return sign * ldexp (fraction + (1u << fraction_bits), exponent - bias - fraction_bits);
}

/* The nearest of all patterns, ties to the even one; by search, so that no trick is shared with the
 * code under test. Positive finite input. */
static guint
nearest_bits (double value, int exponent_bits, int fraction_bits)
{
  guint infinity = (guint) ((1 << exponent_bits) - 1) << fraction_bits;
  guint low = 0, high = infinity;

  while (high - low > 1)
    {
      guint middle = (low + high) / 2;

      *(value_of_bits (middle, exponent_bits, fraction_bits) <= value ? &low : &high) = middle;
    }
  double below = value_of_bits (low, exponent_bits, fraction_bits);
  /* what would come after the largest, were the exponent one wider */
  double above
      = high == infinity
            ? 2 * value_of_bits (infinity - (1u << fraction_bits), exponent_bits, fraction_bits)
            : value_of_bits (high, exponent_bits, fraction_bits);

  if (value - below == above - value)
    return low % 2 == 0 ? low : high;
  return value - below < above - value ? low : high;
}

static const struct
{
  SondeDtype dtype;
  int exponent_bits, fraction_bits;
  float (*widen) (guint16 bits);
  guint16 (*narrow) (float value);
} shorts[] = {
  { SONDE_DTYPE_F16, 5, 10, sonde_f16_to_f32, sonde_f16_from_f32 },
  { SONDE_DTYPE_BF16, 8, 7, sonde_bf16_to_f32, sonde_bf16_from_f32 },
};

static void
test_widen_all (void)
{
  for (gsize s = 0; s < G_N_ELEMENTS (shorts); s++)
    {
      guint quiet = 1u << (shorts[s].fraction_bits - 1);

      for (guint bits = 0; bits < 65536; bits++)
        {
          double expected = value_of_bits (bits, shorts[s].exponent_bits, shorts[s].fraction_bits);
          float value = shorts[s].widen ((guint16) bits);

          if (isnan (expected))
            {
              g_assert_true (isnan (value));
              g_assert_cmpuint (shorts[s].narrow (value), ==, bits | quiet);
              continue;
            }
          g_assert_true (value == expected && !signbit (value) == !signbit (expected));
          g_assert_cmpuint (shorts[s].narrow (value), ==, bits);
        }
    }
}

static guint
narrow_f64 (SondeDtype dtype, double value)
{
  guint16 bits;

  sonde_dtype_convert (SONDE_DTYPE_F64, &value, dtype, &bits, 1);
  return bits;
}

/* Around every pattern: the midpoint to the next and its neighbours in float32 and in double. */
static void
test_narrow_midpoints (void)
{
  for (gsize s = 0; s < G_N_ELEMENTS (shorts); s++)
    {
      int e = shorts[s].exponent_bits, f = shorts[s].fraction_bits;
      guint infinity = (guint) ((1 << e) - 1) << f;

      for (guint bits = 0; bits < infinity; bits++)
        {
          double here = value_of_bits (bits, e, f);
          double next = bits + 1 == infinity ? 2 * value_of_bits (infinity - (1u << f), e, f)
                                             : value_of_bits (bits + 1, e, f);
          double middle = here + (next - here) / 2;
          double doubles[] = { middle, nextafter (middle, 0), nextafter (middle, INFINITY), here };
          float floats[] = { (float) middle, nextafterf ((float) middle, 0),
                             nextafterf ((float) middle, INFINITY) };

          for (gsize i = 0; i < G_N_ELEMENTS (doubles); i++)
            {
              guint expected = nearest_bits (doubles[i], e, f);

              g_assert_cmpuint (narrow_f64 (shorts[s].dtype, doubles[i]), ==, expected);
              g_assert_cmpuint (narrow_f64 (shorts[s].dtype, -doubles[i]), ==, expected | 0x8000);
            }
          for (gsize i = 0; i < G_N_ELEMENTS (floats); i++)
            {
              guint expected = isinf (floats[i]) ? infinity : nearest_bits (floats[i], e, f);

              g_assert_cmpuint (shorts[s].narrow (floats[i]), ==, expected);
              g_assert_cmpuint (shorts[s].narrow (-floats[i]), ==, expected | 0x8000);
            }
        }
    }
}

/* 64-bit integers do not go through a float32: these two differ only in bits that one would
 * lose. */
static void
test_narrow_integers (void)
{
  const gint64 ties[] = { (gint64) 257 << 40, ((gint64) 257 << 40) + 1, ((gint64) 257 << 40) - 1,
                          (gint64) 257 << 54, ((gint64) 257 << 54) + 1, ((gint64) 257 << 54) - 1 };
  const guint16 expected[] = { 0x5780, 0x5781, 0x5780, 0x5e80, 0x5e81, 0x5e80 };
  guint16 bits[G_N_ELEMENTS (ties)];

  sonde_dtype_convert (SONDE_DTYPE_I64, ties, SONDE_DTYPE_BF16, bits, G_N_ELEMENTS (ties));
  for (gsize i = 0; i < G_N_ELEMENTS (ties); i++)
    g_assert_cmphex (bits[i], ==, expected[i]);
}

/* The value of every dtype for one double, by the rules of the header, written down once more. */
static void
put (SondeDtype dtype, double x, void *to)
{
  switch ((int) dtype)
    {
    case SONDE_DTYPE_F64:
      *(double *) to = x;
      break;
    case SONDE_DTYPE_F32:
      *(float *) to = (float) x;
      break;
    case SONDE_DTYPE_F16:
      *(guint16 *) to = sonde_f16_from_f32 ((float) x);
      break;
    case SONDE_DTYPE_BF16:
      *(guint16 *) to = sonde_bf16_from_f32 ((float) x);
      break;
    case SONDE_DTYPE_I8:
      *(gint8 *) to = (gint8) CLAMP (x, -128, 127);
      break;
    case SONDE_DTYPE_I16:
      *(gint16 *) to = (gint16) CLAMP (x, -32768, 32767);
      break;
    case SONDE_DTYPE_I32:
      *(gint32 *) to = (gint32) CLAMP (x, -2147483648.0, 2147483647.0);
      break;
    case SONDE_DTYPE_I64:
      *(gint64 *) to = (gint64) x;
      break;
    case SONDE_DTYPE_U8:
      *(guint8 *) to = (guint8) CLAMP (x, 0, 255);
      break;
    case SONDE_DTYPE_U16:
      *(guint16 *) to = (guint16) CLAMP (x, 0, 65535);
      break;
    case SONDE_DTYPE_U32:
      *(guint32 *) to = (guint32) CLAMP (x, 0, 4294967295.0);
      break;
    case SONDE_DTYPE_U64:
      *(guint64 *) to = (guint64) MAX (x, 0);
      break;
    case SONDE_DTYPE_BOOL:
      *(guint8 *) to = x != 0;
      break;
    default:
      g_assert_not_reached ();
    }
}

/* Numbers that all dtypes but the unsigned and bool hold exactly, so that any pair has one
 * answer. */
static void
test_pairs (void)
{
  const double numbers[] = { 0, 1, 2, 3, 100, 127, 64, 5 };

  for (int from = SONDE_DTYPE_F64; from <= SONDE_DTYPE_BOOL; from++)
    for (int to = SONDE_DTYPE_F64; to <= SONDE_DTYPE_BOOL; to++)
      {
        guint8 in[8 * 2000], out[8 * 2000];
        gsize from_size = sonde_dtype_size (from), to_size = sonde_dtype_size (to);

        for (gsize i = 0; i < 2000; i++)
          put (from, numbers[i % 8], in + i * from_size);
        sonde_dtype_convert (from, in, to, out, 2000);
        for (gsize i = 0; i < 2000; i++)
          {
            double number = numbers[i % 8];
            guint8 expected[8];

            put (to, from == SONDE_DTYPE_BOOL ? number != 0 : number, expected);
            g_assert_cmpmem (out + i * to_size, to_size, expected, to_size);
          }
      }
}

static void
test_saturate (void)
{
  const double values[] = { NAN, INFINITY, -INFINITY, 1e30, -1e30, 1.9, -1.9, 0.5, -0.5 };
  gint64 wide[9];
  guint64 wide_unsigned[9];
  gint8 narrow[9];
  guint8 flags[9], bytes[9];

  sonde_dtype_convert (SONDE_DTYPE_F64, values, SONDE_DTYPE_I64, wide, 9);
  g_assert_cmpint (wide[0], ==, 0);
  g_assert_cmpint (wide[1], ==, G_MAXINT64);
  g_assert_cmpint (wide[2], ==, G_MININT64);
  g_assert_cmpint (wide[3], ==, G_MAXINT64);
  g_assert_cmpint (wide[4], ==, G_MININT64);
  g_assert_cmpint (wide[5], ==, 1);
  g_assert_cmpint (wide[6], ==, -1);
  g_assert_cmpint (wide[8], ==, 0);
  sonde_dtype_convert (SONDE_DTYPE_F64, values, SONDE_DTYPE_U64, wide_unsigned, 9);
  g_assert_true (wide_unsigned[0] == 0 && wide_unsigned[1] == G_MAXUINT64 && wide_unsigned[2] == 0);
  g_assert_true (wide_unsigned[5] == 1 && wide_unsigned[6] == 0);
  sonde_dtype_convert (SONDE_DTYPE_F64, values, SONDE_DTYPE_I8, narrow, 9);
  g_assert_true (narrow[0] == 0 && narrow[1] == 127 && narrow[2] == -128 && narrow[6] == -1);
  sonde_dtype_convert (SONDE_DTYPE_F64, values, SONDE_DTYPE_U8, bytes, 9);
  g_assert_true (bytes[0] == 0 && bytes[1] == 255 && bytes[2] == 0 && bytes[5] == 1);
  sonde_dtype_convert (SONDE_DTYPE_F64, values, SONDE_DTYPE_BOOL, flags, 9);
  for (int i = 0; i < 9; i++)
    g_assert_cmpuint (flags[i], ==, 1);
}

static void
test_wrap (void)
{
  const gint32 numbers[] = { 300, -1, -129, 65536 };
  guint8 bytes[4];
  gint8 small[4];
  guint64 wide[4];

  sonde_dtype_convert (SONDE_DTYPE_I32, numbers, SONDE_DTYPE_U8, bytes, 4);
  g_assert_true (bytes[0] == 44 && bytes[1] == 255 && bytes[2] == 127 && bytes[3] == 0);
  sonde_dtype_convert (SONDE_DTYPE_I32, numbers, SONDE_DTYPE_I8, small, 4);
  g_assert_true (small[0] == 44 && small[1] == -1 && small[2] == 127 && small[3] == 0);
  sonde_dtype_convert (SONDE_DTYPE_I32, numbers, SONDE_DTYPE_U64, wide, 4);
  g_assert_cmpuint (wide[1], ==, G_MAXUINT64);
}

static void
test_names (void)
{
  for (int i = SONDE_DTYPE_F64; i < SONDE_N_DTYPES; i++)
    {
      g_assert_cmpint (sonde_dtype_from_name (sonde_dtype_name (i)), ==, i);
      g_assert_cmpuint (sonde_dtype_size (i), >, 0);
    }
  g_assert_cmpint (sonde_dtype_from_name ("f32"), ==, SONDE_DTYPE_F32);
  g_assert_cmpint (sonde_dtype_from_name ("bf16"), ==, SONDE_DTYPE_BF16);
  g_assert_cmpint (sonde_dtype_from_name ("float31"), ==, SONDE_DTYPE_INVALID);
  g_assert_cmpint (sonde_dtype_from_name (NULL), ==, SONDE_DTYPE_INVALID);
  g_assert_cmpuint (sonde_dtype_size (SONDE_DTYPE_INVALID), ==, 0);
  g_assert_cmpuint (sonde_dtype_size ((SondeDtype) 99), ==, 0);
  g_assert_true (sonde_dtype_is_float (SONDE_DTYPE_BF16) && !sonde_dtype_is_float (SONDE_DTYPE_I8));
  g_assert_true (sonde_dtype_is_integer (SONDE_DTYPE_U8)
                 && !sonde_dtype_is_integer (SONDE_DTYPE_BOOL));
  g_assert_true (sonde_dtype_is_signed (SONDE_DTYPE_F16)
                 && !sonde_dtype_is_signed (SONDE_DTYPE_U8));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/data/values/dtype/widen-all", test_widen_all);
  g_test_add_func ("/data/values/dtype/narrow-midpoints", test_narrow_midpoints);
  g_test_add_func ("/data/values/dtype/narrow-integers", test_narrow_integers);
  g_test_add_func ("/data/values/dtype/pairs", test_pairs);
  g_test_add_func ("/data/values/dtype/saturate", test_saturate);
  g_test_add_func ("/data/values/dtype/wrap", test_wrap);
  g_test_add_func ("/data/values/dtype/names", test_names);
  return g_test_run ();
}
