/* SPDX-License-Identifier: Apache-2.0
 * Who called whom, as a tree: what stacks are written from. Of spans it is summed up over each thread; of
 * sampled stacks it is there already. */
#pragma once

#include "data/traces/sonde-trace.h"

G_BEGIN_DECLS

/* Spans inside each other that get a place of their own; what lies deeper is counted there. */
#define SONDE_TRACE_CALLS_DEPTH 1024

/**
 * SondeTraceCall:
 * @parent: what called it: index, less than its own; SONDE_TRACE_NONE: nothing
 * @name: lent by the trace
 * @thread: on which it was called; SONDE_TRACE_NONE: samples
 * @n: how often; 0: samples
 * @weight: nanoseconds without what it called itself; samples
 */
typedef struct
{
  guint32 parent, thread;
  const char *name;
  guint64 n;
  gint64 weight;
} SondeTraceCall;

/* (transfer full) (element-type SondeTraceCall) */
GArray *sonde_trace_list_calls (const SondeTrace *trace);

/**
 * sonde_trace_compute_self:
 * @self_ns: (out): of each span of the thread, in their order: what is left of it without its direct
 *   children
 */
void sonde_trace_compute_self (const SondeTrace *trace, guint32 thread, gint64 *self_ns);

G_END_DECLS
