/* SPDX-License-Identifier: Apache-2.0
 * A *.sonde file from its beginning as a stream of whole records, framing and decoding joined. What
 * is scanned for an index, goes on later, or reads one record at its place, goes through
 * sonde_record_format_sonde. */
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
 * @offset: (out) (optional): of its frame, as in a SondeRecordRef
 *
 * A payload with a right checksum that is no valid message is damage of that record alone.
 */
SondeFrameResult sonde_record_reader_next (SondeRecordReader *reader, SondeRecord *record,
                                           guint64 *offset, GError **error);

SondeFrameReader *sonde_record_reader_get_frames (SondeRecordReader *reader); /* position, damage */

G_END_DECLS
