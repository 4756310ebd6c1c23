/* SPDX-License-Identifier: Apache-2.0
 * What the machine allows and what each operator reaches: the roofline, and a list beside it. */
#pragma once

#include <adwaita.h>

#include "app/workspace/sonde-trace-document.h"

G_BEGIN_DECLS

#define SONDE_TYPE_ROOFLINE_PANE (sonde_roofline_pane_get_type ())
G_DECLARE_FINAL_TYPE (SondeRooflinePane, sonde_roofline_pane, SONDE, ROOFLINE_PANE, AdwBin)

/* @document: ready */
GtkWidget *sonde_roofline_pane_new (SondeTraceDocument *document);

G_END_DECLS
