/* SPDX-License-Identifier: Apache-2.0
 * The calls of an operator in a table: when each began, how long it took, where. Rows are made when they
 * are looked at. */
#pragma once

#include <adwaita.h>

#include "app/workspace/sonde-trace-document.h"

G_BEGIN_DECLS

#define SONDE_TYPE_CALL_LIST (sonde_call_list_get_type ())
G_DECLARE_FINAL_TYPE (SondeCallList, sonde_call_list, SONDE, CALL_LIST, AdwBin)

/* Signal: "span-activated" (guint span): Enter or a double press on a row. */

GtkWidget *sonde_call_list_new (SondeTraceDocument *document);
/* @spans: (nullable) (element-type guint32): of the document's trace, in the order shown */
void sonde_call_list_set (SondeCallList *list, GArray *spans);
guint sonde_call_list_get_n_calls (SondeCallList *list);

G_END_DECLS
