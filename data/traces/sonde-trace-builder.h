/* SPDX-License-Identifier: Apache-2.0
 * What a reader of a trace fills: events in the order of the file, as raw as the file gives them.
 * Finishing pairs begins with ends, chains flows, sorts and nests. One thread at a time.
 *
 * Texts are numbers of sonde_trace_builder_add_text(); "" is 0. @place: the offset of the event in the
 * file: it orders events of equal time and must not fall from call to call. */
#pragma once

#include "data/traces/sonde-trace-texts.h"
#include "data/traces/sonde-trace.h"

G_BEGIN_DECLS

typedef struct _SondeTraceBuilder SondeTraceBuilder;

SondeTraceBuilder *sonde_trace_builder_new (SondeTraceFormat format);
void sonde_trace_builder_free (SondeTraceBuilder *builder); /* (nullable) */
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SondeTraceBuilder, sonde_trace_builder_free)

guint32 sonde_trace_builder_add_text (SondeTraceBuilder *builder, const char *bytes, gsize n);
const char *sonde_trace_builder_get_text (SondeTraceBuilder *builder, guint32 text);

/* The label of a category and a name. */
guint32 sonde_trace_builder_add_label (SondeTraceBuilder *builder, guint32 category, guint32 name);

/**
 * sonde_trace_builder_add_thread:
 * @row: 0, or a number of its own for a track that is not the thread (@pid, @tid) itself
 *
 * The index of the thread, the same for the same three.
 */
guint32 sonde_trace_builder_add_thread (SondeTraceBuilder *builder, guint32 pid, guint32 tid,
                                        guint64 row);

/* Names; the last one given counts. A process may be named before and after its threads are met. */
void sonde_trace_builder_name_process (SondeTraceBuilder *builder, guint32 pid, guint32 name);
void sonde_trace_builder_name_thread (SondeTraceBuilder *builder, guint32 thread, guint32 name);

/* What is to be said of a thread. @process: SONDE_TRACE_NONE: by its pid; @name, @track:
 * SONDE_TRACE_NONE: "" */
typedef struct
{
  guint32 pid, tid, process, name, track;
} SondeTraceThreadTexts;

/* For a track of which only the row was known when it was met: instead of all that was said before. */
void sonde_trace_builder_describe_thread (SondeTraceBuilder *builder, guint32 thread,
                                          const SondeTraceThreadTexts *texts);

/* @end_ns ≥ @start_ns; one that lasts 2⁶³ ns or more is counted as `time` and left out */
void sonde_trace_builder_add_span (SondeTraceBuilder *builder, guint32 thread, guint32 label,
                                   gint64 start_ns, gint64 end_ns, guint64 place);
void sonde_trace_builder_add_begin (SondeTraceBuilder *builder, guint32 thread, guint32 label,
                                    gint64 at_ns, guint64 place);
/* @name: closes the newest open span of that name; SONDE_TRACE_NONE: the newest */
void sonde_trace_builder_add_end (SondeTraceBuilder *builder, guint32 thread, guint32 name,
                                  gint64 at_ns, guint64 place);
void sonde_trace_builder_add_instant (SondeTraceBuilder *builder, guint32 thread, guint32 label,
                                      gint64 at_ns, guint64 place);

/**
 * sonde_trace_builder_add_async:
 * @begins: whether it is the begin or the end
 * @kind: what may pair: begins and ends of one kind only
 * @id: as text
 * @scope: the process in which the id holds; SONDE_TRACE_NONE: everywhere
 */
void sonde_trace_builder_add_async (SondeTraceBuilder *builder, gboolean begins, char kind,
                                    guint32 thread, guint32 label, guint32 id, guint32 scope,
                                    gint64 at_ns, guint64 place);

typedef enum
{
  SONDE_TRACE_FLOW_START,
  SONDE_TRACE_FLOW_STEP,
  SONDE_TRACE_FLOW_END,
  SONDE_TRACE_FLOW_TOUCH, /* a start where no chain is open, which may have no arrow; else a step */
  SONDE_TRACE_FLOW_LAST,  /* an end; as TOUCH not counted as a flow event */
} SondeTraceFlowKind;

/* Where a flow event is bound to. */
typedef enum
{
  SONDE_TRACE_BIND_ENCLOSING, /* the innermost span that is open at its time */
  SONDE_TRACE_BIND_NEXT,      /* the first span of its thread that starts then or later */
  SONDE_TRACE_BIND_OWN,       /* the span of the same place */
  SONDE_TRACE_BIND_INSTANT,   /* no span, but an instant of its own */
} SondeTraceBinding;

/**
 * sonde_trace_builder_add_flow:
 * @label: events of one flow have the same; SONDE_TRACE_NONE: the id alone counts
 * @id: as text
 */
void sonde_trace_builder_add_flow (SondeTraceBuilder *builder, SondeTraceFlowKind kind,
                                   SondeTraceBinding binding, guint32 thread, guint32 label,
                                   guint32 id, gint64 at_ns, guint64 place);

/* A point of the series @key of @name. */
void sonde_trace_builder_add_point (SondeTraceBuilder *builder, guint32 pid, guint32 name,
                                    guint32 key, gint64 at_ns, double value);

/**
 * sonde_trace_builder_add_counter:
 * @row: a number of its own, as of sonde_trace_builder_add_thread()
 *
 * The index of a series that has a row, the same for the same row; it needs a point.
 */
guint32 sonde_trace_builder_add_counter (SondeTraceBuilder *builder, guint64 row);
void sonde_trace_builder_add_counter_point (SondeTraceBuilder *builder, guint32 counter,
                                            gint64 at_ns, double value);
/* Once a series, behind its last point. @multiplier: of all values; @is_incremental: each value is added to
 * those before it in the file */
void sonde_trace_builder_describe_counter (SondeTraceBuilder *builder, guint32 counter, guint32 pid,
                                           guint32 name, guint32 key, double multiplier,
                                           gboolean is_incremental);

/* See SondeTraceMemory, SondeTraceOperator. */
void sonde_trace_builder_add_memory (SondeTraceBuilder *builder, guint32 device, gint64 at_ns,
                                     gint64 total_bytes, gint64 reserved_bytes);
/* @type: SONDE_TRACE_NONE: in the name of the span */
void sonde_trace_builder_add_operator (SondeTraceBuilder *builder, guint32 type, double flops,
                                       double bytes, guint64 place);

typedef enum
{
  SONDE_TRACE_OBJECT_CREATED,
  SONDE_TRACE_OBJECT_SNAPSHOT,
  SONDE_TRACE_OBJECT_DELETED,
} SondeTraceObjectKind;

void sonde_trace_builder_add_object (SondeTraceBuilder *builder, SondeTraceObjectKind kind,
                                     gint64 at_ns);

void sonde_trace_builder_count_event (SondeTraceBuilder *builder);
void sonde_trace_builder_count_dropped (SondeTraceBuilder *builder);
void sonde_trace_builder_add_dropped (SondeTraceBuilder *builder, guint64 n); /* many at once */
void sonde_trace_builder_count_ignored (SondeTraceBuilder *builder, guint32 phase);
void sonde_trace_builder_count_reason (SondeTraceBuilder *builder, SondeTraceReason reason);

/* As sonde_trace_samples_add(). */
void sonde_trace_builder_add_stack (SondeTraceBuilder *builder, const guint32 *frames, gsize n,
                                    guint64 weight);
/* Where a sample was taken. */
void sonde_trace_builder_add_sample (SondeTraceBuilder *builder, guint32 thread, gint64 at_ns);

void sonde_trace_builder_set_clock_base (SondeTraceBuilder *builder, gint64 ns);
void sonde_trace_builder_set_producer (SondeTraceBuilder *builder,
                                       const char *producer); /* static */
/* The reading ended at @offset, before the end of the file. */
void sonde_trace_builder_set_truncated (SondeTraceBuilder *builder, guint64 offset);

/* (transfer full): of @builder only freeing is left to do. */
SondeTrace *sonde_trace_builder_finish (SondeTraceBuilder *builder);

G_END_DECLS
