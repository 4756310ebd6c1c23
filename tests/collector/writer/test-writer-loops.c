/* SPDX-License-Identifier: Apache-2.0
 * Every call that the writer makes fails once, and from then on, for two reasons: opening, each
 * write (half of it arrives), fsync, cutting off, making folders. What sync acknowledged is in the
 * file, no step is there twice or wrong, and closing says it when one is missing. */
#include <errno.h>
#include <math.h>

#include "collector/writer/sonde-summary-writer.h"
#include "data/base/sonde-error.h"
#include "tests/collector/writer/run-folder.h"
#include "tests/support/sonde-test-faults.h"

#define N_STEPS 14
#define N_AFTER 4

typedef struct
{
  gint64 acknowledged; /* the last step that sync returned for */
  gboolean complete;   /* closing had nothing to say */
} Outcome;

static gboolean
add_steps (SondeSummaryWriter *writer, gint64 first, guint n, Outcome *outcome)
{
  gboolean right = TRUE;

  for (gint64 step = first; step < first + n; step++)
    {
      const SondeScalar scalars[]
          = { { "loss", sqrt ((double) step) }, { "rate", (double) -step } };

      sonde_summary_writer_add_scalars (writer, step, scalars, 2);
      if (step % 3 == 1)
        sonde_summary_writer_add_text (writer, "text", step, "words that make it longer");
      if (step % 5 == 2)
        sonde_summary_writer_flush (writer);
      if (step % 4 != 3)
        continue;
      right = sonde_summary_writer_sync (writer, NULL);
      if (right)
        outcome->acknowledged = step;
    }
  return right;
}

static void
check_file (const char *path, const Outcome *outcome)
{
  guint n_torn;
  g_autoptr (GPtrArray) records = read_records (path, &n_torn);
  guint seen[N_STEPS + N_AFTER] = { 0 };

  for (guint i = 0; i < records->len; i++)
    {
      const SondeRecord *record = records->pdata[i];

      if (record->kind != SONDE_RECORD_SCALARS)
        continue;
      g_assert_cmpint (record->step, >=, 0);
      g_assert_cmpint (record->step, <, N_STEPS + N_AFTER);
      g_assert_cmpfloat (record->u.scalars.items[0].value, ==, sqrt ((double) record->step));
      g_assert_cmpuint (seen[record->step]++, ==, 0);
    }
  for (gint64 step = 0; step <= outcome->acknowledged; step++)
    if (seen[step] == 0)
      g_error ("step %" G_GINT64_FORMAT " of %" G_GINT64_FORMAT " acknowledged ones is missing",
               step, outcome->acknowledged);
  for (guint step = 0; outcome->complete && step < G_N_ELEMENTS (seen); step++)
    g_assert_cmpuint (seen[step], ==, 1);
}

static void
record_once (gpointer data)
{
  const SondeSummaryWriterOptions options = { .io = sonde_test_faults_io () };
  Outcome outcome = { .acknowledged = -1 };
  g_autoptr (GError) error = NULL;
  g_autofree char *path = NULL;
  SondeSummaryWriter *writer;
  gboolean struck;
  RunFolder run;

  run_folder_init (&run);
  writer = sonde_summary_writer_open (run.run, &options, &error);
  if (writer == NULL)
    {
      g_assert_true (sonde_test_faults_end ());
      g_assert_nonnull (error);
      run_folder_clear (&run);
      return;
    }
  path = g_strdup (sonde_summary_writer_get_path (writer));
  add_steps (writer, 0, N_STEPS, &outcome);
  struck = sonde_test_faults_end ();
  /* it goes on when the fault is gone */
  g_assert_true (add_steps (writer, N_STEPS, N_AFTER, &outcome));
  outcome.complete = sonde_summary_writer_close (writer, &error);
  g_assert_true (outcome.complete == (error == NULL));
  g_assert_true (outcome.complete || struck);
  check_file (path, &outcome);
  run_folder_clear (&run);
}

static void
test_loop (gconstpointer data)
{
  sonde_test_faults_set_errno (GPOINTER_TO_INT (data));
  g_assert_cmpuint (sonde_test_faults_loop (SONDE_TEST_FAULT_IO, record_once, NULL), >, 10);
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_data_func ("/collector/writer/loops/full", GINT_TO_POINTER (ENOSPC), test_loop);
  g_test_add_data_func ("/collector/writer/loops/broken", GINT_TO_POINTER (EIO), test_loop);
  return g_test_run ();
}
