/* SPDX-License-Identifier: Apache-2.0
 * The log itself, for the files that make it. */
#pragma once

#include "data/base/sonde-running-median.h"
#include "data/base/sonde-span-log.h"

#include <pthread.h>

G_BEGIN_DECLS

#define SONDE_SPAN_BLOCK 4096u /* spans of a block of memory */

/**
 * SondeSpanThreadState: a thread that puts down spans
 * @ended: it is no more: another may take its ring
 * @blocks: (element-type SondeSpan[SONDE_SPAN_BLOCK]): what was collected, @n of them
 * @kept: of them, those that stay whatever becomes of the step under way
 * @dropped_before: by the ring, before the recording; @refused: what there was no memory for
 */
typedef struct
{
  SondeSpanRing ring; /* first: it is aligned */
  char *name;
  gint64 tid;
  _Atomic int ended;
  GPtrArray *blocks;
  guint64 n, kept;
  guint64 dropped_before, refused;
} SondeSpanThreadState;

typedef struct
{
  const char *kind;
  gpointer source;
  GDestroyNotify free;
  guint32 first;
  guint n;
} SondeSpanSource;

/**
 * SondeSpanLogState: @lock protects all but the rings, and @step_number and @step_start, which are those
 * of the thread that drives the steps
 * @key: of each thread its SondeSpanThreadState
 * @armed: a recording is under way or waits for its first step
 * @labels: (element-type utf8): of label @i at i − 1; lent by the table or a source
 * @step_ns: of steps so far; @step_start: of the one under way, only if @in_step; @last_end: of the
 *   last one that counted
 * @n_collected: spans that were taken out of rings in this recording
 * @span_ns: what it takes to put one down
 */
typedef struct
{
  SondeSpanLog base; /* first */
  _Atomic guint ref_count;
  pthread_mutex_t lock;
  pthread_key_t key;
  _Atomic int armed;
  SondeSpanLogOptions options;
  GPtrArray *threads;
  GPtrArray *labels;
  GHashTable *texts; /* owned text -> label */
  GArray *sources;
  const char *step_name;
  guint32 step_label;
  _Atomic int in_step;
  guint64 step_number, step_start, last_end;
  SondeRunningMedian step_ticks;
  guint64 n_steps, n_collected, n_bytes;
  double collecting_ticks, span_ns;
  SondeSpanSampler sampler;
  gpointer sampler_data;
  gint64 sampler_interval_ns;
  double sampler_ticks; /* the same, from the start of the recording on */
  guint64 sampled_at;
} SondeSpanLogState;

/* What waits in all rings is put behind what was collected. Lock held. */
void sonde_span_log_collect (SondeSpanLogState *log);
/* Forgets what was collected and ended behind @moment. Lock held. */
void sonde_span_log_forget_since (SondeSpanLogState *log, guint64 moment);

G_END_DECLS
