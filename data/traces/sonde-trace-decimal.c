/* SPDX-License-Identifier: Apache-2.0 */
#include "data/traces/sonde-trace-decimal.h"

#include "data/base/sonde-checked.h"

#define ONE SONDE_TRACE_DECIMAL_ONE
#define REST_DIGITS 18
#define MICRO_DIGITS 3            /* from microseconds to nanoseconds */
#define EXPONENT_LIMIT 1000000000 /* more is as much */

/* A number as written: its digits without the point, where the point stands, and the power of ten. */
typedef struct
{
  gboolean negative;
  const char *whole, *fraction;
  gsize n_whole, n_fraction;
  gint64 exponent;
} Parts;

static const char *
skip_digits (const char *p, const char *end)
{
  while (p < end && g_ascii_isdigit (*p))
    p++;
  return p;
}

/* Returns what is behind the exponent; NULL when it is none. */
static const char *
parse_exponent (const char *p, const char *end, gint64 *exponent)
{
  gboolean negative = p < end && *p == '-';
  const char *first = p < end && (*p == '-' || *p == '+') ? p + 1 : p;

  for (p = first; p < end && g_ascii_isdigit (*p); p++)
    *exponent = MIN (*exponent * 10 + (*p - '0'), EXPONENT_LIMIT);
  if (negative)
    *exponent = -*exponent;
  return p > first ? p : NULL;
}

static gboolean
split (const char *text, gsize n, Parts *parts)
{
  const char *p = text, *end = text + n;

  parts->negative = n > 0 && *p == '-';
  parts->whole = parts->negative ? p + 1 : p;
  p = skip_digits (parts->whole, end);
  parts->n_whole = p - parts->whole;
  parts->fraction = p;
  parts->n_fraction = 0;
  parts->exponent = 0;
  if (p < end && *p == '.')
    {
      parts->fraction = p + 1;
      p = skip_digits (parts->fraction, end);
      parts->n_fraction = p - parts->fraction;
      if (parts->n_fraction == 0)
        return FALSE;
    }
  if (p < end && (*p == 'e' || *p == 'E'))
    p = parse_exponent (p + 1, end, &parts->exponent);
  return parts->n_whole > 0 && p == end;
}

/* The digit of weight 10^power microseconds. */
static guint
get_digit (const Parts *parts, gint64 power)
{
  gint64 i = (gint64) parts->n_whole - 1 - (power - parts->exponent);

  if (i < 0)
    return 0;
  if (i < (gint64) parts->n_whole)
    return parts->whole[i] - '0';
  i -= parts->n_whole;
  return i < (gint64) parts->n_fraction ? parts->fraction[i] - '0' : 0;
}

/* The power of ten of the first digit that is not 0; FALSE for 0. */
static gboolean
find_first_power (const Parts *parts, gint64 *power)
{
  for (gsize i = 0; i < parts->n_whole; i++)
    if (parts->whole[i] != '0')
      {
        *power = (gint64) (parts->n_whole - 1 - i) + parts->exponent;
        return TRUE;
      }
  for (gsize i = 0; i < parts->n_fraction; i++)
    if (parts->fraction[i] != '0')
      {
        *power = -1 - (gint64) i + parts->exponent;
        return TRUE;
      }
  return FALSE;
}

static gboolean
evaluate (const Parts *parts, SondeTraceDecimal *decimal)
{
  gint64 power, ns = 0, rest = 0;

  *decimal = (SondeTraceDecimal){ 0, 0 };
  if (!find_first_power (parts, &power))
    return TRUE;
  for (; power >= -MICRO_DIGITS; power--)
    if (!sonde_checked_mul (&ns, ns, 10) || !sonde_checked_add (&ns, ns, get_digit (parts, power)))
      return FALSE;
  for (power = -MICRO_DIGITS - 1; power >= -MICRO_DIGITS - REST_DIGITS; power--)
    rest = rest * 10 + get_digit (parts, power);
  decimal->ns = parts->negative ? -ns : ns;
  decimal->rest = parts->negative ? -rest : rest;
  return TRUE;
}

/* What profilers write: at most fifteen digits before the point and three behind it. */
static gboolean
parse_usual (const char *text, gsize n, SondeTraceDecimal *decimal)
{
  static const gint64 scale[] = { 1000, 100, 10, 1 };
  gboolean negative = n > 0 && *text == '-';
  gsize i = negative ? 1 : 0, first = i, n_fraction = 0;
  guint64 value = 0; /* of too many digits it is not used */

  if (n > 20)
    return FALSE;
  for (; i < n && (guchar) (text[i] - '0') < 10; i++)
    value = value * 10 + (text[i] - '0');
  if (i == first || i - first > 15)
    return FALSE;
  if (i < n && text[i] == '.')
    {
      for (i++; i < n && (guchar) (text[i] - '0') < 10; i++, n_fraction++)
        value = value * 10 + (text[i] - '0');
      if (n_fraction == 0 || n_fraction > MICRO_DIGITS)
        return FALSE;
    }
  decimal->ns = (gint64) value * (negative ? -scale[n_fraction] : scale[n_fraction]);
  decimal->rest = 0;
  return i == n;
}

gboolean
sonde_trace_decimal_parse (const char *text, gsize n, SondeTraceDecimal *decimal)
{
  Parts parts;
  gint64 power;

  if (parse_usual (text, n, decimal))
    return TRUE;
  if (!split (text, n, &parts))
    return FALSE;
  /* 10¹⁶ µs are beyond 2⁶³ ns */
  if (find_first_power (&parts, &power) && power > 15)
    return FALSE;
  return evaluate (&parts, decimal);
}

gboolean
sonde_trace_decimal_round (const SondeTraceDecimal *decimal, gint64 *ns)
{
  gint64 up = decimal->rest >= ONE / 2 ? 1 : decimal->rest <= -ONE / 2 ? -1 : 0;

  return sonde_checked_add (ns, decimal->ns, up) && *ns != G_MININT64;
}

gboolean
sonde_trace_decimal_round_sum (const SondeTraceDecimal *a, const SondeTraceDecimal *b, gint64 *ns)
{
  SondeTraceDecimal sum = { 0, a->rest + b->rest };
  gint64 carry = sum.rest / ONE;

  sum.rest -= carry * ONE;
  if (!sonde_checked_add (&sum.ns, a->ns, b->ns) || !sonde_checked_add (&sum.ns, sum.ns, carry))
    return FALSE;
  /* one sign */
  if (sum.ns > 0 && sum.rest < 0)
    sum = (SondeTraceDecimal){ sum.ns - 1, sum.rest + ONE };
  else if (sum.ns < 0 && sum.rest > 0)
    sum = (SondeTraceDecimal){ sum.ns + 1, sum.rest - ONE };
  return sonde_trace_decimal_round (&sum, ns);
}
