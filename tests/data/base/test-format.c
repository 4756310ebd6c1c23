/* SPDX-License-Identifier: Apache-2.0 */
#include "data/base/sonde-format.h"

#include <math.h>

static void
test_numbers (void)
{
  static const struct
  {
    double value;
    const char *text;
  } cases[] = {
    { 0, "0" },
    { 0.012345, "0.01235" },
    { 1.5, "1.5" },
    { 12350000, "12.35 M" },
    { 3.1e-7, "3.1e-07" },
    { -1234, "-1234" },
    { 9999, "9999" },
    { 10000, "10 k" },
    { 999999, "1 M" },
    { 1e18, "1e+18" },
    { NAN, "nan" },
    { INFINITY, "inf" },
    { -INFINITY, "-inf" },
    { 100, "100" },
    { 0.1, "0.1" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *text = sonde_format_number (cases[i].value);
      g_assert_cmpstr (text, ==, cases[i].text);
    }
}

/* The same numbers in each style. */
static void
test_styles (void)
{
  static const struct
  {
    SondeNumberStyle style;
    double value;
    const char *text;
  } cases[] = {
    { { 6, SONDE_NOTATION_AUTOMATIC, SONDE_GROUPING_COMMA }, 0.0123456789, "0.0123457" },
    { { 6, SONDE_NOTATION_AUTOMATIC, SONDE_GROUPING_COMMA }, 12345678, "12.3457 M" },
    { { 6, SONDE_NOTATION_AUTOMATIC, SONDE_GROUPING_COMMA }, 1.5, "1.5" },
    { { 3, SONDE_NOTATION_AUTOMATIC, SONDE_GROUPING_COMMA }, 0.98765, "0.988" },
    { { 4, SONDE_NOTATION_PLAIN, SONDE_GROUPING_COMMA }, 12345678, "12345678" },
    { { 4, SONDE_NOTATION_PLAIN, SONDE_GROUPING_COMMA }, 0.000031, "0.000031" },
    { { 4, SONDE_NOTATION_PLAIN, SONDE_GROUPING_COMMA }, 3.1e-12, "3.1e-12" },
    { { 4, SONDE_NOTATION_PLAIN, SONDE_GROUPING_COMMA }, 1e20, "1e+20" },
    { { 5, SONDE_NOTATION_SCIENTIFIC, SONDE_GROUPING_COMMA }, 0.0123456, "1.2346e-02" },
    { { 5, SONDE_NOTATION_SCIENTIFIC, SONDE_GROUPING_COMMA }, NAN, "nan" },
  };
  static const char *const counts[] = { "1,200,000", "1\u202f200\u202f000", "1200000" };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *text = NULL;

      sonde_format_set_style (&cases[i].style);
      text = sonde_format_number (cases[i].value);
      g_assert_cmpstr (text, ==, cases[i].text);
    }
  for (int i = 0; i < 3; i++)
    {
      g_autofree char *text = NULL, *bytes = NULL;

      sonde_format_set_style (&(SondeNumberStyle){ 9, SONDE_NOTATION_PLAIN, (SondeGrouping) i });
      text = sonde_format_count (1200000);
      g_assert_cmpstr (text, ==, counts[i]);
      bytes = sonde_format_bytes (1536);
      g_assert_cmpstr (bytes, ==, "1.5 KiB");
    }
  sonde_format_set_style (&(SondeNumberStyle){ 99, (SondeNotation) 7, (SondeGrouping) 7 });
  g_assert_cmpint (sonde_format_get_style ().digits, ==, 9);
  g_assert_cmpint (sonde_format_get_style ().grouping, ==, SONDE_GROUPING_NONE);
  sonde_format_set_style (&SONDE_NUMBER_STYLE_DEFAULT);
  test_numbers ();
}

static void
test_exact (void)
{
  GRand *random = g_rand_new_with_seed (5);

  for (int i = 0; i < 5000; i++)
    {
      double value = ldexp (g_rand_double (random), g_rand_int_range (random, -300, 300));
      g_autofree char *text = sonde_format_exact (value);
      g_assert_true (g_ascii_strtod (text, NULL) == value);
    }
  g_rand_free (random);
}

static void
test_others (void)
{
  static const struct
  {
    char *(*format) (gint64);
    gint64 value;
    const char *text;
  } cases[] = {
    { sonde_format_count, 1200000, "1,200,000" },
    { sonde_format_count, -999, "-999" },
    { sonde_format_count, G_MININT64, "-9,223,372,036,854,775,808" },
    { sonde_format_duration, 350, "350 ns" },
    { sonde_format_duration, 12300000, "12.3 ms" },
    { sonde_format_duration, G_GINT64_CONSTANT (123000000000), "2 min 3 s" },
    { sonde_format_duration, G_GINT64_CONSTANT (3900000000000), "1 h 5 min" },
    { sonde_format_ago, G_GINT64_CONSTANT (12000000000), "12 s ago" },
  };
  g_autofree char *bytes = sonde_format_bytes (1536), *small = sonde_format_bytes (512);

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *text = cases[i].format (cases[i].value);
      g_assert_cmpstr (text, ==, cases[i].text);
    }
  g_assert_cmpstr (bytes, ==, "1.5 KiB");
  g_assert_cmpstr (small, ==, "512 B");
}

static void
test_clock (void)
{
  g_autoptr (GTimeZone) zone = g_time_zone_new_identifier ("Europe/Berlin");
  g_autofree char *text = sonde_format_clock (G_GINT64_CONSTANT (1774737000123456789), zone);

  g_assert_cmpstr (text, ==, "2026-03-28 23:30:00");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/data/base/format/numbers", test_numbers);
  g_test_add_func ("/data/base/format/styles", test_styles);
  g_test_add_func ("/data/base/format/exact", test_exact);
  g_test_add_func ("/data/base/format/others", test_others);
  g_test_add_func ("/data/base/format/clock", test_clock);
  return g_test_run ();
}
