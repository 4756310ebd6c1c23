/* SPDX-License-Identifier: Apache-2.0
 * The summary writer: takes records from any thread, writes them from its own. What is written and
 * when is decided by callers and their policies; how bytes look is data/records' matter. */
#pragma once

#include "collector/writer/sonde-policy.h"
#include "data/base/sonde-clock.h"
#include "data/base/sonde-io.h"
#include "data/base/sonde-message.h"
#include "data/records/sonde-record.h"
#include "data/values/sonde-image.h"

G_BEGIN_DECLS

typedef struct _SondeSummaryWriter SondeSummaryWriter;

/* What a run is made of. */
typedef enum
{
  SONDE_SUMMARY_FORMAT_SONDE, /* RUN/records/NNNNNN.sonde */
  /* RUN/events.out.tfevents.…, embeddings as files of the projector */
  SONDE_SUMMARY_FORMAT_TENSORBOARD,
  /* RUN/events.out.events.summary.…_MS, and …_lineage when there is lineage */
  SONDE_SUMMARY_FORMAT_MINDSPORE,
} SondeSummaryFormat;

/* "sonde", "tensorboard", "mindspore". FALSE for another name. */
gboolean sonde_summary_format_from_name (const char *name, SondeSummaryFormat *format);

/**
 * SondeSummaryWriterOptions: zero-initialise; 0 and NULL mean the default
 * @io, @clock: (nullable)
 * @format: of the files; what a foreign one has no place for is left out, said once and counted
 * @parse_model: (nullable): ONNX bytes -> graph, (transfer full): foreign formats need it for
 *   graphs that are added as a model; called on the writing thread with @parse_data
 * @warn: (nullable): called on the writing thread with @warn_data, once for each thing the format
 * has no place for
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
  SondeSummaryFormat format;
  SondeGraph *(*parse_model) (GBytes *model, gpointer parse_data, GError **error);
  gpointer parse_data;
  void (*warn) (const char *message, gpointer warn_data);
  gpointer warn_data;
} SondeSummaryWriterOptions;

/**
 * sonde_summary_writer_open:
 * @run: run folder, made if missing; records go to RUN/records/NNNNNN.sonde, the first free number,
 *   which is also the session's number; foreign formats have their own names of files
 *
 * Starts the writing thread. One write() a record, O_APPEND; SIGKILL leaves at most one torn
 * record. What was added is written within some 20 ms. After a fork() the writer is the parent's:
 * the child may only close it.
 * Errors: folder cannot be made or written, with its path.
 */
SondeSummaryWriter *sonde_summary_writer_open (const char *run,
                                               const SondeSummaryWriterOptions *options,
                                               GError **error);

/**
 * sonde_summary_writer_close:
 * Writes all that waits, fsyncs, joins the thread, frees.
 * Errors: something was lost since the writer was opened (the message counts records and says why).
 */
gboolean sonde_summary_writer_close (SondeSummaryWriter *writer, GError **error);

/* All adders: any thread; never block on the disk; copy what they need (GBytes are referenced).
 * While the disk refuses, small records wait in the queue and large ones are dropped; when the
 * queue is full, the oldest waiting records other than scalars are dropped, then what is added.
 * Each one is counted; after the next success a GAP record says how many were lost, from which step
 * to which, and why. Wall time is taken from the clock at the call; scalars of one step that are
 * added one by one within a millisecond travel in one record with the time of the first. */

void sonde_summary_writer_add_scalars (SondeSummaryWriter *writer, gint64 step,
                                       const SondeScalar *scalars, gsize n);
void sonde_summary_writer_add_scalar (SondeSummaryWriter *writer, const char *tag, gint64 step,
                                      double value);
void sonde_summary_writer_add_histogram (SondeSummaryWriter *writer, const char *tag, gint64 step,
                                         const SondeHistogram *histogram);
void sonde_summary_writer_add_statistics (SondeSummaryWriter *writer, const char *tag, gint64 step,
                                          const SondeStatistics *statistics);
void sonde_summary_writer_add_tensor (SondeSummaryWriter *writer, const char *tag, gint64 step,
                                      SondeTensor *tensor);
/**
 * sonde_summary_writer_add_values:
 * @data: @n contiguous numbers of @dtype
 *
 * A histogram. The numbers are copied; the writing thread counts them.
 */
void sonde_summary_writer_add_values (SondeSummaryWriter *writer, const char *tag, gint64 step,
                                      SondeDtype dtype, const void *data, gsize n);

/* Order of a picture's numbers. */
typedef enum
{
  SONDE_PIXELS_CHW,
  SONDE_PIXELS_HWC,
} SondePixelLayout;

/**
 * sonde_summary_writer_add_pixels:
 * @data: @channels × @height × @width numbers of @dtype in the order of @layout; floats in [0, 1],
 * integers are levels
 * @channels: 1, 3 or 4; @width, @height in 1…16384
 * @note: (nullable) copied
 *
 * A picture. The numbers are copied; the writing thread converts and encodes them.
 */
void sonde_summary_writer_add_pixels (SondeSummaryWriter *writer, const char *tag, gint64 step,
                                      int index, SondeDtype dtype, SondePixelLayout layout,
                                      const void *data, int channels, int height, int width,
                                      const SondeSampleNote *note);

/* @image is encoded as PNG by the writing thread; copied here. @note: (nullable) copied */
void sonde_summary_writer_add_image (SondeSummaryWriter *writer, const char *tag, gint64 step,
                                     int index, const SondeImage *image,
                                     const SondeSampleNote *note);
/* @model: ONNX bytes */
void sonde_summary_writer_add_graph (SondeSummaryWriter *writer, const char *tag, gint64 step,
                                     GBytes *model, gboolean executed);
void sonde_summary_writer_add_hparams (SondeSummaryWriter *writer, const SondeHparam *items,
                                       gsize n); /* tag "hparams", step 0 */
void sonde_summary_writer_add_text (SondeSummaryWriter *writer, const char *tag, gint64 step,
                                    const char *text);
/* A text that a page shows in the user's language; English to everybody else. Copied. */
void sonde_summary_writer_add_message (SondeSummaryWriter *writer, const char *tag, gint64 step,
                                       const SondeMessage *message);
/* @samples: [@n_frames, @n_channels] in [-1, 1], written as 16-bit WAV; @rate: frames a second */
void sonde_summary_writer_add_audio (SondeSummaryWriter *writer, const char *tag, gint64 step,
                                     const float *samples, gsize n_frames, int n_channels,
                                     int rate);

/**
 * sonde_summary_writer_add_pr_curve:
 * @labels: (array length=n): is it true?
 * @predictions: (array length=n): in [0, 1]
 * @weights: (nullable) (array length=n): 1 each
 * @n_thresholds: 2 or more; 127 is common
 *
 * Source: tensorflow/tensorboard plugins/pr_curve/summary.py: bucket floor (p (k - 1)), sums from
 * above; precision = TP / max (1e-7, TP + FP), recall = TP / max (1e-7, TP + FN).
 */
void sonde_summary_writer_add_pr_curve (SondeSummaryWriter *writer, const char *tag, gint64 step,
                                        const guint8 *labels, const float *predictions,
                                        const float *weights, gsize n, guint n_thresholds);

/* What is said about @tag; all (nullable). */
void sonde_summary_writer_describe (SondeSummaryWriter *writer, const char *tag,
                                    const char *display_name, const char *description,
                                    const char *unit, const char *group);

/* Any record; @record's members are copied, @session and (when 0) @wall_time_ns are filled in. */
void sonde_summary_writer_add_record (SondeSummaryWriter *writer, const SondeRecord *record);

/**
 * sonde_summary_writer_set_policy:
 * @pattern: glob of tags; the rule that was set last and fits holds
 * @policy: copied; each tag counts for itself
 *
 * From now on, what a tag's policy does not want is not recorded. Nothing is held back unless this
 * is called; hyper- parameters, notes and records that are given whole
 * (sonde_summary_writer_add_record()) never are.
 */
void sonde_summary_writer_set_policy (SondeSummaryWriter *writer, const char *pattern,
                                      const SondePolicy *policy);

/* Blocks until all added so far is with the system (not fsynced), or until the disk refuses: then
 * it goes on waiting in the queue. For tests and pauses. */
void sonde_summary_writer_flush (SondeSummaryWriter *writer);

/* The same, and on the disk: fsynced. Errors: the disk refused, with the path. */
gboolean sonde_summary_writer_sync (SondeSummaryWriter *writer, GError **error);

/**
 * SondeSummaryWriterState:
 * @failing: the last write failed (for a banner); see sonde_summary_writer_dup_failure()
 * @lost_records, @lost_bytes: dropped since opening
 * @left_out: records that the format has no place for: see sonde_summary_writer_dup_warnings()
 */
typedef struct
{
  gboolean failing;
  guint64 written_records, written_bytes, lost_records, lost_bytes, left_out;
} SondeSummaryWriterState;

void sonde_summary_writer_get_state (SondeSummaryWriter *writer, SondeSummaryWriterState *state);
/* (transfer full) (nullable): reason of the last failure, a sentence with the path */
SondeMessage *sonde_summary_writer_dup_failure (SondeSummaryWriter *writer);
/* (transfer full) (element-type SondeMessage): what the format had no place for so far */
GPtrArray *sonde_summary_writer_dup_warnings (SondeSummaryWriter *writer);

/* of the records, not of lineage */
const char *sonde_summary_writer_get_path (const SondeSummaryWriter *writer);
guint32 sonde_summary_writer_get_session (const SondeSummaryWriter *writer);

G_END_DECLS
