/* SPDX-License-Identifier: Apache-2.0
 * TFRecord framing: length, masked CRC32C of it, payload, masked CRC32C of that; little-endian. One
 * reader for Sonde records, TensorBoard event files and MindSpore summaries. It follows a growing
 * file and finds the next record after damage.
 * Source: tensorflow/tensorboard data/server/tf_record.rs, masked_crc.rs. */
#pragma once

#include "data/base/sonde-io.h"

G_BEGIN_DECLS

#define SONDE_FRAME_HEADER_BYTES 12
#define SONDE_FRAME_OVERHEAD_BYTES 16

/* CRC-32C (reflected 0x82F63B78), rotated right by 15, plus 0xA282EAD8. */
guint32 sonde_frame_masked_crc (const void *data, gsize length);

/* Appends header, @length payload bytes and trailer to @out. */
void sonde_frame_append (GByteArray *out, const void *payload, gsize length);

/* The same without a copy: append the payload to @out between the two calls.
 * sonde_frame_begin() returns the @start that sonde_frame_end() needs. */
gsize sonde_frame_begin (GByteArray *out);
void sonde_frame_end (GByteArray *out, gsize start);

/**
 * SondeFrameDamage: one stretch of a file that could not be read
 * @offset, @bytes: the stretch
 * @reason: "length checksum", "payload checksum", "length N exceeds the budget", "zeros", "cut off
 *   inside a record", "not an event file" (at its start), each perhaps with more words behind it;
 *   owned
 */
typedef struct
{
  guint64 offset, bytes;
  char *reason;
} SondeFrameDamage;

void sonde_frame_damage_free (SondeFrameDamage *damage);

typedef enum
{
  SONDE_FRAME_RECORD, /* a checked payload was returned */
  /* the end, or a record that is not whole yet: ask again when the file grew */
  SONDE_FRAME_WAITING,
  SONDE_FRAME_ERROR, /* the file cannot be read at all: @error is set */
} SondeFrameResult;

/* Reads with pread in large blocks; never maps. One thread at a time. */
typedef struct _SondeFrameReader SondeFrameReader;

/* Errors: of sonde_io_open_regular(). @start: offset of a record border, usually 0. */
SondeFrameReader *sonde_frame_reader_open (const SondeIo *io, const char *path, guint64 start,
                                           GError **error);
void sonde_frame_reader_free (SondeFrameReader *reader);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SondeFrameReader, sonde_frame_reader_free)

/**
 * sonde_frame_reader_next:
 * @payload: (out) (transfer none): until the next call
 * @offset: (out) (optional): of the frame's first byte
 *
 * A bad checksum or an impossible length is damage: the reader searches for the next offset whose
 * header and payload are both right, notes the stretch in its damage list and goes on. A stretch
 * at the very end is damage only when nothing can follow (see sonde_frame_reader_finish()); zeros
 * up to the end are bytes whose content has not arrived yet.
 * A stretch of 64 MiB without a record is noted and the search goes on behind it; after 1 GiB it
 * ends, the rest of the file is one more stretch.
 * Errors: SONDE_DATA_ERROR_IO; DAMAGED when the file has become shorter than what was read (it was
 * replaced: open it again); NO_MEMORY.
 */
SondeFrameResult sonde_frame_reader_next (SondeFrameReader *reader, const guint8 **payload,
                                          gsize *length, guint64 *offset, GError **error);

/* The writer is gone: an unfinished tail becomes damage ("cut off inside a record"). */
void sonde_frame_reader_finish (SondeFrameReader *reader);

/* Goes to a record border, before the first record is read. */
void sonde_frame_reader_seek (SondeFrameReader *reader, guint64 position);

/* Goes to the first right frame at or behind the position that begins before @end, wherever in a
 * frame the position is. What lies between is no damage. FALSE when there is none; the position is
 * @end then. */
gboolean sonde_frame_reader_find (SondeFrameReader *reader, guint64 end);

/* Where reading goes on: the end of the last record or of the last noted damage. */
guint64 sonde_frame_reader_get_position (const SondeFrameReader *reader);
guint64 sonde_frame_reader_get_count (const SondeFrameReader *reader);     /* records returned */
guint64 sonde_frame_reader_get_file_size (const SondeFrameReader *reader); /* as of the last read */
/* bytes behind the position */
gboolean sonde_frame_reader_is_waiting (const SondeFrameReader *reader);
/* (element-type SondeFrameDamage) (transfer none) */
GPtrArray *sonde_frame_reader_get_damage (const SondeFrameReader *reader);

/* @reason: taken. For a payload that is right by its checksum but no message. */
void sonde_frame_reader_add_damage (SondeFrameReader *reader, guint64 offset, guint64 bytes,
                                    char *reason);

G_END_DECLS
