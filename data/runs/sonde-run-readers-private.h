/* SPDX-License-Identifier: Apache-2.0
 * The indices that are open for reading on the owner's thread: one connection an index, however many runs
 * are in it, and a limit to how many there are. */
#pragma once

#include "data/runs/sonde-run-index-private.h"

G_BEGIN_DECLS

/**
 * SondeRunReaders: zeroed is not ready; see _init()
 * @by_path: (element-type utf8 SondeRunReader); @used: the same, latest used last
 * @most: open at a time
 * @end: (nullable): ends the snapshots when the main loop goes on
 */
typedef struct
{
  GHashTable *by_path;
  GQueue used;
  guint most;
  GMainContext *context;
  GSource *end;
} SondeRunReaders;

void sonde_run_readers_init (SondeRunReaders *readers, GMainContext *context, guint most);
void sonde_run_readers_clear (SondeRunReaders *readers);

/**
 * sonde_run_readers_find:
 *
 * What is read through it until the main loop goes on, or sonde_run_readers_end(), is one snapshot: thousands
 * of runs of a chart cost one lock. Rows that were saved since are not in it.
 * Returns: (nullable) (transfer none): until the next call; NULL: there is no such index, or it is another one by now
 */
SondeRunIndex *sonde_run_readers_find (SondeRunReaders *readers, const char *path, gint64 epoch);
/* Somebody knows of newer rows. */
void sonde_run_readers_end (SondeRunReaders *readers);

G_END_DECLS
