/* SPDX-License-Identifier: Apache-2.0
 * One record file as the worker thread reads it: how far, what was found, and the blocks that the
 * owner's thread or the index has not got yet. Used on the worker thread only. */
#pragma once

#include "data/records/sonde-record-format.h"
#include "data/runs/sonde-run-block-private.h"

G_BEGIN_DECLS

/* A file that could not be read is tried again so often, even when it seems the same. */
#define SONDE_RUN_RETRY_NS (15 * (gint64) 1000000000)
/* An unfinished tail of a file that was written to within this time is waited for. */
#define SONDE_RUN_LIVE_NS (60 * (gint64) 1000000000)
#define SONDE_RUN_ANCHOR_BYTES 32

/**
 * SondeRunSegment: the records of one tag and kind in one file
 * @what: tag, kind, count (the second of several records of a step, SondeRecordRef.same, is not
 *   counted) and steps; it stands first: a segment is found by it
 * @n_full: full blocks before the tail
 * @unsaved_blocks: (nullable) (element-type SondeRunBlock): those of them that the index lacks, or
 *   of which it has fewer points
 * @n_sent: full blocks that the owner's thread has; it gets columns only when a message comes
 *   before the index
 * @tail: (nullable): the block that is being filled: NULL when its points are only in the index
 * @n_tail: its points
 * @tail_summary: (nullable): of the first @n_summarised of them, with memory for their chunks
 * @saved_tail: (nullable): in the place of @tail_summary: the block that the index has, of as many
 * @tail_row, @n_tail_saved: its row in the index, and how many of its points are there
 * @row: of the segment in the index; @unsaved: it differs from its row
 * @changed: the owner's thread has not got the tail as it is
 */
typedef struct
{
  SondeRunTag what;
  guint n_full, n_sent;
  GPtrArray *unsaved_blocks;
  SondeColumns *tail;
  guint n_tail, n_summarised;
  SondeBlockSummary *tail_summary;
  SondeRunBlock *saved_tail;
  gint64 tail_row;
  guint n_tail_saved;
  gint64 row;
  gboolean unsaved, changed;
} SondeRunSegment;

/**
 * SondeRunBlockUpdate: what the owner's thread is told, in this order
 * @order: a reference to the path of the file
 * @tag: interned; NULL: all points of the file are gone
 */
typedef struct
{
  guint file;
  GRefString *order;
  const char *tag;
  SondeRecordKind kind;
  SondeRunBlock *block;
} SondeRunBlockUpdate;

typedef struct _SondeRunFileReader SondeRunFileReader;

/**
 * SondeRunFileReader:
 * @position, @damage: what is behind the last whole record; @tail_damage: noted besides when the
 *   writer is gone, and forgotten when the file grows after all
 * @size, @inode, @device, @mtime_ns: as of the last look
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
  gint64 mtime_ns;
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
  GArray **updates;  /* element-type SondeRunBlockUpdate; of the run, which takes it at a message */
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

/* Puts updates about blocks that changed since the last call. */
void sonde_run_file_reader_collect_updates (SondeRunFileReader *file);
void sonde_run_block_update_clear (SondeRunBlockUpdate *update);

/* ---- segments: sonde-run-segment.c --------------------------------------- */

SondeRunSegment *sonde_run_file_reader_ensure_segment (SondeRunFileReader *file, const char *tag,
                                                       SondeRecordKind kind);
/* One that there is none of yet: for those who know that. */
SondeRunSegment *sonde_run_file_reader_add_segment (SondeRunFileReader *file, const char *tag,
                                                    SondeRecordKind kind);
/* Points [from, to) of @batch, whatever their tags. FALSE when the tail that they belong to is
 * lost. */
gboolean sonde_run_file_reader_add_points (SondeRunFileReader *file, SondeRunSegment *segment,
                                           const SondeRecordBatch *batch, gsize from, gsize to);
gboolean sonde_run_file_reader_add_ref (SondeRunFileReader *file, SondeRunSegment *segment,
                                        const SondeRecordRef *ref);
/* All of @batch, whose tags are ids of @tags of the file; FALSE as above. */
gboolean sonde_run_file_reader_absorb (SondeRunFileReader *file, const SondeRecordBatch *batch);
void sonde_run_segment_summarise (SondeRunSegment *segment);
void sonde_run_segment_free (SondeRunSegment *segment);
/* The tail as it is now. Returns: (transfer full) */
SondeRunBlock *sonde_run_segment_make_tail_block (SondeRunSegment *segment);
/* @block: saved, and the tail: its columns are read again only when points come behind them. */
void sonde_run_segment_set_saved_tail (SondeRunSegment *segment, SondeRunBlock *block);
/* Puts an update about @block, which the owner's thread can read. */
void sonde_run_file_reader_send_block (SondeRunFileReader *file, const SondeRunSegment *segment,
                                       SondeRunBlock *block);

G_END_DECLS
