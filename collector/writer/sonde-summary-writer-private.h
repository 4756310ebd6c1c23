/* SPDX-License-Identifier: Apache-2.0
 * The writer's state, shared by the adders (any thread) and the writing thread. */
#pragma once

#include <pthread.h>

#include "collector/writer/sonde-policy-set-private.h"
#include "collector/writer/sonde-summary-writer.h"
#include "collector/writer/sonde-writer-file-private.h"
#include "collector/writer/sonde-writer-queue-private.h"
#include "data/base/sonde-span-log.h"
#include "data/records/sonde-event-encoder.h"

G_BEGIN_DECLS

/**
 * SondeSummaryWriter:
 *
 * Only the writing thread touches @files (but the constant path and number of the first), @table,
 * @events, @frame,
 * @scalars and the fields up to @mutex. @policies has a lock of its own. The rest is under @mutex.
 * @files, @file_kinds: as SondeEventFile; the second is made when it is needed
 * @events: (nullable): encoder of a foreign format, instead of @table
 * @said: (element-type utf8): what was said not to fit into the format; @warnings: (element-type
 *   SondeMessage): in these words, only ever appended to
 * @unsynced: written since the last good fsync
 * @asleep, @lingering: the thread waits for work, for more work: adding may have to wake it
 * @hurry: somebody waits for the queue to be written; @wants_sync: and for an fsync
 * @given_up: while closing, the disk refused too often
 * @done: sequence of the last entry that was dealt with
 * @failures: failed calls so far; @failure: what the last one said; @failure_counts: records may
 *   have been lost by it that no gap record tells yet
 * @first_loss: (nullable): why the first record was lost
 * @spans: (nullable): where the writing thread says what it does
 */
struct _SondeSummaryWriter
{
  const SondeClock *clock;
  pid_t pid;
  gint64 fsync_ns;
  SondeSummaryFormat format;
  char *run;
  SondeWriterFile files[SONDE_N_EVENT_FILES];
  SondeWriterFileKind file_kinds[SONDE_N_EVENT_FILES];

  SondeTagTable *table;
  SondeEventEncoder *events;
  GHashTable *said;
  void (*warn) (const char *message, gpointer data);
  gpointer warn_data;
  GByteArray *frame;
  GArray *scalars;
  SondeWriterLoss unsynced;
  guint idle_rounds;
  gint64 last_step; /* of the record that was written last */
  gint64 last_sync_ns, last_gap_ns;

  pthread_t thread;
  pthread_mutex_t mutex;
  pthread_cond_t wake, progress;
  SondeWriterQueue queue;
  SondeWriterPool pool;
  gboolean asleep, lingering, hurry, wants_sync, closing, given_up, failing;
  guint64 done, failures;
  guint64 written_records, written_bytes;
  gboolean failure_counts;
  SondeMessage *failure;
  int failure_code;
  SondeMessage *first_loss;
  int first_loss_code;
  guint64 left_out;
  SondeSpanLog *spans;
  GPtrArray *warnings;

  SondePolicySet *policies;
};

/* A histogram or a picture of numbers that are copied: tag, step, wall time (0: now) and, of a
 * picture, index and size are in @lent, as is the note. */
void sonde_summary_writer_add_raw (SondeSummaryWriter *writer, const SondeRecord *lent,
                                   SondeDtype dtype, const void *data, gsize n, int channels,
                                   SondePixelLayout layout);

/* (transfer full): [6, @n_thresholds]; see sonde_summary_writer_add_pr_curve() */
SondeTensor *sonde_summary_writer_make_pr_curve (const guint8 *labels, const float *predictions,
                                                 const float *weights, gsize n, guint n_thresholds);

/* Does the tag's policy want it? */
gboolean sonde_summary_writer_wants (SondeSummaryWriter *writer, const char *tag, gint64 step);

/**
 * sonde_writer_projector_write:
 * An embedding as files beside the event file: RUN/STEP/TAG/tensors.tsv, metadata.tsv, sprite.png
 * and an entry in RUN/projector_config.pbtxt. Writing thread. Errors: with the path.
 */
gboolean sonde_writer_projector_write (const SondeIo *io, const char *run,
                                       const SondeRecord *record, GError **error);

/* The writing thread. */
void *sonde_summary_writer_run (void *writer);

G_END_DECLS
