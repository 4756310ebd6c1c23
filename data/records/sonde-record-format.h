/* SPDX-License-Identifier: Apache-2.0
 * Record file formats that a run may be made of: one row of a const table each. Whoever reads runs
 * handles files, framing, damage and growth alike for all of them; a format knows only what the
 * bytes mean. A new format is a file here with its row, and a line in the table of
 * sonde-record-format.c. */
#pragma once

#include "data/base/sonde-io.h"
#include "data/records/sonde-record-frame.h"
#include "data/records/sonde-record-batch.h"

G_BEGIN_DECLS

/**
 * SondeRecordTag: a name by its id in one file
 * @name: interned; NULL where the id was not declared (yet)
 * @state: (nullable): interned; what the decoder has to know of the tag to understand a later
 *   record alone (its plugin, say): kept in the index beside the name
 */
typedef struct
{
  const char *name;
  const char *state;
} SondeRecordTag;

/**
 * SondeRecordDecoder: what one file's payloads mean; the first member of each format's own type.
 * One thread at a time; several parts of a file may be decoded at once, with a decoder each, whose
 * tag ids are then translated by the names (or, where @ids_are_of_file, stay as they are).
 * @tags: (element-type SondeRecordTag): by id, grows while payloads are scanned
 * @session: of the records that follow; begins at 1
 */
typedef struct
{
  GArray *tags;
  guint32 session;
} SondeRecordDecoder;

/**
 * SondeRecordFormat:
 * @name: as in `sonde inspect --json`: of all files of one kind of run ("sonde", "tensorboard",
 *   "mindspore", "csv")
 * @ids_are_of_file: tag ids are in the file; a decoder in its middle may meet undeclared ones
 * @recognises: by the file's base name, without opening it
 * @probe: (optional): a file with such a name is looked into before it is taken; a few KiB at most
 * @dup_run: (optional): folder of the run that the file in @folder (absolute) belongs to; else
 * @folder
 *
 * Framed (TFRecord) formats have the three below and no @open:
 * @decoder_new: @tags: (nullable): as an earlier decoder of the file left them, copied
 * @scan: appends the points and records of one payload to @batch. It looks no deeper than it must
 *   to tell kind, tag and place, but walks all of the message: what does not parse is an error
 *   (SONDE_DATA_ERROR_DAMAGED or LIMIT: this payload is damage; NO_MEMORY: it may be right, try
 *   again later; nothing of it is in @batch)
 * @read: the record number @part of a payload, with all its content
 *
 * Formats without frames have these:
 * @open: goes on behind @position of an earlier reading with its tags; @position 0 begins
 * @next: appends what comes next to @batch, some thousand points or a MiB at most; @position: (out)
 *   behind it; @n_records: (out) how many it was; damage is appended to @damage (element-type
 *   SondeFrameDamage). WAITING: nothing whole is left
 * @get_tags: of the source, as a decoder's
 * @close
 * @read_place: one record with all its content, from its place
 */
typedef struct _SondeRecordFormat SondeRecordFormat;
struct _SondeRecordFormat
{
  const char *name;
  gboolean ids_are_of_file;
  gboolean (*recognises) (const char *file_name);
  gboolean (*probe) (const SondeIo *io, const char *path);
  char *(*dup_run) (const char *folder);

  SondeRecordDecoder *(*decoder_new) (const SondeRecordTag *tags, gsize n_tags);
  void (*decoder_free) (SondeRecordDecoder *decoder);
  gboolean (*scan) (SondeRecordDecoder *decoder, const guint8 *payload, gsize length,
                    guint64 offset, SondeRecordBatch *batch, GError **error);
  gboolean (*read) (SondeRecordDecoder *decoder, const guint8 *payload, gsize length, guint part,
                    SondeRecord *record, GError **error);

  gpointer (*open) (const SondeIo *io, const char *path, guint64 position,
                    const SondeRecordTag *tags, gsize n_tags, GError **error);
  SondeFrameResult (*next) (gpointer source, SondeRecordBatch *batch, guint64 *position,
                            guint64 *n_records, GPtrArray *damage, GError **error);
  GArray *(*get_tags) (gpointer source);
  void (*close) (gpointer source);
  gboolean (*read_place) (const SondeIo *io, const char *path, guint64 place,
                          const SondeRecordTag *tags, gsize n_tags, SondeRecord *record,
                          GError **error);
};

/* (nullable): NULL when no format knows such a file; @path is looked into when a name alone does
 * not say */
const SondeRecordFormat *sonde_record_format_find (const SondeIo *io, const char *path);
/* (nullable): the format that the name alone says: NULL when it says none, or not enough. Nothing
 * is opened. */
const SondeRecordFormat *sonde_record_format_find_by_name (const char *file_name);
/* By the name alone: may it be one? Nothing is opened. */
gboolean sonde_record_format_may_be (const char *file_name);

/**
 * sonde_record_format_read:
 * @place: of a SondeRecordRef; @tags: of the file
 * @record: (out): clear it with sonde_record_clear()
 *
 * One record of any format. Errors: no readable record is there, with path and offset.
 */
gboolean sonde_record_format_read (const SondeRecordFormat *format, const SondeIo *io,
                                   const char *path, guint64 place, const SondeRecordTag *tags,
                                   gsize n_tags, SondeRecord *record, GError **error);

/* ---- for the formats ----------------------------------------------------- */

void sonde_record_decoder_init (SondeRecordDecoder *decoder, const SondeRecordTag *tags,
                                gsize n_tags);
void sonde_record_decoder_clear (SondeRecordDecoder *decoder);

/* Returns FALSE, with SONDE_DATA_ERROR_DAMAGED. */
gboolean sonde_record_damaged (GError **error, const char *format, ...) G_GNUC_PRINTF (2, 3);

/* Rows; each is documented where it is made. */
extern const SondeRecordFormat sonde_record_format_sonde;
extern const SondeRecordFormat sonde_record_format_mindspore_event; /* summaries and explain logs */
extern const SondeRecordFormat sonde_record_format_mindspore_lineage;
extern const SondeRecordFormat sonde_record_format_mindspore_statistic;
extern const SondeRecordFormat sonde_record_format_mindspore_file; /* graphs, dumps, settings, … */
extern const SondeRecordFormat sonde_record_format_csv;
extern const SondeRecordFormat sonde_record_format_tensorboard;
extern const SondeRecordFormat sonde_record_format_tensorboard_gzip;
extern const SondeRecordFormat sonde_record_format_tensorboard_projector;
extern const SondeRecordFormat sonde_record_format_tensorboard_asset; /* profiles, the debugger */

G_END_DECLS
