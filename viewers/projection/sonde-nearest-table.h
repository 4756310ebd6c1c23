/* SPDX-License-Identifier: Apache-2.0
 * The nearest other rows of each row of a table of points. */
#pragma once

#include "viewers/projection/sonde-point-table.h"

G_BEGIN_DECLS

/**
 * SondeNearestTable:
 * @others: [n, k]: rows of the table, the nearest first, of equally near ones the earlier first; never
 *   the row itself
 * @squares: [n, k]: of their Euclidean distances (see sonde_point_table_measure())
 */
typedef struct
{
  gsize n, k;
  guint32 *others;
  float *squares;
  gboolean approximate;
} SondeNearestTable;

void sonde_nearest_table_free (SondeNearestTable *table);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SondeNearestTable, sonde_nearest_table_free)

/* (transfer full) (nullable): with room for [n, k]. Errors: NO_MEMORY */
SondeNearestTable *sonde_nearest_table_alloc (gsize n, gsize k, GError **error);

G_END_DECLS
