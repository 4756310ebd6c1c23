/* SPDX-License-Identifier: Apache-2.0
 * Neighbours of very many points, most of them right. */
#pragma once

#include "viewers/projection/sonde-nearest-table.h"
#include "viewers/projection/sonde-projection-watch.h"
#include "viewers/projection/sonde-work-team.h"

G_BEGIN_DECLS

/**
 * sonde_nearest_table_descend:
 * @k: 1 … rows − 1
 *
 * Begins with what stands together in leaves of trees of random halvings, then lets neighbours of a
 * point meet each other until fewer than one in a thousand entries changes. The result has
 * approximate = TRUE, and is the same with any number of threads.
 * Errors: CANCELLED, NO_MEMORY.
 * Source: Dong, Moses, Li, WWW 2011; trees as Dasgupta and Freund, STOC 2008.
 */
SondeNearestTable *sonde_nearest_table_descend (const SondePointTable *points, gsize k,
                                                SondeWorkTeam *team, SondeProjectionWatch *watch,
                                                GError **error);

G_END_DECLS
