/* SPDX-License-Identifier: Apache-2.0
 * Worker: a run's index: open, and read. Writing is in sonde-run-work-save-private.h. */
#pragma once

#include "data/runs/worker/sonde-run-work-run-private.h"

G_BEGIN_DECLS

/* ---- sonde-run-work-index.c ---------------------------------------------- */

void sonde_work_run_set_problem (WorkRun *run, const char *problem);
void sonde_work_run_close_index (WorkRun *run);
/* The open index, if any, belongs to the caller until it is given back. */
SondeRunIndex *sonde_work_run_lend_index (WorkRun *run);
/* Takes over an open index; it is the one that was used last. */
void sonde_work_run_keep_index (WorkRun *run, SondeRunIndex *index);

/* ---- sonde-run-work-load.c ----------------------------------------------- */

void sonde_work_run_load_index (WorkRun *run);
/* Deletes it when it is ours to delete, and forgets all rows. One that is shared is left, for its own
 * if it has one. */
void sonde_work_run_discard_index (WorkRun *run);
SondeColumns *sonde_work_run_load_tail (gpointer owner, gint64 row, guint n);

G_END_DECLS
