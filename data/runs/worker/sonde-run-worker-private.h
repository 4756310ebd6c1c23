/* SPDX-License-Identifier: Apache-2.0
 * The store's worker thread as the owner's thread sees it: requests go in, messages come out. All
 * disk work of a store (scan, read, index) is done there. */
#pragma once

#include "data/base/sonde-message.h"
#include "data/records/sonde-record-format.h"
#include "data/runs/sonde-run-update-private.h"

G_BEGIN_DECLS

typedef struct _SondeRunWorker SondeRunWorker;

/**
 * SondeRunSlot: a file by its number; immutable
 * @path: absolute; NULL when the file is gone, or is a copy that nothing is read of
 * @tags: (array length=n_tags): by id
 */
typedef struct
{
  char *path;
  const SondeRecordFormat *format;
  SondeRecordTag *tags;
  gsize n_tags;
} SondeRunSlot;

/**
 * SondeRunInfo: what is known of a run besides its points; immutable once sent
 * @files: (element-type SondeRunFile): those that are there, by number
 * @slots: (element-type SondeRunSlot): all, by number
 * @tags: (element-type SondeRunTag): sorted by tag, then kind; without notes
 * @tag_array: where they lie; @format: of the first file
 * @index_path, @index_epoch: (nullable): where blocks that are not in memory are read
 */
typedef struct
{
  gint ref_count;
  char *path, *name;
  const SondeRecordFormat *format;
  GPtrArray *files, *slots, *tags;
  GArray *tag_array;
  gboolean live;
  gint64 last_step, start_ns;
  guint64 damage_count;
  char *index_path;
  gint64 index_epoch;
} SondeRunInfo;

/* How many things that take @descriptors each may stay open: @most, or fewer where the process may
 * have few descriptors; at least one. */
guint sonde_run_limit_open (guint most, guint descriptors);

SondeRunInfo *sonde_run_info_ref (SondeRunInfo *info);
void sonde_run_info_unref (SondeRunInfo *info);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SondeRunInfo, sonde_run_info_unref)

/* What is new of one run, in the order @blocks, @info. */
typedef struct
{
  guint run;          /* number; of a run that was removed too, when it comes back */
  gboolean removed;   /* no file is left: nothing else is set */
  GArray *blocks;     /* (nullable) element-type SondeRunBlockUpdate */
  SondeRunInfo *info; /* (nullable): it changed */
} SondeRunUpdate;

/**
 * SondeRunMessage:
 * @updates: (element-type SondeRunUpdate)
 * @problems: (nullable) (element-type utf8): they changed
 * @settled: number of the last request to settle that is done
 * @failure: (nullable): why nothing could be read, for @settled
 */
typedef struct
{
  GPtrArray *updates;
  GPtrArray *problems;
  gboolean loading;
  double progress;
  guint settled;
  SondeMessage *failure;
} SondeRunMessage;

void sonde_run_message_free (SondeRunMessage *message);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SondeRunMessage, sonde_run_message_free)

/* @paths: absolute. @index_folder: where indices lie */
SondeRunWorker *sonde_run_worker_new (const SondeIo *io, const char *const *paths,
                                      const char *index_folder);
/* Another one of the paths, absolute; nothing when it is one. Also while the thread runs. */
void sonde_run_worker_add_path (SondeRunWorker *worker, const char *path);
/* Before the start: whether notices of changes are waited for; they are unless this says not. */
void sonde_run_worker_set_watching (SondeRunWorker *worker, gboolean watching);
void sonde_run_worker_start (SondeRunWorker *worker);
/* Stops the thread, which saves what it has read, and frees. */
void sonde_run_worker_free (SondeRunWorker *worker);

/* Readable when there is a message. */
int sonde_run_worker_get_fd (SondeRunWorker *worker);
/* (transfer full) (nullable) */
SondeRunMessage *sonde_run_worker_take (SondeRunWorker *worker);

/* Number of the request, for SondeRunMessage.settled. */
guint sonde_run_worker_settle (SondeRunWorker *worker);
/* The index does not hold what it should: read the run's files again. */
void sonde_run_worker_reread (SondeRunWorker *worker, guint run);

G_END_DECLS
