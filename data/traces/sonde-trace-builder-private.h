/* SPDX-License-Identifier: Apache-2.0
 * What a SondeTraceBuilder has gathered, for the files that finish it. */
#pragma once

#include "data/traces/sonde-trace-builder.h"
#include "data/traces/sonde-trace-marks.h"
#include "data/traces/sonde-trace-samples.h"

G_BEGIN_DECLS

/* -1, 0 or 1, as functions that compare for sorting return it. */
#define SONDE_TRACE_COMPARE(a, b) (((a) > (b)) - ((a) < (b)))

/* What a number stands for: a thread, a chain of flow events, an asynchronous span, a series. */
typedef struct
{
  guint64 a, b, c;
} SondeTraceKey;

/* A span as it was met; @place: where it stands in the file: byte offset of its event (of the inflated bytes) */
typedef struct
{
  SondeTraceSpan span;
  guint64 place;
} SondeTraceMet;

/* What is told of the operator that the span at @place ran, as in SondeTraceOperator. */
typedef struct
{
  guint64 place;
  const char *type;
  double flops, bytes;
} SondeTraceNamed;

/* A begin or an end without a thread. @key: what begins and ends share, as a number */
typedef struct
{
  gint64 at_ns;
  guint64 place;
  guint32 key;
  guint32 label, thread;
  gboolean begins;
} SondeTraceAsyncMark;

/* A flow event. @key: its chain, as a number; @own: the span of its place, when it lies on that, else (and until
 * spans are ordered) SONDE_TRACE_NONE */
typedef struct
{
  gint64 at_ns;
  guint64 place;
  guint32 key;
  guint32 thread;
  guint32 own;
  guint8 kind;    /* SondeTraceFlowKind */
  guint8 binding; /* SondeTraceBinding */
} SondeTraceFlow;

struct _SondeTraceBuilder
{
  SondeTrace *trace;
  GArray *spans;             /* SondeTraceMet */
  GArray *operators;         /* SondeTraceNamed, as met */
  guint64 *places;           /* of trace->spans, while they are ordered */
  GPtrArray *marks;          /* (nullable) SondeTraceMarks, by thread; may be shorter */
  GArray *async;             /* SondeTraceAsyncMark */
  GArray *flows;             /* SondeTraceFlow */
  GArray *threads;           /* SondeTraceKey: pid, tid, row; of trace->threads */
  GArray *thread_texts;      /* SondeTraceThreadTexts, of trace->threads */
  GHashTable *process_names; /* pid → name */
  GHashTable *thread_indices;
  GHashTable *labels;   /* (category, name) → index + 1 */
  GArray *label_texts;  /* guint64: (category, name) */
  GHashTable *keys;     /* of asynchronous spans and flows → number + 1 */
  GHashTable *counters; /* → index + 1 */
  GHashTable *ignored;  /* phase → index + 1 */
  SondeTraceSamples *samples;
  struct
  {
    guint64 key;
    guint32 label;
  } recent_labels[1024];
  guint32 last_thread;
};

static inline guint32
sonde_trace_builder_get_label_name (const SondeTraceBuilder *builder, guint32 label)
{
  return (guint32) g_array_index (builder->label_texts, guint64, label);
}

/* Counts a moment for the bounds of the trace. */
static inline void
sonde_trace_builder_extend (SondeTraceBuilder *builder, gint64 from_ns, gint64 to_ns)
{
  SondeTrace *trace = builder->trace;

  trace->start_ns = trace->has_time ? MIN (trace->start_ns, from_ns) : from_ns;
  trace->end_ns = trace->has_time ? MAX (trace->end_ns, to_ns) : to_ns;
  trace->has_time = TRUE;
}

/* The steps of finishing, in this order. */

/* Begins and ends become spans: @builder->spans grows, trace->async is filled. (sonde-trace-pairs.c) */
void sonde_trace_builder_pair (SondeTraceBuilder *builder);
/* Sorts spans into trace->spans, thread by thread, fills trace->operators, and tells flows that
 * lie on the span of their place which that is. (sonde-trace-order.c) */
void sonde_trace_builder_order (SondeTraceBuilder *builder);
/* Fills trace->nesting and the sums of threads and labels. (sonde-trace-nesting.c) */
void sonde_trace_builder_nest (SondeTraceBuilder *builder);
/* Fills trace->arrows. (sonde-trace-flows.c) */
void sonde_trace_builder_chain_flows (SondeTraceBuilder *builder);

G_END_DECLS
