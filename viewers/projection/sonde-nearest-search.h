/* SPDX-License-Identifier: Apache-2.0
 * The search for nearest rows: exact, or for very many rows approximate. */
#pragma once

#include "viewers/projection/sonde-nearest-table.h"
#include "viewers/projection/sonde-projection-watch.h"
#include "viewers/projection/sonde-work-team.h"

G_BEGIN_DECLS

#define SONDE_NEAREST_EXACT_ROWS 100000 /* above, neighbours are searched for approximately */

/**
 * sonde_nearest_search:
 * @k: 1 … rows − 1
 *
 * Up to SONDE_NEAREST_EXACT_ROWS rows each is compared with each, by products of blocks; squares of
 * the candidates are then computed again from differences. Above by sonde_nearest_table_descend().
 * Errors: CANCELLED, NO_MEMORY.
 */
SondeNearestTable *sonde_nearest_search (const SondePointTable *points, gsize k,
                                         SondeWorkTeam *team, SondeProjectionWatch *watch,
                                         GError **error);

G_END_DECLS
