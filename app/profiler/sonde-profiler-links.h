/* SPDX-License-Identifier: Apache-2.0
 * From what was measured to the node that it measures, and to the pages that show it. */
#pragma once

#include <gtk/gtk.h>

#include "app/workspace/sonde-trace-document.h"

G_BEGIN_DECLS

/* The node of the model that an item of the timeline ran; NULL where the trace names none. Lives as long
 * as the document. */
const char *sonde_profiler_find_node (SondeTraceDocument *document, guint32 item);

/* The node of the model as it was written: of a fused operator the first. (nullable) */
const char *sonde_profiler_get_original (const SondeProfileOperator *op);

/* Turns the window that @widget stands in to page @name and shows @node there. */
void sonde_profiler_go (GtkWidget *widget, const char *name, const char *node);

G_END_DECLS
