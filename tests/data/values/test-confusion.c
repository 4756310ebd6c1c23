/* SPDX-License-Identifier: Apache-2.0
 * Walking over the cells of a confusion matrix that count something. */
#include "data/values/sonde-confusion.h"

/* Rows are true classes; the cells that count are 0, 2, 4, 7, 8. */
static const guint counts[] = { 5, 0, 1, 0, 6, 0, 0, 2, 7 };

static void
assert_walk (const guint *order, int direction, gboolean down, const gint64 *expected, guint n)
{
  g_autoptr (SondeConfusion) confusion = sonde_confusion_new_from_counts (counts, 3);
  gint64 cell = -1;

  for (guint i = 0; i < n; i++)
    {
      cell = sonde_confusion_find_next (confusion, order, cell, direction, down);
      g_assert_cmpint (cell, ==, expected[i]);
    }
}

static void
test_walk (void)
{
  static const guint plain[] = { 0, 1, 2 }, turned[] = { 2, 0, 1 };

  assert_walk (plain, 1, FALSE, (const gint64[]){ 0, 2, 4, 7, 8, -1 }, 6);
  assert_walk (plain, -1, FALSE, (const gint64[]){ 8, 7, 4, 2, 0, -1 }, 6);
  assert_walk (plain, 1, TRUE, (const gint64[]){ 0, 4, 7, 2, 8, -1 }, 6);
  /* Class 2 stands first, down and across. */
  assert_walk (turned, 1, FALSE, (const gint64[]){ 8, 7, 2, 0, 4, -1 }, 6);
}

static void
test_empty (void)
{
  static const guint none[4] = { 0 }, order[] = { 0, 1 };
  g_autoptr (SondeConfusion) confusion = sonde_confusion_new_from_counts (none, 2);

  g_assert_cmpint (sonde_confusion_find_next (confusion, order, -1, 1, FALSE), ==, -1);
  g_assert_cmpint (sonde_confusion_find_next (confusion, order, 3, -1, TRUE), ==, -1);
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/data/values/confusion/walk", test_walk);
  g_test_add_func ("/data/values/confusion/empty", test_empty);
  return g_test_run ();
}
