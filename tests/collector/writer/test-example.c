/* SPDX-License-Identifier: Apache-2.0
 * Runs examples/record-by-hand and record-plain and reads what they wrote. Their paths are the
 * first arguments. */
#include <math.h>
#include <string.h>

#include "tests/collector/writer/run-folder.h"

static void
test_record_by_hand (gconstpointer program)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GPtrArray) records = NULL;
  g_autofree char *path = NULL;
  g_autofree char *output = NULL;
  const SondeRecord *last = NULL;
  double loss = INFINITY;
  guint n = 0;
  int status;
  RunFolder run;

  run_folder_init (&run);
  {
    char *arguments[] = { (char *) program, run.run, NULL };

    g_assert_true (g_spawn_sync (NULL, arguments, NULL, G_SPAWN_DEFAULT, NULL, NULL, &output, NULL,
                                 &status, &error));
    g_assert_no_error (error);
  }
  g_assert_true (g_spawn_check_wait_status (status, NULL));
  g_assert_nonnull (strstr (output, "000001.sonde"));

  path = g_build_filename (run.run, "records", "000001.sonde", NULL);
  records = read_records (path, NULL);
  for (guint i = 0; i < records->len; i++)
    {
      const SondeRecord *record = records->pdata[i];

      if (record->kind != SONDE_RECORD_SCALARS)
        continue;
      g_assert_cmpint (record->step, ==, ++n);
      g_assert_cmpstr (record->u.scalars.items[0].tag, ==, "loss");
      g_assert_cmpfloat (record->u.scalars.items[0].value, <=, loss);
      loss = record->u.scalars.items[0].value;
      last = record;
    }
  g_assert_cmpuint (n, ==, 200);
  g_assert_cmpfloat_with_epsilon (last->u.scalars.items[1].value, 2, 0.1);
  g_assert_cmpfloat_with_epsilon (last->u.scalars.items[2].value, -1, 0.1);
  g_assert_cmpuint (count_kind (records, SONDE_RECORD_HISTOGRAM), ==, 10);
  g_assert_cmpuint (count_kind (records, SONDE_RECORD_IMAGE), ==, 10);
  g_assert_cmpuint (count_kind (records, SONDE_RECORD_HPARAMS), ==, 1);
  g_assert_cmpuint (
      sonde_histogram_count (find_kind (records, SONDE_RECORD_HISTOGRAM)->u.histogram), ==, 256);
  run_folder_clear (&run);
}

static void
test_record_plain (gconstpointer program)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GPtrArray) records = NULL;
  g_autofree char *path = NULL;
  double last = 0;
  int status;
  RunFolder run;

  run_folder_init (&run);
  {
    char *arguments[] = { (char *) program, run.run, NULL };

    g_assert_true (g_spawn_sync (NULL, arguments, NULL, G_SPAWN_STDOUT_TO_DEV_NULL, NULL, NULL,
                                 NULL, NULL, &status, &error));
    g_assert_no_error (error);
  }
  g_assert_true (g_spawn_check_wait_status (status, NULL));
  path = g_build_filename (run.run, "records", "000001.sonde", NULL);
  records = read_records (path, NULL);
  g_assert_cmpuint (count_kind (records, SONDE_RECORD_SCALARS), ==, 150);
  g_assert_cmpuint (count_kind (records, SONDE_RECORD_HISTOGRAM), ==, 15); /* by its policy */
  g_assert_cmpuint (count_kind (records, SONDE_RECORD_STATISTICS), ==, 150);
  g_assert_cmpuint (count_kind (records, SONDE_RECORD_IMAGE), ==, 3);
  g_assert_cmpuint (count_kind (records, SONDE_RECORD_PR_CURVE), ==, 1);
  g_assert_cmpstr (find_kind (records, SONDE_RECORD_NOTE)->u.tag_note.unit, ==, "nats");
  g_assert_cmpint (find_kind (records, SONDE_RECORD_HPARAMS)->u.hparams.items[0].type, ==,
                   SONDE_HPARAM_NUMBER);
  for (guint i = 0; i < records->len; i++)
    {
      const SondeRecord *record = records->pdata[i];

      if (record->kind == SONDE_RECORD_SCALARS)
        last = record->u.scalars.items[1].value;
    }
  g_assert_cmpfloat (last, >, 0.75);
  run_folder_clear (&run);
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_assert_cmpint (argc, >, 2);
  g_test_add_data_func ("/examples/record-by-hand", argv[1], test_record_by_hand);
  g_test_add_data_func ("/examples/record-plain", argv[2], test_record_plain);
  return g_test_run ();
}
