/* SPDX-License-Identifier: Apache-2.0
 * Which samples train and which test. */
#include "data/datasets/sonde-dataset.h"

#include "data/base/sonde-error.h"

#define DEFAULT_TEST_SHARE 5 /* one in five */

/* Samples from @begin up to, not including, @end; with a modulo only those of one part. */
typedef struct
{
  guint begin, end;
  guint modulo;
  gboolean test;
} Range;

static gboolean
in_range (const Range *range, guint sample)
{
  return range->modulo == 0 || (sample % range->modulo == range->modulo - 1) == range->test;
}

static guint
count_range (const Range *range)
{
  guint n = 0;

  for (guint i = range->begin; i < range->end; i++)
    n += in_range (range, i);
  return n;
}

/* The first @n of a range. */
static guint *
list_range (const Range *range, guint n)
{
  guint *samples = g_new (guint, MAX (n, 1));
  guint found = 0;

  for (guint i = range->begin; i < range->end && found < n; i++)
    {
      if (in_range (range, i))
        samples[found++] = i;
    }
  return samples;
}

static gboolean
check_count (gint64 wanted, guint present, gboolean of_test, GError **error)
{
  if (wanted <= present)
    return TRUE;
  if (of_test)
    sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_INVALID,
                     "%" PRIi64 " test samples are wanted, but there are %u for it", wanted,
                     present);
  else
    sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_INVALID,
                     "%" PRIi64 " training samples are wanted, but there are %u for it", wanted,
                     present);
  return FALSE;
}

/* Without parts of its own: first the training samples, then those of the test. */
static gboolean
cut_head (guint n, gint64 n_train, gint64 n_test, Range *train, Range *test, GError **error)
{
  if (n_train < 0 && n_test < 0)
    n_train = n - n / DEFAULT_TEST_SHARE;
  if (n_train < 0)
    n_train = n_test < n ? n - n_test : 0;
  if (!check_count (n_train, n, FALSE, error)
      || !check_count (n_test, n - (guint) n_train, TRUE, error))
    return FALSE;
  *train = (Range){ 0, (guint) n_train, 0, FALSE };
  *test = (Range){ (guint) n_train, n, 0, TRUE };
  return TRUE;
}

gboolean
sonde_dataset_split (SondeDataset *dataset, guint modulo, gint64 n_train, gint64 n_test,
                     SondeSplitPart *split, GError **error)
{
  Range train = { 0, dataset->n, modulo, FALSE };
  Range test = { 0, dataset->n, modulo, TRUE };
  guint n_train_present, n_test_present;

  *split = (SondeSplitPart){ 0 };
  if (modulo == 1)
    {
      sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_INVALID,
                       "a split modulo 1 leaves nothing to train on; 2 or more are needed");
      return FALSE;
    }
  if (modulo == 0 && dataset->test_begin >= 0)
    train.end = test.begin = (guint) dataset->test_begin;
  else if (modulo == 0 && dataset->klass->get_n_ready != NULL)
    test.begin = dataset->n; /* ready batches are all for training */
  else if (modulo == 0 && !cut_head (dataset->n, n_train, n_test, &train, &test, error))
    return FALSE;

  n_train_present = count_range (&train);
  n_test_present = count_range (&test);
  if (!check_count (n_train, n_train_present, FALSE, error)
      || !check_count (n_test, n_test_present, TRUE, error))
    return FALSE;
  split->n_train = n_train >= 0 ? (guint) n_train : n_train_present;
  split->n_test = n_test >= 0 ? (guint) n_test : n_test_present;
  split->train = list_range (&train, split->n_train);
  split->test = list_range (&test, split->n_test);
  return TRUE;
}

void
sonde_split_part_clear (SondeSplitPart *split)
{
  g_clear_pointer (&split->train, g_free);
  g_clear_pointer (&split->test, g_free);
  split->n_train = split->n_test = 0;
}
