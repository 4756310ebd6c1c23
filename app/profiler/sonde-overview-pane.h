/* SPDX-License-Identifier: Apache-2.0
 * A profile at one look: what to change, where a step goes, what the devices do, how long steps take, the
 * operators that take most, and what was recorded. */
#pragma once

#include <adwaita.h>

#include "app/workspace/sonde-trace-document.h"

G_BEGIN_DECLS

#define SONDE_TYPE_OVERVIEW_PANE (sonde_overview_pane_get_type ())
G_DECLARE_FINAL_TYPE (SondeOverviewPane, sonde_overview_pane, SONDE, OVERVIEW_PANE, AdwBin)

/* @document: ready */
GtkWidget *sonde_overview_pane_new (SondeTraceDocument *document);

G_END_DECLS
