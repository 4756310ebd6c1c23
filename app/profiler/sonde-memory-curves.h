/* SPDX-License-Identifier: Apache-2.0
 * The memory that a trace of another producer tells of: allocated and reserved by device, its events, and
 * counters of memory. */
#pragma once

#include <adwaita.h>

#include "app/workspace/sonde-trace-document.h"

G_BEGIN_DECLS

#define SONDE_TYPE_MEMORY_CURVES (sonde_memory_curves_get_type ())
G_DECLARE_FINAL_TYPE (SondeMemoryCurves, sonde_memory_curves, SONDE, MEMORY_CURVES, AdwBin)

/* Whether there is any curve. */
gboolean sonde_memory_curves_are_in (const SondeTrace *trace);
/* @document: ready, with a curve */
GtkWidget *sonde_memory_curves_new (SondeTraceDocument *document);

G_END_DECLS
