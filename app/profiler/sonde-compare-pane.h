/* SPDX-License-Identifier: Apache-2.0
 * The profile beside another one: what changed between them, and what is noise. */
#pragma once

#include <adwaita.h>

#include "app/workspace/sonde-trace-document.h"

G_BEGIN_DECLS

#define SONDE_TYPE_COMPARE_PANE (sonde_compare_pane_get_type ())
G_DECLARE_FINAL_TYPE (SondeComparePane, sonde_compare_pane, SONDE, COMPARE_PANE, AdwBin)

/* On a page of a window, whose other profiles it offers. */
GtkWidget *sonde_compare_pane_new (SondeTraceDocument *document);

G_END_DECLS
