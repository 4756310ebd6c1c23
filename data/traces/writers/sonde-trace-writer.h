/* SPDX-License-Identifier: Apache-2.0
 * Writing traces for other programs. A file takes its name when it is whole; what is written of a trace
 * is streamed, never held. Spans on lanes above the first overlap others of their thread: they go to a
 * row of their own, since most formats know nesting only. */
#pragma once

#include "data/traces/sonde-trace.h"

G_BEGIN_DECLS

/**
 * SondeTraceWriteFunc:
 *
 * Writes @trace to @path. Errors: of sonde_replacement_begin() and its kin;
 * SONDE_DATA_ERROR_UNSUPPORTED when the format cannot hold what the trace has: sampled stacks have no
 * spans.
 */
typedef gboolean (*SondeTraceWriteFunc) (const SondeTrace *trace, const char *path, GError **error);

/* What writes a file that ends as @path does; NULL when nothing does. */
SondeTraceWriteFunc sonde_trace_writer_for_path (const char *path);

/* ".json, .json.gz, …", for messages */
const char *sonde_trace_writer_get_endings (void);

/* Trace Event Format, an object; gzip where @path ends in .gz. Times count from the beginning of the
 * trace, which baseTimeNanoseconds names. Ids of processes and threads that are no positive numbers get
 * one, and their text as a name. (.json, .json.gz) */
gboolean sonde_trace_write_chrome (const SondeTrace *trace, const char *path, GError **error);

/* Track events in packets of one sequence, with numbered names. Times are the trace's own; negative ones
 * are shifted to begin at 0. Asynchronous spans become legacy events, which Perfetto shows on tracks of
 * their own. (.pftrace) */
gboolean sonde_trace_write_perfetto (const SondeTrace *trace, const char *path, GError **error);

/* A line a stack: PROCESS;THREAD;SPAN;… and its nanoseconds without what it called; of samples
 * FRAME;… and their count. A semicolon in a name becomes a colon, a control character a space.
 * (.collapsed) */
gboolean sonde_trace_write_collapsed (const SondeTrace *trace, const char *path, GError **error);

/* A line a span: pid,tid,process,thread,category,name,start_ns,duration_ns,depth,self_ns. Control and bidi
 * characters are written as \uXXXX. (.csv) */
gboolean sonde_trace_write_csv (const SondeTrace *trace, const char *path, GError **error);

/* The profile of Google's pprof: calls and nanoseconds of each stack, or its samples. (.pprof) */
gboolean sonde_trace_write_pprof (const SondeTrace *trace, const char *path, GError **error);

G_END_DECLS
