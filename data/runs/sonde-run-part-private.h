/* SPDX-License-Identifier: Apache-2.0
 * A stretch of a framed file that is scanned apart from the others, on any thread. It begins at the
 * first frame that is found in it, which need not be one (a payload may hold frames); so it is only
 * believed when the part before it ends just there. */
#pragma once

#include "data/runs/sonde-run-file-private.h"

G_BEGIN_DECLS

/**
 * SondeRunPart: all but the first three is for the scanning thread until the part is done
 * @file, @n_resets: as the batch of an index has them
 * @start, @end: frames that begin there; @exact: one begins at @start
 * @tags, @session: what the decoder begins with
 * @first: of the first frame found, or @stop; @stop: behind the last, where the next part must
 * begin
 * @is_last: nothing whole follows: the file ends, or cannot be read
 */
typedef struct
{
  SondeRunFileReader *file;
  guint n_resets;
  gboolean done;
  const SondeIo *io;
  const SondeRecordFormat *format;
  const char *path;
  guint64 start, end;
  gboolean exact;
  GArray *tags;
  guint32 session;

  guint64 first, stop, n_records;
  gboolean found, is_last;
  GPtrArray *damage;
  SondeRecordDecoder *decoder;
  SondeRecordBatch batch;
} SondeRunPart;

/* Of what is known of @file now. */
SondeRunPart *sonde_run_part_new (SondeRunFileReader *file, guint64 start, guint64 end);
void sonde_run_part_free (SondeRunPart *part);
void sonde_run_part_scan (gpointer part);

typedef enum
{
  SONDE_RUN_PART_TAKEN,
  SONDE_RUN_PART_WRONG, /* it does not follow, or tags mean something else by now: scan it anew */
  SONDE_RUN_PART_LOST,  /* as SONDE_RUN_READ_LOST */
} SondeRunPartResult;

/* Takes over the part that comes next in its file. */
SondeRunPartResult sonde_run_file_reader_take_part (SondeRunFileReader *file, SondeRunPart *part);

G_END_DECLS
