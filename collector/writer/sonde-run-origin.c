/* SPDX-License-Identifier: Apache-2.0
 * Git's files: .git is the repository, or a file that names it ("gitdir: …", of a further working tree or a
 * submodule); HEAD has a commit or the name of a branch, whose commit is in a file of that name or in
 * packed-refs. Source: gitrepository-layout(5). Names come from files and are hostile. */
#include "collector/writer/sonde-run-origin.h"

#include <string.h>
#include <unistd.h>

#include "data/base/sonde-io.h"

#define MAX_BYTES                                                                                  \
  ((guint64) 16 << 20) /* of a file that is read: packed-refs of a large repository */
#define MAX_COMMAND 4096
#define MAX_LEVELS 64 /* folders above the one that is asked about */

/* ---- Git ----------------------------------------------------------------- */

/* (transfer full) (nullable): without white space at its end */
static char *
read_text (const char *folder, const char *name)
{
  g_autofree char *path = g_build_filename (folder, name, NULL);
  g_autoptr (GBytes) bytes = NULL;
  char *text;

  if (!g_file_test (path, G_FILE_TEST_IS_REGULAR))
    return NULL;
  bytes = sonde_io_read_file (NULL, path, MAX_BYTES, NULL);
  if (bytes == NULL)
    return NULL;
  text = g_strndup (g_bytes_get_data (bytes, NULL), g_bytes_get_size (bytes));
  return g_strchomp (text);
}

/* @path as it is meant in @folder. (transfer full) */
static char *
resolve (const char *folder, const char *path)
{
  return g_path_is_absolute (path) ? g_strdup (path) : g_build_filename (folder, path, NULL);
}

/* (transfer full) (nullable): the repository of the working tree that @folder lies in */
static char *
find_repository (const char *folder)
{
  g_autofree char *at = g_canonicalize_filename (folder, NULL);

  for (guint i = 0; i < MAX_LEVELS; i++)
    {
      g_autofree char *git = g_build_filename (at, ".git", NULL);
      g_autofree char *text = NULL;
      char *parent;

      if (g_file_test (git, G_FILE_TEST_IS_DIR))
        return g_steal_pointer (&git);
      text = read_text (at, ".git");
      if (text != NULL && g_str_has_prefix (text, "gitdir: "))
        return resolve (at, text + strlen ("gitdir: "));
      parent = g_path_get_dirname (at);
      if (g_str_equal (parent, at))
        {
          g_free (parent);
          return NULL;
        }
      g_free (at);
      at = parent;
    }
  return NULL;
}

static gboolean
is_commit (const char *text)
{
  gsize n = strspn (text, "0123456789abcdef");

  return text[n] == '\0' && (n == 40 || n == 64);
}

/* A line "COMMIT NAME" of packed-refs. (transfer full) (nullable) */
static char *
find_packed (const char *repository, const char *name)
{
  g_autofree char *text = read_text (repository, "packed-refs");
  g_auto (GStrv) lines = text != NULL ? g_strsplit (text, "\n", -1) : NULL;

  for (gsize i = 0; lines != NULL && lines[i] != NULL; i++)
    {
      char *space = strchr (lines[i], ' ');

      if (space != NULL && g_str_equal (space + 1, name))
        return g_strndup (lines[i], (gsize) (space - lines[i]));
    }
  return NULL;
}

/* A branch's name leads nowhere else than into the repository. */
static gboolean
is_plain_name (const char *name)
{
  return g_str_has_prefix (name, "refs/") && strstr (name, "..") == NULL;
}

/* Branches of a further working tree are those of the repository it belongs to. (transfer full) (nullable) */
static char *
find_branch (const char *repository, const char *name)
{
  g_autofree char *common = read_text (repository, "commondir");
  g_autofree char *shared = common != NULL ? resolve (repository, common) : g_strdup (repository);
  g_autofree char *own = NULL;
  char *commit;

  if (!is_plain_name (name))
    return NULL;
  own = read_text (repository, name);
  commit = own != NULL ? g_steal_pointer (&own) : read_text (shared, name);
  return commit != NULL ? commit : find_packed (shared, name);
}

char *
sonde_run_origin_dup_commit (const char *folder)
{
  g_autofree char *repository = NULL, *head = NULL, *commit = NULL;

  g_return_val_if_fail (folder != NULL, NULL);
  repository = find_repository (folder);
  head = repository != NULL ? read_text (repository, "HEAD") : NULL;
  if (head == NULL)
    return NULL;
  commit = g_str_has_prefix (head, "ref: ") ? find_branch (repository, head + strlen ("ref: "))
                                            : g_steal_pointer (&head);
  return commit != NULL && is_commit (commit) ? g_steal_pointer (&commit) : NULL;
}

/* ---- the process --------------------------------------------------------- */

static void
append_argument (GString *command, const char *argument)
{
  static const char *const plain
      = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789%+,-./:=@_";
  g_autofree char *quoted = NULL;

  if (command->len > 0)
    g_string_append_c (command, ' ');
  if (*argument != '\0' && argument[strspn (argument, plain)] == '\0')
    {
      g_string_append (command, argument);
      return;
    }
  quoted = g_shell_quote (argument);
  g_string_append (command, quoted);
}

char *
sonde_run_origin_dup_command (void)
{
  g_autofree char *arguments = NULL;
  g_autofree char *text = NULL;
  GString *command;
  gsize length;

  if (!g_file_get_contents ("/proc/self/cmdline", &arguments, &length, NULL) || length == 0)
    return NULL;
  command = g_string_new (NULL);
  for (gsize at = 0; at < length && command->len <= MAX_COMMAND; at += strlen (arguments + at) + 1)
    append_argument (command, arguments + at);
  text = g_utf8_make_valid (command->str, (gssize) MIN (command->len, MAX_COMMAND));
  if (command->len > MAX_COMMAND)
    {
      char *whole = g_strconcat (text, "…", NULL);
      g_free (text);
      text = whole;
    }
  g_string_free (command, TRUE);
  return g_steal_pointer (&text);
}

/* ---- the record ---------------------------------------------------------- */

static void
add_text (GArray *items, const char *key, const char *text)
{
  SondeHparam item = { (char *) key, (char *) text, SONDE_HPARAM_TEXT };

  if (text != NULL && *text != '\0')
    g_array_append_val (items, item);
}

void
sonde_run_origin_record (SondeSummaryWriter *writer, const char *folder, const SondeHparam *items,
                         gsize n)
{
  g_autofree char *working = folder != NULL ? g_strdup (folder) : g_get_current_dir ();
  g_autofree char *command = sonde_run_origin_dup_command ();
  g_autofree char *commit = sonde_run_origin_dup_commit (working);
  g_autoptr (GArray) all = g_array_new (FALSE, FALSE, sizeof (SondeHparam));
  SondeRecord record = { .kind = SONDE_RECORD_LINEAGE, .tag = "lineage" };

  g_return_if_fail (writer != NULL);
  add_text (all, "host", g_get_host_name ());
  add_text (all, "command", command);
  add_text (all, "folder", working);
  add_text (all, "git_commit", commit);
  g_array_append_vals (all, items, (guint) n);
  record.u.lineage.part = (char *) SONDE_RUN_ORIGIN_PART;
  record.u.lineage.items = (SondeHparam *) all->data;
  record.u.lineage.n = all->len;
  sonde_summary_writer_add_record (writer, &record);
}
