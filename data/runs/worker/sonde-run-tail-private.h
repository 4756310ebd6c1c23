/* SPDX-License-Identifier: Apache-2.0
 * Notices of the kernel about changes in folders, by raw inotify (GFileMonitor waits 0.8 s). A
 * hint, never a proof: whoever uses it looks at the files from time to time besides. */
#pragma once

#include <sys/types.h>

#include <glib.h>

G_BEGIN_DECLS

typedef struct _SondeRunTail SondeRunTail;

typedef enum
{
  SONDE_RUN_TAIL_NOTICES,
  SONDE_RUN_TAIL_POLL,  /* no notices: sonde_run_tail_is_limited() */
  SONDE_RUN_TAIL_NEVER, /* nobody waits for changes */
} SondeRunTailMode;

/* Never fails: see sonde_run_tail_is_limited(). */
SondeRunTail *sonde_run_tail_new (SondeRunTailMode mode);
void sonde_run_tail_free (SondeRunTail *tail);

int sonde_run_tail_get_fd (SondeRunTail *tail); /* readable when there is something; -1: none */
/* Some folder cannot be watched (no inotify, no watches left, files of another machine): poll. */
gboolean sonde_run_tail_is_limited (SondeRunTail *tail);

/* By statfs: can files change there without a notice. */
gboolean sonde_run_tail_is_remote (long file_system);

/* All changes of files and folders in @path, which lies on @device. Known folders are fine. */
void sonde_run_tail_watch_folder (SondeRunTail *tail, const char *path, dev_t device);

/* Watches where a path that does not exist would appear: the deepest parent that exists. */
void sonde_run_tail_watch_for (SondeRunTail *tail, const char *path);

typedef enum
{
  SONDE_RUN_TAIL_WRITTEN,   /* file @name in @folder grew or was closed */
  SONDE_RUN_TAIL_STRUCTURE, /* something appeared in or left @folder */
  SONDE_RUN_TAIL_OVERFLOW,  /* notices were lost: look at everything; @folder is NULL */
} SondeRunTailEvent;

typedef void (*SondeRunTailFunc) (gpointer data, SondeRunTailEvent event, const char *folder,
                                  const char *name, gboolean is_folder);

/* Calls @func for all that wait; never blocks. */
void sonde_run_tail_read (SondeRunTail *tail, SondeRunTailFunc func, gpointer data);

G_END_DECLS
