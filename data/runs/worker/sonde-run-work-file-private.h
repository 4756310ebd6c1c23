/* SPDX-License-Identifier: Apache-2.0
 * Worker: finds the runs of files, looks at files, reads them: in turns, or in parts. */
#pragma once

#include "data/runs/sonde-run-part-private.h"
#include "data/runs/worker/sonde-run-work-run-private.h"

G_BEGIN_DECLS

/* A file with so much to read is given to the crew in parts of PART_BYTES. */
#define BULK_BYTES ((guint64) 512 << 10)
#define PART_BYTES ((guint64) 1 << 20)

/* ---- sonde-run-work-runs.c ----------------------------------------------- */

/* The file's run and reader, made when new. */
void sonde_work_add_found (WorkRoot *root, const SondeRunFound *found);
/* Index, first look; puts files into the queue. */
void sonde_work_run_prepare (WorkRun *run);
/* Looks at a file and queues it when there is something to read; @front: before the others. */
void sonde_work_look_at_file (SondeRunWorker *worker, SondeRunFileReader *file, gboolean front);
/* Is there a file in the queue that may be read now. */
gboolean sonde_work_can_read (SondeRunWorker *worker);
/* Reads on in one file of the queue until @deadline_ns. */
void sonde_work_read_next (SondeRunWorker *worker, gint64 deadline_ns);
void sonde_work_run_reread (WorkRun *run);
void sonde_work_reread_due_runs (SondeRunWorker *worker);

/* ---- sonde-run-work-parts.c ---------------------------------------------- */

gboolean sonde_work_file_is_bulky (const SondeRunFileReader *file);
void sonde_work_begin_bulk (SondeRunWorker *worker, SondeRunFileReader *file);
/* Takes over parts that are done and hands out new ones, until @deadline_ns. */
void sonde_work_advance_bulks (SondeRunWorker *worker, gint64 deadline_ns);
/* After the crew was stopped. */
void sonde_work_drop_parts (SondeRunWorker *worker);

G_END_DECLS
