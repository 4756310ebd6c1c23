/* SPDX-License-Identifier: Apache-2.0
 * The commit that is checked out, in each way that Git's files say so, and the record of a run's origin. */
#include <string.h>

#include "collector/writer/sonde-run-origin.h"
#include "tests/collector/writer/run-folder.h"

#define COMMIT "0123456789abcdef0123456789abcdef01234567"
#define OTHER "89abcdef0123456789abcdef0123456789abcdef"

static void
write_text (const char *folder, const char *name, const char *text)
{
  g_autofree char *path = g_build_filename (folder, name, NULL);
  g_autofree char *parent = g_path_get_dirname (path);
  g_autoptr (GError) error = NULL;

  g_assert_cmpint (g_mkdir_with_parents (parent, 0700), ==, 0);
  g_file_set_contents (path, text, -1, &error);
  g_assert_no_error (error);
}

static void
check_commit (const char *folder, const char *expected)
{
  g_autofree char *commit = sonde_run_origin_dup_commit (folder);

  g_assert_cmpstr (commit, ==, expected);
}

/* @name: of a file below .git */
typedef struct
{
  const char *head, *name, *text, *expected;
} CommitCase;

static const CommitCase commit_cases[] = {
  { COMMIT "\n", NULL, NULL, COMMIT },
  { "ref: refs/heads/main\n", "refs/heads/main", COMMIT "\n", COMMIT },
  { "ref: refs/heads/a/b\n", "packed-refs",
    "# pack-refs\n" OTHER " refs/heads/a\n" COMMIT " refs/heads/a/b\n", COMMIT },
  /* before the first commit, another branch, hostile or damaged files */
  { "ref: refs/heads/main\n", NULL, NULL, NULL },
  { "ref: refs/heads/main\n", "packed-refs", COMMIT " refs/heads/other\n", NULL },
  { "ref: refs/heads/../../../secret\n", "refs/heads/x", COMMIT "\n", NULL },
  { "ref: /etc/hostname\n", NULL, NULL, NULL },
  { "0123\n", NULL, NULL, NULL },
  { "", NULL, NULL, NULL },
};

static void
test_commit (void)
{
  for (gsize i = 0; i < G_N_ELEMENTS (commit_cases); i++)
    {
      const CommitCase *row = &commit_cases[i];
      g_autofree char *deep = NULL, *git = NULL;
      RunFolder folder;

      run_folder_init (&folder);
      git = g_build_filename (folder.folder, ".git", NULL);
      write_text (git, "HEAD", row->head);
      write_text (folder.folder, "secret", COMMIT "\n");
      if (row->name != NULL)
        write_text (git, row->name, row->text);
      check_commit (folder.folder, row->expected);
      deep = g_build_filename (folder.folder, "src", "deep", NULL);
      g_assert_cmpint (g_mkdir_with_parents (deep, 0700), ==, 0);
      check_commit (deep, row->expected);
      run_folder_clear (&folder);
    }
}

/* A further working tree: its .git is a file, and branches are those of the first repository. */
static void
test_working_tree (void)
{
  g_autofree char *tree = NULL, *link = NULL;
  RunFolder folder;

  run_folder_init (&folder);
  tree = g_build_filename (folder.folder, "tree", NULL);
  link = g_strdup_printf ("gitdir: %s/first/.git/worktrees/tree\n", folder.folder);
  write_text (tree, ".git", link);
  write_text (folder.folder, "first/.git/worktrees/tree/HEAD", "ref: refs/heads/side\n");
  write_text (folder.folder, "first/.git/worktrees/tree/commondir", "../..\n");
  write_text (folder.folder, "first/.git/refs/heads/side", COMMIT "\n");
  check_commit (tree, COMMIT);
  run_folder_clear (&folder);
}

static const char *
find_item (const SondeRecord *record, const char *key)
{
  for (gsize i = 0; i < record->u.lineage.n; i++)
    if (g_str_equal (record->u.lineage.items[i].key, key))
      return record->u.lineage.items[i].text;
  return NULL;
}

/* What is written is what this process is, with what its caller adds. */
static void
test_record (void)
{
  const SondeHparam device = { (char *) "device", (char *) "cpu", SONDE_HPARAM_TEXT };
  const SondeSummaryWriterOptions options = { .program = "test" };
  g_autofree char *path = NULL, *git = NULL;
  g_autoptr (GError) error = NULL;
  g_autoptr (GPtrArray) records = NULL;
  SondeSummaryWriter *writer;
  const SondeRecord *record;
  RunFolder folder;

  run_folder_init (&folder);
  git = g_build_filename (folder.folder, ".git", NULL);
  write_text (git, "HEAD", COMMIT "\n");
  writer = sonde_summary_writer_open (folder.run, &options, &error);
  g_assert_no_error (error);
  path = g_strdup (sonde_summary_writer_get_path (writer));
  sonde_run_origin_record (writer, folder.folder, &device, 1);
  g_assert_true (sonde_summary_writer_close (writer, &error));
  g_assert_no_error (error);
  records = read_records (path, NULL);
  record = find_kind (records, SONDE_RECORD_LINEAGE);
  g_assert_cmpstr (record->u.lineage.part, ==, "environment");
  g_assert_cmpstr (find_item (record, "host"), ==, g_get_host_name ());
  g_assert_nonnull (strstr (find_item (record, "command"), "test-run-origin"));
  g_assert_cmpstr (find_item (record, "folder"), ==, folder.folder);
  g_assert_cmpstr (find_item (record, "git_commit"), ==, COMMIT);
  g_assert_cmpstr (find_item (record, "device"), ==, "cpu");
  run_folder_clear (&folder);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/collector/run-origin/commit", test_commit);
  g_test_add_func ("/collector/run-origin/working-tree", test_working_tree);
  g_test_add_func ("/collector/run-origin/record", test_record);
  return g_test_run ();
}
