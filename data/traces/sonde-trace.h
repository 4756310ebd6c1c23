/* SPDX-License-Identifier: Apache-2.0
 * A trace: what a profiler wrote, of whatever producer and format, as spans on threads, instants,
 * counters and arrows between spans. A reader fills a SondeTraceBuilder; the finished trace is constant
 * and may be read from any thread. Times are integer nanoseconds of the file's own clock.
 *
 * What does not live here: what follows from spans (steps, operators, advice): data/profiles. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* No span, label, thread or text. */
#define SONDE_TRACE_NONE G_MAXUINT32

/* Places in the tree of sampled stacks. */
#define SONDE_TRACE_STACKS_MAX (2u << 20)

/**
 * SondeTraceSpan:
 * @start_ns, @end_ns: end ≥ start
 * @label: what it is: index of SondeTrace.labels
 * @thread: where it ran: index of SondeTrace.threads
 */
typedef struct
{
  gint64 start_ns;
  gint64 end_ns;
  guint32 label;
  guint32 thread;
} SondeTraceSpan;

/**
 * SondeTraceNesting:
 * @parent: the span that contains it on its lane; SONDE_TRACE_NONE for an outermost one
 * @level: for sonde_trace_get_depth() and sonde_trace_get_lane(): the depth on the first lane; with
 *   SONDE_TRACE_ABOVE the index of the place in SondeTrace.above
 *
 * Of the span of the same index.
 */
typedef struct
{
  guint32 parent;
  guint32 level;
} SondeTraceNesting;

#define SONDE_TRACE_ABOVE (1u << 31)

/* Of a span that overlaps others of its thread without being inside: few in a sound trace. */
typedef struct
{
  guint32 depth, lane;
} SondeTracePlace;

/**
 * SondeTraceLabel:
 * @total_ns: of its spans, but of those that contain one of the same label on their lane only the
 *   outermost
 * @self_ns: less what their direct children took
 * @min_ns, @max_ns: shortest and longest span
 *
 * A pair of category and name, and the sums over its @n spans. Instants and asynchronous spans have
 * labels, too, which may have no span (@n = 0).
 */
typedef struct
{
  const char *category;
  const char *name;
  guint64 n;
  gint64 total_ns, self_ns, min_ns, max_ns;
} SondeTraceLabel;

/* What is known of each span of a label beside its times, for other programs: @text or, where that is NULL, @number. @key
 * is static. */
typedef struct
{
  guint32 label;
  const char *key, *text;
  gint64 number;
} SondeTraceDetail;

/**
 * SondeTraceThread:
 * @pid, @tid: as text: not every producer writes numbers
 * @process, @name: "" where the file gives none
 * @track: name of a track that is no thread (Perfetto), else ""
 * @first, @n: its spans: [first, first + n) of SondeTrace.spans
 * @busy_ns: time in which at least one span is open
 * @n_samples: of perf: how many were taken on it
 * @n_lanes, @max_depth: 1 when nothing overlaps, when nothing is nested
 *
 * A thread, or a track: one row of a timeline.
 */
typedef struct
{
  const char *pid, *tid, *process, *name, *track;
  guint64 first, n;
  gint64 busy_ns;
  guint64 n_samples;
  guint32 n_lanes, max_depth;
} SondeTraceThread;

typedef struct
{
  gint64 at_ns;
  guint32 label, thread;
  guint64 place;
} SondeTraceInstant;

/* A span that belongs to no thread: a request, a transfer. */
typedef struct
{
  gint64 start_ns, end_ns;
  guint32 label, thread; /* @thread: where it began */
} SondeTraceAsync;

typedef struct
{
  gint64 at_ns;
  double value;
} SondeTracePoint;

/* A series of numbers; @points: SondeTracePoint by time, at least one. */
typedef struct
{
  const char *pid, *name, *key;
  GArray *points;
  double min, max;
} SondeTraceCounter;

/* How much memory is taken after an allocation or a release; @device: as the producer names it;
 * @reserved_bytes: what its allocator holds; -1: not told. */
typedef struct
{
  gint64 at_ns;
  const char *device;
  gint64 total_bytes, reserved_bytes;
} SondeTraceMemory;

/* What is told of the operator that @span ran: its type, where it is not in the span's name (nullable),
 * floating-point operations from the sizes of its inputs, and bytes of inputs and outputs; 0 where they are not told. */
typedef struct
{
  guint32 span;
  const char *type;
  double flops, bytes;
} SondeTraceOperator;

/**
 * SondeTraceArrow:
 * @from, @to: the spans they lie on, or SONDE_TRACE_NONE
 * @is_bound: whether both ends lie on a span, or on an instant that says so itself (Perfetto)
 *
 * From one moment to another.
 */
typedef struct
{
  gint64 from_ns, to_ns;
  guint32 from_thread, to_thread;
  guint32 from, to;
  gboolean is_bound;
} SondeTraceArrow;

typedef enum
{
  SONDE_TRACE_CHROME,
  SONDE_TRACE_PERFETTO,
  SONDE_TRACE_XSPACE,
  SONDE_TRACE_COLLAPSED,
  SONDE_TRACE_PERF,
} SondeTraceFormat;

/* Why something of the file was not read or was read otherwise than written; names by
 * sonde_trace_reason_get_name(). */
typedef enum
{
  SONDE_TRACE_REASON_EVENT,          /* an element that is no object */
  SONDE_TRACE_REASON_PHASE,          /* missing, or not one character */
  SONDE_TRACE_REASON_TIME,           /* missing, no number, beyond 64 bits, of an unknown clock */
  SONDE_TRACE_REASON_DURATION,       /* missing, no number, negative */
  SONDE_TRACE_REASON_ID,             /* missing where the phase needs one */
  SONDE_TRACE_REASON_COUNTER,        /* no value, or one that is no number */
  SONDE_TRACE_REASON_UNMATCHED_END,  /* an end without a begin */
  SONDE_TRACE_REASON_UNCLOSED,       /* a begin without an end of its own */
  SONDE_TRACE_REASON_DUPLICATE_ID,   /* a second begin while the first is open */
  SONDE_TRACE_REASON_UNMATCHED_FLOW, /* a start without arrow, a step or an end without start */
  SONDE_TRACE_REASON_OVERLAPPING,    /* spans that are neither inside nor beside each other */
  SONDE_TRACE_REASON_PACKET,         /* undecodable */
  SONDE_TRACE_REASON_STATE,          /* needs what a loss of packets took away */
  SONDE_TRACE_REASON_LINE,           /* of a text format */
  SONDE_TRACE_REASON_LONG_TEXT,      /* cut at 1 MiB */
  SONDE_TRACE_N_REASONS,
} SondeTraceReason;

/* A frame of sampled stacks: samples whose innermost frame it is, samples that it is part of. */
typedef struct
{
  const char *name;
  guint64 self, total;
} SondeTraceFrame;

/**
 * SondeTraceStack:
 * @parent: what called it: index of SondeTrace.stacks, less than its own; SONDE_TRACE_NONE: nothing
 * @frame: index of SondeTrace.frames
 * @weight: of the samples that end here
 *
 * A place in the tree of sampled stacks.
 */
typedef struct
{
  guint32 parent, frame;
  guint64 weight;
} SondeTraceStack;

/* One phase or packet that was counted and not read. */
typedef struct
{
  const char *name;
  guint64 n;
} SondeTraceIgnored;

/**
 * SondeTrace:
 * @producer: "pytorch", "onnxruntime", "mindspore", "viztracer", "tensorflow", "sonde" or "unknown"
 * @compressed: whether it was a gzip file
 * @bytes: size of the file
 * @clock_base_ns: what the file says has to be added for the time of day; not added here
 * @start_ns, @end_ns: of everything that counted; only with @has_time
 * @n_events: objects (Chrome), packets with an event (Perfetto), events (XSpace), lines
 * @n_dropped: packets that the producer says it lost
 * @spans, @nesting: by thread, there by start, longest first; equal length
 * @threads, @labels: also those without a span, which have n = 0
 * @truncated_at: offset where the reading ended; only when @truncated
 * @frames, @stacks, @weight: of collapsed stacks and perf samples; @stacks have at most
 *   SONDE_TRACE_STACKS_MAX places: the weight of what is left out lies on what called it
 *
 * All texts are valid UTF-8 without NUL and live as long as the trace.
 */
typedef struct
{
  SondeTraceFormat format;
  const char *producer;
  gboolean compressed;
  guint64 bytes;
  gint64 clock_base_ns;
  gboolean has_time;
  gint64 start_ns, end_ns;
  guint64 n_events, n_dropped;

  SondeTraceSpan *spans;
  SondeTraceNesting *nesting;
  GArray *above; /* SondeTracePlace: of spans on lanes above the first */
  gsize n_spans;
  GArray *labels;    /* SondeTraceLabel */
  GArray *details;   /* SondeTraceDetail, by label; nobody reads them from files */
  GArray *threads;   /* SondeTraceThread */
  GArray *instants;  /* SondeTraceInstant */
  GArray *async;     /* SondeTraceAsync */
  GArray *counters;  /* SondeTraceCounter */
  GArray *arrows;    /* SondeTraceArrow */
  GArray *memory;    /* SondeTraceMemory, by time */
  GArray *operators; /* SondeTraceOperator, by span */
  GArray *ignored;   /* SondeTraceIgnored */
  GArray *frames;    /* SondeTraceFrame */
  GArray *stacks;    /* SondeTraceStack */
  gsize n_threads_with_spans, n_labels_with_spans; /* with n > 0 */
  guint64 n_flow_starts, n_flow_steps, n_flow_ends;
  guint64 n_created, n_snapshots, n_deleted; /* objects */
  guint64 n_samples, weight;

  guint64 reasons[SONDE_TRACE_N_REASONS];
  gboolean truncated;
  guint64 truncated_at;

  struct _SondeTraceTexts *texts; /* owns the texts */
} SondeTrace;

/* Behind those of lower labels. @text: (nullable): copied */
void sonde_trace_add_detail (SondeTrace *trace, guint32 label, const char *key, const char *text,
                             gint64 number);
/* @n: (out): how many there are. (nullable) */
const SondeTraceDetail *sonde_trace_get_details (const SondeTrace *trace, guint32 label, guint *n);

/* 0 is outermost. */
static inline guint32
sonde_trace_get_depth (const SondeTrace *trace, gsize span)
{
  const guint32 level = trace->nesting[span].level;

  return level & SONDE_TRACE_ABOVE
             ? g_array_index (trace->above, SondeTracePlace, level ^ SONDE_TRACE_ABOVE).depth
             : level;
}

/* 0, or more for a span that overlaps others of its thread without being inside. */
static inline guint32
sonde_trace_get_lane (const SondeTrace *trace, gsize span)
{
  const guint32 level = trace->nesting[span].level;

  return level & SONDE_TRACE_ABOVE
             ? g_array_index (trace->above, SondeTracePlace, level ^ SONDE_TRACE_ABOVE).lane
             : 0;
}

void sonde_trace_free (SondeTrace *trace); /* (nullable) */
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SondeTrace, sonde_trace_free)

const char *sonde_trace_format_get_name (SondeTraceFormat format); /* as in JSON: "chrome" */
const char *sonde_trace_reason_get_name (SondeTraceReason reason); /* as in JSON: "unmatched_end" */

static inline const SondeTraceLabel *
sonde_trace_get_label (const SondeTrace *trace, guint32 label)
{
  return &g_array_index (trace->labels, SondeTraceLabel, label);
}

static inline const SondeTraceThread *
sonde_trace_get_thread (const SondeTrace *trace, guint32 thread)
{
  return &g_array_index (trace->threads, SondeTraceThread, thread);
}

G_END_DECLS
