/* SPDX-License-Identifier: Apache-2.0
 * The worker's side of a tag in a file: the block that is being filled, and the blocks that the
 * owner's thread or the index has not got yet. Used on the worker thread only. */
#pragma once

#include "data/runs/sonde-run-file-private.h"

G_BEGIN_DECLS

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
/* Puts updates about blocks that changed since the last call. */
void sonde_run_file_reader_collect_updates (SondeRunFileReader *file);

G_END_DECLS
