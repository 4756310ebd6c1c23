/* SPDX-License-Identifier: Apache-2.0
 * Worker: what goes into indices, and the one that the small runs of a folder share. */
#pragma once

#include "data/runs/sonde-run-shared-private.h"
#include "data/runs/worker/sonde-run-work-index-private.h"

G_BEGIN_DECLS

/* An index that was written is synced when nothing new came for so long. */
#define SYNC_DELAY_NS (10000 * MILLISECOND_NS)

/* ---- sonde-run-work-save.c ----------------------------------------------- */

/* For the crew of one that is the saver. */
void sonde_work_save_job (gpointer job);
/* Gives what is unsaved to the saver, unless it has something of the run already. Where it has the
 * index that the run shares, the points are added to those that wait. */
void sonde_work_run_save_index (WorkRun *run);
/* Gives the runs of root->to_save to the saver; none: the index is only synced. */
void sonde_work_root_save_index (WorkRoot *root);
/* Takes over what the saver has done. */
void sonde_work_take_saves (SondeRunWorker *worker);
void sonde_work_run_wait_for_save (WorkRun *run);
void sonde_work_wait_for_saves (SondeRunWorker *worker);
/* Indices that rest are brought to the disk for good, one at a call. */
void sonde_work_sync_indices (SondeRunWorker *worker, gint64 now_ns);

/* ---- sonde-run-work-shared.c --------------------------------------------- */

/* The index that the root's small runs share fills those that are not prepared yet, once. */
void sonde_work_root_load_index (WorkRoot *root);
void sonde_work_root_note_saved (WorkRoot *root); /* the saver has written it */
/* It could not: @error (nullable); @closed: not even open it; @gone: somebody deleted or replaced it.
 * Runs whose rows are lost are to be read again. */
void sonde_work_root_note_failure (WorkRoot *root, const GError *error, gboolean closed,
                                   gboolean gone);
/* Is it too small for an index of its own, and may share one. */
gboolean sonde_work_run_may_share (const WorkRun *run);
/* A file of a run in INDEX_SHARED is not as its row says any more: all of the run counts as unsaved.
 * FALSE when not all of it is in memory: it has to be read again. */
gboolean sonde_work_run_leave_shared (WorkRun *run);
/* With those of others, in sonde_work_root_save_index(). */
void sonde_work_run_share (WorkRun *run);

G_END_DECLS
