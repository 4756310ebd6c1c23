/* SPDX-License-Identifier: Apache-2.0
 * Begins and ends of one thread while a trace is read, each as its distance from the one before: 6 to 8 bytes
 * instead of 24, since a long trace has two for every span. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* A begin or an end of a thread. @place: twice the place in the file, and 1 more for a begin
 * @what: label of a begin, name (or SONDE_TRACE_NONE) of an end */
typedef struct
{
  gint64 at_ns;
  guint64 place;
  guint32 what;
} SondeTraceMark;

typedef struct _SondeTraceMarks SondeTraceMarks;

SondeTraceMarks *sonde_trace_marks_new (void);
void sonde_trace_marks_free (SondeTraceMarks *marks); /* (nullable) */
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SondeTraceMarks, sonde_trace_marks_free)

void sonde_trace_marks_add (SondeTraceMarks *marks, const SondeTraceMark *mark);

/* Calls @visit with each mark by (time, place) and gives their memory back on the way: @marks is empty
 * afterwards. */
typedef void (*SondeTraceMarkVisitor) (const SondeTraceMark *mark, gpointer data);
void sonde_trace_marks_drain (SondeTraceMarks *marks, SondeTraceMarkVisitor visit, gpointer data);

/* Gives the whole pages in @n bytes from @start on back, whose contents nobody reads again; they stay allocated.
 * Large traces would need twice their memory while they are finished. */
void sonde_trace_release (gpointer start, gsize n);

G_END_DECLS
