/* SPDX-License-Identifier: Apache-2.0
 * Inside the worker thread: what it knows of itself, of the paths and of the runs. What it does with
 * them: sonde-run-work-{run,file,index,save,scan,message}-private.h. */
#pragma once

#include <pthread.h>

#include "data/runs/worker/sonde-run-crew-private.h"
#include "data/runs/sonde-run-index-private.h"
#include "data/runs/worker/sonde-run-tail-private.h"
#include "data/runs/worker/sonde-run-worker-private.h"

G_BEGIN_DECLS

#define MILLISECOND_NS ((gint64) 1000000)
/* Points of a run between two transactions of a long reading. */
#define SAVE_POINTS ((guint64) 512 << 10)

typedef enum
{
  INDEX_UNKNOWN, /* not looked for yet */
  INDEX_ABSENT,  /* none; one is made when the run is large enough */
  INDEX_LOADED,  /* epoch and generation are what our rows refer to */
  INDEX_SHARED,  /* in that of the folder; epoch is what our rows refer to */
  INDEX_REFUSED, /* somebody else's, or it cannot be written: everything stays in memory */
} IndexState;

typedef struct _WorkRoot WorkRoot;

/* A run as the worker knows it. @updates (nullable) are collected until the next message. */
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
  gboolean loaded_shared; /* all that is known of it comes from a shared index */
  guint n_queued;

  IndexState index_state;
  char *index_path;     /* (nullable): sonde_work_run_get_index_path() */
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
  guint n_parts, max_parts; /* with the crew, or done and not taken over yet; at most */
  GArray *spare_batches;    /* element-type SondeRecordBatch: empty, with room */
  gboolean bulk_is_ready;   /* parts can be taken over at once */
  SondeRunCrew *scanners, *saver;
  /* with the saver, and of runs that wait until it is done with the index that they share */
  guint64 n_saving_points, n_waiting_points;
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
  GArray *wanted_reread;   /* element-type guint */
  GPtrArray *wanted_paths; /* element-type utf8: to become roots */
  SondeRunMessage *outbox;
};

G_END_DECLS
