/* SPDX-License-Identifier: Apache-2.0
 * Progress, rate and end of runs whose steps are 10 ms apart, and what they say of where they come from. */
#include <math.h>

#include "data/browsing/sonde-run-progress.h"
#include "tests/data/browsing/browsing-fixture.h"

typedef struct
{
  BrowsingFixture folder;
  SondeTrials *trials;
} Fixture;

#define ITEM(Key, Text)                                                                            \
  {                                                                                                \
    .key = (char *) (Key), .text = (char *) (Text)                                                 \
  }

static void
write_items (SondeTestRun *run, SondeRecordKind kind, const char *part, SondeHparam *items, gsize n)
{
  SondeRecord record
      = browsing_record (kind, kind == SONDE_RECORD_HPARAMS ? "hparams" : "lineage", 0);

  if (kind == SONDE_RECORD_HPARAMS)
    {
      record.u.hparams.part = SONDE_HPARAMS_VALUES;
      record.u.hparams.items = items;
      record.u.hparams.n = n;
    }
  else
    {
      record.u.lineage.part = (char *) part;
      record.u.lineage.items = items;
      record.u.lineage.n = n;
    }
  sonde_test_run_record (run, &record);
}

static void
write_steps (SondeTestRun *run, gint64 from, gint64 to)
{
  for (gint64 step = from; step <= to; step++)
    sonde_test_run_scalars (run, step, "loss", 1.0 / (double) (step + 1), NULL);
  sonde_test_run_flush (run);
}

/* @items: (nullable): hyper-parameters of a run with the steps @from … @to */
static void
init (Fixture *fixture, SondeHparam *items, gsize n, gint64 from, gint64 to)
{
  g_autoptr (SondeTestRun) run = NULL;

  browsing_fixture_init (&fixture->folder);
  run = browsing_fixture_begin_run (&fixture->folder, "a");
  if (items != NULL)
    write_items (run, SONDE_RECORD_HPARAMS, NULL, items, n);
  write_steps (run, from, to);
}

/* Once all is written: reads, and gives the progress of "a". */
static void
settle (Fixture *fixture, SondeRunProgress *progress)
{
  g_autoptr (SondeTrial) trial = NULL;

  browsing_fixture_settle (&fixture->folder);
  fixture->trials = sonde_trials_new (G_LIST_MODEL (fixture->folder.store), NULL, NULL);
  sonde_trials_update (fixture->trials);
  while (sonde_trials_is_busy (fixture->trials))
    g_main_context_iteration (NULL, TRUE);
  trial = g_list_model_get_item (sonde_trials_get_model (fixture->trials), 0);
  sonde_run_progress_get (browsing_fixture_find (&fixture->folder, "a"), trial, progress);
}

static SondeTrial *
get_trial (Fixture *fixture)
{
  g_autoptr (SondeTrial) trial
      = g_list_model_get_item (sonde_trials_get_model (fixture->trials), 0);

  return trial; /* the list keeps it */
}

static void
clear (Fixture *fixture)
{
  sonde_trials_free (fixture->trials);
  browsing_fixture_clear (&fixture->folder);
}

/* 250 of 1,000 steps at 100 a second: 7.5 s are left. */
static void
test_total (void)
{
  SondeHparam items[] = { ITEM ("trainer.max_steps", "1000"), ITEM ("warmup.steps", "10") };
  SondeRunProgress progress;
  Fixture fixture;

  init (&fixture, items, G_N_ELEMENTS (items), 1, 250);
  settle (&fixture, &progress);
  g_assert_cmpint (progress.step, ==, 250);
  g_assert_cmpint (progress.total_steps, ==, 1000);
  g_assert_cmpstr (progress.total_name, ==, "trainer.max_steps");
  g_assert_cmpfloat_with_epsilon (progress.fraction, 0.25, 1e-9);
  g_assert_cmpfloat_with_epsilon (progress.steps_per_second, 100, 1e-6);
  g_assert_cmpint (progress.remaining_ns, ==, 7500 * G_GINT64_CONSTANT (1000000));
  g_assert_cmpint (progress.epoch, ==, -1);
  clear (&fixture);
}

/* Steps that are counted from 0: after step 99 a hundred are done; the 51st opens the second epoch. */
static void
test_epochs (void)
{
  SondeHparam items[]
      = { ITEM ("num-epochs", "4"), ITEM ("steps_per_epoch", "50"), ITEM ("max_steps", "-1") };
  SondeRunProgress progress;
  Fixture fixture;

  init (&fixture, items, G_N_ELEMENTS (items), 0, 99);
  settle (&fixture, &progress);
  g_assert_cmpint (progress.step, ==, 100);
  g_assert_cmpint (progress.total_steps, ==, 200);
  g_assert_cmpstr (progress.total_name, ==, "num-epochs");
  g_assert_cmpint (progress.epoch, ==, 2);
  g_assert_cmpint (progress.epochs, ==, 4);
  clear (&fixture);
}

/* Nothing is made up: no total, one that the steps have passed, and a word that is no number. */
static void
test_unknown (void)
{
  SondeHparam passed[] = { ITEM ("max_steps", "20"), ITEM ("epochs", "many") };
  SondeRunProgress progress;
  Fixture fixture;

  init (&fixture, NULL, 0, 1, 30);
  settle (&fixture, &progress);
  g_assert_cmpint (progress.step, ==, 30);
  g_assert_cmpint (progress.total_steps, ==, -1);
  g_assert_true (isnan (progress.fraction));
  g_assert_cmpint (progress.remaining_ns, ==, -1);
  g_assert_cmpfloat_with_epsilon (progress.steps_per_second, 100, 1e-6);
  clear (&fixture);

  init (&fixture, passed, G_N_ELEMENTS (passed), 1, 30);
  settle (&fixture, &progress);
  g_assert_cmpint (progress.total_steps, ==, -1);
  g_assert_null (progress.total_name);
  g_assert_cmpint (progress.epochs, ==, -1);
  clear (&fixture);
}

/* The rate is that since the last resumption: the night in between does not count. */
static void
test_resumed (void)
{
  g_autoptr (SondeTestRun) run = NULL;
  SondeHparam items[] = { ITEM ("total_steps", "10000000") };
  SondeRunProgress progress;
  Fixture fixture;

  browsing_fixture_init (&fixture.folder);
  run = browsing_fixture_begin_run (&fixture.folder, "a");
  write_items (run, SONDE_RECORD_HPARAMS, NULL, items, 1);
  write_steps (run, 1, 40);
  sonde_test_run_next_session (run);
  /* Step numbers are times here: as if an hour had gone by. */
  write_steps (run, 360000, 360009);
  settle (&fixture, &progress);
  g_assert_cmpfloat_with_epsilon (progress.steps_per_second, 100, 1e-6);
  clear (&fixture);
}

/* What the environment says goes before parameters of that name, and is none of them. */
static void
test_facts (void)
{
  g_autoptr (SondeTestRun) run = NULL;
  SondeHparam parameters[]
      = { ITEM ("device", "gpu"), ITEM ("train.seed", "7"), ITEM ("data.seed", "1") };
  SondeHparam environment[] = { ITEM ("device", "cpu"), ITEM ("host", "walnut"),
                                ITEM ("git_commit", ""), ITEM ("total_steps", "30") };
  SondeRunProgress progress;
  SondeTrial *trial;
  Fixture fixture;

  browsing_fixture_init (&fixture.folder);
  run = browsing_fixture_begin_run (&fixture.folder, "a");
  write_items (run, SONDE_RECORD_HPARAMS, NULL, parameters, G_N_ELEMENTS (parameters));
  write_items (run, SONDE_RECORD_LINEAGE, "environment", environment, G_N_ELEMENTS (environment));
  write_steps (run, 1, 30);
  settle (&fixture, &progress);
  trial = get_trial (&fixture);
  g_assert_cmpstr (sonde_run_fact_get (trial, SONDE_RUN_FACT_DEVICE), ==, "cpu");
  g_assert_cmpstr (sonde_run_fact_get (trial, SONDE_RUN_FACT_HOST), ==, "walnut");
  g_assert_cmpstr (sonde_run_fact_get (trial, SONDE_RUN_FACT_SEED), ==, "7");
  g_assert_null (sonde_run_fact_get (trial, SONDE_RUN_FACT_COMMIT));
  g_assert_null (sonde_run_fact_get (trial, SONDE_RUN_FACT_COMMAND));
  g_assert_null (sonde_trial_get_parameter (trial, "host"));
  g_assert_cmpfloat (progress.fraction, ==, 1);
  g_assert_cmpint (progress.remaining_ns, ==, 0);
  clear (&fixture);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/data/browsing/run-progress/total", test_total);
  g_test_add_func ("/data/browsing/run-progress/epochs", test_epochs);
  g_test_add_func ("/data/browsing/run-progress/unknown", test_unknown);
  g_test_add_func ("/data/browsing/run-progress/resumed", test_resumed);
  g_test_add_func ("/data/browsing/run-progress/facts", test_facts);
  return g_test_run ();
}
