/* SPDX-License-Identifier: Apache-2.0
 * JSON that streams: every place where the buffer can cut it, every place where it can end; times that
 * a double cannot hold. */
#include <string.h>

#include <glib/gstdio.h>

#include "data/base/sonde-io.h"
#include "data/json/sonde-json-scanner.h"
#include "data/traces/sonde-trace-decimal.h"

#define BUFFER (1 << 20) /* what the scanner reads at once */

static const char document[] = "{\"name\" : \"a\\u00e9\\ud83d\\ude00\\n\\\"b\", "
                               "\"ts\":1795251874992994.123, \"list\": [1, [2,{}],"
                               " {\"x\":\"\\\\\"}], ,\"on\":true, \"none\":null,\"odd\":NaN ,}";

/* Reads @document through @scanner; what it says as one line. */
static char *
tell (SondeJsonScanner *scanner)
{
  g_autoptr (GString) told = g_string_new (NULL);
  gboolean first = TRUE;
  const char *bytes;
  gsize n;

  if (!sonde_json_scanner_take (scanner, '{'))
    return NULL;
  while (sonde_json_scanner_next (scanner, '}', &first))
    {
      SondeJsonKind kind;

      if (!sonde_json_scanner_take_key (scanner, &bytes, &n))
        return NULL;
      g_string_append_len (told, bytes, n);
      if (!sonde_json_scanner_take_value (scanner, &kind, &bytes, &n))
        return NULL;
      g_string_append_printf (told, " %d %.*s;", kind, (int) n, bytes != NULL ? bytes : "");
    }
  if (sonde_json_scanner_is_bad (scanner) || !sonde_json_scanner_is_at_end (scanner))
    return NULL;
  return g_strdup (told->str);
}

static void
test_bytes (void)
{
  g_autoptr (SondeJsonScanner) scanner
      = sonde_json_scanner_new_for_bytes (document, strlen (document));
  g_autofree char *told = tell (scanner);

  g_assert_cmpstr (told, ==,
                   "name 0 aé😀\n\"b;ts 1 1795251874992994.123;list 6 ;on 2 true;none 4 null;"
                   "odd 1 NaN;");
}

/* The end of the first buffer falls on every byte of the document. */
static void
test_cuts (void)
{
  const gsize n = strlen (document);
  g_autoptr (SondeJsonScanner) whole = sonde_json_scanner_new_for_bytes (document, n);
  g_autofree char *expected = tell (whole), *bytes = g_malloc (BUFFER + n), *path = NULL;
  g_autoptr (GError) error = NULL;
  int fd = g_file_open_tmp ("traces-XXXXXX", &path, &error);

  g_assert_no_error (error);
  memset (bytes, ' ', BUFFER + n);
  for (gsize before = 0; before <= n; before += 1)
    {
      g_autoptr (SondeJsonScanner) scanner = NULL;
      g_autofree char *told = NULL;

      memset (bytes + BUFFER - before, ' ', before);
      memcpy (bytes + BUFFER - before, document, n);
      g_assert_cmpint (pwrite (fd, bytes + BUFFER - before, n, BUFFER - before), ==, n);
      if (before == 0)
        g_assert_cmpint (pwrite (fd, bytes, BUFFER, 0), ==, BUFFER);
      g_assert_cmpint (ftruncate (fd, BUFFER - before + n), ==, 0);
      scanner = sonde_json_scanner_new (sonde_io_system (), fd, path);
      told = tell (scanner);
      g_assert_cmpstr (told, ==, expected);
    }
  g_close (fd, NULL);
  g_unlink (path);
}

/* A document that ends too early is bad wherever it ends. */
static void
test_ends (void)
{
  for (gsize n = 0; n < strlen (document); n++)
    {
      g_autofree char *part = g_strndup (document, n);
      g_autoptr (SondeJsonScanner) scanner = sonde_json_scanner_new_for_bytes (part, n);

      g_assert_null (tell (scanner));
    }
}

static void
test_bad (void)
{
  static const char *const documents[] = {
    "{\"a\" 1}",   "{\"a\":1 \"b\":2}", "{\"a\":01}",          "{\"a\":1.}",    "{\"a\":+1}",
    "{\"a\":yes}", "{\"a\":\"\\x\"}",   "{\"a\":\"\\u12g4\"}", "{\"a\":[1 2]}", "{\"a\":[}",
    "{a:1}",       "{\"a\":}",          "{\"a\":1} x",
  };

  for (guint i = 0; i < G_N_ELEMENTS (documents); i++)
    {
      g_autoptr (SondeJsonScanner) scanner
          = sonde_json_scanner_new_for_bytes (documents[i], strlen (documents[i]));

      g_test_message ("%s", documents[i]);
      g_assert_null (tell (scanner));
    }
}

/* ---- times --------------------------------------------------------------- */

static void
assert_time (const char *time, const char *duration, gint64 start_ns, gint64 end_ns)
{
  SondeTraceDecimal a, b;
  gint64 ns;

  g_assert_true (sonde_trace_decimal_parse (time, strlen (time), &a));
  g_assert_true (sonde_trace_decimal_parse (duration, strlen (duration), &b));
  g_assert_true (sonde_trace_decimal_round (&a, &ns));
  g_assert_cmpint (ns, ==, start_ns);
  g_assert_true (sonde_trace_decimal_round_sum (&a, &b, &ns));
  g_assert_cmpint (ns, ==, end_ns);
}

static void
test_times (void)
{
  static const char *const bad[] = { "",
                                     "-",
                                     ".5",
                                     "5.",
                                     "1 ",
                                     " 1",
                                     "1e",
                                     "0x10",
                                     "+1",
                                     "1e300",
                                     "9300000000000000",
                                     "-9300000000000000",
                                     "NaN" };
  SondeTraceDecimal decimal;

  assert_time ("1795251874992994.659", "3849.541", G_GINT64_CONSTANT (1795251874992994659),
               G_GINT64_CONSTANT (1795251874996844200));
  assert_time ("0.0005", "0.0005", 1, 1);
  assert_time ("-0.0005", "0", -1, -1);
  assert_time ("0.0004", "0.0004", 0, 1);
  assert_time ("-0.0004", "0.0002", 0, 0);
  assert_time ("-1.0006", "0.0004", -1001, -1000);
  assert_time ("1.5E1", "2e-3", 15000, 15002);
  assert_time ("-0.0005", "0.00000000000000001", -1, 0);
  assert_time ("0.0004999999999999995", "0.0000000000000000005", 0, 1);
  assert_time ("0.00000001e8", "1000000e-6", 1000, 2000);
  assert_time ("9223372036854774.5", "1", G_GINT64_CONSTANT (9223372036854774500),
               G_GINT64_CONSTANT (9223372036854775500));
  for (guint i = 0; i < G_N_ELEMENTS (bad); i++)
    g_assert_false (sonde_trace_decimal_parse (bad[i], strlen (bad[i]), &decimal));
  g_assert_true (sonde_trace_decimal_parse ("9223372036854775.8", 18, &decimal));
  g_assert_false (sonde_trace_decimal_round_sum (&decimal, &decimal, &(gint64){ 0 }));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/data/traces/scanner/bytes", test_bytes);
  g_test_add_func ("/data/traces/scanner/cuts", test_cuts);
  g_test_add_func ("/data/traces/scanner/ends", test_ends);
  g_test_add_func ("/data/traces/scanner/bad", test_bad);
  g_test_add_func ("/data/traces/scanner/times", test_times);
  return g_test_run ();
}
