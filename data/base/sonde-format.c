/* SPDX-License-Identifier: Apache-2.0 */
#include "data/base/sonde-format.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "data/base/sonde-text.h"

/* "1.500" -> "1.5", "2.000e-05" -> "2e-05" */
static char *
trim_zeros (char *text)
{
  char *exponent = strchr (text, 'e');
  char *end = exponent != NULL ? exponent : text + strlen (text);
  char *last = end;

  if (memchr (text, '.', end - text) == NULL)
    return text;
  while (last[-1] == '0')
    last--;
  if (last[-1] == '.')
    last--;
  memmove (last, end, strlen (end) + 1);
  return text;
}

/* ---- style --------------------------------------------------------------- */

/* One number, since threads read it: digits, notation and grouping, a byte each. */
static atomic_uint style_bits
    = 4 | SONDE_NOTATION_AUTOMATIC << 8 | (unsigned) SONDE_GROUPING_COMMA << 16;

void
sonde_format_set_style (const SondeNumberStyle *style)
{
  unsigned digits = (unsigned) CLAMP (style->digits, 3, 9);
  unsigned notation = MIN ((unsigned) style->notation, SONDE_NOTATION_SCIENTIFIC);
  unsigned grouping = MIN ((unsigned) style->grouping, SONDE_GROUPING_NONE);

  atomic_store (&style_bits, digits | notation << 8 | grouping << 16);
}

SondeNumberStyle
sonde_format_get_style (void)
{
  unsigned bits = atomic_load (&style_bits);

  return (SondeNumberStyle){ (int) (bits & 0xff), (SondeNotation) (bits >> 8 & 0xff),
                             (SondeGrouping) (bits >> 16) };
}

/* ---- numbers ------------------------------------------------------------- */

static char *
write_digits (double value, int significant)
{
  double magnitude = fabs (value);
  int digits = magnitude == 0 ? 1 : (int) floor (log10 (magnitude)) + 1;

  return trim_zeros (g_strdup_printf ("%.*f", MAX (significant - digits, 0), value));
}

/* Sizes and times have the unit that makes four digits enough. */
static char *
four_digits (double value)
{
  return write_digits (value, 4);
}

static char *
write_scientific (double value, int significant)
{
  return trim_zeros (g_strdup_printf ("%.*e", significant - 1, value));
}

char *
sonde_format_number (double value)
{
  static const struct
  {
    double size;
    const char *unit;
  } units[] = { { 1e3, "k" }, { 1e6, "M" }, { 1e9, "G" }, { 1e12, "T" } };
  const SondeNumberStyle style = sonde_format_get_style ();
  const double magnitude = fabs (value);

  if (isnan (value))
    return g_strdup ("nan");
  if (isinf (value))
    return g_strdup (value > 0 ? "inf" : "-inf");
  if (style.notation == SONDE_NOTATION_SCIENTIFIC
      || (magnitude != 0 && (magnitude < 1e-4 || magnitude >= 9.9995e14)
          && (style.notation == SONDE_NOTATION_AUTOMATIC || magnitude < 1e-8 || magnitude >= 1e15)))
    return write_scientific (value, style.digits);
  if (style.notation == SONDE_NOTATION_PLAIN)
    return write_digits (value, style.digits);
  if (magnitude < 9999.5)
    return write_digits (value, style.digits);
  for (gsize i = 0; i < G_N_ELEMENTS (units); i++)
    if (magnitude < 999.95 * units[i].size || i + 1 == G_N_ELEMENTS (units))
      {
        g_autofree char *digits = write_digits (value / units[i].size, style.digits);
        return g_strdup_printf ("%s %s", digits, units[i].unit);
      }
  g_assert_not_reached ();
}

char *
sonde_format_exact (double value)
{
  char text[G_ASCII_DTOSTR_BUF_SIZE];

  if (isnan (value))
    return g_strdup ("nan");
  if (isinf (value))
    return g_strdup (value > 0 ? "inf" : "-inf");
  for (int digits = 1; digits <= 17; digits++)
    {
      char format[] = "%.00g";

      format[2] = (char) ('0' + digits / 10);
      format[3] = (char) ('0' + digits % 10);
      g_ascii_formatd (text, sizeof text, format, value);
      if (g_ascii_strtod (text, NULL) == value)
        break;
    }
  return g_strdup (text);
}

char *
sonde_format_count (gint64 value)
{
  g_autofree char *digits
      = g_strdup_printf ("%" PRIu64, value < 0 ? -(guint64) value : (guint64) value);
  static const char *const separators[] = { ",", "\u202f", "" };
  const char *separator = separators[sonde_format_get_style ().grouping];
  GString *text = g_string_new (value < 0 ? "-" : NULL);
  gsize n = strlen (digits);

  for (gsize i = 0; i < n; i++)
    {
      if (i > 0 && (n - i) % 3 == 0)
        g_string_append (text, separator);
      g_string_append_c (text, digits[i]);
    }
  return g_string_free (text, FALSE);
}

char *
sonde_format_bytes (guint64 bytes)
{
  static const char *const units[] = { "KiB", "MiB", "GiB", "TiB", "PiB", "EiB" };
  g_autofree char *digits = NULL;
  double value = (double) bytes;
  int unit = -1;

  if (bytes < 1024)
    return g_strdup_printf ("%d B", (int) bytes);
  while (value >= 1023.95 && unit + 1 < (int) G_N_ELEMENTS (units))
    {
      value /= 1024;
      unit++;
    }
  digits = four_digits (value);
  return g_strdup_printf ("%s %s", digits, units[unit]);
}

char *
sonde_format_duration (gint64 ns)
{
  static const struct
  {
    double below, size;
    const char *unit;
  } units[] = { { 1e3, 1, "ns" }, { 1e6, 1e3, "µs" }, { 1e9, 1e6, "ms" }, { 60e9, 1e9, "s" } };
  double magnitude = fabs ((double) ns);
  gint64 seconds = llabs (ns / G_GINT64_CONSTANT (1000000000));
  const char *sign = ns < 0 ? "-" : "";

  for (gsize i = 0; i < G_N_ELEMENTS (units); i++)
    if (magnitude < units[i].below)
      {
        g_autofree char *digits = four_digits ((double) ns / units[i].size);
        return g_strdup_printf ("%s %s", digits, units[i].unit);
      }
  if (seconds < 3600)
    return g_strdup_printf (_ ("%s%d min %d s"), sign, (int) (seconds / 60), (int) (seconds % 60));
  if (seconds < 2 * 86400)
    return g_strdup_printf (_ ("%s%d h %d min"), sign, (int) (seconds / 3600),
                            (int) (seconds / 60 % 60));
  return g_strdup_printf (_ ("%s%d days %d h"), sign, (int) (seconds / 86400),
                          (int) (seconds / 3600 % 24));
}

char *
sonde_format_ago (gint64 ns)
{
  gint64 seconds = ns / G_GINT64_CONSTANT (1000000000);

  if (seconds < 5)
    return g_strdup (_ ("just now"));
  if (seconds < 60)
    return g_strdup_printf (_ ("%d s ago"), (int) seconds);
  if (seconds < 3600)
    return g_strdup_printf (_ ("%d min ago"), (int) (seconds / 60));
  if (seconds < 2 * 86400)
    return g_strdup_printf (_ ("%d h ago"), (int) (seconds / 3600));
  return g_strdup_printf (_ ("%d days ago"), (int) (seconds / 86400));
}

char *
sonde_format_clock (gint64 wall_ns, GTimeZone *zone)
{
  gint64 seconds = wall_ns / G_GINT64_CONSTANT (1000000000);
  g_autoptr (GDateTime) utc = g_date_time_new_from_unix_utc (seconds);
  g_autoptr (GDateTime) local = NULL;

  if (utc == NULL)
    return g_strdup ("?");
  local = zone != NULL ? g_date_time_to_timezone (utc, zone) : g_date_time_to_local (utc);
  return local != NULL ? g_date_time_format (local, "%Y-%m-%d %H:%M:%S") : g_strdup ("?");
}
