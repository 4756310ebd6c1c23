/* SPDX-License-Identifier: Apache-2.0
 * MindSpore's files without frames: each is whole or not there yet, and says what it is by its name
 * and its folder. One row of sonde-mindspore-file.c a kind. */
#pragma once

#include "data/records/sonde-record-format.h"

G_BEGIN_DECLS

/**
 * SondeMindsporeFile: a file that is looked at
 * @io: (nullable); @name: of the file, inside @path; @time_ns: when it was last written
 */
typedef struct
{
  const SondeIo *io;
  const char *path, *name;
  guint64 size;
  gint64 time_ns;
} SondeMindsporeFile;

/**
 * SondeMindsporeFileKind:
 * @recognises: by the name alone
 * @probe: by the path, perhaps by the first bytes
 * @scan: appends what is in the file. An error is damage, or a file that is still being written
 * @read: record number @part, @record zeroed but for what a path says
 */
typedef struct
{
  gboolean (*recognises) (const char *name);
  gboolean (*probe) (const SondeMindsporeFile *file);
  gboolean (*scan) (const SondeMindsporeFile *file, SondeRecordDecoder *tags,
                    SondeRecordBatch *batch, GError **error);
  gboolean (*read) (const SondeMindsporeFile *file, guint part, SondeRecord *record,
                    GError **error);
} SondeMindsporeFileKind;

/* Kinds, in the order they are asked. */
extern const SondeMindsporeFileKind sonde_mindspore_file_graph;      /* *.pb */
extern const SondeMindsporeFileKind sonde_mindspore_file_dump;       /* dumped tensors, .npy */
extern const SondeMindsporeFileKind sonde_mindspore_file_async;      /* dumped tensors, DumpData */
extern const SondeMindsporeFileKind sonde_mindspore_file_export;     /* export_*\/tensor/\*.npy */
extern const SondeMindsporeFileKind sonde_mindspore_file_order;      /* execution orders */
extern const SondeMindsporeFileKind sonde_mindspore_file_settings;   /* JSON */
extern const SondeMindsporeFileKind sonde_mindspore_file_checkpoint; /* *.ckpt beside records */
extern const SondeMindsporeFileKind sonde_mindspore_file_profile;    /* what a profiler left */

/* A record of the whole file, number @part. @tag: (nullable) */
gboolean sonde_mindspore_file_add (const SondeMindsporeFile *file, SondeRecordDecoder *tags,
                                   SondeRecordBatch *batch, SondeRecordKind kind, const char *tag,
                                   gint64 step, gint64 wall_time_ns, guint part, GError **error);

/* What an OTHER record of a file says; files of up to some KiB come with their bytes. */
gboolean sonde_mindspore_file_read_other (const SondeMindsporeFile *file, const char *plugin,
                                          SondeRecord *record, GError **error);

/* A CSV file as a text and a table. */
gboolean sonde_mindspore_file_read_table (const SondeMindsporeFile *file, SondeRecord *record,
                                          GError **error);

G_END_DECLS
