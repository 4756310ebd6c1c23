/* SPDX-License-Identifier: Apache-2.0
 * The walk through folders: a stack instead of recursion, bounded in depth and number of
 * entries. */
#include "data/runs/worker/sonde-run-scanner-private.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "data/base/sonde-error.h"

typedef struct
{
  const SondeIo *io;
  const char *root;
  const SondeRunVisitor *visitor;
  gpointer data;
  GPtrArray *stack;    /* element-type Folder: still to be listed, the next one last */
  GHashTable *visited; /* "device:inode" of listed folders */
  guint64 n_entries;
  guint n_skipped; /* record names that are no regular files */
} Scan;

typedef struct
{
  char *path;
  guint depth;
} Folder;

static void
folder_free (gpointer data)
{
  Folder *folder = data;

  g_free (folder->path);
  g_free (folder);
}

/* @format: message id */
static void G_GNUC_PRINTF (2, 3) report (Scan *scan, const char *format, ...)
{
  va_list arguments;

  va_start (arguments, format);
  scan->visitor->problem (scan->data, sonde_message_new_va (format, arguments));
  va_end (arguments);
}

/* "." or the part of @path below the root */
static const char *
relative_to_root (Scan *scan, const char *path)
{
  gsize length = strlen (scan->root);

  if (strcmp (path, scan->root) == 0)
    return ".";
  if (g_str_has_prefix (path, scan->root))
    path += length;
  while (*path == '/')
    path++;
  return path;
}

/* @folder or one above it that is not above the root, when the format says so. */
static char *
dup_run_folder (Scan *scan, const char *folder, const SondeRecordFormat *format)
{
  g_autofree char *run = format->dup_run ? format->dup_run (folder) : NULL;
  gsize length = run ? strlen (run) : 0;

  if (!run || length < strlen (scan->root) || length > strlen (folder)
      || strncmp (folder, run, length) != 0 || (folder[length] != '/' && folder[length] != '\0'))
    return g_strdup (folder);
  return g_steal_pointer (&run);
}

static void
visit_file (Scan *scan, const char *folder, const char *name, const SondeRecordFormat *format)
{
  g_autofree char *run = dup_run_folder (scan, folder, format);
  const char *inner = folder + strlen (run);
  g_autofree char *file = *inner ? g_build_filename (inner + 1, name, NULL) : g_strdup (name);
  SondeRunFound found
      = { .run = run, .name = relative_to_root (scan, run), .file = file, .format = format };

  scan->visitor->found (scan->data, &found);
}

static void
push_folder (Scan *scan, char *path, guint depth)
{
  Folder *folder = g_new (Folder, 1);

  folder->path = path;
  folder->depth = depth;
  g_ptr_array_add (scan->stack, folder);
}

static int
compare_names (gconstpointer a, gconstpointer b)
{
  return strcmp (*(const char *const *) a, *(const char *const *) b);
}

/* The names in a folder that may matter, sorted: NULL when it cannot be listed. */
static GPtrArray *
list_names (Scan *scan, const char *path)
{
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);
  int flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NONBLOCK;
  int fd = scan->io->open (scan->io, AT_FDCWD, path, flags, 0);
  struct dirent *entry;
  DIR *stream;

  if (fd < 0 || !(stream = fdopendir (fd)))
    {
      int reason = errno;

      sonde_io_close (scan->io, fd);
      if (reason != ENOENT)
        report (scan, "Cannot list the folder “%s”: %-s.", path,
                sonde_message_describe_errno (reason));
      return NULL;
    }
  while ((entry = readdir (stream)) != NULL && scan->n_entries < SONDE_RUN_SCAN_ENTRIES)
    {
      gboolean file = entry->d_type == DT_REG || entry->d_type == DT_FIFO
                      || entry->d_type == DT_SOCK || entry->d_type == DT_CHR
                      || entry->d_type == DT_BLK;

      scan->n_entries++;
      if (entry->d_name[0] != '.' && (!file || sonde_record_format_may_be (entry->d_name)))
        g_ptr_array_add (names, g_strdup (entry->d_name));
    }
  closedir (stream);
  g_ptr_array_sort (names, compare_names);
  return g_steal_pointer (&names);
}

static void
visit_entry (Scan *scan, const Folder *folder, const char *name)
{
  g_autofree char *path = g_build_filename (folder->path, name, NULL);
  struct stat status;

  /* a link may lead nowhere, a file may be gone: nothing to say about either */
  if (scan->io->stat (scan->io, AT_FDCWD, path, &status, 0) != 0)
    return;
  if (S_ISDIR (status.st_mode) && folder->depth + 1 < SONDE_RUN_SCAN_DEPTH)
    push_folder (scan, g_steal_pointer (&path), folder->depth + 1);
  else if (S_ISDIR (status.st_mode))
    report (scan, "“%s” is nested %d folders deep; its contents are ignored.", path,
            folder->depth + 1);
  else if (sonde_record_format_may_be (name) && S_ISREG (status.st_mode))
    {
      const SondeRecordFormat *format = scan->visitor->format (scan->data, path, &status);

      if (format)
        visit_file (scan, folder->path, name, format);
    }
  else if (sonde_record_format_may_be (name) && scan->n_skipped++ < 10)
    report (scan, "“%s” is not a regular file and is ignored.", path);
}

static gboolean
enter_folder (Scan *scan, const char *path)
{
  g_autofree char *key = NULL;
  struct stat status;

  if (scan->io->stat (scan->io, AT_FDCWD, path, &status, 0) != 0)
    return FALSE;
  key = g_strdup_printf ("%" PRIu64 ":%" PRIu64, (guint64) status.st_dev, (guint64) status.st_ino);
  return g_hash_table_add (scan->visited, g_steal_pointer (&key));
}

static gboolean
visit_folder (Scan *scan, const Folder *folder)
{
  g_autoptr (GPtrArray) names = NULL;
  guint n_before;

  scan->visitor->folder (scan->data, folder->path);
  names = list_names (scan, folder->path);
  if (!names)
    return FALSE;
  n_before = scan->stack->len;
  for (guint i = 0; i < names->len; i++)
    visit_entry (scan, folder, g_ptr_array_index (names, i));
  /* the first name is to be listed first, so it must lie on top */
  for (guint low = n_before, high = scan->stack->len; low + 1 < high; low++)
    {
      gpointer other = scan->stack->pdata[--high];

      scan->stack->pdata[high] = scan->stack->pdata[low];
      scan->stack->pdata[low] = other;
    }
  return TRUE;
}

static gboolean
scan_folders (Scan *scan)
{
  gboolean root_listed = FALSE;

  push_folder (scan, g_strdup (scan->root), 0);
  while (scan->stack->len > 0 && scan->n_entries < SONDE_RUN_SCAN_ENTRIES)
    {
      Folder *folder = g_ptr_array_steal_index (scan->stack, scan->stack->len - 1);

      if (enter_folder (scan, folder->path))
        root_listed |= visit_folder (scan, folder) && folder->depth == 0;
      folder_free (folder);
    }
  if (scan->n_entries >= SONDE_RUN_SCAN_ENTRIES)
    report (
        scan,
        "“%s” contains more than %d files and folders; the rest is ignored. Open the run folder "
        "itself instead.",
        scan->root, SONDE_RUN_SCAN_ENTRIES);
  if (scan->n_skipped > 10)
    report (scan, "“%s”: %u more files are not regular files and are ignored.", scan->root,
            scan->n_skipped - 10);
  return root_listed;
}

static gboolean
scan_file (Scan *scan, const struct stat *status)
{
  g_autofree char *folder = g_path_get_dirname (scan->root);
  g_autofree char *name = g_path_get_basename (scan->root);
  SondeRunFound found = {
    .run = folder,
    .name = ".",
    .file = name,
    .single = TRUE,
  };

  if (sonde_record_format_may_be (name))
    found.format = scan->visitor->format (scan->data, scan->root, status);
  if (!found.format)
    {
      report (scan, "“%s” is neither a folder nor a record file.", scan->root);
      return FALSE;
    }
  scan->visitor->folder (scan->data, folder);
  scan->visitor->found (scan->data, &found);
  return TRUE;
}

gboolean
sonde_run_scan (const SondeIo *io, const char *path, const SondeRunVisitor *visitor, gpointer data)
{
  g_autoptr (GPtrArray) stack = g_ptr_array_new_with_free_func (folder_free);
  g_autoptr (GHashTable) visited = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  Scan scan = {
    .io = io ? io : sonde_io_system (),
    .root = path,
    .visitor = visitor,
    .data = data,
    .stack = stack,
    .visited = visited,
  };
  struct stat status;

  if (scan.io->stat (scan.io, AT_FDCWD, path, &status, 0) != 0)
    {
      if (errno != ENOENT)
        report (&scan, "Cannot access “%s”: %-s.", path, sonde_message_describe_errno (errno));
      return FALSE;
    }
  if (S_ISDIR (status.st_mode))
    return scan_folders (&scan);
  if (S_ISREG (status.st_mode))
    return scan_file (&scan, &status);
  report (&scan, "“%s” is neither a folder nor a regular file and is ignored.", path);
  return FALSE;
}
