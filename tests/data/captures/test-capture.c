/* SPDX-License-Identifier: Apache-2.0
 * Capture files: what is written comes back bit for bit; what is damaged, cut, of another program
 * or of a later version is refused with a sentence. */
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "data/base/sonde-error.h"
#include "data/captures/sonde-capture-private.h"
#include "tests/support/sonde-test-run.h"
#include "tests/support/sonde-test-program.h"

static SondeTensor *
ramp (SondeDtype dtype, gint64 n)
{
  const SondeShape shape = { 1, { n } };
  SondeTensor *tensor = sonde_tensor_new (dtype, &shape);
  guint8 *bytes = tensor->data;

  for (gsize i = 0; i < sonde_tensor_n_bytes (tensor); i++)
    bytes[i] = (guint8) (i * 7 + i / 251);
  return tensor;
}

static SondeCapture *
make (void)
{
  g_autoptr (SondeCapture) capture = sonde_capture_new ();
  g_autoptr (SondeTensor) x = ramp (SONDE_DTYPE_F32, 100000), half = ramp (SONDE_DTYPE_F16, 3);
  g_autoptr (SondeTensor) none = ramp (SONDE_DTYPE_I64, 0);
  const SondeStatistics statistics = { .count = 4,
                                       .min = NAN,
                                       .max = INFINITY,
                                       .mean = -0.1,
                                       .std = 1e-300,
                                       .abs_mean = 0,
                                       .zeros = 1,
                                       .negatives = 2,
                                       .nan = 3,
                                       .pos_inf = 4,
                                       .neg_inf = 5 };

  capture->model = g_bytes_new ("onnx\0bytes", 10);
  capture->executed = TRUE;
  sonde_capture_set_fact (capture, "title", "lenet — “glyphs”");
  sonde_capture_set_fact (capture, "step", "17");
  sonde_capture_add_input (capture, "x", x);
  sonde_capture_add_input (capture, "none", none);
  sonde_capture_add_value (capture, "half", half, &statistics);
  sonde_capture_add_value (capture, "grad(w)", NULL, &statistics);
  sonde_capture_add_stop (capture, "break conv1 after if nan(x) > 0", TRUE);
  sonde_capture_add_stop (capture, "watch preset tensor_overflow", FALSE);
  return g_steal_pointer (&capture);
}

static void
check_tensor (SondeTensor *read, SondeTensor *written)
{
  g_assert_nonnull (read);
  g_assert_cmpint (read->dtype, ==, written->dtype);
  g_assert_true (sonde_shape_equal (&read->shape, &written->shape));
  g_assert_cmpmem (read->data, sonde_tensor_n_bytes (read), written->data,
                   sonde_tensor_n_bytes (written));
}

static void
check_number (double read, double written)
{
  if (isnan (written))
    g_assert_true (isnan (read));
  else
    g_assert_cmpfloat (read, ==, written);
}

static void
test_round_trip (void)
{
  char *folder = sonde_test_folder_new ();
  g_autofree char *path = g_build_filename (folder, "a.sondecap", NULL);
  g_autoptr (SondeCapture) written = make ();
  g_autoptr (SondeCapture) read = NULL;
  g_autoptr (GError) error = NULL;
  const SondeCaptureValue *half, *gradient;
  const SondeCaptureStop *stop;

  g_assert_false (sonde_capture_sniff (path));
  g_assert_true (sonde_capture_write (written, path, &error));
  g_assert_no_error (error);
  g_assert_true (sonde_capture_sniff (path));
  read = sonde_capture_read (path, &error);
  g_assert_no_error (error);
  g_assert_true (g_bytes_equal (read->model, written->model));
  g_assert_true (read->executed);
  g_assert_cmpstr (sonde_capture_get_fact (read, "title"), ==, "lenet — “glyphs”");
  g_assert_cmpstr (sonde_capture_get_fact (read, "step"), ==, "17");
  g_assert_null (sonde_capture_get_fact (read, "device"));
  check_tensor (sonde_capture_find_tensor (read, "x"), sonde_capture_find_tensor (written, "x"));
  check_tensor (sonde_capture_find_tensor (read, "none"),
                sonde_capture_find_tensor (written, "none"));
  check_tensor (sonde_capture_find_tensor (read, "half"),
                sonde_capture_find_tensor (written, "half"));
  g_assert_cmpuint (read->values->len, ==, 2);
  half = g_ptr_array_index (read->values, 0);
  gradient = g_ptr_array_index (read->values, 1);
  g_assert_null (gradient->tensor);
  g_assert_true (gradient->has_statistics);
  check_number (half->statistics.min, NAN);
  check_number (half->statistics.max, INFINITY);
  check_number (half->statistics.mean, -0.1);
  check_number (half->statistics.std, 1e-300);
  g_assert_cmpint (half->statistics.neg_inf, ==, 5);
  g_assert_cmpuint (read->stops->len, ==, 2);
  stop = g_ptr_array_index (read->stops, 0);
  g_assert_cmpstr (stop->command, ==, "break conv1 after if nan(x) > 0");
  g_assert_true (stop->enabled);
  g_assert_false (((SondeCaptureStop *) g_ptr_array_index (read->stops, 1))->enabled);
  sonde_test_folder_free (folder);
}

/* A model larger than a piece goes into several. */
static void
test_pieces (void)
{
  char *folder = sonde_test_folder_new ();
  g_autofree char *path = g_build_filename (folder, "a.sondecap", NULL);
  gsize length = SONDE_CAPTURE_PIECE + 12345;
  guint8 *bytes = g_malloc (length);
  g_autoptr (SondeCapture) written = sonde_capture_new (), read = NULL;
  g_autoptr (GError) error = NULL;

  for (gsize i = 0; i < length; i++)
    bytes[i] = (guint8) (i ^ (i >> 9));
  written->model = g_bytes_new_take (bytes, length);
  g_assert_true (sonde_capture_write (written, path, &error));
  read = sonde_capture_read (path, &error);
  g_assert_no_error (error);
  g_assert_true (g_bytes_equal (read->model, written->model));
  sonde_test_folder_free (folder);
}

/* ---- what is no capture -------------------------------------------------- */

static void
refused (const char *path, int code)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeCapture) capture = sonde_capture_read (path, &error);

  g_assert_null (capture);
  if (code >= 0)
    g_assert_error (error, SONDE_DATA_ERROR, code);
  g_assert_nonnull (error);
  g_assert_nonnull (strstr (error->message, path));
}

static void
execute (const char *path, const char *sql)
{
  sqlite3 *database;

  g_assert_cmpint (sqlite3_open (path, &database), ==, SQLITE_OK);
  g_assert_cmpint (sqlite3_exec (database, sql, NULL, NULL, NULL), ==, SQLITE_OK);
  sqlite3_close (database);
}

static void
test_others (void)
{
  static const struct
  {
    const char *sql;
    int code;
  } damages[] = {
    { "PRAGMA user_version = 2", SONDE_DATA_ERROR_UNSUPPORTED },
    { "PRAGMA application_id = 7", SONDE_DATA_ERROR_UNSUPPORTED },
    { "DROP TABLE stop", -1 },
    { "DROP TABLE stop; CREATE VIEW stop AS WITH RECURSIVE c (x) AS (SELECT 1 UNION ALL SELECT x + "
      "1 FROM c)"
      " SELECT 'run' AS command, x AS enabled FROM c WHERE x < 0",
      -1 },
    { "DELETE FROM blob WHERE id = 1", SONDE_DATA_ERROR_DAMAGED },
    { "UPDATE model SET bytes = 11", SONDE_DATA_ERROR_DAMAGED },
    { "INSERT INTO model SELECT * FROM model", SONDE_DATA_ERROR_DAMAGED },
    { "UPDATE blob SET piece = 1 WHERE id = 2", SONDE_DATA_ERROR_DAMAGED },
    { "UPDATE blob SET data = x'ffffffffffffffff'", -1 },
    { "UPDATE blob SET data = zeroblob (100) WHERE id = 2", -1 },
    { "UPDATE input SET tensor = 99", SONDE_DATA_ERROR_DAMAGED },
    { "UPDATE input SET tensor = -1", SONDE_DATA_ERROR_DAMAGED },
    { "UPDATE input SET name = x'ff00ff'", SONDE_DATA_ERROR_DAMAGED },
    { "UPDATE stop SET command = x'c328'", SONDE_DATA_ERROR_DAMAGED },
  };
  char *folder = sonde_test_folder_new ();
  g_autofree char *path = g_build_filename (folder, "a.sondecap", NULL),
                  *missing = g_build_filename (folder, "b", NULL);
  g_autoptr (SondeCapture) written = make ();

  refused (missing, SONDE_DATA_ERROR_NOT_FOUND);
  g_assert_true (g_file_set_contents (path, "SQLite format 3", -1, NULL));
  refused (path, -1);
  g_assert_false (sonde_capture_sniff (path));
  g_assert_true (g_file_set_contents (path, "", 0, NULL));
  refused (path, -1);
  for (gsize i = 0; i < G_N_ELEMENTS (damages); i++)
    {
      g_test_message ("%s", damages[i].sql);
      g_assert_true (sonde_capture_write (written, path, NULL));
      execute (path, damages[i].sql);
      refused (path, damages[i].code);
    }
  sonde_test_folder_free (folder);
}

/* Cut anywhere, bytes changed anywhere: read or refused, never worse; read means that what was read
 * has its form. */
static void
test_damage (void)
{
  char *folder = sonde_test_folder_new ();
  g_autofree char *path = g_build_filename (folder, "a.sondecap", NULL), *bytes = NULL;
  g_autoptr (SondeCapture) written = sonde_capture_new ();
  g_autoptr (SondeTensor) x = ramp (SONDE_DTYPE_F32, 300);
  g_autoptr (GRand) random = g_rand_new_with_seed (7);
  guint n_read = 0;
  gsize length;

  sonde_capture_add_input (written, "x", x);
  sonde_capture_set_fact (written, "step", "1");
  g_assert_true (sonde_capture_write (written, path, NULL));
  g_assert_true (g_file_get_contents (path, &bytes, &length, NULL));
  for (guint i = 0; i < 600; i++)
    {
      g_autofree char *copy = g_memdup2 (bytes, length);
      gsize cut = i % 3 == 0 ? (gsize) g_rand_int_range (random, 0, (gint32) length) : length;
      g_autoptr (SondeCapture) read = NULL;
      g_autoptr (GError) error = NULL;

      for (guint k = 0; i % 3 != 0 && k < 1 + i % 5; k++)
        copy[g_rand_int_range (random, 0, (gint32) length)] = (char) g_rand_int (random);
      g_assert_true (g_file_set_contents (path, copy, (gssize) cut, NULL));
      read = sonde_capture_read (path, &error);
      g_assert_true ((read == NULL) == (error != NULL));
      n_read += read != NULL;
      for (guint k = 0; read != NULL && k < read->inputs->len; k++)
        g_assert_true (g_utf8_validate (
            ((SondeCaptureValue *) g_ptr_array_index (read->inputs, k))->name, -1, NULL));
    }
  g_assert_cmpuint (n_read, >, 0);
  sonde_test_folder_free (folder);
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/data/captures/round-trip", test_round_trip);
  g_test_add_func ("/data/captures/pieces", test_pieces);
  g_test_add_func ("/data/captures/others", test_others);
  g_test_add_func ("/data/captures/damage", test_damage);
  return g_test_run ();
}
