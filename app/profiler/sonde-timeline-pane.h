/* SPDX-License-Identifier: Apache-2.0
 * The timeline with search, the sums of the selected stretch of time, and what is known of the selected
 * span. */
#pragma once

#include <adwaita.h>

#include "app/workspace/sonde-trace-document.h"

G_BEGIN_DECLS

#define SONDE_TYPE_TIMELINE_PANE (sonde_timeline_pane_get_type ())
G_DECLARE_FINAL_TYPE (SondeTimelinePane, sonde_timeline_pane, SONDE, TIMELINE_PANE, AdwBin)

/* @document: ready */
GtkWidget *sonde_timeline_pane_new (SondeTraceDocument *document);

G_END_DECLS
