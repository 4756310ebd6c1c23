/* SPDX-License-Identifier: Apache-2.0
 * inotify watches of folders and the names behind their numbers. */
#include "data/runs/worker/sonde-run-tail-private.h"

#include <errno.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/vfs.h>
#include <unistd.h>

#define WRITTEN (IN_MODIFY | IN_CLOSE_WRITE)
#define STRUCTURE                                                                                  \
  (IN_CREATE | IN_MOVED_TO | IN_MOVED_FROM | IN_DELETE | IN_DELETE_SELF | IN_MOVE_SELF | IN_ATTRIB)
/* of a folder that only may bring forth the one that is waited for */
#define APPEARING (IN_CREATE | IN_MOVED_TO | IN_DELETE_SELF | IN_MOVE_SELF)

struct _SondeRunTail
{
  int fd;
  gboolean limited;
  GHashTable *folders; /* watch descriptor -> path */
  GArray *devices;     /* element-type dev_t: whether they are another machine's is known */
};

SondeRunTail *
sonde_run_tail_new (SondeRunTailMode mode)
{
  SondeRunTail *tail = g_new0 (SondeRunTail, 1);

  tail->fd = mode == SONDE_RUN_TAIL_NOTICES ? inotify_init1 (IN_NONBLOCK | IN_CLOEXEC) : -1;
  tail->limited = tail->fd < 0 && mode != SONDE_RUN_TAIL_NEVER;
  tail->folders = g_hash_table_new_full (NULL, NULL, NULL, g_free);
  tail->devices = g_array_new (FALSE, FALSE, sizeof (dev_t));
  return tail;
}

void
sonde_run_tail_free (SondeRunTail *tail)
{
  if (!tail)
    return;
  if (tail->fd >= 0)
    close (tail->fd);
  g_hash_table_unref (tail->folders);
  g_array_unref (tail->devices);
  g_free (tail);
}

int
sonde_run_tail_get_fd (SondeRunTail *tail)
{
  return tail->fd;
}

gboolean
sonde_run_tail_is_limited (SondeRunTail *tail)
{
  return tail->limited;
}

gboolean
sonde_run_tail_is_remote (long file_system)
{
  static const guint32 remote[] = {
    0x6969,     /* NFS */
    0x517b,     /* SMB */
    0xff534d42, /* CIFS */
    0xfe534d42, /* SMB 2 */
    0x65735546, /* FUSE: sshfs, s3fs … */
    0x01021997, /* 9p, as virtual machines share folders */
    0x786f4256, /* VirtualBox */
    0x00c36400, /* Ceph */
    0x0bd00bd0, /* Lustre */
    0x47504653, /* GPFS */
    0x5346414f, /* AFS */
    0x6b414653, /* AFS of the kernel */
    0x73757245, /* Coda */
    0x19830326, /* BeeGFS */
  };

  for (gsize i = 0; i < G_N_ELEMENTS (remote); i++)
    if ((guint32) file_system == remote[i])
      return TRUE;
  return FALSE;
}

/* What other machines write there, this kernel does not see. */
static void
look_for_remote (SondeRunTail *tail, const char *path, dev_t device)
{
  struct statfs status;

  for (guint i = 0; i < tail->devices->len; i++)
    if (g_array_index (tail->devices, dev_t, i) == device)
      return;
  g_array_append_val (tail->devices, device);
  tail->limited |= statfs (path, &status) == 0 && sonde_run_tail_is_remote ((long) status.f_type);
}

static gboolean
add_watch (SondeRunTail *tail, const char *path, guint32 mask)
{
  int watch;

  if (tail->fd < 0)
    return FALSE;
  watch = inotify_add_watch (tail->fd, path, mask | IN_ONLYDIR | IN_MASK_ADD);
  if (watch < 0)
    {
      if (errno == ENOSPC || errno == ENOMEM)
        tail->limited = TRUE;
      return FALSE;
    }
  /* A folder that was renamed keeps its number: the newest path is right. */
  g_hash_table_replace (tail->folders, GINT_TO_POINTER (watch), g_strdup (path));
  return TRUE;
}

void
sonde_run_tail_watch_folder (SondeRunTail *tail, const char *path, dev_t device)
{
  if (tail->fd < 0)
    return;
  look_for_remote (tail, path, device);
  add_watch (tail, path, WRITTEN | STRUCTURE);
}

void
sonde_run_tail_watch_for (SondeRunTail *tail, const char *path)
{
  g_autofree char *child = g_strdup (path);

  for (int tries = 0; tail->fd >= 0 && tries < 4;)
    {
      g_autofree char *parent = g_path_get_dirname (child);

      if (strcmp (parent, child) == 0)
        return;
      if (add_watch (tail, parent, APPEARING))
        {
          /* It may have appeared before the watch: then its own folder is to be watched. */
          if (strcmp (child, path) == 0 || access (child, F_OK) != 0)
            return;
          g_free (child);
          child = g_strdup (path);
          tries++;
          continue;
        }
      g_free (child);
      child = g_steal_pointer (&parent);
    }
}

static void
handle_event (SondeRunTail *tail, const struct inotify_event *event, SondeRunTailFunc func,
              gpointer data)
{
  const char *folder = g_hash_table_lookup (tail->folders, GINT_TO_POINTER (event->wd));
  const char *name = event->len > 0 ? event->name : "";

  if (event->mask & IN_Q_OVERFLOW)
    func (data, SONDE_RUN_TAIL_OVERFLOW, NULL, "", FALSE);
  else if (folder && event->mask & (WRITTEN | STRUCTURE))
    func (data, event->mask & STRUCTURE ? SONDE_RUN_TAIL_STRUCTURE : SONDE_RUN_TAIL_WRITTEN, folder,
          name, (event->mask & IN_ISDIR) != 0);
  if (event->mask & IN_IGNORED)
    g_hash_table_remove (tail->folders, GINT_TO_POINTER (event->wd));
}

void
sonde_run_tail_read (SondeRunTail *tail, SondeRunTailFunc func, gpointer data)
{
  _Alignas(struct inotify_event) char buffer[16384];
  gssize got;

  while (tail->fd >= 0)
    {
      got = read (tail->fd, buffer, sizeof buffer);
      if (got < 0 && errno == EINTR)
        continue;
      if (got <= 0)
        return;
      for (char *at = buffer; at < buffer + got;)
        {
          const struct inotify_event *event = (const void *) at;

          handle_event (tail, event, func, data);
          at += sizeof *event + event->len;
        }
    }
}
