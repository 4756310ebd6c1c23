/* SPDX-License-Identifier: Apache-2.0
 * The run store: finds runs below folders, tails their files, keeps the SQLite index, and offers
 * GObjects and GListModels to the window and plain calls to the command line. The record files are
 * the truth; the index is a cache that may be deleted at any time.
 * Threads: a store has one worker thread that reads and indexes; every GObject is used on the
 * thread that made the store, which must run its GMainContext to see changes (or call _settle()).
 * Environment: SONDE_WATCH=poll looks at the files every 500 ms instead of waiting for the kernel's
 * notices, as it does by itself for files of other machines (NFS, SMB, FUSE …). */
#pragma once

#include <gio/gio.h>

#include "data/base/sonde-io.h"
#include "data/records/sonde-record-frame.h"
#include "data/records/sonde-record.h"

G_BEGIN_DECLS

#define SONDE_TYPE_RUN_STORE (sonde_run_store_get_type ())
#define SONDE_TYPE_RUN (sonde_run_get_type ())
#define SONDE_TYPE_SERIES (sonde_series_get_type ())
G_DECLARE_FINAL_TYPE (SondeRunStore, sonde_run_store, SONDE, RUN_STORE, GObject)
G_DECLARE_FINAL_TYPE (SondeRun, sonde_run, SONDE, RUN, GObject)
G_DECLARE_FINAL_TYPE (SondeSeries, sonde_series, SONDE, SERIES, GObject)

/* ---- store --------------------------------------------------------------- */

/**
 * sonde_run_store_new:
 * @io: (nullable)
 * @paths: (array zero-terminated=1): run folders, folders of runs, record files; one that is empty
 *   or does not exist yet is watched
 * @index_folder: (nullable): where the SQLite indices lie; NULL is XDG_CACHE_HOME/sonde/index
 *
 * A GListModel of SondeRun, in natural order of the path (run-2 before run-10): `items-changed` when
 * runs appear or go.
 * Reading begins with sonde_run_store_start(). Nothing here fails: what cannot be read is said by
 * the runs' damage lists and sonde_run_store_get_problems().
 */
SondeRunStore *sonde_run_store_new (const SondeIo *io, const char *const *paths,
                                    const char *index_folder);

/* For a command that looks once: before the start, so that no folder is watched. What changes is
 * found by the next settle, or within seconds. */
void sonde_run_store_set_watching (SondeRunStore *store, gboolean watching);

/**
 * sonde_run_store_add_path:
 * @path: as those of sonde_run_store_new()
 *
 * Also while it runs: what is found there appears beside the rest. A path that the store has, or a run
 * that lies below one of its paths, is listed once. The name of a run that @path itself is is ".".
 */
void sonde_run_store_add_path (SondeRunStore *store, const char *path);

/* Starts the worker: scan, index, then tail (raw inotify, or polling every 500 ms where it fails)
 * until the store is disposed. */
void sonde_run_store_start (SondeRunStore *store);

/**
 * sonde_run_store_settle:
 *
 * For commands and tests: waits until everything that is on disk at the call has been read and
 * sent and saved in the index, iterating the store's main context; not from its own signals.
 * Starts the store when it was not. Errors: none of the paths exists or can be read.
 */
gboolean sonde_run_store_settle (SondeRunStore *store, GCancellable *cancellable, GError **error);

/* Signal "changed" (): runs, tags or points were added; at most every 50 ms, at the priority of
 * frames (G_PRIORITY_HIGH_IDLE + 20), in turns with them. */

/* (element-type utf8) (transfer none): sentences for the user, in the user's language, about what
 * could not be read */
GPtrArray *sonde_run_store_get_problems (SondeRunStore *store);
gboolean sonde_run_store_is_loading (SondeRunStore *store);
/* 0…1 of the bytes found so far; 1 when idle */
double sonde_run_store_get_progress (SondeRunStore *store);
/* Grows when a run comes or goes or holds a tag more or less; not when points are added. */
guint64 sonde_run_store_get_structure (SondeRunStore *store);
/* (element-type SondeRun) (transfer none): those that the last "changed" is about and that are there: a point
 * that arrives in one of thousands need not be looked for. Lent until the next. */
GPtrArray *sonde_run_store_get_changed (SondeRunStore *store);
guint64 sonde_run_store_get_serial (SondeRunStore *store); /* counts the "changed" */
/* Of all its runs. */
guint64 sonde_run_store_get_damage_count (SondeRunStore *store);
/* Those that are live, as of the last "changed": not counted anew. */
guint sonde_run_store_get_n_live (SondeRunStore *store);
SondeRun *sonde_run_store_find (SondeRunStore *store,
                                const char *name); /* (transfer none) (nullable) */

/* Is it a record file of any format? It is opened only where the name does not say. */
gboolean sonde_run_recognises_file (const char *path);

/* ---- run ----------------------------------------------------------------- */

/* Files of a run. @damage: (element-type SondeFrameDamage). @read: how many of its bytes were
 * looked at. */
typedef struct
{
  char *path;         /* relative to the run */
  const char *format; /* as sonde_run_get_format() */
  guint64 bytes, read, records;
  GPtrArray *damage;
  /* compressed, beside the file it was made of: that one is read, and of this nothing counts */
  gboolean is_copy;
  gboolean waiting;     /* an unfinished tail of a living writer */
  guint64 lost_records; /* sum of GAP records */
} SondeRunFile;

typedef struct
{
  const char *tag; /* interned */
  SondeRecordKind kind;
  guint64 count;                /* records */
  gint64 first_step, last_step; /* the smallest and the greatest */
} SondeRunTag;

const char *sonde_run_get_name (SondeRun *run);   /* relative to the argument, "." for itself */
const char *sonde_run_get_path (SondeRun *run);   /* absolute folder */
const char *sonde_run_get_format (SondeRun *run); /* "sonde", "tensorboard", … of its first file */
/* 0…1 of the bytes of its files; below 1 while they are read, or while a writer is in the middle of
 * a record. */
double sonde_run_get_progress (SondeRun *run);
/* A file of it was written to within the last 60 s and its writer was not closed. */
gboolean sonde_run_is_live (SondeRun *run);
/* Order of appearance, which stays with the run's path, or what somebody chose. */
guint sonde_run_get_color_index (SondeRun *run);
/* @color: an index; -1: the order of appearance. Emits "changed" where it is another. */
void sonde_run_set_color_index (SondeRun *run, gint64 color);
gint64 sonde_run_get_last_step (SondeRun *run); /* the greatest of its scalars; -1 when none */
gint64 sonde_run_get_start_ns (SondeRun *run);  /* earliest wall time of a file's first record */
/* (element-type SondeRunFile) (transfer none): lent until the next main loop iteration */
GPtrArray *sonde_run_get_files (SondeRun *run);
/* (element-type SondeRunTag) (transfer none): sorted by tag, then kind. All that is recorded, also
 * what is recognised but not understood (kind OTHER); without the notes about tags. What has no tag
 * goes by the name of its kind. */
GPtrArray *sonde_run_get_tags (SondeRun *run);
guint64 sonde_run_get_damage_count (SondeRun *run);
/* Properties for bindings: "name", "live", "last-step", "damage-count". Signal "changed". */

/**
 * sonde_run_get_series:
 * Returns: (transfer none) (nullable): the scalar series of @tag; the same object every time
 */
SondeSeries *sonde_run_get_series (SondeRun *run, const char *tag);

/* ---- blobs: everything that is no scalar --------------------------------- */

/* One record in the index. */
typedef struct
{
  gint64 step;
  gint64 wall_time_ns;
  guint32 session;
  guint32 file;  /* index into files as long as none of them was deleted; for read_blob */
  guint64 place; /* in it (sonde-record-batch.h) */
} SondeBlobRef;

/* (element-type SondeBlobRef) (transfer full): in file and record order */
GArray *sonde_run_list_blobs (SondeRun *run, const char *tag, SondeRecordKind kind);

/* Reads one record from its file on the calling thread (a few ms; for the window use the async
 * form). Clear @record with sonde_record_clear(). */
gboolean sonde_run_read_blob (SondeRun *run, const SondeBlobRef *blob, SondeRecord *record,
                              GError **error);
/* What is said about a tag: all (nullable). */
typedef struct
{
  char *display_name, *description, *unit, *group;
} SondeRunNote;

/* The first note about @tag, read from its file on the calling thread (a few µs once it was read).
 * (transfer full) (nullable): NULL when there is none; free it with sonde_run_note_free() */
SondeRunNote *sonde_run_dup_note (SondeRun *run, const char *tag);
void sonde_run_note_free (SondeRunNote *note); /* NULL is fine */
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SondeRunNote, sonde_run_note_free)

/* All @refs in one GTask thread. Finish gives (element-type SondeRecord) (transfer full): an array
 * whose entries are heap SondeRecords, freed with the array; unreadable ones are left out. */
void sonde_run_read_blobs_async (SondeRun *run, GArray *refs, GCancellable *cancellable,
                                 GAsyncReadyCallback callback, void *user_data);
GPtrArray *sonde_run_read_blobs_finish (SondeRun *run, GAsyncResult *result, GError **error);

/**
 * SondeRunRecordFunc:
 * @record: lent for the call; its tag names are interned
 * Returns: FALSE with @error set to end the reading
 */
typedef gboolean (*SondeRunRecordFunc) (const SondeRecord *record, void *data, GError **error);
/**
 * sonde_run_for_each_record:
 *
 * All readable records of all kinds in file and record order, read from the files now, on the
 * calling thread: for commands, not for the window. Scalars that follow each other in one frame and
 * have the same step and time come as one record. Damage is stepped over, a file that cannot be
 * opened too (the store's problems name it).
 * Returns: FALSE when @func did, with its error.
 */
gboolean sonde_run_for_each_record (SondeRun *run, SondeRunRecordFunc func, void *data,
                                    GError **error);

/* ---- series -------------------------------------------------------------- */

/**
 * Points of one scalar tag in file and record order; every point is kept. Steps may go back or
 * repeat (resumed runs): @session tells them apart.
 */
typedef struct
{
  gint64 step;
  gint64 wall_time_ns;
  double value;
  guint32 session;
} SondePoint;

/* Min, max, first, last of @count consecutive points, for drawing any zoom. */
typedef struct
{
  gint64 first_step, last_step; /* of its first and last point */
  double min, max, first, last; /* NaN points are left out of min and max: NaN when all are */
  guint32 count, n_nan;
  guint32 session; /* of its first point */
  gint64 first_wall_ns, last_wall_ns;
} SondeBucket;

SondeRun *sonde_series_get_run (SondeSeries *series); /* (transfer none) (nullable) */
/* A series of points that were computed, not recorded. @run: (nullable): whose times they have; kept. (transfer
 * full) */
SondeSeries *sonde_series_new_computed (SondeRun *run, const SondePoint *points, gsize n);
/* Other points in place of those of a computed series; emits "changed". */
void sonde_series_set_points (SondeSeries *series, const SondePoint *points, gsize n);
guint64 sonde_series_get_n_points (SondeSeries *series);
gboolean sonde_series_get_last (SondeSeries *series, SondePoint *point); /* FALSE when empty */
/* Finite range over all points; FALSE when there is none. */
gboolean sonde_series_get_range (SondeSeries *series, gint64 *first_step, gint64 *last_step,
                                 double *min, double *max);
/* Copies points [first, first + n) into @points (read from the index blocks when they are not in
 * memory); returns how many. */
gsize sonde_series_copy_points (SondeSeries *series, guint64 first, gsize n, SondePoint *points);
/**
 * sonde_series_query:
 * @from_step, @to_step: window
 * @max_buckets: usually the width in pixels
 *
 * Exact min and max for each of at most @max_buckets consecutive stretches of the window's points,
 * in file and record order (one bucket a point when they fit). A stretch ends where a file ends, as
 * long as there are fewer files than buckets, so sessions are not mixed. The work is in proportion
 * to
 * @max_buckets, not to the points: blocks that the index holds are read from it (a few pages each).
 * Returns: (transfer full) (element-type SondeBucket)
 */
GArray *sonde_series_query (SondeSeries *series, gint64 from_step, gint64 to_step,
                            guint max_buckets);
/* Signal "changed": points were added or the series was rebuilt. */

G_END_DECLS
