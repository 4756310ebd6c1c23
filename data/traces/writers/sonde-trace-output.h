/* SPDX-License-Identifier: Apache-2.0
 * The file that a trace is written to: bytes are gathered and go out in large pieces, gzipped where it
 * is wanted. An error stays until the end, so that a writer needs to ask only now and then. */
#pragma once

#include "data/traces/sonde-trace.h"

G_BEGIN_DECLS

typedef struct _SondeTraceOutput SondeTraceOutput;

/* See sonde_replacement_begin(). */
SondeTraceOutput *sonde_trace_output_new (const char *path, gboolean gzip, GError **error);

void sonde_trace_output_add (SondeTraceOutput *output, const void *bytes, gsize n);
void sonde_trace_output_add_text (SondeTraceOutput *output, const char *text);
void sonde_trace_output_print (SondeTraceOutput *output, const char *format, ...)
    G_GNUC_PRINTF (2, 3);

/* Whether writing failed: going on is of no use. */
gboolean sonde_trace_output_has_failed (const SondeTraceOutput *output);

/* @output: (transfer full). Returns FALSE with @error set when anything failed; nothing is left then. */
gboolean sonde_trace_output_finish (SondeTraceOutput *output, GError **error);

/* Refuses sampled stacks, for formats that need spans. */
gboolean sonde_trace_output_needs_spans (const SondeTrace *trace, const char *path, GError **error);

/* Of names that others read: a control or bidi character, which could steer a terminal or turn a line
 * around. */
gboolean sonde_trace_output_is_odd (gunichar c);

G_END_DECLS
