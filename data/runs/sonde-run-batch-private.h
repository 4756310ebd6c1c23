/* SPDX-License-Identifier: Apache-2.0
 * What the index lacks of some files, as it was at one moment: made on the worker thread, written
 * by another thread, and told to the files on the worker thread again. */
#pragma once

#include "data/runs/sonde-run-segment-private.h"

G_BEGIN_DECLS

/**
 * SondeRunBatchSegment:
 * @segment: not to be looked at by the writing, nor when the file was reset meanwhile
 * @row, @rows: (element-type gint64): of the segment and of each block in the index; 0 for a new
 *   one, filled in by the writing
 * @blocks: (element-type SondeRunBlock): with columns
 */
typedef struct
{
  SondeRunSegment *segment;
  SondeRunTag what;
  gint64 row;
  GPtrArray *blocks;
  GArray *rows;
} SondeRunBatchSegment;

#define SONDE_RUN_BATCH_NUMBERS 15

/**
 * SondeRunBatchFile:
 * @file: as @segment above
 * @forget: the rows that @row refers to are of an earlier content; @gone: nothing follows them
 * @numbers: in the order of the table's columns, without path and anchor
 * @tags: (element-type SondeRecordTag): those from id @first_tag on
 * @damage: (element-type SondeFrameDamage): the first @n_damage are no tail damage
 */
typedef struct
{
  SondeRunFileReader *file;
  guint n_resets, n_tag_changes;
  gboolean forget, gone;
  gint64 row;
  const char *path, *relative;
  gint64 numbers[SONDE_RUN_BATCH_NUMBERS];
  guint8 anchor[SONDE_RUN_ANCHOR_BYTES];
  guint n_anchor;
  GArray *tags;
  guint first_tag;
  GPtrArray *damage;
  guint n_damage;
  GPtrArray *segments; /* element-type SondeRunBatchSegment */
} SondeRunBatchFile;

/* @n_points: in its blocks */
typedef struct
{
  GPtrArray *files; /* element-type SondeRunBatchFile */
  guint64 n_points;
} SondeRunBatch;

/* What is unsaved of @files (element-type SondeRunFileReader): it counts as saved from here on. */
SondeRunBatch *sonde_run_batch_new (GPtrArray *files);
/* Tells the files their rows, or that they are unsaved after all; frees. Blocks that are not full
 * leave the memory, too, of files that are not live at @now_ns. */
void sonde_run_batch_finish (SondeRunBatch *batch, gboolean saved, gint64 now_ns);
/* SondeRunBatchFile.numbers as they were read back, into @file. */
void sonde_run_batch_restore_numbers (SondeRunFileReader *file,
                                      const gint64 numbers[SONDE_RUN_BATCH_NUMBERS]);

G_END_DECLS
