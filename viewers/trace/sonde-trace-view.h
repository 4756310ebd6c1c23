/* SPDX-License-Identifier: Apache-2.0
 * The base of what shows a trace in rows: timeline and flame graph. Adds to SondeView scrolling up and
 * down, for a scrollbar beside it, and the keys of such viewers:
 *
 *   W, S or +, − zoom; A, D or arrows move, Shift+arrows a page; up, down, page keys scroll; F shows the
 *   selection, M marks it, comma and period go to its neighbours, [ and ] along its arrows; 0 shows
 *   everything, Escape lets go. */
#pragma once

#include "viewers/paint/trace/sonde-trace-paint.h"
#include "viewers/sonde-view.h"

G_BEGIN_DECLS

#define SONDE_TYPE_TRACE_VIEW (sonde_trace_view_get_type ())
G_DECLARE_DERIVABLE_TYPE (SondeTraceView, sonde_trace_view, SONDE, TRACE_VIEW, SondeView)

/**
 * SondeTraceViewClass:
 * @get_height: required: px of all rows
 * @show_selection: optional: F was pressed
 * @let_go: optional: Escape was pressed; FALSE when there was nothing to let go of
 * @mark: optional: M was pressed; FALSE when nothing is selected
 * @step: optional: to what is before (@step < 0) or behind the selection, or along an arrow; FALSE when
 *   nothing is selected
 */
struct _SondeTraceViewClass
{
  SondeViewClass parent_class;

  double (*get_height) (SondeTraceView *view);
  void (*show_selection) (SondeTraceView *view);
  gboolean (*let_go) (SondeTraceView *view);
  gboolean (*mark) (SondeTraceView *view);
  gboolean (*step) (SondeTraceView *view, int step, gboolean by_arrow);

  gpointer padding[2];
};

/* Of the scrolling; follows and leads. (transfer none) */
GtkAdjustment *sonde_trace_view_get_adjustment (SondeTraceView *view);
double sonde_trace_view_get_scroll (SondeTraceView *view); /* px above the area */
void sonde_trace_view_set_scroll (SondeTraceView *view, double scroll);
/* Scrolls as little as is needed to show @height px from @top on. */
void sonde_trace_view_scroll_to (SondeTraceView *view, double top, double height);
/* The height of the rows or of the widget is another; by children, in prepare() too. */
void sonde_trace_view_height_changed (SondeTraceView *view);

/* Lines of labels of what is shown. (transfer none) */
SondeLabelCache *sonde_trace_view_get_labels (SondeTraceView *view);
/* Texts of something else are shown from now on. */
void sonde_trace_view_forget_labels (SondeTraceView *view);

/* A box of the view and a scrollbar at its right. (transfer floating) */
GtkWidget *sonde_trace_view_new_scrolled (SondeTraceView *view);

G_END_DECLS
