/* SPDX-License-Identifier: Apache-2.0
 * The rows of a written trace: one for each lane of each thread, with ids that every program takes:
 * numbers from 1, no two rows of a process with the same. */
#pragma once

#include "data/traces/sonde-trace.h"

G_BEGIN_DECLS

/**
 * SondeTraceRow:
 * @pid, @tid: 1 to 2³¹ − 1; as in the trace where its text is such a number
 * @process: index of SondeTraceRows.processes
 * @thread: index of SondeTrace.threads
 * @lane: 0, or more for spans that overlap others of the thread
 */
typedef struct
{
  gint32 pid, tid;
  guint process;
  guint32 thread, lane;
} SondeTraceRow;

/* @text: the pid of the trace; @name: of the process, "" where there is none */
typedef struct
{
  gint32 pid;
  const char *text, *name;
} SondeTraceRowProcess;

/**
 * SondeTraceRows:
 * @rows: SondeTraceRow, those of a thread in a run, lane by lane
 * @processes: SondeTraceRowProcess; also those that have a counter only
 * @first: of each thread its first row
 */
typedef struct
{
  GArray *rows;
  GArray *processes;
  guint *first;
  GHashTable *process_indices; /* text → index + 1 */
} SondeTraceRows;

/* Texts are those of @trace, which must outlive it. */
void sonde_trace_rows_init (SondeTraceRows *rows, const SondeTrace *trace);
void sonde_trace_rows_clear (SondeTraceRows *rows);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (SondeTraceRows, sonde_trace_rows_clear)

const SondeTraceRow *sonde_trace_rows_get (const SondeTraceRows *rows, guint32 thread,
                                           guint32 lane);
/* The row on which @span lies. */
const SondeTraceRow *sonde_trace_rows_of_span (const SondeTraceRows *rows, const SondeTrace *trace,
                                               guint32 span);
const SondeTraceRowProcess *sonde_trace_rows_get_process (const SondeTraceRows *rows,
                                                          const char *text);

/* How the row is called: the name of its track or thread, else its id where that is no number; "" when
 * there is nothing to say. (transfer full) */
char *sonde_trace_rows_dup_name (const SondeTrace *trace, const SondeTraceRow *row);

G_END_DECLS
