/* SPDX-License-Identifier: Apache-2.0
 * The summary writer: takes records from any thread, writes them from its own. What is written and
 * when is decided by callers and their policies; how bytes look is data/records' matter. */
#pragma once

#include "data/base/sonde-clock.h"
#include "data/base/sonde-io.h"
#include "data/records/sonde-record.h"
#include "data/values/sonde-image.h"

G_BEGIN_DECLS

typedef struct _SondeSummaryWriter SondeSummaryWriter;

/**
 * SondeSummaryWriterOptions: zero-initialise; 0 and NULL mean the default
 * @io, @clock: (nullable)
 * @queue_bytes: memory for waiting records; default 64 MiB
 * @fsync_ns: longest time between two fsyncs; default 5 s
 * @program: (nullable): written into the session record
 */
typedef struct
{
  const SondeIo *io;
  const SondeClock *clock;
  gsize queue_bytes;
  gint64 fsync_ns;
  const char *program;
} SondeSummaryWriterOptions;

/**
 * sonde_summary_writer_open:
 * @run: run folder, made if missing; records go to RUN/records/NNNNNN.sonde, the first free number,
 *   which is also the session's number
 *
 * Starts the writing thread. One write() a record, O_APPEND; SIGKILL leaves at most one torn record.
 * What was added is written within some 20 ms. After a fork() the writer is the parent's: the child
 * may only close it.
 * Errors: folder cannot be made or written, with its path.
 */
SondeSummaryWriter *sonde_summary_writer_open (const char                      *run,
                                               const SondeSummaryWriterOptions *options,
                                               GError                         **error);

/**
 * sonde_summary_writer_close:
 * Writes all that waits, fsyncs, joins the thread, frees.
 * Errors: something was lost since the writer was opened (the message counts records and says why).
 */
gboolean sonde_summary_writer_close (SondeSummaryWriter *writer,
                                     GError            **error);

/* All adders: any thread; never block on the disk; copy what they need (GBytes are referenced). While
 * the disk refuses, small records wait in the queue and large ones are dropped; when the queue is full,
 * the oldest waiting records other than scalars are dropped, then what is added. Each one is counted;
 * after the next success a GAP record says how many were lost, from which step to which, and why.
 * Wall time is taken from the clock at the call; scalars of one step that are added one by one within
 * a millisecond travel in one record with the time of the first. */

void sonde_summary_writer_add_scalars (SondeSummaryWriter *writer,
                                       gint64              step,
                                       const SondeScalar  *scalars,
                                       gsize               n);
void sonde_summary_writer_add_scalar (SondeSummaryWriter *writer,
                                      const char         *tag,
                                      gint64              step,
                                      double              value);
void sonde_summary_writer_add_histogram (SondeSummaryWriter   *writer,
                                         const char           *tag,
                                         gint64                step,
                                         const SondeHistogram *histogram);
void sonde_summary_writer_add_statistics (SondeSummaryWriter    *writer,
                                          const char            *tag,
                                          gint64                 step,
                                          const SondeStatistics *statistics);
void sonde_summary_writer_add_tensor (SondeSummaryWriter *writer,
                                      const char         *tag,
                                      gint64              step,
                                      SondeTensor        *tensor);
/* @image is encoded as PNG by the writing thread; copied here. @note: (nullable) copied */
void sonde_summary_writer_add_image (SondeSummaryWriter    *writer,
                                     const char            *tag,
                                     gint64                 step,
                                     int                    index,
                                     const SondeImage      *image,
                                     const SondeSampleNote *note);
/* @model: ONNX bytes */
void sonde_summary_writer_add_graph (SondeSummaryWriter *writer,
                                     const char         *tag,
                                     gint64              step,
                                     GBytes             *model,
                                     gboolean            executed);
void sonde_summary_writer_add_hparams (SondeSummaryWriter *writer,
                                       const SondeHparam  *items,
                                       gsize               n); /* tag "hparams", step 0 */
void sonde_summary_writer_add_text (SondeSummaryWriter *writer,
                                    const char         *tag,
                                    gint64              step,
                                    const char         *text);
/* Any record; @record's members are copied, @session and (when 0) @wall_time_ns are filled in. */
void sonde_summary_writer_add_record (SondeSummaryWriter *writer,
                                      const SondeRecord  *record);

/* Blocks until all added so far is with the system (not fsynced), or until the disk refuses: then it
 * goes on waiting in the queue. For tests and pauses. */
void sonde_summary_writer_flush (SondeSummaryWriter *writer);

/**
 * SondeSummaryWriterState:
 * @failing: the last write failed (for a banner); see sonde_summary_writer_dup_failure()
 * @lost_records, @lost_bytes: dropped since opening
 */
typedef struct
{
  gboolean failing;
  guint64 written_records, written_bytes, lost_records, lost_bytes;
} SondeSummaryWriterState;

void sonde_summary_writer_get_state (SondeSummaryWriter      *writer,
                                     SondeSummaryWriterState *state);
/* (transfer full) (nullable): reason of the last failure, a sentence with the path */
char *sonde_summary_writer_dup_failure (SondeSummaryWriter *writer);

const char *sonde_summary_writer_get_path (const SondeSummaryWriter *writer); /* the .sonde file */
guint32 sonde_summary_writer_get_session (const SondeSummaryWriter *writer);

G_END_DECLS
