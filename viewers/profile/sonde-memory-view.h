/* SPDX-License-Identifier: Apache-2.0
 * Memory over the steps of a plan, by kind or value by value, to be zoomed; the value under the
 * pointer says why it is alive. A click selects a value, another click lets it go; arrows go through
 * the values in the order in which they begin: property "selection" of SondeView, the index of the
 * lifetime. */
#pragma once

#include "viewers/paint/profile/sonde-memory-paint.h"
#include "viewers/sonde-view.h"

G_BEGIN_DECLS

#define SONDE_TYPE_MEMORY_VIEW (sonde_memory_view_get_type ())
G_DECLARE_FINAL_TYPE (SondeMemoryView, sonde_memory_view, SONDE, MEMORY_VIEW, SondeView)

/* Signals: "value-selected" (const char *value, const char *node): a value was selected (NULL: none
 * any more), and what makes it (nullable). */

GtkWidget *sonde_memory_view_new (void);

/**
 * sonde_memory_view_set_timeline:
 * @timeline: (nullable): copied; NULL, or without lifetimes: @message is shown
 * @message: (nullable): why there is no picture
 */
void sonde_memory_view_set_timeline (SondeMemoryView *view, const SondeMemoryTimeline *timeline,
                                     const char *message);

/* Default: STACK. */
void sonde_memory_view_set_kind (SondeMemoryView *view, SondeMemoryPlotKind kind);
SondeMemoryPlotKind sonde_memory_view_get_kind (SondeMemoryView *view);

/* Draws a line where the peak would be after a change; 0: none. */
void sonde_memory_view_set_instead (SondeMemoryView *view, guint64 peak_bytes);
/* Draws a line through a step; -1: none. */
void sonde_memory_view_set_step (SondeMemoryView *view, gint64 step);

/* Of an id of the view; NULL for none. Lent until the next sonde_memory_view_set_timeline(). */
const SondeLifetime *sonde_memory_view_get_lifetime (SondeMemoryView *view, gint64 id);
/* Selects the first value of that name; FALSE when there is none. */
gboolean sonde_memory_view_select_value (SondeMemoryView *view, const char *value);

/* What a value is, how long it lives and why: a few lines. (transfer full) */
char *sonde_memory_view_dup_sentences (SondeMemoryView *view, gint64 id);

G_END_DECLS
