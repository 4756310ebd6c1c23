/* SPDX-License-Identifier: Apache-2.0
 * The walk through folders: a stack instead of recursion, bounded in depth and number of
 * entries. */
#include "data/runs/worker/sonde-run-scanner-private.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "data/base/sonde-error.h"

#define LIST_BYTES 32768 /* of names at a time */

typedef struct
{
  const SondeIo *io;
  const char *root;
  const SondeRunVisitor *visitor;
  gpointer data;
  GPtrArray *stack;    /* element-type Folder: still to be listed, the next one last */
  GHashTable *visited; /* element-type Place: of listed folders */
  guint64 n_entries;
  guint n_skipped; /* record names that are no regular files */
} Scan;

typedef struct
{
  char *path;
  guint depth;
} Folder;

/* Where a folder lies. */
typedef struct
{
  dev_t device;
  ino_t inode;
} Place;

/* A name in a folder. @type: as readdir() has it; @may_be: a record file by its name; @format:
 * (nullable): its name says which */
typedef struct
{
  guint8 type;
  gboolean may_be;
  const SondeRecordFormat *format;
  char name[];
} Entry;

static void
folder_free (gpointer data)
{
  Folder *folder = data;

  g_free (folder->path);
  g_free (folder);
}

static guint
place_hash (gconstpointer data)
{
  const Place *place = data;

  return (guint) (place->inode ^ place->inode >> 32) * 31 + (guint) place->device;
}

static gboolean
place_equal (gconstpointer a, gconstpointer b)
{
  const Place *one = a, *other = b;

  return one->inode == other->inode && one->device == other->device;
}

/* g_build_filename() looks for more separators than there can be. */
static char *
join (const char *folder, const char *name)
{
  return g_strconcat (folder, g_str_has_suffix (folder, "/") ? "" : "/", name, NULL);
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
visit_file (Scan *scan, const char *folder, const char *path, const SondeRecordFormat *format)
{
  g_autofree char *run = dup_run_folder (scan, folder, format);
  const char *file = path + strlen (run);
  SondeRunFound found = {
    .path = path,
    .run = run,
    .name = relative_to_root (scan, run),
    .format = format,
  };

  while (*file == '/')
    file++;
  found.file = file;
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
compare_entries (gconstpointer a, gconstpointer b)
{
  return strcmp ((*(const Entry *const *) a)->name, (*(const Entry *const *) b)->name);
}

static void
add_entry (GPtrArray *entries, const struct dirent64 *read)
{
  gsize length = strlen (read->d_name) + 1;
  const SondeRecordFormat *format = NULL;
  gboolean may_be = FALSE;
  Entry *entry;

  if (read->d_name[0] == '.')
    return;
  if (read->d_type != DT_DIR)
    {
      format = sonde_record_format_find_by_name (read->d_name);
      may_be = format || sonde_record_format_may_be (read->d_name);
    }
  if (read->d_type != DT_DIR && read->d_type != DT_LNK && read->d_type != DT_UNKNOWN && !may_be)
    return;
  entry = g_malloc (sizeof *entry + length);
  entry->type = read->d_type;
  entry->may_be = may_be;
  entry->format = format;
  memcpy (entry->name, read->d_name, length);
  g_ptr_array_add (entries, entry);
}

/* The names in an open folder that may matter, sorted. NULL: it cannot be listed, as errno says. */
static GPtrArray *
list_entries (Scan *scan, int fd)
{
  g_autoptr (GPtrArray) entries = g_ptr_array_new_with_free_func (g_free);
  _Alignas(struct dirent64) char buffer[LIST_BYTES];
  gssize got = 0;

  /* readdir() asks three things of each folder that are known here */
  while (scan->n_entries < SONDE_RUN_SCAN_ENTRIES
         && (got = getdents64 (fd, buffer, sizeof buffer)) > 0)
    for (gssize at = 0; at < got;)
      {
        const struct dirent64 *entry = (const void *) (buffer + at);

        scan->n_entries++;
        add_entry (entries, entry);
        at += entry->d_reclen;
      }
  /* one that was deleted meanwhile has nothing */
  if (got < 0 && errno != ENOENT)
    return NULL;
  g_ptr_array_sort (entries, compare_entries);
  return g_steal_pointer (&entries);
}

/* Asks only for what readdir() and the name do not say: without it, @status has the type alone. A
 * link is what it leads to. */
static gboolean
look (Scan *scan, const Entry *entry, const char *path, struct stat *status)
{
  gboolean type_is_known = entry->type != DT_UNKNOWN && entry->type != DT_LNK;

  if (!type_is_known || (entry->may_be && !entry->format))
    return scan->io->stat (scan->io, AT_FDCWD, path, status, 0) == 0;
  *status = (struct stat){ .st_mode = DTTOIF (entry->type) };
  return TRUE;
}

static void
visit_entry (Scan *scan, const Folder *folder, const Entry *entry)
{
  g_autofree char *path = join (folder->path, entry->name);
  struct stat status;

  /* a link may lead nowhere, a file may be gone: nothing to say about either */
  if (!look (scan, entry, path, &status))
    return;
  if (S_ISDIR (status.st_mode) && folder->depth + 1 < SONDE_RUN_SCAN_DEPTH)
    push_folder (scan, g_steal_pointer (&path), folder->depth + 1);
  else if (S_ISDIR (status.st_mode))
    report (scan, "“%s” is nested %d folders deep; its contents are ignored.", path,
            folder->depth + 1);
  else if (entry->may_be && S_ISREG (status.st_mode))
    {
      const SondeRecordFormat *format
          = entry->format ? entry->format : scan->visitor->format (scan->data, path, &status);

      if (format)
        visit_file (scan, folder->path, path, format);
    }
  else if (entry->may_be && scan->n_skipped++ < 10)
    report (scan, "“%s” is not a regular file and is ignored.", path);
}

/* Lists are in order, a stack's top comes first. */
static void
reverse (GPtrArray *stack, guint from)
{
  for (guint low = from, high = stack->len; low + 1 < high; low++)
    {
      gpointer other = stack->pdata[--high];

      stack->pdata[high] = stack->pdata[low];
      stack->pdata[low] = other;
    }
}

static void
report_unlisted (Scan *scan, const char *path, int reason)
{
  report (scan, "Cannot list the folder “%s”: %-s.", path, sonde_message_describe_errno (reason));
}

/* Takes @fd. FALSE when it cannot be listed. */
static gboolean
list_folder (Scan *scan, const Folder *folder, int fd)
{
  g_autoptr (GPtrArray) entries = list_entries (scan, fd);
  int reason = errno;
  guint n_before = scan->stack->len;

  sonde_io_close (scan->io, fd);
  if (!entries)
    {
      report_unlisted (scan, folder->path, reason);
      return FALSE;
    }
  for (guint i = 0; i < entries->len; i++)
    visit_entry (scan, folder, g_ptr_array_index (entries, i));
  reverse (scan->stack, n_before);
  return TRUE;
}

/* FALSE: it was listed already, or cannot be. */
static gboolean
visit_folder (Scan *scan, const Folder *folder)
{
  int flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NONBLOCK;
  int fd = scan->io->open (scan->io, AT_FDCWD, folder->path, flags, 0);
  struct stat status;
  Place place;

  if (fd < 0 || scan->io->fstat (scan->io, fd, &status) != 0)
    {
      int reason = errno;

      sonde_io_close (scan->io, fd);
      if (reason != ENOENT && reason != ENOTDIR)
        report_unlisted (scan, folder->path, reason);
      return FALSE;
    }
  place = (Place){ status.st_dev, status.st_ino };
  if (!g_hash_table_add (scan->visited, g_memdup2 (&place, sizeof place)))
    {
      sonde_io_close (scan->io, fd);
      return FALSE;
    }
  scan->visitor->folder (scan->data, folder->path, status.st_dev);
  return list_folder (scan, folder, fd);
}

static gboolean
scan_folders (Scan *scan)
{
  gboolean root_listed = FALSE;

  push_folder (scan, g_strdup (scan->root), 0);
  while (scan->stack->len > 0 && scan->n_entries < SONDE_RUN_SCAN_ENTRIES)
    {
      Folder *folder = g_ptr_array_steal_index (scan->stack, scan->stack->len - 1);

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
    .path = scan->root,
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
  scan->visitor->folder (scan->data, folder, status->st_dev);
  scan->visitor->found (scan->data, &found);
  return TRUE;
}

gboolean
sonde_run_scan (const SondeIo *io, const char *path, const SondeRunVisitor *visitor, gpointer data)
{
  g_autoptr (GPtrArray) stack = g_ptr_array_new_with_free_func (folder_free);
  g_autoptr (GHashTable) visited = g_hash_table_new_full (place_hash, place_equal, g_free, NULL);
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
