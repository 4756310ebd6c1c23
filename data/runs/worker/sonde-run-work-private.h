/* SPDX-License-Identifier: Apache-2.0
 * Inside the worker thread: paths, runs, queues. Shared by the sonde-run-work*.c files only. */
#pragma once

#include <pthread.h>

#include "data/runs/worker/sonde-run-crew-private.h"
#include "data/runs/sonde-run-index-private.h"
#include "data/runs/sonde-run-part-private.h"
#include "data/runs/worker/sonde-run-scanner-private.h"
#include "data/runs/sonde-run-shared-private.h"
#include "data/runs/worker/sonde-run-tail-private.h"
#include "data/runs/worker/sonde-run-worker-private.h"

G_BEGIN_DECLS

#define MILLISECOND_NS ((gint64) 1000000)
#define MESSAGE_INTERVAL_NS (50 * MILLISECOND_NS)
#define READ_SLICE_NS (30 * MILLISECOND_NS)
#define PASS_INTERVAL_NS (20 * MILLISECOND_NS) /* a writer's many small writes are read together */
#define POLL_INTERVAL_NS (500 * MILLISECOND_NS)
#define CHECK_INTERVAL_NS (2000 * MILLISECOND_NS)
#define TICK_INTERVAL_NS (1000 * MILLISECOND_NS)
#define RESCAN_INTERVAL_NS (15000 * MILLISECOND_NS)
#define POLL_RESCAN_INTERVAL_NS (1000 * MILLISECOND_NS)
#define SAVE_INTERVAL_NS (5000 * MILLISECOND_NS)
#define SYNC_DELAY_NS (10000 * MILLISECOND_NS) /* without anything new */
/* Between two transactions of a long reading; so much more may wait for the saver. */
#define SAVE_BYTES ((guint64) 256 << 20)
#define SAVE_POINTS ((guint64) 512 << 10)
#define MAX_WAITING_POINTS (2 * SAVE_POINTS)
/* A file with so much to read is given to the crew in parts of this size. */
#define PART_BYTES ((guint64) 4 << 20)
#define BULK_BYTES ((guint64) 512 << 10)
#define MAX_SCANNERS 8u
#define MAX_OPEN_FILES 64
#define MAX_OPEN_INDICES 16

typedef enum
{
  INDEX_UNKNOWN, /* not looked for yet */
  INDEX_ABSENT,  /* none; one is made when the run is large enough */
  INDEX_LOADED,  /* epoch and generation are what our rows refer to */
  INDEX_SHARED,  /* in that of the folder; epoch is what our rows refer to */
  INDEX_REFUSED, /* somebody else's, or it cannot be written: everything stays in memory */
} IndexState;

typedef struct _WorkRoot WorkRoot;

/* A run as the worker knows it. @updates are collected until the next message. */
typedef struct
{
  SondeRunWorker *worker;
  WorkRoot *root; /* where it was found first */
  guint number;
  char *path, *name, *key;
  GPtrArray *files; /* element-type SondeRunFileReader, by number */
  GArray *updates;
  gboolean prepared; /* index looked for and files looked at */
  gboolean listed;   /* the owner's thread has it */
  gboolean live;
  gboolean info_changed;
  guint n_queued;

  IndexState index_state;
  char *index_path;
  SondeRunIndex *index; /* (nullable): open */
  gint64 epoch, generation;
  guint64 unsaved_bytes, unsaved_points;
  gint64 next_save_ns;
  gboolean saving;  /* the saver has its index; rows come back by sonde_work_take_saves() */
  guint save_round; /* the last round of settling that began to save it */
  gboolean unsynced, must_reread;
  char *problem; /* (nullable): of the index */
} WorkRun;

/* A file that was looked into and is none of ours, as it was then. */
typedef struct
{
  guint64 size;
  struct timespec time;
} WorkRefused;

/**
 * WorkRoot: one of the paths that the store was made for
 * @index_path, @index_key: of the index that its small runs share; @index: (nullable): open
 * @index_is_loaded: it was looked for
 * @index_refused: it is somebody else's, or cannot be opened
 * @index_problem: (nullable), in the user's language
 * @to_save: (element-type WorkRun): small runs that are given to the saver with the next ones
 * @saving: the saver has the index; @unsynced: it was written since it was synced
 */
struct _WorkRoot
{
  SondeRunWorker *worker;
  char *path;
  gboolean due, exists;
  gint64 next_scan_ns;
  GPtrArray *problems; /* element-type SondeMessage */
  guint n_runs;
  char *index_path, *index_key, *index_problem;
  SondeRunIndex *index;
  gboolean index_is_loaded, index_refused, saving, unsynced;
  GPtrArray *to_save;
};

struct _SondeRunWorker
{
  const SondeIo *io;
  char *index_folder;
  GPtrArray *roots; /* element-type WorkRoot */
  GPtrArray *runs;  /* element-type WorkRun, by number */
  GHashTable *runs_by_key;
  GHashTable *files_by_path; /* absolute path -> SondeRunFileReader */
  GHashTable *refused;       /* absolute path -> WorkRefused */
  SondeRecordBatch batch;
  SondeColumns *(*load_tail) (gpointer run, gint64 row, guint n); /* from the run's index */
  GQueue fresh;             /* element-type WorkRun: to be prepared */
  GQueue queue;             /* element-type SondeRunFileReader: to be read */
  GQueue bulks;             /* element-type SondeRunFileReader: parts of them are with the crew */
  guint n_parts, max_parts; /* with the crew; at most */
  GArray *spare_batches;    /* element-type SondeRecordBatch: empty, with room */
  gboolean bulk_is_ready;   /* parts can be taken over at once */
  SondeRunCrew *scanners, *saver;
  guint64 n_saving_points; /* with the saver */
  guint n_saving, save_rounds, settle_rereads;
  gboolean reread_due;
  gint64 next_sync_ns;
  GQueue indices; /* element-type WorkRun with an open index, latest used last */
  guint n_open_files, max_open_files, max_open_indices;
  SondeRunTail *tail;
  gint64 next_pass_ns, next_message_ns, next_check_ns, next_tick_ns, next_rescan_ns;
  gboolean problems_changed, was_loading;
  guint n_settling, settling, settled;
  guint n_rereads; /* how often a run had to be read again because of its index */
  gboolean settled_changed;

  pthread_t thread;
  gboolean running;
  int wakeup, ready; /* event descriptors: requests for the worker, a message for the owner */
  pthread_mutex_t mutex;
  /* under the mutex: */
  gboolean stop;
  guint wanted_settle;
  GArray *wanted_reread; /* element-type guint */
  SondeRunMessage *outbox;
};

/* ---- sonde-run-work-run.c ------------------------------------------------ */

WorkRun *sonde_work_run_new (WorkRoot *root, const SondeRunFound *found, const char *key);
void sonde_work_run_free (WorkRun *run);
/* One that it has not; @relative to the run. */
SondeRunFileReader *sonde_work_run_add_file (WorkRun *run, const SondeRecordFormat *format,
                                             const char *relative);
GArray *sonde_work_updates_new (void); /* element-type SondeRunBlockUpdate */
/* Into the queue, unless it is there; @front: before the others. */
void sonde_work_enqueue (SondeRunWorker *worker, SondeRunFileReader *file, gboolean front);
/* Forgets all that was read, and the rows that it has. */
void sonde_work_run_forget (WorkRun *run);
/* All of it is to be read again, by sonde_work_reread_due_runs(). */
void sonde_work_run_want_reread (WorkRun *run);
/* Bytes of its files. */
guint64 sonde_work_run_get_size (const WorkRun *run);
gboolean sonde_work_run_is_unsaved (const WorkRun *run);
/* Is any of its files written to. */
gboolean sonde_work_run_is_live (const WorkRun *run, gint64 wall_ns);
/* Reading has to wait for the saver, so that memory stays flat. */
gboolean sonde_work_must_wait_for_saver (const SondeRunWorker *worker);

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

/* ---- sonde-run-work-index.c ---------------------------------------------- */

void sonde_work_run_set_problem (WorkRun *run, const char *problem);
void sonde_work_run_close_index (WorkRun *run);
/* The open index, if any, belongs to the caller until it is given back. */
SondeRunIndex *sonde_work_run_lend_index (WorkRun *run);
/* Takes over an open index; it is the one that was used last. */
void sonde_work_run_keep_index (WorkRun *run, SondeRunIndex *index);

/* ---- sonde-run-work-load.c ----------------------------------------------- */

void sonde_work_run_load_index (WorkRun *run);
/* Deletes it when it is ours to delete, and forgets all rows. */
void sonde_work_run_discard_index (WorkRun *run);
SondeColumns *sonde_work_run_load_tail (gpointer owner, gint64 row, guint n);

/* ---- sonde-run-work-save.c ----------------------------------------------- */

/* For the crew of one that is the saver. */
void sonde_work_save_job (gpointer job);
/* Gives what is unsaved to the saver, unless it has something of the run already. */
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
/* The saver has written it, or could not: @error (nullable), @closed: not even open it. */
void sonde_work_root_note_saved (WorkRoot *root);
void sonde_work_root_note_failure (WorkRoot *root, const GError *error, gboolean closed);
/* Is it too small for an index of its own, and may share one. */
gboolean sonde_work_run_may_share (const WorkRun *run);
/* A file of a run in INDEX_SHARED is not as its row says any more: all of the run counts as unsaved.
 * FALSE when not all of it is in memory: it has to be read again. */
gboolean sonde_work_run_leave_shared (WorkRun *run);
/* With those of others, in sonde_work_root_save_index(). */
void sonde_work_run_share (WorkRun *run);

/* ---- sonde-run-work-parts.c ---------------------------------------------- */

gboolean sonde_work_file_is_bulky (const SondeRunFileReader *file);
void sonde_work_begin_bulk (SondeRunWorker *worker, SondeRunFileReader *file);
/* Takes over parts that are done and hands out new ones, until @deadline_ns. */
void sonde_work_advance_bulks (SondeRunWorker *worker, gint64 deadline_ns);
/* After the crew was stopped. */
void sonde_work_drop_parts (SondeRunWorker *worker);

/* ---- sonde-run-work-scan.c ----------------------------------------------- */

void sonde_work_scan_due_roots (SondeRunWorker *worker, gint64 now_ns);
void sonde_work_mark_roots_due (SondeRunWorker *worker, gboolean at_once);
void sonde_work_read_notices (SondeRunWorker *worker);
WorkRoot *sonde_work_root_new (SondeRunWorker *worker, const char *path);
void sonde_work_root_free (WorkRoot *root);

/* ---- sonde-run-work-message.c ------------------------------------------- */

/* Puts what changed into the outbox, unless the last message was not fetched yet. */
void sonde_work_send (SondeRunWorker *worker);

G_END_DECLS
