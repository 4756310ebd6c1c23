/* SPDX-License-Identifier: Apache-2.0
 * The writer's state, shared by the adders (any thread) and the writing thread. */
#pragma once

#include <pthread.h>

#include "collector/writer/sonde-summary-writer.h"
#include "collector/writer/sonde-writer-file-private.h"
#include "collector/writer/sonde-writer-queue-private.h"

G_BEGIN_DECLS

/**
 * SondeSummaryWriter:
 *
 * Only the writing thread touches @file (but its constant path and number), @table, @frame, @scalars
 * and the fields up to @mutex. The rest is under @mutex.
 * @unsynced: written since the last good fsync
 * @asleep, @lingering: the thread waits for work, for more work: adding may have to wake it
 * @hurry: somebody waits for the queue to be written
 * @given_up: while closing, the disk refused too often
 * @done: sequence of the last entry that was dealt with
 * @failures: failed calls so far; @failure: what the last one said; @failure_counts: records may have
 *   been lost by it that no gap record tells yet
 * @first_loss: (nullable): why the first record was lost
 */
struct _SondeSummaryWriter
{
  const SondeClock *clock;
  pid_t pid;
  gint64 fsync_ns;
  SondeWriterFile file;

  SondeTagTable *table;
  GByteArray *frame;
  GArray *scalars;
  SondeWriterLoss unsynced;
  gint64 last_sync_ns, last_gap_ns;

  pthread_t thread;
  pthread_mutex_t mutex;
  pthread_cond_t wake, progress;
  SondeWriterQueue queue;
  gboolean asleep, lingering, hurry, closing, given_up, failing;
  guint64 done, failures;
  guint64 written_records, written_bytes;
  gboolean failure_counts;
  char *failure;
  int failure_code;
  char *first_loss;
  int first_loss_code;
};

/* The writing thread. */
void *sonde_summary_writer_run (void *writer);

G_END_DECLS
