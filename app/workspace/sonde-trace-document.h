/* SPDX-License-Identifier: Apache-2.0
 * A trace that is open in a window: read in the background, then what the views of the profiler share:
 * profile, timeline index, the selected stretch of time, the item that was asked for. */
#pragma once

#include <gio/gio.h>

#include "data/profiles/sonde-profiled-nodes.h"
#include "data/profiles/sonde-recording-list.h"
#include "viewers/layout/trace/sonde-timeline-index.h"

G_BEGIN_DECLS

#define SONDE_TYPE_TRACE_DOCUMENT (sonde_trace_document_get_type ())
G_DECLARE_FINAL_TYPE (SondeTraceDocument, sonde_trace_document, SONDE, TRACE_DOCUMENT, GObject)

typedef enum
{
  SONDE_TRACE_DOCUMENT_LOADING,
  SONDE_TRACE_DOCUMENT_READY,
  SONDE_TRACE_DOCUMENT_FAILED,
  SONDE_TRACE_DOCUMENT_CANCELLED,
} SondeTraceDocumentState;

/* No operator. */
#define SONDE_TRACE_DOCUMENT_NONE G_MAXUINT

/* Signals: "state-changed" (); "range-changed" (gboolean done): FALSE while more will come;
 * "view-wanted" (const char *name): the page turns to that view, where it has it; always before
 * "item-shown" (guint item): an item of the index shall be shown in the timeline, and
 * "operator-shown" (guint i): an operator of the profile shall be shown in the table;
 * "busy-changed" (): see sonde_trace_document_hold(). */

/* Begins to read @path: a trace, a run, of whose recordings it is that with the number @recording, 0 the last, or the
 * folder of another profiler. */
SondeTraceDocument *sonde_trace_document_new (const char *path, guint64 recording);
void sonde_trace_document_cancel (SondeTraceDocument *document);

SondeTraceDocumentState sonde_trace_document_get_state (SondeTraceDocument *document);
const char *sonde_trace_document_get_path (SondeTraceDocument *document);
/* A sentence, when it failed. (nullable) */
const char *sonde_trace_document_get_error (SondeTraceDocument *document);
/* Of a run all its recordings, from the oldest, and which of them this is; of anything else none, and 0. Once it is
 * READY. (transfer none) */
const SondeRecordingList *sonde_trace_document_get_recordings (SondeTraceDocument *document);
guint64 sonde_trace_document_get_recording (SondeTraceDocument *document);
/* How much of the file was read, 0 to 1; of a compressed file its bytes on the disk. 1: what was
 * read is being arranged, or it is a folder. */
double sonde_trace_document_get_progress (SondeTraceDocument *document);

/* (transfer none) (nullable): NULL before it is READY; they live as long as the document and are constant */
const SondeProfile *sonde_trace_document_get_profile (SondeTraceDocument *document);
const SondeTrace *sonde_trace_document_get_trace (SondeTraceDocument *document);
const SondeTimelineIndex *sonde_trace_document_get_index (SondeTraceDocument *document);

/* Its operators by the nodes of a graph. (transfer none) (nullable): as above */
const SondeProfiledNodes *sonde_trace_document_get_nodes (SondeTraceDocument *document);

/* What of the file was left out or read otherwise than written, a line a reason with its count; NULL: nothing. (transfer full) */
char *sonde_trace_document_dup_losses (SondeTraceDocument *document);

/* The selected stretch of time, [start, end) of the file's clock; FALSE without one, and the whole trace. */
gboolean sonde_trace_document_get_range (SondeTraceDocument *document, gint64 *start_ns,
                                         gint64 *end_ns);
void sonde_trace_document_set_range (SondeTraceDocument *document, gint64 start_ns, gint64 end_ns,
                                     gboolean done);
void sonde_trace_document_clear_range (SondeTraceDocument *document);

/* Turns the page to a view of that name, where there is one. */
void sonde_trace_document_show_view (SondeTraceDocument *document, const char *name);

/* The operator of the profile that is the node @name of a graph, or runs it together with others (a fused
 * one); SONDE_TRACE_DOCUMENT_NONE without. */
guint sonde_trace_document_find_operator (SondeTraceDocument *document, const char *name);
/* The same, also by the operator's type where nodes are not told. */
guint sonde_trace_document_find_operator_or_type (SondeTraceDocument *document, const char *name);
/* Shows an operator in the table: the page turns to it. */
void sonde_trace_document_show_operator (SondeTraceDocument *document, guint i);

/* Shows an item in the timeline: the page turns to it. */
void sonde_trace_document_show_item (SondeTraceDocument *document, guint32 item);
/* The same for the first span with that name; FALSE when there is none. */
gboolean sonde_trace_document_show_name (SondeTraceDocument *document, const char *name);

/* A view computes something in the background; every hold needs its release. */
void sonde_trace_document_hold (SondeTraceDocument *document);
void sonde_trace_document_release (SondeTraceDocument *document);
gboolean sonde_trace_document_is_busy (SondeTraceDocument *document);

G_END_DECLS
