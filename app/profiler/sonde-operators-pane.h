/* SPDX-License-Identifier: Apache-2.0
 * The operators of a profile: nodes and types in a table each, and the selected one with its calls. */
#pragma once

#include <adwaita.h>

#include "app/workspace/sonde-trace-document.h"

G_BEGIN_DECLS

#define SONDE_TYPE_OPERATORS_PANE (sonde_operators_pane_get_type ())
G_DECLARE_FINAL_TYPE (SondeOperatorsPane, sonde_operators_pane, SONDE, OPERATORS_PANE, AdwBin)

/* @document: ready */
GtkWidget *sonde_operators_pane_new (SondeTraceDocument *document);

G_END_DECLS
