/* SPDX-License-Identifier: Apache-2.0
 * A *.sonde file as a stream of records: framing and decoding joined. */
#pragma once

#include "data/records/sonde-record-frame.h"
#include "data/records/sonde-record.h"

G_BEGIN_DECLS

typedef struct _SondeRecordReader SondeRecordReader;

SondeRecordReader *sonde_record_reader_open (const SondeIo *io, const char *path, GError **error);
void sonde_record_reader_free (SondeRecordReader *reader);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SondeRecordReader, sonde_record_reader_free)

/**
 * sonde_record_reader_next:
 * @record: (out): the caller clears it; valid with SONDE_FRAME_RECORD only
 * @offset: (out) (optional): of its frame, for sonde_record_read_at()
 *
 * A payload with a right checksum that is no valid message is damage of that record alone.
 */
SondeFrameResult sonde_record_reader_next (SondeRecordReader *reader, SondeRecord *record,
                                           guint64 *offset, GError **error);

SondeFrameReader *sonde_record_reader_get_frames (SondeRecordReader *reader); /* position, damage */

/* Continue an earlier reading of the same file: table of tags so far and the position behind the
 * last record. @tags: by id from 0, as sonde_record_reader_get_tags() gave them: an id whose
 * declaration was lost is "tag#N", never NULL. Before the first record is read. */
void sonde_record_reader_seek (SondeRecordReader *reader, guint64 position, const char *const *tags,
                               gsize n_tags);
const char *const *sonde_record_reader_get_tags (SondeRecordReader *reader,
                                                 gsize *n_tags); /* interned */

/**
 * sonde_record_read_at:
 * One record whose frame begins at @offset (from an index). @tags as above, for its tag id.
 */
gboolean sonde_record_read_at (const SondeIo *io, const char *path, guint64 offset,
                               const char *const *tags, gsize n_tags, SondeRecord *record,
                               GError **error);

G_END_DECLS
