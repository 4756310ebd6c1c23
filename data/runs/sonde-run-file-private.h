/* SPDX-License-Identifier: Apache-2.0
 * One record file as the worker thread reads it: how far, and what was found. Used on the worker
 * thread only. Its points and records: sonde-run-segment-private.h. */
#pragma once

#include "data/records/sonde-record-format.h"
#include "data/runs/sonde-run-update-private.h"

G_BEGIN_DECLS

/* A file that could not be read is tried again so often, even when it seems the same. */
#define SONDE_RUN_RETRY_NS (15 * (gint64) 1000000000)
/* An unfinished tail of a file that was written to within this time is waited for. */
#define SONDE_RUN_LIVE_NS (60 * (gint64) 1000000000)
#define SONDE_RUN_ANCHOR_BYTES 32

typedef struct _SondeRunFileReader SondeRunFileReader;

/**
 * SondeRunFileReader:
 * @position, @damage: what is behind the last whole record; @tail_damage: noted besides when the
 *   writer is gone, and forgotten when the file grows after all
 * @size, @inode, @device, @mtime_ns, @ctime_ns: as of the last look; the last of them, of the inode's
 *   own change, nobody can set back
 * @anchor: the bytes before @anchor_end, to see that the file is still the one that was read
 * @frames, @decoder: (nullable): open, of a framed format; @source: of another
 * @batch: of the worker: what is scanned and not absorbed yet
 * @tags: (element-type SondeRecordTag): by id, as of @position; @session: the decoder's
 * @segments_by_key: (nullable): made when first needed
 * @scalars: (element-type SondeRunSegment): by id of the tag, NULL where not looked up yet
 * @ended: the last record before @position says that its writer was closed
 * @last_scalar_step: the greatest of its scalars
 * @problem: (nullable): why it cannot be read, in the user's language
 * @is_copy: it is not to be read (sonde_run_file_reader_set_copy())
 */
struct _SondeRunFileReader
{
  const SondeIo *io;
  const SondeRecordFormat *format;
  guint number;
  char *path;           /* absolute */
  GRefString *relative; /* to the run */
  guint64 device, inode, size;
  gint64 mtime_ns, ctime_ns;
  gboolean gone, is_copy;
  char *problem;
  gint64 problem_ns; /* when it was found */

  SondeFrameReader *frames;
  SondeRecordDecoder *decoder;
  gpointer source;
  SondeRecordBatch *batch;
  guint *n_open;        /* of the worker: counts readers that hold a descriptor */
  guint n_damage_taken; /* of the reader's list */
  guint64 position, records, lost_records;
  GPtrArray *damage, *tail_damage; /* element-type SondeFrameDamage */
  GArray *tags;
  GPtrArray *scalars;
  guint32 session;
  guint64 anchor_end;
  guint8 anchor[SONDE_RUN_ANCHOR_BYTES];
  guint n_anchor;
  gboolean waiting, finished, ended;

  gboolean has_start, has_scalars;
  gint64 start_ns, last_scalar_step;
  guint64 n_points;    /* absorbed since the program began, records that are none counted too */
  GPtrArray *segments; /* element-type SondeRunSegment */
  GHashTable *segments_by_key;
  GPtrArray *changed; /* lent SondeRunSegments that changed since the last updates */

  gint64 row; /* in the index, 0: none */
  guint n_tags_saved;
  guint n_resets, n_tag_changes; /* so that what began before is known to be of the past */
  gboolean unsaved;              /* differs from the index */
  gboolean forget;               /* rows of an earlier content are to be deleted first */
  /* of the worker: the run; @queued: waits for its turn; @settling: somebody waits */
  gpointer owner;
  gboolean queued, settling;
  GQueue parts;      /* element-type SondeRunPart: with the crew or done, in file order */
  guint64 next_part; /* where the next one begins */
  /* element-type SondeRunBlockUpdate; of the run, which takes it at a message; NULL: none yet */
  GArray **updates;
  SondeColumns *(*load_tail) (gpointer owner, gint64 row, guint n); /* from the index */
};

SondeRunFileReader *sonde_run_file_reader_new (const SondeIo *io, const SondeRecordFormat *format,
                                               guint number, const char *folder,
                                               const char *relative, GArray **updates);
void sonde_run_file_reader_free (SondeRunFileReader *file);

typedef enum
{
  SONDE_RUN_FILE_SAME,
  SONDE_RUN_FILE_GREW,  /* there is something to read */
  SONDE_RUN_FILE_RESET, /* it is another file or a shorter one: to be read from 0 */
  SONDE_RUN_FILE_GONE,
} SondeRunFileChange;

/* Looks at the file; resets what was known when it must. @now_ns: wall time */
SondeRunFileChange sonde_run_file_reader_look (SondeRunFileReader *file, gint64 now_ns);

typedef enum
{
  SONDE_RUN_READ_MORE, /* the deadline came first */
  SONDE_RUN_READ_DONE, /* everything up to the size at the last look */
  SONDE_RUN_READ_LOST, /* the index lost the tail that new points belong to: read it all again */
} SondeRunReadResult;

/* Reads on until the end or @deadline_ns (monotonic). */
SondeRunReadResult sonde_run_file_reader_read (SondeRunFileReader *file, gint64 deadline_ns,
                                               gint64 now_ns);
/* Another file holds the same records: nothing of this one counts, and it is at its end. Before a
 * look. */
void sonde_run_file_reader_set_copy (SondeRunFileReader *file, gboolean is_copy);
/* Closes the file; reading goes on by opening it again. */
void sonde_run_file_reader_rest (SondeRunFileReader *file);
/* Forgets everything and begins at 0. */
void sonde_run_file_reader_reset (SondeRunFileReader *file);
/* Is it likely to be written on: it was lately, and does not end with the mark of a writer that was
 * closed. */
gboolean sonde_run_file_reader_is_live (const SondeRunFileReader *file, gint64 now_ns);

/* What an index says of it can be right. */
gboolean sonde_run_file_reader_is_plausible (const SondeRunFileReader *file);

void sonde_run_file_reader_set_problem (SondeRunFileReader *file, const char *problem);
/* Notes the bytes that the file must still have at the next look. */
void sonde_run_file_reader_take_anchor (SondeRunFileReader *file);

/* A tag that was known says something else now: all are saved anew. */
void sonde_run_file_reader_change_tags (SondeRunFileReader *file);

G_END_DECLS
