/* SPDX-License-Identifier: Apache-2.0
 * How many points of scalars runs hold, known again after each arrival without asking all runs. */
#pragma once

#include "data/runs/sonde-run-store.h"

G_BEGIN_DECLS

typedef struct _SondePointCount SondePointCount;

SondePointCount *sonde_point_count_new (SondeRunStore *store);
void sonde_point_count_free (SondePointCount *count); /* NULL is fine */

/**
 * sonde_point_count_get:
 * @runs: of SondeRun
 * @structure: another number when @runs, or the tags of one of them, may be others
 *
 * @filter: as of sonde_tag_matches()
 *
 * After one "changed" of the store only the runs that it was about are counted again.
 */
guint64 sonde_point_count_get (SondePointCount *count, GListModel *runs, guint64 structure,
                               const char *filter);

G_END_DECLS
