/* SPDX-License-Identifier: Apache-2.0
 * What the threads of a program did and when: rings that they write (sonde-span-ring.h), labels that name
 * what is in them, and the recording: when it begins and ends, which steps it keeps. One log a training
 * or inference, made with it and switched on when somebody wants to know; while it is off, all it
 * costs is one predictable branch.
 *
 * Whoever works for a training gets its log and asks sonde_span_log_enter() before what is to be
 * measured. The thread that drives the steps says when one begins and ends.
 *
 * What does not live here: what spans mean (data/profiles), what is said of plans (engine/profile). */
#pragma once

#include "data/base/sonde-span-ring.h"
#include "data/base/sonde-ticks.h"

G_BEGIN_DECLS

/* Zero of a label means none. */
#define SONDE_SPAN_NO_LABEL 0u

/* Memory for a recording, unless somebody says otherwise. */
#define SONDE_SPAN_LOG_BYTES (G_GUINT64_CONSTANT (256) << 20)

/* The counter of batches that are found ready when one is asked for. */
#define SONDE_SPAN_READY "data/ready"

/* Steps before which no step is called slow. */
#define SONDE_SPAN_LOG_LEAST_STEPS 5

/* Bits of @on. */
#define SONDE_SPAN_LOG_ON 1
#define SONDE_SPAN_LOG_KERNELS 2 /* kernels and allocations, too */

/**
 * SondeSpanLog:
 * @on: spans are wanted now
 * @ticks: the clock of the spans
 *
 * The rest is private.
 */
typedef struct
{
  _Atomic int on;
  SondeTicks ticks;
} SondeSpanLog;

SondeSpanLog *sonde_span_log_new (void);
SondeSpanLog *sonde_span_log_ref (SondeSpanLog *log);
void sonde_span_log_unref (SondeSpanLog *log); /* (nullable) */
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SondeSpanLog, sonde_span_log_unref)

/* ---- recording: any thread ------------------------------------------------ */

/**
 * SondeSpanLogOptions: zero-initialise
 * @first: number of the first step; 0: the next one that begins
 * @n_steps: how many are kept; 0: until somebody stops it
 * @slower: K > 0 keeps only steps that take more than K × the median of those so far, from the
 *   sixth on
 * @kernels: kernels, with their parts on threads, and allocations, too
 * @max_bytes: memory for spans; what goes beyond is dropped and counted; 0: SONDE_SPAN_LOG_BYTES
 */
typedef struct
{
  guint64 first, n_steps;
  double slower;
  gboolean kernels;
  guint64 max_bytes;
} SondeSpanLogOptions;

/* Forgets what was recorded before. It begins with the step that begins next. @options: (nullable) */
void sonde_span_log_start (SondeSpanLog *log, const SondeSpanLogOptions *options);
/* Keeps what was recorded, of whole steps. Nothing happens when it is off. It stops itself behind the
 * last of @n_steps. */
void sonde_span_log_stop (SondeSpanLog *log);

/**
 * SondeSpanLogStatus:
 * @recording: started and not stopped; perhaps it still waits for its first step
 * @steps: kept so far; @spans, @bytes: of those and of the step under way
 * @dropped: spans that found no room
 * @overhead_ms: what recording took of the time of the threads so far: measured where spans are
 *   collected, estimated from their number where they are put down
 */
typedef struct
{
  gboolean recording;
  guint64 steps, spans, bytes, dropped;
  double overhead_ms;
} SondeSpanLogStatus;

void sonde_span_log_get_status (SondeSpanLog *log, SondeSpanLogStatus *status);

/* ---- steps: the thread that drives them ------------------------------------ */

/* @log: (nullable). @number: of the step; it may begin a recording. Returns: when it began; 0: nobody
 * wants to know */
guint64 sonde_span_log_begin_step (SondeSpanLog *log, guint64 number);
/* Collects what all threads put down, and decides whether it is kept. */
void sonde_span_log_end_step (SondeSpanLog *log);
/* The step was interrupted: it is no measurement. What was recorded of it is forgotten, and nothing is
 * recorded until the next one begins. */
void sonde_span_log_leave_step (SondeSpanLog *log);

/* What steps are called: "step" or "run", with their number behind it. Default: "step". @name: static */
void sonde_span_log_set_step_name (SondeSpanLog *log, const char *name);

/* Called at the end of steps, at most every @interval_ns, where it may add counters and nothing else: the log is
 * locked. (nullable) */
typedef void (*SondeSpanSampler) (SondeSpanLog *log, SondeSpanRing *ring, gpointer data);
void sonde_span_log_set_sampler (SondeSpanLog *log, SondeSpanSampler sampler, gpointer data,
                                 gint64 interval_ns);
/* Once more now, on the calling thread and outside of any step: after the start of a recording of few short steps,
 * none of which shall pay for it. */
void sonde_span_log_sample_now (SondeSpanLog *log);

/* ---- putting down: any thread ---------------------------------------------- */

/* The calling thread's ring, made when it is first needed; when the thread ends, one that begins under the same
 * name goes on with it. */
SondeSpanRing *sonde_span_log_get_ring (SondeSpanLog *log);

/* @log: (nullable). NULL: nobody wants to know. */
static inline SondeSpanRing *
sonde_span_log_enter (SondeSpanLog *log)
{
  if (G_LIKELY (log == NULL || atomic_load_explicit (&log->on, memory_order_relaxed) == 0))
    return NULL;
  return sonde_span_log_get_ring (log);
}

/* @log: (nullable). Whether kernels and allocations are wanted now. */
static inline gboolean
sonde_span_log_wants_kernels (SondeSpanLog *log)
{
  return log != NULL
         && (atomic_load_explicit (&log->on, memory_order_relaxed) & SONDE_SPAN_LOG_KERNELS) != 0;
}

/* From @start until now. @ring: of sonde_span_log_enter(). Returns: now */
static inline guint64
sonde_span_log_add (const SondeSpanLog *log, SondeSpanRing *ring, SondeSpanCategory category,
                    guint32 label, guint64 start, gint64 value)
{
  guint64 now = sonde_ticks_now (&log->ticks);

  sonde_span_ring_add (ring, (SondeSpan){ start, now, { value }, label, category });
  return now;
}

static inline void
sonde_span_log_add_number (const SondeSpanLog *log, SondeSpanRing *ring, guint32 label,
                           double number)
{
  guint64 now = sonde_ticks_now (&log->ticks);

  sonde_span_ring_add (ring,
                       (SondeSpan){ now, now, { .number = number }, label, SONDE_SPAN_COUNTER });
}

/* The label of a text, copied; the same for the same text. Not 0. */
guint32 sonde_span_log_add_label (SondeSpanLog *log, const char *text);

/**
 * sonde_span_log_add_source:
 * @texts: (array length=n): of @source
 * @kind: (static): what @source is, for whoever looks at it later
 * @source: (transfer full): what the labels are of; freed with the log by @free
 *
 * Labels for many things at once. Returns: that of the first; the others follow it.
 */
guint32 sonde_span_log_add_source (SondeSpanLog *log, const char *const *texts, guint n,
                                   const char *kind, gpointer source, GDestroyNotify free);

/* ---- what was recorded: while it is stopped --------------------------------- */

/* A thread that put something down; @tid: as the system numbers it */
typedef struct
{
  const char *name;
  gint64 tid;
  guint64 n_spans, n_dropped;
} SondeSpanThread;

guint sonde_span_log_get_n_threads (SondeSpanLog *log);
void sonde_span_log_get_thread (SondeSpanLog *log, guint thread, SondeSpanThread *result);
/* In the order of their ends, of each thread. Valid until it is started again. */
const SondeSpan *sonde_span_log_get_span (SondeSpanLog *log, guint thread, guint64 index);

guint32 sonde_span_log_get_n_labels (SondeSpanLog *log); /* they are 1…n */
const char *sonde_span_log_get_label (SondeSpanLog *log, guint32 label);
const char *sonde_span_log_get_step_name (SondeSpanLog *log);

guint sonde_span_log_get_n_sources (SondeSpanLog *log);
/* Returns: (transfer none): the source; its labels are [@first, @first + @n). */
gpointer sonde_span_log_get_source (SondeSpanLog *log, guint index, const char **kind,
                                    guint32 *first, guint *n);

G_END_DECLS
