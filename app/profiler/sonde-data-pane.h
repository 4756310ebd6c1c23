/* SPDX-License-Identifier: Apache-2.0
 * The data pipeline: who waits for whom, the stages, how many batches are ready, what each step waits, and
 * what more workers would hide. */
#pragma once

#include <adwaita.h>

#include "app/workspace/sonde-trace-document.h"

G_BEGIN_DECLS

#define SONDE_TYPE_DATA_PANE (sonde_data_pane_get_type ())
G_DECLARE_FINAL_TYPE (SondeDataPane, sonde_data_pane, SONDE, DATA_PANE, AdwBin)

/* @document: ready */
GtkWidget *sonde_data_pane_new (SondeTraceDocument *document);

G_END_DECLS
