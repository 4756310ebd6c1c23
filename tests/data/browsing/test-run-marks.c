/* SPDX-License-Identifier: Apache-2.0
 * What a person says of runs is kept in a file that several programs may write. */
#include "data/browsing/sonde-run-marks.h"

#include <string.h>

#include "tests/support/sonde-test-program.h"

#define RUN "/some where/lr=0.1/[a]"

static void
check (SondeRunMarks *marks, const char *run, SondeRunMark mark, const char *expected)
{
  g_assert_cmpstr (sonde_run_marks_get (marks, run, mark), ==, expected);
}

static void
save (SondeRunMarks *marks)
{
  g_autoptr (GError) error = NULL;

  g_assert_true (sonde_run_marks_save (marks, &error));
  g_assert_no_error (error);
}

static void
test_keep (void)
{
  g_autofree char *folder = sonde_test_folder_new ();
  g_autofree char *path = g_build_filename (folder, "below", "runs.ini", NULL), *text = NULL;
  g_autoptr (SondeRunMarks) marks = sonde_run_marks_new (path), again = NULL, third = NULL;

  check (marks, RUN, SONDE_RUN_MARK_NOTE, NULL);
  g_assert_true (sonde_run_marks_set (marks, RUN, SONDE_RUN_MARK_NOTE, "two\nlines; “three”"));
  g_assert_false (sonde_run_marks_set (marks, RUN, SONDE_RUN_MARK_NOTE, "two\nlines; “three”"));
  g_assert_false (sonde_run_marks_set (marks, "/b", SONDE_RUN_MARK_PIN, ""));
  g_assert_true (sonde_run_marks_set (marks, "/b", SONDE_RUN_MARK_PIN, "true"));
  save (marks);

  again = sonde_run_marks_new (path);
  check (again, RUN, SONDE_RUN_MARK_NOTE, "two\nlines; “three”");
  check (again, "/b", SONDE_RUN_MARK_PIN, "true");
  g_assert_true (sonde_run_marks_set (again, RUN, SONDE_RUN_MARK_NOTE, ""));
  g_assert_true (sonde_run_marks_set (again, "/b", SONDE_RUN_MARK_PIN, NULL));
  save (again);
  third = sonde_run_marks_new (path);
  check (third, RUN, SONDE_RUN_MARK_NOTE, NULL);
  /* Runs of which nothing is said leave no trace. */
  g_assert_true (g_file_get_contents (path, &text, NULL, NULL));
  g_assert_cmpstr (g_strstrip (text), ==, "");
  sonde_test_folder_free (g_steal_pointer (&folder));
}

static void
on_changed (SondeRunMarks *marks, gboolean *changed)
{
  *changed = TRUE;
}

/* Neither loses what the other saved, and it is told; which runs it shows is each one's own. */
static void
test_two_owners (void)
{
  g_autofree char *folder = sonde_test_folder_new ();
  g_autofree char *path = g_build_filename (folder, "runs.ini", NULL);
  g_autoptr (SondeRunMarks) first = sonde_run_marks_new (path), second = sonde_run_marks_new (path);
  g_autoptr (SondeRunMarks) third = NULL;
  gboolean told = FALSE;

  g_signal_connect (second, "changed", G_CALLBACK (on_changed), &told);
  sonde_run_marks_set (second, "/a", SONDE_RUN_MARK_TAGS, "keep");
  sonde_run_marks_set (first, "/a", SONDE_RUN_MARK_TITLE, "first");
  sonde_run_marks_set (first, "/a", SONDE_RUN_MARK_HIDDEN, "true");
  sonde_run_marks_set (first, "/a", SONDE_RUN_MARK_TAGS, "drop");
  save (first);
  while (!told)
    g_main_context_iteration (NULL, TRUE);
  check (second, "/a", SONDE_RUN_MARK_TITLE, "first");
  check (second, "/a", SONDE_RUN_MARK_HIDDEN, NULL);
  check (second, "/a", SONDE_RUN_MARK_TAGS, "keep"); /* not saved yet, and newer */
  save (second);
  third = sonde_run_marks_new (path);
  check (third, "/a", SONDE_RUN_MARK_TITLE, "first");
  check (third, "/a", SONDE_RUN_MARK_HIDDEN, "true");
  check (third, "/a", SONDE_RUN_MARK_TAGS, "keep");
  sonde_test_folder_free (g_steal_pointer (&folder));
}

static void
test_tags (void)
{
  static const struct
  {
    const char *text, *expected;
  } cases[] = {
    { "baseline, keep", "baseline|keep" },
    { "#baseline ##keep,,baseline\n", "baseline|keep" },
    { " , ", "" },
    { NULL, "" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_auto (GStrv) tags = sonde_run_marks_split_tags (cases[i].text);
      g_autofree char *joined = g_strjoinv ("|", tags);

      g_assert_cmpstr (joined, ==, cases[i].expected);
    }
}

/* A file that is none says nothing and is not in the way. */
static void
test_broken (void)
{
  g_autofree char *folder = sonde_test_folder_new ();
  g_autofree char *path = g_build_filename (folder, "runs.ini", NULL);
  g_autoptr (SondeRunMarks) marks = NULL, again = NULL;

  g_assert_true (g_file_set_contents (path, "\x01no key file\n[", -1, NULL));
  marks = sonde_run_marks_new (path);
  check (marks, "/a", SONDE_RUN_MARK_TITLE, NULL);
  sonde_run_marks_set (marks, "/a", SONDE_RUN_MARK_TITLE, "a name");
  save (marks);
  again = sonde_run_marks_new (path);
  check (again, "/a", SONDE_RUN_MARK_TITLE, "a name");
  sonde_test_folder_free (g_steal_pointer (&folder));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/data/browsing/run-marks/keep", test_keep);
  g_test_add_func ("/data/browsing/run-marks/two-owners", test_two_owners);
  g_test_add_func ("/data/browsing/run-marks/tags", test_tags);
  g_test_add_func ("/data/browsing/run-marks/broken", test_broken);
  return g_test_run ();
}
