/* SPDX-License-Identifier: Apache-2.0
 * Sums of spans by name in a table that can be sorted. */
#pragma once

#include <adwaita.h>

#include "data/traces/sonde-trace.h"

G_BEGIN_DECLS

#define SONDE_TYPE_SPAN_TABLE (sonde_span_table_get_type ())
G_DECLARE_FINAL_TYPE (SondeSpanTable, sonde_span_table, SONDE, SPAN_TABLE, AdwBin)

/* Signal: "name-activated" (const char *name): Enter or a double press on a row. */

GtkWidget *sonde_span_table_new (void);

/* @statistics: (nullable): SondeSpanStatistic; @trace: has their labels, outlives the table's rows */
void sonde_span_table_set (SondeSpanTable *table, const SondeTrace *trace,
                           const GArray *statistics);

G_END_DECLS
