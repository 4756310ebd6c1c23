/* SPDX-License-Identifier: Apache-2.0
 * Worker: a run and its files; what is known of them, and that they wait to be read. */
#pragma once

#include "data/runs/worker/sonde-run-scanner-private.h"
#include "data/runs/worker/sonde-run-work-private.h"

G_BEGIN_DECLS

WorkRun *sonde_work_run_new (WorkRoot *root, const SondeRunFound *found, const char *key);
void sonde_work_run_free (WorkRun *run);
/* One that it has not; @relative to the run. */
SondeRunFileReader *sonde_work_run_add_file (WorkRun *run, const SondeRecordFormat *format,
                                             const char *relative);
/* Into the queue, unless it is there; @front: before the others. */
void sonde_work_enqueue (SondeRunWorker *worker, SondeRunFileReader *file, gboolean front);
/* Forgets all that was read, and the rows that it has. */
void sonde_work_run_forget (WorkRun *run);
/* All of it is to be read again, by sonde_work_reread_due_runs(). */
void sonde_work_run_want_reread (WorkRun *run);
/* Of its own index, whether there is one or not. */
const char *sonde_work_run_get_index_path (WorkRun *run);
/* Bytes of its files. */
guint64 sonde_work_run_get_size (const WorkRun *run);
gboolean sonde_work_run_is_unsaved (const WorkRun *run);
/* Is any of its files written to. */
gboolean sonde_work_run_is_live (const WorkRun *run, gint64 wall_ns);
/* Reading has to wait for the saver, so that memory stays flat. */
gboolean sonde_work_must_wait_for_saver (const SondeRunWorker *worker);

G_END_DECLS
