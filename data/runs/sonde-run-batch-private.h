/* SPDX-License-Identifier: Apache-2.0
 * What the index lacks of some files, as it was at one moment: made on the worker thread, written
 * by another thread, and told to the files on the worker thread again. */
#pragma once

#include "data/runs/sonde-run-file-private.h"

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
  const char *relative;
  gint64 numbers[14];
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

/* @files: (element-type SondeRunFileReader): they count as saved from here on. */
SondeRunBatch *sonde_run_batch_new (GPtrArray *files);
/* Tells the files their rows, or that they are unsaved after all; frees. @drop_tails: nobody is
 * likely to write on: blocks that are not full leave the memory, too. */
void sonde_run_batch_finish (SondeRunBatch *batch, gboolean saved, gboolean drop_tails);

G_END_DECLS
