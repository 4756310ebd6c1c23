/* SPDX-License-Identifier: Apache-2.0
 * Threads that share out the pieces of one piece of work after the other. What a piece computes must
 * not depend on who computes it: then results do not depend on the number of threads. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef struct _SondeWorkTeam SondeWorkTeam;

/* One piece, 0 … n - 1; called by any thread of the team, by several at once. */
typedef void (*SondeWorkPiece) (void *context, gsize piece);

/* @n_threads: with the caller's; 0: as many as there are processors, at most 16 */
SondeWorkTeam *sonde_work_team_new (guint n_threads);
void sonde_work_team_free (SondeWorkTeam *team);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SondeWorkTeam, sonde_work_team_free)

/* Calls @function for pieces 0 … @n - 1, the calling thread too; returns when all are done. */
void sonde_work_team_run (SondeWorkTeam *team, gsize n, SondeWorkPiece function, void *context);

G_END_DECLS
