/* SPDX-License-Identifier: Apache-2.0
 * Who holds memory when, and what would lower the peak: of an own recording what its plan says, value by
 * value; of another producer's trace the curves and events that are in it. */
#pragma once

#include <adwaita.h>

#include "app/workspace/sonde-trace-document.h"

G_BEGIN_DECLS

/* @document: ready. One of the two below, or a sentence that says what is missing. */
GtkWidget *sonde_memory_pane_new (SondeTraceDocument *document);

G_END_DECLS
