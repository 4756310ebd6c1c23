/* SPDX-License-Identifier: Apache-2.0
 * The flame graph of the selected stretch of time, or of the samples. */
#pragma once

#include <adwaita.h>

#include "app/workspace/sonde-trace-document.h"

G_BEGIN_DECLS

#define SONDE_TYPE_FLAME_PANE (sonde_flame_pane_get_type ())
G_DECLARE_FINAL_TYPE (SondeFlamePane, sonde_flame_pane, SONDE, FLAME_PANE, AdwBin)

/* @document: ready */
GtkWidget *sonde_flame_pane_new (SondeTraceDocument *document);

G_END_DECLS
