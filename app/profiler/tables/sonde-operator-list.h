/* SPDX-License-Identifier: Apache-2.0
 * Rows of a table of operators, in an order and without what a filter leaves out: a list model whose rows are made
 * when they are looked at. A long list is arranged in a thread, while the rows stay as they were. */
#pragma once

#include "app/profiler/tables/sonde-operator-column.h"
#include "app/workspace/sonde-trace-document.h"
#include "data/profiles/sonde-operator-types.h"

G_BEGIN_DECLS

/* So many rows are arranged at once, without a thread. */
#define SONDE_OPERATOR_LIST_SHORT 2048

#define SONDE_TYPE_OPERATOR_ROW (sonde_operator_row_get_type ())
G_DECLARE_FINAL_TYPE (SondeOperatorRow, sonde_operator_row, SONDE, OPERATOR_ROW, GObject)

const SondeOperatorCell *sonde_operator_row_get_cell (SondeOperatorRow *row);

#define SONDE_TYPE_OPERATOR_LIST (sonde_operator_list_get_type ())
G_DECLARE_FINAL_TYPE (SondeOperatorList, sonde_operator_list, SONDE, OPERATOR_LIST, GObject)

/* Signals: "rearranging" (): what is lent by position will hold no longer; "arranged" (): the rows are as was asked
 * for last; nothing is under way any more. */

/* @types: (nullable) (element-type SondeOperatorType): instead of the profile's nodes. All rows, in their order there;
 * the document is busy while they are arranged. (transfer full) */
SondeOperatorList *sonde_operator_list_new (SondeTraceDocument *document, const GArray *types);

/* @column: (nullable): NULL is the order of the profile; @filter: (nullable): what node, type or an original node
 * holds, in any case. A newer question ends the older one. */
void sonde_operator_list_arrange (SondeOperatorList *list, const SondeOperatorColumn *column,
                                  gboolean falling, const char *filter);
gboolean sonde_operator_list_is_busy (SondeOperatorList *list);

guint sonde_operator_list_get_n (SondeOperatorList *list);
const SondeOperatorCell *sonde_operator_list_get_cell (SondeOperatorList *list, guint position);
/* G_MAXUINT when @op is left out. */
guint sonde_operator_list_find (SondeOperatorList *list, const SondeProfileOperator *op);

G_END_DECLS
