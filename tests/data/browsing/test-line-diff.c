/* SPDX-License-Identifier: Apache-2.0
 * Differences of sequences, lines and words: applied they give the other text, they are as few as dynamic programming
 * finds and as diff(1) writes. */
#include <glib/gstdio.h>
#include <string.h>

#include "data/browsing/sonde-line-diff.h"

#define MAX_LENGTH 120

/* Hunks ascend, never touch, and what lies between them is equal. */
static guint
check_script (const guint *a, guint n_a, const guint *b, guint n_b, const GArray *hunks)
{
  guint at = 0, bt = 0, n_edits = 0;

  for (guint i = 0; i <= hunks->len; i++)
    {
      SondeDiffHunk end = { .a = n_a, .b = n_b };
      const SondeDiffHunk *hunk = i < hunks->len ? &g_array_index (hunks, SondeDiffHunk, i) : &end;

      g_assert_cmpuint (hunk->a, >=, at);
      g_assert_cmpuint (hunk->a - at, ==, hunk->b - bt);
      g_assert_true (i == 0 || i == hunks->len || hunk->a > at);
      for (; at < hunk->a; at++, bt++)
        g_assert_cmpuint (a[at], ==, b[bt]);
      at = hunk->a + hunk->n_a;
      bt = hunk->b + hunk->n_b;
      n_edits += hunk->n_a + hunk->n_b;
    }
  g_assert_cmpuint (at, ==, n_a);
  g_assert_cmpuint (bt, ==, n_b);
  return n_edits;
}

/* The fewest edits, by the length of the longest common subsequence. */
static guint
count_fewest (const guint *a, guint n_a, const guint *b, guint n_b)
{
  guint longest[MAX_LENGTH + 1][MAX_LENGTH + 1] = { 0 };

  for (guint i = 1; i <= n_a; i++)
    for (guint j = 1; j <= n_b; j++)
      longest[i][j] = a[i - 1] == b[j - 1] ? longest[i - 1][j - 1] + 1
                                           : MAX (longest[i - 1][j], longest[i][j - 1]);
  return n_a + n_b - 2 * longest[n_a][n_b];
}

static void
test_fewest (void)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (20);

  for (int round = 0; round < 2000; round++)
    {
      guint a[MAX_LENGTH], b[MAX_LENGTH];
      const guint n_a = (guint) g_rand_int_range (rand, 0, round % 2 ? MAX_LENGTH : 9),
                  n_b = (guint) g_rand_int_range (rand, 0, round % 2 ? MAX_LENGTH : 9),
                  n_words = (guint) g_rand_int_range (rand, 1, 12);
      g_autoptr (GArray) hunks = NULL;

      for (guint i = 0; i < n_a; i++)
        a[i] = (guint) g_rand_int_range (rand, 0, (int) n_words);
      for (guint i = 0; i < n_b; i++)
        b[i] = (guint) g_rand_int_range (rand, 0, (int) n_words);
      hunks = sonde_diff_find (a, n_a, b, n_b);
      g_assert_cmpuint (check_script (a, n_a, b, n_b, hunks), ==, count_fewest (a, n_a, b, n_b));
    }
}

/* Nothing in common, or little, in sequences too long for all edits to be tried: still a script. */
static void
test_long (void)
{
  const guint n = 60000;
  g_autofree guint *a = g_new (guint, n), *b = g_new (guint, n);
  g_autoptr (GRand) rand = g_rand_new_with_seed (7);

  for (guint n_words = 2; n_words <= 200000; n_words *= 100)
    {
      g_autoptr (GArray) hunks = NULL;

      for (guint i = 0; i < n; i++)
        {
          a[i] = (guint) g_rand_int_range (rand, 0, (int) n_words);
          b[i] = (guint) g_rand_int_range (rand, 0, (int) n_words);
        }
      hunks = sonde_diff_find (a, n, b, n);
      check_script (a, n, b, n, hunks);
    }
}

static const char first[] = "a\nb\nc\nd\ne\nf\ng\nh\ni\nj\nk\nl\nm\nn\n",
                  second[] = "a\nB\nc\nd\ne\nf\ng\nh\ni\nj\nj2\nk\nl\nn\n";

static void
test_lines (void)
{
  g_autoptr (SondeLineDiff) diff = sonde_line_diff_new (first, second);
  g_autoptr (SondeLineDiff) same = sonde_line_diff_new ("x", "x\n");
  g_autoptr (SondeLineDiff) bytes = sonde_line_diff_new ("\xff\n", "");
  g_autofree char *nothing = sonde_line_diff_format (same, "a", "b");
  guint removed, added;

  g_assert_cmpuint (sonde_line_diff_get_hunks (diff)->len, ==, 3);
  sonde_line_diff_count (diff, &removed, &added);
  g_assert_cmpuint (removed, ==, 2);
  g_assert_cmpuint (added, ==, 2);
  g_assert_cmpstr (sonde_line_diff_get_line (diff, 1, 10), ==, "j2");
  g_assert_false (sonde_line_diff_is_cut (diff));
  g_assert_cmpuint (sonde_line_diff_get_hunks (same)->len, ==, 0);
  g_assert_cmpstr (nothing, ==, "");
  g_assert_cmpstr (sonde_line_diff_get_line (bytes, 0, 0), ==, "\xef\xbf\xbd");
  g_assert_cmpuint (sonde_line_diff_get_n_lines (bytes, 1), ==, 0);
}

/* What diff(1) says of the same files. */
static void
test_program (void)
{
  g_autofree char *folder = g_dir_make_tmp ("sonde-diff-XXXXXX", NULL);
  g_autofree char *a = g_build_filename (folder, "a", NULL),
                  *b = g_build_filename (folder, "b", NULL);
  const char *const arguments[] = { "diff", "-u", "--label", "one", "--label", "two", a, b, NULL };
  const char *const pairs[][2]
      = { { first, second }, { second, first }, { "", "x\ny\n" }, { "x\n", "" } };

  for (gsize i = 0; i < G_N_ELEMENTS (pairs); i++)
    {
      g_autoptr (SondeLineDiff) diff = sonde_line_diff_new (pairs[i][0], pairs[i][1]);
      g_autofree char *ours = sonde_line_diff_format (diff, "one", "two"), *theirs = NULL;
      g_autoptr (GError) error = NULL;

      g_assert_true (g_file_set_contents (a, pairs[i][0], -1, NULL));
      g_assert_true (g_file_set_contents (b, pairs[i][1], -1, NULL));
      g_spawn_sync (NULL, (char **) arguments, NULL, G_SPAWN_SEARCH_PATH, NULL, NULL, &theirs, NULL,
                    NULL, &error);
      g_assert_no_error (error);
      g_assert_cmpstr (ours, ==, theirs);
    }
  g_unlink (a);
  g_unlink (b);
  g_rmdir (folder);
}

static void
test_words (void)
{
  const char *one = "loss: 0.25, größe 3", *other = "loss: 0.5, größe 37!";
  g_autoptr (GArray) hunks = sonde_diff_find_words (one, other);
  const SondeDiffHunk *hunk = (const SondeDiffHunk *) (const void *) hunks->data;

  g_assert_cmpuint (hunks->len, ==, 2);
  g_assert_cmpuint (hunk[0].a, ==, 8);
  g_assert_cmpuint (hunk[0].n_a, ==, 2);
  g_assert_cmpuint (hunk[0].n_b, ==, 1);
  g_assert_true (g_str_equal (one + hunk[1].a, "3"));
  g_assert_true (g_str_equal (other + hunk[1].b, "37!"));
}

static void
test_limits (void)
{
  GString *many = g_string_new (NULL);
  g_autoptr (SondeLineDiff) diff = NULL;

  for (int i = 0; i <= SONDE_LINE_DIFF_MAX_LINES; i++)
    g_string_append_printf (many, "%d\n", i);
  diff = sonde_line_diff_new (many->str, "");
  g_assert_true (sonde_line_diff_is_cut (diff));
  g_assert_cmpuint (sonde_line_diff_get_n_lines (diff, 0), ==, SONDE_LINE_DIFF_MAX_LINES);
  g_string_free (many, TRUE);
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/data/browsing/line-diff/fewest", test_fewest);
  g_test_add_func ("/data/browsing/line-diff/long", test_long);
  g_test_add_func ("/data/browsing/line-diff/lines", test_lines);
  g_test_add_func ("/data/browsing/line-diff/program", test_program);
  g_test_add_func ("/data/browsing/line-diff/words", test_words);
  g_test_add_func ("/data/browsing/line-diff/limits", test_limits);
  return g_test_run ();
}
