/* SPDX-License-Identifier: Apache-2.0 */
#include "data/values/sonde-decimal.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* ---- any type ------------------------------------------------------------ */

/* Decimal digits that survive the way through a normal number of the type and back: the shortest
 * decimal that reads back is never found with fewer. */
static int
safe_digits (SondeDtype dtype)
{
  switch (dtype)
    {
    case SONDE_DTYPE_F64:
      return DBL_DIG;
    case SONDE_DTYPE_F32:
      return FLT_DIG;
    default:
      return 1;
    }
}

static gboolean
is_subnormal (SondeDtype dtype, double value)
{
  return fabs (value) < (dtype == SONDE_DTYPE_F32 ? (double) FLT_MIN : DBL_MIN);
}

/* Does @text read back as @value? */
static gboolean
reads_back (const char *text, SondeDtype dtype, double value)
{
  double read = g_ascii_strtod (text, NULL), back;
  guint8 bits[8] = { 0 };

  sonde_dtype_convert (SONDE_DTYPE_F64, &read, dtype, bits, 1);
  sonde_dtype_convert (dtype, bits, SONDE_DTYPE_F64, &back, 1);
  return back == value;
}

static void
format_by_trial (SondeDtype dtype, double value, char *buffer)
{
  int digits = is_subnormal (dtype, value) ? 1 : safe_digits (dtype);

  for (; digits <= DBL_DECIMAL_DIG; digits++)
    {
      char format[8];

      g_snprintf (format, sizeof format, "%%.%dg", digits);
      g_ascii_formatd (buffer, SONDE_DECIMAL_BUFFER, format, value);
      if (reads_back (buffer, dtype, value))
        return;
    }
}

/* ---- float32 ------------------------------------------------------------- */

/* Products of float32 with powers of ten have an error of a few units of the 64th bit: what lies
 * further than this, relatively, from the limit of a rounding interval is on a known side of it. */
#define DOUBT 0x1p-58L
#define MAX_POWER 53

#if LDBL_MANT_DIG >= 64

static long double
power_of_ten (int exponent)
{
  static const long double powers[] = {
    1e0L,  1e1L,  1e2L,  1e3L,  1e4L,  1e5L,  1e6L,  1e7L,  1e8L,  1e9L,  1e10L,
    1e11L, 1e12L, 1e13L, 1e14L, 1e15L, 1e16L, 1e17L, 1e18L, 1e19L, 1e20L, 1e21L,
    1e22L, 1e23L, 1e24L, 1e25L, 1e26L, 1e27L, 1e28L, 1e29L, 1e30L, 1e31L, 1e32L,
    1e33L, 1e34L, 1e35L, 1e36L, 1e37L, 1e38L, 1e39L, 1e40L, 1e41L, 1e42L, 1e43L,
    1e44L, 1e45L, 1e46L, 1e47L, 1e48L, 1e49L, 1e50L, 1e51L, 1e52L, 1e53L,
  };

  G_STATIC_ASSERT (G_N_ELEMENTS (powers) == MAX_POWER + 1);
  return powers[exponent];
}

static long double
scale (long double value, int exponent)
{
  return exponent >= 0 ? value * power_of_ten (exponent) : value / power_of_ten (-exponent);
}

/* DIGITS × 10^EXPONENT as "%g" writes it with as many digits as there are. */
static char *
write_digits (guint64 digits, int exponent, char *at)
{
  char text[24];
  int n, leading;

  for (; digits % 10 == 0; exponent++)
    digits /= 10;
  n = g_snprintf (text, sizeof text, "%" G_GUINT64_FORMAT, digits);
  leading = exponent + n - 1; /* power of ten of the first digit */
  if (leading < -4 || leading >= n)
    {
      *at++ = text[0];
      if (n > 1)
        *at++ = '.';
      memcpy (at, text + 1, (gsize) n - 1);
      at += n - 1;
      return at + g_snprintf (at, 8, "e%c%02d", leading < 0 ? '-' : '+', ABS (leading));
    }
  if (leading < 0)
    {
      memcpy (at, "0.", 2);
      memset (at + 2, '0', (gsize) (-leading - 1));
      at += 1 - leading;
      memcpy (at, text, (gsize) n);
      return at + n;
    }
  memcpy (at, text, (gsize) leading + 1);
  at += leading + 1;
  if (n > leading + 1)
    {
      *at++ = '.';
      memcpy (at, text + leading + 1, (gsize) (n - leading - 1));
      at += n - leading - 1;
    }
  return at;
}

/* A normal, positive @value. Tries the nearest decimals of 6 to 9 digits. FALSE: one of them is too
 * close to the limits of the numbers that read back as @value. */
static gboolean
format_float32 (float value, char **at)
{
  const float next = nextafterf (value, INFINITY);
  const long double exact = value, low = (exact + nextafterf (value, 0)) / 2,
                    high = (exact + next) / 2, doubt = exact * DOUBT;
  const int leading = (int) floor (log10 ((double) value));

  for (int n = FLT_DIG; n <= FLT_DECIMAL_DIG && isfinite (next); n++)
    {
      const long double digits = rintl (scale (exact, n - 1 - leading)),
                        decimal = scale (digits, leading - n + 1);

      if (fabsl (decimal - low) <= doubt || fabsl (decimal - high) <= doubt)
        return FALSE;
      if (decimal > low && decimal < high)
        {
          *at = write_digits ((guint64) digits, leading - n + 1, *at);
          return TRUE;
        }
    }
  return FALSE;
}

#else

static gboolean
format_float32 (float value, char **at)
{
  return FALSE;
}

#endif

/* ---- numbers ------------------------------------------------------------- */

/* "100000", not "1e+05" */
static gsize
format_whole (double value, char *buffer)
{
  gint64 whole = (gint64) value;

  if (whole == 0 && signbit (value))
    return (gsize) g_snprintf (buffer, SONDE_DECIMAL_BUFFER, "-0");
  return (gsize) g_snprintf (buffer, SONDE_DECIMAL_BUFFER, "%" G_GINT64_FORMAT, whole);
}

gsize
sonde_decimal_format (SondeDtype dtype, double value, char *buffer)
{
  char *at = buffer;

  if (isnan (value) || isinf (value))
    return g_strlcpy (buffer,
                      isnan (value) ? "nan"
                      : value > 0   ? "inf"
                                    : "-inf",
                      SONDE_DECIMAL_BUFFER);
  if (fabs (value) < 1e15 && value == rint (value))
    return format_whole (value, buffer);
  if (value < 0)
    *at++ = '-';
  if (dtype == SONDE_DTYPE_F32 && !is_subnormal (dtype, value)
      && format_float32 ((float) fabs (value), &at))
    {
      *at = '\0';
      return (gsize) (at - buffer);
    }
  format_by_trial (dtype, value, buffer);
  return strlen (buffer);
}
