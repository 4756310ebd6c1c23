/* SPDX-License-Identifier: Apache-2.0
 * Errors from errno, budgets, checked arithmetic, clock. */
#include "data/base/sonde-budget.h"
#include "data/base/sonde-checked.h"
#include "data/base/sonde-clock.h"
#include "data/base/sonde-error.h"
#include "data/base/sonde-pair-hash.h"
#include "data/base/sonde-spare-memory.h"

#include <errno.h>
#include <string.h>

static void
test_errno (void)
{
  static const struct
  {
    int number;
    int code;
  } cases[] = {
    { ENOENT, SONDE_DATA_ERROR_NOT_FOUND }, { ENOSPC, SONDE_DATA_ERROR_NO_SPACE },
    { EDQUOT, SONDE_DATA_ERROR_NO_SPACE },  { EFBIG, SONDE_DATA_ERROR_NO_SPACE },
    { ELOOP, SONDE_DATA_ERROR_FORBIDDEN },  { EXDEV, SONDE_DATA_ERROR_FORBIDDEN },
    { EACCES, SONDE_DATA_ERROR_IO },        { EIO, SONDE_DATA_ERROR_IO },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (GError) error = NULL;

      sonde_data_error_set_errno (&error, cases[i].number, "cannot read “%s” at %d", "x.onnx", 7);
      g_assert_error (error, SONDE_DATA_ERROR, cases[i].code);
      g_assert_true (g_str_has_prefix (error->message, "cannot read “x.onnx” at 7: "));
      g_assert_nonnull (strstr (error->message, g_strerror (cases[i].number)));
    }
}

static void
test_budget (void)
{
  g_autoptr (GError) error = NULL;
  SondeBudget budget;

  sonde_budget_init (&budget, 100, "parse of “x.onnx”");
  g_assert_true (sonde_budget_take (&budget, 60, "a", &error));
  g_assert_false (sonde_budget_take (&budget, 41, "tensor “w1”", &error));
  g_assert_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_LIMIT);
  g_assert_nonnull (strstr (error->message, "tensor “w1”"));
  g_assert_nonnull (strstr (error->message, "parse of “x.onnx”"));
  g_clear_error (&error);
  g_assert_true (sonde_budget_take (&budget, 40, "b", &error)); /* the refusal took nothing */
  g_assert_false (sonde_budget_take (&budget, G_MAXUINT64, "c", &error));
  g_clear_error (&error);
  sonde_budget_give_back (&budget, 100);
  g_assert_true (sonde_budget_take (&budget, 100, "d", &error));
  g_assert_true (sonde_budget_take (NULL, G_MAXUINT64, "e", &error));
}

static void
test_try_alloc (void)
{
  g_autoptr (GError) error = NULL;
  SondeBudget budget;
  void *memory;

  sonde_budget_init (&budget, 10, "test");
  memory = sonde_try_alloc (&budget, 0, "nothing", &error);
  g_assert_nonnull (memory);
  g_free (memory);
  g_assert_null (sonde_try_alloc (&budget, 11, "much", &error));
  g_assert_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_LIMIT);
  g_clear_error (&error);
  g_assert_null (sonde_try_alloc (NULL, G_MAXUINT64, "everything", &error));
  g_assert_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_LIMIT);
}

static void *
take_often (void *data)
{
  SondeBudget *budget = data;
  guint granted = 0;

  for (int i = 0; i < 20000; i++)
    granted += sonde_budget_take (budget, 1, "one", NULL);
  return GUINT_TO_POINTER (granted);
}

static void
test_budget_threads (void)
{
  SondeBudget budget;
  GThread *threads[4];
  guint granted = 0;

  sonde_budget_init (&budget, 50000, "threads");
  for (int i = 0; i < 4; i++)
    threads[i] = g_thread_new ("taker", take_often, &budget);
  for (int i = 0; i < 4; i++)
    granted += GPOINTER_TO_UINT (g_thread_join (threads[i]));
  g_assert_cmpuint (granted, ==, 50000);
}

static void
test_checked (void)
{
  gint64 sum;
  gsize product;

  g_assert_true (sonde_checked_add (&sum, G_MAXINT64 - 1, 1));
  g_assert_cmpint (sum, ==, G_MAXINT64);
  g_assert_false (sonde_checked_add (&sum, G_MAXINT64, 1));
  g_assert_false (sonde_checked_sub (&sum, G_MININT64, 1));
  g_assert_false (sonde_checked_mul (&product, (gsize) 1 << 33, (gsize) 1 << 31));
  g_assert_true (sonde_checked_mul (&product, (gsize) 1 << 32, (gsize) 1 << 31));
}

static gint64
stand_still (const SondeClock *clock)
{
  return 42;
}

static void
test_clock (void)
{
  const SondeClock still = { .wall_ns = stand_still, .monotonic_ns = stand_still };
  gint64 before = sonde_clock_monotonic_ns (NULL);

  g_assert_cmpint (sonde_clock_monotonic_ns (sonde_clock_system ()), >=, before);
  g_assert_cmpint (ABS (sonde_clock_wall_ns (NULL) / 1000 - g_get_real_time ()), <,
                   60 * G_USEC_PER_SEC);
  g_assert_cmpint (sonde_clock_wall_ns (&still), ==, 42);
  g_assert_cmpint (sonde_clock_monotonic_ns (&still), ==, 42);
}

static gsize
resident_bytes (void)
{
  g_autofree char *text = NULL;
  char *rest;

  if (!g_file_get_contents ("/proc/self/statm", &text, NULL, NULL))
    return 0;
  g_ascii_strtoull (text, &rest, 10);
  return g_ascii_strtoull (rest, NULL, 10) * 4096;
}

/* Holes between what stays go back to the system; where there are none nothing is done. */
static void
test_return_memory (void)
{
  void *blocks[400];
  gsize before;

  g_assert_false (sonde_return_memory (G_MAXSIZE));
  for (gsize i = 0; i < G_N_ELEMENTS (blocks); i++)
    blocks[i] = memset (g_malloc (100000), 1, 100000);
  for (gsize i = 0; i < G_N_ELEMENTS (blocks); i += 2)
    g_free (blocks[i]);
  before = resident_bytes ();
  if (!sonde_return_memory (1 << 20) || before == 0)
    g_test_skip ("this C library does not say what it keeps");
  else
    g_assert_cmpuint (resident_bytes () + (12 << 20), <, before);
  for (gsize i = 1; i < G_N_ELEMENTS (blocks); i += 2)
    g_free (blocks[i]);
}

/* ---- hashes -------------------------------------------------------------- */

/* Keys that share one of their numbers spread over a table as well as random ones: 1 − 1/e of its places. */
static void
test_pair_hash (void)
{
  const guint n = 1 << 14;

  for (guint side = 0; side < 2; side++)
    {
      g_autofree gboolean *taken = g_new0 (gboolean, n);
      guint n_taken = 0;

      for (guint64 i = 0; i < n; i++)
        {
          guint64 key = side == 0 ? i << 32 | 7 : G_GUINT64_CONSTANT (7) << 32 | i;
          guint place = sonde_pair_hash (&key) % 16381; /* a prime, as GLib's tables take */

          n_taken += !taken[place];
          taken[place] = TRUE;
        }
      g_assert_cmpuint (n_taken, >, n / 2);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/data/base/error/errno", test_errno);
  g_test_add_func ("/data/base/budget/take", test_budget);
  g_test_add_func ("/data/base/budget/try-alloc", test_try_alloc);
  g_test_add_func ("/data/base/budget/threads", test_budget_threads);
  g_test_add_func ("/data/base/checked/limits", test_checked);
  g_test_add_func ("/data/base/clock/table", test_clock);
  g_test_add_func ("/data/base/return-memory", test_return_memory);
  g_test_add_func ("/data/base/pair-hash", test_pair_hash);
  return g_test_run ();
}
