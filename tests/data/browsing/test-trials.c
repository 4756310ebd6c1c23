/* SPDX-License-Identifier: Apache-2.0
 * Runs as rows, what they say as columns: each number against the points and texts that were
 * written. */
#include <math.h>
#include <string.h>

#include "data/browsing/sonde-trial-export.h"
#include "tests/data/browsing/browsing-fixture.h"

typedef struct
{
  BrowsingFixture folder;
  SondeTrials *trials;
  guint n_changes;
} Fixture;

static void
add_trial (Fixture *fixture, const char *name, SondeHparam *items, gsize n, const double *losses)
{
  g_autoptr (SondeTestRun) run = browsing_fixture_begin_run (&fixture->folder, name);
  SondeRecord record = browsing_record (SONDE_RECORD_HPARAMS, "hparams", 0);

  record.u.hparams.part = SONDE_HPARAMS_VALUES;
  record.u.hparams.items = items;
  record.u.hparams.n = n;
  sonde_test_run_record (run, &record);
  for (int i = 0; i < 4; i++)
    sonde_test_run_scalars (run, i, "test/loss", losses[i], "test/accuracy", 1 - losses[i], NULL);
  sonde_test_run_flush (run);
}

static void
count (void *fixture)
{
  ((Fixture *) fixture)->n_changes++;
}

#define ITEM(Key, Text)                                                                            \
  {                                                                                                \
    .key = (char *) (Key), .text = (char *) (Text)                                                 \
  }

static const double losses[2][4] = { { 0.9, 0.125, 0.5, 0.25 }, { 0.8, 0.75, NAN, 0.5 } };

static void
init (Fixture *fixture)
{
  SondeHparam a[] = { ITEM ("learning_rate", "0.30000000000000004"),
                      ITEM ("train.learning-rate", "0.30000000000000004"),
                      ITEM ("optimiser", "sgd"),
                      ITEM ("seed", "1234567"),
                      ITEM ("model", "lenet"),
                      ITEM ("notes", "") };
  SondeHparam b[] = { ITEM ("learning_rate", "0.01"),    ITEM ("train.learning-rate", "0.01"),
                      ITEM ("optimiser", "adam, \"W\""), ITEM ("seed", "0.3"),
                      ITEM ("model", "lenet"),           ITEM ("notes", "") };

  *fixture = (Fixture){ 0 };
  browsing_fixture_init (&fixture->folder);
  add_trial (fixture, "a", a, G_N_ELEMENTS (a), losses[0]);
  add_trial (fixture, "b_1", b, G_N_ELEMENTS (b), losses[1]);
  browsing_fixture_settle (&fixture->folder);
  fixture->trials = sonde_trials_new (G_LIST_MODEL (fixture->folder.store), count, fixture);
  sonde_trials_update (fixture->trials);
  while (sonde_trials_is_busy (fixture->trials))
    g_main_context_iteration (NULL, TRUE);
}

static void
clear (Fixture *fixture)
{
  sonde_trials_free (fixture->trials);
  browsing_fixture_clear (&fixture->folder);
}

static GPtrArray *
collect (Fixture *fixture)
{
  return sonde_trial_columns_collect (sonde_trials_get_model (fixture->trials));
}

static void
assert_cell (Fixture *fixture, const SondeTrialColumn *column, guint row, const char *text,
             double number)
{
  g_autoptr (SondeTrial) trial
      = g_list_model_get_item (sonde_trials_get_model (fixture->trials), row);
  double found;
  g_autofree char *shown = sonde_trial_dup_text (trial, column, &found);

  g_assert_cmpstr (shown, ==, text);
  g_assert_true (isnan (number) ? isnan (found) : found == number);
}

/* What differs, what came out, what is the same; what says nothing is no column, and of two that
 * say the same the plainer one is usual. */
static void
test_columns (void)
{
  static const struct
  {
    const char *name;
    SondeTrialRank rank;
    const char *twin;
  } expected[] = {
    { "learning_rate", SONDE_TRIAL_DIFFERS, NULL },
    { "optimiser", SONDE_TRIAL_DIFFERS, NULL },
    { "seed", SONDE_TRIAL_DIFFERS, NULL },
    { "train.learning-rate", SONDE_TRIAL_DIFFERS, "learning_rate" },
    { "test/accuracy", SONDE_TRIAL_METRIC, NULL },
    { "test/loss", SONDE_TRIAL_METRIC, NULL },
    { "model", SONDE_TRIAL_SAME, NULL },
  };
  Fixture fixture;
  g_autoptr (GPtrArray) columns = NULL, again = NULL;

  init (&fixture);
  g_assert_cmpuint (fixture.n_changes, ==, 2);
  columns = collect (&fixture);
  g_assert_cmpuint (columns->len, ==, G_N_ELEMENTS (expected));
  for (guint i = 0; i < columns->len; i++)
    {
      const SondeTrialColumn *column = columns->pdata[i];

      g_assert_cmpstr (column->name, ==, expected[i].name);
      g_assert_cmpint (column->rank, ==, expected[i].rank);
      g_assert_cmpstr (column->twin, ==, expected[i].twin);
      g_assert_true (sonde_trial_column_is_usual (column)
                     == (column->twin == NULL && column->rank != SONDE_TRIAL_SAME));
    }
  again = collect (&fixture);
  g_assert_true (sonde_trial_columns_equal (columns, again));
  /* Nothing is read twice. */
  sonde_trials_update (fixture.trials);
  g_assert_false (sonde_trials_is_busy (fixture.trials));
  clear (&fixture);
}

static void
test_cells (void)
{
  Fixture fixture;
  g_autoptr (GPtrArray) columns = NULL;

  init (&fixture);
  columns = collect (&fixture);
  assert_cell (&fixture, columns->pdata[0], 0, "0.3", 0.30000000000000004);
  assert_cell (&fixture, columns->pdata[0], 1, "0.01", 0.01);
  assert_cell (&fixture, columns->pdata[1], 0, "sgd", NAN);
  assert_cell (&fixture, columns->pdata[2], 0, "1,234,567", 1234567);
  clear (&fixture);
}

/* Last, best, least, greatest, mean of the last three: against the points themselves. */
static void
test_statistics (void)
{
  static const struct
  {
    SondeTrialStatistic statistic;
    double loss[2], accuracy[2];
  } expected[] = {
    { SONDE_TRIAL_LAST, { 0.25, 0.5 }, { 0.75, 0.5 } },
    { SONDE_TRIAL_BEST, { 0.125, 0.5 }, { 0.875, 0.5 } },
    { SONDE_TRIAL_MIN, { 0.125, 0.5 }, { 1 - 0.9, 1 - 0.8 } },
    { SONDE_TRIAL_MAX, { 0.9, 0.8 }, { 0.875, 0.5 } },
    { SONDE_TRIAL_MEAN,
      { (0.125 + 0.5 + 0.25) / 3, (0.75 + 0.5) / 2 },
      { (0.875 + 0.5 + 0.75) / 3, (0.25 + 0.5) / 2 } },
  };
  Fixture fixture;
  g_autoptr (GPtrArray) columns = NULL;
  SondeTrialColumn *loss, *accuracy;

  init (&fixture);
  columns = collect (&fixture);
  accuracy = sonde_trial_columns_find (columns, "accuracy");
  loss = sonde_trial_columns_find (columns, "test/loss");
  for (guint i = 0; i < G_N_ELEMENTS (expected); i++)
    for (guint row = 0; row < 2; row++)
      {
        g_autoptr (SondeTrial) trial
            = g_list_model_get_item (sonde_trials_get_model (fixture.trials), row);

        loss->statistic = accuracy->statistic = expected[i].statistic;
        loss->n_last = accuracy->n_last = 3;
        g_assert_cmpfloat (sonde_trial_get_number (trial, loss), ==, expected[i].loss[row]);
        g_assert_cmpfloat (sonde_trial_get_number (trial, accuracy), ==, expected[i].accuracy[row]);
      }
  clear (&fixture);
}

static void
test_find (void)
{
  Fixture fixture;
  g_autoptr (GPtrArray) columns = NULL;

  init (&fixture);
  columns = collect (&fixture);
  g_assert_true (sonde_trial_columns_find (columns, "Learning-Rate") == columns->pdata[0]);
  g_assert_true (sonde_trial_columns_find (columns, "train.learning_rate") == columns->pdata[3]);
  g_assert_true (sonde_trial_columns_find (columns, "loss") == columns->pdata[5]);
  g_assert_null (sonde_trial_columns_find (columns, "rate"));
  g_assert_true (sonde_trial_less_is_better ("train/Loss"));
  g_assert_true (sonde_trial_less_is_better ("word-error"));
  g_assert_false (sonde_trial_less_is_better ("test/accuracy"));
  clear (&fixture);
}

static const char *
get_name (SondeTrial *trial, void *user_data)
{
  return sonde_run_get_name (sonde_trial_get_run (trial));
}

static void
test_export (void)
{
  Fixture fixture;
  g_autoptr (GPtrArray) columns = NULL, chosen = g_ptr_array_new ();
  g_autofree char *csv = NULL, *latex = NULL;
  SondeTrialColumn *loss;

  init (&fixture);
  columns = collect (&fixture);
  loss = sonde_trial_columns_find (columns, "loss");
  loss->statistic = SONDE_TRIAL_MIN;
  g_ptr_array_add (chosen, columns->pdata[0]);
  g_ptr_array_add (chosen, columns->pdata[1]);
  g_ptr_array_add (chosen, loss);
  csv = sonde_trials_export (sonde_trials_get_model (fixture.trials), chosen, SONDE_TRIAL_CSV,
                             get_name, NULL);
  g_assert_cmpstr (csv, ==,
                   "Run,learning_rate,optimiser,test/loss (min)\r\n"
                   "a,0.30000000000000004,sgd,0.125\r\n"
                   "b_1,0.01,\"adam, \"\"W\"\"\",0.5\r\n");
  latex = sonde_trials_export (sonde_trials_get_model (fixture.trials), chosen, SONDE_TRIAL_LATEX,
                               get_name, NULL);
  g_assert_cmpstr (latex, ==,
                   "\\begin{tabular}{lrlr}\n\\hline\n"
                   "Run & learning\\_rate & optimiser & test/loss (min) \\\\\n\\hline\n"
                   "a & 0.3 & sgd & 0.125 \\\\\n"
                   "b\\_1 & 0.01 & adam, \"W\" & 0.5 \\\\\n\\hline\n\\end{tabular}\n");
  clear (&fixture);
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/data/browsing/trials/columns", test_columns);
  g_test_add_func ("/data/browsing/trials/cells", test_cells);
  g_test_add_func ("/data/browsing/trials/statistics", test_statistics);
  g_test_add_func ("/data/browsing/trials/find", test_find);
  g_test_add_func ("/data/browsing/trials/export", test_export);
  return g_test_run ();
}
